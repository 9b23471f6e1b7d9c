"""Files to and from Motion and Points; units and axes are converted here and nowhere else."""

from .file_info import FileInfo, holds_points, inspect
from .joint_arrays import PointsRead, points_from_array
from .registry import (
    FORMATS,
    Format,
    format_of,
    has_own_unit,
    load,
    load_points,
    load_skeleton,
    read_points,
    save,
    save_points,
    suffixes,
    takes_skeleton,
)
from .urdf import Robot, load_robot

__all__ = [
    "FORMATS",
    "FileInfo",
    "Format",
    "PointsRead",
    "Robot",
    "format_of",
    "has_own_unit",
    "holds_points",
    "inspect",
    "load",
    "load_points",
    "load_robot",
    "load_skeleton",
    "points_from_array",
    "read_points",
    "save",
    "save_points",
    "suffixes",
    "takes_skeleton",
]
