from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint import errors
from sixpoint.body import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.kernels.limits import FREE, limit_violation
from sixpoint.limits import FixedLimit, FlexionLimit, Limits, adult_limits
from sixpoint.motion import Motion

KNEE = FlexionLimit.degrees(0.0, 135.0)


@pytest.fixture(scope="module")
def humanoid() -> Skeleton:
    return Skeleton.humanoid()


@pytest.fixture(scope="module")
def limits(humanoid) -> Limits:
    return adult_limits(humanoid)


def random_motion(skeleton: Skeleton, frames: int = 40, spread: float = 1.0) -> Motion:
    rng = np.random.default_rng(5)
    rotations = arrays.from_rotvec(spread * rng.normal(size=(frames, skeleton.joint_count, 3)))
    return Motion(skeleton, np.zeros((frames, 3)), rotations, 60.0)


def rig(skeleton: Skeleton, turn: np.ndarray) -> Skeleton:
    """The same body, every joint frame turned: what an exporter with other axes would write."""
    turns = np.tile(turn, (skeleton.joint_count, 1))
    offsets = arrays.rotate(arrays.conjugate(turns), skeleton.offsets)
    offsets[0] = skeleton.offsets[0]
    bind = arrays.identity(skeleton.joint_count)
    bind[0] = turn
    return replace(
        skeleton,
        offsets=offsets,
        site_offsets=arrays.rotate(arrays.conjugate(turn), skeleton.site_offsets),
        bind=bind,
        hinges={},
    )


def test_limits_are_a_mapping(limits):
    assert limits["l_knee"] == FlexionLimit.degrees(0.0, 135.0)
    assert "l_wrist" not in limits
    assert limits.get("l_wrist") is None
    assert len(list(limits)) == len(limits)
    assert repr(Limits({"a": KNEE})) == "Limits(1 joints: a)"
    assert not Limits()
    assert Limits({"a": KNEE}) == Limits({"a": KNEE}) != Limits({"a": FixedLimit()})


def test_limits_do_not_change_under_ones_feet():
    joints = {"a": KNEE}
    limits = Limits(joints)
    joints["b"] = KNEE
    assert list(limits) == ["a"]
    with pytest.raises(TypeError):
        limits.joints["b"] = KNEE


def test_replace_and_without(limits):
    aaos = FlexionLimit.degrees(-150.0, 0.0)
    other = limits.replace({"l_elbow": aaos, "l_wrist": FixedLimit()})
    assert other["l_elbow"] == aaos
    assert other["l_wrist"] == FixedLimit()
    assert limits["l_elbow"] != aaos
    assert "l_elbow" not in limits.without("l_elbow", "r_elbow")
    assert "l_elbow" not in limits.without("l_elbow").roles


def test_unknown_names_are_refused(humanoid, limits):
    with pytest.raises(UnknownName, match=r"No limited joint 'l_kne'\. Nearest: l_knee"):
        limits["l_kne"]
    with pytest.raises(UnknownName, match="No limited joint 'tail'"):
        limits.without("tail")
    with pytest.raises(UnknownName, match="No joint 'tail'"):
        Limits({"tail": KNEE}).mirror(humanoid)
    with pytest.raises(UnknownName, match="No limited joint 'b'"):
        Limits({"a": KNEE}, {"b": "l_knee"})
    with pytest.raises(InputError, match="Expected joint names and limits, got 'a': int"):
        Limits({"a": 3})


def test_table_has_a_row_for_each_name_and_leaves_the_others_free(limits):
    table = limits.table(["l_knee", "", "l_wrist"])
    assert table["kind"].tolist()[1:] == [FREE, FREE]
    bent = (math.cos(0.5), -math.sin(0.5), 0.0, 0.0)
    assert limit_violation(table, 0, bent) == pytest.approx(1.0)
    assert limit_violation(table, 1, bent) == 0.0


def test_the_neutral_stance_breaks_no_limit(humanoid, limits):
    rest = Motion(humanoid, np.zeros((1, 3)), arrays.identity(1, humanoid.joint_count), 60.0)
    assert limits.violations(rest).max() == 0.0


