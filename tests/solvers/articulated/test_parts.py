"""Parts of a skeleton: which joints and tasks they have, how far they reach, what joints carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rigs import odd_rig
from sixpoint.limits import adult_limits
from sixpoint.solvers.articulated.build import person_model
from sixpoint.solvers.articulated.parts import new_parts, person_parts

from ..bodies import HUMAN

LIMITS = adult_limits(HUMAN)
BARE = {role: name for role, name in HUMAN.roles.items() if "clavicle" not in role}
PEOPLE = {"human": HUMAN, "odd rig": odd_rig(0), "no clavicles": replace(HUMAN, roles=BARE)}


@pytest.mark.parametrize("skeleton", PEOPLE.values(), ids=PEOPLE)
def test_a_person_is_five_parts(skeleton):
    model = person_model(skeleton.anatomy, adult_limits(skeleton))
    parts = person_parts(model)
    joints = [joint for part, _ in parts for joint in part]
    loins = len(skeleton.anatomy.colocated)
    assert joints == list(range(1 + loins, len(model.parent)))  # all but pelvis and loins, once
    assert [list(tasks) for _, tasks in parts] == [[0], [1], [2], [3], [4]]
    for part, tasks in parts:
        effector = model.task_effector[tasks[0]]
        own = {joint for joint in part if model.moves[effector, joint]}
        assert own == {joint for joint in part if model.freedom[joint] > 0}
        assert model.parent[part[0]] < part[0]
    arm = 3 if skeleton.anatomy.has("l_clavicle") else 2
    assert [len(part) for part, _ in parts[1:]] == [arm, arm, 2, 2]


def test_reach_is_the_length_of_the_chain():
    model = person_model(HUMAN.anatomy, LIMITS)
    parts = new_parts(model, person_parts(model))
    places = HUMAN.anatomy.positions
    leg = [HUMAN.anatomy.node(role) for role in ("l_hip", "l_knee", "l_ankle")]
    assert parts.reach[3, 3] == pytest.approx(
        np.linalg.norm(np.diff(places[leg], axis=0), axis=1).sum()
    )


def test_nodes_are_listed_below_their_joints():
    model = person_model(HUMAN.anatomy, LIMITS)
    parts = new_parts(model, person_parts(model))
    above = np.concatenate([model.parent, model.effector_joint])
    for joint in range(len(model.parent)):
        listed, node = [], parts.child[joint]
        while node >= 0:
            listed.append(int(node))
            node = parts.sibling[node]
        assert listed == list(np.flatnonzero(above == joint))
