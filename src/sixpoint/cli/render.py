"""`sixpoint render`: look at motions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import console as c


@click.command("render")
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.option(
    "-o", "--output", required=True, metavar="OUT", help="Ends in .png, .gif, .mp4, .html."
)
@click.option(
    "--poses", type=click.IntRange(1, 100), default=8, show_default=True, help="On a .png."
)
@click.option("--fps", type=click.FloatRange(0.1, 100), default=25.0, show_default=True,
              help="Pictures a second.")  # fmt: skip
@click.option("--yaw", type=float, default=35.0, show_default=True, metavar="DEGREES",
              help="Viewer's place: 0 in front, 90 at the person's left.")  # fmt: skip
@click.option("--pitch", type=click.FloatRange(-85, 85), default=12.0, show_default=True,
              metavar="DEGREES", help="Viewer above the horizon.")  # fmt: skip
@click.option("--express", "manners", multiple=True, metavar="NAME=NUMBER,...",
              help="Beside the motions, the first one made in another manner between key poses: "
              "speed, power, amplitude, acceleration, swivel, tension, recruit. Repeat for "
              "more.")  # fmt: skip
@click.option("--points/--no-points", default=True, help="Show the six tracked points as dots.")
@c.file_options
@c.role_option
@c.json_option
def render(sources: tuple[str, ...], output: str, reading: c.Reading, **given: Any) -> c.Answer:
    """Draw one motion, or several side by side.

    A .png is a contact sheet, a .gif or .mp4 (needs ffmpeg) moves, a .html plays in 3D.
    The six points of the first motion are drawn on all of them.

    \b
    sixpoint render original.bvh out.bvh -o both.png
    sixpoint render reach.bvh -o wide.gif --express amplitude=1.4,power=0.6
    """  # noqa: D301  (click wants the backspace itself)
    from ..errors import InputError
    from ..solvers import Expression, express
    from ..studio.render import SUFFIXES
    from ..studio.render import render as draw

    c.check_output(output, SUFFIXES, sources)
    manners = given.pop("manners")
    with c.wrong_call():
        expressions = [Expression.parse(manner) for manner in manners]
    motions = {
        title: reading.load(path) for title, path in zip(_titles(sources), sources, strict=True)
    }
    first = next(iter(motions.values()))
    try:
        seen = first.points() if given.pop("points") else None
    except InputError:  # not a person: bones without dots
        seen = None
    dots = {} if seen is None else dict.fromkeys(motions, seen)
    made = {m: express(first, e) for m, e in zip(manners, expressions, strict=True)}
    with c.progress("drawing") as tell:
        draw(motions | made, output, dots, progress=tell, **given)
    drawn = [
        {"input": path, "frames": len(motion), "rate": motion.rate}
        for path, motion in zip(sources, motions.values(), strict=True)
    ]
    report = {"output": output, "motions": drawn, "expressed": list(manners)}
    return c.Answer(report, lambda: c.say(f"wrote {output}"))


def _titles(sources: tuple[str, ...]) -> list[str]:
    """Return file names without ending; with folder or number where names are the same."""
    paths = [Path(path) for path in sources]
    titles = [path.stem for path in paths]
    if len(set(titles)) < len(titles):
        titles = [f"{path.resolve().parent.name}/{path.name}" for path in paths]
    again = [titles[:k].count(title) for k, title in enumerate(titles)]
    return [f"{t} ({n + 1})" if n else t for t, n in zip(titles, again, strict=True)]
