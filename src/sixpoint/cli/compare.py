"""`sixpoint compare`: the papers' metrics for two motions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from .console import say_notes, show_facts, show_table
from .options import Answer, Reading, file_options, json_option, role_option

if TYPE_CHECKING:
    from ..motion.comparison import Comparison


@click.command("compare")
@click.argument("original")
@click.argument("reconstructed")
@file_options
@role_option
@json_option
def command(original: str, reconstructed: str, reading: Reading) -> Answer:
    """Measure RECONSTRUCTED against ORIGINAL: same joints, frame by frame.

    Positions are divided by body height; orientations are in radians.
    """
    from ..motion.metrics import compare

    first, second = reading.load(original), reading.load(reconstructed)
    found = compare(second, first)
    return Answer(found.as_dict(), lambda: _show(found))


def _show(found: Comparison) -> None:
    def errors(name: str) -> list[str]:
        keys = (f"{name}_rms", f"{name}_mean", f"{name}_rms_inner")
        return [_number(getattr(found, key)) for key in keys]

    show_table(
        f"{found.frames} frames at {found.rate:g} Hz, body height {found.height:.3f} m",
        ("error", "RMS", "mean", "without wrists, ankles", "unit"),
        [
            ("position", *errors("position"), "body height"),
            ("orientation", *errors("orientation"), "rad"),
        ],
    )
    show_table(
        None,
        ("role", "position [mm]", "orientation [rad]"),
        [
            (role, _number(1e3 * error.position, 1), _number(error.orientation, 3))
            for role, error in found.roles.items()
        ],
    )
    swivels = ", ".join(f"{limb} {_number(angle, 3)}" for limb, angle in found.swivel.items())
    steps = f"{found.steps_over_30deg} (original {found.steps_over_30deg_original})"
    show_facts(
        None,
        [
            ("swivel error [rad]", swivels),
            ("jitter", f"{_number(found.jitter_ratio, 2)} times the original's"),
            ("foot skate", f"{_number(100.0 * found.foot_skate, 1)} cm/s"),
            ("jumps over 30 degrees", steps),
        ],
    )
    say_notes(found.warnings)


def _number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"
