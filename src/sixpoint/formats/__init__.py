"""Files to and from Motion and Points; units and axes are converted here and nowhere else."""

from .file_info import FileInfo, holds_points, inspect
from .registry import (
    FORMATS,
    Format,
    format_of,
    load,
    load_points,
    save,
    save_points,
    suffixes,
    takes_skeleton,
)

__all__ = [
    "FORMATS",
    "FileInfo",
    "Format",
    "format_of",
    "holds_points",
    "inspect",
    "load",
    "load_points",
    "save",
    "save_points",
    "suffixes",
    "takes_skeleton",
]
