from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.errors import UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits

clips = pytest.mark.parametrize("name", CLIPS)


def tracks(motion):
    """Node name -> positions (F, 3) [m]."""
    return dict(zip(motion.skeleton.node_names, np.moveaxis(motion.positions(), 1, 0), strict=True))


def stretches(on):
    """First and last frame of each run of True that is longer than a tenth of a second."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a > 6]


def test_there_is_no_other_clip() -> None:
    assert set(CLIPS) == {"boxing", "walk", "reach", "squat", "overhead"}
    with pytest.raises(UnknownName, match=r"No built-in clip 'walking'\. Nearest: walk"):
        builtin("walking")


@clips
def test_four_to_eight_seconds_at_60_hz_on_the_default_figure(name: str) -> None:
    motion = builtin(name)
    assert motion.rate == 60.0
    assert 4.0 <= motion.duration <= 8.0
    assert motion.skeleton == Skeleton.humanoid()


@clips
def test_made_once_and_the_same_every_time(name: str) -> None:
    again = CLIPS[name].motion()
    assert builtin(name) is builtin(name)
    assert np.array_equal(again.root, builtin(name).root)
    assert np.array_equal(again.rotations, builtin(name).rotations)


@clips
def test_nothing_goes_below_the_ground(name: str) -> None:
    assert builtin(name).positions()[..., 1].min() > -1e-6


@clips
def test_planted_feet_do_not_slide(name: str) -> None:
    at = tracks(builtin(name))
    for side in "lr":
        heel, ball = at[f"{side}_calcaneous_post"], at[f"{side}_metatarsal"]
        flat = ball[:, 1].min()  # the height of the joint when the sole is on the ground
        contacts = 0
        for point, height in ((heel, 0.0), (ball, flat)):
            for first, last in stretches(np.abs(point[:, 1] - height) < 1e-6):
                # A foot that pivots on its ball moves its heel on purpose.
                still = point is ball or np.ptp(ball[first:last], axis=0).max() > 1e-6
                if still:
                    assert np.ptp(point[first:last], axis=0).max() < 1e-3
                    contacts += 1
        assert contacts > 0


@clips
def test_one_foot_is_always_on_the_ground(name: str) -> None:
    at = tracks(builtin(name))
    low = [
        at[f"{side}_{point}"][:, 1] - at[f"{side}_{point}"][:, 1].min() < 1e-6
        for side in "lr"
        for point in ("calcaneous_post", "metatarsal")
    ]
    assert np.any(low, axis=0).all()


@clips
def test_elbows_and_knees_are_hinges_that_bend_the_right_way(name: str) -> None:
    motion = builtin(name)
    for side in "lr":
        for joint, low, high in (("elbow", -145.0, 0.0), ("knee", 0.0, 135.0)):
            bend = arrays.to_rotvec(motion.rotations[:, motion.skeleton.index(f"{side}_{joint}")])
            assert np.abs(bend[:, 1:]).max() < 1e-12
            assert low < np.degrees(bend[:, 0]).min()
            assert np.degrees(bend[:, 0]).max() < high


@clips
def test_within_the_adult_limits(name: str) -> None:
    motion = builtin(name)
    assert adult_limits(motion.skeleton).violations(motion).max() == 0.0


@clips
def test_the_three_roots_move_as_one(name: str) -> None:
    motion = builtin(name)
    for joint in ("sacroiliac", "vl5"):
        turned = motion.rotations[:, motion.skeleton.index(joint)]
        assert np.array_equal(turned, arrays.identity(len(motion)))


@clips
def test_nothing_pops(name: str) -> None:
    motion = builtin(name)
    steps = arrays.angle_between(motion.rotations[:-1], motion.rotations[1:])
    assert np.degrees(steps.max()) < 20.0  # a punch turns the elbow by 17 in a frame
    # Of three neighbouring frames the middle one lies near the mean of the others.
    at = motion.positions()
    assert np.linalg.norm(np.diff(at, 2, axis=0), axis=-1).max() < 0.06


@clips
def test_something_happens(name: str) -> None:
    at = tracks(builtin(name))
    assert max(np.ptp(at[f"{side}_wrist"], axis=0).max() for side in "lr") > 0.3
    assert np.ptp(at["skullbase"], axis=0).max() > 0.05


def test_walking_gets_somewhere_with_arms_against_legs() -> None:
    at = tracks(builtin("walk"))
    pelvis = at["HumanoidRoot"]
    assert pelvis[-1, 2] - pelvis[0, 2] > 3.0
    assert abs(pelvis[-1, 0] - pelvis[0, 0]) < 0.02
    steady = slice(100, 260)
    arm, leg = ((at[f"l_{name}"] - at[f"r_{name}"])[steady, 2] for name in ("wrist", "ankle"))
    assert np.corrcoef(arm, leg)[0, 1] < -0.8
    hips, shoulders = (
        (at[f"l_{name}"] - at[f"r_{name}"])[steady, 2] for name in ("hip", "shoulder")
    )
    assert np.corrcoef(hips, shoulders)[0, 1] < -0.8


def test_boxing_turns_a_quarter_and_the_head_leads() -> None:
    motion = builtin("boxing")
    world = motion.world()[1]
    yaw = np.unwrap(arrays.to_euler("YXZ", world)[..., 0], axis=0)
    head, pelvis = (
        np.degrees(yaw[:, motion.skeleton.index(name)]) for name in ("skullbase", "HumanoidRoot")
    )
    assert head[-1] - head[0] == pytest.approx(90.0, abs=3.0)
    assert pelvis[-1] - pelvis[0] == pytest.approx(90.0, abs=3.0)
    turning = slice(220, 310)
    reached = [np.argmax((y - y[220])[turning] > 20.0) for y in (head, pelvis)]
    assert reached[0] + 3 < reached[1]


def test_the_reaching_hand_stays_where_it_takes_hold() -> None:
    for name, seconds, target in (
        ("reach", (1.8, 2.15), (-0.20, 0.74, 0.60)),
        ("overhead", (1.9, 2.35), (-0.20, 2.08, 0.29)),
    ):
        wrist = tracks(builtin(name))["r_wrist"]
        first, last = (round(60.0 * t) for t in seconds)
        assert np.abs(wrist[first : last + 1] - target).max() < 1e-6


def test_the_squat_is_deep_and_upright() -> None:
    at = tracks(builtin("squat"))
    assert at["HumanoidRoot"][:, 1].min() < 0.65 * at["HumanoidRoot"][0, 1]
    # Weight over the feet: the head never goes beyond the toes.
    assert (at["skullbase"][:, 2] < at["l_forefoot_tip"][:, 2] + 0.1).all()


def test_the_bow_curves_the_spine() -> None:
    motion = builtin("reach")
    bow = motion.rotations[round(5.8 * 60)]
    for joint in ("vt12", "vt6"):
        assert np.degrees(arrays.to_rotvec(bow[motion.skeleton.index(joint)])[0]) > 8.0
