"""Who was tracked, and how: layouts, names, units, axes, noise and mistakes of tracked points; bone
lengths, and how trackers are worn.
"""

from .cleaning import Cleaned, Cleaning, clean
from .fitting import fit_subject
from .from_motion import layout_positions
from .landmarks import CANONICAL, canonical_points
from .layouts import LAYOUTS, Layout, find_layout, rank_layouts
from .measured_body import measured_skeleton
from .smoothing import OneEuroFilter
from .subject import Mount, Subject

__all__ = [
    "CANONICAL",
    "LAYOUTS",
    "Cleaned",
    "Cleaning",
    "Layout",
    "Mount",
    "OneEuroFilter",
    "Subject",
    "canonical_points",
    "clean",
    "find_layout",
    "fit_subject",
    "layout_positions",
    "measured_skeleton",
    "rank_layouts",
]
