"""`sixpoint info`, `convert`, `compare` and `layouts`: what is in files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from . import console as c

if TYPE_CHECKING:
    from ..formats import FileInfo
    from ..motion.comparison import Comparison


@click.command("info")
@click.argument("path", metavar="FILE")
@c.file_options
@c.layout_options
@c.role_option
@c.json_option
def info(path: str, reading: c.Reading) -> c.Answer:
    """Show format, joints, roles, frames, rate, height and problems of FILE.

    Damaged files are read as far as they go. The layout of an array is guessed if it is not given.
    """
    from ..formats import inspect

    found = inspect(path, **reading.options)
    return c.Answer(found.as_dict(), lambda: c.show_facts(found.path, _file_facts(found)))


def _robot_facts(found: FileInfo) -> list[tuple[str, str]]:
    return [
        ("format", f"{found.format}, {found.holds}"),
        ("joints", f"{found.joints}, {found.freedom} degrees of freedom, {found.limited} limited"),
        ("ends", ", ".join(found.ends)),
        ("coupled", ", ".join(found.coupled) or "none"),
        ("collision", f"{found.capsules} capsules"),
        ("up", found.up),
        *(("note", note) for note in found.notes),
    ]


def _file_facts(found: FileInfo) -> list[tuple[str, str]]:
    if found.holds == "figure":
        return _robot_facts(found)
    bodies = f"{found.joints} joints, {found.sites} end sites"
    facts = [
        ("format", f"{found.format}, {found.holds}"),
        ("frames", f"{found.frames} at {found.rate:g} Hz, {found.duration:.2f} s"),
        ("skeleton", bodies if found.holds == "motion" else f"{found.joints} points"),
    ]
    if found.layout is not None:
        facts.append(("layout", found.layout))
    if found.holds == "points":
        facts.append(("points", ", ".join(found.roles or ())))
    if found.holds == "motion":
        facts.append(("unit, up", f"{found.unit:g} m, {found.up}"))
    elif found.roles is not None:
        axes = f"{found.unit:g} m, {found.up} up, {found.hand}-handed"
        facts.append(("unit, axes", axes))
        if found.noise:
            each = ", ".join(f"{name} {1e3 * sd:.1f}" for name, sd in found.noise.items())
            facts.append(("noise [mm]", each))
    if found.height is not None:
        facts.append(("stature", f"{found.height:.2f} m"))
    if found.roles is not None and found.holds == "motion":
        named = ", ".join(f"{role}={name}" for role, name in found.roles.items())
        facts.append(("roles", f"{named}  ({found.scheme})"))
    facts += [("note", note) for note in found.notes]
    return facts + [("problem", problem) for problem in found.problems]


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--rate", type=float, metavar="HZ", help="Resample to this rate.")
@c.lenient_option
@c.file_options
@c.layout_option
@c.role_option
@c.json_option
def convert(source: str, output: str, rate: float | None, reading: c.Reading) -> c.Answer:
    """Read IN, a motion or tracked points, and write it as OUT."""
    from .. import formats

    if rate is not None:
        c.check_rate(rate, "--rate")
    notes: tuple[str, ...] = ()
    if reading.layout is not None or formats.holds_points(source):
        c.check_output(output, formats.suffixes("write_points"), [source])
        if rate is not None:
            raise click.UsageError("--rate is for motions; tracked points keep their rate.")
        said = {key: value for key, value in reading.options.items() if key != "lenient"}
        points, _, notes = formats.read_points(source, **said)
        formats.save_points(points, output)
        frames, rate = len(points), points.rate
    else:
        c.check_output(output, formats.suffixes("write"), [source])
        motion = reading.load(source)
        notes = motion.source.notes
        if rate is not None:
            motion = motion.resampled(rate)
        notes += formats.save(motion, output)
        frames, rate = len(motion), motion.rate
    report = {"input": source, "output": output, "frames": frames, "rate": rate, "warnings": notes}

    def show() -> None:
        c.say(f"wrote {output}: {frames} frames at {rate:g} Hz")
        c.say_notes(notes)

    return c.Answer(report, show)


@click.command("compare")
@click.argument("original")
@click.argument("reconstructed")
@click.option(
    "--align", is_flag=True, help="Move and turn RECONSTRUCTED as a whole to where it fits best."
)
@c.file_options
@c.role_option
@c.json_option
def compare(original: str, reconstructed: str, align: bool, reading: c.Reading) -> c.Answer:
    """Measure RECONSTRUCTED against ORIGINAL, frame by frame.

    Different rigs are compared by the roles that both have. Positions are divided by body height;
    orientations are in radians.
    """
    from ..motion import metrics

    first, second = reading.load(original), reading.load(reconstructed)
    found = metrics.compare(second, first, align=align)
    return c.Answer(found.as_dict(), lambda: _show_errors(found))


def _show_errors(found: Comparison) -> None:
    def errors(name: str) -> list[str]:
        keys = (f"{name}_rms", f"{name}_mean", f"{name}_rms_inner")
        return [_number(getattr(found, key)) for key in keys]

    clouds = [_number(found.point_cloud_rms), _number(found.point_cloud_mean)]
    c.show_table(
        f"{found.frames} frames at {found.rate:g} Hz, body height {found.height:.3f} m",
        ("error", "RMS", "mean", "without wrists, ankles", "unit"),
        [
            ("position", *errors("position"), "body height"),
            ("orientation", *errors("orientation"), "rad"),
            ("point clouds", *clouds, "-", "body height, aligned"),
        ],
    )
    c.show_table(
        None,
        ("role", "position [mm]", "orientation [rad]"),
        [
            (role, _number(1e3 * error.position, 1), _number(error.orientation, 3))
            for role, error in found.roles.items()
        ],
    )
    swivels = ", ".join(f"{limb} {_number(angle, 3)}" for limb, angle in found.swivel.items())
    steps = f"{found.steps_over_30deg} (original {found.steps_over_30deg_original})"
    c.show_facts(
        None,
        [
            ("swivel error [rad]", swivels),
            ("jitter", f"{_number(found.jitter_ratio, 2)} times the original's"),
            ("foot skate", f"{_number(100.0 * found.foot_skate, 1)} cm/s"),
            ("jumps over 30 degrees", steps),
        ],
    )
    c.say_notes(found.warnings)


def _number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"


@click.command("layouts")
@c.json_option
def layouts() -> c.Answer:
    """List the orders of joints in arrays that --layout knows.

    Pictures of them are in the documentation.
    """
    from ..subjects.layouts import LAYOUTS, PROGRAMS

    found: dict[str, dict[str, Any]] = {
        name: {
            "title": layout.title,
            "joints": list(layout.landmarks),
            "lacks": layout.lacks,
            "rate": layout.rate,
            "also_joints": list(layout.longer),
            "programs": [program for program, of in PROGRAMS.items() if of == name],
        }
        for name, layout in LAYOUTS.items()
    }

    def show() -> None:
        rows = [(n, str(len(it["joints"])), it["title"]) for n, it in found.items()]
        c.show_table(None, ("layout", "joints", "arrays of"), rows)
        for name, it in found.items():
            joints = ", ".join(f"{k} {joint}" for k, joint in enumerate(it["joints"]))
            c.show_facts(name, [("joints", joints), ("cannot tell", it["lacks"])])

    return c.Answer({"layouts": found}, show)
