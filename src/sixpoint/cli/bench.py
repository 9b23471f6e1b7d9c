"""`sixpoint bench`: run an experiment, print its tables, write its files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..bench import EXPERIMENTS, find_experiment
from .console import compiling, progress, save_report, say, say_notes, show_facts, show_table
from .options import Answer, json_option, make_solver, quick_option, wrong_call

if TYPE_CHECKING:
    from ..bench.experiment import Experiment


class Experiments(click.Group):
    """Experiments that are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return list(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Build the command of one experiment."""
        return _command(cmd_name) if cmd_name in EXPERIMENTS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(EXPERIMENTS.items()))


@click.group("bench", cls=Experiments)
def command() -> None:
    """Measure solvers on this machine, in numbers that anyone can repeat."""


def _command(name: str) -> click.Command:
    it = find_experiment(name)
    folder = click.Option(["-o", "--output"], metavar="DIR", default=it.output,
                          show_default=it.output is not None, help=it.output_help)  # fmt: skip

    @click.command(
        name,
        params=[*it.options, folder],
        help=f"{EXPERIMENTS[name]}\n\n{it.about}",
    )
    @quick_option
    @json_option
    def command(**values: Any) -> Answer:
        return _run(name, it, **values)

    return command


def _run(name: str, it: Experiment, *, output: str | None, quick: bool, **options: Any) -> Answer:
    from ..api import WrongOption
    from ..bench.experiment import machine
    from ..errors import MissingExtra

    options["quick"] = quick
    if "set" in options:
        options["method"] = make_solver(options.pop("solver"), options.pop("set"))
    with wrong_call():
        chosen = list(it.solvers(options))
        body = it.body()
    with wrong_call(WrongOption):
        arguments, notes = it.inputs(options)
    say_notes(notes)
    with compiling():
        for each in chosen:
            each.prepare(body).warm_up()
    with progress(name) as tell:
        measured = it.run(**arguments, progress=tell)
    report = {"bench": name, "quick": quick} | it.report(measured) | {"machine": machine()}
    if output is not None:
        folder = Path(output)
        save_report(report, folder / (it.json_name or f"{name}.json"))
        try:
            for path in it.files(measured, folder, arguments) if it.files else ():
                say(f"wrote {path}")
        except MissingExtra as error:
            say(f"note: no pictures: {error}")
    return Answer(report, lambda: _show(it, report))


def _show(it: Experiment, report: dict[str, Any]) -> None:
    from ..bench.experiment import Facts

    for shown in it.show(report):
        if isinstance(shown, Facts):
            show_facts(shown.title, shown.pairs)
        else:
            cells = [[column.cell(row) for column in shown.columns] for row in shown.rows]
            show_table(shown.title, [column.title for column in shown.columns], cells)
    machine = report["machine"]
    words = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"
    show_facts(None, [("machine", words)])
