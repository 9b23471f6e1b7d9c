"""`sixpoint bench`: measurements that anyone can repeat, one file for each (`bench_NAME.py`)."""

from __future__ import annotations

import click

from .bench_chains import command as chains
from .bench_energy import command as energy
from .bench_limits import command as limits
from .bench_particles import command as particles
from .bench_prior import command as prior
from .bench_speed import command as speed
from .bench_table1 import command as table1
from .bench_vision import command as vision


@click.group("bench")
def command() -> None:
    """Measure solvers on this machine, in numbers that anyone can repeat."""


command.add_command(speed)
command.add_command(table1)
command.add_command(chains)
command.add_command(limits)
command.add_command(energy)
command.add_command(particles)
command.add_command(vision)
command.add_command(prior)
