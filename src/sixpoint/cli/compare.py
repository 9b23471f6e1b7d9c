"""`sixpoint compare`: the papers' metrics for two motions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from .console import emit, say, show_facts, show_table
from .options import Reading, file_options, json_option, load_motion, role_option

if TYPE_CHECKING:
    from ..motion.comparison import Comparison


@click.command("compare")
@click.argument("original")
@click.argument("reconstructed")
@file_options
@role_option
@json_option
def command(
    original: str,
    reconstructed: str,
    unit: str,
    up: str,
    frame_rate: float | None,
    roles: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure RECONSTRUCTED against ORIGINAL: same joints, frame by frame.

    Positions are divided by body height; orientations are in radians.
    """
    from ..motion.metrics import compare

    reading = Reading(unit, up, frame_rate, roles)
    first, second = (load_motion(path, reading) for path in (original, reconstructed))
    found = compare(second, first)
    if as_json:
        emit(found.as_dict())
        return
    _show(found)


def _show(found: Comparison) -> None:
    show_table(
        f"{found.frames} frames at {found.rate:g} Hz, body height {found.height:.3f} m",
        ("error", "RMS", "mean", "without wrists, ankles", "unit"),
        [
            (
                "position",
                _number(found.position_rms),
                _number(found.position_mean),
                _number(found.position_rms_inner),
                "body height",
            ),
            (
                "orientation",
                _number(found.orientation_rms),
                _number(found.orientation_mean),
                _number(found.orientation_rms_inner),
                "rad",
            ),
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
    show_facts(
        None,
        [
            (
                "swivel error [rad]",
                ", ".join(f"{k} {_number(v, 3)}" for k, v in found.swivel.items()),
            ),
            ("jitter", f"{_number(found.jitter_ratio, 2)} times the original's"),
            ("foot skate", f"{_number(100.0 * found.foot_skate, 1)} cm/s"),
            (
                "jumps over 30 degrees",
                f"{found.steps_over_30deg} (original {found.steps_over_30deg_original})",
            ),
        ],
    )
    for warning in found.warnings:
        say(f"note: {warning}")


def _number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"
