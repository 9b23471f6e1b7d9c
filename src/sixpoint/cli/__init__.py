"""The command `sixpoint`: its subcommands by subject, imported when they are called.

`sixpoint --help` takes its lines from the table below and imports none of them.
"""

from __future__ import annotations

import errno
import importlib
from collections.abc import Mapping
from typing import Any

import click

COMMANDS = {
    "demo": "Reconstruct the built-in clip and write pictures, files and a page.",
    "info": "What is in a file: joints, roles, frames, rate, height, problems.",
    "reconstruct": "Full-body motion from tracked points, an array of joints, or a motion.",
    "fit": "Who was tracked: bone lengths and mounts of trackers from their points.",
    "capture": "Tracked points from two cameras, or from keypoints in several views.",
    "calibrate": "Where two cameras stand, from pictures of a board.",
    "stage": "Play a synthetic scene before two cameras, to try capture with.",
    "reach": "What a body can reach from where it stands: a map of space.",
    "compare": "How far a reconstruction is from the original.",
    "limits": "Joint types and limits from clips of one rig.",
    "layouts": "Orders of joints in arrays that can be read.",
    "render": "Look at motions: contact sheet, animation or 3D page.",
    "convert": "Between file formats, units and frame rates.",
    "train": "Fit the prior of the guided solver to one's own clips.",
    "solvers": "The solvers and what they can do.",
    "bench": "Measure solvers on this machine, as their papers did.",
}
"""Subcommand -> its line in the help."""
MODULES = {
    "reconstruct": ("reconstruct", "demo"),
    "files": ("info", "compare", "convert", "layouts"),
    "cameras": ("capture", "calibrate", "stage"),
    "solvers": ("solvers", "bench", "reach"),
    "limits": ("limits",),
    "render": ("render",),
    "train": ("train",),
    "subjects": ("fit",),
}
"""Module -> the subcommands in it, functions of the same names."""


class Failure(click.ClickException):
    """The work failed: one message, exit status 1."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """Print to standard error."""
        click.echo(f"sixpoint: {self.message}", err=True)


class LazyGroup(click.Group):
    """Subcommands that are imported when they are called, in the order of a table."""

    lines: Mapping[str, str]
    """Subcommand -> its line in the help."""

    def load(self, name: str) -> click.Command:
        """Import a subcommand of the table."""
        raise NotImplementedError

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand; None if it is not in the table."""
        return self.load(cmd_name) if cmd_name in self.lines else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))


class Commands(LazyGroup):
    """The subcommands of `sixpoint`, and errors that are messages, not tracebacks."""

    lines = COMMANDS

    def load(self, name: str) -> click.Command:
        """Import the module of a subcommand."""
        module = next(module for module, names in MODULES.items() if name in names)
        command: click.Command = getattr(importlib.import_module(f".{module}", __name__), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand; what it raises on purpose becomes one line on standard error."""
        from ..errors import SixpointError

        try:
            return super().invoke(ctx)
        except SixpointError as error:
            raise Failure(str(error)) from error
        except MemoryError as error:
            raise Failure("not enough memory for this input") from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of our output left: click knows what to do
                raise
            place = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{place}{error.strerror or error}") from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sixpoint", message="%(prog)s %(version)s")
def main() -> None:
    """Full-body human motion from a few tracked points, in real time.

    Start with `sixpoint demo`.
    """
