"""A body that touches itself: all pairs of its parts, neighbours masked out (X6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.shapes import free_pairs, pair_depths
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..motion.motion import STRIPE, Motion
from .contacts import Contacts, Event


@dataclass(frozen=True, eq=False)
class SelfContact:
    """The pairs of one skeleton that must stay apart."""

    skeleton: Skeleton

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the parts of each pair."""
        shape, pairs = free_pairs(self.skeleton)
        return tuple((shape.names[i], shape.names[j]) for i, j in pairs)

    def depths(self, motion: Motion) -> Floats:
        """How deep the parts of each pair are in each other [m], shape (F, P); negative: gaps."""
        return self._measure(motion)[0]

    def events(self, motion: Motion) -> list[Event]:
        """Every stretch of frames in which two parts touch, in the order of time."""
        depths, places = self._measure(motion)
        out: list[Event] = []
        for k, (part, other) in enumerate(self.pairs):
            one = Contacts(
                (part,), (other,), depths[:, None, k : k + 1], places[:, None, k : k + 1],
                np.zeros(1),
            )  # fmt: skip
            out += one.events()
        return sorted(out, key=lambda event: (event.first, event.part, event.thing))

    def _measure(self, motion: Motion) -> tuple[Floats, Floats]:
        if motion.skeleton != self.skeleton:
            raise InputError("Expected a motion of this skeleton, got one of another.")
        shape, pairs = free_pairs(self.skeleton)
        depths = np.empty((len(motion), len(pairs)))
        places = np.empty((len(motion), len(pairs), 3))
        for f in range(0, len(motion), STRIPE):
            found, first, second = pair_depths(shape, pairs, *motion.world(slice(f, f + STRIPE)))
            depths[f : f + STRIPE], places[f : f + STRIPE] = found, 0.5 * (first + second)
        return depths, places
