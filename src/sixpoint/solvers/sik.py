"""Sequential IK: a whole body from six positions, part by part.

Unzueta, Peinado, Boulic and Suescun, "Full-body performance animation with Sequential Inverse
Kinematics", Graphical Models 70 (2008). Root, spine, legs, clavicles and arms are solved in this
order, each in closed form or by a short search, within joint limits. No motion database, no
Jacobian, no history in the limbs.

**Good at** speed (microseconds a frame), natural swivels of unremarkable motion, never breaking a
limit. **Bad at** what six positions do not tell: how the pelvis is turned about the spine, an elbow
raised sideways, the twist between pelvis and chest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ..errors import InputError
from ..kernels._jit import Kernel
from ._kernels.sik import solve_frames
from .base import Capabilities, one_of
from .human import HumanSolver

BENDS = ("sagittal", "chord", "vertical", "previous")


@dataclass(frozen=True, kw_only=True)
class SequentialSolver(HumanSolver):
    """Settings of sequential IK. The defaults are the paper's method with its errata mended."""

    name: ClassVar[str] = "sik"
    title: ClassVar[str] = "Sequential IK"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=False,
        limits=True,
        rotations=True,
        missing=True,
        history=True,
        exact=True,
    )
    kernel: ClassVar[Kernel[..., None]] = solve_frames

    bend: Literal["sagittal", "chord", "vertical", "previous"] = "sagittal"
    """Plane in which the spine bends: forwards and backwards of the estimated pelvis; the plane of
    the neutral and the wanted chord; of the vertical and the wanted chord; of the chord of the
    frame before and the wanted one (the paper's words)."""
    spine_mode: Literal["restart", "incremental"] = "restart"
    """Search the bend of the spine from the neutral shape, or from the frame before (literal)."""
    spine_search: Literal["exact", "two-phase"] = "exact"
    """Close in on the exact length of the spine, or stop after the coarse and fine steps of 0.1 and
    0.01 rad, a few millimetres off (literal)."""
    clavicle: Literal["rest", "hold"] = "rest"
    """Start each frame from the clavicle's rest, or from the frame before (literal)."""
    clavicle_relax: float = 0.1
    """With `clavicle="hold"`: part of the way back to rest in each frame."""
    swivel: Literal["neutral", "search"] = "neutral"
    """Where limits keep a limb from its target: accept the miss (the paper), or look for another
    swivel of the elbow or knee that reaches within the limits."""
    feet: Literal["neutral", "level"] = "neutral"
    """What no point tells: feet straight below the shanks, or soles level with the ground (Y up) as
    far as ankles go."""
    collisions: bool = False
    """Push elbows out of the torso."""
    retwist: bool = False
    """Give the pelvis its estimated X axis back after the spine is aligned."""
    overhead_hysteresis: bool = False
    """Within 5 degrees of straight up, swing the limb about the axis of the frame before."""
    project_previous: bool = True
    """Project the X axis of the frame before like the other two (False: literal)."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        one_of("bend", self.bend, BENDS)
        one_of("spine_mode", self.spine_mode, ("restart", "incremental"))
        one_of("spine_search", self.spine_search, ("exact", "two-phase"))
        one_of("clavicle", self.clavicle, ("rest", "hold"))
        one_of("swivel", self.swivel, ("neutral", "search"))
        one_of("feet", self.feet, ("neutral", "level"))
        if not 0.0 <= self.clavicle_relax <= 1.0:
            raise InputError(f"Expected `clavicle_relax` in [0, 1], got {self.clavicle_relax}.")

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        return {
            "project_previous": self.project_previous,
            "bend": BENDS.index(self.bend),
            "incremental": self.spine_mode == "incremental",
            "exact": self.spine_search == "exact",
            "retwist": self.retwist,
            "hold_clavicle": self.clavicle == "hold",
            "clavicle_relax": self.clavicle_relax,
            "swivel_search": self.swivel == "search",
            "hysteresis": self.overhead_hysteresis,
            "collisions": self.collisions,
            "level_feet": self.feet == "level",
        }
