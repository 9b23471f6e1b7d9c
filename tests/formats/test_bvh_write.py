from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigs import random_rotations
from sixpoint.body.skeleton import Skeleton
from sixpoint.formats.bvh_read import parse_bvh, read_bvh
from sixpoint.formats.bvh_write import continuous, write_bvh
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion, Source
from sixpoint.subjects.conventions import UP

from .samples import BVH, standing_person

POSITIONS = ("Xposition", "Yposition", "Zposition")


@st.composite
def motions(draw):
    """Any tree, any layout of channels that can hold its motion, any unit and axes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    joints, frames = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    roots = draw(st.integers(1, 2))
    parents, open_joints = [], []
    for j in range(joints):  # depth first, as a file lists them
        if not open_joints or (roots > 1 and j == joints // 2):
            parents.append(-1)
            open_joints = [j]
        else:
            keep = draw(st.integers(1, len(open_joints)))
            parents.append(open_joints[keep - 1])
            open_joints = [*open_joints[:keep], j]
    sites = [j for j in range(joints) if draw(st.booleans())]
    size = 10.0 ** draw(st.floats(-2, 1))
    names = tuple(f"joint {j}" if draw(st.booleans()) else f"j:{j}" for j in range(joints))
    skeleton = Skeleton(
        names,
        np.array(parents),
        size * rng.normal(size=(joints, 3)),
        tuple(f"{names[j]}_end" for j in sites),
        np.array(sites, dtype=int),
        size * rng.normal(size=(len(sites), 3)),
    )
    root = size * rng.normal(size=(frames, 3))
    channels, translations = [], None
    slides = [j for j in range(1, joints) if draw(st.booleans())]
    if slides:
        translations = np.broadcast_to(skeleton.offsets, (frames, joints, 3)).copy()
        translations[:, slides] += 0.3 * size * rng.normal(size=(frames, len(slides), 3))
        translations[:, 0] = root
    for j in range(joints):
        turns = tuple(f"{axis}rotation" for axis in draw(st.permutations("XYZ")))
        moves = tuple(draw(st.permutations(POSITIONS))) if j == 0 or j in slides else ()
        channels.append((*moves, *turns) if draw(st.booleans()) else (*turns, *moves))
    source = Source(
        "bvh",
        unit=draw(st.sampled_from([0.01, 1.0, 0.0254, 0.001])),
        axes=UP[draw(st.sampled_from("xyz"))],
        channels=tuple(channels),
    )
    rotations = random_rotations(rng, frames, joints, size=draw(st.sampled_from([0.0, 0.3, 2.0])))
    rate = draw(st.sampled_from([24.0, 29.97, 60.0, 120.0]))
    return Motion(skeleton, root, rotations, rate, translations, source), size


@given(motions())
@settings(max_examples=60)
def test_reading_what_was_written_gives_the_same_motion(tmp_path_factory, drawn):
    motion, size = drawn
    path = tmp_path_factory.mktemp("bvh") / "a.bvh"
    assert write_bvh(motion, path) == ()
    up = next(axis for axis, turn in UP.items() if turn == motion.source.axes)
    back = read_bvh(path, unit=motion.source.unit, up=up)
    assert back.skeleton.node_names == motion.skeleton.node_names
    assert back.skeleton.parents.tolist() == motion.skeleton.parents.tolist()
    assert back.rate == pytest.approx(motion.rate, rel=1e-9)
    assert back.source.channels == motion.source.channels
    assert back.source.axes == motion.source.axes
    np.testing.assert_allclose(back.positions(), motion.positions(), atol=1e-4 * size)
    assert arrays.angle_between(back.rotations, motion.rotations).max() < 1e-6


def test_writing_again_gives_the_same_bytes(tmp_path):
    first, second = tmp_path / "a.bvh", tmp_path / "b.bvh"
    write_bvh(standing_person(unit=0.01), first)
    write_bvh(read_bvh(first), second)
    assert first.read_bytes() == second.read_bytes()


def test_a_motion_made_in_memory_is_written_in_centimetres(tmp_path):
    person = standing_person()
    write_bvh(person, tmp_path / "a.bvh")
    text = parse_bvh((tmp_path / "a.bvh").read_bytes())
    np.testing.assert_allclose(text.values[:, :3], 100.0 * person.root, atol=1e-6)
    assert text.channels[0] == (*POSITIONS, "Zrotation", "Xrotation", "Yrotation")
    assert set(text.channels[1:]) == {("Zrotation", "Xrotation", "Yrotation")}
    back = read_bvh(tmp_path / "a.bvh")
    assert back.source.unit == 0.01
    joints = range(person.skeleton.joint_count)
    np.testing.assert_allclose(back.positions(joints), person.positions(joints), atol=1e-7)


def test_angles_are_continuous(tmp_path):
    turns = np.radians(np.arange(0.0, 1440.0, 7.0))
    wave = np.radians(80.0) * np.sin(turns / 3.0)
    motion = Motion(
        Skeleton(("r",), [-1], [[0.0, 0.0, 0.0]]),
        np.zeros((len(turns), 3)),
        arrays.from_euler("ZXY", np.stack([turns, wave, -2.0 * turns], axis=-1))[:, None],
        60.0,
    )
    write_bvh(motion, tmp_path / "a.bvh")
    angles = parse_bvh((tmp_path / "a.bvh").read_bytes()).values[:, 3:]
    np.testing.assert_allclose(
        angles - angles[0], np.degrees(np.stack([turns, wave, -2 * turns], -1)), atol=1e-5
    )


@given(st.integers(0, 2**32 - 1))
def test_continuous_angles_are_the_same_rotations(seed):
    rng = np.random.default_rng(seed)
    angles = np.cumsum(rng.normal(size=(40, 3)), axis=0)
    again = continuous(arrays.to_euler("ZXY", arrays.from_euler("ZXY", angles)))
    apart = arrays.angle_between(arrays.from_euler("ZXY", again), arrays.from_euler("ZXY", angles))
    assert apart.max() < 1e-7


def test_continuous_angles_through_the_pole():
    climb = np.radians(np.linspace(60.0, 120.0, 61))  # past 90 degrees, where angles jump by 180
    angles = np.stack([0.3 + 0.0 * climb, climb, 0.1 + 0.0 * climb], axis=-1)
    angles = np.delete(angles, 30, axis=0)  # exactly 90: two of the angles cannot be told apart
    again = continuous(arrays.to_euler("ZXY", arrays.from_euler("ZXY", angles)))
    np.testing.assert_allclose(again, angles, atol=1e-6)


def test_a_joint_that_moves_gets_position_channels(tmp_path):
    person = standing_person(unit=0.01)
    layout = ((*POSITIONS, "Zrotation", "Xrotation", "Yrotation"),) + (
        ("Zrotation", "Xrotation", "Yrotation"),
    ) * (person.skeleton.joint_count - 1)
    moves = np.broadcast_to(person.skeleton.offsets, (len(person), *person.skeleton.offsets.shape))
    moves = moves.copy()
    moves[:, 3, 1] += 0.1 * np.arange(len(person))
    person = replace(person, translations=moves, source=Source("bvh", unit=0.01, channels=layout))
    notes = write_bvh(person, tmp_path / "a.bvh")
    assert notes == (f"{person.skeleton.names[3]} moves: it got position channels",)
    back = read_bvh(tmp_path / "a.bvh", unit=0.01)
    joints = range(person.skeleton.joint_count)
    np.testing.assert_allclose(back.positions(joints), person.positions(joints), atol=1e-6)


@pytest.mark.parametrize("channels", [(), ("Xrotation",), ("Zrotation", "Xrotation", "Zrotation")])
def test_a_joint_that_turns_further_gets_more_channels(tmp_path, channels):
    q = random_rotations(np.random.default_rng(0), 3, 1)
    body = Skeleton(("r",), [-1], [[1.0, 2.0, 3.0]])
    source = Source("bvh", channels=(channels,))
    notes = write_bvh(
        Motion(body, [[1.0, 2.0, 3.0]] * 3, q, 60.0, source=source), tmp_path / "a.bvh"
    )
    assert notes == ("r turns about more axes than it had channels: it got ZXY",)
    back = read_bvh(tmp_path / "a.bvh", unit="m")
    assert arrays.angle_between(back.rotations, q).max() < 1e-6
    np.testing.assert_allclose(back.root, [[1.0, 2.0, 3.0]] * 3)


@pytest.mark.parametrize(
    ("order", "angles"), [("Z", (100.0,)), ("ZX", (30.0, 120.0)), ("YZ", (-170.0, 95.0)), ("", ())]
)
def test_fewer_axes_are_kept_where_they_suffice(tmp_path, order, angles):
    q = arrays.from_euler(order, np.radians(np.array([angles, angles])))[:, None]
    body = Skeleton(("r", "s"), [-1, 0], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    layout = (POSITIONS, tuple(f"{axis}rotation" for axis in order))
    rotations = np.concatenate([arrays.identity(2, 1), q], axis=1)
    motion = Motion(body, np.zeros((2, 3)), rotations, 60.0, source=Source("bvh", channels=layout))
    assert write_bvh(motion, tmp_path / "a.bvh") == ()
    back = read_bvh(tmp_path / "a.bvh", unit="m")
    assert back.source.channels == layout
    assert arrays.angle_between(back.rotations, rotations).max() < 1e-6


def test_names_that_a_bvh_cannot_hold_are_changed(tmp_path):
    body = Skeleton(("a{b}", "  "), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    motion = Motion(body, np.zeros((1, 3)), arrays.identity(1, 2), 30.0)
    notes = write_bvh(motion, tmp_path / "a.bvh")
    assert "names that a BVH cannot hold were changed" in notes[0]
    assert read_bvh(tmp_path / "a.bvh").skeleton.names == ("a b", "joint")


def test_sites_keep_their_numbers(tmp_path):
    body = Skeleton(
        ("r", "a", "b"), [-1, 0, 0], [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
        ("r_end", "a_end", "r_end_2", "b_end"), [0, 1, 0, 2],
        [[1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]],
    )  # fmt: skip
    motion = Motion(body, np.zeros((1, 3)), arrays.identity(1, 3), 30.0, source=Source("bvh"))
    write_bvh(motion, tmp_path / "a.bvh")
    back = read_bvh(tmp_path / "a.bvh", unit="m").skeleton
    assert back.site_names == body.site_names
    np.testing.assert_array_equal(back.site_offsets, body.site_offsets)


def test_joints_out_of_order_are_written_depth_first(tmp_path):
    body = Skeleton(("r", "a", "b", "a2"), [-1, 0, 0, 1], np.eye(4)[:, 1:])
    q = random_rotations(np.random.default_rng(0), 2, 4)
    motion = Motion(body, np.zeros((2, 3)), q, 30.0, source=Source("bvh"))
    write_bvh(motion, tmp_path / "a.bvh")
    back = read_bvh(tmp_path / "a.bvh", unit="m")
    assert back.skeleton.names == ("r", "a", "a2", "b")
    same = [back.skeleton.index(name) for name in body.names]
    np.testing.assert_allclose(back.positions(same), motion.positions(), atol=1e-6)


def test_deep_trees_do_not_overflow(tmp_path):
    count = 1500
    body = Skeleton(
        tuple(f"j{k}" for k in range(count)), np.arange(-1, count - 1), np.full((count, 3), 0.1)
    )
    motion = Motion(body, np.zeros((1, 3)), arrays.identity(1, count), 30.0, source=Source("bvh"))
    write_bvh(motion, tmp_path / "a.bvh")
    assert parse_bvh((tmp_path / "a.bvh").read_bytes()).parents[-1] == count - 2


def test_no_negative_zeros(tmp_path):
    (tmp_path / "in.bvh").write_text(BVH.replace("10 20 30 40 50 60", "-0 -1e-9 0 0 0 -0.0"))
    write_bvh(read_bvh(tmp_path / "in.bvh"), tmp_path / "a.bvh")
    assert "-0.000000" not in (tmp_path / "a.bvh").read_text()


def test_a_motion_without_frames(tmp_path):
    person = standing_person().frames(slice(0, 0))
    write_bvh(person, tmp_path / "a.bvh")
    assert len(read_bvh(tmp_path / "a.bvh", lenient=True)) == 0
