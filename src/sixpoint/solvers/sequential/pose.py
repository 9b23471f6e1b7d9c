"""From the rows of a solved body to the rig's own pose: the end of a frame for spine and limbs."""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import quat_load, quat_mul, quat_normalize, quat_store, quat_unrotate
from ...kernels.types import Floats, Quat
from ...kernels.vector import as3, vec_load, vec_store, vec_sub
from ..context import Frames, Output
from ..people.points import end_frame
from ..people.tables import HEAD, LIMB_ROWS, LIMBS, PELVIS
from .context import Context


@helper
def hold_ends(c: Context) -> None:
    """Head, forearms, wrists, ankles within limits: nothing hangs from them that was asked for.

    Where nothing turns them they stand neutral, which limits from motion need not allow.
    """
    body, limits, work = c.body, c.limits, c.work
    head = body.joints - 1
    quat_store(work.local, head, limit_project(limits, head, quat_load(work.local, head)))
    for limb in range(LIMBS):
        end = body.joints + LIMB_ROWS * (limb + 1) - 1
        quat_store(work.local, end, limit_project(limits, end, quat_load(work.local, end)))
        twist = body.twists[limb]
        if twist >= 0:
            quat_store(
                work.local, twist, limit_project(limits, twist, quat_load(work.local, twist))
            )


@helper
def write_row(c: Context, row: int, rotations: Floats) -> None:
    """Write the anatomical rotation of a row as that of its joint of the rig, if it has one."""
    body = c.body
    joint = body.rig[row]
    if joint >= 0:
        rotation = quat_mul(quat_load(body.before, row), quat_load(c.work.local, row))
        rotation = quat_mul(rotation, quat_load(body.after, row))
        quat_store(rotations, joint, quat_normalize(rotation))


@helper
def write_pose(c: Context, out: Output, frame: int) -> None:
    """Anatomical rotations to the rig's own; joints without a row stay at rest."""
    body, rest, work = c.body, c.rest, c.work
    for joint in range(rest.shape[0]):  # a slice would compile NumPy's messages, too
        quat_store(out.rotations[frame], joint, quat_load(rest, joint))
    for row in range(body.rows):
        write_row(c, row, out.rotations[frame])
    base = as3(body.anchor)
    a = body.anchor_rotation
    turn = (a[0], a[1], a[2], a[3])
    vec_store(out.root, frame, quat_unrotate(turn, vec_sub(vec_load(work.places, PELVIS), base)))


@helper
def finish_frame(
    c: Context, frames: Frames, frame: int, estimate: Quat, steps: int, flags: int
) -> None:
    """`end_frame` for a body solved row by row, and its pose.

    Expects `local` of all rows, `world` and `places` of the spine, and `ends` of the limbs.
    """
    body, work = c.body, c.work
    vec_store(work.ends, PELVIS, vec_load(work.places, PELVIS))
    vec_store(work.ends, HEAD, vec_load(work.places, body.joints - 1))
    hold_ends(c)
    write_pose(c, frames.out, frame)
    frames.out.iterations[frame] = steps
    pelvis = quat_load(work.world, PELVIS)
    end_frame(c, frames, frame, estimate, pelvis, flags)
