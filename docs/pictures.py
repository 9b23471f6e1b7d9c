"""Make every picture of the documentation: ``python docs/pictures.py [NAME...]``.

Everything is drawn by the package from its own built-in figure and clips, so the pictures show what
the code does and not what it should do. The same code gives the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from drawing import estimate
from drawing.balance import box_carried, far_reach, reach, stories
from drawing.boundary import boundaries, shoulder
from drawing.choosing import choosing
from drawing.clips import order, strip, swivel
from drawing.elbow import elbow
from drawing.guided import guided, guided_worst, prior_curves
from drawing.jacobian import jacobian, pik
from drawing.kma import kma
from drawing.limb import clavicle, limb
from drawing.particles import arm, chain, hand, person, qutem, success, times, weights
from drawing.spine import spine
from drawing.spring_people import springs_express, springs_people
from drawing.springs import (
    springs,
    springs_limits,
    springs_map,
    springs_solvers,
    springs_weights,
)
from drawing.stance import measures, stance
from drawing.sweeps import ccd, fabrik
from drawing.tgbsik import tgbsik
from drawing.trunk import flip, pelvis, yaws
from drawing.vision import crossing, jitter, one_stage, stage

from sixpoint.vision.debug import STAGES

FOLDER = Path(__file__).parent / "_pictures"
LARGEST = 150_000
"""No picture is larger than this [bytes]."""

PICTURES: dict[str, Callable[[Path], None]] = {
    "stance": stance,
    "measures": measures,
    "clip_reach": strip("reach", (0.3, 1.2, 1.9, 2.6, 3.2, 4.8, 5.8)),
    "contact_sheet": strip("boxing", (0.3, 0.9, 1.85, 2.6, 3.2, 4.6, 6.2)),
    "order": order,
    "pelvis": pelvis,
    "yaws": yaws,
    "flip": flip,
    "spine": spine,
    "clavicle": clavicle,
    "limb": limb,
    "swivel": swivel,
    "elbow": elbow,
    "shoulder": shoulder,
    "guided": guided,
    "guided_worst": guided_worst,
    "prior_curves": prior_curves,
    "kma": kma,
    "tgbsik": tgbsik,
    "ccd": ccd,
    "fabrik": fabrik,
    "jacobian": jacobian,
    "pik": pik,
    "choosing": choosing,
    "boundaries": boundaries,
    "estimate_cloud": estimate.cloud,
    "estimate_unwrapping": estimate.unwrapping,
    "estimate_boundary": estimate.boundary,
    "estimate_motions": estimate.motions,
    "estimate_solve": estimate.with_and_without,
    "springs": springs,
    "springs_limits": springs_limits,
    "springs_solvers": springs_solvers,
    "springs_weights": springs_weights,
    "springs_map": springs_map,
    "springs_people": springs_people,
    "springs_express": springs_express,
    "qutem": qutem,
    "particles_arm": arm,
    "particles_weights": weights,
    "particles_chain": chain,
    "particles_success": success,
    "particles_times": times,
    "particles_person": person,
    "particles_hand": hand,
    "stage": stage,
    **{f"vision_{name}": one_stage(name) for name in STAGES},
    "vision_jitter": jitter,
    "crossing": crossing,
    "far_reach": far_reach,
    "box_carried": box_carried,
    "collision_stories": stories,
    "reach": reach,
}
"""Name of the file, without its ending -> what draws it."""


def main(names: Sequence[str]) -> int:
    """Draw the named pictures, or all."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or PICTURES:
        path = FOLDER / f"{name}.png"
        PICTURES[name](path)
        size = path.stat().st_size
        sys.stdout.write(f"{path.name:<24} {size / 1000:6.1f} kB\n")
        if size > LARGEST:
            sys.stderr.write(f"{path.name} is larger than {LARGEST / 1000:.0f} kB\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
