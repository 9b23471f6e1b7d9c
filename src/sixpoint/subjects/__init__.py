"""Who was tracked: layouts of joints, what their landmarks say of a body, and its measures."""

from .from_motion import layout_positions
from .landmarks import CANONICAL, canonical_points
from .layouts import LAYOUTS, Layout, find_layout, rank_layouts
from .measured_body import measured_skeleton

__all__ = [
    "CANONICAL",
    "LAYOUTS",
    "Layout",
    "canonical_points",
    "find_layout",
    "layout_positions",
    "measured_skeleton",
    "rank_layouts",
]
