"""Estimated limits for other programs: a CSV table, and a URDF with all joints and their limits.

Both describe the rig at rest (of a person: the neutral stance), where every frame is parallel to
the world's; no rotation order or channel of a motion file is needed to read them.
"""

from __future__ import annotations

import csv
import io
from xml.sax.saxutils import quoteattr

import numpy as np

from ...body.articulation import Articulation
from ...kernels import arrays
from ...kernels.types import Quat, Vec3
from ..base import IDENTITY, JointLimit
from ..collection import Limits
from ..models import EulerBoxLimit, FixedLimit, FlexionLimit
from .classify import BALL
from .estimate import Estimate, Family

COLUMNS = (
    *("joint", "role", "type", "parameter", "low_deg", "high_deg"),
    *("axis_x", "axis_y", "axis_z", "ref_w", "ref_x", "ref_y", "ref_z"),
    *("samples", "confidence", "bind_feasible"),
)
"""Columns of the CSV file, which has one row for a hinge or a fixed joint, three for a ball."""


def csv_text(estimate: Estimate) -> str:
    """Types and ranges as a table: hinges by their angle, balls by their XYZ box."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for joint in estimate.joints("xyz"):
        feasible = "yes" if joint.bind_feasible else "no"
        tail = (estimate.fit.samples, f"{joint.confidence:.3f}", feasible)
        for name, (low, high), axis, reference in _parameters(joint.limit):
            ends = [f"{np.degrees(end):.6f}" for end in (low, high)]
            numbers = [f"{value:.9g}" for value in (*axis, *reference)]
            writer.writerow((joint.name, joint.role, joint.type, name, *ends, *numbers, *tail))
    return out.getvalue()


Parameter = tuple[str, tuple[float, float], Vec3, Quat]
AXES: dict[str, Vec3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _parameters(limit: JointLimit) -> list[Parameter]:
    """Name, ends, axis and reference of each angle of a limit."""
    if isinstance(limit, FixedLimit):
        return [("fixed", (0.0, 0.0), (0.0, 0.0, 0.0), limit.rotation)]
    if isinstance(limit, FlexionLimit):
        return [("angle", (limit.low, limit.high), limit.axis, limit.reference)]
    assert isinstance(limit, EulerBoxLimit)
    pairs = zip(AXES.items(), limit.intervals, strict=True)
    return [(name, ends, axis, IDENTITY) for (name, axis), ends in pairs]


def urdf_text(estimate: Estimate, body: Articulation, name: str = "figure") -> str:
    """URDF of a robot whose links are the bones; a ball is three revolute joints X, Y and Z.

    Origins are those of the rig at rest [m], angles in radians. An angle without a limit makes a
    continuous joint; the root of the rig is the base. Effort and velocity, which motion does not
    tell, are zero.
    """
    limits = estimate.limits("xyz")
    skeleton = body.skeleton
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(name)}>"]
    for joint, label in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        if parent < 0:
            lines.append(f"  <link name={quoteattr(label)}/>")
            continue
        lines += _urdf_joint(label, skeleton.names[parent], tuple(body.offsets[joint]), limits)
    return "\n".join([*lines, "</robot>", ""])


def _urdf_joint(label: str, parent: str, offset: tuple[float, ...], limits: Limits) -> list[str]:
    free: Parameter = ("free", (0.0, 0.0), (0.0, 0.0, 0.0), IDENTITY)
    found = _parameters(limits[label]) if label in limits else [free]
    lines = []
    for k, (parameter, (low, high), axis, reference) in enumerate(found):
        last = k == len(found) - 1
        joint = label if len(found) == 1 else f"{label}_{parameter}"
        link = label if last else f"{label}_{parameter}_link"
        kind = {"fixed": "fixed", "free": "floating"}.get(parameter, "revolute")
        if kind == "revolute" and high - low >= 2.0 * np.pi - 1e-9:
            kind = "continuous"
        at, turn = _numbers(offset), _numbers(_roll_pitch_yaw(reference))
        lines += [
            f"  <link name={quoteattr(link)}/>",
            f"  <joint name={quoteattr(joint)} type={quoteattr(kind)}>",
            f'    <origin xyz="{at}" rpy="{turn}"/>',
            f"    <parent link={quoteattr(parent)}/>",
            f"    <child link={quoteattr(link)}/>",
        ]
        if kind in ("revolute", "continuous"):
            lines.append(f'    <axis xyz="{_numbers(axis)}"/>')
        if kind == "revolute":
            ends = f'lower="{low:.9g}" upper="{high:.9g}"'
            lines.append(f'    <limit {ends} effort="0" velocity="0"/>')
        lines.append("  </joint>")
        parent, offset = link, (0.0, 0.0, 0.0)
    return lines


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{x:.9g}" for x in values)


def _roll_pitch_yaw(q: Quat) -> tuple[float, float, float]:
    """Fixed-axis angles of URDF: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    yaw, pitch, roll = (arrays.to_euler("ZYX", np.array(q)) + 0.0).tolist()
    return (roll, pitch, yaw)


def ranges_text(estimate: Estimate, name: str, family: Family) -> str:
    """Ranges of one joint as text, in degrees."""
    joint = estimate.names.index(name)
    limit = estimate.limit(joint, family)
    if isinstance(limit, FixedLimit):
        return "-"
    if isinstance(limit, FlexionLimit):
        return _ends(limit.low, limit.high)
    if estimate.classes.types[joint] == BALL and isinstance(limit, EulerBoxLimit):
        return ", ".join(_ends(*ends) for ends in limit.intervals)
    swings = np.degrees(limit.amplitudes)
    return f"swing {swings.min():.0f}..{swings.max():.0f}, twist {_ends(*limit.twist)}"


def _ends(low: float, high: float) -> str:
    return f"{np.degrees(low):.0f}..{np.degrees(high):.0f}"
