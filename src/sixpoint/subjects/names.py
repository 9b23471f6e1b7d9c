"""Names that files give to joints, read as landmarks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .landmarks import LANDMARKS
from .layouts import LAYOUTS

PREFIX = re.compile(r"(body|pose|skeleton|joint|kp|smpl)[\s._:-]+")
"""What programs put in front of the names of joints."""
SIDED = re.compile(r"(?:(left|right|l|r)_?(\w+?)|(\w+?)_(left|right|l|r))")
CENTRAL = {
    "spine3": "chest", "mid_hip": "hips", "midhip": "hips", "hip": "hips", "hip_centre": "hips",
    "hip_center": "hips", "head_center": "head", "skull_base": "head", "thorax": "neck_base",
    "top_head": "head_top",
}  # fmt: skip
"""Name in the middle of the body -> landmark, where they differ."""
SIDED_WORDS = {
    "collar": "clavicle", "foot": "toe", "toe_base": "toe", "bigtoe": "big_toe",
    "smalltoe": "small_toe", "uparm": "shoulder", "lowarm": "elbow", "upperarm": "shoulder",
    "forearm": "elbow",
}  # fmt: skip
"""Word without its side -> the word of the landmark, where they differ."""
DETECTED = {"head": "head_top", "neck": "neck_base"}
"""What the names of joints mean where face or toes are beside them, as in Pose2Sim: the top of the
head, and the middle of the shoulders."""
SEEN_BY_DETECTORS = frozenset({"nose", "l_eye", "l_ear", "l_big_toe"})
_KNOWN = LANDMARKS | {name for layout in LAYOUTS.values() for name in layout.landmarks}


def landmark_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the landmark that each name means, empty where it means none.

    ``LeftWrist``, ``left_wrist``, ``body_left_wrist``, ``L.Wrist``, ``LWrist`` and ``wrist_l`` all
    mean ``l_wrist``. A landmark that two names mean goes to the first.
    """
    found = [_landmark(name) for name in names]
    if SEEN_BY_DETECTORS.intersection(found):
        found = [DETECTED.get(name, name) for name in found]
    taken: set[str] = set()
    out = []
    for name in found:
        out.append("" if name in taken else name)
        taken.add(name)
    return tuple(out)


def _landmark(name: str) -> str:
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=^[LR])(?=[A-Z][a-z])", "_", name.strip())
    plain = PREFIX.sub("", re.sub(r"[\s.:-]+", "_", plain).lower(), count=1)
    plain = CENTRAL.get(plain, plain)
    if plain in _KNOWN:
        return plain
    match = SIDED.fullmatch(plain)
    if match is None:
        return ""
    before, part, other, after = match.groups()
    word = part or other
    sided = f"{(before or after)[0]}_{SIDED_WORDS.get(word, word)}"
    return sided if sided in _KNOWN else ""
