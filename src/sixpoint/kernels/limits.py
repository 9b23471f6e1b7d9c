"""Joint limits as a table: is a rotation within its limit, how far beyond, what is nearest.

One shape covers every joint. A rotation is split into a swing, which carries the bone direction b
by the angle psi towards the circumduction angle theta, and a twist by tau about the bone before it
(Unzueta et al. 2008, section 7). A ball joint has psi <= amplitude(theta), a hinge has amplitude
zero and flexes by tau, a fixed joint has neither. Hinges and fixed joints may be measured from a
reference rotation. Boxes of Euler angles are the exception: they stand in `limit_box.py`.

With v the vector part of q, split into z = v . b and the rest p, everything is algebraic::

    cos(psi/2), sin(psi/2) = |(w, z)|, |p|          tau/2 = phase of (w, z)
    (theta, at right angles to b)  direction of  w p x b + z p

so that clamping the swing at constant theta and tau only rescales (w, z) and p. Well inside the
limits, which is nearly always, two comparisons decide, without a root or an arc tangent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._jit import helper, kernel
from .limit_box import (
    TOLERANCE,
    box_ends,
    box_project,
    box_violation,
    limit_into,
    limit_out_of,
)
from .quaternion import quat_canonical, quat_load, quat_mul, quat_store
from .rotation import circular_clamp
from .spline import spline_eval, spline_range
from .types import Floats, Quat, Vec3

FREE, FIXED, FLEXION, SWING_TWIST, EULER_BOX = 0, 1, 2, 3, 4
"""Kinds of rows."""

NEVER = -1.0
"""Value of `cone` with which the quick test passes nothing."""

POLE = 1e-5
"""Amplitudes this near to 0 or pi are 0 or pi [rad].

Near psi = 0 theta is lost in rounding, near psi = pi theta and tau are; no boundary may run there,
or a clamped rotation would seem outside again. At psi > pi - POLE every twist is allowed.
"""

NO_TWIST = 1e-12
"""Least cos(psi/2) with a twist: nearer to zero it is rounding noise, and zero by definition."""

GATE_END = math.pi - 1e-3
"""The quick test does not judge angles beyond this [rad]: tan(angle / 2) is too steep there."""


LimitTable: TypeAlias = NDArray[np.void]
"""Limits of R joints, one record each, shape (R,); made by `limit_table`, never written by kernels.

Records, not a tuple of arrays: compiled code passes one pointer, where it would count references of
and copy six arrays at each call (6 ns instead of 41 for a rotation that is inside).
"""

SECTORS = 16
"""Theta falls into one of so many equal sectors, found by comparisons alone."""

TAN_SECTOR = math.sqrt(2.0) - 1.0
"""Tangent of the width of a sector."""

KNOT_BLOCK = 32
"""Records hold a multiple of this many knots: their size is part of the compiled type, and limits
from motion (25 knots) shall not need kernels of their own."""


class LimitRow(NamedTuple):
    """One joint's limit, as `limit_table` takes it."""

    kind: int
    frame: Floats
    """Rows b, e1, e2: bone or hinge axis, theta = 0, theta = pi/2; shape (3, 3)."""
    interval: tuple[float, float]
    """Least and greatest twist or flexion [rad]."""
    knots: Floats
    """Theta of the boundary, from -pi to pi [rad], shape (K,); empty without a swing."""
    coefficients: Floats
    """Spline of the boundary [rad], shape (K - 1, 4)."""
    before: Quat = (1.0, 0.0, 0.0, 0.0)
    """The limit speaks of before* q after*; hinges, fixed joints and boxes may have such frames."""
    after: Quat = (1.0, 0.0, 0.0, 0.0)
    box: tuple[tuple[float, float], ...] = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    """Intervals of phi, psi and theta of a box [rad]; psi lies in [0, pi]."""

    @property
    def framed(self) -> bool:
        """Whether before or after turns anything."""
        return any((*self.before[1:], *self.after[1:]))


FREE_ROW = LimitRow(FREE, np.zeros((3, 3)), (-math.pi, math.pi), np.zeros(0), np.zeros((0, 4)))
"""A joint without limits."""


