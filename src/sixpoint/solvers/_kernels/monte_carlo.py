"""Frames for the particle filter: any figure from its targets, people from six points."""

from __future__ import annotations

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_store,
)
from ...kernels.types import Floats, Ints
from ...kernels.vector import vec_distance, vec_load, vec_store
from .figure import Figure, FigurePose, figure_forward, figure_read
from .figure_frame import (
    MET,
    SPENT,
    STILL,
    end_figure,
    follow_points,
    is_led,
    stop_flags,
    write_person,
)
from .frame import FIRST_LIMB, PELVIS
from .missing import is_place
from .particles import (
    FRAMES,
    STEPS,
    WORST,
    Filter,
    begin_filter,
    explore,
    go_on,
    is_met,
    judge_answer,
    weigh,
)
from .qutem import PROJECTED, REJECTED
from .sik import solve_frame
from .swarm import copy_rows, load_pose, store_pose
from .tables import (
    LIMBS,
    LIMITED,
    OUT_OF_STEPS,
    Body,
    FrameTable,
    RecordArray,
    Settings,
    State,
    Work,
)


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
) -> None:
    """Iterate after `begin_filter`."""
    while go_on(figure, filt, pose, settings.tolerance, settings.iterations):
        explore(figure, filt, pose, places, turns)
        weigh(figure, filt, pose, places, turns)


@helper
def finish_filter(
    figure: Figure,
    settings: Settings,
    filt: Filter,
    pose: FigurePose,
    places: Floats,
    turns: Floats,
    out: FrameTable,
    frame: int,
) -> int:
    """Take the answer of a frame, remember it, and say what it lacks; why the frame ended."""
    swarm = filt.swarm
    judge_answer(figure, filt, pose, places, turns)
    copy_rows(swarm.before[0], swarm.before[1])
    store_pose(pose.local, pose.place, 0, swarm.before[0])
    swarm.counts[FRAMES] += 1
    tasks = swarm.lengths.shape[0]
    for task in range(tasks):
        out.more[frame, task] = swarm.lengths[task]
    out.more[frame, tasks] = swarm.counts[REJECTED]
    out.more[frame, tasks + 1] = swarm.counts[PROJECTED]
    if is_met(figure, filt, settings.tolerance):
        return MET
    return SPENT if swarm.counts[STEPS] >= settings.iterations else STILL


@helper
def end_filter(
    figure: Figure,
    settings: Settings,
    filt: Filter,
    pose: FigurePose,
    places: Floats,
    turns: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """The answer to a frame of any figure."""
    reason = finish_filter(figure, settings, filt, pose, places, turns, out, frame)
    steps = filt.swarm.counts[STEPS]
    end_figure(figure, pose, places, out, frame, steps, stop_flags(reason))


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
        run_filter(figure, settings[0], filt, pose, seen[frame], turned[frame])
        end_filter(figure, settings[0], filt, pose, seen[frame], turned[frame], out, frame)


@helper
def person_flags(figure: Figure, pose: FigurePose, places: Floats, near: float, flags: int) -> int:
    """Limbs that reach where sequential IK could not are held back by no limit any more."""
    for limb in range(LIMBS):
        tip = FIRST_LIMB + limb
        if vec_distance(vec_load(pose.tips, tip), vec_load(places, tip)) <= near:
            flags &= ~(LIMITED << limb)
    return flags


@helper
def copy_frame(lead: FrameTable, out: FrameTable, frame: int) -> None:
    """The leader's answer as one's own, until there is a better one; its steps do not count."""
    copy_rows(lead.rotations[frame], out.rotations[frame])
    for p in range(lead.residuals.shape[1]):
        out.residuals[frame, p] = lead.residuals[frame, p]
    vec_store(out.root, frame, vec_load(lead.root, frame))
    out.iterations[frame] = 0
    out.flags[frame] = lead.flags[frame]


@helper
def begin_human(
    body: Body,
    settings: Settings,
    state: State,
    work: Work,
    limits: LimitTable,
    rest: Floats,
    rows: Ints,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    lead: FrameTable,
    ahead: Work,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """Sequential IK places the pelvis and is the start, or the posture to stay near.

    `rows` (N,) says which row of the sequential solver each row of the figure is. Tips are the six
    points, in their order. Another solver may have gone ahead instead: `lead` has its answers,
    `ahead` is its scratch memory.
    """
    posture = filt.asked.posture[0]
    if is_led(lead):
        follow_points(work, ahead, lead, frame)
        figure_read(figure, lead.rotations[frame], posture)
        copy_frame(lead, out, frame)
    else:
        solve_frame(body, settings, state, work, limits, rest, seen, turned, out, frame)
        for row in range(rows.shape[0]):
            quat_store(posture, row, quat_load(work.local, rows[row]))
    if filt.rules[0].previous and filt.swarm.counts[FRAMES] > 0:
        predict_pose(figure, filt, pose)
        quat_store(pose.local, 0, quat_load(posture, 0))
    else:
        copy_rows(posture, pose.local)
    vec_store(pose.place, 0, vec_load(work.points, PELVIS))
    begin_filter(figure, filt, pose, work.points, turned)


@helper
def end_human(
    settings: Settings,
    work: Work,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    lead: FrameTable,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """The answer to a frame of a person."""
    steps = filt.swarm.counts[STEPS]
    reason = finish_filter(figure, settings, filt, pose, work.points, turned, out, frame)
    if steps == 0 and not filt.rules[0].previous:
        return  # as the start was, to the last bit
    write_person(figure, settings, pose, lead, out, frame)
    for p in range(seen.shape[0]):
        place = vec_load(seen, p)
        if is_place(place):
            out.residuals[frame, p] = vec_distance(vec_load(pose.tips, p), place)
    out.iterations[frame] += steps
    near = settings.tolerance * figure.size[0]
    flags = person_flags(figure, pose, work.points, near, out.flags[frame])
    out.flags[frame] = flags | (OUT_OF_STEPS if reason == SPENT else 0)


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
    lead: FrameTable,
    ahead: RecordArray,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """People from six points; see `begin_human`."""
    for frame in range(first, last):
        begin_human(
            body[0], settings[0], state[0], work[0], limits, rest, rows, figure, pose, filt, lead,
            ahead[0], seen[frame], turned[frame], out, frame,
        )  # fmt: skip
        run_filter(figure, settings[0], filt, pose, work[0].points, turned[frame])
        end_human(
            settings[0], work[0], figure, pose, filt, lead, seen[frame], turned[frame], out, frame
        )
