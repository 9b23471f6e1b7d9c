"""One picture, all stages: person, skin, blobs, and the rules of the workspace that it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from .blobs import Blob, find_blobs, least_area
from .body_measurement import HAND_AREA, HAND_HALF, HEAD_AREA, Sizes
from .camera import Camera
from .images import Mask, Picture, opencv
from .segmentation import Background, ChromaKey, Person, SkinModel, chroma_of, find_person
from .tracks import Fixes


class Rule(Enum):
    """What a scene must be like; the value is what to tell a user who broke it."""

    TWO_VIEWS = "both cameras show the same picture: give two different views"
    KEY_BACKGROUND = (
        "the wall behind the person is not of the key colour: give its colour with --key, or "
        "pictures of the empty room with --background"
    )
    ONE_PERSON = "more than one person, or something as large, stands before the wall"
    SOMEBODY = "nobody is before the cameras"
    NO_SKIN_CLOTHES = "clothes look like skin: wear other colours"
    NO_OTHER_SKIN = "more skin than head and hands is seen: roll down the sleeves"
    HEAD_AND_HANDS = "head and hands are not all seen apart in both pictures: show them"


LEAST_PERSON = 0.01
"""A person fills this part of a picture at least."""
MOST_PERSON = 0.7
"""And no more than this: a wall that is not recognised looks like a person."""
RIVAL = 0.2
"""Something else this large, compared with the person, is another person."""
MOST_SKIN = 0.3
"""More of a clothed silhouette is not skin."""
LEAST_LIMB = 0.25
"""Patches smaller than this, over a hand that shows its palm, are not counted."""
ONE_THING = 0.08
"""Patches nearer than this, over stature, may be one face with something before it."""
LEAST_HEAD, ROUND = 0.3, 0.55
"""A patch may be a head if it is so large, over a head's outline, and its axes so much alike ..."""
HIGH, LOW = 0.2, 0.8
"""... and so near to the top of the silhouette, over stature. Below the knees hang no hands."""
MOST_PATCHES = 5
"""Head, hands, and what two rolled-up sleeves or two shoes add: more are more people."""
LONGEST_HAND = 1.4
"""A hand longer than this, over its length, has a bare forearm."""
LONGEST_PATCH = 0.165
"""A patch longer than this, over stature, is neither a hand nor a head."""
AT_ONCE = (Rule.TWO_VIEWS, Rule.KEY_BACKGROUND, Rule.SOMEBODY, Rule.HEAD_AND_HANDS)
"""Rules of which one frame tells; those about skin and people need several: noise may err."""
FRAMES = 3
"""So many, one after the other ..."""
HOLD = 30
"""... and so many are not trusted after the last: sleeves are not rolled down in between."""
SAME = 2.0
"""Pictures that differ by less than this, of 255, are the same one."""


class Judge:
    """Holds a rule for broken when several frames in a row say so, and for a while after that."""

    def __init__(self) -> None:
        self._runs: dict[Rule, int] = {}
        self._held: dict[Rule, int] = {}

    def confirm(self, suspected: Sequence[Rule], *, begun: bool) -> tuple[Rule, ...]:
        """The rules that are broken in this frame.

        Args:
            suspected: those that the frame says are.
            begun: whether somebody is followed already; if not, there is nothing to lose.
        """
        self._runs = {rule: self._runs.get(rule, 0) + 1 for rule in suspected}
        self._held = {rule: left - 1 for rule, left in self._held.items() if left > 1}
        now = [rule for rule in suspected if rule in AT_ONCE]
        for rule, run in self._runs.items():
            if rule not in AT_ONCE and (run >= FRAMES or not begun or rule in self._held):
                self._held[rule] = HOLD
        if Rule.ONE_PERSON in self._held:  # who have more hands than one
            self._held.pop(Rule.NO_OTHER_SKIN, None)
        return (*now, *self._held)


