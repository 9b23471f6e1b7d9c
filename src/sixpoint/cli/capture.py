"""`sixpoint capture`: two cameras, or keypoints of several, to tracked points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from .console import compiling, progress, say_notes, show_facts
from .options import Answer, check_output, json_option, make_solver, wrong_call

if TYPE_CHECKING:
    from ..body.skeleton import Skeleton
    from ..vision.camera import Camera
    from ..vision.capture import CaptureFrame, CaptureSettings, Feedback, Recording
    from ..vision.images import Footage


@click.command("capture")
@click.argument("views", metavar="LEFT RIGHT [MORE...]", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="POINTS", help="Points file to write.")
@click.option("--calibration", metavar="FILE", help="Where the cameras stand; JSON or .qca.txt.")
@click.option("--cameras", "names", metavar="NAME,NAME", help="Which of its cameras, in the order "
              "of the views. Default: all, or those that the files are named after.")  # fmt: skip
@click.option("--height", type=click.FloatRange(min=0.5, max=2.6), metavar="METRES",
              help="How tall the person is. Default: 1.75.")  # fmt: skip
@click.option("--marks", metavar="FILE", help="Or joints marked in both pictures (JSON).")
@click.option("--key", metavar="R,G,B|auto", default="0,177,64", show_default=True,
              help="Colour of the wall; auto looks at the upper corners of the first picture.",
              )  # fmt: skip
@click.option("--background", nargs=2, metavar="LEFT RIGHT",
              help="Pictures of the empty room, where there is no wall of one colour.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(min=0.0, min_open=True), metavar="HZ",
              help="Pictures a second, if the source does not say. Default: 30.")  # fmt: skip
@click.option("--frames", type=click.IntRange(1), metavar="N", help="Stop after so many pairs.")
@click.option("--feet", is_flag=True, help="Also look for ankles in the silhouettes.")
@click.option("--wrist", type=click.Choice(["cut", "length"]), default="cut", show_default=True,
              help="How wrists are found.")  # fmt: skip
@click.option("--feedback", default="sik", show_default=True, metavar="SOLVER|none",
              help="Whose elbows help to find the wrists.")  # fmt: skip
@click.option("--debug", metavar="DIR", help="Also write a picture of every stage, once a second.")
@json_option
def command(**given: Any) -> Answer:
    """Tracked points from two cameras, or from keypoints.

    Two folders of pictures, two video files or the numbers of two cameras; one person before a wall
    of one colour, sleeves down. Or, for any room and any number of cameras, JSON keypoints of a 2D
    detector for each view (files or folders of OpenPose, COCO, or our own).

    \b
    sixpoint stage -o stage/                     something to try it with
    sixpoint capture stage/left stage/right --calibration stage/cameras.json -o points.npz
    sixpoint capture a.json b.json c.json --calibration rig.json --rate 30 -o points.csv
    """  # noqa: D301  (click wants the backspace itself)
    from ..formats import save_points, suffixes
    from ..vision.calibration import load_cameras
    from ..vision.camera import cameras_of_views
    from ..vision.keypoints import is_keypoints, load_keypoints, triangulate_keypoints

    call = SimpleNamespace(**given)
    check_output(call.output, suffixes("write_points"))
    if len(call.views) < 2:
        raise click.UsageError(f"Expected two views or more, got {len(call.views)}.")
    if call.calibration is None:
        raise click.UsageError(
            "Expected --calibration FILE: where the cameras stand. `sixpoint calibrate` makes one "
            "from pictures of a board."
        )
    known = load_cameras(call.calibration)
    with wrong_call():
        cameras = cameras_of_views(known, call.views, call.names and call.names.split(","))
    if len(cameras) != len(call.views):
        listed = ", ".join(camera.name for camera in cameras)
        raise click.UsageError(
            f"Expected as many views as cameras ({listed}), got {len(call.views)}: choose some "
            "with --cameras NAME,NAME."
        )
    begin = time.perf_counter()
    broken: dict[str, int] = {}
    warnings: Sequence[str] = ()
    if all(is_keypoints(view) for view in call.views):
        loaded = [load_keypoints(view) for view in call.views]
        points = triangulate_keypoints(cameras, loaded, call.rate)
    else:
        found, begin = _from_pictures(call, cameras)
        points, broken, warnings = found.points, found.broken, found.warnings
    seen = points.seen.mean(axis=0) if len(points) else [0.0] * len(points.names)
    report = {
        "output": call.output,
        "frames": len(points),
        "rate": points.rate,
        "points": list(points.names),
        "seen": {name: float(part) for name, part in zip(points.names, seen, strict=True)},
        "rules_broken": broken,
        "seconds": time.perf_counter() - begin,
        "warnings": list(warnings),
    }
    save_points(points, call.output)

    def show() -> None:
        show_facts(
            f"{' + '.join(Path(view).name for view in call.views)} -> {call.output}",
            [
                ("frames", f"{len(points)} at {points.rate:g} Hz"),
                *((name, f"seen in {part:.0%} of frames") for name, part in report["seen"].items()),
                ("time", f"{report['seconds']:.1f} s"),
            ],
        )
        say_notes(warnings)

    return Answer(report, show)


def _from_pictures(call: SimpleNamespace, cameras: Sequence[Camera]) -> tuple[Recording, float]:
    """Capture from two sources of pictures; also returns when that began [s]."""
    from ..vision.capture import capture_clip, prepare_capture
    from ..vision.debug import debug_sheet
    from ..vision.images import open_footage, read_together, write_png

    if len(call.views) != 2:
        raise click.UsageError(f"Expected two sources of pictures, got {len(call.views)}.")
    sources = [open_footage(v, camera.size) for v, camera in zip(call.views, cameras, strict=True)]
    if call.frames is None and any(source.count is None for source in sources):
        raise click.UsageError("Expected --frames N with cameras, which have no end.")
    body, settings = _body(call, cameras), _settings(call, sources[0])
    capture, notes = prepare_capture(sources, cameras, body, settings, call.rate)
    feedback = None if call.feedback == "none" else _elbows(call.feedback, body, capture.rate)
    total = call.frames or sources[0].count or 0
    begin = time.perf_counter()
    with progress("capture") as tell:

        def watch(number: int, pair: Any, frame: CaptureFrame) -> None:
            tell(number + 1, total)
            if call.debug is not None and number % max(1, round(capture.rate)) == 0:
                path = Path(call.debug) / f"stages_{number:05d}.png"
                write_png(path, debug_sheet(pair, capture.cameras, frame))

        found = capture_clip(capture, read_together(sources, call.frames), feedback, watch)
    return replace(found, warnings=(*notes, *found.warnings)), begin


def _body(call: SimpleNamespace, cameras: Sequence[Camera]) -> Skeleton:
    from ..body.anthropometry import DEFAULT_STATURE
    from ..body.skeleton import Skeleton
    from ..vision.body_measurement import load_marks, measure_body

    if call.marks is not None and call.height is not None:
        raise click.UsageError("Give --height or --marks, not both.")
    if call.marks is not None:
        return measure_body(cameras, load_marks(call.marks)).skeleton
    return Skeleton.humanoid(DEFAULT_STATURE if call.height is None else call.height)


def _settings(call: SimpleNamespace, source: Footage) -> CaptureSettings:
    from ..vision.capture import CaptureSettings
    from ..vision.images import read_picture
    from ..vision.segmentation import Background, ChromaKey, learn_key

    empty, wall = None, ChromaKey()
    if call.background is not None:
        empty = tuple(Background(read_picture(Path(path))) for path in call.background)
    if call.key != "auto":
        try:
            red, green, blue = (int(part) for part in call.key.split(","))
        except ValueError:
            raise click.BadParameter(
                f"expected R,G,B or auto, got {call.key!r}", param_hint="--key"
            ) from None
        with wrong_call():
            wall = ChromaKey((red, green, blue))
    elif empty is None:
        wall = learn_key(source.first)
    return CaptureSettings(key=wall, backgrounds=empty, feet=call.feet, wrist=call.wrist)


def _elbows(name: str, body: Skeleton, rate: float) -> Feedback:
    """Return feedback of where a solver leaves the elbows, to find the wrists of the next frame."""
    from ..vision.capture import elbow_feedback

    tracker = make_solver(name, ()).prepare(body, rate=rate)
    with compiling():
        tracker.warm_up()
    return elbow_feedback(lambda points: tracker.solve(points).pose.world()[0], body, rate)
