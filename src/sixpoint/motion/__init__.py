"""What a person does: poses, motions, tracked points, how two motions differ."""

from __future__ import annotations

from .metrics import compare
from .motion import Motion
from .people import join_people, people_of
from .points import Points
from .pose import Pose

__all__ = ["Motion", "Points", "Pose", "compare", "join_people", "people_of"]
