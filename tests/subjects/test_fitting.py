from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.bench.subjects import DENSE
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.subjects import fit_subject, fitting, usual_poses

from . import worn

CLIP = sp.builtin("reach").resampled(15.0)
BODY = CLIP.skeleton
JOINTS = CLIP.points(rotations=True)


@pytest.fixture(autouse=True)
def few_frames(monkeypatch):
    """A third of the frames: the laws hold as well, and fits are quicker."""
    monkeypatch.setattr(fitting, "FRAMES", 20)


def recording(mounts, kind="n"):
    """A stance of two seconds and what followed, with mounts."""
    still = worn.stance(BODY, kind, rate=JOINTS.rate)
    return worn.mounted(worn.joined(still, JOINTS), *mounts)


def fitted(points, **options):
    return fit_subject(points, pose="n", at=(0.0, 2.0), skeleton=BODY, **options)


def off(subject, points):
    """Mean distance of joints and angle of bones from the truth."""
    made = subject.joint_points(points.frames(slice(len(points) - len(JOINTS), None)))
    away = np.linalg.norm(made.positions - JOINTS.positions, axis=-1).mean()
    return away, np.degrees(arrays.angle_between(made.rotations, JOINTS.rotations).mean())


@pytest.mark.parametrize("kind", ["t", "a", "n"])
def test_an_exact_stance_shows_mounts_up_to_a_shift_of_the_body(kind, monkeypatch):
    # Somebody who is known to hold the stance exactly, and nothing else known: only the place of
    # the body, forwards and backwards, could explain other mounts.
    monkeypatch.setattr(usual_poses, "HELD", 1e-6)
    monkeypatch.setattr(fitting, "MOUNT_SPREAD", 10.0)
    monkeypatch.setattr(fitting, "MOUNT_EVIDENCE", 1e-9)
    offsets, rotations = worn.mirrored_mounts(1)
    still = worn.stance(BODY, kind)
    points = worn.mounted(still, offsets, rotations)
    subject = fit_subject(points, pose=kind, at=(0.0, 2.0), skeleton=BODY)
    found = subject.mounts.values()
    turned = np.array([mount.alignment for mount in found])
    assert arrays.angle_between(turned, arrays.conjugate(rotations)).max() < 1e-6
    wrong = np.array([mount.offset for mount in found]) - offsets
    shift = arrays.rotate(still.rotations[0], wrong)
    assert np.abs(shift - shift.mean(axis=0)).max() < 1e-6
    assert np.abs(shift.mean(axis=0)[:2]).max() < 1e-6


def test_a_stance_and_motion_give_the_joints():
    points = recording(worn.mirrored_mounts(2))
    subject = fitted(points)
    before = np.linalg.norm(points.positions[-len(JOINTS) :] - JOINTS.positions, axis=-1).mean()
    away, angle = off(subject, points)
    assert before > 0.06
    assert away < 0.45 * before
    assert angle < 6.0
    assert list(subject.mounts) == list(points.names)
    assert "N-pose from 0.00 to 2.00 s" in subject.found[1]


def test_free_motion_alone_turns_trackers_upright():
    points = worn.mounted(JOINTS, *worn.random_mounts(3))
    subject = fit_subject(points, pose=None, skeleton=BODY)
    assert off(subject, points)[1] < 40.0
    assert any("free motion" in note for note in subject.found)


def test_joint_points_are_exact_for_the_true_mounts():
    offsets, rotations = worn.random_mounts(4)
    points = worn.mounted(JOINTS, offsets, rotations)
    mounts = {
        name: sp.subjects.Mount(name, offset, arrays.conjugate(turn))
        for name, offset, turn in zip(JOINTS.names, offsets, rotations, strict=True)
    }
    made = sp.Subject(BODY, mounts).joint_points(points)
    assert np.abs(made.positions - JOINTS.positions).max() < 1e-12
    assert arrays.angle_between(made.rotations, JOINTS.rotations).max() < 1e-6


def test_the_room_does_not_matter():
    points = recording(worn.random_mounts(5))
    here = fitted(points)
    there = fitted(worn.moved_room(points, 2.0, (1.5, 0.0, -3.0)))
    for name, mount in here.mounts.items():
        assert there.mounts[name].offset == pytest.approx(mount.offset, abs=2e-4)
        assert arrays.angle_between(there.mounts[name].alignment, mount.alignment) < 1e-3


def test_the_mirror_image_has_mirrored_mounts():
    points = recording(worn.random_mounts(6))
    here, there = fitted(points), fitted(worn.mirrored(points))
    for name, mount in here.mounts.items():
        other = {"l": "r", "r": "l"}[name[0]] + name[1:] if name[1] == "_" else name
        mirror = mount.offset * (-1.0, 1.0, 1.0)
        assert there.mounts[other].offset == pytest.approx(mirror, abs=2e-4)


def test_joints_are_taken_for_joints():
    subject = fit_subject(JOINTS, pose=None)
    assert subject.mounts == {}
    assert "the points are taken for joints" in subject.found
    assert subject.joint_points(JOINTS) == JOINTS


def test_dense_joints_show_the_lengths():
    body = sp.Skeleton.humanoid(1.75, lengths={"upper_arm": 0.36, "thigh": 0.40})
    motion = sp.Motion(body, CLIP.root, CLIP.rotations, CLIP.rate)
    subject = fit_subject(motion.points(DENSE))
    found = subject.lengths()
    for name, length in (("upper_arm", 0.36), ("thigh", 0.40)):
        assert found[name] == pytest.approx(length, rel=0.03)
        assert abs(found[name] - length) < 2.0 * subject.deviations[name]
    assert any("measured directly" in note for note in subject.found)


