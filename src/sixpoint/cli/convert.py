"""`sixpoint convert`: between formats, units and rates."""

from __future__ import annotations

import click

from .console import say, say_notes
from .options import (
    Answer,
    Reading,
    check_output,
    check_rate,
    file_options,
    json_option,
    lenient_option,
    role_option,
)


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--rate", type=float, metavar="HZ", help="Resample to this rate.")
@lenient_option
@file_options
@role_option
@json_option
def command(source: str, output: str, rate: float | None, reading: Reading) -> Answer:
    """Read IN, a motion or tracked points, and write it as OUT."""
    from .. import formats

    if rate is not None:
        check_rate(rate, "--rate")
    notes: tuple[str, ...] = ()
    if formats.holds_points(source):
        check_output(output, formats.suffixes("write_points"), [source])
        if rate is not None:
            raise click.UsageError("--rate is for motions; tracked points keep their rate.")
        points = formats.load_points(source)
        formats.save_points(points, output)
        frames, rate = len(points), points.rate
    else:
        check_output(output, formats.suffixes("write"), [source])
        motion = reading.load(source)
        notes = motion.source.notes
        if rate is not None:
            motion = motion.resampled(rate)
        notes += formats.save(motion, output)
        frames, rate = len(motion), motion.rate
    report = {"input": source, "output": output, "frames": frames, "rate": rate, "warnings": notes}

    def show() -> None:
        say(f"wrote {output}: {frames} frames at {rate:g} Hz")
        say_notes(notes)

    return Answer(report, show)
