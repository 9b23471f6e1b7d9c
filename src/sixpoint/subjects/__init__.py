"""Who was tracked: bone lengths, and how trackers are worn."""

from .fitting import fit_subject
from .subject import Mount, Subject

__all__ = ["Mount", "Subject", "fit_subject"]
