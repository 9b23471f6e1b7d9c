from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.body.shapes import Capsule, body_shape
from sixpoint.errors import InputError


def test_a_body_is_symmetric_and_stands_on_the_ground():
    clip = sp.builtin("squat").frames([0])
    shape = body_shape(clip.skeleton)
    starts, ends = (at[0] for at in shape.place(*clip.world()))
    radii = np.array([capsule.radius for capsule in shape.capsules])
    lowest = float((np.minimum(starts, ends)[:, 1] - radii).min())
    highest = float((np.maximum(starts, ends)[:, 1] + radii).max())
    assert -0.01 < lowest < 0.03
    assert highest == pytest.approx(1.75, abs=0.04)
    rest = sp.Skeleton.humanoid(1.75)
    stand = sp.Motion(rest, rest.rest()[0][:1], np.tile([1.0, 0, 0, 0], (1, 34, 1)), 60.0)
    starts, ends = (at[0] for at in shape.place(*stand.world()))
    for name in ("upper_arm", "forearm", "hand", "thigh", "shank", "foot"):
        left, right = (shape.names.index(f"{side}_{name}") for side in "lr")
        np.testing.assert_allclose(starts[left] * (-1, 1, 1), starts[right], atol=1e-9)
        assert radii[left] == radii[right]


def test_parts_move_with_their_joints():
    clip = sp.builtin("overhead")
    shape = body_shape(clip.skeleton)
    starts, ends = shape.place(*clip.world())
    k = shape.names.index("r_forearm")
    points = clip.points(["r_elbow", "r_wrist"]).positions
    np.testing.assert_allclose(starts[:, k], points[:, 0], atol=1e-9)
    np.testing.assert_allclose(ends[:, k], points[:, 1], atol=1e-9)


def test_a_capsule_has_a_radius():
    with pytest.raises(InputError, match="positive `radius` of 'arm', got 0"):
        Capsule("arm", 0, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0)
