"""The scenes of the Monte Carlo paper (its Figs. 2 to 6): an arm, a chain, a person, a hand.

Each with what must hold at its end, over many seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.types import Floats
from ..limits import FlexionLimit, Limits, SwingTwistLimit, adult_limits, hand_limits
from ..motion.pose import Pose
from ..solvers import ParticleStream, solver
from ..tasks import Balance, LookAt, Posture, Reach, Smoothness, Task, finger_couplings

LENGTH = 2.5
"""Length of all chains, in units; the paper's tasks start 2 units away."""
BEND = np.radians(20.0)
"""All joints of a chain together, where it starts."""
EVEN = 0.3
"""Weight of smoothness beside a target of weight 1."""
ANKLE = SwingTwistLimit.degrees(
    (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), {-180.0: 50.0, 180.0: 50.0}, (-15.0, 15.0)
)
"""A shin leans over its foot by 50 degrees at most."""
UPRIGHT = 0.3
"""Weight of the direction of a trunk that leans forward."""
FEET = ("l_ankle", "l_forefoot_tip", "l_calcaneous_post")
"""What stands on the floor, and r_ likewise."""


def tracker_of(
    skeleton: Skeleton,
    tasks: Sequence[Task[Any]] | None = None,
    limits: Limits | None = None,
    **settings: Any,
) -> Any:
    """Return a tracker of the particle filter on a skeleton."""
    return solver("monte-carlo", **settings).prepare(skeleton, limits=limits, tasks=tasks)


def bent_chain(joints: int) -> Pose:
    """Return a chain of ball joints, slightly bent, upwards from the origin."""
    chain = Skeleton.chain(joints, LENGTH)
    turn = arrays.from_axis_angle((1.0, 0.0, 0.0), BEND / joints)
    return Pose(chain, np.zeros(3), np.tile(turn, (joints, 1)))


def chain_targets(joints: int, count: int, seed: int, parts: tuple[float, float]) -> Floats:
    """Return targets about 2 units from the end effector, between two fractions of the reach."""
    near, far = parts
    rng = np.random.default_rng(seed)
    end = bent_chain(joints).world()[0][-1]
    found: list[Floats] = []
    while len(found) < count:
        direction = rng.normal(size=3)
        target = end + direction / np.linalg.norm(direction) * rng.uniform(1.95, 2.05)
        if near < float(np.linalg.norm(target)) / LENGTH <= far:
            found.append(target)
    return np.array(found)


def chain_limits(skeleton: Skeleton, swing: float = 25.0, twist: float = 15.0) -> Limits:
    """Return a cone and a twist either way for every joint of a chain [degrees]."""
    cone = SwingTwistLimit.degrees(
        (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), {-180.0: swing, 180.0: swing},
        (-twist, twist),
    )  # fmt: skip
    return Limits(dict.fromkeys(skeleton.names, cone))


def long_chain(
    *, swing: float | None = None, twist: float = 15.0, **settings: Any
) -> tuple[Any, Floats]:
    """Return a chain of 90 degrees of freedom: reach a target, balance, smoothness (Fig. 3).

    Long chains are drawn more gently, so that they stay smooth.

    Args:
        swing: limit of each joint [degrees]; None: no limits.
        twist: limit of its twist either way [degrees].
        settings: of the solver.
    """
    start = bent_chain(30)
    tracker = tracker_of(
        start.skeleton,
        [Reach("tip"), Balance(), Smoothness(weight=EVEN)],
        None if swing is None else chain_limits(start.skeleton, swing, twist),
        **{"iterations": 2000, "spread": 0.05, "hardness": 0.3} | settings,
    )
    tracker.reset(start)
    return tracker, np.array([[0.6, 1.3, 0.25]])


