"""The particle filter in steps, for loops outside of it: functions that judge, iterates to show."""

from __future__ import annotations

from ...kernels._jit import kernel
from ...kernels.limits import LimitTable
from ...kernels.quaternion import quat_load, quat_rotate
from ...kernels.types import Floats, Ints
from ...kernels.vector import vec_add, vec_load, vec_store
from .figure import Figure, FigurePose, figure_forward, figure_write
from .monte_carlo import begin_figure, begin_human, end_filter, end_human
from .particles import WORST, Filter, add_to_begin, explore, go_on, judge_rows, weigh
from .swarm import load_pose
from .tables import FrameTable, RecordArray


@kernel
def filter_begin(
    figure: Figure, pose: FigurePose, filt: Filter, seen: Floats, turned: Floats, frame: int
) -> None:
    """The beginning of a frame alone, for loops outside."""
    begin_figure(figure, filt, pose, seen[frame], turned[frame])


@kernel
def filter_add(figure: Figure, filt: Filter, cost: float, worst: float) -> None:
    """What functions outside ask of the pose that a frame begins with, squared [m^2] and [m]."""
    add_to_begin(figure, filt, cost, worst)


@kernel
def filter_goes_on(
    settings: RecordArray, figure: Figure, pose: FigurePose, filt: Filter, worst: float
) -> bool:
    """Whether a frame needs another iteration.

    `worst`: what functions outside ask of an answer that is no particle [m].
    """
    filt.swarm.numbers[WORST] = max(filt.swarm.numbers[WORST], worst)
    return go_on(figure, filt, pose, settings[0].tolerance, settings[0].iterations)


@kernel
def filter_judge(
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    rows: Floats,
    seen: Floats,
    turned: Floats,
    frame: int,
) -> float:
    """What the task that lacks most lacks of a pose (N + 1, 4) [m], functions aside."""
    return judge_rows(figure, filt, rows, pose, seen[frame], turned[frame])


@kernel
def filter_write(
    figure: Figure, pose: FigurePose, rows: Floats, rest: Floats, rotations: Floats, root: Floats
) -> None:
    """A pose (N + 1, 4) in the rig's own frames: rotations (J, 4), and the root (1, 3).

    Joints of the rig that are no rows turn as in `rest` (J, 4).
    """
    load_pose(figure, rows, pose)
    figure_write(figure, pose, rest, rotations, root, 0)


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
    figure: Figure, pose: FigurePose, filt: Filter, seen: Floats, turned: Floats, frame: int
) -> None:
    """The second half."""
    weigh(figure, filt, pose, seen[frame], turned[frame])


@kernel
def filter_end(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """The end of a frame alone."""
    end_filter(figure, settings[0], filt, pose, seen[frame], turned[frame], out, frame)


@kernel
def person_begin(
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
    frame: int,
) -> None:
    """The beginning of a frame of a person alone, for loops outside."""
    begin_human(
        body[0], settings[0], state[0], work[0], limits, rest, rows, figure, pose, filt, lead,
        ahead[0], seen[frame], turned[frame], out, frame,
    )  # fmt: skip


@kernel
def person_end(
    settings: RecordArray,
    work: RecordArray,
    figure: Figure,
    pose: FigurePose,
    filt: Filter,
    lead: FrameTable,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """And its end."""
    end_human(
        settings[0], work[0], figure, pose, filt, lead, seen[frame], turned[frame], out, frame
    )
