"""`sixpoint render`: look at motions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from . import console as c

SUFFIXES = (".png", ".gif", ".mp4", ".html")


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
    from ..studio.panels import Panel, View

    c.check_output(output, SUFFIXES, sources)
    manners, fps = given["manners"], given["fps"]
    with c.wrong_call():
        expressions = [Expression.parse(manner) for manner in manners]
    motions = [reading.load(path) for path in sources]
    try:
        dots = motions[0].points() if given["points"] else None
    except InputError:  # not a human figure: bones without dots
        dots = None
    panels = [
        Panel(motion, title, dots) for motion, title in zip(motions, _titles(sources), strict=True)
    ]
    for manner, expression in zip(manners, expressions, strict=True):
        panels.append(Panel(express(motions[0], expression), manner, None))
    view = View(math.radians(given["yaw"]), math.radians(given["pitch"]))
    suffix = Path(output).suffix.lower()
    with c.progress("drawing") as tell:
        if suffix == ".png":
            from ..studio.pictures import contact_sheet

            contact_sheet(panels, output, poses=given["poses"], view=view)
        elif suffix == ".html":
            from ..studio.page import playback_page

            title = " | ".join(panel.title for panel in panels)
            playback_page(panels, output, title=title, fps=fps, view=view, progress=tell)
        else:
            from ..studio.pictures import animation

            animation(panels, output, fps=fps, view=view, progress=tell)
    drawn = [
        {"input": path, "frames": len(motion), "rate": motion.rate}
        for path, motion in zip(sources, motions, strict=True)
    ]
    report = {"output": output, "motions": drawn, "expressed": list(manners)}
    return c.Answer(report, lambda: c.say(f"wrote {output}"))


def _titles(sources: tuple[str, ...]) -> list[str]:
    """Return file names without ending, with their folder where the names alone are the same."""
    paths = [Path(path) for path in sources]
    if len({path.stem for path in paths}) == len(paths):
        return [path.stem for path in paths]
    return [f"{path.resolve().parent.name}/{path.name}" for path in paths]
