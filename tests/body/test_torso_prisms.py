from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rigs import odd_rig
from sixpoint.body.shapes import TorsoPrism, elbow_radius, torso_prisms
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError

FIGURE = Skeleton.humanoid()
SQUARE = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])


def neutral(skeleton: Skeleton, name: str) -> np.ndarray:
    anatomy = skeleton.anatomy
    return anatomy.positions[anatomy.node(name)]


def test_prisms_stack_from_the_hips_to_the_shoulders():
    prisms = torso_prisms(FIGURE)
    assert [FIGURE.names[p.joint] for p in prisms] == ["HumanoidRoot", "vt12", "vt6"]
    heights = [FIGURE.anatomy.positions[p.joint][1] for p in prisms]
    lows = [h + p.y_low for h, p in zip(heights, prisms, strict=True)]
    highs = [h + p.y_high for h, p in zip(heights, prisms, strict=True)]
    assert lows[0] == pytest.approx(neutral(FIGURE, "l_hip")[1])
    assert highs[-1] == pytest.approx(neutral(FIGURE, "l_shoulder")[1])
    assert lows[1:] == pytest.approx(highs[:-1])


def test_sizes_follow_the_shoulders_and_leave_room_for_hanging_elbows():
    half = neutral(FIGURE, "l_shoulder")[0]
    radius = elbow_radius(FIGURE)
    assert radius == pytest.approx(0.325 / 6.0, abs=1e-3)
    waist, *chest = torso_prisms(FIGURE)
    assert np.ptp(waist.polygon[:, 0]) / 2 < half - radius
    for prism in chest:
        assert np.ptp(prism.polygon[:, 0]) / 2 == pytest.approx(half * 0.16 / 0.18)
        assert np.ptp(prism.polygon[:, 1]) / 2 == pytest.approx(half * 0.11 / 0.18)


def test_the_torso_is_symmetric_and_lies_in_front_of_the_spine():
    for prism in torso_prisms(FIGURE):
        mirrored = prism.polygon * [-1.0, 1.0]
        assert {tuple(p) for p in mirrored.round(9)} == {tuple(p) for p in prism.polygon.round(9)}
        assert prism.polygon[:, 1].min() < 0.0 < prism.polygon[:, 1].mean()


def test_prisms_scale_with_the_body():
    small, large = torso_prisms(Skeleton.humanoid(0.9)), torso_prisms(Skeleton.humanoid(1.8))
    for a, b in zip(small, large, strict=True):
        np.testing.assert_allclose(2.0 * a.polygon, b.polygon, atol=1e-12)
        assert b.y_low == pytest.approx(2.0 * a.y_low)
        assert b.y_high == pytest.approx(2.0 * a.y_high)


def test_prisms_do_not_depend_on_the_frames_of_the_rig():
    for a, b in zip(torso_prisms(FIGURE), torso_prisms(odd_rig()), strict=True):
        assert a.joint == b.joint
        np.testing.assert_allclose(a.polygon, b.polygon, atol=1e-9)
        assert (a.y_low, a.y_high) == pytest.approx((b.y_low, b.y_high))


def test_a_flat_torso_is_refused():
    offsets = FIGURE.offsets.copy()
    for side in "lr":
        offsets[FIGURE.index(f"{side}_sternoclavicular")][0] = 0.0
        offsets[FIGURE.index(f"{side}_shoulder")][0] = 0.0
    with pytest.raises(InputError, match="this skeleton's torso is flat"):
        torso_prisms(replace(FIGURE, offsets=offsets))


def test_prisms_that_are_none_are_refused():
    with pytest.raises(InputError, match=r"`polygon` to have shape \(K, 2\), K >= 3, got \(2, 2\)"):
        TorsoPrism(0, 0.0, 1.0, SQUARE[:2])
    with pytest.raises(InputError, match=r"y_low < y_high, got 1\.0 and 1\.0"):
        TorsoPrism(0, 1.0, 1.0, SQUARE)
    with pytest.raises(InputError, match="convex"):
        TorsoPrism(0, 0.0, 1.0, SQUARE[::-1])
    dented = np.insert(SQUARE, 1, [0.5, 0.0], axis=0)
    with pytest.raises(InputError, match="convex"):
        TorsoPrism(0, 0.0, 1.0, dented)


def test_a_prism_keeps_its_own_copy():
    corners = SQUARE.copy()
    prism = TorsoPrism(0, 0.0, 1.0, corners)
    corners += 1.0
    np.testing.assert_array_equal(prism.polygon, SQUARE)
