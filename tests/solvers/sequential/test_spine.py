"""The spine of sequential IK, against the numbers and claims of the SIK paper."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from oracles import quat_to_columns
from sixpoint.solvers.context import SPINE_STRETCHED
from sixpoint.solvers.people.tables import STRETCH_SAMPLES
from sixpoint.solvers.sequential.trunk import (
    EXACT_STEPS,
    FINE_BEND_STEP,
    UNCHANGED,
    spine_bend,
    spine_chord,
    spine_search,
)
from strategies import directions, rotations, vectors

from ..bodies import (
    CURVED_BODY,
    CURVED_SPINE,
    STIFF_BODY,
    Trunk,
    angle,
    context,
    settings,
    straight_spine,
)

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


# --- bending --------------------------------------------------------------------------------------

CHORDS = {
    5: (3.988897, 3.900681, 3.727452, 3.322723, 2.970519),
    6: (4.987509, 4.888215, 4.692990, 4.235535, 3.835770),
}


@pytest.mark.parametrize("joints", [5, 6])
def test_chord_of_a_bent_spine(joints):  # Eq. (2), as a sum and in closed form
    c = context(straight_spine(joints))
    for bend, chord in zip((0.1, 0.3, 0.5, 0.8, 1.0), CHORDS[joints], strict=True):
        length = spine_bend(c, 0, X, bend)
        half = bend / (joints - 2)
        assert length == pytest.approx(chord, abs=1e-6)
        assert length == pytest.approx(math.sin((joints - 1) * half) / math.sin(half), abs=1e-12)


@pytest.mark.parametrize(
    ("joints", "turns"),
    [
        (5, (0.066667, 0.2, 0.333333, 0.533333, 0.666667)),
        (6, (0.05, 0.15, 0.25, 0.4, 0.5)),
    ],
)
def test_later_joints_share_the_opposite_turn(joints, turns):  # Eq. (1)
    body = straight_spine(joints)
    for bend, turn in zip((0.1, 0.3, 0.5, 0.8, 1.0), turns, strict=True):
        c = context(body)
        spine_bend(c, 0, X, bend)
        twice = [2.0 * math.atan2(q[1], q[0]) for q in c.work.trial[1 : joints - 1]]
        assert twice == pytest.approx([turn] * (joints - 2), abs=1e-6)
        # The last segment mirrors the first, which turns by -bend.
        assert sum(twice) - bend == pytest.approx(bend, abs=1e-12)


@pytest.mark.parametrize(
    ("joints", "goal", "coarse", "fine", "found", "reached", "exact"),
    [
        (5, 3.6, 7, 10, 0.60, 3.610804, 0.608510),
        (6, 4.5, 7, 6, 0.64, 4.502662, 0.641762),
    ],
)
def test_two_phase_search(joints, goal, coarse, fine, found, reached, exact):
    body = straight_spine(joints)
    c = context(body, settings(spine_search="two-phase"))
    bend, steps, limited = spine_search(c, 0, X, goal)
    assert (bend, steps, limited) == (pytest.approx(found), coarse + fine, False)
    length = np.linalg.norm(spine_chord(c, 0))  # the shape it left behind is the answer
    assert length == pytest.approx(reached, abs=1e-6)
    assert spine_bend(c, 0, X, bend + FINE_BEND_STEP) < goal <= length  # within one fine step
    bend, steps, _ = spine_search(context(body), 0, X, goal)
    assert bend == pytest.approx(exact, abs=1e-5)
    assert steps <= coarse + fine + EXACT_STEPS


def test_bow_of_a_straight_spine():
    trunk = Trunk(straight_spine(6, 0.1), spine_search="two-phase")
    trunk.solve(head=(0.0, 1.44, 0.12), pelvis=(0.0, 1.0, 0.0))
    expected = [
        (0.999969, -0.000008),
        (1.094451, -0.032767),
        (1.194394, -0.036141),
        (1.290871, -0.009830),
        (1.375262, 0.043818),
        (1.440031, 0.120008),
    ]
    assert trunk.places[:, 1:] == pytest.approx(np.array(expected), abs=1e-6)
    assert np.abs(trunk.places[:, 0]).max() < 1e-15  # nothing leaves the plane
    assert trunk.angle == pytest.approx(0.60)
    assert np.linalg.norm(trunk.places[0] - (0.0, 1.0, 0.0)) == pytest.approx(3.2e-5, abs=5e-7)
    assert np.linalg.norm(trunk.places[5] - (0.0, 1.44, 0.12)) == pytest.approx(3.2e-5, abs=5e-7)
    exact = Trunk(straight_spine(6, 0.1)).solve((0.0, 1.44, 0.12), (0.0, 1.0, 0.0))
    assert exact.angle == pytest.approx(0.600451, abs=1e-5)


def test_what_is_missing_is_shared_by_pelvis_and_head():
    trunk = Trunk(straight_spine(6, 0.096)).solve(head=(0.0, 1.5, 0.0), pelvis=(0.0, 1.0, 0.0))
    assert trunk.places[0] == pytest.approx((0.0, 1.01, 0.0), abs=1e-9)
    assert trunk.places[-1] == pytest.approx((0.0, 1.49, 0.0), abs=1e-9)
    assert trunk.flags == SPINE_STRETCHED


@given(vectors(), st.booleans(), rotations())
def test_both_ends_of_the_spine_miss_alike(head, known, turn):
    assume(np.linalg.norm(head) > 1e-6)
    trunk = Trunk(STIFF_BODY)
    trunk.solve(head, pelvis_turn=turn if known else None)
    low, high = trunk.places[0], trunk.places[-1] - head
    assert np.linalg.norm(low) == pytest.approx(np.linalg.norm(high), abs=1e-9)


@given(vectors(), rotations())
def test_chord_ends_up_on_the_line_to_the_head(head, turn):
    assume(np.linalg.norm(head) > 1e-6)
    for changed in ({}, {"retwist": True}, {"bend": "previous"}):
        trunk = Trunk(STIFF_BODY, **changed)
        trunk.solve(head, head_turn=turn)
        assert angle(trunk.chord, np.array(head)) < 1e-9


@given(
    st.floats(0.3, 0.559),
    directions(),
    st.sampled_from(["sagittal", "chord", "vertical", "previous"]),
)
def test_a_free_spine_meets_its_length(length, direction, bend):
    head = length * np.array(direction)
    trunk = Trunk(CURVED_BODY, bend=bend).solve(head)
    off = np.linalg.norm(trunk.places[-1] - head) + np.linalg.norm(trunk.places[0])
    assert off < 2.0 * UNCHANGED * trunk.body.height
    assert not trunk.flags


def test_bend_plane_lies_in_the_pelvis_by_default():
    trunk = Trunk(CURVED_BODY).solve((0.1, 0.4, 0.2), left=(0.8, 0.0, 0.6))
    across = quat_to_columns(trunk.frame)[0]
    assert trunk.places @ across == pytest.approx(np.zeros(6), abs=1e-9)


@pytest.mark.parametrize("lean", [(0.3, 0.0), (-0.3, 0.0), (0.0, 0.3), (0.2, 0.25), (-0.2, 0.25)])
def test_literal_plane_follows_the_head_in_any_direction(lean):
    body = straight_spine(6, 0.1)
    trunk = Trunk(body, bend="previous")
    trunk.solve((0.0, 0.5, 0.0))
    head = np.array((lean[0], 0.3, lean[1]))
    trunk.solve(head)
    normal = np.cross(Y, head)
    normal /= np.linalg.norm(normal)
    assert trunk.places @ normal == pytest.approx(np.zeros(6), abs=1e-9)
    # The spine bulges to the side that the head leans away from.
    bulge = trunk.places[2] - 0.4 * trunk.chord
    assert bulge @ (lean[0], 0.0, lean[1]) < -0.01


@pytest.mark.parametrize("lean", [(0.0, -0.3), (0.2, -0.1), (0.2, 0.1)])
def test_a_fresh_plane_has_the_sense_of_the_pelvis(lean):  # m = X in the first frame
    trunk = Trunk(straight_spine(6, 0.1), bend="previous").solve((0.0, 0.5, 0.0))
    trunk.solve((lean[0], 0.3, lean[1]))
    assert trunk.state.normal[0] > 0.0


def test_literal_plane_is_kept_when_the_head_moves_along_its_line():
    trunk = Trunk(straight_spine(6, 0.1), bend="previous")
    trunk.solve((0.0, 0.5, 0.0))
    trunk.solve((0.0, 0.36, 0.27))
    normal = trunk.state.normal.copy()
    trunk.solve((0.0, 0.32, 0.24))
    assert trunk.state.normal == pytest.approx(normal, abs=1e-12)


def test_vertical_plane_remembers_nothing():
    body, head = straight_spine(6, 0.1), (0.1, 0.3, -0.2)
    fresh = Trunk(body, bend="vertical").solve(head)
    used = Trunk(body, bend="vertical")
    for other in ((0.1, 0.3, 0.2), (-0.3, 0.1, 0.0), (0.0, 0.6, 0.0)):
        used.solve(other)
    used.solve(head)
    assert np.array_equal(used.places, fresh.places)
    normal = np.cross(Y, head)
    assert fresh.places @ normal == pytest.approx(np.zeros(6), abs=1e-9)


def bow(frames=60):
    """The head of a person who bows to 70 degrees and rises again."""
    lean = np.radians(70.0) * np.sin(np.linspace(0.02, np.pi - 0.02, frames))
    length = 0.54 - 0.08 * np.sin(np.linspace(0.0, np.pi, frames))
    return length[:, None] * np.stack([0.0 * lean, np.cos(lean), np.sin(lean)], axis=-1)


@pytest.mark.parametrize("bend", ["sagittal", "chord", "vertical", "previous"])
@pytest.mark.parametrize("spine_mode", ["restart", "incremental"])
@pytest.mark.parametrize("spine_search", ["exact", "two-phase"])
def test_a_bow_that_reverses_does_not_snap(bend, spine_mode, spine_search):
    trunk = Trunk(CURVED_BODY, bend=bend, spine_mode=spine_mode, spine_search=spine_search)
    first = [trunk.solve(head).places[1] - trunk.places[0] for head in bow()]
    steps = [angle(a, b) for a, b in pairwise(first)]
    assert max(steps) < np.radians(6.0)


def test_a_plane_that_turned_over_is_turned_back():  # it snapped from -13 to +105 degrees
    trunk = Trunk(straight_spine(6, 0.1), bend="previous", spine_mode="incremental")
    normals = []
    for head in bow():
        trunk.solve(0.9 * head)
        normals.append(trunk.state.normal.copy())
    assert min(a @ b for a, b in pairwise(normals)) > 0.99


@effort(max_examples=40)
@given(st.lists(st.tuples(st.floats(0.4, 0.56), directions()), min_size=2, max_size=6))
def test_incremental_search_finds_what_a_restart_finds(heads):
    body = CURVED_BODY
    for search, gap in (("exact", 1e-4), ("two-phase", 2.0 * FINE_BEND_STEP)):
        incremental = Trunk(body, spine_mode="incremental", spine_search=search)
        for length, direction in heads:
            head = length * np.array(direction)
            restart = Trunk(body, spine_search=search)
            restart.state.left[:], restart.state.frames = incremental.state.left, 1
            assert incremental.solve(head).chord == pytest.approx(
                restart.solve(head).chord, abs=gap
            )


def test_incremental_search_starts_from_the_frame_before():  # literal
    body = straight_spine(6, 0.1)
    trunk = Trunk(body, spine_mode="incremental", spine_search="two-phase").solve((0, 0.40, 0))
    bend = trunk.angle
    trunk.solve((0, 0.41, 0))
    assert trunk.steps == 1 + round(
        (trunk.angle - (bend - 0.1)) / FINE_BEND_STEP
    )  # one coarse step, back
    assert trunk.angle < bend
    fresh = Trunk(body, spine_search="two-phase").solve((0, 0.41, 0))
    assert trunk.steps < fresh.steps


def test_unbending_almost_to_neutral_is_no_limit():  # the last coarse step ends at zero
    trunk = Trunk(CURVED_BODY, spine_mode="incremental").solve((0.0, 0.5, 0.0))
    trunk.solve((0.0, 0.551, 0.0))
    assert trunk.flags == 0
    assert np.linalg.norm(trunk.chord) == pytest.approx(0.551, abs=2e-6)


@pytest.mark.parametrize("spine_mode", ["restart", "incremental"])
def test_shape_is_neutral_again_after_a_stretch(spine_mode):
    body, head = CURVED_BODY, (0.02, 0.48, 0.1)
    never = Trunk(body, spine_mode=spine_mode).solve(head)
    once = Trunk(body, spine_mode=spine_mode)
    once.solve((0.0, 0.45, 0.1))
    once.solve((0.0, 0.7, 0.0))
    once.solve(head)
    assert np.array_equal(once.local, never.local)
    assert once.steps == never.steps


# --- stretching -----------------------------------------------------------------------------------


def test_stretch_table():
    lengths = CURVED_BODY.stretch_lengths[0]
    assert STRETCH_SAMPLES == 65
    assert lengths[[0, 16, 32, 48, 64]] == pytest.approx(
        (0.552349, 0.555691, 0.558083, 0.559521, 0.56), abs=1e-6
    )
    assert (np.diff(lengths) > 0.0).all()


def test_a_stretched_spine_meets_its_length():
    body = CURVED_BODY
    for length in np.linspace(0.55235, 0.56, 50):
        trunk = Trunk(body).solve((0.0, length, 0.0))
        assert np.linalg.norm(trunk.chord) == pytest.approx(length, abs=2e-7)
        assert trunk.steps == 0


def test_a_wholly_stretched_spine_is_straight():  # fully aligned
    head = np.array((0.2, 0.5, 0.4))
    trunk = Trunk(CURVED_BODY).solve(head)
    for step in np.diff(trunk.places, axis=0):
        assert angle(step, head) < 1e-7
    assert trunk.flags == SPINE_STRETCHED


def test_stretching_is_continuous_with_bending():
    body = CURVED_BODY
    neutral = np.linalg.norm(CURVED_SPINE.sum(axis=0))
    shorter = Trunk(body).solve((0.0, neutral - 1e-9, 0.0)).places
    longer = Trunk(body).solve((0.0, neutral + 1e-9, 0.0)).places
    assert shorter == pytest.approx(longer, abs=2e-4)
