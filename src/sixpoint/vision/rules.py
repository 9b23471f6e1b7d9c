"""The rules of the workspace, and which of them a picture breaks (the paper, section 3; S3.2).

A chain that is fed the wrong scene does not fail loudly by itself: it finds hands in a wooden door.
These checks say what is wrong instead, and what is seen then counts as not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from .blobs import Blob
from .masks import Mask, Person


class Rule(Enum):
    """What a scene must be like; the value is what to tell a user who broke it."""

    KEY_BACKGROUND = (
        "the wall behind the person is not of the key colour: give its colour with --key, or "
        "pictures of the empty room with --background"
    )
    ONE_PERSON = "more than one person, or something as large, stands before the wall"
    SOMEBODY = "nobody is before the cameras"
    NO_SKIN_CLOTHES = "clothes look like skin: wear other colours"
    NO_OTHER_SKIN = "more skin than head and hands is seen: roll down the sleeves"
    HEAD_AND_HANDS = "head and hands are not all seen apart: show both hands"


LEAST_PERSON = 0.01
"""A person fills this part of a picture at least."""
MOST_PERSON = 0.7
"""And no more than this: a wall that is not recognised looks like a person."""
RIVAL = 0.2
"""Something else this large, compared with the person, is another person."""
MOST_SKIN = 0.3
"""More of a clothed silhouette is not skin."""
RIVAL_SKIN = 0.35
"""A fourth patch this large, compared with the third, is an arm or a leg."""


def broken_rules(person: Person, skin: Mask, blobs: Sequence[Blob], *, begun: bool) -> list[Rule]:
    """Which rules one picture breaks.

    Args:
        person: the silhouette.
        skin: its skin.
        blobs: patches of skin, the largest first.
        begun: whether head and hands are followed already: hands may then hide each other.
    """
    pixels = person.mask.size
    if person.area < LEAST_PERSON * pixels:
        return [Rule.SOMEBODY]
    if person.area > MOST_PERSON * pixels:
        return [Rule.KEY_BACKGROUND]
    broken = []
    if person.other > RIVAL * person.area:
        broken.append(Rule.ONE_PERSON)
    if int((skin[person.box] > 0).sum()) > MOST_SKIN * person.area:
        broken.append(Rule.NO_SKIN_CLOTHES)
    elif len(blobs) > 3 and blobs[3].area > RIVAL_SKIN * blobs[2].area:
        broken.append(Rule.NO_OTHER_SKIN)
    elif not begun and len(blobs) < 3:
        broken.append(Rule.HEAD_AND_HANDS)
    return broken
