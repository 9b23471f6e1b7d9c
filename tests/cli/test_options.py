from __future__ import annotations

import click
import pytest

from sixpoint.cli.console import (
    Reading,
    check_output,
    make_solver,
    read_roles,
)
from sixpoint.errors import UnknownName
from sixpoint.formats import holds_points, save, save_points, suffixes


def test_settings_are_read_as_the_kind_they_are():
    made = make_solver(
        "sik", ["weights=0.1,0.1,1", "bend=sagittal", "collisions=yes", "recovery=1"]
    )
    assert made.weights == (0.1, 0.1, 1.0)
    assert made.bend == "sagittal"
    assert made.collisions is True
    assert made.recovery == 1
    assert make_solver("sik", ["collisions=off"]).collisions is False


def test_options_of_their_own_win_and_none_is_no_option():
    made = make_solver("sik", ["weights=1,0,0"], weights=(0.0, 0.0, 1.0), collisions=None)
    assert made.weights == (0.0, 0.0, 1.0)
    assert made.collisions is False


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("nonsense", "NAME=VALUE"),
        ("=1", "NAME=VALUE"),
        ("bendd=sagittal", "Nearest: bend"),
        ("bend=sideways", "one of lean"),
        ("collisions=perhaps", "true or false"),
        ("recovery=soon", "a number for recovery"),
        ("recovery=True", "a number for recovery"),
        ("weights=1,2", "3 numbers for weights, such as weights=1,1,0"),
        ("weights=1,2,x", "3 numbers"),
        ("weights=-1,1,1", ">= 0"),
        ("weights=" + "(" * 300, "3 numbers"),
    ],
)
def test_wrong_settings_are_wrong_calls(setting, said):
    with pytest.raises(click.UsageError) as caught:
        make_solver("sik", [setting])
    assert said in caught.value.format_message()
    assert caught.value.exit_code == 2


def test_an_unknown_solver_lists_the_choices():
    with pytest.raises(click.UsageError, match=r"No solver 'sikk'\. Nearest: sik"):
        make_solver("sikk", [])


def test_roles_are_pairs_of_known_names():
    assert read_roles(["l_wrist=Hand_L", "head=a=b"]) == {"l_wrist": "Hand_L", "head": "a=b"}
    with pytest.raises(UnknownName, match="No role 'wrist'"):
        read_roles(["wrist=Hand"])
    for bad in ("l_wrist", "=x", "l_wrist="):
        with pytest.raises(click.BadParameter, match="ROLE=JOINT"):
            read_roles([bad])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"unit": "furlong"}, "No unit 'furlong'"),
        ({"unit": "-1"}, "positive"),
        ({"frame_rate": 0.0}, "a rate above 0"),
        ({"frame_rate": float("nan")}, "a rate above 0"),
        ({"roles": ("nose=Nose",)}, "No role 'nose'"),
    ],
)
def test_wrong_reading_options_are_wrong_calls(options, said):
    with pytest.raises(click.UsageError) as caught:
        Reading(**options)
    assert said in caught.value.format_message()


def test_only_what_was_said_is_passed_on():
    assert Reading().options == {}
    assert Reading("cm", "z", 30.0, (), True).options == {
        "unit": "cm", "up": "z", "rate": 30.0, "lenient": True,
    }  # fmt: skip


def test_given_roles_override_the_found_ones(clip_path):
    joint = "l_middle1"
    motion = Reading(roles=(f"l_wrist={joint}",)).load(str(clip_path))
    assert motion.skeleton.roles == {"l_wrist": joint}
    assert motion.skeleton.anatomy.node("l_wrist") == motion.skeleton.index(joint)


def test_endings_come_from_the_table_of_formats():
    assert {".bvh", ".npz", ".amc"} <= set(suffixes("read"))
    assert ".amc" not in suffixes("write")
    assert ".csv" in suffixes("read_points")


def test_points_and_motions_are_told_apart(clip, tmp_path):
    save(clip, tmp_path / "motion.npz")
    save_points(clip.points(), tmp_path / "points.npz")
    assert holds_points(str(tmp_path / "points.npz"))
    assert not holds_points(str(tmp_path / "motion.npz"))
    assert holds_points("any.csv")
    assert not holds_points("any.bvh")
    assert not holds_points("any.txt")
    assert not holds_points(str(tmp_path / "none.npz"))


def test_outputs_are_checked_before_the_work(tmp_path):
    path = tmp_path / "a.bvh"
    path.touch()
    with pytest.raises(click.UsageError, match=r"end in \.bvh, \.npz"):
        check_output("a.fbx", (".bvh", ".npz"))
    with pytest.raises(click.UsageError, match="also an input"):
        check_output(str(path), (".bvh",), [str(path)])
    check_output(str(path), (".bvh",), [str(tmp_path / "b.bvh")])
