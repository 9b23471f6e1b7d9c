"""Who was tracked, and how: names, units, axes, noise and mistakes of tracked points."""

from .cleaning import Cleaned, Cleaning, clean
from .smoothing import OneEuroFilter

__all__ = ["Cleaned", "Cleaning", "OneEuroFilter", "clean"]
