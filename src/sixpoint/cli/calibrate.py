"""`sixpoint calibrate`: two cameras from pictures of a board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import show_facts
from .options import Answer, check_output, json_option, wrong_call


@click.command("calibrate")
@click.argument("left", metavar="LEFT")
@click.argument("right", metavar="RIGHT")
@click.option("-o", "--output", required=True, metavar="FILE", help="Calibration to write (.json).")
@click.option("--board", default="9x6", show_default=True, metavar="COLUMNSxROWS",
              help="Inner corners of the board.")  # fmt: skip
@click.option("--square", type=float, default=0.03, show_default=True, metavar="METRES",
              help="Side of a square.")  # fmt: skip
@click.option("--marker", type=float, metavar="METRES",
              help="Side of a marker, for a ChArUco board (4X4_50).")  # fmt: skip
@click.option("--origin", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="The pair in which the board stands upright: what the world is.")  # fmt: skip
@click.option("--above-ground", type=float, default=0.0, show_default=True, metavar="METRES",
              help="Height of its first corner then.")  # fmt: skip
@json_option
def command(left: str, right: str, output: str, **given: Any) -> Answer:
    """Where two cameras stand, from pictures of a chessboard or a ChArUco board.

    LEFT and RIGHT are folders or videos that show the board at the same moments, ten poses or more.
    In one of them it stands upright and faces the cameras, as a person would. Its squares must be
    large in the pictures: 12 cm two metres before cameras of 320 x 240.

    \b
    sixpoint calibrate left/ right/ --board 8x5 --square 0.12 --above-ground 1.2 -o cameras.json
    """  # noqa: D301  (click wants the backspace itself)
    from ..vision.calibration import Board, calibrate_pair, save_cameras
    from ..vision.images import open_footage, read_together

    check_output(output, (".json",))
    try:
        columns, rows = (int(part) for part in given["board"].lower().split("x"))
    except ValueError:
        raise click.BadParameter(
            f"expected COLUMNSxROWS such as 9x6, got {given['board']!r}", param_hint="--board"
        ) from None
    with wrong_call():
        chosen = Board(columns, rows, given["square"], given["marker"])
    sources = [open_footage(left), open_footage(right)]
    if any(source.kind == "camera" for source in sources):
        raise click.UsageError("Expected folders of pictures or videos, not running cameras.")
    pairs = list(read_together(sources))
    found = calibrate_pair(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        chosen,
        origin=given["origin"],
        height=given["above_ground"],
    )
    save_cameras(found.cameras, output)
    focal = [float(camera.matrix[0, 0]) for camera in found.cameras]
    report = {
        "output": output,
        "pairs": len(pairs),
        "used": found.views,
        "error_px": found.error,
        "baseline_m": found.baseline,
        "focal_px": focal,
    }
    title = f"{Path(left).name} + {Path(right).name} -> {output}"
    listed = ", ".join(f"{value:.1f}" for value in focal)
    facts = [
        ("pairs used", f"{found.views} of {len(pairs)}"),
        ("error", f"{found.error:.2f} pixels RMS"),
        ("cameras", f"{found.baseline:.3f} m apart, focal lengths {listed} px"),
    ]
    return Answer(report, lambda: show_facts(title, facts))
