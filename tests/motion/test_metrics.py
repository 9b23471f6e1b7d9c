from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rigs import insert_above, odd_rig, random_motion, random_rotations, still_motion
from sixpoint.body import humanoid
from sixpoint.body.humanoid import ROLES
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, RolesNotFound
from sixpoint.kernels import arrays
from sixpoint.motion.metrics import compare, count_steps, joint_average, swivel_error
from sixpoint.motion.motion import STRIPE, Motion
from strategies import directions, triples

FIGURE = Skeleton.humanoid()
HEIGHT = FIGURE.anatomy.height


def turned(motion: Motion, joint: str, axis: str, angle: float) -> Motion:
    """One joint turned further by an angle in every frame."""
    rotations = motion.rotations.copy()
    j = motion.skeleton.index(joint)
    rotations[:, j] = arrays.multiply(
        rotations[:, j], arrays.from_axis_angle(arrays.AXES[axis], angle)
    )
    return replace(motion, rotations=rotations)


def moved(motion: Motion, steps: np.ndarray) -> Motion:
    """The whole body shifted along X, by so much in each frame [m]."""
    return replace(motion, root=motion.root + steps[:, None] * [1.0, 0.0, 0.0])


def test_golden_position_error_of_two_frames_and_two_joints():  # G11
    distances = np.array([[0.1, 0.2], [0.3, 0.1]])
    errors = joint_average(distances, np.ones(2)) / 2.0
    assert errors == pytest.approx([0.075, 0.1])
    assert math.sqrt(np.mean(errors**2)) == pytest.approx(0.088388, abs=1e-6)
    squares = joint_average(distances**2, np.ones(2)) / 4.0  # the other reading: all joints at once
    assert math.sqrt(squares.mean()) == pytest.approx(0.096825, abs=1e-6)


def test_golden_orientation_error():  # G11
    a, b = (arrays.from_axis_angle(arrays.AXES["Z"], math.radians(x)) for x in (30.0, 50.0))
    assert arrays.angle_between(a, b) == pytest.approx(0.349066, abs=1e-6)


def test_a_motion_does_not_differ_from_itself():
    motion = random_motion(FIGURE, frames=7)
    result = compare(motion, motion)
    for name in ("position_rms", "orientation_rms", "position_mean", "orientation_mean"):
        assert getattr(result, name) < 1e-12
    assert max(result.swivel.values()) < 1e-7
    assert result.jitter_ratio == 1.0
    assert result.effector_max_m == 0.0
    assert result.warnings == ()


def test_a_shift_counts_fully_in_position_and_not_in_orientation():
    motion = random_motion(FIGURE, frames=2)
    result = compare(moved(motion, np.array([0.1, 0.3])), motion)
    assert result.position_rms == pytest.approx(math.sqrt((0.01 + 0.09) / 2) / HEIGHT)
    assert result.position_mean == pytest.approx(0.2 / HEIGHT)
    assert result.position_rms_inner == pytest.approx(result.position_rms)
    assert result.position_rms_joints == pytest.approx(result.position_rms)
    assert result.position_per_frame == pytest.approx(np.array([0.1, 0.3]) / HEIGHT)
    assert result.orientation_rms == pytest.approx(0.0, abs=1e-12)
    assert result.effector_mean_m == pytest.approx(0.2)
    assert result.effector_max_m == pytest.approx(0.3)
    assert [e.position for e in result.roles.values()] == pytest.approx([0.2] * 17)


def test_one_turned_joint_is_one_of_twenty_two():
    motion = random_motion(FIGURE, frames=3)
    result = compare(turned(motion, "vc4", "X", 0.44), motion)
    assert result.orientation_rms == pytest.approx(0.44 / 22.0)
    assert result.orientation_mean_inner == pytest.approx(0.44 / 18.0)
    assert result.orientation_rms_joints == pytest.approx(0.44 / math.sqrt(22.0))
    assert result.roles["spine"].orientation == pytest.approx(0.44 / 5.0)


