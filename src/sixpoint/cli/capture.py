"""`sixpoint capture`: two cameras, or keypoints of several, to tracked points."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .console import compiling, emit, progress, say, show_facts
from .options import check_output, json_option, suffixes, wrong_call

if TYPE_CHECKING:
    from ..body.skeleton import Skeleton
    from ..motion.points import Points
    from ..vision.camera import Camera
    from ..vision.capture import CaptureSettings, Feedback
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
def command(
    views: tuple[str, ...],
    output: str,
    calibration: str | None,
    names: str | None,
    height: float | None,
    marks: str | None,
    key: str,
    background: tuple[str, str] | None,
    rate: float | None,
    frames: int | None,
    feet: bool,
    wrist: str,
    feedback: str,
    debug: str | None,
    as_json: bool,
) -> None:
    """Tracked points from two cameras, or from keypoints.

    Two folders of pictures, two video files or the numbers of two cameras; one person before a wall
    of one colour, sleeves down. Or, for any room and any number of cameras, JSON keypoints of a 2D
    detector for each view (files or folders of OpenPose, COCO, or our own).

    \b
    sixpoint stage -o stage/                     something to try it with
    sixpoint capture stage/left stage/right --calibration stage/cameras.json -o points.npz
    sixpoint capture a.json b.json c.json --calibration rig.json --rate 30 -o points.csv
    """  # noqa: D301  (click wants the backspace itself)
    check_output(output, suffixes("write_points"))
    if len(views) < 2:
        raise click.UsageError(f"Expected two views or more, got {len(views)}.")
    if calibration is None:
        raise click.UsageError(
            "Expected --calibration FILE: where the cameras stand. `sixpoint calibrate` makes one "
            "from pictures of a board."
        )
    from ..formats import save_points

    cameras = _cameras(calibration, views, names)
    if all(_is_keypoints(view) for view in views):
        report, points = _keypoints(views, cameras, rate)
    else:
        if len(views) != 2:
            raise click.UsageError(f"Expected two sources of pictures, got {len(views)}.")
        from ..vision.images import open_footage

        sources = [open_footage(v, camera.size) for v, camera in zip(views, cameras, strict=True)]
        if frames is None and any(source.count is None for source in sources):
            raise click.UsageError("Expected --frames N with cameras, which have no end.")
        body = _body(cameras, height, marks)
        settings = _settings(sources[0], key, background, feet, wrist)
        report, points = _pictures(sources, cameras, body, settings, rate, frames, feedback, debug)
    save_points(points, output)
    report = {"output": output} | report
    if as_json:
        emit(report)
        return
    show_facts(f"{' + '.join(Path(v).name for v in views)} -> {output}", _facts(report))
    for warning in report["warnings"]:
        say(f"note: {warning}")


def _cameras(calibration: str, views: Sequence[str], names: str | None) -> Sequence[Camera]:
    """Those of the views: named, named as the files are, or all."""
    from ..vision.calibration import load_cameras
    from ..vision.camera import chosen_cameras

    cameras = load_cameras(calibration)
    stems = [Path(view).stem for view in views]
    if names is not None:
        with wrong_call():
            cameras = chosen_cameras(cameras, names.split(","))
    elif len(set(stems)) == len(stems) and {camera.name for camera in cameras} >= set(stems):
        cameras = chosen_cameras(cameras, stems)
    if len(cameras) != len(views):
        listed = ", ".join(camera.name for camera in cameras)
        raise click.UsageError(
            f"Expected as many views as cameras ({listed}), got {len(views)}: choose some with "
            "--cameras NAME,NAME."
        )
    return cameras


def _is_keypoints(view: str) -> bool:
    path = Path(view)
    return path.suffix.lower() == ".json" or (path.is_dir() and any(path.glob("*.json")))


def _keypoints(
    views: Sequence[str], cameras: Sequence[Camera], rate: float | None
) -> tuple[dict[str, Any], Points]:
    from ..vision.keypoints import load_keypoints, triangulate_keypoints

    begin = time.perf_counter()
    points = triangulate_keypoints(cameras, [load_keypoints(view) for view in views], rate)
    return _report(points, {}, (), time.perf_counter() - begin), points


def _body(cameras: Sequence[Camera], height: float | None, marks: str | None) -> Skeleton:
    from ..body.anthropometry import DEFAULT_STATURE
    from ..body.skeleton import Skeleton

    if marks is not None:
        if height is not None:
            raise click.UsageError("Give --height or --marks, not both.")
        from ..vision.body_measurement import load_marks, measure_body

        return measure_body(cameras, load_marks(marks)).skeleton
    return Skeleton.humanoid(DEFAULT_STATURE if height is None else height)


def _settings(
    source: Footage,
    key: str,
    background: tuple[str, str] | None,
    feet: bool,
    wrist: str,
) -> CaptureSettings:
    from ..vision.capture import CaptureSettings
    from ..vision.segmentation import Background, ChromaKey, learn_key

    empty = None
    if background is not None:
        from ..vision.images import read_picture

        empty = tuple(Background(read_picture(Path(path))) for path in background)
    wall = ChromaKey()
    if key == "auto" and empty is None:
        wall = learn_key(source.first)
    elif key != "auto":
        with wrong_call():
            try:
                red, green, blue = (int(part) for part in key.split(","))
            except ValueError:
                raise click.BadParameter(
                    f"expected R,G,B or auto, got {key!r}", param_hint="--key"
                ) from None
            wall = ChromaKey((red, green, blue))
    return CaptureSettings(
        key=wall, backgrounds=empty, feet=feet, wrist="length" if wrist == "length" else "cut"
    )


def _pictures(
    sources: Sequence[Footage],
    cameras: Sequence[Camera],
    body: Skeleton,
    settings: CaptureSettings,
    rate: float | None,
    frames: int | None,
    feedback: str,
    debug: str | None,
) -> tuple[dict[str, Any], Points]:
    from ..vision.camera import cropped
    from ..vision.capture import Capture, capture_clip
    from ..vision.images import read_together

    fitting = [cropped(c, source.size) for c, source in zip(cameras, sources, strict=True)]
    said = [source.rate for source in sources if source.rate is not None]
    chosen = rate if rate is not None else (said[0] if said else 30.0)
    capture = Capture(fitting, body, chosen, settings)
    elbows = None if feedback == "none" else _elbows(feedback, body, chosen)
    total = frames or sources[0].count or 0
    begin = time.perf_counter()
    with progress("capture") as tell:

        def watch(frame: int, pair: Any, moment: Any) -> None:
            tell(frame + 1, total)
            if debug is not None and frame % max(1, round(chosen)) == 0:
                _draw(Path(debug), frame, pair, fitting, moment)

        found = capture_clip(capture, read_together(sources, frames), elbows, watch)
    spent = time.perf_counter() - begin
    notes = [
        f"pictures of {camera.name} are {source.size[0]} x {source.size[1]}, calibrated were "
        f"{camera.size[0]} x {camera.size[1]}: taken to lack the right and lower edge"
        for camera, source in zip(cameras, sources, strict=True)
        if camera.size != source.size
    ]
    return _report(found.points, found.broken, [*notes, *found.warnings], spent), found.points


def _elbows(name: str, body: Skeleton, rate: float) -> Feedback:
    """Where a solver leaves the elbows: what the wrists of the next frame are found by."""
    from ..vision.capture import elbow_feedback
    from .options import make_solver

    tracker = make_solver(name, ()).prepare(body, rate=rate)
    with compiling():
        tracker.warm_up()
    return elbow_feedback(lambda points: tracker.solve(points).pose.world()[0], body, rate)


def _draw(folder: Path, frame: int, pair: Any, cameras: Any, moment: Any) -> None:
    from ..atomic_write import atomic_write
    from ..vision.debug import debug_sheet
    from ..vision.images import opencv

    folder.mkdir(parents=True, exist_ok=True)
    good, data = opencv().imencode(".png", debug_sheet(pair, cameras, moment))
    assert good
    with atomic_write(folder / f"stages_{frame:05d}.png") as file:
        file.write(data.tobytes())


def _report(
    points: Points, broken: dict[str, int], warnings: Sequence[str], seconds: float
) -> dict[str, Any]:
    seen = points.seen.mean(axis=0) if len(points) else [0.0] * len(points.names)
    return {
        "frames": len(points),
        "rate": points.rate,
        "points": list(points.names),
        "seen": {name: float(part) for name, part in zip(points.names, seen, strict=True)},
        "rules_broken": broken,
        "seconds": seconds,
        "warnings": list(warnings),
    }


def _facts(report: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("frames", f"{report['frames']} at {report['rate']:g} Hz")]
    rows += [(name, f"seen in {part:.0%} of frames") for name, part in report["seen"].items()]
    rows.append(("time", f"{report['seconds']:.1f} s"))
    return rows
