"""Frames for the particle filter: any figure from its targets, people from six points."""

from __future__ import annotations

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
)
from ...kernels.types import Floats, Ints
from ...kernels.vector import vec_add, vec_distance, vec_load, vec_store
from .figure import Figure, FigurePose, figure_forward, figure_write
from .figure_frame import MET, SPENT, STILL, end_figure, stop_flags
from .frame import FIRST_LIMB, PELVIS
from .missing import is_place
from .particles import (
    FRAMES,
    LEAST,
    NOW,
    STEPS,
    WORST,
    Filter,
    begin_filter,
    copy_rows,
    explore,
    is_done,
    load_pose,
    set_noise,
    weigh,
)
from .sik import solve_frame
from .tables import LIMBS, LIMITED, OUT_OF_STEPS, FrameTable, RecordArray, Settings

BEST, ESTIMATE, SMOOTH = 0, 1, 2
"""What a frame is answered with."""


@helper
def predict_pose(figure: Figure, filt: Filter, pose: FigurePose) -> None:
    """The pose of the frame before or, by constant velocity, one such turn further."""
    swarm = filt.swarm
    if swarm.counts[FRAMES] == 0:
        for row in range(pose.local.shape[0]):
            quat_store(
                pose.local, row, limit_project(figure.limits, row, quat_load(pose.local, row))
            )
        return
    last, earlier = swarm.before[0], swarm.before[1]
    load_pose(figure, last, pose)
    if not filt.rules[0].velocity or swarm.counts[FRAMES] < 2:
        return
    for row in range(pose.local.shape[0]):
        if figure.freedom[row] == 0:
            continue
        now = quat_load(last, row)
        turn = quat_mul(quat_conj(quat_load(earlier, row)), now)
        further = quat_normalize(quat_mul(now, turn))
        quat_store(pose.local, row, limit_project(figure.limits, row, further))
    rows = pose.local.shape[0]
    if filt.noise.root[0] > 0.0:
        for c in range(3):
            pose.place[0, c] = 2.0 * last[rows, c] - earlier[rows, c]
    figure_forward(figure, pose)


@helper
def begin_figure(
    figure: Figure, filt: Filter, pose: FigurePose, places: Floats, turns: Floats
) -> None:
    """Start a frame. Where nothing is asked that is not met already, the figure keeps still."""
    swarm = filt.swarm
    if swarm.counts[FRAMES] > 1 and filt.rules[0].velocity:
        load_pose(figure, swarm.before[0], pose)
        begin_filter(figure, filt, pose, places, turns)
        if swarm.numbers[WORST] == 0.0:
            return
    predict_pose(figure, filt, pose)
    begin_filter(figure, filt, pose, places, turns)


@helper
def run_filter(
    figure: Figure,
    settings: Settings,
    filt: Filter,
    pose: FigurePose,
    places: Floats,
    turns: Floats,
) -> int:
    """Iterate after `begin_filter`; why it ended."""
    while filt.swarm.counts[STEPS] < settings.iterations:
        if is_done(figure, filt, settings.tolerance):
            break
        explore(figure, filt, pose, places, turns)
        weigh(figure, filt, pose, places, turns)
    return stop_reason(figure, settings, filt)


@helper
def stop_reason(figure: Figure, settings: Settings, filt: Filter) -> int:
    """Why a frame ended."""
    if filt.swarm.numbers[WORST] <= settings.tolerance * figure.size[0]:
        return MET
    return SPENT if filt.swarm.counts[STEPS] >= settings.iterations else STILL


@helper
def finish_filter(figure: Figure, filt: Filter, pose: FigurePose) -> None:
    """Take the answer of a frame, and remember it."""
    swarm = filt.swarm
    answer = swarm.best
    if filt.rules[0].answer == ESTIMATE:
        answer = swarm.estimate
    elif filt.rules[0].answer == SMOOTH:
        answer = swarm.smooth
    copy_rows(swarm.before[0], swarm.before[1])
    copy_rows(answer, swarm.before[0])
    swarm.counts[FRAMES] += 1
    load_pose(figure, answer, pose)


