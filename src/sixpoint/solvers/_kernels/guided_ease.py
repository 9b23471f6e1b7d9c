"""Limbs that limits keep from their points, and that do not jump for it.

Limits can leave a limb two poses far apart, each as far from its point, or take away the one that
it has from one frame to the next. Such a limb turns towards its new pose only so fast. One that
meets its point, now and a frame ago, is never delayed.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import LimitTable, limit_project
from ...kernels.quaternion import quat_angle, quat_load, quat_slerp, quat_store, quat_twist_angle
from ...kernels.types import Quat, Vec3
from ...kernels.vector import vec_distance, vec_load
from .frame import FIRST_LIMB
from .guide_tables import Memory
from .limb import MISS, limb_bend
from .limb_ends import FELT, limb_end
from .tables import LIMB_ROWS, LIMBS, UNREACHABLE, Body, Settings, State, Work

LIMB_TURN = 2.0
"""Most that a limb held back by limits turns in a frame, in the most that a pelvis does: 2400
degrees a second, faster than thighs in kicks."""
PATIENCE = 0.25
"""Longest time for which a limb is held back [s]: limits may bar the way to its new pose."""
EASINGS = 4
"""Times that a way half as long is tried, where limits push a limb aside."""


@helper
def ease_limb(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    memory: Memory,
    limb: int,
    parent: Quat,
    place: Vec3,
    aim: Vec3,
    end: Vec3,
    target: Vec3,
) -> Vec3:
    """Turn a limb that limits keep from its point, or did in the frame before, only so fast.

    Returns where its end comes to lie.
    """
    row = body.joints + LIMB_ROWS * limb + 1
    before, now = quat_load(memory.roots, limb), quat_load(work.local, row)
    bent, wished = memory.bends[limb], hinge_angle(quat_load(work.local, row + 1))
    most = LIMB_TURN * settings.turn
    missed = max(vec_distance(end, target), memory.misses[limb]) > MISS * body.height
    angle = quat_angle(before, now)
    if state.frames == 0 or not missed or (angle <= most and abs(wished - bent) <= most):
        memory.freed[limb] = state.frames
        return end
    if (state.frames - memory.freed[limb]) * settings.period > PATIENCE:
        return end
    held, bend = now, wished
    if angle > most:
        held = before
        # Limits may push the limb aside, farther than it would turn: then half of the way.
        for halves in range(EASINGS):
            part = most / (angle * 2.0**halves)
            near = limit_project(limits, row, quat_slerp(before, now, part))
            if quat_angle(before, near) <= most + FELT:
                held = near
                break
        held, bend, _, _ = limb_bend(body, limits, limb, row, held, aim)
    bend = min(max(bend, bent - most), bent + most)
    return limb_end(body, settings, work, limb, parent, place, held, bend)


@helper
def hinge_angle(turn: Quat) -> float:
    """Angle of a turn about X, from -pi to pi [rad]."""
    return quat_twist_angle(turn, (1.0, 0.0, 0.0))


@helper
def remember_limbs(body: Body, work: Work, memory: Memory, flags: int) -> None:
    """How shoulders and hips are turned, and which ends limits keep from their points."""
    for limb in range(LIMBS):
        row = body.joints + LIMB_ROWS * limb + 1
        quat_store(memory.roots, limb, quat_load(work.local, row))
        memory.bends[limb] = hinge_angle(quat_load(work.local, row + 1))
        p = FIRST_LIMB + limb
        far = vec_distance(vec_load(work.ends, p), vec_load(work.points, p))
        memory.misses[limb] = 0.0 if flags & (UNREACHABLE << limb) else far