@cache
def _record(size: int) -> np.dtype[np.void]:
    """The record of a limit with room for so many knots.

    Each is made once and kept: numba knows record types by their address, and would take a new one
    at the address of one that is gone for that one.
    """
    return np.dtype(
        [
            ("bone", "f8", (3,)),  # b; zero for free joints
            # The quick test: tan^2 of half the widest cone within the swing boundary, and below of
            # its part in each sector; cosine and sine of half the middle of the interval; tangent
            # of a quarter of its width.
            ("cone", "f8"),
            ("middle_cosine", "f8"),
            ("middle_sine", "f8"),
            ("reach", "f8"),
            ("kind", "i8"),
            ("low", "f8"),  # ends of the interval [rad]
            ("high", "f8"),
            ("e1", "f8", (3,)),
            ("e2", "f8", (3,)),
            ("sectors", "f8", (SECTORS,)),
            ("knots", "f8", (size,)),  # padded with infinity
            ("coefficients", "f8", (size, 4)),  # padded with the last value
            ("framed", "i8"),  # whether before and after turn anything
            ("before", "f8", (4,)),
            ("after", "f8", (4,)),
            ("box_middle", "f8", (3,)),  # middles and half widths of phi, psi, theta [rad]
            ("box_half", "f8", (3,)),
            ("box_low", "f8"),  # ends of psi [rad]
            ("box_high", "f8"),
        ],
        align=True,  # or numba takes every load to be unaligned
    )


def limit_table(rows: Sequence[LimitRow]) -> LimitTable:
    """Flatten limits for the kernels."""
    longest = max([1, *(len(row.knots) for row in rows)])
    size = KNOT_BLOCK * math.ceil(longest / KNOT_BLOCK)
    table = np.zeros(len(rows), _record(size))
    table["knots"] = np.inf
    for r, row in enumerate(rows):
        into = table[r]
        into["kind"] = row.kind
        into["low"], into["high"] = row.interval
        into["bone"], into["e1"], into["e2"] = row.frame
        middle = 0.5 * (row.interval[0] + row.interval[1])
        into["middle_cosine"], into["middle_sine"] = math.cos(0.5 * middle), math.sin(0.5 * middle)
        if row.kind == FREE:
            into["cone"] = into["sectors"] = into["reach"] = 1e300
            continue
        into["framed"] = row.framed
        into["before"], into["after"] = row.before, row.after
        box = np.array(row.box)
        into["box_middle"], into["box_half"] = box.mean(axis=1), 0.5 * (box[:, 1] - box[:, 0])
        into["box_low"], into["box_high"] = box_ends(*row.box[1])
        if row.kind == EULER_BOX or row.framed:
            into["cone"] = into["sectors"] = NEVER
            continue
        pieces = len(row.coefficients)
        cones = np.zeros(SECTORS)
        if pieces:
            into["knots"][: pieces + 1] = row.knots
            into["coefficients"][:pieces] = row.coefficients
            # theta = pi itself falls into the piece after the last.
            into["coefficients"][pieces, 0] = spline_eval(row.knots, row.coefficients, math.pi)
            edges = np.linspace(0.0, 2.0 * math.pi, SECTORS + 1)
            for k in range(SECTORS):
                turn = 2.0 * math.pi if k >= SECTORS // 2 else 0.0
                ends = edges[k] - turn, edges[k + 1] - turn
                cones[k], _ = spline_range(row.knots, row.coefficients, *ends)
            cones[cones < POLE] = 0.0
        # Half of the tolerance: what has been clamped passes, rounding stays on the safe side.
        cones = np.tan(0.5 * np.minimum(cones + 0.5 * TOLERANCE, GATE_END)) ** 2
        into["sectors"] = cones
        into["cone"] = cones.min()
        half = 0.5 * (row.interval[1] - row.interval[0])
        into["reach"] = math.tan(0.5 * min(half + 0.5 * TOLERANCE, GATE_END))
    return table