def broken_rules(person: Person, skin: Mask, blobs: Sequence[Blob], tall: float) -> list[Rule]:
    """Which rules one picture breaks.

    Args:
        person: the silhouette.
        skin: its skin.
        blobs: patches of skin, the largest first.
        tall: how tall the person is in the picture [px].
    """
    pixels = person.mask.size
    if person.area < LEAST_PERSON * pixels:
        return [Rule.SOMEBODY]
    if person.area > MOST_PERSON * pixels:
        return [Rule.KEY_BACKGROUND]
    if person.other > RIVAL * person.area:
        return [Rule.ONE_PERSON]
    if int((skin[person.box] > 0).sum()) > MOST_SKIN * person.area:
        return [Rule.NO_SKIN_CLOTHES]
    things = _things([b for b in blobs if b.area > LEAST_LIMB * HAND_AREA * tall**2], tall)
    down = [(float(thing.centre[1]) - person.box[0].start) / tall for thing in things]
    heads = [t for t, depth in zip(things, down, strict=True) if depth < HIGH and _is_head(t, tall)]
    above = sum(depth < LOW for depth in down)
    if (len(heads) > 1 and above > 3) or len(things) > MOST_PATCHES:
        return [Rule.ONE_PERSON]
    return [Rule.NO_OTHER_SKIN] if len(things) > 3 or above < len(things) else []


def _things(blobs: Sequence[Blob], tall: float) -> list[Blob]:
    """The largest patch of each group of patches that are near each other."""
    out: list[Blob] = []
    for blob in blobs:
        if all(np.linalg.norm(blob.centre - other.centre) > ONE_THING * tall for other in out):
            out.append(blob)
    return out


def _is_head(blob: Blob, tall: float) -> bool:
    long, short = blob.ellipse.axes
    return blob.area > LEAST_HEAD * HEAD_AREA * tall**2 and short > ROUND * long


def not_found(blobs: Sequence[Sequence[Blob]], talls: Sequence[float]) -> Rule:
    """Why head and hands were not found among the patches of all pictures."""
    for patches, tall in zip(blobs, talls, strict=True):
        longest = max((2.0 * blob.ellipse.axes[0] for blob in patches), default=0.0)
        if len(_things(patches, tall)) > 3 or longest > LONGEST_PATCH * tall:
            return Rule.NO_OTHER_SKIN
    return Rule.HEAD_AND_HANDS


def bare_forearms(fixes: Fixes, cameras: Sequence[Camera], sizes: Sizes) -> bool:
    """Whether a hand that is seen by itself is longer than a hand can be."""
    length = 2.0 * float(HAND_HALF[1])
    return any(
        2.0 * ellipse.axes[0] > LONGEST_HAND * length * sizes.tall(camera, fix.seen)
        for fix in fixes[1:]
        if fix is not None and fix.alone
        for ellipse, camera in zip(fix.ellipses, cameras, strict=True)
    )


def same_view(pictures: Sequence[Picture], people: Sequence[Person]) -> bool:
    """Whether two pictures show somebody from the same place."""
    (rows, columns), (others, _) = people[0].box, people[1].box
    if rows.stop == rows.start or others.stop == others.start:
        return False
    one, two = (picture[rows, columns] for picture in pictures)
    return float(opencv().norm(one, two, opencv().NORM_L1)) < SAME * one.size


@dataclass(frozen=True, eq=False)
class Look:
    """What one picture shows."""

    person: Person
    skin: Mask
    blobs: tuple[Blob, ...]
    """Patches of skin, the largest first."""
    tall: float
    """How tall the person is in the picture [px]."""
    broken: tuple[Rule, ...]
    """Rules of the workspace that it breaks; what it shows is not to be trusted then."""


def look_at(
    picture: Picture,
    backdrop: ChromaKey | Background,
    skin: SkinModel,
    tall: float | None = None,
) -> Look:
    """Find the person, the skin and its patches.

    Args:
        picture: blue, green, red.
        backdrop: what is not the person.
        skin: what skin looks like.
        tall: how tall the person is in the picture [px]; None: as the silhouette is.
    """
    chroma = chroma_of(picture)
    person = find_person(backdrop.mask(chroma))
    box = person.box
    bare = np.zeros_like(person.mask)
    bare[box] = skin.mask(chroma.part(box), person.mask[box])
    high = float(box[0].stop - box[0].start) if tall is None else tall
    blobs = tuple(find_blobs(bare[box], least_area(high), (box[1].start, box[0].start)))
    broken = tuple(broken_rules(person, bare, blobs, high))
    return Look(person, bare, blobs, high, broken)
