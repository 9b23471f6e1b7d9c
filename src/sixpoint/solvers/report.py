"""From the answers of a kernel to a `Result`: the numbers that users read."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..kernels.types import Floats
from ..limits import Limits
from ..motion.metrics import count_steps
from ..motion.motion import Motion
from .context import Frames
from .plan import Plan
from .reading import FrameReader
from .solution import Report, Result

BROKEN = 1e-6
"""A limit exceeded by more than this is broken [rad]."""


def clip_result(
    plan: Plan, reader: FrameReader, frames: Frames, rate: float, spent_us: Floats
) -> Result:
    """Judge a clip: what was reached, what limits did, how long it took.

    Args:
        plan: of the method.
        reader: how the points were given.
        frames: points and answers.
        rate: frames a second [Hz].
        spent_us: time per frame of each block of frames [us].
    """
    out = frames.out
    motion = plan.motion(out, rate)
    status = plan.status(frames)
    residuals = out.residuals[:, : len(plan.points)]
    seen = residuals[np.isfinite(residuals)]
    counts = status.missing.sum(axis=0)
    lost = {name: int(n) for name, n in zip(plan.points, counts, strict=True) if n > 0}
    warnings = [
        f"point {name!r} is not used by solver {plan.solver.name!r}" for name in reader.unused
    ]
    warnings += plan.limits.remarks
    never = [name for name, count in lost.items() if count == len(motion)]
    if never:
        warnings.append(f"never seen in the whole clip, placed by guess: {', '.join(never)}")
    stops = tuple(plan.stop_reason(frames, frame) for frame in range(len(motion)))
    tasks = plan.task_residuals(out)
    report = Report(
        solver=plan.solver.name,
        frames=len(motion),
        rate=motion.rate,
        joints=motion.skeleton.joint_count,
        target_mean_m=float(seen.mean()) if seen.size else 0.0,
        target_max_m=float(seen.max()) if seen.size else 0.0,
        limit_violations=count_violations(motion, plan.limits),
        steps_over_30deg=count_steps(motion),
        median_us=percentile(spent_us, 50.0),
        p99_us=percentile(spent_us, 99.0),
        unreachable=int(status.unreachable.sum()),
        limited=int(status.limited.sum()),
        missed=int(status.missed.sum()),
        missing=lost,
        stops=dict(Counter(stop.value for stop in stops)),
        tasks={label: float(values.max(initial=0.0)) for label, values in tasks.items()},
        warnings=(*warnings, *plan.remarks(frames)),
    )
    angles = plan.rotation_residuals(frames)
    return Result(
        motion,
        report,
        reader.names,
        reader.as_given(residuals, np.nan),
        out.iterations,
        reader.as_given(status.unreachable, False),
        reader.as_given(status.limited, False),
        reader.as_given(status.missing, False),
        stops,
        out.confidence,
        None if angles is None else reader.as_given(angles, np.nan),
        tasks,
        plan.extras(out),
    )


def count_violations(motion: Motion, limits: Limits) -> int:
    """Return the joint-frames beyond their limit, judged from the finished motion."""
    if not limits:
        return 0
    return int((limits.violations(motion) > BROKEN).sum())


def percentile(values: Floats, q: float) -> float:
    """Return a percentile that is zero for no values."""
    return float(np.percentile(values, q)) if values.size else 0.0
