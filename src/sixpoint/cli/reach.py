"""`sixpoint reach`: what a hand can reach, as a map."""

from __future__ import annotations

from typing import Any

import click

from .console import compiling, progress, show_facts
from .options import Answer, check_output, json_option, make_solver, wrong_call


@click.command("reach")
@click.option("-o", "--output", "outputs", required=True, multiple=True, metavar="FILE",
              help="Map to write: .csv, .ply or .png; repeat for more.")  # fmt: skip
@click.option("--height", type=click.FloatRange(min=0.5, max=2.6), default=1.75, show_default=True,
              metavar="METRES", help="How tall the person is.")  # fmt: skip
@click.option("--scene", metavar="FILE", help="Boxes and ground around (JSON).")
@click.option("--side", type=click.Choice(["l", "r"]), default="l", show_default=True,
              help="Which hand.")  # fmt: skip
@click.option("--step", type=click.FloatRange(min=0.005), default=0.1, show_default=True,
              metavar="METRES", help="Distance of the places that are tried.")  # fmt: skip
@click.option("--solver", "name", default="pik-balance", show_default=True,
              help="See `sixpoint solvers`.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="A setting of the solver.")  # fmt: skip
@json_option
def command(outputs: tuple[str, ...], height: float, name: str, **given: Any) -> Answer:
    """Map what a hand can reach from where a body stands.

    Places of a grid are tagged reachable, unreachable, or colliding: with a box of the scene, or
    with the body itself.

    \b
    sixpoint reach -o reach.png -o reach.ply
    sixpoint reach --scene kitchen.json --side r -o reach.csv
    """  # noqa: D301  (click wants the backspace itself)
    from ..bench.reach import TAGS, map_reach
    from ..body.skeleton import Skeleton
    from ..tasks import Scene

    for output in outputs:
        check_output(output, (".csv", ".ply", ".png"))
    solver = make_solver(name, given["settings"])
    scene = None if given["scene"] is None else Scene.load(given["scene"])
    body = Skeleton.humanoid(height)
    with compiling():
        solver.prepare(body).warm_up()
    with progress("reach") as tell, wrong_call():
        found = map_reach(
            body, solver, scene, side=given["side"], step=given["step"], progress=tell
        )
    for output in outputs:
        found.write(output)
    counts = {tag: found.count(tag) for tag in TAGS}
    report = {"outputs": list(outputs), "solver": name, "places": len(found.places), **counts}
    title = f"reach of a body of {height:g} m -> {', '.join(outputs)}"
    facts = [(tag, f"{count} places") for tag, count in counts.items()]
    return Answer(report, lambda: show_facts(title, facts))