def test_six_points_show_stature_and_deviations_are_honest():
    truth = dict(zip(sp.Subject(BODY, deviations={"thigh": 0.1}).lengths(), [0.0], strict=True))
    assert list(truth) == ["thigh"]
    subject = fit_subject(CLIP.points())
    assert subject.skeleton.anatomy.stature == pytest.approx(BODY.anatomy.stature, rel=0.08)
    known = sp.Subject(BODY, deviations=subject.deviations).lengths()
    for name, length in subject.lengths().items():
        assert abs(length - known[name]) < 3.0 * subject.deviations[name]


def test_a_given_height_makes_lengths_surer():
    unknown, known = (fit_subject(CLIP.points(), height=height) for height in (None, 1.75))
    assert known.deviations["thigh"] < unknown.deviations["thigh"]


def test_a_given_rig_is_kept_or_scaled():
    assert fit_subject(CLIP.points(), skeleton=BODY).skeleton == BODY
    tall = fit_subject(CLIP.points(), skeleton=BODY, height=2.0).skeleton
    assert tall.anatomy.stature == pytest.approx(2.0)


def test_a_t_pose_is_found_without_being_told():
    points = worn.mounted(
        worn.joined(JOINTS, worn.stance(BODY, "t", rate=JOINTS.rate)), *worn.mirrored_mounts(7)
    )
    assert "T-pose from 7" in fit_subject(points, skeleton=BODY).found[1]


def test_somebody_who_moves_in_a_stance_is_told_of():
    points = recording(worn.random_mounts(8))
    positions = points.positions.copy()
    positions[10:20, 3] += (0.0, 0.2, 0.0)
    wrong = sp.Points(points.names, positions, points.rate, points.rotations)
    with pytest.raises(InputError, match=r"moved in the stance .*r_wrist by 0\.20 m at"):
        fitted(wrong)


def test_the_wrong_stance_is_told_of():
    points = recording(worn.mirrored_mounts(9), "t")
    with pytest.raises(InputError, match=r"Expected the N-pose .* it looks like 't'"):
        fitted(points)


SHORT = JOINTS.frames(slice(0, 10))


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        (SHORT, {}, r"at least 1 s of points, got 0\.67 s"),
        (JOINTS.select(("l_wrist", "r_wrist")), {}, "named pelvis or head, got l_wrist"),
        (JOINTS, {"pose": "n", "at": (0.0, 0.2)}, "at least 0.5 s, got 0.20"),
        (JOINTS, {"pose": "n", "at": (5.0, 50.0)}, "within the 7.5"),
        (JOINTS, {"pose": "n", "at": (2.0, 1.0)}, r"\(start, end\) in seconds"),
        (JOINTS, {"pose": None, "at": (0.0, 1.0)}, "Expected `pose` with `at`"),
        (JOINTS, {"pose": "t"}, "Found no 1.5 s in which somebody stands still in the T-pose"),
        (JOINTS, {"height": 178.0}, "`height` in metres"),
    ],
)
def test_wrong_calls_are_refused(points, options, message):
    with pytest.raises(InputError, match=message):
        fit_subject(points, **options)


def test_unknown_poses_are_listed():
    with pytest.raises(UnknownName, match="auto, t, a, n"):
        fit_subject(JOINTS, pose="x")


def test_rotations_that_are_none_are_refused():
    wrong = sp.Points(JOINTS.names, JOINTS.positions, 15.0, 3.0 * JOINTS.rotations)
    with pytest.raises(InputError, match="'pelvis' are no rotations"):
        fit_subject(wrong)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([1, 0, 2, 3, 4, 5], "'head' is .* m below 'pelvis'"),
        ([0, 1, 4, 5, 2, 3], "'pelvis' is .* below 'l_ankle'|'head' is .* below 'l_ankle'"),
        ([0, 1, 3, 2, 4, 5], "left and right swapped"),
    ],
)
def test_swapped_trackers_are_told_of(order, message):
    still = worn.stance(BODY, "t")
    wrong = sp.Points(still.names, still.positions[:, order], still.rate)
    with pytest.raises(InputError, match=message):
        fit_subject(wrong, pose="t", at=(0.0, 2.0))


def test_what_a_stance_does_not_show_is_told_of():
    points = recording(worn.mirrored_mounts(2))
    unseen = points.positions.copy()
    unseen[:60, :2] = np.nan
    with pytest.raises(InputError, match="Neither pelvis nor head was seen in the stance"):
        fitted(sp.Points(points.names, unseen, points.rate, points.rotations))
    unknown = points.rotations.copy()
    unknown[:60, 3] = np.nan
    with pytest.raises(InputError, match="rotation of 'r_wrist' was not seen in the stance"):
        fitted(sp.Points(points.names, points.positions, points.rate, unknown))


def test_drop_outs_do_no_harm():
    points = recording(worn.mirrored_mounts(2))
    whole = fitted(points)
    rng = np.random.default_rng(0)
    lost = rng.random(points.positions.shape[:2]) < 0.1
    positions, rotations = points.positions.copy(), points.rotations.copy()
    positions[lost], rotations[lost] = np.nan, np.nan
    some = fitted(sp.Points(points.names, positions, points.rate, rotations))
    for name, mount in whole.mounts.items():
        assert some.mounts[name].offset == pytest.approx(mount.offset, abs=0.02)


def test_another_unit_is_told_of():
    wrong = sp.Points(JOINTS.names, 100.0 * JOINTS.positions, 15.0)
    with pytest.raises(InputError, match="another unit"):
        fit_subject(wrong)