def test_a_turned_wrist_counts_only_with_wrists_and_ankles():
    motion = random_motion(FIGURE, frames=3)
    result = compare(turned(motion, "l_wrist", "Z", 0.5), motion)
    assert result.orientation_rms == pytest.approx(0.5 / 22.0)
    assert result.orientation_rms_inner == pytest.approx(0.0, abs=1e-12)
    assert result.position_rms == pytest.approx(0.0, abs=1e-12)
    assert result.roles["l_wrist"].orientation == pytest.approx(0.5)


def test_joints_below_wrists_and_ankles_do_not_count():
    motion = random_motion(FIGURE, frames=3)
    for joint in ("l_thumb1", "r_middle1", "l_midtarsal", "r_metatarsal"):
        result = compare(turned(motion, joint, "Y", 1.0), motion)
        assert result.position_rms == pytest.approx(0.0, abs=1e-12)
        assert result.orientation_rms == pytest.approx(0.0, abs=1e-12)


def test_a_turned_root_counts_once_although_three_joints_stand_there():
    motion = still_motion(FIGURE)
    result = compare(turned(motion, "HumanoidRoot", "Y", 0.44), motion)
    assert result.orientation_rms == pytest.approx(0.44 / 22.0)


@given(st.integers(0, 2**32 - 1))
def test_signs_of_quaternions_do_not_matter(seed):
    a, b = random_motion(FIGURE, 1, frames=3), random_motion(FIGURE, 2, frames=3)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, FIGURE.joint_count, 1))
    plain, flipped = compare(a, b), compare(replace(a, rotations=signs * a.rotations), b)
    assert flipped.orientation_rms == pytest.approx(plain.orientation_rms)
    assert flipped.steps_over_30deg == plain.steps_over_30deg


def test_the_measures_do_not_depend_on_the_frames_of_the_rig():
    rig = odd_rig()
    rng = np.random.default_rng(5)
    pair = []
    for _ in range(2):
        a = random_rotations(rng, 4, FIGURE.joint_count, size=0.3)
        root = rng.normal(size=(4, 3))
        pair.append(
            [
                Motion(s, root, arrays.normalize(s.anatomy.from_anatomical(a)), 60.0)
                for s in (FIGURE, rig)
            ]
        )
    plain, odd = (compare(pair[0][k], pair[1][k]) for k in range(2))
    for name in ("position_rms", "orientation_rms", "effector_mean_m", "jitter"):
        assert getattr(odd, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    assert odd.swivel == pytest.approx(plain.swivel, abs=1e-9)


def test_a_helper_joint_counts_with_the_joint_it_helps():
    rig = insert_above(FIGURE, "l_wrist", "l_forearm_twist")
    base = random_motion(rig, frames=3)
    in_helper, in_wrist = base.rotations.copy(), base.rotations.copy()
    helper, wrist = rig.index("l_forearm_twist"), rig.index("l_wrist")
    twist = arrays.from_axis_angle(arrays.AXES["Y"], 0.4)
    in_helper[:, helper], in_helper[:, wrist] = twist, (1.0, 0.0, 0.0, 0.0)
    in_wrist[:, helper], in_wrist[:, wrist] = (1.0, 0.0, 0.0, 0.0), twist
    result = compare(replace(base, rotations=in_helper), replace(base, rotations=in_wrist))
    assert result.orientation_rms == pytest.approx(0.0, abs=1e-9)


def test_the_pelvis_is_compared_in_the_world_whatever_is_above_it():
    rig = insert_above(FIGURE, "HumanoidRoot", "Reference")
    base = still_motion(rig)
    turn = arrays.from_axis_angle(arrays.AXES["Y"], 0.4)
    above, at = base.rotations.copy(), base.rotations.copy()
    above[:, 0], at[:, 1] = turn, turn
    result = compare(replace(base, rotations=above), replace(base, rotations=at))
    assert result.orientation_rms == pytest.approx(0.0, abs=1e-9)
    assert result.roles["pelvis"].orientation == pytest.approx(0.0, abs=1e-9)
    assert compare(replace(base, rotations=above), base).roles[
        "pelvis"
    ].orientation == pytest.approx(0.4)


def test_a_role_that_is_a_site_has_a_place_and_no_rotation():
    rig = replace(FIGURE, roles={**humanoid.ROLES, "head": "skull_tip"})
    motion = random_motion(rig, frames=3)
    result = compare(turned(motion, "skullbase", "X", 0.2), motion)
    assert math.isnan(result.roles["head"].orientation)
    assert result.as_dict()["roles"]["head"]["orientation"] is None
    assert result.roles["head"].position > 0.01
    assert result.orientation_rms == pytest.approx(0.2 / 22.0)


def test_jitter_is_the_acceleration_of_the_ends():
    still = still_motion(FIGURE, frames=6, rate=10.0)
    shaken = moved(still, 0.01 * np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]))
    calm = moved(still, 0.005 * np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]))
    assert compare(shaken, calm).jitter == pytest.approx(0.02 * 10.0**2)
    assert compare(shaken, calm).jitter_ratio == pytest.approx(2.0)
    assert math.isnan(compare(shaken, still).jitter_ratio)


