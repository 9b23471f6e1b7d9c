"""Landmarks of a body become the points that solvers understand.

Some landmarks are joints. Others lie on a part of the body that does not change its shape (face,
foot, hand): three of them show how it is turned, and with the face where the skull base is. Hips
and shoulders show about where the pelvis is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from ..body.anthropometry import FRACTIONS
from ..body.humanoid import (
    ANKLE_TO_FOOT,
    FINGERS,
    FOOT,
    FOOT_HEIGHTS,
    LUMBOSACRAL_DEPTH,
)
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Vec3
from ..motion.points import Points
from .layouts import LIMB_BONES

SIDED_JOINTS = (
    "clavicle", "shoulder", "elbow", "wrist", "hand", "hip", "knee", "ankle", "toe",
)  # fmt: skip
CANONICAL: tuple[str, ...] = (
    "pelvis", "chest", "neck", "head",
    *(f"{side}_{joint}" for joint in SIDED_JOINTS for side in "lr"),
)  # fmt: skip
"""Points of a body that layouts give. `hand` is the knuckle of the middle finger, `toe` the ball of
the foot, where the toes bend."""
DERIVED_TRUST = 0.8
"""Confidence of points that are guessed from others, and are right to two or three centimetres."""
ROUGH_TRUST = 0.25
"""Confidence of points that other bodies have elsewhere: several centimetres."""
ROUGH = ("chest", "neck", "l_clavicle", "r_clavicle")
"""Joints of the trunk whose place differs between one model of the body and the next."""
THIGH_SHARE, PELVIS_TILT = 0.326, 0.105
"""The pelvis is pitched forward from the direction of the trunk by the second [rad] and, towards
that of the thighs, by the first part of the angle between them. Fitted to 68 people of the CMU
database: 5.1 degrees off on average, 4.4 for 7 others; 8.6 and 7.1 by the trunk alone."""
SKULL_SHARE = 0.75
"""Height of the skull base between the last two joints of Human3.6M, which are 115 mm apart there,
about: they are called nose and head, and are neither."""
BENT_KNEE = 0.22
"""A knee farther than this part of the leg from the middle of hip and ankle is bent, by 47 degrees
or more. Recordings exist whose knees are overstretched by 40."""
LEAST_MARKS = 3
"""Landmarks that show how a part of the body is turned."""


@dataclass(frozen=True)
class RigidPart:
    """Landmarks on a part of the body that keeps its shape."""

    role: str
    """The joint that turns it."""
    marks: Mapping[str, Vec3]
    """Landmark -> its place in the neutral stance, relative to the joint; any unit."""
    carries: Mapping[str, Vec3]
    """Points that go with it -> their places likewise."""


_EYE, _EAR = 0.0315, 0.0692
HEAD = RigidPart(
    "head",
    {
        # H-Anim's tragion for the ears; nose, eyes and mouth from its sellion and infraorbitale and
        # common proportions of faces. Metres, on a figure of 1.75 m, from the skull base.
        "nose": (0.0, -0.034, 0.084),
        "l_eye": (_EYE, 0.010, 0.050),
        "r_eye": (-_EYE, 0.010, 0.050),
        "l_ear": (_EAR, 0.0139, 0.0056),
        "r_ear": (-_EAR, 0.0139, 0.0056),
    },
    {"head": (0.0, 0.0, 0.0)},
)
_SOLE = -ANKLE_TO_FOOT
_BALL: Vec3 = (0.0, (FOOT_HEIGHTS["metatarsal"] - 1.0) * ANKLE_TO_FOOT, FOOT["metatarsal"])
_KNUCKLE: Vec3 = (0.0, -FINGERS["middle1"], 0.0)


def _foot(side: str) -> RigidPart:
    """The foot, in lengths of the foot; the big toe is the inner one."""
    inwards = -1.0 if side == "l" else 1.0
    marks = {
        "ankle": (0.0, 0.0, 0.0),
        "heel": (0.0, _SOLE, FOOT["heel"]),
        "big_toe": (0.1 * inwards, _SOLE, FOOT["tip"]),
        "small_toe": (-0.2 * inwards, _SOLE, 0.55),
        "foot_index": (0.0, _SOLE, FOOT["tip"]),
    }
    return _on_side(side, "ankle", marks, {"toe": _BALL})


def _hand(side: str) -> RigidPart:
    """The palm, in lengths of the hand: it faces the thigh, the index finger is in front."""
    marks = {"wrist": (0.0, 0.0, 0.0), "index": (0.0, -0.52, 0.13), "pinky": (0.0, -0.46, -0.17)}
    return _on_side(side, "wrist", marks, {"hand": _KNUCKLE})


def _on_side(
    side: str, joint: str, marks: Mapping[str, Vec3], carries: Mapping[str, Vec3]
) -> RigidPart:
    return RigidPart(
        f"{side}_{joint}",
        {f"{side}_{name}": at for name, at in marks.items()},
        {f"{side}_{name}": at for name, at in carries.items()},
    )


PARTS = (HEAD, *(make(side) for make in (_foot, _hand) for side in "lr"))
"""The parts whose rotations landmarks show."""
LANDMARKS = frozenset(chain(CANONICAL, *(part.marks for part in PARTS), ("hips", "face", "crown")))
"""Landmarks that mean something here; others are ignored."""


@dataclass
class _Found:
    """A point: positions (F, 3), confidence (F,), and rotations (F, 4) where they are known."""

    positions: Floats
    trust: Floats
    rotations: Floats | None = None


def canonical_points(
    landmarks: Mapping[str, Floats],
    rate: float,
    confidence: Mapping[str, Floats] | None = None,
) -> Points:
    """Return the points of a body that landmarks show.

    Joints are taken as they are. Heads, hands and toes come from face, palm and foot, which also
    show how head, wrists and ankles are turned. The pelvis is guessed from hips, shoulders and
    knees, with less confidence, and so is the head where there is no face.

    Args:
        landmarks: name -> world positions [m], Y up, shape (F, 3); NaN where not seen. Names are
            those of `LANDMARKS`; others are ignored.
        rate: frames a second [Hz].
        confidence: name -> confidence from 0 to 1, shape (F,); default 1 for what was seen.

    Raises:
        InputError: no landmark says anything of a body.
    """
    known = {name: np.asarray(at, np.float64) for name, at in landmarks.items()}
    trust = {
        name: np.where(np.isfinite(at).all(axis=1), 1.0, 0.0)
        * (1.0 if confidence is None or name not in confidence else confidence[name])
        for name, at in known.items()
    }
    found = {
        name: _Found(known[name], trust[name] * (ROUGH_TRUST if name in ROUGH else 1.0))
        for name in CANONICAL
        if name in known
    }
    for part in PARTS:
        _add_part(found, known, trust, part)
    _add_head(found, known, trust)
    _add_pelvis(found, known, trust)
    if not found:
        raise InputError(
            f"Expected landmarks of a body, such as {', '.join(CANONICAL[:4])}, l_wrist; got "
            f"{', '.join(list(landmarks)[:8]) or 'none'}."
        )
    names = tuple(name for name in CANONICAL if name in found)
    rotations = None
    if any(found[name].rotations is not None for name in names):
        frames = len(found[names[0]].positions)
        nothing = np.full((frames, 4), np.nan)
        turned = [found[name].rotations for name in names]
        rotations = np.stack([nothing if q is None else q for q in turned], axis=1)
    return Points(
        names,
        np.stack([found[name].positions for name in names], axis=1),
        rate,
        rotations,
        np.stack([found[name].trust for name in names], axis=1),
    )


def _add_part(
    found: dict[str, _Found], known: Mapping[str, Floats], trust: Mapping[str, Floats],
    part: RigidPart,
) -> None:  # fmt: skip
    """Add the rotation of a part, and the points that go with it, where enough was seen."""
    marks = [name for name in part.marks if name in known]
    if len(marks) < LEAST_MARKS:
        return
    template = np.array([part.marks[name] for name in marks])
    seen = np.stack([known[name] for name in marks], axis=1)
    sure = np.stack([trust[name] for name in marks], axis=1)
    turn, origin, size = fit_part(template, seen)
    worth = np.where(np.isfinite(turn[:, 0]), _mean_of_seen(sure), 0.0)
    joint = found.get(part.role)
    if joint is not None:
        joint.rotations = turn
        origin = joint.positions
    for name, place in part.carries.items():
        if name in found:
            continue
        at = origin + arrays.rotate(turn, size * np.array(place))
        turned = turn if name == part.role else None
        found[name] = _Found(at, worth, turned)


def fit_part(template: Floats, seen: Floats) -> tuple[Floats, Floats, float]:
    """Return how a part of fixed shape lies in each frame: rotations, origins, and its size.

    The rotation is the best in the least-squares sense (Horn 1987); the size is one for all frames.

    Args:
        template: places of the landmarks relative to the origin, shape (K, 3).
        seen: where they were seen [m], shape (F, K, 3); NaN where they were not.

    Returns:
        Rotations (F, 4) and positions of the origin (F, 3), NaN where fewer than three landmarks
        were seen or all on a line, and the size of the part in metres per unit of the template.
    """
    there: Any = np.isfinite(seen).all(axis=2)
    count = np.maximum(there.sum(axis=1), 1)[:, None]
    usable: Any = there.sum(axis=1) >= LEAST_MARKS
    weight = there.astype(np.float64)[..., None]
    places = np.where(there[..., None], seen, 0.0)
    centre: Any = (weight * places).sum(axis=1) / count
    middle: Any = (weight * template).sum(axis=1) / count
    a = weight * (template - middle[:, None])
    b = weight * (places - centre[:, None])
    seen_span: Any = (b * b).sum(axis=(1, 2))
    own_span: Any = (a * a).sum(axis=(1, 2))
    fit: Any = usable & (own_span > 0.0)
    size = float(np.sqrt(np.median(seen_span[fit] / own_span[fit]))) if fit.any() else 1.0
    turn, determined = arrays.best_rotation(np.einsum("fki,fkj->fij", a, b))
    turn[~(usable & determined)] = np.nan
    return turn, centre - arrays.rotate(turn, size * middle), size


def _mean_of_seen(trust: Floats) -> Floats:
    """Return the mean confidence (F,) of those of several landmarks (F, K) that were seen."""
    return np.asarray(trust.sum(axis=1) / np.maximum((trust > 0.0).sum(axis=1), 1))


def _add_head(
    found: dict[str, _Found], known: Mapping[str, Floats], trust: Mapping[str, Floats]
) -> None:
    """Add the head between the ears, or below the crown, where no face showed it."""
    if "head" in found:
        return
    for start, end, share in (("l_ear", "r_ear", 0.5), ("face", "crown", SKULL_SHARE)):
        if known.keys() >= {start, end}:
            place = known[start] + share * (known[end] - known[start])
            worth = DERIVED_TRUST * np.minimum(trust[start], trust[end])
            found["head"] = _Found(place, worth)
            return


def _add_pelvis(
    found: dict[str, _Found], known: Mapping[str, Floats], trust: Mapping[str, Floats]
) -> None:
    """Add the lumbosacral joint, which lies above and behind the middle of the hips."""
    needed = ("l_hip", "r_hip", "l_shoulder", "r_shoulder")
    if "pelvis" in found or not known.keys() >= set(needed):
        return
    hips = 0.5 * (known["l_hip"] + known["r_hip"])
    _, up, forward = pelvis_axes(known)
    rise = FRACTIONS["pelvis"] * stature_of(known)
    place = hips + rise * (up + LUMBOSACRAL_DEPTH * forward)
    worth = np.minimum.reduce([trust[name] for name in needed])
    found["pelvis"] = _Found(place, DERIVED_TRUST * worth)


def pelvis_axes(landmarks: Mapping[str, Floats]) -> tuple[Floats, Floats, Floats]:
    """Return about where left, up and forward of the pelvis point, unit vectors (F, 3).

    Left goes from hip to hip. Up lies between the direction of the trunk and that of the thighs;
    where no knee was seen, it is that of the trunk.

    Args:
        landmarks: positions of hips, shoulders and, where known, knees, shape (F, 3).
    """
    hips, shoulders = (
        0.5 * (landmarks[f"l_{joint}"] + landmarks[f"r_{joint}"]) for joint in ("hip", "shoulder")
    )
    left = _unit(landmarks["l_hip"] - landmarks["r_hip"])
    trunk = shoulders - hips
    up = _unit(trunk - (trunk * left).sum(axis=1, keepdims=True) * left)
    forward = np.cross(left, up)
    if not landmarks.keys() >= {"l_knee", "r_knee"}:
        return left, up, forward
    thighs = [_unit(landmarks[f"{side}_hip"] - landmarks[f"{side}_knee"]) for side in "lr"]
    thigh = np.where(np.isnan(thighs[0]), thighs[1], thighs[0])
    thigh = thigh + np.where(np.isnan(thighs[1]), thigh, thighs[1])
    angle = np.arctan2((thigh * forward).sum(axis=1), (thigh * up).sum(axis=1))
    pitch = np.where(np.isnan(angle), 0.0, PELVIS_TILT + THIGH_SHARE * angle)[:, None]
    pitched = np.cos(pitch) * up + np.sin(pitch) * forward
    return left, pitched, np.cross(left, pitched)


def facing_of(landmarks: Mapping[str, Floats]) -> float:
    """Return how well face, feet and knees point to where left and up say the front is.

    Up to 1 for a body, down to -1 for its mirror image: coordinates that are left-handed, of which
    one has the wrong sign, or of which two were exchanged. NaN where nothing shows the front.

    Args:
        landmarks: name -> positions in any axes, shape (F, 3).
    """
    total, length = 0.0, 0.0
    for left, up, ahead in _fronts(landmarks):
        along = (ahead * _unit(np.cross(left, up))).sum(axis=1)
        seen = np.isfinite(along)
        total += float(along[seen].sum())
        length += float(np.linalg.norm(ahead[seen], axis=1).sum())
    return total / length if length > 0.0 else float("nan")


def _fronts(at: Mapping[str, Floats]) -> list[tuple[Floats, Floats, Floats]]:
    """Return left, up and ahead of parts of the body, each by its own landmarks, shape (F, 3)."""
    found = []
    if at.keys() >= {"l_ear", "r_ear", "nose", "l_shoulder", "r_shoulder"}:
        ears, shoulders = (0.5 * (at[f"l_{n}"] + at[f"r_{n}"]) for n in ("ear", "shoulder"))
        found.append((at["l_ear"] - at["r_ear"], ears - shoulders, at["nose"] - ears))
    if not at.keys() >= {f"{side}_{joint}" for side in "lr" for joint in ("hip", "knee", "ankle")}:
        return found
    left = at["l_hip"] - at["r_hip"]
    for side in "lr":
        hip, knee, ankle = (at[f"{side}_{joint}"] for joint in ("hip", "knee", "ankle"))
        for start, end in (("ankle", "toe"), ("heel", "big_toe"), ("heel", "foot_index")):
            if at.keys() >= {f"{side}_{start}", f"{side}_{end}"}:
                found.append((left, knee - ankle, at[f"{side}_{end}"] - at[f"{side}_{start}"]))
        bend = knee - 0.5 * (hip + ankle)
        leg = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
        bent = np.linalg.norm(bend, axis=1) > BENT_KNEE * leg
        found.append((left, hip - ankle, np.where(bent[:, None], bend, np.nan)))
    return found


def stature_of(landmarks: Mapping[str, Floats]) -> float:
    """Return the stature [m] that the lengths of arms and legs suggest, 1.75 m where none is seen.

    Args:
        landmarks: name -> positions (F, 3), of joints of arms and legs.
    """
    found = []
    for name, (start, end) in LIMB_BONES.items():
        for side in "lr":
            if landmarks.keys() >= {f"{side}_{start}", f"{side}_{end}"}:
                bone = landmarks[f"{side}_{end}"] - landmarks[f"{side}_{start}"]
                length = np.linalg.norm(bone, axis=1)
                length = length[np.isfinite(length)]
                if len(length):
                    found.append(float(np.median(length)) / FRACTIONS[name])
    return float(np.median(found)) if found else 1.75


def _unit(vectors: Floats) -> Floats:
    """Return vectors (F, 3) with length 1; NaN for those without a direction."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(length > 1e-9, vectors / np.maximum(length, 1e-9), np.nan))
