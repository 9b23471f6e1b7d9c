from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import InputError
from sixpoint.motion.points import SIX, Points
from sixpoint.subjects.naming import find_names

from .people import motion


def shuffled(points: Points, seed: int) -> tuple[Points, dict[str, str]]:
    order = np.random.default_rng(seed).permutation(len(points.names))
    names = tuple(f"tracker {k}" for k in range(len(order)))
    truth = {name: points.names[k] for name, k in zip(names, order, strict=True)}
    return Points(names, points.positions[:, order], points.rate), truth


@pytest.mark.parametrize("name", ["boxing", "walk", "reach"])
def test_six_trackers_are_named_in_whatever_order(name):
    clip = motion(name)
    trackers, truth = shuffled(clip.points(), seed=len(name))
    found = find_names(trackers, clip.skeleton)
    assert found.names == truth
    assert found.plausibility > 0.5
    assert found.applied(trackers).names == tuple(truth[name] for name in trackers.names)


def test_of_more_trackers_the_six_are_chosen():
    clip = motion("walk")
    trackers, truth = shuffled(clip.points((*SIX, "l_knee", "r_elbow")), seed=5)
    found = find_names(trackers, clip.skeleton)
    assert found.names == {name: role for name, role in truth.items() if role in SIX}
    others = [name for name in trackers.names if truth[name] not in SIX]
    assert set(others) < set(found.applied(trackers).names)


def test_trackers_that_cannot_be_named_are_refused():
    clip = motion("walk", 30)
    with pytest.raises(InputError, match=r"6 to 12 trackers .* got 5"):
        find_names(clip.points(SIX[:5]), clip.skeleton)
    points = clip.points()
    with pytest.raises(InputError, match="shows all trackers"):
        find_names(Points(SIX, np.full((9, 6, 3), np.nan), 60.0), clip.skeleton)
    with pytest.raises(InputError, match="makes a person"):
        find_names(Points(SIX, 5.0 * points.positions, 60.0), clip.skeleton)
    still = np.repeat(points.positions[:1], 6, axis=0)
    same = still.copy()
    same[:, 3] = same[:, 2]  # two trackers in one place
    with pytest.raises(InputError, match=r"does not become clear|makes a person"):
        find_names(Points(SIX, same, 60.0), clip.skeleton)
