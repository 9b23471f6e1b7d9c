"""`sixpoint solvers`, `bench` and `reach`: what solvers can do, how well, and how far."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..bench import EXPERIMENTS, find_experiment
from . import LazyGroup
from . import console as c

if TYPE_CHECKING:
    from ..bench.experiment import Experiment


@click.command("solvers")
@c.json_option
def solvers() -> c.Answer:
    """List the solvers, what they can do, and their settings."""
    from ..solvers import SOLVERS
    from ..solvers.settings import settings_of

    found = {
        name: {
            "title": kind.title,
            "capabilities": asdict(kind.capabilities),
            "settings": settings_of(kind),
        }
        for name, kind in SOLVERS.items()
    }
    return c.Answer({"solvers": found}, lambda: _show_solvers(found))


def _show_solvers(found: dict[str, dict[str, Any]]) -> None:
    abilities = list(next(iter(found.values()))["capabilities"])
    rows = [
        (name, it["title"], *("yes" if able else "-" for able in it["capabilities"].values()))
        for name, it in found.items()
    ]
    c.show_table(None, ("solver", "method", *abilities), rows)
    for name, it in found.items():
        facts = [(key, _text(value)) for key, value in it["settings"].items()]
        c.show_facts(f"Settings of {name}, for --set", facts)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(f"{part:g}" for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


class Experiments(LazyGroup):
    """The experiments, each with the options that it declares."""

    lines = EXPERIMENTS

    def load(self, name: str) -> click.Command:
        """Build the command of one experiment."""
        it = find_experiment(name)
        folder = click.Option(["-o", "--output"], metavar="DIR", default=it.output,
                              show_default=it.output is not None, help=it.output_help)  # fmt: skip
        text = f"{EXPERIMENTS[name]}\n\n{it.about}"

        @click.command(name, params=[*it.options, folder], help=text)
        @c.quick_option
        @c.json_option
        def command(**values: Any) -> c.Answer:
            return _run(name, it, **values)

        return command


@click.group("bench", cls=Experiments)
def bench() -> None:
    """Measure solvers on this machine, in numbers that anyone can repeat."""


def _run(name: str, it: Experiment, *, output: str | None, quick: bool, **options: Any) -> c.Answer:
    from ..api import WrongOption
    from ..bench.experiment import machine
    from ..errors import MissingExtra

    options["quick"] = quick
    if "set" in options:
        options["method"] = c.make_solver(options.pop("solver"), options.pop("set"))
    with c.wrong_call():
        chosen = list(it.solvers(options))
        body = it.body()
    with c.wrong_call(WrongOption):
        arguments, notes = it.inputs(options)
    c.say_notes(notes)
    with c.compiling():
        for each in chosen:
            each.prepare(body).warm_up()
    with c.progress(name) as tell:
        measured = it.run(**arguments, progress=tell)
    report = {"bench": name, "quick": quick} | it.report(measured) | {"machine": machine()}
    if output is not None:
        folder = Path(output)
        c.save_report(report, folder / (it.json_name or f"{name}.json"))
        try:
            for path in it.files(measured, folder, arguments) if it.files else ():
                c.say(f"wrote {path}")
        except MissingExtra as error:
            c.say(f"note: no pictures: {error}")
    return c.Answer(report, lambda: _show_measured(it, report))


def _show_measured(it: Experiment, report: dict[str, Any]) -> None:
    from ..bench.experiment import Facts

    for shown in it.show(report):
        if isinstance(shown, Facts):
            c.show_facts(shown.title, shown.pairs)
        else:
            c.show_table(shown.title, [column.title for column in shown.columns], shown.cells())
    machine = report["machine"]
    words = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"
    c.show_facts(None, [("machine", words)])


@click.command("reach")
@click.option("-o", "--output", "outputs", required=True, multiple=True, metavar="FILE",
              help="Map to write: .csv, .ply or .png; repeat for more.")  # fmt: skip
@c.height_option
@click.option("--scene", metavar="FILE", help="Boxes and ground around (JSON).")
@click.option("--side", type=click.Choice(["l", "r"]), default="l", show_default=True,
              help="Which hand.")  # fmt: skip
@click.option("--step", type=click.FloatRange(min=0.005), default=0.1, show_default=True,
              metavar="METRES", help="Distance of the places that are tried.")  # fmt: skip
@click.option("--solver", "name", default="pik-balance", show_default=True,
              help="See `sixpoint solvers`.")  # fmt: skip
@c.set_option
@c.json_option
def reach(outputs: tuple[str, ...], height: float, name: str, **given: Any) -> c.Answer:
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
        c.check_output(output, (".csv", ".ply", ".png"))
    solver = c.make_solver(name, given["settings"])
    scene = None if given["scene"] is None else Scene.load(given["scene"])
    body = Skeleton.humanoid(height)
    with c.compiling():
        solver.prepare(body).warm_up()
    with c.progress("reach") as tell, c.wrong_call():
        found = map_reach(
            body, solver, scene, side=given["side"], step=given["step"], progress=tell
        )
    for output in outputs:
        found.write(output)
    counts = {tag: found.count(tag) for tag in TAGS}
    report = {"outputs": list(outputs), "solver": name, "places": len(found.places), **counts}
    title = f"reach of a body of {height:g} m -> {', '.join(outputs)}"
    facts = [(tag, f"{count} places") for tag, count in counts.items()]
    return c.Answer(report, lambda: c.show_facts(title, facts))