HANDS: tuple[dict[str, tuple[float, ...]], ...] = (
    # Pointing: the index stretched, the others curled.
    {
        "elbow": (-20.0, 0.0, 5.0),
        "wrist": (0.0, 25.0, -15.0),
        "thumb": (20.0, 15.0, 20.0),
        "index": (5.0, 6.0),
        "middle": (60.0, 75.0),
        "ring": (65.0, 80.0),
        "little": (65.0, 75.0),
    },
    # Holding a ball: all fingers half bent.
    {
        "elbow": (-35.0, 10.0, 0.0),
        "wrist": (0.0, -20.0, -20.0),
        "thumb": (5.0, 20.0, 10.0),
        "index": (30.0, 40.0),
        "middle": (35.0, 42.0),
        "ring": (38.0, 42.0),
        "little": (40.0, 40.0),
    },
)
"""Elbow and wrist by their angles about X, Y and Z, fingers by the bends of their joints [degrees];
the last joint of a finger bends by two thirds of the one before."""


def hand_poses() -> list[Pose]:
    """Return poses whose fingertips are the targets, one set after the other (Fig. 6)."""
    hand = Skeleton.hand()
    body = hand.articulation
    poses = []
    for angles in HANDS:
        turned = arrays.identity(hand.joint_count)
        for joint, name in enumerate(hand.names[:2]):
            turned[joint] = arrays.from_euler("XYZ", np.radians(angles[name]))
        for joint in range(2, hand.joint_count):
            finger, k = hand.names[joint].split("_")[0], (joint - 2) % 3
            bends = (*angles[finger], angles[finger][1] * 2.0 / 3.0)
            axis = body.axes[joint if k else joint + 1]
            turned[joint] = arrays.from_axis_angle(axis, np.radians(bends[k]))
        poses.append(Pose(hand, hand.offsets[0], body.from_rest(turned)))
    return poses


def hand_scene(**settings: Any) -> tuple[Any, list[Floats]]:
    """Return forearm and hand with a target for every fingertip and couplings of finger joints."""
    poses = hand_poses()
    hand = poses[0].skeleton
    tips = hand.site_names
    tasks: list[Task[Any]] = [*(Reach(tip) for tip in tips), *finger_couplings(weight=0.2)]
    tracker = tracker_of(hand, tasks, hand_limits(hand), **{"iterations": 2000} | settings)
    nodes = [hand.index(tip) for tip in tips]
    return tracker, [pose.world()[0][nodes] for pose in poses]


def person_of_40() -> Skeleton:
    """Return the built-in figure with two more fingers on each hand: 40 joints (Fig. 5)."""
    body = Skeleton.humanoid(1.75)
    names, parents, offsets = list(body.names), list(body.parents), list(body.offsets)
    for side in "lr":
        wrist, middle = body.index(f"{side}_wrist"), body.index(f"{side}_middle1")
        for finger, across in (("index", 0.02), ("pinky", -0.04)):
            names.append(f"{side}_{finger}1")
            parents.append(wrist)
            offsets.append(body.offsets[middle] + np.array((0.0, 0.0, across)))
        names.append(f"{side}_index2")
        parents.append(len(names) - 3)
        offsets.append(body.offsets[body.index(f"{side}_middle2")])
    return replace(body, names=tuple(names), parents=np.array(parents), offsets=np.array(offsets))


def person_scene(*, knees: float | None = None, **settings: Any) -> tuple[Any, Floats]:
    """Return a person with both feet on the floor, whose pelvis moves, and targets for the hands.

    All 40 joints are free: those without a limit of adults turn as they will.

    The trunk leans forward by 39 degrees: folded, people touch the floor with straight legs.

    Args:
        knees: most that they may bend [degrees]; None: as the limits of adults say.
        settings: of the solver.
    """
    body = person_of_40()
    limits = adult_limits(body).replace(dict.fromkeys(("l_ankle", "r_ankle"), ANKLE))
    if knees is not None:
        hinges = {name: FlexionLimit.degrees(0.0, knees) for name in ("l_knee", "r_knee")}
        limits = limits.replace(hinges)
    stand = Pose(
        body, body.offsets[0], body.articulation.from_rest(arrays.identity(body.joint_count))
    )
    feet = [f"{side}{part.removeprefix('l')}" for side in "lr" for part in FEET]
    tasks: list[Task[Any]] = [
        *(Reach(name) for name in feet),
        Reach("l_wrist"),
        Reach("r_wrist"),
        LookAt("vt6", at=(0.0, 50.0, 40.0), axis=(0.0, 1.0, 0.0), weight=UPRIGHT),
        Balance.under(stand, [name for name in feet if "ankle" not in name]),
        Posture(weight=0.03, like=stand),
    ]
    usual = {"root": 0.5, "iterations": 6000}
    tracker = tracker_of(body, tasks, limits, **usual | settings)
    places = stand.world()[0]
    targets = np.array([places[body.articulation.node(name)] for name in feet])
    hands = np.array([(0.30, 0.60, 0.45), (-0.25, 0.40, 0.40)])
    return tracker, np.concatenate([targets, hands])


