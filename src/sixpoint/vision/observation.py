"""What one picture shows: person, skin, blobs, and the rules of the workspace that it breaks.

In an unsuitable scene the chain would find hands where there are none. The rules (Boulic et al.
2006, section 3) tell the user what is wrong, and frames that break one give no points. Rules about
skin look at blobs as large as a hand or a head, relative to the person's height in the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from .blobs import Blob, find_blobs, least_area
from .body_measurement import HAND_AREA, HAND_HALF, HEAD_AREA, PersonModel
from .images import Mask, Picture, opencv
from .segmentation import Background, ChromaKey, Silhouette, SkinModel, chroma_of, find_person
from .tracks import Tracks


class Rule(Enum):
    """A rule of the workspace; the value is what to tell a user who broke it."""

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


LEAST_PERSON, LARGEST_PERSON = 0.01, 0.7
"""Share of the picture that a person fills: a wall that is not recognised looks like a person."""
LARGEST_RIVAL = 0.2
"""Size over that of the person from which on something else is another person."""
LARGEST_SKIN = 0.3
"""Largest share of skin in a clothed silhouette."""
LEAST_LIMB = 0.25
"""Least area of a blob that is counted, over a hand that shows its palm."""
SEPARATION = 0.08
"""Distance within which blobs may be one face with something before it, over stature."""
LEAST_HEAD, LEAST_ROUNDNESS = 0.3, 0.55
"""Least area of a head over its outline, and least ratio of its axes."""
HEAD_DEPTH, HAND_DEPTH = 0.2, 0.8
"""Depths below the top of the silhouette, over stature, above which heads and hands are."""
MAX_BLOBS = 5
"""Head, hands, and what two rolled-up sleeves or two shoes add: more are more people."""
LONGEST_HAND = 1.4
"""Length of a hand over its expected length from which on it has a bare forearm."""
LONGEST_BLOB = 0.165
"""Largest length of a hand or head, over stature."""
IMMEDIATE = (Rule.TWO_VIEWS, Rule.KEY_BACKGROUND, Rule.SOMEBODY, Rule.HEAD_AND_HANDS)
"""Rules that one frame breaks; those about skin and people need several: noise may err."""
CONFIRMING_FRAMES = 3
"""Consecutive frames that confirm a broken rule."""
BROKEN_FRAMES = 30
"""Frames for which a confirmed rule stays broken: sleeves are not rolled down in between."""
SAME_PICTURE = 2.0
"""Mean difference below which pictures are the same one, of 255."""


@dataclass(frozen=True, eq=False)
class Observation:
    """Person, skin and blobs that one picture shows."""

    person: Silhouette
    skin: Mask
    blobs: tuple[Blob, ...]
    """Skin blobs, the largest first."""
    height: float
    """Height of the person in the picture [px]."""
    broken: tuple[Rule, ...]
    """Rules of the workspace that it breaks; what it shows is not to be trusted then."""


def observe(
    picture: Picture,
    backdrop: ChromaKey | Background,
    skin: SkinModel,
    height: float | None = None,
) -> Observation:
    """Find the person, the skin and its blobs in one picture.

    Args:
        picture: colour picture.
        backdrop: model of what is not the person.
        skin: model of the colour of skin.
        height: height of the person in the picture [px]; None: that of the silhouette.
    """
    chroma = chroma_of(picture)
    person = find_person(backdrop.mask(chroma))
    box = person.box
    bare = np.zeros_like(person.mask)
    bare[box] = skin.mask(chroma.part(box), person.mask[box])
    high = float(box[0].stop - box[0].start) if height is None else height
    blobs = tuple(find_blobs(bare[box], least_area(high), (box[1].start, box[0].start)))
    return Observation(person, bare, blobs, high, _broken_rules(person, bare, blobs, high))


def _broken_rules(
    person: Silhouette, skin: Mask, blobs: Sequence[Blob], height: float
) -> tuple[Rule, ...]:
    """Return the rules that one picture breaks."""
    pixels = person.mask.size
    if person.area < LEAST_PERSON * pixels:
        return (Rule.SOMEBODY,)
    if person.area > LARGEST_PERSON * pixels:
        return (Rule.KEY_BACKGROUND,)
    if person.other > LARGEST_RIVAL * person.area:
        return (Rule.ONE_PERSON,)
    if int((skin[person.box] > 0).sum()) > LARGEST_SKIN * person.area:
        return (Rule.NO_SKIN_CLOTHES,)
    limbs = [blob for blob in blobs if blob.area > LEAST_LIMB * HAND_AREA * height**2]
    parts = _separate_blobs(limbs, height)
    depths = [(float(part.centre[1]) - person.box[0].start) / height for part in parts]
    heads = sum(
        depth < HEAD_DEPTH
        and part.area > LEAST_HEAD * HEAD_AREA * height**2
        and part.ellipse.axes[1] > LEAST_ROUNDNESS * part.ellipse.axes[0]
        for part, depth in zip(parts, depths, strict=True)
    )
    above = sum(depth < HAND_DEPTH for depth in depths)
    if (heads > 1 and above > 3) or len(parts) > MAX_BLOBS:
        return (Rule.ONE_PERSON,)
    return (Rule.NO_OTHER_SKIN,) if len(parts) > 3 or above < len(parts) else ()


def _separate_blobs(blobs: Sequence[Blob], height: float) -> list[Blob]:
    """Return the largest blob of each group of blobs that are near each other."""
    out: list[Blob] = []
    for blob in blobs:
        if all(np.linalg.norm(blob.centre - other.centre) > SEPARATION * height for other in out):
            out.append(blob)
    return out


def why_not_found(views: Sequence[Observation]) -> Rule:
    """Return the rule that explains why head and hands were not found in any picture."""
    for view in views:
        longest = max((2.0 * blob.ellipse.axes[0] for blob in view.blobs), default=0.0)
        many = len(_separate_blobs(view.blobs, view.height)) > 3
        if many or longest > LONGEST_BLOB * view.height:
            return Rule.NO_OTHER_SKIN
    return Rule.HEAD_AND_HANDS


def bare_forearms(tracks: Tracks, person: PersonModel) -> bool:
    """Return whether a hand that is seen by itself is longer than a hand can be."""
    length = 2.0 * float(HAND_HALF[1])
    return any(
        2.0 * ellipse.axes[0] > LONGEST_HAND * length * person.height_in(camera, track.seen)
        for track in tracks[1:]
        if track is not None and track.alone
        for ellipse, camera in zip(track.ellipses, person.cameras, strict=True)
    )


def same_view(pictures: Sequence[Picture], people: Sequence[Silhouette]) -> bool:
    """Return whether two pictures show somebody from the same position."""
    (rows, columns), (others, _) = people[0].box, people[1].box
    if rows.stop == rows.start or others.stop == others.start:
        return False
    one, two = (picture[rows, columns] for picture in pictures)
    return float(opencv().norm(one, two, opencv().NORM_L1)) < SAME_PICTURE * one.size


class RuleMonitor:
    """Confirms a rule as broken after several frames in a row, and for a while after that."""

    def __init__(self) -> None:
        self._runs: dict[Rule, int] = {}
        self._broken: dict[Rule, int] = {}

    def confirm(self, suspected: Sequence[Rule], *, begun: bool) -> tuple[Rule, ...]:
        """Return the rules that are broken in this frame.

        Args:
            suspected: rules that this frame alone breaks.
            begun: whether somebody is tracked already; if not, one frame is enough.
        """
        self._runs = {rule: self._runs.get(rule, 0) + 1 for rule in suspected}
        self._broken = {rule: left - 1 for rule, left in self._broken.items() if left > 1}
        for rule, run in self._runs.items():
            if rule not in IMMEDIATE and (
                run >= CONFIRMING_FRAMES or not begun or rule in self._broken
            ):
                self._broken[rule] = BROKEN_FRAMES
        if Rule.ONE_PERSON in self._broken:  # who have more hands than one
            self._broken.pop(Rule.NO_OTHER_SKIN, None)
        return (*(rule for rule in suspected if rule in IMMEDIATE), *self._broken)
