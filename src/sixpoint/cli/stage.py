"""`sixpoint stage`: a synthetic scene as files, to try capture with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import progress, show_facts
from .options import Answer, json_option, wrong_call


@click.command("stage")
@click.option("-o", "--output", default="stage", show_default=True, metavar="DIR",
              help="Made if new.")  # fmt: skip
@click.option("--scene", "name", default="gestures", show_default=True,
              help="calibration, gestures, crossing, clap, rest, face, box, lean, far_reach."
              )  # fmt: skip
@click.option("--noise", type=click.FloatRange(0.0, 100.0), default=0.0, show_default=True,
              help="Standard deviation of each pixel, of 255.")  # fmt: skip
@click.option("--dimming", type=click.FloatRange(0.0, 0.95), default=0.0, show_default=True,
              help="How far the light goes down and up again, as a part.")  # fmt: skip
@click.option("--obstacle", nargs=3, type=float, metavar="X Y Z",
              help="Middle of a dark thing, 20 cm high, that hides what is behind it, in metres."
              )  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=2006, show_default=True,
              help="Of the noise.")  # fmt: skip
@click.option("--height", type=click.FloatRange(min=0.5, max=2.6), default=1.75, show_default=True,
              metavar="METRES", help="How tall the person is.")  # fmt: skip
@click.option("--distance", type=click.FloatRange(min=0.5, max=20.0), default=2.0,
              show_default=True, metavar="METRES", help="Of the cameras from them.")  # fmt: skip
@click.option("--baseline", type=click.FloatRange(min=0.01, max=10.0), default=0.8,
              show_default=True, metavar="METRES", help="Between the cameras.")  # fmt: skip
@click.option("--frames", type=click.IntRange(1), metavar="N", help="No more than so many.")
@json_option
def command(output: str, name: str, height: float, **given: Any) -> Answer:
    """Play a synthetic scene before two calibrated cameras of 320 x 240.

    Writes left/ and right/ (pictures), cameras.json, marks.json and truth.npz.
    """
    from ..formats import save_points
    from ..vision.synthetic import write_room
    from ..vision.synthetic.room import Actor, Conditions, Room, room_cameras
    from ..vision.synthetic.scenes import scene

    with wrong_call():
        motion = scene(name, height).frames(slice(0, given["frames"]))
        conditions = Conditions(
            **{key: given[key] for key in ("noise", "dimming", "obstacle", "seed")}
        )
    cameras = room_cameras(distance=given["distance"], baseline=given["baseline"])
    room, folder = Room((Actor(motion),), cameras, conditions), Path(output)
    with progress("stage") as tell:
        truth = write_room(folder, room, height, tell)
    save_points(truth, folder / "truth.npz")
    report = {"output": output, "scene": name, "frames": len(truth), "rate": truth.rate}

    def show() -> None:
        show_facts(f"{name} -> {output}", [("frames", f"{len(truth)} at {truth.rate:g} Hz")])
        click.echo(
            f"Next: sixpoint capture {folder / 'left'} {folder / 'right'} "
            f"--calibration {folder / 'cameras.json'} -o points.npz"
            + (f" --height {height:g}" if height != 1.75 else "")
        )

    return Answer(report, show)