@kernel
def filter_figures(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """Any figure: targets of its tips (F, E, 3) and (F, E, 4), NaN where there is none."""
    for frame in range(first, last):
        begin_figure(figure, filt, pose, seen[frame], turned[frame])
        reason = run_filter(figure, settings[0], filt, pose, seen[frame], turned[frame])
        finish_filter(figure, filt, pose)
        steps = filt.swarm.counts[STEPS]
        end_figure(figure, pose, seen[frame], out, frame, steps, stop_flags(reason))


@kernel
def filter_begin(
    figure: Figure, pose: FigurePose, filt: Filter, seen: Floats, turned: Floats, frame: int
) -> None:
    """The beginning of a frame alone, for loops outside."""
    begin_figure(figure, filt, pose, seen[frame], turned[frame])


@kernel
def filter_add(
    settings: RecordArray, figure: Figure, filt: Filter, cost: float, worst: float
) -> bool:
    """What functions outside ask of the pose that a frame begins with, squared [m^2] and [m].

    Returns:
        Whether the frame is done already.
    """
    numbers = filt.swarm.numbers
    numbers[LEAST] += cost
    numbers[NOW] = numbers[LEAST]
    numbers[WORST] = max(numbers[WORST], worst)
    set_noise(figure, filt, numbers[LEAST])
    return is_done(figure, filt, settings[0].tolerance)


@kernel
def filter_places(
    figure: Figure, pose: FigurePose, filt: Filter, row: Ints, offset: Floats, out: Floats
) -> None:
    """Where nodes of all particles are, (M, K, 3): each fixed to a row, with an offset (K, 3)."""
    swarm = filt.swarm
    for i in range(swarm.local.shape[0]):
        vec_store(pose.place, 0, vec_load(swarm.root, i))
        particle = FigurePose(swarm.local[i], pose.world, pose.place, pose.tips)
        figure_forward(figure, particle)
        for k in range(row.shape[0]):
            step = quat_rotate(quat_load(pose.world, row[k]), vec_load(offset, k))
            vec_store(out[i], k, vec_add(vec_load(pose.place, row[k]), step))


@kernel
def filter_explore(
    figure: Figure, pose: FigurePose, filt: Filter, seen: Floats, turned: Floats, frame: int
) -> None:
    """The first half of an iteration, up to where functions outside are asked."""
    explore(figure, filt, pose, seen[frame], turned[frame])


@kernel
def filter_weigh(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    seen: Floats,
    turned: Floats,
    frame: int,
) -> bool:
    """The second half; whether the frame is done."""
    weigh(figure, filt, pose, seen[frame], turned[frame])
    return is_done(figure, filt, settings[0].tolerance)


@kernel
def filter_end(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    seen: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """The end of a frame alone."""
    reason = stop_reason(figure, settings[0], filt)
    finish_filter(figure, filt, pose)
    steps = filt.swarm.counts[STEPS]
    end_figure(figure, pose, seen[frame], out, frame, steps, stop_flags(reason))


@helper
def person_flags(figure: Figure, pose: FigurePose, places: Floats, near: float, flags: int) -> int:
    """Limbs that reach where sequential IK could not are held back by no limit any more."""
    for limb in range(LIMBS):
        tip = FIRST_LIMB + limb
        if vec_distance(vec_load(pose.tips, tip), vec_load(places, tip)) <= near:
            flags &= ~(LIMITED << limb)
    return flags


@kernel
def filter_humans(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    limits: LimitTable,
    rest: Floats,
    rows: Ints,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """People: sequential IK places the pelvis and is the start, or the posture to stay near.

    `rows` (N,) says which row of the sequential solver each row of the figure is. Tips are the six
    points, in their order.
    """
    swarm = filt.swarm
    near = settings[0].tolerance * figure.size[0]
    for frame in range(first, last):
        solve_frame(
            body[0], settings[0], state[0], work[0], limits, rest, seen[frame], turned[frame],
            out, frame,
        )  # fmt: skip
        posture = filt.asked.posture[0]
        for row in range(rows.shape[0]):
            quat_store(posture, row, quat_load(work[0].local, rows[row]))
        if filt.rules[0].previous and swarm.counts[FRAMES] > 0:
            predict_pose(figure, filt, pose)
            quat_store(pose.local, 0, quat_load(posture, 0))
        else:
            copy_rows(posture, pose.local)
        vec_store(pose.place, 0, vec_load(work[0].points, PELVIS))
        places = work[0].points
        begin_filter(figure, filt, pose, places, turned[frame])
        reason = run_filter(figure, settings[0], filt, pose, places, turned[frame])
        finish_filter(figure, filt, pose)
        if swarm.counts[STEPS] == 0 and not filt.rules[0].previous:
            continue  # as sequential IK left it, to the last bit
        figure_write(figure, pose, out.rotations[frame], out.root, frame)
        for p in range(seen.shape[1]):
            if is_place(vec_load(seen[frame], p)):
                out.residuals[frame, p] = vec_distance(
                    vec_load(pose.tips, p), vec_load(seen[frame], p)
                )
        out.iterations[frame] += swarm.counts[STEPS]
        flags = person_flags(figure, pose, places, near, out.flags[frame])
        out.flags[frame] = flags | (OUT_OF_STEPS if reason == SPENT else 0)
