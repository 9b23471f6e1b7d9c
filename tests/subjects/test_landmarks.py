"""Landmarks to points: what comes back from arrays that were made of known motions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixpoint as sp
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.subjects import LAYOUTS, canonical_points, layout_positions
from sixpoint.subjects.landmarks import (
    CANONICAL,
    DERIVED_TRUST,
    HEAD,
    PARTS,
    fit_part,
    pelvis_axes,
    stature_of,
)

PLACE = np.array((3.0, 0.0, -2.0))
each = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


@pytest.fixture(scope="module")
def clip():
    return sp.builtin("boxing").frames(slice(0, 430, 10))


def read(positions, layout, rate=60.0):
    """Points of an array in metres, Y up."""
    return canonical_points({n: positions[:, k] for k, n in enumerate(layout.landmarks)}, rate)


def errors(points, clip):
    """Mean distance [m] and angle [rad] from the motion of each point that it has."""
    anatomy = clip.skeleton.anatomy
    names = [name for name in points.names if anatomy.has(name)]
    truth, found = clip.points(names, rotations=True), points.select(names)
    away = np.linalg.norm(found.positions - truth.positions, axis=2).mean(axis=0)
    turned = np.full(len(names), np.nan)
    if found.rotations is not None:
        turned = arrays.angle_between(found.rotations, truth.rotations).mean(axis=0)
    return dict(zip(names, away, strict=True)), dict(zip(names, turned, strict=True))


@each
def test_joints_come_back_as_they_are(layout, clip):
    points = read(layout_positions(clip, layout), layout)
    away, _ = errors(points, clip)
    own = set(layout.landmarks)
    assert {n for n in CANONICAL if n in own} <= set(points.names)
    assert max(v for n, v in away.items() if n in own) < 1e-12
    assert {"pelvis", "head"} <= set(points.names)


@each
def test_faces_feet_and_palms_show_how_they_are_turned(layout, clip):
    points = read(layout_positions(clip, layout), layout)
    away, turned = errors(points, clip)
    for part in PARTS:
        if len(set(part.marks) & set(layout.landmarks)) >= 3:
            assert turned[part.role] < 1e-6
            assert away[part.role] < 1e-9
            assert set(part.carries) <= set(points.names)


@each
def test_a_pelvis_that_is_no_joint_lies_above_the_hips(layout, clip):
    points = read(layout_positions(clip, layout), layout)
    away, _ = errors(points, clip)
    assert away["pelvis"] < (1e-12 if "pelvis" in layout.landmarks else 0.03)
    trust = points.confidence[:, points.names.index("pelvis")]
    assert (trust == (1.0 if "pelvis" in layout.landmarks else DERIVED_TRUST)).all()


def test_pelvis_of_recorded_people_is_a_few_centimetres_off(shared_data):
    for name in ("fight/13_18_boxing", "sit/75_20_low_sit", "sport/64_01_golf_swing"):
        clip = sp.load(shared_data / "cmu" / f"{name}.bvh").frames(slice(0, None, 20))
        layout = LAYOUTS["coco17"]
        away, turned = errors(read(layout_positions(clip, layout), layout), clip)
        assert away["pelvis"] < 0.04
        assert turned["head"] < 1e-6


@each
def test_the_room_may_be_turned_and_moved(layout, clip):
    positions = layout_positions(clip, layout)
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), 1.1)
    here, there = (
        read(each, layout) for each in (positions, arrays.rotate(turn, positions) + PLACE)
    )
    moved = arrays.rotate(turn, here.positions) + PLACE
    np.testing.assert_allclose(there.positions, moved, atol=1e-9)
    if here.rotations is not None:
        seen = np.isfinite(here.rotations).all(axis=2)
        expected = arrays.multiply(turn, here.rotations)
        assert arrays.angle_between(there.rotations, expected)[seen].max() < 1e-6


@each
def test_left_and_right_are_alike(layout, clip):
    def swapped(name):
        return {"l": "r", "r": "l"}[name[0]] + name[1:] if name[1] == "_" else name

    positions = layout_positions(clip, layout)
    order = [layout.landmarks.index(swapped(name)) for name in layout.landmarks]
    mirrored = read(positions[:, order] * (-1.0, 1.0, 1.0), layout)
    plain = read(positions, layout)
    for name in plain.names:
        there = mirrored.positions[:, mirrored.names.index(swapped(name))]
        here = plain.positions[:, plain.names.index(name)]
        np.testing.assert_allclose(there, here * (-1.0, 1.0, 1.0), atol=1e-9)


def test_what_was_not_seen_is_not_made_up(clip):
    layout = LAYOUTS["mediapipe33"]
    positions = layout_positions(clip, layout)
    at = {name: k for k, name in enumerate(layout.landmarks)}
    positions[3, [at["l_ear"], at["r_ear"], at["nose"]]] = np.nan
    positions[4, [at["l_hip"]]] = np.nan
    positions[5, [at["l_index"]]] = np.nan
    points = read(positions, layout)
    seen = dict(zip(points.names, points.seen.T, strict=True))
    assert not seen["head"][3]
    assert seen["head"][[2, 4]].all()
    assert not seen["pelvis"][4]
    assert not seen["l_hand"][5]
    assert seen["l_wrist"][5]
    turned = points.rotations[:, points.names.index("l_wrist")]
    assert np.isnan(turned[5]).all()
    assert np.isfinite(turned[6]).all()
    assert points.confidence[3, points.names.index("head")] == 0.0


@given(st.integers(0, 1000), st.sampled_from(PARTS), st.floats(0.5, 2.0))
def test_a_rigid_part_is_found_wherever_it_is(seed, part, size):
    rng = np.random.default_rng(seed)
    template = np.array(list(part.marks.values()))
    turn, place = arrays.normalize(rng.normal(size=(4, 4))), rng.normal(size=(4, 3))
    seen = place[:, None] + size * arrays.rotate(turn[:, None], template[None])
    found, origin, scale = fit_part(template, seen)
    assert scale == pytest.approx(size)
    np.testing.assert_allclose(origin, place, atol=1e-9)
    assert arrays.angle_between(found, turn).max() < 1e-6


@pytest.mark.parametrize("marks", [("l_ear", "r_ear"), ("l_ear",)])
def test_too_few_landmarks_or_those_on_a_line_show_no_rotation(marks):
    template = np.array([HEAD.marks[name] for name in ("l_ear", "r_ear", "nose")])
    seen = template[None].copy()
    if len(marks) == 1:
        seen[0, 1] = np.nan
    else:
        seen[0, 2] = 0.5 * (seen[0, 0] + seen[0, 1])
        template[2] = 0.5 * (template[0] + template[1])
    turn, origin, _ = fit_part(template, seen)
    assert np.isnan(turn).all()
    assert np.isnan(origin).all()


def test_another_face_gives_nearly_the_same_head(clip):
    """Faces differ: with landmarks moved by five millimetres the head stays within a centimetre."""
    layout = LAYOUTS["coco17"]
    rng = np.random.default_rng(2)
    positions = layout_positions(clip, layout)
    points = clip.points(["head"], rotations=True)
    for k in range(5):
        shift = rng.normal(size=3) * 0.005
        positions[:, k] += arrays.rotate(points.rotations[:, 0], shift)
    away, turned = errors(read(positions, layout), clip)
    assert away["head"] < 0.01
    assert turned["head"] < np.radians(10.0)


def test_stature_comes_from_arms_and_legs(clip):
    layout = LAYOUTS["coco17"]
    positions = layout_positions(clip, layout)
    at = {name: positions[:, k] for k, name in enumerate(layout.landmarks)}
    assert stature_of(at) == pytest.approx(clip.skeleton.anatomy.stature, rel=0.03)
    assert stature_of({"l_wrist": at["l_wrist"]}) == 1.75


def test_the_pelvis_of_somebody_who_stands_is_upright():
    body = sp.Skeleton.humanoid().anatomy
    at = {r: body.positions[None, n] for r, n in body.roles.nodes.items()}
    left, up, forward = pelvis_axes(at)
    np.testing.assert_allclose(left[0], [1, 0, 0], atol=1e-9)
    assert up[0, 1] > 0.99
    assert forward[0, 2] > 0.99


def test_landmarks_that_say_nothing_are_refused():
    with pytest.raises(InputError, match=r"landmarks of a body.*got tail, wing"):
        canonical_points({"tail": np.zeros((2, 3)), "wing": np.zeros((2, 3))}, 30.0)


def test_confidence_of_a_detector_is_kept(clip):
    layout = LAYOUTS["coco17"]
    positions = layout_positions(clip, layout)
    trust = {name: np.full(len(positions), 0.6) for name in layout.landmarks}
    points = canonical_points(
        {n: positions[:, k] for k, n in enumerate(layout.landmarks)}, 60.0, trust
    )
    of = dict(zip(points.names, points.confidence[0], strict=True))
    assert of["l_wrist"] == pytest.approx(0.6)
    assert of["head"] == pytest.approx(0.6)
    assert of["pelvis"] == pytest.approx(0.6 * DERIVED_TRUST)
