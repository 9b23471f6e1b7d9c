"""The page of commands, from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import click
from grid import rows

from sixpoint.cli import COMMANDS, main


def commands() -> str:
    """Every command with its arguments and options."""
    context = click.Context(main, info_name="sixpoint")
    return "\n\n".join(
        _command(words, command)
        for name in COMMANDS
        for words, command in _with_parts(name, main.get_command(context, name))
    )


def _with_parts(name: str, command: click.Command | None) -> list[tuple[str, click.Command]]:
    """A command, or those below it."""
    assert command is not None
    if isinstance(command, click.Group):
        return [(f"{name} {part}", below) for part, below in command.commands.items()]
    return [(name, command)]


def _command(name: str, command: click.Command) -> str:
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option)]
    needed = [f"{o.opts[0]} {_value(o)}" for o in options if o.required]
    usage = " ".join(["sixpoint", name, *(_metavar(a) for a in arguments), *needed, "[OPTIONS]"])
    parts = [f"## {name}", f"```text\n{usage}\n```"]
    for paragraph in (command.help or "").split("\n\n"):
        text = inspect.cleandoc(paragraph)
        if text.startswith("\b"):  # click's mark for lines that stay as they are
            lines = "\n".join(f"$ {line.strip()}" for line in text.splitlines()[1:])
            parts.append(f"```console\n{lines}\n```")
        elif text:
            parts.append(" ".join(text.split()))
    if command.epilog:
        parts.append(" ".join(command.epilog.split()).replace("\b", ""))
    table = [(_names(option), _help(option)) for option in options]
    return "\n\n".join([*parts, rows(("option", "meaning"), table)])


def _metavar(argument: click.Argument) -> str:
    if isinstance(argument.type, click.Choice):
        return "|".join(argument.type.choices)
    return argument.metavar or (argument.name or "").upper()


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(option.type.choices)
    return "N" if isinstance(option.type, (click.IntRange, click.FloatRange)) else "NAME"


def _names(option: click.Option) -> str:
    value = _value(option)
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    return f"{names} `{value}`" if value else names


def _help(option: click.Option) -> str:
    text = option.help or ""
    if option.multiple and "repeat" not in text:
        text += " May be repeated."
    if option.required:
        text += " Required."
    if option.show_default and not option.is_flag:
        text += f" Default: `{option.default}`."
    return text.strip()


TABLES: dict[str, Callable[[], str]] = {"commands": commands}
"""Name in the mark -> what makes the table."""
