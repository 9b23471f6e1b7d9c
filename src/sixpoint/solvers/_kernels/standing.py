"""A body of which only head and hands are seen: it stands on its feet, and squats when it must.

Neither pelvis nor ankles being tracked (a headset and two controllers), the ground is taken to be
where the feet of a standing person are: the highest that the head was decides. A head that sinks
bends the knees and leans the trunk; feet follow the body slowly, and glide when it walks: how they
step cannot be seen.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_rotate
from ...kernels.types import Quat
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_unit,
)
from .frame import FIRST_LIMB, HEAD, PELVIS
from .guide_tables import Memory
from .tables import MISSING, Body, Settings, Work

UNSEEN = MISSING << PELVIS | MISSING << (FIRST_LIMB + 2) | MISSING << (FIRST_LIMB + 3)
"""Pelvis and both ankles."""
LEAN = 0.8
"""How far the trunk leans in the deepest squat [rad]."""
LOWEST = 0.25
"""Height of the pelvis over the ankles in the deepest squat, as a part of the leg's."""
FOLLOW = 0.4
"""Time in which the feet follow [s]."""
LAG = 0.1
"""How far they stay behind at most, as a part of the leg's length."""


@helper
def stand_up(body: Body, settings: Settings, memory: Memory, work: Work, facing: Quat) -> None:
    """Write places of pelvis and ankles that suit the head; nothing else is known."""
    up = (0.0, 1.0, 0.0)
    left = vec_unit(vec_reject(quat_rotate(facing, (1.0, 0.0, 0.0)), up), (1.0, 0.0, 0.0))
    front = vec_cross(left, up)
    head = vec_load(work.points, HEAD)
    ankle = FIRST_LIMB + 2
    leg = -0.5 * (body.stance[ankle, 1] + body.stance[ankle + 1, 1])
    trunk = body.stance[HEAD, 1]
    ground = head[1] - leg - trunk
    floor = max(float(memory["ground"]), ground) if memory.grounded else ground
    memory.ground = floor
    sunk = min(max((floor - ground) / ((1.0 - LOWEST) * leg), 0.0), 1.0)
    lean = LEAN * sunk * (2.0 - sunk)
    # Leaning lowers the head by itself; what is left, the knees do.
    drop = vec_add(
        vec_scale(up, -trunk * math.cos(lean)),
        vec_scale(front, body.stance[HEAD, 2] - trunk * math.sin(lean)),
    )
    pelvis = vec_add(head, drop)
    lowest = floor + LOWEST * leg
    pelvis = (pelvis[0], max(pelvis[1], lowest), pelvis[2])
    vec_store(work.points, PELVIS, pelvis)
    # Feet under the middle of the body.
    middle = vec_scale(vec_add(head, pelvis), 0.5)
    if memory.grounded:
        part = 1.0 - math.exp(-settings.period / FOLLOW)
        x, z = middle[0] - memory.feet[0], middle[2] - memory.feet[1]
        away = math.sqrt(x * x + z * z)
        part = max(part, 1.0 - LAG * leg / away if away > 0.0 else 0.0)
        memory.feet[0] += part * x
        memory.feet[1] += part * z
    else:
        memory.feet[0], memory.feet[1] = middle[0], middle[2]
        memory.grounded = 1
    stand = (memory.feet[0], floor, memory.feet[1])
    for p in range(ankle, ankle + 2):
        vec_store(work.points, p, vec_add(stand, vec_scale(left, body.stance[p, 0])))
