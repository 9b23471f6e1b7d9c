"""`sixpoint convert`: between formats, units and rates."""

from __future__ import annotations

import click

from .console import emit, say
from .options import (
    Reading,
    check_output,
    file_options,
    holds_points,
    json_option,
    load_motion,
    role_option,
    suffixes,
)


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--rate", type=float, metavar="HZ", help="Resample to this rate.")
@click.option("--lenient", is_flag=True, help="Read what is whole of a damaged file.")
@file_options
@role_option
@json_option
def command(
    source: str,
    output: str,
    rate: float | None,
    lenient: bool,
    unit: str,
    up: str,
    frame_rate: float | None,
    roles: tuple[str, ...],
    as_json: bool,
) -> None:
    """Read IN, a motion or tracked points, and write it as OUT."""
    from .. import formats

    if rate is not None and not 0.0 < rate < 1e6:
        raise click.BadParameter(
            f"expected a rate above 0 and below 1e6 Hz, got {rate:g}", param_hint="--rate"
        )
    reading = Reading(unit, up, frame_rate, roles, lenient)
    notes: tuple[str, ...] = ()
    if holds_points(source):
        check_output(output, suffixes("write_points"), [source])
        if rate is not None:
            raise click.UsageError("--rate is for motions; tracked points keep their rate.")
        points = formats.load_points(source)
        formats.save_points(points, output)
        frames, rate = len(points), points.rate
    else:
        check_output(output, suffixes("write"), [source])
        motion = load_motion(source, reading)
        notes = motion.source.notes
        if rate is not None:
            motion = motion.resampled(rate)
        notes += formats.save(motion, output)
        frames, rate = len(motion), motion.rate
    if as_json:
        emit({"input": source, "output": output, "frames": frames, "rate": rate, "warnings": notes})
        return
    say(f"wrote {output}: {frames} frames at {rate:g} Hz")
    for note in notes:
        say(f"note: {note}")
