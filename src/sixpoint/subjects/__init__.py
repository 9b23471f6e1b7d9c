"""Who was tracked: layouts of joints, bone lengths, and how trackers are worn."""

from .fitting import fit_subject
from .from_motion import layout_positions
from .landmarks import CANONICAL, canonical_points
from .layouts import LAYOUTS, Layout, find_layout, rank_layouts
from .measured_body import measured_skeleton
from .subject import Mount, Subject

__all__ = [
    "CANONICAL",
    "LAYOUTS",
    "Layout",
    "Mount",
    "Subject",
    "canonical_points",
    "find_layout",
    "fit_subject",
    "layout_positions",
    "measured_skeleton",
    "rank_layouts",
]