@helper
def limit_project(table: LimitTable, row: int, q: Quat) -> Quat:
    """Nearest rotation within the limit, in the limit's own coordinates; q itself if inside.

    The swing goes back along constant theta, then the twist to the nearer end of its
    interval. What comes out is inside: projecting again changes nothing.
    """
    limit = table[row]
    if _is_well_inside(limit, q):
        return q
    return _project(limit, q)


@helper
def limit_violation(table: LimitTable, row: int, q: Quat) -> float:
    """How far beyond the limit [rad], swing and twist added; 0 just where `limit_project` is idle.

    For a hinge the swing is all the rotation that is not about its axis. For a box the
    excesses of the three angles are added.
    """
    limit = table[row]
    if _is_well_inside(limit, q) or limit["kind"] == FREE:
        return 0.0
    if limit["kind"] == EULER_BOX:
        return box_violation(limit, q)
    if limit["framed"]:
        q = limit_into(limit, q)
    w, z, p, c, s = _split(limit, q)
    swing, twist = _excess(limit, w, z, p, 2.0 * math.atan2(s, c))
    return float(swing + abs(twist))


@helper
def limit_clamp_angle(table: LimitTable, row: int, angle: float) -> float:
    """Twist or flexion within its interval [rad], taken to the nearer end around the circle."""
    limit = table[row]
    if limit["kind"] == FREE:
        return angle
    return circular_clamp(angle, limit["low"], limit["high"])


@helper
def limit_interval(table: LimitTable, row: int) -> tuple[float, float]:
    """Least and greatest twist or flexion [rad]; a whole turn where there is no limit."""
    limit = table[row]
    if limit["kind"] == FREE:
        return -math.pi, math.pi
    return limit["low"], limit["high"]


@helper
def limit_amplitude(table: LimitTable, row: int, theta: float) -> float:
    """Greatest swing in the direction theta, which lies in [-pi, pi]: from 0 to pi [rad]."""
    return _amplitude(table[row], theta)


@helper
def _is_well_inside(limit: Any, q: Quat) -> bool:
    """The quick test: True is certain, False is not."""
    w, z, p = _along_bone(limit, q)
    s2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    c2 = w * w + z * z
    if s2 > limit["cone"] * c2 and s2 > limit["sectors"][_sector(limit, w, z, p)] * c2:
        return False
    sine, cosine = _from_middle(limit, w, z)
    return bool(abs(sine) <= limit["reach"] * abs(cosine))


@helper
def _along_bone(limit: Any, q: Quat) -> tuple[float, float, Vec3]:
    """Scalar part of q, and its vector part along the bone and across it."""
    b = limit["bone"]
    z = q[1] * b[0] + q[2] * b[1] + q[3] * b[2]
    return q[0], z, (q[1] - z * b[0], q[2] - z * b[1], q[3] - z * b[2])


@helper
def _from_middle(limit: Any, w: float, z: float) -> tuple[float, float]:
    """Sine and cosine of half the twist, measured from the middle of the interval."""
    sine = z * limit["middle_cosine"] - w * limit["middle_sine"]
    cosine = w * limit["middle_cosine"] + z * limit["middle_sine"]
    return sine, cosine


@helper
def _heading(limit: Any, w: float, z: float, p: Vec3) -> tuple[float, float]:
    """Cosine and sine of theta, both times the same length."""
    b = limit["bone"]
    e1 = limit["e1"]
    e2 = limit["e2"]
    x = w * (p[1] * b[2] - p[2] * b[1]) + z * p[0]
    y = w * (p[2] * b[0] - p[0] * b[2]) + z * p[1]
    z = w * (p[0] * b[1] - p[1] * b[0]) + z * p[2]
    return x * e1[0] + y * e1[1] + z * e1[2], x * e2[0] + y * e2[1] + z * e2[2]


@helper
def _sector(limit: Any, w: float, z: float, p: Vec3) -> int:
    """Number of the sector that theta lies in, counted from theta = 0."""
    x, y = _heading(limit, w, z, p)
    a, b = abs(x), abs(y)
    k = int(b > TAN_SECTOR * a) + int(b > a) + int(TAN_SECTOR * b > a)
    if x < 0.0:
        k = SECTORS // 2 - 1 - k
    return SECTORS - 1 - k if y < 0.0 else k


