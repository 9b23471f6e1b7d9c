"""From the kernels' tables to a `Result`: the numbers a user reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels.types import Bools, Floats
from ..limits import Limits
from ..motion.metrics import count_steps
from ..motion.motion import Motion
from ..motion.points import SIX
from ._kernels import tables
from ._kernels.tables import FrameTable
from .base import Solver
from .frames import FrameReader
from .solution import Report, Result, percentile

BROKEN = 1e-6
"""A limit exceeded by more than this is broken [rad]."""
MISSED = 1e-3
"""A limb farther from its target than this has missed it [m]."""
FAR = 0.1
"""Points this part of the body height away from theirs on average cannot be this body's."""


def report_clip(
    solver: Solver,
    motion: Motion,
    limits: Limits,
    reader: FrameReader,
    out: FrameTable,
    spent_us: Floats,
) -> Result:
    """Judge a clip of a person: what was reached, what limits did, how long it took."""
    flags = out.flags[:, None]
    limbs = np.arange(4)
    unreachable = (flags & (tables.UNREACHABLE << limbs)) != 0
    limited = (flags & (tables.LIMITED << limbs)) != 0
    missing = (flags & (tables.MISSING << np.arange(len(SIX)))) != 0
    missed = (out.residuals[:, 2 : len(SIX)] > MISSED) & ~unreachable
    report = make_report(
        solver, motion, limits, reader, out, spent_us, unreachable, limited, missed, missing
    )
    if report.target_mean_m > FAR * motion.skeleton.anatomy.height:
        doubt = (
            f"points are {report.target_mean_m:.2f} m off on average: their unit, their upward "
            "axis or the body does not fit"
        )
        report = replace(report, warnings=(*report.warnings, doubt))
    residuals = out.residuals[:, reader.order_back]
    return Result(motion, report, residuals, out.iterations, unreachable, limited, missing)


def make_report(
    solver: Solver,
    motion: Motion,
    limits: Limits,
    reader: FrameReader,
    out: FrameTable,
    spent_us: Floats,
    unreachable: Bools,
    limited: Bools,
    missed: Bools,
    missing: Bools,
) -> Report:
    """The numbers of a clip; masks are (F, limbs) or (F, points), `missing` is (F, points)."""
    residuals = out.residuals[:, : len(reader.wanted)]
    seen = residuals[np.isfinite(residuals)]
    counts = missing.sum(axis=0)
    lost = {name: int(n) for name, n in zip(reader.wanted, counts, strict=True) if n > 0}
    warnings = [f"point {name!r} is not used by solver {solver.name!r}" for name in reader.unused]
    warnings += limits.remarks
    never = [name for name, count in lost.items() if count == len(motion)]
    if never:
        warnings.append(f"never seen in the whole clip, placed by guess: {', '.join(never)}")
    return Report(
        solver=solver.name,
        frames=len(motion),
        rate=motion.rate,
        joints=motion.skeleton.joint_count,
        target_mean_m=float(seen.mean()) if seen.size else 0.0,
        target_max_m=float(seen.max()) if seen.size else 0.0,
        limit_violations=count_violations(motion, limits),
        steps_over_30deg=count_steps(motion),
        median_us=percentile(spent_us, 50.0),
        p99_us=percentile(spent_us, 99.0),
        unreachable=int(unreachable.sum()),
        limited=int(limited.sum()),
        missed=int(missed.sum()),
        missing=lost,
        warnings=tuple(warnings),
    )


def count_violations(motion: Motion, limits: Limits) -> int:
    """Joint-frames beyond their limit, judged from the finished motion."""
    if not limits:
        return 0
    return int((limits.violations(motion) > BROKEN).sum())
