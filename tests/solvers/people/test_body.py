"""A person flattened for the kernels: rows, bones, frames and memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles import assert_same_rotation
from rest_poses import REST_POSES, TWISTED, pruned, rebased
from rigs import insert_above, odd_rig
from sixpoint.body.anthropometry import lengths_from_stature
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.kernels.limits import FREE, limit_project
from sixpoint.limits import Limits, adult_limits
from sixpoint.motion.points import SIX
from sixpoint.solvers.context import new_frames, new_output
from sixpoint.solvers.people.body import (
    build_body,
    new_state,
    new_work,
    row_names,
)
from sixpoint.solvers.people.tables import ROWS, SPINE
from sixpoint.solvers.tracker import copy_tables

from ..bodies import HUMAN, Plain, human, standing

LENGTHS = lengths_from_stature(1.75)
L_ARM, R_ARM, L_LEG, R_LEG = range(4)
DOES_NOT_DEPEND_ON_THE_RIG = (
    "joints",
    "segments",
    "stretch_axes",
    "stretch_angles",
    "stretch_lengths",
    "twistable",
    "carrier",
    "bases",
    "clavicles",
    "bones",
    "bend",
    "stance",
    "prisms",
    "prism_joints",
    "prism_low",
    "prism_high",
    "prism_polygons",
    "elbow_radius",
    "height",
)


def body_of(skeleton: Skeleton):
    record, rest = build_body(skeleton.anatomy)
    return record[0], rest


def test_rows_of_the_figure():
    body, _ = body_of(HUMAN)
    assert row_names(HUMAN, body) == [
        *("HumanoidRoot", "vt12", "vt6", "vc7", "vc4", "skullbase"),
        *("l_sternoclavicular", "l_shoulder", "l_elbow", "l_wrist"),
        *("r_sternoclavicular", "r_shoulder", "r_elbow", "r_wrist"),
        *("", "l_hip", "l_knee", "l_ankle"),
        *("", "r_hip", "r_knee", "r_ankle"),
        "vl5",
    ]
    assert row_names(HUMAN, body)[body.lumbar] == "vl5"
    assert body.joints == 6  # three roots at one place count once
    assert (body.rig[len(row_names(HUMAN, body)) :] == -1).all()


def test_bones_of_the_figure():
    body, _ = body_of(HUMAN)
    arm, leg = (LENGTHS["upper_arm"], LENGTHS["forearm"]), (LENGTHS["thigh"], LENGTHS["calf"])
    assert body.bones == pytest.approx(np.array([arm, arm, leg, leg]), abs=1e-12)
    assert body.bend.tolist() == [1.0, 1.0, -1.0, -1.0]
    assert body.carrier.tolist() == [2, 2, 0, 0]  # arms hang from vt6, legs from the pelvis
    assert body.clavicles[L_ARM][0] == -body.clavicles[R_ARM][0] > 0.1
    assert not body.clavicles[[L_LEG, R_LEG]].any()
    assert body.height == pytest.approx(HUMAN.anatomy.height)
    assert np.linalg.norm(body.segments, axis=1).sum() == pytest.approx(
        LENGTHS["torso"] + LENGTHS["neck"]
    )


def test_stance_is_where_the_six_points_stand():
    body, _ = body_of(HUMAN)
    positions = HUMAN.rest()[0]
    truth = [positions[HUMAN.anatomy.node(role)] - positions[0] for role in SIX]
    assert body.stance == pytest.approx(np.array(truth), abs=1e-12)


def test_twist_is_for_thorax_neck_and_head():
    body, _ = body_of(HUMAN)
    assert body.twistable[:6].tolist() == [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    names = {"vt12": "vl2", "vt6": "vt6"}
    lumbar = replace(HUMAN, names=tuple(names.get(name, name) for name in HUMAN.names))
    assert body_of(lumbar)[0].twistable[:6].tolist() == [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("pose", (REST_POSES | TWISTED).values(), ids=(REST_POSES | TWISTED).keys())
def test_tables_do_not_depend_on_the_rest_pose(pose):
    assert_same_tables(rebased(HUMAN, pose))


@pytest.mark.parametrize("seed", range(3))
def test_tables_do_not_depend_on_joint_frames(seed):
    assert_same_tables(odd_rig(seed))


def test_tables_do_not_depend_on_joints_in_between():
    rig = HUMAN
    for name in ("l_wrist", "r_elbow", "l_ankle"):
        rig = insert_above(rig, name, f"{name}_twist")
    assert_same_tables(rig)
    assert_same_tables(insert_above(HUMAN, "HumanoidRoot", "Reference"))


def assert_same_tables(rig: Skeleton) -> None:
    (body, _), (truth, _) = body_of(rig), body_of(HUMAN)
    for name in DOES_NOT_DEPEND_ON_THE_RIG:
        if name not in ("stretch_axes",):  # of a segment along the chord, which says nothing
            assert body[name] == pytest.approx(truth[name], abs=1e-9), name


@pytest.mark.parametrize("seed", range(3))
def test_rest_is_the_neutral_stance(seed):
    rig = odd_rig(seed)
    _, rest = body_of(rig)
    positions, world = arrays.forward(rig.parents, rig.offsets, rest)
    assert positions - positions[0] == pytest.approx(HUMAN.anatomy.positions[:34], abs=1e-9)
    assert_same_rotation(world, rig.anatomy.neutral, atol=1e-9)


def test_frames_take_anatomical_rotations_to_the_rig():
    rig = odd_rig(4)
    body, rest = body_of(rig)
    turned = arrays.identity(rig.joint_count)
    quarter = arrays.from_axis_angle((0.6, 0.0, 0.8), 0.5 * np.pi)
    for row, name in enumerate(row_names(rig, body)):
        if name:
            turned[:] = arrays.identity(1)
            turned[rig.index(name)] = quarter
            expected = rig.anatomy.from_anatomical(turned)[rig.index(name)]
            found = arrays.multiply(arrays.multiply(body.before[row], quarter), body.after[row])
            assert_same_rotation(found, expected, atol=1e-12)
    assert_same_rotation(
        rest,
        rig.anatomy.from_anatomical(arrays.identity(rig.joint_count)),
        atol=1e-12,
    )


def test_a_pelvis_below_a_root_is_anchored():
    rig = insert_above(HUMAN, "HumanoidRoot", "Reference")
    offsets, bind = rig.offsets.copy(), arrays.identity(rig.joint_count)
    bind[0] = arrays.from_axis_angle((1.0, 0.0, 0.0), -np.pi / 2)
    bind[1] = arrays.conjugate(bind[0])
    offsets[0] = (1.0, 2.0, 3.0)
    body, rest = body_of(replace(rig, offsets=offsets, bind=bind))
    assert body.anchor == pytest.approx((1.0, 2.0, 3.0))
    assert_same_rotation(body.anchor_rotation, bind[0])
    assert_same_rotation(rest[0], bind[0])  # what is above the pelvis stays as bound
    plain, _ = body_of(HUMAN)
    assert not plain.anchor.any()
    assert plain.anchor_rotation.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_ends_that_are_sites_have_no_row():
    rig = pruned(HUMAN, ("skullbase", "l_wrist", "r_wrist"))
    body, _ = body_of(rig)
    names = row_names(rig, body)
    assert names[5] == ""
    assert body.rig[5] == -1
    assert body.bones == pytest.approx(human().bones)


def test_rigs_without_clavicles_have_shoulders_on_the_chest():
    roles = {role: name for role, name in HUMAN.roles.items() if "clavicle" not in role}
    names = tuple(name.replace("sternoclavicular", "helper") for name in HUMAN.names)
    rig = replace(HUMAN, roles=roles, names=names)
    body, _ = body_of(rig)
    assert row_names(rig, body)[6] == ""
    assert not body.clavicles.any()
    figure = human()
    assert body.bases[L_ARM] == pytest.approx(figure.bases[L_ARM] + figure.clavicles[L_ARM])


def test_limits_stand_beside_the_rows():
    names = row_names(HUMAN, body_of(HUMAN)[0])
    held, free = adult_limits(HUMAN).table(names), Limits({}).table(names)
    assert (free["kind"] == FREE).all()
    without = ("", "HumanoidRoot", "l_wrist", "r_wrist", "l_ankle", "r_ankle")
    assert (held["kind"] == FREE).tolist() == [name in without for name in names]
    back = (np.cos(0.3), np.sin(0.3), 0.0, 0.0)  # an elbow bent the wrong way
    row = names.index("l_elbow")
    assert limit_project(held, row, back) == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert limit_project(free, row, back) == back


def long_spine(count: int) -> Skeleton:
    """The figure with so many joints more, evenly along one segment."""
    rig = HUMAN
    whole = HUMAN.offsets[HUMAN.index("vt12")]
    for k in range(count):
        rig = insert_above(rig, "vt12", f"extra{k}")
    offsets = rig.offsets.copy()
    path = rig.path(rig.index("vt12"))[-count - 1 :]
    offsets[path] = whole / (count + 1)
    return replace(rig, offsets=offsets)


def test_spines_of_many_joints():
    rig = long_spine(30)
    body, _ = body_of(rig)
    assert body.joints == 36
    figure = human()
    total = np.linalg.norm(body.segments, axis=1).sum()
    assert total == pytest.approx(np.linalg.norm(figure.segments, axis=1).sum())


def test_too_many_spine_joints_are_refused():
    most = long_spine(SPINE - 6)
    assert body_of(most)[0].joints == SPINE
    with pytest.raises(InputError, match=f"Expected a spine of at most {SPINE} joints, got 65"):
        body_of(long_spine(SPINE - 5))


# --- memory ---------------------------------------------------------------------------------------


def test_cleared_memory_is_fresh_memory():
    plain = Plain(clavicle="hold", swivel="search")
    frame = standing()
    frame[2] += (0.4, 0.9, 0.3)
    plain.solve(frame)
    frame[4] = np.nan
    plain.solve(frame)
    array = new_state()
    array[0] = plain.state
    assert array != new_state()
    copy_tables(new_state(), array)
    assert array == new_state()
    assert array["ages"].tolist() == [[-1] * 6]


def test_room_for_answers():
    out = new_output(34, 6, 5)
    assert out.rotations.shape == (5, 34, 4)
    assert out.residuals.shape == (5, 7)
    assert np.isnan(out.residuals).all()
    assert np.isnan(out.confidence).all()
    assert new_work()["local"].shape == (1, ROWS, 4)


def test_frames_begin_without_points():
    frames = new_frames(new_output(34, 6, 5), 6, 2)
    assert frames.positions.shape == (5, 6, 3)
    assert frames.rotations.shape == (5, 2, 4)
    assert np.isnan(frames.positions).all()
    assert np.isnan(frames.rotations).all()
    assert frames.start.rotations.shape == (0, 34, 4)


def test_records_are_small():
    record, rest = build_body(HUMAN.anatomy)
    assert record.nbytes + rest.nbytes + new_state().nbytes + new_work().nbytes < 100_000


def test_a_joint_in_the_forearm_has_a_row_unless_it_would_move_the_hand():
    rig = insert_above(HUMAN, "r_wrist", "twist")
    body, _ = body_of(rig)
    assert body.twists.tolist() == [-1, body.rows - 1, -1, -1]
    assert row_names(rig, body)[body.twists[R_ARM]] == "twist"
    offsets = rig.offsets.copy()
    at = rig.index("twist")
    offsets[at, 0] += 0.02  # beside the line from elbow to wrist
    offsets[at + 1, 0] -= 0.02
    assert (body_of(replace(rig, offsets=offsets))[0].twists == -1).all()