@helper
def _project(limit: Any, q: Quat) -> Quat:
    """`limit_project`, where the quick test does not decide."""
    if limit["kind"] == FREE:
        return q
    if limit["kind"] == EULER_BOX:
        return box_project(limit, q)
    if limit["framed"]:
        inner = limit_into(limit, q)
        held = _clamp(limit, inner)
        return q if held == inner else limit_out_of(limit, held)
    return _clamp(limit, q)


@helper
def _clamp(limit: Any, q: Quat) -> Quat:
    """Swing and twist brought within the limit; q itself if inside."""
    w, z, p, c, s = _split(limit, q)
    psi = 2.0 * math.atan2(s, c)
    swing, twist = _excess(limit, w, z, p, psi)
    bone = limit["bone"]
    b = (bone[0], bone[1], bone[2])
    if swing > 0.0:
        cosine = math.cos(0.5 * (psi - swing))
        sine = math.sin(0.5 * (psi - swing)) / s
        z = z * cosine
        q = (
            w * cosine,
            z * b[0] + sine * p[0],
            z * b[1] + sine * p[1],
            z * b[2] + sine * p[2],
        )
    if twist != 0.0:
        sine = -math.sin(0.5 * twist)
        q = quat_mul(q, (math.cos(0.5 * twist), sine * b[0], sine * b[1], sine * b[2]))
    return q


@helper
def _split(limit: Any, q: Quat) -> tuple[float, float, Vec3, float, float]:
    """Cosine and sine of tau/2, then p, cos(psi/2) and sin(psi/2)."""
    w, z, p = _along_bone(limit, q)
    c = math.sqrt(w * w + z * z)
    if c < NO_TWIST:
        q = quat_canonical(q)  # without a twist, q and -q would swing to opposite sides
        w, z = 1.0, 0.0
        p = (q[1], q[2], q[3])
    else:
        w, z = w / c, z / c
    return w, z, p, c, math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])


@helper
def _excess(limit: Any, w: float, z: float, p: Vec3, psi: float) -> tuple[float, float]:
    """Swing beyond the limit, and signed twist beyond it [rad]."""
    swing = psi
    if limit["kind"] == SWING_TWIST:
        x, y = _heading(limit, w, z, p)
        swing = psi - _amplitude(limit, math.atan2(y, x))
    if swing <= TOLERANCE:
        swing = 0.0
        if psi > math.pi - POLE:
            return swing, 0.0
    sine, cosine = _from_middle(limit, w, z)
    if cosine < 0.0 or (cosine == 0.0 and sine < 0.0):  # q and -q must give the same
        cosine, sine = -cosine, -sine
    twist = 2.0 * math.atan2(sine, cosine)
    over = abs(twist) - 0.5 * (limit["high"] - limit["low"])
    if over <= TOLERANCE:
        return swing, 0.0
    return swing, math.copysign(over, twist)


@helper
def _amplitude(limit: Any, theta: float) -> float:
    if limit["kind"] == FREE:
        return math.pi
    if limit["kind"] != SWING_TWIST:
        return 0.0
    amplitude = spline_eval(limit["knots"], limit["coefficients"], theta)
    # The spline may leave [0, pi] between its knots.
    if amplitude < POLE:
        return 0.0
    if amplitude > math.pi - POLE:
        return math.pi
    return amplitude


@kernel
def limit_project_frames(table: LimitTable, rotations: Floats, out: Floats) -> None:
    """`limit_project` of every frame and row: (F, R, 4) into (F, R, 4)."""
    for f in range(rotations.shape[0]):
        for r in range(rotations.shape[1]):
            quat_store(out[f], r, limit_project(table, r, quat_load(rotations[f], r)))


@kernel
def limit_violation_frames(table: LimitTable, rotations: Floats, out: Floats) -> None:
    """`limit_violation` of every frame and row [rad]: (F, R, 4) into (F, R)."""
    for f in range(rotations.shape[0]):
        for r in range(rotations.shape[1]):
            out[f, r] = limit_violation(table, r, quat_load(rotations[f], r))
