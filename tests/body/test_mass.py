from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigs import insert_above, odd_rig, random_motion, random_rotations
from sixpoint.body import humanoid
from sixpoint.body.mass import MASS_TABLES, segment_masses
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import UnknownName
from sixpoint.kernels import arrays

FIGURE = Skeleton.humanoid()


def centre_of_mass(masses, positions):
    return masses.masses @ masses.weights @ positions


MODELS = pytest.mark.parametrize("model", MASS_TABLES)


@MODELS
def test_the_published_masses_sum_to_one(model):
    total = sum(
        mass * (1 if name in ("head", "trunk") else 2)
        for name, (mass, _) in MASS_TABLES[model].items()
    )
    assert total == pytest.approx(1.0, abs=2e-4)
    masses = segment_masses(FIGURE, model)
    assert masses.masses.sum() == pytest.approx(1.0, abs=1e-15)
    assert len(masses.segments) == 14
    np.testing.assert_allclose(masses.weights.sum(axis=1), 1.0, atol=1e-15)


def test_masses_of_the_tables():
    winter = segment_masses(FIGURE)
    at = dict(zip(winter.segments, winter.masses, strict=True))
    assert at["trunk"] == pytest.approx(0.497)
    assert at["l_thigh"] == at["r_thigh"] == pytest.approx(0.1)
    male = segment_masses(FIGURE, "male")
    assert male.masses[male.segments.index("r_shank")] == pytest.approx(0.0433)
    female = segment_masses(FIGURE, "female")
    assert female.masses[female.segments.index("l_thigh")] == pytest.approx(0.1478, rel=2e-4)


@MODELS
def test_a_standing_person_balances_at_the_height_of_the_sacrum(model):
    # Standing men have their centre at 0.56-0.57 of stature, women at 0.55-0.56.
    centre = centre_of_mass(segment_masses(FIGURE, model), FIGURE.rest()[0])
    assert 0.55 < centre[1] / 1.75 < 0.58
    assert abs(centre[0]) < 1e-12
    heel, toe = (
        FIGURE.rest()[0][FIGURE.index(f"l_{n}")][2] for n in ("calcaneous_post", "forefoot_tip")
    )
    assert heel < centre[2] < toe


def test_centres_lie_on_their_segments():
    at = dict(zip(FIGURE.node_names, FIGURE.rest()[0], strict=True))
    model = segment_masses(FIGURE, "male")
    centres = dict(zip(model.segments, model.weights @ FIGURE.rest()[0], strict=True))
    np.testing.assert_allclose(
        centres["l_thigh"], at["l_hip"] + 0.4095 * (at["l_knee"] - at["l_hip"])
    )
    np.testing.assert_allclose(centres["head"], at["skullbase"])
    # Hands: 79 % of the way from the wrist to the knuckles, below a hanging forearm.
    down = at["l_wrist"][1] - centres["l_hand"][1]
    assert 0.5 * 0.189 * 0.5 < down < 0.5 * 0.189
    foot = centres["r_foot"]
    assert at["r_calcaneous_post"][2] < foot[2] < at["r_forefoot_tip"][2]
    share = (foot[2] - at["r_calcaneous_post"][2]) / (
        at["r_forefoot_tip"][2] - at["r_calcaneous_post"][2]
    )
    assert share == pytest.approx(0.4415, abs=1e-9)


@MODELS
@given(seed=st.integers(0, 2**32 - 1))
def test_the_centre_moves_with_the_body(model, seed):
    rng = np.random.default_rng(seed)
    masses = segment_masses(FIGURE, model)
    places = random_motion(FIGURE, seed, frames=3).positions()
    turn, shift = random_rotations(rng), rng.normal(size=3)
    np.testing.assert_allclose(
        centre_of_mass(masses, arrays.rotate(turn, places) + shift),
        arrays.rotate(turn, centre_of_mass(masses, places)) + shift,
        atol=1e-12,
    )


def test_the_centre_is_the_mean_of_the_segment_centres():
    masses = segment_masses(FIGURE)
    places = random_motion(FIGURE, frames=4).positions()
    centres = masses.weights @ places
    assert centres.shape == (4, 14, 3)
    np.testing.assert_allclose(
        centre_of_mass(masses, places),
        np.einsum("s,fsk->fk", masses.masses, centres),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        centre_of_mass(masses, places)[2], centre_of_mass(masses, places[2]), atol=1e-15
    )


def test_other_rigs_of_the_same_body_weigh_the_same():
    expected = centre_of_mass(segment_masses(FIGURE), FIGURE.rest()[0])
    for rig in (odd_rig(), insert_above(FIGURE, "l_wrist", "l_forearm_twist")):
        np.testing.assert_allclose(
            centre_of_mass(segment_masses(rig), rig.rest()[0]), expected, atol=1e-12
        )


def test_a_foot_without_toes_is_at_the_ankle():
    # Wrists and ankles as sites, nothing below them.
    kept = [n for n in FIGURE.names if not n.startswith(("l_mid", "l_met", "r_mid", "r_met"))]
    kept = [n for n in kept if n[2:] not in ("thumb1", "thumb2")]
    old = [FIGURE.index(n) for n in kept]
    rig = Skeleton(
        names=tuple(kept),
        parents=[-1 if FIGURE.parents[j] < 0 else old.index(FIGURE.parents[j]) for j in old],
        offsets=FIGURE.offsets[old],
        roles=humanoid.ROLES,
    )
    model = segment_masses(rig)
    centres = dict(zip(model.segments, model.weights @ rig.rest()[0], strict=True))
    np.testing.assert_allclose(centres["l_foot"], rig.rest()[0][rig.index("l_ankle")])


def test_an_unknown_model_is_refused():
    with pytest.raises(UnknownName, match=r"No mass model 'robot'.*winter, male, female"):
        segment_masses(FIGURE, "robot")


def test_roles_may_be_sites():
    rig = replace(FIGURE, roles={**humanoid.ROLES, "head": "skull_tip"})
    model = segment_masses(rig)
    places = rig.rest()[0]
    np.testing.assert_allclose((model.weights @ places)[0], places[rig.index("skull_tip")])
