"""How people usually hold themselves: what judges poses while a subject is fitted.

`usual_poses.npz` holds statistics of the parameters of `sixpoint.subjects.parts` over 68 people of
the CMU motion capture database (mocap.cs.cmu.edu); subjects 2, 14, 49, 61, 86, 118 and 135 are not
among them. People differ in their habits, and one person's poses differ from each other: the two
are separate covariances, between recordings of half a minute and within them. Left and right are
mirror images. `python docs/measure.py poses FOLDER` makes it anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion
from .adjust import PosePrior
from .parts import FIRST_LIMB, LIMBS, OF_LIMB, PARAMETERS, Parts

FILE = "usual_poses.npz"
TAILS = 8.0
"""Degrees of freedom of the Student distribution of poses: unusual ones are not rare."""
GAUSSIAN = 1e9
"""So many that the distribution is a Gaussian."""
ABDUCTION: Mapping[str, float] = {"t": np.pi / 2, "a": np.pi / 4, "n": 0.0}
"""Stance -> angle of the arms from hanging down [rad]."""
HELD = np.radians(3.0)
"""How precisely people hold a stance: standard deviation of each joint about each axis [rad]."""
RECORDING = 30.0
"""Length of a recording that has a habit of its own [s]."""
FEWEST_FRAMES = 40
"""Shorter recordings have none."""
MIRROR = np.array([1.0, -1.0, -1.0])
"""Signs of a rotation vector seen in the mirror."""


@dataclass(frozen=True, eq=False)
class UsualPoses:
    """Statistics of recorded people."""

    usual: Mapping[str, Floats]
    """Role -> usual rotation relative to the parent, shape (4,)."""
    mean: Floats
    """Parameters and tilt of the pelvis, shape (P + 2,)."""
    between: Floats
    """Covariance of the means of recordings, shape (P + 2, P + 2)."""
    within: Floats
    """Covariance about the mean of a recording, shape (P + 2, P + 2)."""

    def prior(self) -> PosePrior:
        """Return the prior of poses in free motion."""
        whitener = np.linalg.inv(np.linalg.cholesky(self.within))
        return PosePrior(self.mean, whitener, follows_habit=1.0, tails=TAILS)


@cache
def usual_poses() -> UsualPoses:
    """Return the built-in statistics."""
    with resources.files(__package__).joinpath(FILE).open("rb") as file:
        held = dict(np.load(file, allow_pickle=False))
    usual = {name: held[name] for name in held if name[1] == "_"}
    return UsualPoses(usual, held["mean"], held["between"], held["within"])


def stance_rotations(parts: Parts, stance: str) -> Floats:
    """Return the world rotations of all nodes in a stance that faces +Z, shape (K, 4)."""
    rotations = arrays.identity(len(parts.parents))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        raised = arrays.from_axis_angle((0.0, 0.0, 1.0), sign * ABDUCTION[stance])
        for joint in ("shoulder", "elbow", "wrist"):
            rotations[parts.roles[f"{side}_{joint}"]] = raised
    return rotations


def stance_prior(parts: Parts, stance: str) -> PosePrior:
    """Return the prior of somebody who was asked to hold a stance."""
    mean = np.append(parts.parameters(stance_rotations(parts, stance)), [0.0, 0.0])
    return PosePrior(mean, np.eye(len(mean)) / HELD, follows_habit=0.0, tails=GAUSSIAN)


def measure_poses(people: Iterable[Sequence[Motion]], rate: float = 15.0) -> UsualPoses:
    """Return statistics of recorded people, each of whom counts by the root of their recordings.

    Args:
        people: the recordings of each person.
        rate: frames a second of the recordings [Hz].
    """
    held = [
        (_piece_rotations(motion, part), 1.0 / np.sqrt(len(pieces)))
        for motions in people
        for pieces in [list(_pieces(motions, round(RECORDING * rate)))]
        for motion, part in pieces
    ]
    usual: dict[str, Floats] = {}
    for joint, above in (("shoulder", "chest"), ("wrist", "elbow"), ("hip", "pelvis"),
                         ("ankle", "knee")):  # fmt: skip
        scatter = np.zeros((4, 4))
        for side in "lr":
            over = above if above in ("chest", "pelvis") else f"{side}_{above}"
            for turned, weight in held:
                relative = arrays.multiply(
                    arrays.conjugate(turned[over]), turned[f"{side}_{joint}"]
                )
                relative = relative * (1.0 if side == "l" else np.array([1.0, 1.0, -1.0, -1.0]))
                scatter += weight / len(relative) * relative.T @ relative
        mean = arrays.canonical(np.linalg.eigh(scatter)[1][:, -1])
        usual |= {f"l_{joint}": mean, f"r_{joint}": mean * (1.0, 1.0, -1.0, -1.0)}
    body = Parts.of(Skeleton.humanoid(), usual)
    means, weights, within = [], [], np.zeros((PARAMETERS + 2, PARAMETERS + 2))
    for turned, weight in held:
        poses = _poses(body, turned)
        for each in (
            poses,
            np.concatenate([mirrored(poses[:, :-2]), poses[:, -2:] * (-1.0, 1.0)], 1),
        ):
            means.append(each.mean(axis=0))
            weights.append(weight)
            within += weight * np.cov(each.T, bias=True)
    mean = np.average(means, axis=0, weights=weights)
    between = np.cov(np.transpose(means), aweights=weights)
    return UsualPoses(usual, mean, between, within / np.sum(weights))


def _pieces(motions: Sequence[Motion], size: int) -> Iterator[tuple[Motion, slice]]:
    """Yield recordings of half a minute, without the ends that are too short to have a habit."""
    for motion in motions:
        for start in range(0, len(motion), size):
            if len(motion) - start >= FEWEST_FRAMES:
                yield motion, slice(start, start + size)


def _piece_rotations(motion: Motion, frames: slice) -> dict[str, Floats]:
    """Return role -> world anatomical rotations (F, 4), the chest among them."""
    body = Parts.of(motion.skeleton, {})
    turned = body.world_rotations(motion.skeleton, motion.world(frames)[1])
    return {role: turned[:, node] for role, node in body.roles.items()}


def _poses(body: Parts, turned: Mapping[str, Floats]) -> Floats:
    """Return parameters and tilt of the pelvis, shape (F, P + 2)."""
    frames = len(turned["pelvis"])
    rotations = arrays.identity(frames, len(body.parents))
    for role, node in body.roles.items():
        rotations[:, node] = turned.get(role, rotations[:, node])
    tilt = arrays.rotate(arrays.conjugate(turned["pelvis"]), np.array([0.0, 1.0, 0.0]))
    return np.concatenate([body.parameters(rotations), tilt[:, [0, 2]]], axis=1)


def mirrored(pose: Floats) -> Floats:
    """Return poses (..., P) with left and right exchanged."""
    trunk = (pose[..., :FIRST_LIMB].reshape(*pose.shape[:-1], 2, 3) * MIRROR).reshape(
        *pose.shape[:-1], FIRST_LIMB
    )
    limbs = pose[..., FIRST_LIMB:].reshape(*pose.shape[:-1], len(LIMBS), OF_LIMB)
    limbs = limbs[..., [1, 0, 3, 2], :].copy()
    limbs[..., 0:3] *= MIRROR
    limbs[..., 4:7] *= MIRROR
    return np.concatenate([trunk, limbs.reshape(*pose.shape[:-1], -1)], axis=-1)