def test_foot_skate_is_the_speed_of_feet_that_should_stand():
    still = still_motion(FIGURE, frames=5, rate=10.0)
    slide = moved(still, 0.03 * np.arange(5))
    assert compare(slide, still).foot_skate == pytest.approx(0.3)
    back = replace(still, root=still.root - 0.03 * np.arange(5)[:, None] * [0.0, 0.0, 1.0])
    assert compare(back, still).foot_skate == pytest.approx(0.3)
    lift = replace(still, root=still.root + 0.03 * np.arange(5)[:, None] * [0.0, 1.0, 0.0])
    assert compare(lift, still).foot_skate == pytest.approx(0.0)
    assert compare(still, still).foot_skate == 0.0


def test_feet_that_fly_or_run_do_not_skate():
    still = still_motion(FIGURE, frames=5, rate=10.0)
    run = moved(still, 0.3 * np.arange(5))
    assert math.isnan(compare(still, run).foot_skate)
    up = np.array([0.0] * 4 + [0.5] * 4 + [0.0] * 4)
    base = still_motion(FIGURE, frames=12, rate=10.0)
    jump = replace(base, root=base.root + up[:, None] * [0.0, 1.0, 0.0])
    # Only sliding in the air: frames 4 to 7.
    assert compare(moved(jump, np.cumsum(up)), jump).foot_skate < 0.2


def test_one_frame_has_neither_jitter_nor_skate():
    one = still_motion(FIGURE, frames=1)
    result = compare(one, one)
    assert math.isnan(result.jitter)
    assert math.isnan(result.foot_skate)
    assert result.as_dict()["foot_skate"] is None
    assert "-" in str(result)


def test_steps_count_turns_beyond_thirty_degrees():
    still = still_motion(FIGURE, frames=4)
    for angle, count in ((29.0, 0), (31.0, 2)):  # out and back
        rotations = still.rotations.copy()
        rotations[2, 3] = -arrays.from_axis_angle(arrays.AXES["X"], math.radians(angle))
        assert count_steps(replace(still, rotations=rotations)) == count


def test_steps_are_counted_across_stripes():
    frames = STRIPE + 5
    rotations = arrays.identity(frames, 1)
    rotations[STRIPE:] = arrays.from_axis_angle(arrays.AXES["X"], 1.0)
    rotations[STRIPE + 2 :, 0] *= -1.0
    one = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)))
    assert count_steps(Motion(one, np.zeros((frames, 3)), rotations, 30.0)) == 1


