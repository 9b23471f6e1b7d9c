"""`sixpoint fit`: who was tracked, from the points alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import console as c

if TYPE_CHECKING:
    from ..subjects import Subject


@click.command("fit")
@click.argument("source", metavar="POINTS")
@click.option("-o", "--output", required=True, metavar="SUBJECT.json", help="The subject.")
@click.option("--pose", type=click.Choice(("auto", "t", "a", "n", "none")), default="auto",
              show_default=True, help="Stance that somebody holds: arms to the sides (t), halfway "
              "(a), hanging (n). `auto` looks for t and a, and recognises the stance at a given "
              "time; `none` uses free motion alone.")  # fmt: skip
@click.option("--at", metavar="START:END", help="When the stance is held, in seconds.")
@click.option("--height", type=click.FloatRange(min=0.0, min_open=True), metavar="METRES",
              help="How tall the person is, if that is known.")  # fmt: skip
@click.option("--skeleton", metavar="RIG", help="The body, if that is known; scaled to --height.")
@c.file_options
@c.role_option
@c.json_option
def fit(
    source: str,
    output: str,
    pose: str,
    at: str | None,
    height: float | None,
    skeleton: str | None,
    reading: c.Reading,
) -> c.Answer:
    """Find out who was tracked: bone lengths, where trackers sit on them, the floor.

    \b
    sixpoint fit trackers.csv --pose t --at 0:2 -o subject.json
    sixpoint reconstruct trackers.csv --subject subject.json -o body.bvh
    """  # noqa: D301  (click wants the backspace itself)
    from .. import formats
    from ..subjects import fit_subject

    c.check_output(output, (".json",), [source])
    time = None if at is None else _time(at)
    options = dict(reading.options)
    roles = options.pop("roles", None)
    body = None if skeleton is None else formats.load_skeleton(skeleton, roles=roles)
    points = formats.load_points(source, **options)
    subject = fit_subject(
        points, pose=None if pose == "none" else pose, at=time, height=height, skeleton=body
    )
    subject.save(output)
    report = {"input": source, "output": output, **subject.as_dict()}
    return c.Answer(report, lambda: _show(f"{Path(source).name} -> {output}", subject))


def _time(text: str) -> tuple[float, float]:
    """Return start and end of a stance [s] of a text START:END."""
    number = r"(\d+(?:\.\d*)?|\.\d+)"
    found = re.fullmatch(f"{number}:{number}", text.strip())
    if not found:
        raise click.UsageError(f"Expected --at START:END in seconds, as 0:2; got {text!r}.")
    return float(found[1]), float(found[2])


def _show(title: str, subject: Subject) -> None:
    c.show_facts(
        title,
        [
            ("stature", f"{subject.skeleton.anatomy.stature:.2f} m"),
            ("floor", f"{100 * subject.floor:.1f} cm"),
            *(("found", note) for note in subject.found),
        ],
    )
    if lengths := subject.lengths():
        rows = [
            (name, f"{100 * length:.1f}", f"{100 * subject.deviations[name]:.1f}")
            for name, length in lengths.items()
        ]
        c.show_table(None, ("length", "cm", "standard deviation"), rows)
    if subject.mounts:
        worn = [
            [name, *(f"{100 * part:+.1f}" for part in mount.offset), f"{mount.angle_deg:.0f}"]
            for name, mount in subject.mounts.items()
        ]
        titles = ("tracker", "left [cm]", "up [cm]", "forward [cm]", "turned [degrees]")
        c.show_table(None, titles, worn)
