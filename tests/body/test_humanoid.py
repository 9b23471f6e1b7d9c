from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body import humanoid
from sixpoint.body.anthropometry import FRACTIONS, LENGTHS, body_height, lengths_from_stature
from sixpoint.body.humanoid import measure_lengths
from sixpoint.body.skeleton import Skeleton
from sixpoint.body.tree import depth_first
from sixpoint.errors import InputError, UnknownName

LENGTHS_OF_PEOPLE = st.fixed_dictionaries(
    {name: st.floats(0.6 * part, 3.0 * part) for name, part in FRACTIONS.items()}
)


def rest_of(skeleton):
    return dict(zip(skeleton.node_names, skeleton.rest()[0], strict=True))


def test_34_joints_depth_first_from_one_root() -> None:
    figure = Skeleton.humanoid()
    assert figure.joint_count == 34
    assert list(figure.parents).count(-1) == 1
    assert depth_first(figure.parents) == list(range(34))


def test_three_joints_share_the_root() -> None:
    figure = Skeleton.humanoid()
    at = [figure.index(name) for name in humanoid.COLOCATED]
    assert not figure.offsets[at[1:]].any()


def test_four_joints_below_each_wrist_and_two_below_each_ankle() -> None:
    figure = Skeleton.humanoid()
    for carrier, count in (("wrist", 4), ("ankle", 2)):
        for side in "lr":
            top = figure.index(f"{side}_{carrier}")
            below = [j for j in range(34) if top in figure.path(j)[:-1]]
            assert len(below) == count


def test_roles_and_hinges_name_joints() -> None:
    figure = Skeleton.humanoid()
    assert set(figure.roles.values()) | set(figure.hinges) <= set(figure.names)
    assert len(figure.roles) == 16
    assert {figure.index(n) for n in humanoid.SPINE} < set(
        figure.path(figure.index(figure.roles["head"]))
    )


def test_default_stature_and_neutral_stance() -> None:
    at = rest_of(Skeleton.humanoid())
    assert at["skull_tip"][1] == pytest.approx(1.75, abs=1e-3)
    assert at["skullbase"][1] == pytest.approx(1.6209, abs=1e-3)  # H-Anim's own
    for side, sign in (("l", 1), ("r", -1)):
        assert np.sign(at[f"{side}_shoulder"][0]) == sign
        for name in ("calcaneous_post", "forefoot_tip"):
            assert at[f"{side}_{name}"][1] == pytest.approx(0.0, abs=1e-15)
        assert at[f"{side}_forefoot_tip"][2] > at[f"{side}_calcaneous_post"][2]  # faces +Z


@given(LENGTHS_OF_PEOPLE)
def test_lengths_round_trip(lengths: dict[str, float]) -> None:
    figure = Skeleton.humanoid(lengths=lengths)
    assert measure_lengths(figure) == pytest.approx(lengths, rel=1e-12)
    assert figure.anatomy.height == pytest.approx(body_height(lengths), rel=1e-12)


@given(LENGTHS_OF_PEOPLE)
def test_limbs_hang_exactly_down(lengths: dict[str, float]) -> None:
    figure = Skeleton.humanoid(lengths=lengths)
    for side in "lr":
        for name in ("knee", "ankle", "elbow", "wrist", "middle1", "middle2"):
            x, y, z = figure.offsets[figure.index(f"{side}_{name}")]
            assert (x, z) == (0.0, 0.0)
            assert y < 0.0


@given(LENGTHS_OF_PEOPLE)
def test_right_mirrors_left_and_the_spine_lies_between(lengths: dict[str, float]) -> None:
    at = rest_of(Skeleton.humanoid(lengths=lengths))
    for name, position in at.items():
        other = {"l": "r", "r": "l"}[name[0]] + name[1:] if name[1] == "_" else name
        assert np.array_equal(at[other] * [-1.0, 1.0, 1.0], position)


def test_the_spine_is_curved_enough_to_stretch() -> None:
    at = rest_of(Skeleton.humanoid())
    chain = np.array([at[name] for name in ("HumanoidRoot", *humanoid.SPINE, "skullbase")])
    bones = np.linalg.norm(np.diff(chain, axis=0), axis=1).sum()
    assert 1.02 < bones / np.linalg.norm(chain[-1] - chain[0]) < 1.03


@given(st.floats(0.5, 2.5))
def test_stature_scales_every_node_alike(height: float) -> None:
    scaled = Skeleton.humanoid(height).rest()[0]
    assert scaled == pytest.approx(height / 1.75 * Skeleton.humanoid().rest()[0], abs=1e-12)


@pytest.mark.parametrize("name", LENGTHS)
def test_one_length_leaves_the_others_alone(name: str) -> None:
    given_length = 1.2 * lengths_from_stature(1.6)[name]
    measured = measure_lengths(Skeleton.humanoid(1.6, lengths={name: given_length}))
    assert measured == pytest.approx({**lengths_from_stature(1.6), name: given_length})


def test_bad_lengths_are_refused() -> None:
    with pytest.raises(UnknownName, match="No length 'tail'"):
        Skeleton.humanoid(lengths={"tail": 0.4})
    with pytest.raises(InputError, match="Expected `hand` in metres"):
        Skeleton.humanoid(lengths={"hand": 18.0})
    with pytest.raises(InputError, match="Expected `height` in metres"):
        Skeleton.humanoid(height=0.0)


@pytest.mark.parametrize(
    ("figure", "height"), [("boxing", 1.86), ("jump kick", 1.82), ("playground", 1.83)]
)
def test_figures_of_the_paper_have_its_heights(figure: str, height: float) -> None:
    body = Skeleton.humanoid(figure=figure)
    assert body.joint_count == 34
    assert body.anatomy.height == pytest.approx(height, abs=1e-9)


def test_unknown_figures_and_two_heights_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"figure of the SIK paper 'box'.*boxing"):
        Skeleton.humanoid(figure="box")
    with pytest.raises(InputError, match="`height` or `figure`, got both"):
        Skeleton.humanoid(1.8, figure="boxing")
