"""How well the scenes with several constraints end, over many seeds (S2.41)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..tasks import finger_couplings
from .particle_scenes import FEET, LENGTH, bent_chain, hand_scene, long_chain, person_scene

FEWEST, MANY = 20, 100
"""Seeds of a scene: quick, and else. No setting was chosen by them."""
Facts = dict[str, float]


def chain_facts(seed: int) -> Facts:
    """Where the 90-DoF chain ends (Fig. 3)."""
    tracker, target = long_chain()
    tracker.begin(bent_chain(30), seed)
    solution = tracker.solve(target)
    return {
        "chain_tip_m": solution.tasks["reach tip"],
        "chain_balance_part": solution.tasks["balance"] / LENGTH,
        "chain_smoothness_rad": solution.tasks["smoothness"],
        "chain_iterations": solution.iterations,
    }


def hand_facts(seed: int) -> Facts:
    """How well the two hands are made, one after the other (Fig. 6)."""
    tracker, targets = hand_scene(seed=seed)
    tips, coupled, projections, steps = 0.0, 0.0, 0, 0
    for target in targets:
        solution = tracker.solve(target)
        tips = max(tips, float(solution.residuals.max()))
        for task in finger_couplings():
            coupled = max(coupled, abs(float(task.residual(solution.pose)[0])))
        projections += solution.projections
        steps += solution.iterations
    return {
        "hand_tip_max_m": tips,
        "coupling_max_deg": float(np.degrees(coupled)),
        "hand_projections": projections,
        "hand_iterations": steps,
    }


def person_facts(seed: int) -> Facts:
    """How the person stands, and where its hands are (Fig. 5)."""
    tracker, target = person_scene(seed=seed)
    solution = tracker.solve(target)
    feet = 2 * len(FEET)
    body = tracker.body
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
    """And those that are good if large enough."""


SCENES = {
    "chain": Scene(chain_facts, {"chain_tip_m": 0.001, "chain_balance_part": 0.01}, {}),
    "hand": Scene(hand_facts, {"hand_tip_max_m": 0.01, "coupling_max_deg": 2.0}, {}),
    "person": Scene(
        person_facts,
        {"person_feet_max_m": 0.01, "person_hands_max_m": 0.01, "person_balance_m": 0.01},
        {"person_knee_min_deg": 10.0},
    ),
}
"""Name -> scene; the walls are those of the paper's scenes in the specification."""


def scene_facts(name: str, seed: int, seeds: int) -> dict[str, Any]:
    """A scene with seeds from one on.

    Returns:
        How often everything held, the seeds where it did not, and of every fact its median and its
        worst.
    """
    scene = SCENES[name]
    rows = [scene.facts(seed + k) for k in range(seeds)]
    good = [
        all(row[key] <= wall for key, wall in scene.most.items())
        and all(row[key] >= wall for key, wall in scene.least.items())
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
