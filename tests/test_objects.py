"""All objects of the public surface: pickled, copied, compared, and shown in one line."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError, MissingExtra
from sixpoint.motion import Pose

CLIP = sp.builtin("squat").frames(slice(0, 4))
LOST = dataclasses.replace(CLIP.points(), positions=CLIP.points().positions * [1.0, 1.0, np.nan])
OBJECTS = {
    "a built-in clip": CLIP,
    "a person": sp.Skeleton.humanoid(1.8),
    "a hand": sp.Skeleton.hand(),
    "a chain of hinges": sp.Skeleton.chain(3, kind="hinge"),
    "a pose": CLIP[1],
    "points": CLIP.points(rotations=True),
    "lost points": LOST,
    "a subject": sp.Subject(sp.Skeleton.humanoid(1.8), floor=0.1, found=("by hand",)),
    "limits": sp.adult_limits(CLIP.skeleton),
    **{f"solver {name}": kind() for name, kind in sp.SOLVERS.items()},
}


@pytest.fixture(params=OBJECTS.values(), ids=OBJECTS.keys())
def value(request):
    return request.param


@pytest.mark.parametrize("way", [lambda v: pickle.loads(pickle.dumps(v)), copy.deepcopy, copy.copy])
def test_copies_are_equal(value, way):
    assert way(value) == value
    assert type(way(value)) is type(value)


def test_copies_of_hashable_objects_have_the_same_hash(value):
    if type(value).__hash__ is not None:
        assert hash(copy.deepcopy(value)) == hash(value)


def test_reprs_are_one_short_line(value):
    text = repr(value)
    assert "\n" not in text
    assert len(text) < 120 or isinstance(value, sp.solvers.Solver)


def test_copies_stay_read_only():
    for made in (copy.deepcopy(CLIP), pickle.loads(pickle.dumps(CLIP))):
        with pytest.raises(ValueError, match="read-only"):
            made.root[0] = 0.0
        with pytest.raises(ValueError, match="read-only"):
            made.skeleton.offsets[0] = 0.0


def test_objects_with_other_values_are_unequal():
    moved = dataclasses.replace(CLIP, root=CLIP.root + 1e-12)
    assert moved != CLIP
    assert moved[0] != CLIP[0]
    assert moved.points() != CLIP.points()
    assert CLIP.points() != LOST
    assert CLIP[0] != CLIP
    assert Pose(CLIP.skeleton, CLIP.root[0], CLIP.rotations[0]) == CLIP[0]
    assert sp.adult_limits(CLIP.skeleton) != sp.adult_limits(CLIP.skeleton).without("l_knee")


def test_notebooks_show_a_picture():
    for body in (CLIP, sp.Skeleton.hand()):
        shown = body._repr_html_()
        assert shown.startswith("<figure><img alt=")
        assert "data:image/png;base64," in shown
    assert CLIP.frames(slice(0, 0))._repr_html_() is None  # nothing to draw: the repr is shown


def test_a_motion_is_plotted_at_some_moments():
    figure = CLIP.plot(count=3)
    assert [axes.get_title() for axes in figure.axes] == ["0.00 s", "0.03 s", "0.05 s"]
    assert len(CLIP.plot(count=9).axes) == 4
    with pytest.raises(InputError, match="at least one frame to draw"):
        CLIP.frames(slice(0, 0)).plot()


def test_without_matplotlib_there_is_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert CLIP._repr_html_() is None
    with pytest.raises(MissingExtra, match=r"drawing bodies needs matplotlib.*sixpoint\[plot\]"):
        CLIP.plot()
