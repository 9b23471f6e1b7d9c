"""`sixpoint demo`: the main job on the built-in clip, with something to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .console import compiling, progress
from .options import Answer, json_option, make_solver, wrong_call
from .reconstruct import show_report

if TYPE_CHECKING:
    from ..studio.panels import Panel


@click.command("demo")
@click.option(
    "-o", "--output", default="demo", show_default=True, metavar="DIR", help="Made if new."
)
@click.option("--clip", default="reach", show_default=True, help="Which built-in clip.")
@click.option("--solver", "name", default="sik", show_default=True, help="See `sixpoint solvers`.")
@json_option
def command(output: str, clip: str, name: str) -> Answer:
    """Reconstruct a built-in clip from six points and show the result.

    Needs no file, no screen and no network.
    """
    from ..api import report_of
    from ..data.clips import builtin
    from ..formats import save
    from ..motion.metrics import compare
    from ..studio.panels import Panel

    solver = make_solver(name, SETTINGS.get(name, ()))
    with wrong_call():
        original = builtin(clip)
    points = original.points()
    with compiling():
        tracker = solver.prepare(original.skeleton, rate=points.rate)
        result = tracker.solve_clip(points)
    motion = replace(result.motion, source=original.source)
    report = report_of(result, compare(motion, original))

    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    files = [str(folder / "original.bvh"), str(folder / "reconstruction.bvh")]
    save(original, files[0])
    save(motion, files[1])
    panels = [
        Panel(original, f"Original: {clip}", points),
        Panel(motion, f"Reconstruction from six points: {name}", points),
    ]
    for file, draw in (("contact_sheet.png", _draw_sheet), ("playback.html", _draw_page)):
        if _drawn(draw, panels, str(folder / file), report):
            files.append(str(folder / file))
    title = f"{clip}, {points.positions.shape[1]} points -> {original.skeleton.joint_count} joints"
    how = ", ".join((solver.title, *SETTINGS.get(name, ())))

    def show() -> None:
        show_report(f"{title}  ({how})", report)
        click.echo("\nWrote")
        for file in files:
            click.echo(f"  {file}")
        click.echo(NEXT.format(folder=folder))

    return Answer(report | {"outputs": files}, show)


SETTINGS = {"sik": ("swivel=search", "feet=level")}
"""The demo shows a solver at its best; `sixpoint reconstruct` starts from the published method."""

NEXT = """
Try next
  open {folder}/playback.html in a browser: both figures in 3D
  sixpoint info YOUR.bvh                      is your rig recognised?
  sixpoint reconstruct YOUR.bvh -o out.bvh --set swivel=search
                                              the same with your own clip
  sixpoint render YOUR.bvh out.bvh -o both.gif"""


def _drawn(
    draw: Callable[[list[Panel], str], None], panels: list[Panel], path: str, report: dict[str, Any]
) -> bool:
    """Draw, or note which extra is missing: the rest of the demo does not depend on it."""
    from ..errors import MissingExtra

    try:
        draw(panels, path)
    except MissingExtra as error:
        report["warnings"].append(str(error))
        return False
    return True


def _draw_sheet(panels: list[Panel], path: str) -> None:
    from ..studio.pictures import contact_sheet

    contact_sheet(panels, path)


def _draw_page(panels: list[Panel], path: str) -> None:
    from ..studio.page import playback_page

    with progress("page") as tell:
        playback_page(panels, path, title="sixpoint demo", progress=tell)
