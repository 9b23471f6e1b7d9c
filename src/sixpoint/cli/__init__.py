"""The command `sixpoint`: one file for each subcommand, imported when it is called.

`sixpoint --help` takes its lines from the table below and imports none of them.
"""

from __future__ import annotations

import errno
import importlib
from typing import Any

import click

COMMANDS = {
    "demo": "Reconstruct the built-in clip and write pictures, files and a page.",
    "info": "What is in a file: joints, roles, frames, rate, height, problems.",
    "reconstruct": "Full-body motion from the six points of a motion or a points file.",
    "capture": "Tracked points from two cameras, or from keypoints in several views.",
    "calibrate": "Where two cameras stand, from pictures of a board.",
    "stage": "Play a synthetic scene before two cameras, to try capture with.",
    "reach": "What a body can reach from where it stands: a map of space.",
    "compare": "How far a reconstruction is from the original.",
    "limits": "Joint types and limits from clips of one rig.",
    "render": "Look at motions: contact sheet, animation or 3D page.",
    "convert": "Between file formats, units and frame rates.",
    "train": "Fit the prior of the guided solver to one's own clips.",
    "solvers": "The solvers and what they can do.",
    "bench": "Measure solvers on this machine, as their papers did.",
}
"""Subcommand -> its line in the help. The module of the same name holds `command`."""


class Failure(click.ClickException):
    """The work failed: one message, exit status 1."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """Print to standard error."""
        click.echo(f"sixpoint: {self.message}", err=True)


class Commands(click.Group):
    """Subcommands that are imported on demand, and errors that are messages, not tracebacks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one subcommand."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f".{cmd_name}", __name__).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

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
