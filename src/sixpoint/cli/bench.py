"""`sixpoint bench`: measurements that anyone can repeat, one file for each (`bench_NAME.py`)."""

from __future__ import annotations

import click

from .bench_chains import command as chains
from .bench_prior import command as prior
from .bench_speed import command as speed
from .bench_table1 import command as table1


@click.group("bench")
def command() -> None:
    """Measure solvers on this machine, in numbers that anyone can repeat."""


command.add_command(speed)
command.add_command(table1)
command.add_command(chains)
command.add_command(prior)
