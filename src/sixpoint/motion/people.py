"""Points of several people in one table: each name says whose point it is, as in ``anna:head``.

That is how laboratories name the markers of several subjects, too. A table in which all names have
the same label, or none, is that of one person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..errors import InputError
from .points import Points

MARK = ":"
"""Stands between the label of a person and the name of the point."""


def label_of(name: str) -> str:
    """Return whose point a name means (``anna:head`` -> ``anna``); empty without a label."""
    return name.rpartition(MARK)[0]


def people_of(points: Points) -> dict[str, Points]:
    """Return the points of each person by label, names without it, in order of appearance.

    One person, labelled or not, comes back as given.

    Raises:
        InputError: some points have a label and others have none.
    """
    labels = list(dict.fromkeys(label_of(name) for name in points.names))
    if len(labels) == 1:
        return {labels[0]: points}
    if "" in labels:
        bare = next(name for name in points.names if not label_of(name))
        others = ", ".join(label for label in labels if label)
        raise InputError(
            f"Expected all points to say whose they are, as in 'anna{MARK}head', or none; got "
            f"{bare!r} beside points of {others}."
        )
    found = {}
    for label in labels:
        mine = points.select([name for name in points.names if label_of(name) == label])
        bare_names = tuple(name.rpartition(MARK)[2] for name in mine.names)
        found[label] = replace(mine, names=bare_names)
    return found


def join_people(people: Mapping[str, Points]) -> Points:
    """Return the points of several people as one table, names with their labels.

    Rotations and confidence that only some people have are unknown (NaN), and 1, for the others.

    Raises:
        InputError: no people, an odd label, or people of other rates or numbers of frames.
    """
    if not people:
        raise InputError("Expected points of one person or more, got none.")
    first = next(iter(people.values()))
    for label, points in people.items():
        if not label or label != label.strip() or MARK in label:
            raise InputError(
                f"Expected a label without spaces around it or {MARK!r}, got {label!r}."
            )
        if (len(points), points.rate) != (len(first), first.rate):
            raise InputError(
                f"Expected {len(first)} frames at {first.rate:g} Hz of every person, got "
                f"{len(points)} at {points.rate:g} Hz of {label!r}."
            )
    rotations = [
        np.full((*p.positions.shape[:2], 4), np.nan) if p.rotations is None else p.rotations
        for p in people.values()
    ]
    trust = [
        np.ones(p.positions.shape[:2]) if p.confidence is None else p.confidence
        for p in people.values()
    ]
    turned = any(p.rotations is not None for p in people.values())
    trusted = any(p.confidence is not None for p in people.values())
    return Points(
        tuple(f"{label}{MARK}{name}" for label, p in people.items() for name in p.names),
        np.concatenate([p.positions for p in people.values()], axis=1),
        first.rate,
        np.concatenate(rotations, axis=1) if turned else None,
        np.concatenate(trust, axis=1) if trusted else None,
    )
