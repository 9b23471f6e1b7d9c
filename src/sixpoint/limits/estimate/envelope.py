"""The envelope of many people moving: ranges of motion by role, from their clips.

A single glitch of a recording must not decide how far a knee bends. For every person an angle
counts if it was held for some time in all; of all people the angle counts that a few of them
reached. A region of the spine gets the range of its joints times their number, so that a
skeleton with as many joints there may do what each of them did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.arrays import as_vec
from ...kernels.types import Floats
from ...motion.motion import Motion
from ..adult import FRAMES, LIMBS, SPINE
from ..base import JointLimit
from ..by_role import RoleLimits
from ..models import FlexionLimit, SwingTwistLimit
from .estimate import LEAST_SWING
from .fit import BACKWARDS, SECTORS, hinge_angles, swing_angles

PARTS = tuple(part for part in LIMBS if part != "clavicle")
"""Limbs whose ranges are estimated: clavicles were not measured in most recordings."""
X_AXIS = np.array([1.0, 0.0, 0.0])
"""Elbows and knees bend about it."""


@dataclass(frozen=True, kw_only=True)
class EnvelopeRules:
    """What counts as a motion that people make."""

    people: int = 3
    """An angle counts if so many people reached it."""
    seconds: float = 0.3
    """A person reached an angle if it was held, in all clips together, for so long [s]."""
    margin: float = float(np.radians(5.0))
    """Added to every range [rad]; a region of the spine gets it once, not for every joint."""

    def __post_init__(self) -> None:
        if self.people < 1:
            raise InputError(f"Expected `people` to be 1 or more, got {self.people}.")
        if not self.seconds >= 0.0:
            raise InputError(f"Expected `seconds` of 0 or more, got {self.seconds}.")
        if not 0.0 <= self.margin <= np.pi:
            raise InputError(
                f"Expected `margin` from 0 to 180 degrees, got {np.degrees(self.margin):g}."
            )


def envelope(
    subjects: Mapping[str, Sequence[Motion]],
    rules: EnvelopeRules | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> RoleLimits:
    """Return the ranges within which people moved.

    Args:
        subjects: name of each person -> clips, all of one rate.
        rules: what counts.
        provenance: kept with the ranges.

    Raises:
        InputError: there are fewer people than have to agree.
    """
    rules = rules or EnvelopeRules()
    if len(subjects) < rules.people:
        raise InputError(f"Expected {rules.people} people or more, got {len(subjects)}.")
    people = [person_ranges(motions, rules.seconds) for motions in subjects.values()]
    roles: dict[str, JointLimit] = {}
    for role in (*(f"l_{part}" for part in PARTS), *SPINE):
        found = [ranges[role] for ranges in people if role in ranges]
        if len(found) < rules.people:
            continue
        # Every range is "not less than": the greatest of all but the boldest people counts.
        common = np.sort(np.stack(found), axis=0)[-rules.people]
        roles[role] = _limit(role, common + rules.margin)
    return RoleLimits(roles, provenance or {})


def person_ranges(motions: Sequence[Motion], seconds: float) -> dict[str, Floats]:
    """Return how far a person went by role: sides are taken together, mirrored.

    Returns:
        Role -> angles [rad]: -low and high of a hinge, shape (2,); for a ball the amplitude in each
        sector of swing, then -low and high of the twist, shape (SECTORS + 2,).
    """
    anatomy = motions[0].skeleton.anatomy
    by_role: dict[str, list[tuple[int, bool]]] = {}
    for part in PARTS:
        by_role[f"l_{part}"] = [(anatomy.node(f"{s}_{part}"), s == "r") for s in "lr"]
    for joint in (*anatomy.colocated[-1:], *anatomy.spine, anatomy.node("head")):
        if joint < anatomy.skeleton.joint_count:
            region = "lumbar" if joint in anatomy.colocated else anatomy.region(joint)
            by_role.setdefault(region, []).append((joint, False))
    rotations = [m.skeleton.anatomy.to_anatomical(m.rotations) for m in motions]
    held = max(1, round(seconds * motions[0].rate))
    out: dict[str, Floats] = {}
    for role, joints in by_role.items():
        ranges = []
        for joint, mirrored in joints:
            turned = arrays.normalize(np.concatenate([q[:, joint] for q in rotations]))
            if mirrored:
                turned = turned * (1.0, 1.0, -1.0, -1.0)
            ranges.append(_reached(role, turned, held))
        shared = len(joints) if role in SPINE else 1
        out[role] = shared * np.max(ranges, axis=0)
    return out


def _reached(role: str, turned: Floats, held: int) -> Floats:
    """Return the angles that a joint reached in `held` of its frames (n, 4) at least."""
    if role[2:] in ("elbow", "knee"):
        angle, _ = hinge_angles(turned, X_AXIS)
        return np.array([_top(-angle, held), _top(angle, held)])
    frame = np.array(FRAMES[_kind(role)])[:, None]
    theta, psi, tau = (values[:, 0] for values in swing_angles(turned[:, None], frame))
    sector = np.floor((theta + np.pi) * (SECTORS / (2.0 * np.pi))).astype(np.int64) % SECTORS
    swing = [_top(psi[sector == k], held) for k in range(SECTORS)]
    tau = tau[psi < BACKWARDS]
    return np.array([*swing, _top(-tau, held), _top(tau, held)])


def _top(angles: Floats, held: int) -> float:
    """Return the angle that `held` of the samples reach or exceed; 0 if there are fewer."""
    if len(angles) < held:
        return 0.0
    return float(np.partition(angles, len(angles) - held)[len(angles) - held])


def _kind(role: str) -> str:
    """Return the kind of bone of a role: a key of `FRAMES`, or "hinge"."""
    return SPINE[role].bone if role in SPINE else LIMBS[role[2:]].bone


def _limit(role: str, reached: Floats) -> JointLimit:
    """Return the limit for angles as `person_ranges` gives them."""
    if _kind(role) == "hinge":
        low, high = _outwards(-reached[0], reached[1])
        # How straight a limb gets depends on how a skeleton was calibrated: adults' end holds.
        if LIMBS[role[2:]].values[0] == 0.0:
            return FlexionLimit.degrees(0.0, high)
        return FlexionLimit.degrees(low, 0.0)
    swing = reached[:SECTORS]
    # A monotone spline stays above the lower of two neighbouring knots, so a knot must be as high
    # as both sectors that meet there.
    knots = np.clip(np.maximum(swing, np.roll(swing, 1)), LEAST_SWING, np.pi)
    # The spine is its own mirror image; the boundary of sectors k and -k is the same.
    if role in SPINE:
        knots = np.maximum(knots, np.roll(knots[::-1], 1))
        reached = np.array([*swing, *np.repeat(reached[SECTORS:].max(), 2)])
    low, high = _outwards(max(-reached[-2], -np.pi), min(reached[-1], np.pi))
    thetas = np.linspace(-180.0, 180.0, SECTORS + 1)
    amplitudes = np.minimum(np.ceil(np.degrees([*knots, knots[0]]) * 10.0) / 10.0, 180.0)
    bone, e1, e2 = map(as_vec, np.array(FRAMES[_kind(role)]))
    boundary = list(zip(thetas.tolist(), amplitudes.tolist(), strict=True))
    return SwingTwistLimit.degrees(bone, e1, e2, boundary, (low, high), "pchip")


def _outwards(low: float, high: float) -> tuple[float, float]:
    """Return angles in tenths of degrees, rounded away from each other."""
    low, high = 0.1 * np.floor(10.0 * np.degrees(low)), 0.1 * np.ceil(10.0 * np.degrees(high))
    return round(float(low), 1), round(float(high), 1)
