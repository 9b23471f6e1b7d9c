"""What a comparison of two motions found, and how it prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..kernels.types import Floats

JOINTS = {"_inner": "  without wrists, ankles", "_own": "  without helper joints"}
"""Ending of the names of two numbers -> their label in the text."""


def _no_frames() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True)
class RoleError:
    """Mean error of one role over the frames."""

    position: float
    """Distance [m]."""
    orientation: float
    """Angle between the local rotations (pelvis: world) [rad]; NaN where the role is a site."""


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. A number that cannot be measured is NaN (None in `as_dict`)."""

    position_rms: float
    """RMS over frames of the joint-average position error, as a fraction of body height."""
    position_mean: float
    """Mean over frames of the same."""
    orientation_rms: float
    """RMS over frames of the joint-average orientation error [rad]."""
    orientation_mean: float
    """Mean over frames of the same."""
    position_rms_inner: float
    """`position_rms` without wrists and ankles."""
    position_mean_inner: float
    """`position_mean` without wrists and ankles."""
    orientation_rms_inner: float
    """`orientation_rms` without wrists and ankles, whose rotations no tracked position shows."""
    orientation_mean_inner: float
    """`orientation_mean` without wrists and ankles."""
    orientation_rms_own: float
    """`orientation_rms` of each scored joint's own rotation alone: helper joints in between (a
    twist bone in the forearm) count for nothing, where `orientation_rms` adds them to the joint
    they help. The same on rigs without such joints."""
    orientation_mean_own: float
    """`orientation_mean` likewise."""
    position_rms_joints: float
    """RMS over all scored joints and frames at once, as a fraction of body height."""
    orientation_rms_joints: float
    """RMS over all scored joints and frames at once [rad]."""
    point_cloud_rms: float
    """RMS over frames of the distance of point clouds (Kovar et al. 2002) as a fraction of body
    height: how far windows of a third of a second are apart after the best shift along the ground
    and rotation about the vertical."""
    point_cloud_mean: float
    """Mean over frames of the same."""
    effector_mean_m: float
    """Mean distance of pelvis, head, wrists and ankles from the original [m]."""
    effector_p95_m: float
    """95th percentile of the same [m]."""
    effector_max_m: float
    """Largest of the same [m]."""
    jitter: float
    """RMS acceleration of head, wrists and ankles, from second differences [m/s^2]."""
    jitter_ratio: float
    """`jitter` as a multiple of the original's."""
    foot_skate: float
    """Mean horizontal speed of an ankle while the original stands on it [m/s]."""
    steps_over_30deg: int
    """Joints times frames that turn further than 30 degrees from one frame to the next."""
    steps_over_30deg_original: int
    """The same count in the original."""
    swivel: Mapping[str, float]
    """Limb -> mean angle between the directions in which elbow or knee stand off the line from
    shoulder to wrist or hip to ankle [rad]; frames with a nearly straight limb do not count."""
    roles: Mapping[str, RoleError]
    """Role -> mean errors; `spine` is the average of its joints."""
    frames: int
    """Frames compared."""
    rate: float
    """Frames a second [Hz]."""
    height: float
    """Body height that positions are divided by: calf + thigh + pelvis + torso + neck [m]."""
    aligned: bool = False
    """Whether the reconstruction was moved and turned as a whole to fit best."""
    warnings: tuple[str, ...] = ()
    """What makes the comparison less than fair."""
    position_per_frame: Floats = field(default_factory=_no_frames, repr=False, compare=False)
    """Joint-average position error of each frame, as a fraction of body height, shape (F,)."""
    orientation_per_frame: Floats = field(default_factory=_no_frames, repr=False, compare=False)
    """Joint-average orientation error of each frame [rad], shape (F,)."""
    point_cloud_per_frame: Floats = field(default_factory=_no_frames, repr=False, compare=False)
    """Distance of point clouds around each frame, as a fraction of body height, shape (F,)."""
    orientation_own_per_frame: Floats = field(default_factory=_no_frames, repr=False, compare=False)
    """The same of joints' own rotations alone, shape (F,)."""

    def as_dict(self) -> dict[str, Any]:
        """Everything but the per-frame curves, ready for JSON: NaN becomes None."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.compare}
        values["swivel"] = {limb: _number(angle) for limb, angle in self.swivel.items()}
        values["roles"] = {
            role: {"position": _number(e.position), "orientation": _number(e.orientation)}
            for role, e in self.roles.items()
        }
        values["warnings"] = list(self.warnings)
        return {key: _number(v) if isinstance(v, float) else v for key, v in values.items()}

    def __str__(self) -> str:
        parts = [("position", "", "of body height"), ("position", "_inner", ""),
                 ("orientation", "", "rad"), ("orientation", "_inner", "")]  # fmt: skip
        if not math.isclose(self.orientation_rms_own, self.orientation_rms, rel_tol=1e-6):
            parts.append(("orientation", "_own", ""))
        rows = [("", "RMS", "mean", "")]
        for kind, joints, unit in parts:
            values = (getattr(self, f"{kind}_{name}{joints}") for name in ("rms", "mean"))
            rms, mean = (_show(value, 4) for value in values)
            rows.append((JOINTS.get(joints, f"{kind} error"), rms, mean, unit))
        rms, mean = (_show(getattr(self, f"point_cloud_{name}"), 4) for name in ("rms", "mean"))
        rows.append(("point clouds", rms, mean, "of body height, aligned"))
        swivels = [angle for angle in self.swivel.values() if math.isfinite(angle)]
        facts = [
            ("tracked points", f"{_show(1e3 * self.effector_mean_m, 1)} mm off on average"),
            ("swivel error", f"{_show(_mean(swivels), 3)} rad"),
            ("jitter", f"{_show(self.jitter_ratio, 2)} times the original's"),
            ("foot skate", f"{_show(100.0 * self.foot_skate, 1)} cm/s"),
            (
                "steps over 30 degrees",
                f"{self.steps_over_30deg} (original {self.steps_over_30deg_original})",
            ),
        ]
        lines = [f"{a:<26}{b:>8}{c:>9}  {d}".rstrip() for a, b, c, d in rows]
        lines += [f"{name:<26}{value}" for name, value in facts]
        lines += [f"warning: {text}" for text in self.warnings]
        head = f"{self.frames} frames at {self.rate:g} Hz, body height {self.height:.3f} m"
        return "\n".join([head, *lines])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _show(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"
