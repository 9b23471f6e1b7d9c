"""One picture, all stages: colours, person, skin, patches, and the rules that it breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .blobs import Blob, find_blobs, least_area
from .masks import Background, ChromaKey, Mask, Person, Picture, chroma_of, find_person
from .rules import Rule, broken_rules
from .skin import SkinModel


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
