"""Full-body human motion from a few tracked points, in real time.

::

    import sixpoint as sp

    clip = sp.load("boxing.bvh")
    result = sp.reconstruct(clip.points(), clip.skeleton, solver="sik")
    print(sp.compare(result.motion, clip))
    sp.save(result.motion, "out.bvh")

Names are resolved when first used: importing the package costs milliseconds and compiles nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "load": "formats",
    "save": "formats",
    "load_points": "formats",
    "load_robot": "formats",
    "load_skeleton": "formats",
    "save_points": "formats",
    "inspect": "formats",
    "clean": "subjects",
    "OneEuroFilter": "subjects",
    "reconstruct": "api",
    "fit_subject": "subjects",
    "Subject": "subjects",
    "render": "studio.render",
    "reconstruct_people": "api",
    "express": "solvers",
    "solver": "solvers",
    "SOLVERS": "solvers",
    "Solution": "solvers",
    "Skeleton": "body",
    "Pose": "motion",
    "Motion": "motion",
    "Points": "motion",
    "compare": "motion",
    "builtin": "data",
    "Limits": "limits",
    "adult_limits": "limits",
    "recorded_limits": "limits",
    "estimate_limits": "limits",
    "SixpointError": "errors",
}
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from .api import reconstruct as reconstruct
    from .api import reconstruct_people as reconstruct_people
    from .body import Skeleton as Skeleton
    from .data import builtin as builtin
    from .errors import SixpointError as SixpointError
    from .formats import inspect as inspect
    from .formats import load as load
    from .formats import load_points as load_points
    from .formats import load_robot as load_robot
    from .formats import load_skeleton as load_skeleton
    from .formats import save as save
    from .formats import save_points as save_points
    from .limits import Limits as Limits
    from .limits import adult_limits as adult_limits
    from .limits import estimate_limits as estimate_limits
    from .limits import recorded_limits as recorded_limits
    from .motion import Motion as Motion
    from .motion import Points as Points
    from .motion import Pose as Pose
    from .motion import compare as compare
    from .solvers import SOLVERS as SOLVERS
    from .solvers import Solution as Solution
    from .solvers import express as express
    from .solvers import solver as solver
    from .studio.render import render as render
    from .subjects import OneEuroFilter as OneEuroFilter
    from .subjects import Subject as Subject
    from .subjects import clean as clean
    from .subjects import fit_subject as fit_subject