Facts = dict[str, float]


def chain_facts(seed: int) -> Facts:
    """Return how well the 90-DoF chain meets its tasks (Fig. 3)."""
    tracker, target = long_chain()
    ParticleStream(tracker).begin(bent_chain(30), seed)
    solution = tracker.solve(target)
    return {
        "chain_tip_m": solution.tasks["reach tip"],
        "chain_balance_part": solution.tasks["balance"] / LENGTH,
        "chain_smoothness_rad": solution.tasks["smoothness"],
        "chain_iterations": solution.iterations,
    }


def hand_facts(seed: int) -> Facts:
    """Return how well the two hands are met, one after the other (Fig. 6)."""
    tracker, targets = hand_scene(seed=seed)
    tips, coupled, projections, steps = 0.0, 0.0, 0, 0
    for target in targets:
        solution = tracker.solve(target)
        tips = max(tips, float(solution.residuals.max()))
        for task in finger_couplings():
            coupled = max(coupled, abs(float(task.residual(solution.pose)[0])))
        projections += int(solution.extras["projections"])
        steps += solution.iterations
    return {
        "hand_tip_max_m": tips,
        "coupling_max_deg": float(np.degrees(coupled)),
        "hand_projections": projections,
        "hand_iterations": steps,
    }


def person_facts(seed: int) -> Facts:
    """Return how the person stands, and how well its hands are met (Fig. 5)."""
    tracker, target = person_scene(seed=seed)
    solution = tracker.solve(target)
    feet = 2 * len(FEET)
    body = tracker.skeleton.articulation
    angles = body.angles(solution.pose.rotations)
    knees = [angles[body.first[body.node(f"{side}_knee")]] for side in "lr"]
    return {
        "person_feet_max_m": float(solution.residuals[:feet].max()),
        "person_hands_max_m": float(solution.residuals[feet:].max()),
        "person_balance_m": solution.tasks["balance"],
        "person_trunk_deg": float(np.degrees(solution.tasks["look vt6"])),
        "person_knee_min_deg": float(np.degrees(min(knees))),
        "person_iterations": solution.iterations,
    }


class Scene(NamedTuple):
    """A scene, and what must hold at its end."""

    facts: Callable[[int], Facts]
    most: Facts
    """Facts that are good if small enough."""
    least: Facts
    """Facts that are good if large enough."""


SCENES = {
    "chain": Scene(chain_facts, {"chain_tip_m": 0.001, "chain_balance_part": 0.01}, {}),
    "hand": Scene(hand_facts, {"hand_tip_max_m": 0.01, "coupling_max_deg": 2.0}, {}),
    "person": Scene(
        person_facts,
        {"person_feet_max_m": 0.005, "person_hands_max_m": 0.005, "person_balance_m": 0.01},
        {"person_knee_min_deg": 10.0},
    ),
}
"""Name -> scene, with what the paper asks of it."""


def scene_facts(name: str, seed: int, seeds: int) -> dict[str, Any]:
    """Repeat a scene with consecutive seeds.

    Returns:
        How often everything held, the seeds where it did not, and of every fact its median and its
        worst.
    """
    scene = SCENES[name]
    rows = [scene.facts(seed + k) for k in range(seeds)]
    good = [
        all(row[key] <= bound for key, bound in scene.most.items())
        and all(row[key] >= bound for key, bound in scene.least.items())
        for row in rows
    ]
    facts = {}
    for key in rows[0]:
        values = [row[key] for row in rows]
        worst = min(values) if key in scene.least else max(values)
        facts[key] = {"median": float(np.median(values)), "worst": float(worst)}
    return {
        "seeds": seeds,
        "rate": float(np.mean(good)),
        "failed": [seed + k for k, held in enumerate(good) if not held],
        "facts": facts,
    }