@given(directions(), st.floats(-math.pi, math.pi), st.floats(0.25, 2.5), triples(1.0))
def test_swivel_error_is_the_angle_about_the_line_from_root_to_end(axis, angle, bend, place):
    line = np.array(axis)
    side = np.cross(line, [0.0, 0.0, 1.0] if abs(line[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    middle = 0.3 * (math.cos(bend / 2) * line + math.sin(bend / 2) * side)
    end = 0.6 * math.cos(bend / 2) * line
    assume(np.linalg.norm(end) > 1e-3)
    limb = np.array([np.zeros(3), middle, end]) + place
    swivelled = limb.copy()
    swivelled[1] = place + arrays.rotate(arrays.from_axis_angle(line, angle), middle)
    assert swivel_error(swivelled[None], limb[None]) == pytest.approx(abs(angle), abs=1e-6)


def test_swivel_is_carried_along_when_the_whole_limb_turns():
    limb = np.array([[0.0, 0.0, 0.0], [0.0, -0.2, -0.2], [0.0, -0.4, 0.0]])
    turn = arrays.from_axis_angle(arrays.AXES["X"], -1.0)
    assert swivel_error(arrays.rotate(turn, limb)[None], limb[None]) == pytest.approx(0.0, abs=1e-9)


def test_straight_folded_and_opposite_limbs_have_no_swivel():
    bent = np.array([[[0.0, 0.0, 0.0], [0.0, -0.2, -0.2], [0.0, -0.4, 0.0]]])
    straight = np.array([[[0.0, 0.0, 0.0], [0.0, -0.2, 1e-4], [0.0, -0.4, 0.0]]])
    folded = np.array([[[0.0, 0.0, 0.0], [0.0, -0.2, 0.0], [0.0, 0.0, 0.0]]])
    opposite = bent * [1.0, -1.0, 1.0]
    for other in (straight, folded, opposite):
        assert math.isnan(swivel_error(other, bent))
        assert math.isnan(swivel_error(bent, other))
    both = np.concatenate([bent, straight])
    assert swivel_error(both, both) == pytest.approx(0.0, abs=1e-9)


def test_other_bone_lengths_are_allowed_and_reported():
    tall = Skeleton.humanoid(1.9)
    motion = random_motion(FIGURE, frames=2)
    result = compare(replace(motion, skeleton=tall), motion)
    assert result.position_rms > 0.0
    assert "bone lengths differ" in result.warnings[0]
    assert "warning: bone lengths" in str(result)
    assert result.height == HEIGHT


def test_motions_that_do_not_match_are_refused():
    motion = random_motion(FIGURE, frames=4)
    with pytest.raises(InputError, match=r"at least one frame"):
        compare(motion.frames(slice(0)), motion.frames(slice(0)))
    with pytest.raises(InputError, match=r"the original's 4 frames, got 3"):
        compare(motion.frames(slice(3)), motion)
    with pytest.raises(InputError, match=r"rate of 60 Hz, got 30 Hz; resample"):
        compare(replace(motion, rate=30.0), motion)


def other_rigs(motion):
    """The same movement on other rigs: in other frames, with one more joint."""
    odd = odd_rig()
    turned = odd.anatomy.from_anatomical(FIGURE.anatomy.to_anatomical(motion.rotations))
    yield Motion(odd, motion.root, turned, motion.rate)
    at = FIGURE.index("l_wrist")
    more = insert_above(FIGURE, "l_wrist", "l_forearm_twist")
    rotations = np.insert(motion.rotations, at, arrays.identity(), axis=1)
    yield Motion(more, motion.root, rotations, motion.rate)


def test_another_rig_of_the_same_movement_is_no_error():
    motion = random_motion(FIGURE, frames=4)
    for other in other_rigs(motion):
        other = replace(other, skeleton=replace(other.skeleton, names=tuple(
            name if name != "l_thumb2" else "thumb" for name in other.skeleton.names)))  # fmt: skip
        found = compare(other, motion)
        assert found.position_rms < 1e-9
        assert found.orientation_rms < 1e-6
        assert set(found.roles) == set(FIGURE.anatomy.roles.nodes)
        assert any("different rigs" in text and "16 roles" in text for text in found.warnings)


def test_rigs_are_compared_by_the_roles_that_both_have():
    motion = random_motion(FIGURE, frames=4)
    without = replace(FIGURE, roles={r: n for r, n in ROLES.items() if "clavicle" not in r},
                      names=(*FIGURE.names[:-1], "hook"))  # fmt: skip
    shift = np.array([0.1, 0.0, 0.0])
    found = compare(Motion(without, motion.root + shift, motion.rotations, motion.rate), motion)
    assert found.position_mean == pytest.approx(0.1 / FIGURE.anatomy.height)
    assert found.effector_mean_m == pytest.approx(0.1)


@given(triples(3.0), directions(), st.floats(-3.0, 3.0))
def test_alignment_removes_one_rigid_motion(shift, axis, angle):
    motion = random_motion(FIGURE, frames=4)
    turn = arrays.from_axis_angle(axis, angle)
    rotations = motion.rotations.copy()
    rotations[:, 0] = arrays.multiply(turn, rotations[:, 0])
    root = arrays.rotate(turn, motion.root) + np.array(shift)
    moved = Motion(FIGURE, root, rotations, motion.rate)
    found = compare(moved, motion, align=True)
    assert found.aligned
    assert found.position_rms < 1e-6
    assert found.orientation_rms < 1e-5


def test_alignment_is_one_for_all_frames():
    motion = random_motion(FIGURE, frames=4)
    root = motion.root + np.array([[0.0, 0, 0], [0.5, 0, 0], [0.0, 0, 0], [0.5, 0, 0]])
    drifting = replace(motion, root=root)
    found = compare(drifting, motion, align=True)
    plain = compare(drifting, motion)
    assert 0.3 * plain.position_mean < found.position_mean < plain.position_mean


def test_rigs_that_are_no_people_cannot_be_compared_with_people():
    motion = random_motion(FIGURE, frames=4)
    hand = Skeleton.hand()
    with pytest.raises(RolesNotFound, match="cannot be read as a human"):
        compare(random_motion(hand, frames=4), motion)


def test_rounded_rates_still_match():
    motion = random_motion(FIGURE, rate=120.0)
    assert compare(replace(motion, rate=1.0 / 0.0083333), motion).position_rms == 0.0


def test_the_report_is_json_and_a_small_table():
    a, b = random_motion(FIGURE, 1), random_motion(FIGURE, 2)
    result = compare(a, b)
    report = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert report["position_rms"] == result.position_rms
    assert report["swivel"].keys() == {"l_arm", "r_arm", "l_leg", "r_leg"}
    assert report["roles"]["l_knee"]["position"] == result.roles["l_knee"].position
    assert "position_per_frame" not in report
    lines = str(result).splitlines()
    assert len(lines) == 13  # the last of the errors: all joints turn, helpers among them
    assert f"{result.position_rms:.4f}" in lines[2]
    assert f"{result.orientation_rms:.4f}" in lines[4]


def test_nothing_known_is_nan():
    assert np.isnan(joint_average(np.full((2, 3), np.nan), np.ones(3))).all()
    assert joint_average(np.array([[1.0, np.nan, 3.0]]), np.array([1.0, 5.0, 1.0])) == 2.0


def test_a_twist_bone_counts_with_the_wrist_or_for_itself():
    rig = insert_above(FIGURE, "l_wrist", "l_forearm_twist")
    motion = random_motion(rig, frames=3)
    found = compare(turned(motion, "l_forearm_twist", "Y", 0.44), motion)
    assert found.orientation_rms == pytest.approx(0.44 / 22.0)
    assert found.orientation_rms_own == pytest.approx(0.0, abs=1e-12)
    assert found.orientation_own_per_frame == pytest.approx(np.zeros(3), abs=1e-12)
    found = compare(turned(motion, "l_wrist", "X", 0.44), motion)
    assert found.orientation_rms_own == pytest.approx(found.orientation_rms)
    assert found.orientation_mean_own == pytest.approx(0.44 / 22.0)
