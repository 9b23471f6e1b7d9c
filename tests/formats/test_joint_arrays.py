"""Arrays of joints: what is found out about them, and the mistakes that are named."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError, UnknownName
from sixpoint.formats.joint_arrays import MissingRate, points_from_array
from sixpoint.kernels import arrays
from sixpoint.motion.points import Points
from sixpoint.subjects import LAYOUTS, canonical_points, layout_positions

CLIP = sp.builtin("boxing").frames(slice(0, 430, 8))
COCO = LAYOUTS["coco17"]
POSITIONS = layout_positions(CLIP, COCO)
each = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def read(values, layout="coco17", **options):
    return points_from_array(values, layout, **{"rate": 30.0, **options})


def points_of(positions, layout=COCO):
    return canonical_points({n: positions[:, k] for k, n in enumerate(layout.landmarks)}, 30.0)


def same(found: Points, expected: Points) -> None:
    assert found.names == expected.names
    np.testing.assert_allclose(found.positions, expected.positions, atol=1e-9)
    if expected.rotations is not None:
        seen = np.isfinite(expected.rotations).all(axis=2)
        assert arrays.angle_between(found.rotations, expected.rotations)[seen].max() < 1e-6


@each
def test_points_in_metres_are_those_of_the_landmarks(layout):
    positions = layout_positions(CLIP, layout)
    found = points_from_array(positions, layout.name, rate=30.0)
    same(found.points, points_of(positions, layout))
    assert found.layout == layout.name
    assert found.notes == ()


@each
@pytest.mark.parametrize(("unit", "metres"), [("mm", 0.001), ("cm", 0.01), ("inch", 0.0254)])
def test_units_are_found_by_the_size_of_the_body(layout, unit, metres):
    positions = layout_positions(CLIP, layout)
    found = points_from_array(positions / metres, layout.name, rate=30.0)
    same(found.points, points_of(positions, layout))
    assert any(f"unit {unit}" in note for note in found.notes)


@pytest.mark.parametrize(
    ("up", "order", "sign"),
    [("z", [0, 2, 1], (1, -1, 1)), ("-y", [0, 1, 2], (1, -1, -1)), ("x", [1, 0, 2], (1, -1, 1))],
)
def test_the_upward_axis_is_found_and_can_be_said(up, order, sign):
    turned = (POSITIONS * sign)[..., order] if up == "-y" else None
    if turned is None:
        back = {"z": lambda p: p[..., [0, 2, 1]] * (1, -1, 1),
                "x": lambda p: p[..., [1, 0, 2]] * (1, -1, 1)}[up]  # fmt: skip
        turned = back(POSITIONS)
    found = read(turned)
    same(found.points, points_of(POSITIONS))
    assert found.notes == (f"guessed: {up.upper()} points up",)
    assert read(turned, up=up).notes == ()


def test_a_body_in_any_axes_that_are_not_said_stands():
    lying = POSITIONS[:, :, [0, 2, 1]] * (1, -1, 1)
    as_it_is = read(lying, up="y").points
    assert np.ptp(as_it_is.positions[0, :, 1]) < 1.0


@each
def test_left_handed_axes_are_mended_and_said(layout):
    positions = layout_positions(CLIP, layout)
    exchanged = positions[..., [0, 2, 1]]  # Z up, by an exchange without a change of sign
    found = points_from_array(exchanged, layout.name, rate=30.0)
    assert any("left-handed" in note for note in found.notes)
    expected = points_of(positions, layout)
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), np.pi)
    np.testing.assert_allclose(
        found.points.positions, arrays.rotate(turn, expected.positions), atol=1e-9
    )


def test_flat_rows_and_confidence():
    same(read(POSITIONS.reshape(len(POSITIONS), -1)).points, points_of(POSITIONS))
    trust = np.full((*POSITIONS.shape[:2], 1), 0.7)
    trust[2, COCO.landmarks.index("l_wrist")] = 0.0
    found = read(np.concatenate([POSITIONS, trust], axis=2)).points
    assert found.confidence[0, found.names.index("l_wrist")] == pytest.approx(0.7)
    assert not found.seen[2, found.names.index("l_wrist")]
    assert found.seen[1].all()


def test_zeros_are_not_seen_but_an_origin_is():
    holes = POSITIONS.copy()
    holes[3, COCO.landmarks.index("r_ankle")] = 0.0
    found = read(holes).points
    assert not found.seen[3, found.names.index("r_ankle")]
    human = LAYOUTS["h36m17"]
    relative = layout_positions(CLIP, human)
    relative -= relative[:, :1]
    seen = points_from_array(relative, "h36m17", rate=30.0)
    assert seen.points.seen.all()


def test_positions_relative_to_the_hips_are_put_on_the_floor():
    hips = POSITIONS[:, [11, 12]].mean(axis=1, keepdims=True)
    found = read(POSITIONS - hips)
    assert any("relative to the hips" in note for note in found.notes)
    ankles = found.points.select(["l_ankle", "r_ankle"]).positions[..., 1]
    np.testing.assert_allclose(ankles.min(axis=1), 0.039 * 1.75, atol=0.01)
    assert np.ptp(found.points.select(["pelvis"]).positions[:, 0, 0]) < 0.1


def test_two_people_in_turn_are_said():
    other = POSITIONS + np.array((1.5, 0.0, 0.0))
    mixed = np.where((np.arange(len(POSITIONS)) % 10 < 5)[:, None, None], POSITIONS, other)
    notes = read(mixed).notes
    assert len(notes) == 1
    assert "jumps by 1." in notes[0]
    assert "at frame 5, and 9 times more: two people or several clips" in notes[0]


def test_a_joint_that_is_never_seen_is_said():
    holes = POSITIONS.copy()
    holes[:, 3] = np.nan
    assert read(holes).notes == ("never seen: l_ear",)
    assert "head" in read(holes).points.names


@each
def test_the_layout_is_guessed_from_the_joints(layout):
    found = points_from_array(layout_positions(CLIP, layout), rate=30.0)
    assert LAYOUTS[found.layout].landmarks == layout.landmarks
    assert "guessed: layout" in found.notes[0]


def test_the_rate_comes_from_the_caller_or_the_layout():
    with pytest.raises(MissingRate, match="frames a second"):
        points_from_array(POSITIONS, "coco17")
    smpl = layout_positions(CLIP, LAYOUTS["humanml3d22"])
    assert points_from_array(smpl, "humanml3d22").points.rate == 20.0
    with pytest.raises(InputError, match="a positive `rate`"):
        points_from_array(POSITIONS, "coco17", rate=0.0)


def pixels():
    values = POSITIONS * (400.0, -400.0, 0.0) + (500.0, 800.0, 0.0)
    values[..., 2] = np.random.default_rng(0).uniform(0.2, 1.0, values.shape[:2])
    return values


def in_image():
    low, high = POSITIONS.min(axis=(0, 1)), POSITIONS.max(axis=(0, 1))
    return (POSITIONS - low) / ((high - low) * 1.3) + 0.05


def without_depth():
    values = POSITIONS.copy()
    values[..., 2] = np.nan
    return values


def mostly_unseen():
    values = POSITIONS.copy()
    values[:, 5:] = np.nan
    return values


F = len(POSITIONS)


@pytest.mark.parametrize(
    ("values", "layout", "message"),
    [
        (POSITIONS, "mediapipe33", r"33 joints for.*got 17; layouts with 17: coco17, h36m17"),
        (POSITIONS, "h36m17", "keep their length, .* read as coco17 they would"),
        (POSITIONS.transpose(1, 0, 2), "coco17",
         rf"another order; array.transpose\(1, 0, 2\) has \({F}, 17, 3\)"),
        (POSITIONS.transpose(0, 2, 1), "coco17", r"array.transpose\(0, 2, 1\)"),
        (POSITIONS.transpose(2, 1, 0), None, r"array.transpose\(2, 1, 0\)"),
        (POSITIONS.transpose(0, 2, 1).reshape(F, -1), "coco17", "all x first, then all y"),
        (np.concatenate([POSITIONS] * 2, axis=1), "coco17", "34 is 2 times 17.*one person"),
        (np.stack([POSITIONS] * 2), "coco17", "points of 2 people"),
        (POSITIONS[..., :2], "coco17", "2D keypoints need two views"),
        (POSITIONS * (1, 1, 0), "coco17", "got the same z for all: 2D keypoints"),
        (pixels(), "coco17", "pixels with a confidence"),
        (in_image(), "coco17", "landmarks of an image.*world landmarks"),
        (without_depth(), "coco17", "got NaN for every z: 2D keypoints"),
        (mostly_unseen(), "coco17", "only NaN for 12 of 17: l_shoulder.*Wrong columns"),
        (np.full_like(POSITIONS, np.nan), "coco17", "only NaN for 17 of 17"),
        (np.zeros_like(POSITIONS), "coco17", "the same place for all"),
        (np.full_like(POSITIONS, np.inf), "coco17", "got infinity"),
        (POSITIONS[:0], "coco17", "at least one frame"),
        (POSITIONS[:, :5], None, r"known layout, got 5 joints; there are coco17 \(17\)"),
        (POSITIONS.reshape(F, -1)[:, :50], None, "3 numbers for each joint in a row, got 50"),
        (np.ones((4, 263)), None, "features of HumanML3D; recover the joints"),
        (np.random.default_rng(3).normal(size=(60, 72)) * 0.4, "smpl24", "rotations of SMPL"),
        (np.ones(5), None, r"shape \(frames, joints, 3\), got \(5,\)"),
        (np.array(["a"]), None, "an array of numbers"),
        (np.concatenate([POSITIONS, 9.0 + POSITIONS[..., :1]], axis=2), "coco17", "fourth number"),
        (POSITIONS * 0.3 + 5.0, "coco17", r"a person of 1 to 2.4 m, got one of 0\.5"),
    ],
)  # fmt: skip
def test_the_likely_mistake_is_named(values, layout, message):
    with pytest.raises(InputError, match=message):
        points_from_array(values, layout, rate=30.0)


def test_a_stated_unit_is_believed():
    small = points_from_array(in_image(), "coco17", rate=30.0, unit=2.0).points
    assert np.isfinite(small.positions).all()
    with pytest.raises(UnknownName, match="No unit 'miles'"):
        read(POSITIONS, unit="miles")
    with pytest.raises(InputError, match="upward axis among y, z, x, -y, -z, -x; got 'w'"):
        read(POSITIONS, up="w")


def test_an_array_is_reconstructed_in_one_line():
    result = sp.reconstruct(POSITIONS, layout="coco17", rate=30.0, solver="pik")
    anatomy, truth = result.motion.skeleton.anatomy, CLIP.skeleton.anatomy
    assert len(result.motion) == len(CLIP)
    assert result.motion.rate == 30.0
    for role in ("head", "l_wrist", "r_wrist", "l_ankle", "r_ankle"):
        away = result.motion.positions([anatomy.node(role)]) - CLIP.positions([truth.node(role)])
        assert np.median(np.linalg.norm(away, axis=2)) < 0.002
    assert anatomy.stature == pytest.approx(truth.stature, rel=0.02)
    assert any("bone lengths that the points show" in text for text in result.report.warnings)


def test_layout_and_rate_are_for_arrays():
    with pytest.raises(InputError, match="`layout` and `rate` with an array"):
        sp.reconstruct(CLIP.points(), CLIP.skeleton, layout="coco17")


def test_points_that_are_none_of_a_person_are_refused():
    strange = Points(("a", "b"), np.zeros((3, 2, 3)), 30.0)
    with pytest.raises(InputError, match=r"recognised nothing among a, b.*--role l_wrist"):
        sp.reconstruct(strange, CLIP.skeleton)
