"""Files to and from Motion and Points; units and axes are converted here and nowhere else."""

from .file_info import FileInfo, holds_points, inspect
from .registry import (
    FORMATS,
    Format,
    format_of,
    has_own_unit,
    load,
    load_points,
    load_skeleton,
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
    "Robot",
    "format_of",
    "has_own_unit",
    "holds_points",
    "inspect",
    "load",
    "load_points",
    "load_robot",
    "load_skeleton",
    "save",
    "save_points",
    "suffixes",
    "takes_skeleton",
]
