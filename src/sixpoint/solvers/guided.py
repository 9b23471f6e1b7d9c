"""Guided sequential IK: what six positions leave open is taken from what people tend to do.

A small network, fitted to the motion of many people, says how pelvis and spine are turned and
where elbows and knees point; then everything is made exact as sequential IK does: the head by the
least turning of pelvis and spine, limbs by two bones, all within joint limits. Where the points are
unlike anything it was fitted to, it hands over to plain sequential IK by degrees. The SIK paper
names this as future work.

**Good at** everyday and athletic motion: about half of the error of sequential IK. **Bad at** what
nobody did in the data: its guesses are then as poor as those of others, and it says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from ..body.anatomy import Anatomy
from ..errors import InputError
from ..kernels import arrays
from ..kernels._jit import Kernel
from ..kernels.types import Floats
from ..priors.layout import measures, mirror_inputs, mirror_outputs
from ..priors.model import Prior, prior_of
from ..priors.poses import build_of
from ..priors.spine_resampling import spine_map
from ._kernels.guide_tables import GUIDE, INPUTS, LIMB_COUNT, MEMORY, STATIONS, TASKS, VECTORS, Net
from ._kernels.guided import solve_frames
from ._kernels.tables import SPINE, FrameTable, RecordArray
from .base import Capabilities, one_of
from .body_table import clear_state, new_state
from .human import HumanSolver, HumanTracker
from .sik import SequentialSolver

HEAD_AND_HANDS = ("head", "l_wrist", "r_wrist")
"""What a headset and two controllers show."""
FAR = 2.0
"""The prior is not trusted at all beyond this many times the distance of the usual."""
PELVIS_GIVE = 0.15
"""How readily the pelvis turns to make the spine exact, against 1 for the whole spine."""


def guide_of(anatomy: Anatomy, prior: Prior) -> RecordArray:
    """How one body follows a prior."""
    spine = spine_map(anatomy)
    array = np.zeros(1, GUIDE)
    guide = array[0]
    guide.measures[:] = measures(build_of(anatomy))
    count = len(spine.parts.low)
    guide.low[:count], guide.high[:count] = spine.parts.low, spine.parts.high
    guide.share[:count] = spine.parts.share
    lengths = np.array([np.linalg.norm(anatomy.vector(a, b)) for a, b in pairwise(anatomy.bends)])
    guide.give[0] = PELVIS_GIVE
    guide.give[1 : count + 1] = count * lengths / lengths.sum()
    guide.near, guide.far = prior.near, FAR * prior.near
    return array


def net_of(prior: Prior) -> Net:
    """A prior and scratch memory as kernels take them."""
    order, signs = mirror_inputs()
    back, back_signs = mirror_outputs()
    w1, b1, w2, b2, w3, b3 = (np.array(w) for w in prior.weights)
    c1, d1, c2, d2, c3, d3 = (np.array(w) for w in prior.plausibility_weights)
    return Net(
        w1=w1,
        b1=b1,
        w2=w2,
        b2=b2,
        w3=w3,
        b3=b3,
        mean=np.array(prior.mean),
        scale=1.0 / prior.scale,
        whitening=np.array(prior.whitening),
        order=order,
        signs=signs,
        back=back,
        back_signs=back_signs,
        x=np.zeros((2, INPUTS)),
        h1=np.zeros((2, len(b1))),
        h2=np.zeros((2, len(b2))),
        y=np.zeros((2, 3 * VECTORS)),
        c1=c1,
        d1=d1,
        c2=c2,
        d2=d2,
        c3=c3,
        d3=d3,
        g1=np.zeros((2, len(d1))),
        g2=np.zeros((2, len(d2))),
        score=np.zeros((2, 1)),
        vectors=np.zeros((VECTORS, 3)),
        world=arrays.identity(STATIONS),
        lower=arrays.identity(1),
        levers=np.zeros((TASKS, SPINE + 1, 3)),
        gaps=np.zeros(TASKS),
        normal=np.zeros((TASKS, TASKS)),
        turns=np.zeros((SPINE + 1, 3)),
        helps=np.zeros((SPINE + 1, 3)),
        kept=np.zeros((SPINE + 1, 3)),
        swivels=np.zeros(LIMB_COUNT),
        normals=np.zeros((LIMB_COUNT, 3)),
    )


class GuidedTracker(HumanTracker):
    """One body followed with the help of a prior."""

    solver: GuidedSolver

    @property
    def confidence(self) -> float:
        """How far the last streamed frame is to be trusted, from 0 to 1; NaN before.

        How usual the points look, times how likely they carry their right names, times the part of
        them that was seen. The pose blends into sequential IK by the first of these alone.
        """
        return float(self._memory[1][0].confidence) if self._memory[1][0].known else math.nan

    @property
    def confidences(self) -> Floats:
        """The same of each frame of the last clip, shape (F,)."""
        return self._trusts.copy()

    def _prepare(self) -> None:
        super()._prepare()
        self._guide = guide_of(self.skeleton.anatomy, self.solver.model)
        guide = self._guide[0]
        guide.trust = self.solver.trust
        guide.cutoff, guide.quickness = self.solver.cutoff, self.solver.quickness
        guide.ends = self.solver.ends == "predicted"
        self._net = net_of(self.solver.model)
        self._trusts = np.zeros(1)

    def _new_memory(self) -> tuple[RecordArray, RecordArray]:
        return new_state(), np.zeros(1, MEMORY)

    def _clear(self, memory: Any) -> None:
        state, own = memory
        clear_state(state)
        own[...] = np.zeros((), MEMORY)

    def _run(
        self,
        settings: RecordArray,
        memory: Any,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        state, own = memory
        if len(self._trusts) != len(seen):
            self._trusts = np.zeros(len(seen))
        self._guide[0].period = settings[0].period
        self._kernel(
            self._body,
            settings,
            state,
            self._work,
            self._guide,
            own,
            self._net,
            self._limits,
            self._rest,
            seen,
            turned,
            out,
            self._trusts,
            first,
            last,
        )


@dataclass(frozen=True, kw_only=True)
class GuidedSolver(HumanSolver):
    """Settings of guided sequential IK."""

    name: ClassVar[str] = "guided"
    title: ClassVar[str] = "Sequential IK, guided by a prior"
    capabilities: ClassVar[Capabilities] = SequentialSolver.capabilities
    kernel: ClassVar[Kernel[..., None]] = solve_frames
    tracker: ClassVar[type[HumanTracker]] = GuidedTracker

    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """As for `sik`; here only for frames in which the prior is not trusted."""
    prior: str = ""
    """File of the model, as written by `sixpoint train`; empty for the one built in."""
    trust: float = 1.0
    """Most that the prior is trusted: 1 where the points look usual; 0 for sequential IK, with the
    exact step of this solver."""
    cutoff: float = 6.0
    """Slowest cutoff of the one-euro filter over the prior's answers [Hz]; 0 for no filter."""
    quickness: float = 12.0
    """How much the cutoff grows with the speed of an answer: the larger, the less lag."""
    ends: Literal["predicted", "neutral"] = "predicted"
    """Hands and feet, whose turns no point shows: as people mostly have them, or neutral."""
    collisions: bool = False
    """Push elbows out of the torso."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        one_of("ends", self.ends, ("predicted", "neutral"))
        if self.prior:
            prior_of(self.prior)  # a file that cannot be used is refused at once
        if not 0.0 <= self.trust <= 1.0:
            raise InputError(f"Expected `trust` in [0, 1], got {self.trust}.")
        for name in ("cutoff", "quickness"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(f"Expected `{name}` >= 0, got {getattr(self, name)}.")

    @property
    def needed(self) -> tuple[str, ...]:
        """Head and hands: a body of these it puts on its feet itself."""
        return HEAD_AND_HANDS

    @property
    def model(self) -> Prior:
        """The prior itself, read once."""
        return prior_of(self.prior)

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        trunk = SequentialSolver().numbers()
        return {**trunk, "swivel_search": True, "keep_plane": True, "collisions": self.collisions}