def test_violations_are_those_of_each_joint(humanoid, limits):
    motion = random_motion(humanoid)
    violations = limits.violations(motion)
    assert violations.shape == (40, humanoid.joint_count)
    for j, name in enumerate(humanoid.names):
        turned = humanoid.anatomy.to_anatomical(motion.rotations)[:, j]
        expected = limits[name].violation(turned) if name in limits else 0.0
        assert np.array_equal(violations[:, j], np.broadcast_to(expected, 40))
    assert violations.max() > 1.0


def test_projected_motion_breaks_no_limit_and_keeps_what_was_inside(humanoid, limits):
    motion = random_motion(humanoid, spread=0.3)
    broken = limits.violations(motion) > 0.0
    held = limits.project(motion)
    assert limits.violations(held).max() < 1e-9
    assert np.array_equal(held.rotations[~broken], motion.rotations[~broken])
    moved = (held.rotations != motion.rotations).any(axis=-1)
    assert np.array_equal(moved, broken)
    assert broken.any()
    assert not broken.all()


def test_limits_do_not_depend_on_the_frames_of_the_rig(humanoid, limits):
    turn = arrays.from_rotvec(np.array([0.4, -1.1, 0.7]))
    other = rig(humanoid, turn)
    motion = random_motion(humanoid, 10)
    turned = other.anatomy.from_anatomical(humanoid.anatomy.to_anatomical(motion.rotations))
    same = Motion(other, motion.root, turned, 60.0)
    np.testing.assert_allclose(
        adult_limits(other).violations(same), limits.violations(motion), atol=1e-6
    )


def test_no_frames_are_no_violations(humanoid, limits):
    empty = random_motion(humanoid, 0)
    assert limits.violations(empty).shape == (0, humanoid.joint_count)
    assert len(limits.project(empty)) == 0


def test_mirrored_limits_judge_the_mirrored_motion(humanoid, limits):
    lame = limits.replace({"l_shoulder": FixedLimit()})
    motion = random_motion(humanoid)
    seen = lame.mirror(humanoid).violations(motion.mirrored())
    pairs = {n: n.replace("l_", "r_", 1) for n in humanoid.names if n.startswith("l_")}
    pairs |= {right: left for left, right in pairs.items()}
    partner = [humanoid.index(pairs.get(name, name)) for name in humanoid.names]
    np.testing.assert_allclose(seen, lame.violations(motion)[:, partner], atol=1e-7)


def test_mirror_is_an_involution_and_moves_the_roles(humanoid, limits):
    lame = limits.replace({"l_shoulder": FixedLimit()})
    mirrored = lame.mirror(humanoid)
    assert mirrored["r_shoulder"] == FixedLimit()
    assert mirrored.roles["r_knee"] == "r_knee"
    assert mirrored.mirror(humanoid) == lame
    assert mirrored.mirror(humanoid).roles == lame.roles


def test_asking_for_a_limit_that_is_not_there_searches_no_similar_names(monkeypatch):
    def searched(*args, **kwargs):
        raise AssertionError("names were compared")

    monkeypatch.setattr(errors.difflib, "get_close_matches", searched)
    limits = Limits({"elbow": FlexionLimit.degrees(0.0, 150.0)})
    assert limits.get("elbow") is limits["elbow"]
    assert limits.get("elbo") is None
    assert limits.get("elbo", 3) == 3
    tracker = sp.solver("mass-spring").prepare(sp.Skeleton.chain(3))
    assert not tracker.solve(np.array([(0.0, 3.0, 0.0)])).converged


def test_tables_for_kernels_are_made_once_for_each_order_of_joints():
    limits = Limits({"b": KNEE})
    first = limits.table(("a", "b"))
    assert limits.table(["a", "b"]) is first
    assert limits.table(("b", "a")) is not first
    again = pickle.loads(pickle.dumps(limits))
    assert again == limits
    assert (again.table(("a", "b")) == first).all()
