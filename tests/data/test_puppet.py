from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.authoring import RATE, Footstep, Take
from sixpoint.data.puppet import CHANNELS, Puppet, two_bone
from sixpoint.kernels import arrays

UNIT = st.floats(-1.0, 1.0)
VECTORS = st.tuples(UNIT, UNIT, UNIT).map(np.array)


def pose(**channels):
    """Two frames with these channels ("l_knee__out" for "l_knee.out"), feet apart."""
    take = Take(2.0 / RATE)
    take.stand("l", 0.1, 0.125, 0.0)
    take.stand("r", -0.1, 0.125, 0.0)
    for name, value in channels.items():
        take.add(name.replace("__", "."), value)
    motion = take.motion()
    positions = motion.world()[0]
    return motion, dict(zip(motion.skeleton.node_names, positions[0], strict=True))


def limb(start, target, hinge, bend):
    """Where a limb of 0.4 and 0.3 m ends, its middle, its hinge axis and its turn."""
    rotation, turn = two_bone(start[None], target[None], hinge[None], 0.4, 0.3, bend)
    middle = start + arrays.rotate(rotation, np.array([0.0, -0.4, 0.0]))[0]
    lower = arrays.multiply(rotation, arrays.from_axis_angle((1.0, 0.0, 0.0), turn))
    end = middle + arrays.rotate(lower, np.array([0.0, -0.3, 0.0]))[0]
    return end, middle, arrays.rotate(rotation, np.array([1.0, 0.0, 0.0]))[0], turn[0]


@given(VECTORS, VECTORS, VECTORS, st.floats(0.101, 0.699), st.sampled_from([-1.0, 1.0]))
def test_two_bones_reach_what_is_in_reach(start, direction, hinge, reach, bend) -> None:
    if np.linalg.norm(np.cross(direction, hinge)) < 1e-3:
        return
    target = start + reach * direction / np.linalg.norm(direction)
    end, _, axis, turn = limb(start, target, hinge, bend)
    assert end == pytest.approx(target, abs=1e-9)
    assert bend * turn > 0.0
    assert axis @ hinge > 0.0


def test_two_bones_straighten_towards_what_is_not() -> None:
    end, middle, _, turn = limb(np.zeros(3), np.array([0.0, 0.0, 5.0]), np.array([1.0, 0, 0]), 1.0)
    assert end == pytest.approx([0.0, 0.0, 0.7], abs=1e-6)
    assert middle == pytest.approx([0.0, 0.0, 0.4], abs=1e-4)
    assert abs(turn) < 1e-3


def test_two_bones_survive_a_target_at_their_start() -> None:
    rotation, turn = two_bone(np.zeros((1, 3)), np.zeros((1, 3)), np.ones((1, 3)), 0.4, 0.3, 1.0)
    assert np.isfinite(rotation).all()
    assert np.isfinite(turn).all()


def test_all_channels_zero_is_the_neutral_stance_with_soft_knees() -> None:
    figure = Skeleton.humanoid()
    still = {name: np.zeros(1) for name in CHANNELS}
    for side, x in (("l", 0.09625), ("r", -0.09625)):
        still[f"{side}_foot.x"] = np.full(1, x)
        still[f"{side}_foot.z"] = np.full(1, 0.12502)
    positions = Puppet(figure, still).motion(RATE).world()[0][0]
    upper = [k for k, name in enumerate(figure.node_names) if "shoulder" in name or "vc" in name]
    sunk = figure.rest()[0][upper] - positions[upper]
    assert sunk[:, [0, 2]] == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < sunk[0, 1] < 0.01


