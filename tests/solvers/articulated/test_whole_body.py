"""A whole person as a model: joints, landmarks, and the way to the rig and back."""

from __future__ import annotations

import numpy as np
import pytest

from rigs import odd_rig, random_rotations
from sixpoint.body.landmarks import LANDMARKS
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.limits import Limits
from sixpoint.motion.motion import Motion
from sixpoint.solvers.articulated.build import new_pose
from sixpoint.solvers.articulated.model import BALL, HINGE, model_forward, read_pose, write_pose
from sixpoint.solvers.articulated.whole_body import WholeBody, limb_reach, whole_body

RIGS = {"built-in": Skeleton.humanoid(), "odd frames": odd_rig()}


def drawn_pose(body: WholeBody, seed: int) -> np.ndarray:
    """Local rotations of all joints, with hinges about their axes, (N, 4)."""
    rng = np.random.default_rng(seed)
    local = random_rotations(rng, len(body.model.parent), size=0.2)
    for joint in range(len(local)):
        if body.model.freedom[joint] == HINGE:
            start = body.model.start[joint]  # elbows back, knees forward
            angle = np.sign(start) * rng.uniform(0.2, 1.8) if start else rng.normal() * 0.3
            local[joint] = arrays.from_axis_angle(body.model.axis[joint], angle)
        elif body.model.freedom[joint] == 0:
            local[joint] = (1.0, 0.0, 0.0, 0.0)
    return local


def test_the_built_in_figure_turns_in_all_joints_that_have_a_role():
    skeleton = Skeleton.humanoid()
    model = whole_body(skeleton.anatomy, Limits({})).model
    names = [skeleton.names[rig] for rig in model.rig]
    assert names[:3] == ["HumanoidRoot", "vl5", "vt12"]
    assert all(model.freedom[names.index(f"{side}_elbow")] == HINGE for side in "lr")
    assert all(model.freedom[names.index(f"{side}_wrist")] == BALL for side in "lr")
    assert all(model.parent[k] < k for k in range(len(names)))
    assert len(model.effector_joint) == len(LANDMARKS)


@pytest.mark.parametrize("name", RIGS)
def test_landmarks_are_where_the_rig_has_them_in_any_pose(name: str):
    skeleton = RIGS[name]
    body = whole_body(skeleton.anatomy, Limits({}))
    model, pose = body.model, new_pose(body.model)
    local = drawn_pose(body, 1)
    pose.local[:] = local
    pose.position[0] = (0.3, 1.0, -0.2)
    model_forward(model, pose)
    rotations, root = np.zeros((skeleton.joint_count, 4)), np.zeros(3)
    write_pose(model, pose, model.rest, rotations, root)
    motion = Motion(skeleton, root[None], rotations[None], 60.0)
    places, world = motion.world()
    nodes = list(skeleton.anatomy.landmarks.values())
    np.testing.assert_allclose(places[0, nodes], pose.effectors, atol=1e-9)
    # What turns with its joint has that joint's anatomical rotation.
    carriers = np.array([skeleton.carrier(node) for node in nodes])
    turned = arrays.multiply(world[0], arrays.conjugate(skeleton.anatomy.neutral))
    same = np.abs(np.sum(turned[carriers] * pose.world[model.effector_joint], axis=1))
    np.testing.assert_allclose(same[body.turns == 1], 1.0, atol=1e-9)
    again = np.zeros_like(local)
    read_pose(model, rotations, again)
    np.testing.assert_allclose(np.abs(np.sum(again * local, axis=1)), 1.0, atol=1e-9)


def test_fingers_and_toes_do_not_turn_with_hands_and_feet():
    anatomy = Skeleton.humanoid().anatomy
    body = whole_body(anatomy, Limits({}))
    still = {name for name, turns in zip(anatomy.landmarks, body.turns, strict=True) if not turns}
    assert still == {"l_hand", "r_hand", "l_toe", "r_toe"}


def test_a_wrist_that_is_a_site_does_not_turn():
    whole = Skeleton.humanoid()
    below = ("wrist", "thumb1", "thumb2", "middle1", "middle2")
    kept = [k for k, name in enumerate(whole.names) if name.removeprefix("l_") not in below]
    rig = Skeleton(
        tuple(whole.names[k] for k in kept),
        np.array([-1 if (p := whole.parents[k]) < 0 else kept.index(p) for k in kept]),
        whole.offsets[kept],
        ("hand_end",),
        np.array([[whole.names[k] for k in kept].index("l_elbow")]),
        whole.offsets[[whole.index("l_wrist")]],
        roles={**(whole.roles or {}), "l_wrist": "hand_end"},
    )
    model = whole_body(rig.anatomy, Limits({})).model
    wrist = model.effector_joint[list(rig.anatomy.landmarks).index("l_wrist")]
    assert model.freedom[wrist] == 0
    assert model.rig[wrist] == -1


@pytest.mark.parametrize("angle", [0.0, 0.3, -1.2, 2.5])
def test_the_reach_of_a_limb_follows_the_angle_of_its_hinge(angle: float):
    anatomy = odd_rig(3).anatomy
    body = whole_body(anatomy, Limits({}))
    model, pose = body.model, new_pose(body.model)
    for limb in body.limbs:
        root, hinge, _, end = limb
        pose.local[:] = arrays.identity(len(model.parent))
        pose.local[hinge] = arrays.from_axis_angle(model.axis[hinge], angle)
        model_forward(model, pose)
        *_, square, swing, straight = limb_reach(model, limb)
        distance = np.linalg.norm(pose.effectors[end] - pose.position[root])
        assert distance**2 == pytest.approx(square + swing * np.cos(angle - straight), abs=1e-12)
