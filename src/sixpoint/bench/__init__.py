"""Measurements that anyone can repeat: `sixpoint bench`.

Each experiment is one module, named in `EXPERIMENTS`, that ends with an `Experiment`: how it runs,
which tables show its measurements, which files it writes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import UnknownName

if TYPE_CHECKING:
    from .experiment import Experiment

EXPERIMENTS = {
    "speed": "How fast a solver is here: streamed, clip by clip, on several threads.",
    "table1": "Compare all solvers as Table 1 of the Sequential IK paper does.",
    "chains": "How well solvers reach with chains of ball joints.",
    "arm": "How well solvers reach places with rotations on a six-joint arm.",
    "limits": "How well joint types and limits are estimated, and whether they help.",
    "energy": "Mass-spring IK: the paper's Table 1 beside ours.",
    "particles": "How well and how fast the particle filter solves.",
    "vision": "Measure vision and the two solvers that were published with it.",
    "layouts": "Arrays of joints in every layout: read back and reconstructed.",
    "subjects": "How well mounts of trackers and bone lengths are fitted.",
    "noise": "Noise, drop-outs and stray samples of points, and what cleaning makes of them.",
    "recorded": "Limits of adults against those within which recorded people moved.",
    "balance": "Whether bodies in balance come to rest, and strict levels hold.",
    "prior": "Sequential IK with and without a prior, on clips and under stress.",
}
"""Name -> its line in the help. The module of the same name holds `EXPERIMENT`."""


def find_experiment(name: str) -> Experiment:
    """Return the experiment of that name, importing its module."""
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS)
    found: Experiment = import_module(f".{name}", __name__).EXPERIMENT
    return found
