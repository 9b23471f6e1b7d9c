"""Files to and from Motion and Points; units and axes are converted here and nowhere else."""

from .file_info import FileInfo, inspect
from .registry import FORMATS, Format, format_of, load, load_points, save, save_points

__all__ = [
    "FORMATS",
    "FileInfo",
    "Format",
    "format_of",
    "inspect",
    "load",
    "load_points",
    "save",
    "save_points",
]
