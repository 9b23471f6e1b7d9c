"""Who was tracked: layouts of joints, what their landmarks say of a body, and its measures."""

from .landmarks import CANONICAL, canonical_points
from .layouts import LAYOUTS, Layout, find_layout, rank_layouts
from .measured_body import measured_skeleton

__all__ = [
    "CANONICAL",
    "LAYOUTS",
    "Layout",
    "canonical_points",
    "find_layout",
    "measured_skeleton",
    "rank_layouts",
]
