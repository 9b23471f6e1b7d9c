"""TGBSIK: trunk and clavicles of sequential IK, limbs with the swivel of least turning.

The method of Tolani, Goswami and Badler for limbs ("Real-time inverse kinematics techniques for
anthropomorphic limbs", Graphical Models 62, 2000) in the body of sequential IK, as the SIK paper
compares it (section 9). Elbow or knee may lie anywhere on a circle; the place is taken at which
shoulder or hip swings and twists least.

**Good at** staying far from the limits of shoulder and hip. **Bad at** steadiness: the best of two
places far apart may change from one frame to the next, and elbow or knee jumps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import InputError
from ..kernels._jit import Kernel
from ..kernels.types import Floats
from ..motion.points import SIX
from ._kernels.tables import FrameTable, RecordArray
from ._kernels.tgbsik import solve_frames
from .base import Capabilities
from .body_table import clear_state, new_state
from .figure import human_figure, new_pose
from .human import HumanSolver, HumanTracker
from .led import LedTracker, check_prior, leader_of
from .sik import SequentialSolver


class SwivelTracker(LedTracker):
    """A person whose limbs may be drawn to where the guided solver has them."""

    def _prepare(self) -> None:
        super()._prepare()
        self._figure = human_figure(self.skeleton.anatomy, self.limits)
        self._pose_ahead = new_pose(self._figure)

    def _new_own(self) -> RecordArray:
        return new_state()

    def _clear_own(self, memory: Any) -> None:
        clear_state(memory)

    def _follow(
        self,
        settings: RecordArray,
        memory: Any,
        lead: FrameTable,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        self._kernel(
            self._body,
            settings,
            memory,
            self._work,
            self._limits,
            self._rest,
            self._figure,
            self._pose_ahead,
            lead,
            seen,
            turned,
            out,
            first,
            last,
        )


@dataclass(frozen=True, kw_only=True)
class SwivelSolver(HumanSolver):
    """Settings of TGBSIK; its trunk is that of `SequentialSolver` with the default settings."""

    name: ClassVar[str] = "tgbsik"
    title: ClassVar[str] = "Sequential IK, searched swivels"
    capabilities: ClassVar[Capabilities] = SequentialSolver.capabilities
    kernel: ClassVar[Kernel[..., None]] = solve_frames
    tracker: ClassVar[type[HumanTracker]] = SwivelTracker

    twist_weight: float = 1.0
    """What a twist of shoulder or hip costs, where a swing costs 1 (both squared)."""
    prior_weight: float = 0.0
    """What it costs to swivel away from where the guided solver has elbow or knee (also squared);
    0, as published: nothing."""
    prior: str = ""
    """File of the guided solver's model, for a `prior_weight`; empty for the one built in."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        if not 0.0 <= self.twist_weight <= 1e6:
            raise InputError(f"Expected `twist_weight` in [0, 1e6], got {self.twist_weight}.")
        if not 0.0 <= self.prior_weight <= 1e6:
            raise InputError(f"Expected `prior_weight` in [0, 1e6], got {self.prior_weight}.")
        check_prior(self, self.prior, "prior_weight=1")

    @property
    def leader(self) -> HumanSolver | None:
        """The guided solver goes ahead, if its swivels count."""
        return leader_of("guided", self, self.prior) if self.prior_weight > 0.0 else None

    @property
    def needed(self) -> tuple[str, ...]:
        """All: only swivels are taken from the one who goes ahead."""
        return SIX

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        trunk = SequentialSolver().numbers()
        own = {"twist_weight": self.twist_weight, "prior_weight": self.prior_weight}
        return {**trunk, **own, "swivel_search": True}