@pytest.mark.parametrize(
    ("channel", "node", "axis", "sign"),
    [
        ("pelvis__tilt", "skullbase", 2, 1),
        ("pelvis__list", "skullbase", 0, 1),
        ("trunk__flexion", "vc7", 2, 1),
        ("trunk__bend", "vc7", 0, 1),
        ("trunk__twist", "l_shoulder", 2, -1),
        ("pelvis__yaw", "l_shoulder", 2, -1),
        ("gaze__pitch", "skull_tip", 2, 1),
        ("gaze__roll", "skull_tip", 0, 1),
        ("l_clavicle__elevation", "l_shoulder", 1, 1),
        ("r_clavicle__elevation", "r_shoulder", 1, 1),
        ("l_clavicle__protraction", "l_shoulder", 2, 1),
        ("r_clavicle__protraction", "r_shoulder", 2, 1),
        ("l_shoulder__flexion", "l_elbow", 2, 1),
        ("r_shoulder__flexion", "r_elbow", 2, 1),
        ("l_shoulder__abduction", "l_elbow", 0, 1),
        ("r_shoulder__abduction", "r_elbow", 0, -1),
        ("l_elbow__flexion", "l_wrist", 2, 1),
        ("l_wrist__flexion", "l_middle1", 0, -1),
        ("r_wrist__flexion", "r_middle1", 0, 1),
        ("l_wrist__deviation", "l_middle1", 2, 1),
        ("l_wrist__pronation", "l_thumb_distal_tip", 0, -1),
        ("r_wrist__pronation", "r_thumb_distal_tip", 0, 1),
    ],
)
def test_positive_goes_where_anatomy_says(channel: str, node: str, axis: int, sign: int) -> None:
    still, moved = pose()[1], pose(**{channel: 20.0})[1]
    assert sign * (moved[node] - still[node])[axis] > 0.005


@pytest.mark.parametrize("side", ["l", "r"])
def test_internal_rotation_brings_the_bent_forearm_inward(side: str) -> None:
    bent = {f"{side}_elbow__flexion": 90.0}
    still, turned = pose(**bent)[1], pose(**bent, **{f"{side}_shoulder__twist": 30.0})[1]
    assert abs(turned[f"{side}_wrist"][0]) < abs(still[f"{side}_wrist"][0]) - 0.05


def test_a_fist_is_closed_towards_the_palm() -> None:
    for side, sign in (("l", -1.0), ("r", 1.0)):
        fist = pose(**{f"{side}_hand__curl": 1.0})[1]
        palm = fist[f"{side}_middle_distal_tip"] - fist[f"{side}_wrist"]
        assert sign * palm[0] > 0.02


def test_a_raised_heel_turns_about_the_ball_and_keeps_the_toes_down() -> None:
    flat, raised = pose()[1], pose(l_foot__pitch=40.0)[1]
    for name in ("l_metatarsal", "l_forefoot_tip"):
        assert raised[name] == pytest.approx(flat[name], abs=1e-9)
    assert raised["l_calcaneous_post"][1] > 0.08


def test_raised_toes_turn_about_the_heel() -> None:
    flat, raised = pose()[1], pose(l_foot__pitch=-20.0, l_foot__heel=1.0)[1]
    assert raised["l_calcaneous_post"] == pytest.approx(flat["l_calcaneous_post"], abs=1e-9)
    assert raised["l_forefoot_tip"][1] > 0.05


def test_a_held_hand_is_where_it_holds_and_the_elbow_bends() -> None:
    motion, at = pose(l_hand__hold=1.0, l_hand__x=0.25, l_hand__y=1.2, l_hand__z=0.35)
    assert at["l_wrist"] == pytest.approx([0.25, 1.2, 0.35], abs=1e-9)
    elbow = motion.rotations[0, motion.skeleton.index("l_elbow")]
    assert elbow[1] < -0.1
    assert elbow[2:] == pytest.approx(0.0)


def test_the_body_sinks_before_a_leg_is_too_short() -> None:
    take = Take(1.0)
    take.stand("l", 0.1, 0.125, 0.0)
    take.stand("r", -0.1, 0.125, 0.0)
    take.step("l", Footstep(0.3, 0.6, (0.1, 0.7, 0.0)))
    motion = take.motion()
    at = motion.skeleton.index
    leg = motion.positions([at("l_hip"), at("l_ankle")])
    length = np.linalg.norm(leg[:, 0] - leg[:, 1], axis=-1)
    assert length.max() <= 0.99401 * (0.246 + 0.245) * 1.75
    assert np.ptp(motion.root[:, 1]) > 0.05
