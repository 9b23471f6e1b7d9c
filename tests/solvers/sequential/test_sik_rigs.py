"""Sequential IK of one person on many rigs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rest_poses import REST_POSES, TWISTED, pruned, rebased
from rigs import insert_above, odd_rig
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion
from sixpoint.solvers import SequentialSolver

from ..bodies import HUMAN
from ..bodies import sequential_reconstruct as reconstruct
from ..clip_pieces import clip_points, holed

ALL_POSES = REST_POSES | TWISTED


class Reference:
    """Points of a fight, and where sequential IK puts every node of the built-in figure."""

    def __init__(self) -> None:
        self.points = holed(clip_points("boxing", 120, rotations=True), share=0.05)
        self.positions = reconstruct(self.points, HUMAN).motion.positions()
        stretch = []
        for side in "lr":
            for parts in (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")):
                a, b, c = (self.positions[:, HUMAN.index(f"{side}_{part}")] for part in parts)
                bones = np.linalg.norm(b - a, axis=-1) + np.linalg.norm(c - b, axis=-1)
                stretch.append(np.linalg.norm(c - a, axis=-1) / bones)
        # Of a limb that is straight to the last bit, the elbow is known to the root of that bit.
        self.straight = np.max(stretch, axis=0) > 1.0 - 1e-9
        assert 0 < self.straight.sum() < 60

    def check(self, motion: Motion) -> None:
        """The same places on another rig of the same person."""
        names = HUMAN.node_names
        places = motion.positions([motion.skeleton.index(name) for name in names])
        gap = np.abs(places - self.positions).max(axis=(1, 2))
        assert gap[~self.straight].max() < 1e-9
        assert gap.max() < 1e-7


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference()


@pytest.mark.parametrize("pose", ALL_POSES.values(), ids=ALL_POSES.keys())
def test_rest_pose_of_the_rig_does_not_matter(pose, reference):
    result = reconstruct(reference.points, rebased(HUMAN, pose))
    reference.check(result.motion)
    assert result.report.limit_violations == 0


@pytest.mark.parametrize("seed", range(3))
def test_joint_frames_of_the_rig_do_not_matter(seed, reference):
    reference.check(reconstruct(reference.points, odd_rig(seed)).motion)


def named_positions(motion: Motion, names: tuple[str, ...]) -> np.ndarray:
    return motion.positions([motion.skeleton.index(name) for name in names])


@pytest.mark.parametrize("pose", ["neutral", "T-pose", "elbows bent"])
def test_twist_joints_do_not_matter(pose, reference):
    rig = HUMAN
    for name in ("l_wrist", "r_wrist", "l_elbow", "r_elbow", "l_knee", "r_ankle"):
        rig = insert_above(rig, name, f"{name}_twist")
    reference.check(reconstruct(reference.points, rebased(rig, REST_POSES[pose])).motion)


@pytest.mark.parametrize("pose", ["neutral", "T-pose", "yawed"])
@pytest.mark.parametrize("bound", [False, True], ids=["plain", "bound"])
def test_pelvis_may_hang_below_a_root(pose, bound, reference):
    points = reference.points
    rig = rebased(insert_above(HUMAN, "HumanoidRoot", "Reference"), REST_POSES[pose])
    if bound:  # a root that lies on its back, somewhere else, as exporters like it
        offsets, bind = rig.offsets.copy(), arrays.identity(rig.joint_count)
        bind[0] = arrays.from_axis_angle((1.0, 0.0, 0.0), -np.pi / 2)
        bind[1] = arrays.conjugate(bind[0])
        offsets[0] = (1.0, 2.0, 3.0)
        offsets[1] = (0.3, 0.1, 0.2)
        rig = replace(rig, offsets=offsets, bind=bind)
    result = reconstruct(points, rig)
    reference.check(result.motion)
    # The root does not move; the pelvis travels below it.
    assert np.ptp(result.motion.root, axis=0) == pytest.approx(np.zeros(3))
    streamed = SequentialSolver().prepare(rig, rate=points.rate).solve(points.frames(slice(0, 1)))
    assert np.array_equal(streamed.pose.world()[0], result.motion[0].world()[0])


def test_ends_of_the_rig_may_be_sites(reference):
    points = reference.points
    ends = ("skullbase", "l_wrist", "r_wrist", "l_ankle", "r_ankle")
    for pose in ("neutral", "T-pose"):
        rig = pruned(rebased(HUMAN, REST_POSES[pose]), ends)
        motion = reconstruct(points, rig, limits=None).motion
        truth = reconstruct(points, HUMAN, limits=None).motion
        gap = named_positions(motion, rig.node_names) - named_positions(truth, rig.node_names)
        assert np.abs(gap).max() < 1e-7


def test_a_rig_without_clavicles(reference):
    points = reference.points
    roles = {role: name for role, name in HUMAN.roles.items() if "clavicle" not in role}
    names = tuple(name.replace("sternoclavicular", "helper") for name in HUMAN.names)
    rig = replace(HUMAN, roles=roles, names=names)
    motion = reconstruct(points, rig).motion
    helper = rig.index("l_helper")
    assert np.array_equal(motion.rotations[:, helper], arrays.identity(len(points)))


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_spines_of_few_joints(kept):  # one segment, two, three
    path = HUMAN.path(HUMAN.index("skullbase"))[1:-1]
    names = [HUMAN.names[j] for j in path]
    keep = {0: [], 1: ["vt6"], 2: ["vt12", "vt6"]}[kept]
    rig = HUMAN
    for name in reversed(names):
        if name not in keep:
            rig = removed(rig, name)
    assert len(rig.anatomy.spine) == kept
    result = reconstruct(clip_points("reach", 120), rig)
    assert np.isfinite(result.motion.rotations).all()
    assert result.residuals[:, 2:].max() < 0.25
    known = reconstruct(clip_points("reach", 20, rotations=True), rig)
    assert np.isfinite(known.motion.rotations).all()


def removed(rig: Skeleton, name: str) -> Skeleton:
    """The rig without a joint; its children hang from its parent."""
    at = rig.index(name)
    parent = int(rig.parents[at])
    keep = [j for j in range(rig.joint_count) if j != at]
    offsets = rig.offsets.copy()
    offsets[rig.parents == at] += offsets[at]

    def number(j):
        j = parent if j == at else int(j)
        return j - (j > at)

    return replace(
        rig,
        names=tuple(rig.names[j] for j in keep),
        parents=np.array([number(rig.parents[j]) for j in keep]),
        offsets=offsets[keep],
        site_parents=np.array([number(j) for j in rig.site_parents]),
    )
