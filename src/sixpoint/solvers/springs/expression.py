"""Expressive motion between key poses: speed, acceleration, power, amplitude, swivel, tension.

Huang and Pelachaud 2012 pose a figure first and then shape its movement by "speed and acceleration,
tension and amplitude", and let the energy of the arm's springs move shoulders and torso; they leave
the formulas to another paper. These are ours. Between two key poses every joint moves like a mass
on a spring that was let go: its stiffness is the *tension*, what its damping lacks is the *power*,
by which it overshoots. *Amplitude* moves the hands at the keys away from where they hang; the arms
reach there by mass-spring IK; *swivel* turns elbows about the line to the hand (Fig. 7). What
amplitude asks of the springs of an arm,

    E = 1/2 sum k (|d| - l)^2

over the most that it can be, recruits the clavicle and the torso.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Annotated

import numpy as np

from ...body.anatomy import Anatomy
from ...body.skeleton import Skeleton
from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Floats, Ints
from ...limits import Limits
from ...motion.motion import Motion
from ..problem import LimitsChoice, resolve_limits
from ..settings import Fraction, Interval, check_settings
from .batch import solve_batch
from .methods import SpringPositionSolver
from .relaxation import START_CLAMP

SPACING = 0.5
"""Time between key poses where none are given [s]."""
FREQUENCY = 9.0
"""Of a joint at tension 1, in radians for the time between two keys."""
LEAST_DAMPING = 0.35
"""Damping ratio at full power; without power it is 1 and nothing overshoots."""
TORSO, CLAVICLE = math.radians(25.0), math.radians(15.0)
"""Most that the torso, for both hands together, and a clavicle turn towards a hand's goal [rad],
where energy recruits them once."""
BEYOND = 1e-6
"""A joint that is farther beyond its limit in a key pose than this is meant to be there [rad]."""
SWIVEL_TRIES = 20
"""Swivels that are tried, each smaller by this part of the first, where a limit is in the way."""
SAME_POSITION = 1e-6
"""Hands that move by less than this stay [m]."""
Hundredfold = Annotated[float, Interval(0.01, 100.0)]
"""A hundred times slower is a hundred times as many frames."""


@dataclass(frozen=True, kw_only=True)
class Expression:
    """How a movement is made. The defaults are a calm one."""

    speed: Hundredfold = 1.0
    """How many times as fast, from 0.01 to 100."""
    power: Fraction = 0.0
    """From 0, which eases into every key pose, to 1, which overshoots it."""
    amplitude: Annotated[float, Interval(0.0, 3.0)] = 1.0
    """How far hands go from where they hang, over how far they went, from 0 to 3."""
    acceleration: Hundredfold = 1.0
    """How many times as fast joints start from a key pose, from 0.01 to 100: above 1 they are early
    and take their time to arrive, below 1 they are late and come in fast. Duration and overshoot
    stay."""
    swivel: Annotated[float, Interval(-math.pi, math.pi)] = 0.0
    """How far elbows are lifted about the line from shoulder to hand [rad], within limits: above 0
    outwards and up, below 0 towards the body."""
    tension: Hundredfold = 1.0
    """Stiffness of the movement, from 0.01 to 100: tense joints snap to the next pose and wait."""
    recruit: Annotated[float, Interval(0.0, 10.0)] = 1.0
    """How much the energy of the arms moves clavicles and torso, from 0 to 10. At amplitude 1 hands
    stay where they are, which asks for no energy, and nothing is recruited."""

    def __post_init__(self) -> None:
        check_settings(self)

    @staticmethod
    def parse(text: str) -> Expression:
        """Return the expression that a text such as ``speed=1.5,power=0.6`` describes."""
        known = [field.name for field in fields(Expression)]
        values: dict[str, float] = {}
        for part in text.split(","):
            name, _, number = part.strip().partition("=")
            if name not in known:
                raise InputError(
                    f"Expected NAME=NUMBER with one of {', '.join(known)}; got {part.strip()!r}."
                )
            try:
                values[name] = float(number)
            except ValueError:
                raise InputError(f"Expected a number for `{name}`, got {number!r}.") from None
        return Expression(**values)

    def response(self, u: Floats) -> Floats:
        """Return how far a joint is from one key to the next, at times u in [0, 1].

        The step response of a damped spring, bent so that it arrives at u = 1 and rests there.
        """
        ratio = 1.0 - (1.0 - LEAST_DAMPING) * self.power
        frequency = FREQUENCY * math.sqrt(self.tension)
        end, speed = _step_response(np.array([1.0]), frequency, ratio)
        # The slope of this warp at 0 is the root of the acceleration, at 1 one over it.
        early, u = math.sqrt(self.acceleration), np.asarray(u, dtype=np.float64)
        u = early * u / (1.0 + (early - 1.0) * u)
        progress, _ = _step_response(u, frequency, ratio)
        ease = u * u * (3.0 - 2.0 * u)
        return np.asarray(progress + (1.0 - end[0]) * ease - speed[0] * u * u * (u - 1.0))


def express(
    motion: Motion,
    expression: Expression | None = None,
    *,
    keys: Sequence[int] | None = None,
    limits: LimitsChoice = "adult",
    **shape: float,
) -> Motion:
    """Return the movement through some key poses of a motion, made with another expression.

    Args:
        motion: what the key poses are taken from; frames between them are made anew.
        expression: how the movement is made.
        keys: frames that are key poses, rising; default one every half second.
        limits: that joints keep where they lean, reach and overshoot. Joints that are beyond them
            in a key pose already are left alone.
        **shape: fields of `Expression`, instead of one.
    """
    if expression is not None and shape:
        raise InputError(f"Expected an `expression` or its fields, got {', '.join(shape)} too.")
    if expression is None:
        unknown = set(shape) - {field.name for field in fields(Expression)}
        if unknown:
            raise InputError(f"Expected fields of Expression, got {', '.join(sorted(unknown))}.")
        expression = Expression(**shape)
    at = _key_frames(motion, keys)
    poses = motion.frames(at.tolist())
    if expression.amplitude != 1.0:
        poses = widen(poses, expression, limits=limits)
    if expression.swivel != 0.0:
        poses = swivel_elbows(poses, expression.swivel, limits=limits)
    times = (at - at[0]) / (motion.rate * expression.speed)
    path = _between(poses, times, expression)
    kept = resolve_limits(limits, motion.skeleton)
    beyond = kept.violations(poses).max(axis=0) > BEYOND
    return _project(path, kept, np.flatnonzero(~beyond))


def widen(poses: Motion, expression: Expression, *, limits: LimitsChoice = "adult") -> Motion:
    """Return poses of a person whose hands are `amplitude` times as far from where they hang.

    The arms reach for their goals by mass-spring IK, from where they are; what that asks of their
    springs turns torso and clavicles first.
    """
    skeleton, anatomy = poses.skeleton, poses.skeleton.anatomy
    kept = resolve_limits(limits, skeleton)
    rotations = poses.rotations.copy()
    goals = {side: _goals(poses, side, expression.amplitude) for side in "lr"}
    torso = [joint for joint in anatomy.spine if joint in skeleton.path(anatomy.chest)]
    both, leaning = np.zeros((len(poses), 3)), list(torso)
    for side in "lr":
        efforts = arm_effort(poses, side, goals[side])
        turns = _towards(poses, side, goals[side]) * efforts[:, None]
        both += turns
        if anatomy.has(f"{side}_clavicle"):
            clavicle = anatomy.node(f"{side}_clavicle")
            _lean(poses, rotations, [clavicle], expression.recruit * CLAVICLE * turns)
            leaning.append(clavicle)
    both /= np.maximum(1.0, np.linalg.norm(both, axis=1, keepdims=True))
    _lean(poses, rotations, torso, expression.recruit * TORSO * both / max(1, len(torso)))
    out = replace(poses, rotations=rotations)
    if expression.recruit > 0.0:
        out = _project(out, kept, leaning)
    for side in "lr":
        out = _reach(out, side, goals[side], kept)
    return out


def swivel_elbows(poses: Motion, angle: float, *, limits: LimitsChoice = "adult") -> Motion:
    """Return poses of a person whose elbows are turned about the line from shoulder to hand.

    Hands stay where they are, and keep their rotation in the world.

    Args:
        poses: of a person.
        angle: how far [rad]; above 0 lifts both elbows outwards and up.
        limits: that shoulders keep. An elbow goes as far as they let it without moving the hand.
    """
    anatomy = poses.skeleton.anatomy
    kept = resolve_limits(limits, poses.skeleton)
    allowed = np.maximum(kept.violations(poses), BEYOND)
    for side in "lr":
        wanted = angle if side == "l" else -angle
        joints = [anatomy.node(f"{side}_{role}") for role in ("shoulder", "elbow", "wrist")]
        joints = [joint for joint in joints if joint < poses.skeleton.joint_count]
        found, free = poses, np.ones(len(poses), np.bool_)
        for part in np.linspace(0.0, wanted, SWIVEL_TRIES + 1)[1:]:
            turned = _swivelled(poses, side, part)
            free &= np.asarray(kept.violations(turned) <= allowed)[:, joints].all(axis=1)
            rotations = np.where(free[:, None, None], turned.rotations, found.rotations)
            found = replace(found, rotations=rotations)
        poses = found
    return poses


def _swivelled(poses: Motion, side: str, angle: float) -> Motion:
    """Return poses whose arm is turned about the line from shoulder to hand by an angle [rad]."""
    skeleton = poses.skeleton
    shoulder, _, wrist = _arm(skeleton.anatomy, side)[-3:]
    positions, world = poses.world()
    line = positions[:, wrist] - positions[:, shoulder]
    length = np.linalg.norm(line, axis=1)
    axis = line / np.maximum(length, SAME_POSITION)[:, None]
    turn = arrays.from_rotvec(angle * axis)
    rotations = poses.rotations.copy()
    above = world[:, skeleton.parents[shoulder]]
    turned = arrays.multiply(turn, world[:, shoulder])
    rotations[:, shoulder] = arrays.multiply(arrays.conjugate(above), turned)
    if wrist < skeleton.joint_count:
        carrier = arrays.multiply(turn, world[:, skeleton.parents[wrist]])
        rotations[:, wrist] = arrays.multiply(arrays.conjugate(carrier), world[:, wrist])
    return replace(poses, rotations=rotations)


def arm_effort(poses: Motion, side: str, goals: Floats) -> Floats:
    """Return the energy that goals (F, 3) ask of the springs of an arm, over the most, (F,).

    For goals within reach the energy is that in `Solution.extras`: the hand is put on its goal, no
    farther away than half of the arm with its clavicle is long; only the spring of the forearm is
    stretched by that, before the others share it. The most is where it is stretched by all of that.
    """
    anatomy = poses.skeleton.anatomy
    nodes = _arm(anatomy, side)
    elbow, wrist = nodes[-2:]
    positions = poses.world()[0]
    lengths = [float(np.linalg.norm(anatomy.vector(a, b))) for a, b in pairwise(nodes)]
    most = START_CLAMP * sum(lengths)
    away = goals - positions[:, wrist]
    length = np.linalg.norm(away, axis=1, keepdims=True)
    hand = positions[:, wrist] + away * np.minimum(1.0, most / np.maximum(length, SAME_POSITION))
    over = np.linalg.norm(hand - positions[:, elbow], axis=1) - lengths[-1]
    return np.asarray(np.minimum((over / most) ** 2, 1.0))


def _arm(anatomy: Anatomy, side: str) -> list[int]:
    """Return the nodes of an arm: clavicle where there is one, shoulder, elbow, wrist."""
    roles = ["clavicle"] if anatomy.has(f"{side}_clavicle") else []
    return [anatomy.node(f"{side}_{role}") for role in (*roles, "shoulder", "elbow", "wrist")]


def _goals(poses: Motion, side: str, amplitude: float) -> Floats:
    """Return where a hand shall be: `amplitude` times as far from where it would hang, (F, 3)."""
    anatomy = poses.skeleton.anatomy
    shoulder, _, wrist = _arm(anatomy, side)[-3:]
    chest = anatomy.skeleton.carrier(anatomy.chest)
    positions, world = poses.world()
    turn = arrays.multiply(world[:, chest], arrays.conjugate(anatomy.neutral[chest]))
    hanging = positions[:, shoulder] + arrays.rotate(turn, anatomy.vector(shoulder, wrist))
    return np.asarray(hanging + amplitude * (positions[:, wrist] - hanging))


def _project(motion: Motion, limits: Limits, joints: Sequence[int] | Ints) -> Motion:
    """Return a motion with some joints brought within their limits."""
    rotations = motion.rotations.copy()
    rotations[:, joints] = limits.project(motion).rotations[:, joints]
    return replace(motion, rotations=rotations)


def _towards(poses: Motion, side: str, goals: Floats) -> Floats:
    """Return the unit axis in the world that turns a hand towards its goal, (F, 3)."""
    first, *_, wrist = _arm(poses.skeleton.anatomy, side)
    positions = poses.world()[0]
    axis = np.cross(positions[:, wrist] - positions[:, first], goals - positions[:, first])
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    return np.where(length > SAME_POSITION, axis / np.maximum(length, SAME_POSITION), 0.0)


def _lean(poses: Motion, rotations: Floats, nodes: Sequence[int], turns: Floats) -> None:
    """Turn some joints in the world by rotation vectors (F, 3), in place."""
    world = poses.world()[1]
    for node in nodes:
        if node >= poses.skeleton.joint_count:
            continue
        above = int(poses.skeleton.parents[node])
        frame = world[:, above] if above >= 0 else arrays.identity(len(poses))
        local = arrays.rotate(arrays.conjugate(frame), turns)
        rotations[:, node] = arrays.multiply(arrays.from_rotvec(local), rotations[:, node])


def _reach(poses: Motion, side: str, goals: Floats, limits: Limits) -> Motion:
    """Return poses whose arm reaches its goals."""
    skeleton, anatomy = poses.skeleton, poses.skeleton.anatomy
    nodes = _arm(anatomy, side)
    joints = nodes[:-1]
    names = [skeleton.names[joint] for joint in joints]
    vectors = [anatomy.vector(a, b) for a, b in pairwise(nodes)]
    chain = Skeleton(
        tuple(names),
        np.arange(-1, len(joints) - 1),
        np.array([np.zeros(3), *vectors[:-1]]),
        ("hand",),
        np.array([len(joints) - 1]),
        np.array([vectors[-1]]),
        hinges={names[-1]: (1.0, 0.0, 0.0)},
    )
    kept = Limits({name: limits[name] for name in names if name in limits})
    tracker = SpringPositionSolver(sweeps=60).prepare(chain, limits=kept)
    positions, world = poses.world()
    above = int(skeleton.node_parents[joints[0]])
    turn = arrays.multiply(world[:, above], arrays.conjugate(anatomy.neutral[above]))
    targets = arrays.rotate(arrays.conjugate(turn), goals - positions[:, joints[0]])
    rotations = anatomy.to_anatomical(poses.rotations)
    found = solve_batch(tracker, targets[:, None], start=rotations[:, joints]).rotations
    moved = np.linalg.norm(goals - positions[:, nodes[-1]], axis=1) > SAME_POSITION
    for k, joint in enumerate(joints):
        rotations[moved, joint] = found[moved, k]
    return replace(poses, rotations=anatomy.from_anatomical(rotations))


def _step_response(u: Floats, frequency: float, ratio: float) -> tuple[Floats, Floats]:
    """Return position and speed of a damped spring that is let go at 0 and pulls to 1."""
    decay = np.exp(-ratio * frequency * u)
    if ratio > 1.0 - 1e-9:
        value = 1.0 - decay * (1.0 + frequency * u)
        return value, frequency * frequency * u * decay
    swing = frequency * math.sqrt(1.0 - ratio * ratio)
    share = ratio * frequency / swing
    value = 1.0 - decay * (np.cos(swing * u) + share * np.sin(swing * u))
    slope = decay * np.sin(swing * u) * (swing + share * ratio * frequency)
    return value, slope


def _key_frames(motion: Motion, keys: Sequence[int] | None) -> Ints:
    count = len(motion)
    if keys is None:
        step = max(1, round(SPACING * motion.rate))
        at = np.unique([*range(0, count, step), count - 1]) if count else np.zeros(0, np.int64)
    else:
        at = np.array(keys, dtype=np.int64)
    wrong = at.ndim != 1 or len(at) < 2 or (np.diff(at) <= 0).any()
    if wrong or at[0] < 0 or at[-1] >= count:
        raise InputError(
            f"Expected two `keys` or more, rising, from 0 to {count - 1}; got {at.tolist()}."
        )
    return at


def _between(poses: Motion, times: Floats, expression: Expression) -> Motion:
    """Return frames between poses at some times [s]."""
    count = max(2, math.floor(times[-1] * poses.rate + 1e-6) + 1)
    now = np.minimum(np.arange(count) / poses.rate, times[-1])
    key = np.clip(np.searchsorted(times, now, side="right") - 1, 0, len(times) - 2)
    progress = expression.response((now - times[key]) / (times[key + 1] - times[key]))

    def between(values: Floats) -> Floats:
        share = progress.reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(values[key] + share * (values[key + 1] - values[key]))

    moves = poses.translations
    return replace(
        poses,
        root=between(poses.root),
        rotations=arrays.slerp(poses.rotations[key], poses.rotations[key + 1], progress[:, None]),
        translations=None if moves is None else between(moves),
    )
