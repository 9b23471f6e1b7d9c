"""`sixpoint capture`, `calibrate` and `stage`: cameras to points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from . import console as c

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
@click.option("--wrist", type=click.Choice(["outlines", "cut", "length"]), default="outlines",
              show_default=True, help="How wrists are found; cut is the paper's way.")  # fmt: skip
@click.option("--feedback", default="sik", show_default=True, metavar="SOLVER|none",
              help="Whose elbows help to find the wrists.")  # fmt: skip
@click.option("--debug", metavar="DIR", help="Also write a picture of every stage, once a second.")
@c.json_option
def capture(**given: Any) -> c.Answer:
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
    c.check_output(call.output, suffixes("write_points"))
    if len(call.views) < 2:
        raise click.UsageError(f"Expected two views or more, got {len(call.views)}.")
    if call.calibration is None:
        raise click.UsageError(
            "Expected --calibration FILE: where the cameras stand. `sixpoint calibrate` makes one "
            "from pictures of a board."
        )
    known = load_cameras(call.calibration)
    with c.wrong_call():
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
        c.show_facts(
            f"{' + '.join(Path(view).name for view in call.views)} -> {call.output}",
            [
                ("frames", f"{len(points)} at {points.rate:g} Hz"),
                *((name, f"seen in {part:.0%} of frames") for name, part in report["seen"].items()),
                ("time", f"{report['seconds']:.1f} s"),
            ],
        )
        c.say_notes(warnings)

    return c.Answer(report, show)


def _from_pictures(call: SimpleNamespace, cameras: Sequence[Camera]) -> tuple[Recording, float]:
    """Capture from two sources of pictures; also returns when that began [s]."""
    from ..vision.capture import capture_clip, elbow_feedback, prepare_capture
    from ..vision.debug import debug_sheet
    from ..vision.images import open_footage, read_together, write_png

    if len(call.views) != 2:
        raise click.UsageError(f"Expected two sources of pictures, got {len(call.views)}.")
    sources = [open_footage(v, camera.size) for v, camera in zip(call.views, cameras, strict=True)]
    if call.frames is None and any(source.count is None for source in sources):
        raise click.UsageError("Expected --frames N with cameras, which have no end.")
    body, settings = _body(call, cameras), _settings(call, sources[0])
    capture, notes = prepare_capture(sources, cameras, body, settings, call.rate)
    feedback: Feedback | None = None
    if call.feedback != "none":  # where a solver leaves the elbows helps to find the next wrists
        tracker = c.make_solver(call.feedback, ()).prepare(body, rate=capture.rate)
        with c.compiling():
            tracker.warm_up()
        feedback = elbow_feedback(lambda p: tracker.solve(p).pose.world()[0], body, capture.rate)
    total = call.frames or sources[0].count or 0
    begin = time.perf_counter()
    with c.progress("capture") as tell:

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
        with c.wrong_call():
            wall = ChromaKey((red, green, blue))
    elif empty is None:
        wall = learn_key(source.first)
    return CaptureSettings(key=wall, backgrounds=empty, feet=call.feet, wrist=call.wrist)


@click.command("calibrate")
@click.argument("left", metavar="LEFT")
@click.argument("right", metavar="RIGHT")
@click.option("-o", "--output", required=True, metavar="FILE", help="Calibration to write (.json).")
@click.option("--board", default="9x6", show_default=True, metavar="COLUMNSxROWS",
              help="Inner corners of the board.")  # fmt: skip
@click.option("--square", type=float, default=0.03, show_default=True, metavar="METRES",
              help="Side of a square.")  # fmt: skip
@click.option("--marker", type=float, metavar="METRES",
              help="Side of a marker, for a ChArUco board (4X4_50).")  # fmt: skip
@click.option("--origin", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="The pair in which the board stands upright: what the world is.")  # fmt: skip
@click.option("--above-ground", type=float, default=0.0, show_default=True, metavar="METRES",
              help="Height of its first corner then.")  # fmt: skip
@c.json_option
def calibrate(left: str, right: str, output: str, **given: Any) -> c.Answer:
    """Where two cameras stand, from pictures of a chessboard or a ChArUco board.

    LEFT and RIGHT are folders or videos that show the board at the same moments, ten poses or more.
    In one of them it stands upright and faces the cameras, as a person would. Its squares must be
    large in the pictures: 12 cm two metres before cameras of 320 x 240.

    \b
    sixpoint calibrate left/ right/ --board 8x5 --square 0.12 --above-ground 1.2 -o cameras.json
    """  # noqa: D301  (click wants the backspace itself)
    from ..vision.calibration import Board, calibrate_pair, save_cameras
    from ..vision.images import open_footage, read_together

    c.check_output(output, (".json",))
    try:
        columns, rows = (int(part) for part in given["board"].lower().split("x"))
    except ValueError:
        raise click.BadParameter(
            f"expected COLUMNSxROWS such as 9x6, got {given['board']!r}", param_hint="--board"
        ) from None
    with c.wrong_call():
        chosen = Board(columns, rows, given["square"], given["marker"])
    sources = [open_footage(left), open_footage(right)]
    if any(source.kind == "camera" for source in sources):
        raise click.UsageError("Expected folders of pictures or videos, not running cameras.")
    pairs = list(read_together(sources))
    found = calibrate_pair(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        chosen,
        origin=given["origin"],
        height=given["above_ground"],
    )
    save_cameras(found.cameras, output)
    focal = [float(camera.matrix[0, 0]) for camera in found.cameras]
    report = {"output": output, "pairs": len(pairs), "used": found.views, "error_px": found.error,
              "baseline_m": found.baseline, "focal_px": focal}  # fmt: skip
    title = f"{Path(left).name} + {Path(right).name} -> {output}"
    listed = ", ".join(f"{value:.1f}" for value in focal)
    facts = [
        ("pairs used", f"{found.views} of {len(pairs)}"),
        ("error", f"{found.error:.2f} pixels RMS"),
        ("cameras", f"{found.baseline:.3f} m apart, focal lengths {listed} px"),
    ]
    return c.Answer(report, lambda: c.show_facts(title, facts))


@click.command("stage")
@click.option("-o", "--output", default="stage", show_default=True, metavar="DIR",
              help="Made if new.")  # fmt: skip
@click.option("--scene", "name", default="gestures", show_default=True,
              help="calibration, gestures, crossing, clap, rest, face, box, lean, far_reach."
              )  # fmt: skip
@click.option("--noise", type=click.FloatRange(0.0, 100.0), default=0.0, show_default=True,
              help="Standard deviation of each pixel, of 255.")  # fmt: skip
@click.option("--dimming", type=click.FloatRange(0.0, 0.95), default=0.0, show_default=True,
              help="How far the light goes down and up again, as a part.")  # fmt: skip
@click.option("--obstacle", nargs=3, type=float, metavar="X Y Z",
              help="Middle of a dark thing, 20 cm high, that hides what is behind it, in metres."
              )  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=2006, show_default=True,
              help="Of the noise.")  # fmt: skip
@c.height_option
@click.option("--distance", type=click.FloatRange(min=0.5, max=20.0), default=2.0,
              show_default=True, metavar="METRES", help="Of the cameras from them.")  # fmt: skip
@click.option("--baseline", type=click.FloatRange(min=0.01, max=10.0), default=0.8,
              show_default=True, metavar="METRES", help="Between the cameras.")  # fmt: skip
@click.option("--frames", type=click.IntRange(1), metavar="N", help="No more than so many.")
@c.json_option
def stage(output: str, name: str, height: float, **given: Any) -> c.Answer:
    """Play a synthetic scene before two calibrated cameras of 320 x 240.

    Writes left/ and right/ (pictures), cameras.json, marks.json and truth.npz.
    """
    from ..formats import save_points
    from ..vision.synthetic import write_room
    from ..vision.synthetic.room import Actor, Conditions, Room, room_cameras
    from ..vision.synthetic.scenes import scene

    with c.wrong_call():
        motion = scene(name, height).frames(slice(0, given["frames"]))
        conditions = Conditions(
            **{key: given[key] for key in ("noise", "dimming", "obstacle", "seed")}
        )
    cameras = room_cameras(distance=given["distance"], baseline=given["baseline"])
    room, folder = Room((Actor(motion),), cameras, conditions), Path(output)
    with c.progress("stage") as tell:
        truth = write_room(folder, room, height, tell)
    save_points(truth, folder / "truth.npz")
    report = {"output": output, "scene": name, "frames": len(truth), "rate": truth.rate}

    def show() -> None:
        c.show_facts(f"{name} -> {output}", [("frames", f"{len(truth)} at {truth.rate:g} Hz")])
        click.echo(
            f"Next: sixpoint capture {folder / 'left'} {folder / 'right'} "
            f"--calibration {folder / 'cameras.json'} -o points.npz"
            + (f" --height {height:g}" if height != 1.75 else "")
        )

    return c.Answer(report, show)
