"""AMASS and other archives of SMPL parameters: rotations of joints become a motion.

No model files are needed: forward kinematics is ours, and the body is either the built-in figure in
SMPL's rest pose or the joints that the user gives. The shape (`betas`) needs a model and is
ignored.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..body.anthropometry import FRACTIONS
from ..body.humanoid import FINGERS
from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError, names_file
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion, Source
from ..subjects.conventions import GUESSED, rotation_to_y_up
from .npz import read_arrays, read_motion_npz

BODY_PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19)
"""Parent of each of the 22 joints that all these models begin with."""
BODY_NAMES = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle",
    "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar",
    "head", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist",
    "right_wrist",
)  # fmt: skip
FINGER_NAMES = ("index", "middle", "pinky", "ring", "thumb")
"""Order of the fingers in the models with hands."""
FINGER_PLACES = {"index": 0.13, "middle": 0.03, "ring": -0.07, "pinky": -0.17, "thumb": 0.22}
"""Distance of a finger's first joint in front of the middle of the hand, in lengths of the hand."""
FINGER_STEP = 0.15
"""Distance between two joints of a finger, in lengths of the hand."""
THUMB_START = 0.15
"""Distance of the thumb's first joint from the wrist, in lengths of the hand."""
THIGH_OUTWARDS, SHANK_INWARDS, SHANK_BACKWARDS = map(math.radians, (6.0, 2.0, 5.0))
"""How the legs stand in the rest pose of these models, about [rad]."""
MODEL_ORIGIN = (0.0, -0.127, 0.016)
"""Pelvis of the models at rest, from their origin, over the stature, about."""
STATURE = 1.70
"""Stature of the default body [m], about that of the models without shape."""
TRANSLATION, POSES = ("trans", "transl", "translation"), ("poses", "pose", "fullpose")
RATES = ("mocap_framerate", "mocap_frame_rate", "framerate", "frame_rate", "fps", "rate")
PARTS = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")
"""Parts of the pose, in the order of the joints, where they are kept apart."""


@dataclass(frozen=True)
class Model:
    """Joints of a body model, parents first."""

    name: str
    names: tuple[str, ...]
    parents: tuple[int, ...]


def _hands() -> tuple[list[str], list[int]]:
    """Return the names of thirty finger joints, and their parents from the wrists 20 and 21."""
    names, parents = list[str](), list[int]()
    for side, wrist in (("left", 20), ("right", 21)):
        for finger in FINGER_NAMES:
            for k in (1, 2, 3):
                parents.append(wrist if k == 1 else -len(names))  # minus: the joint before
                names.append(f"{side}_{finger}{k}")
    return names, parents


def _model(name: str, extra: Mapping[str, int], hands: bool) -> Model:
    names, parents = [*BODY_NAMES, *extra], [*BODY_PARENTS, *extra.values()]
    if hands:
        start = len(names)
        more, above = _hands()
        names += more
        parents += [p if p > 0 else start - p - 1 for p in above]
    return Model(name, tuple(names), tuple(parents))


MODELS = {
    66: _model("SMPL body", {}, False),
    72: _model("SMPL", {"left_hand": 20, "right_hand": 21}, False),
    156: _model("SMPL-H", {}, True),
    165: _model("SMPL-X", {"jaw": 15, "left_eye_smplhf": 15, "right_eye_smplhf": 15}, True),
}
"""Numbers in a row of poses, three for each joint -> the model."""


@names_file
def read_npz(
    path: str | os.PathLike[str],
    *,
    joints: ArrayLike | None = None,
    height: float | None = None,
    rate: float | None = None,
    up: str | None = None,
) -> Motion:
    """Read a motion that sixpoint wrote, or SMPL parameters as AMASS publishes them.

    Args:
        path: the file.
        joints: of SMPL parameters: places of the joints at rest, from the model [m], shape (J, 3).
        height: or the stature of the built-in body [m].
        rate: frames a second, if other than the file says [Hz].
        up: axis that points up; default: found from how the body stands.
    """
    content = read_arrays(path)
    if any(key in content for key in TRANSLATION) and (
        any(key in content for key in POSES) or "pose_body" in content
    ):
        return _motion(content, joints, height, rate, up)
    given = {"joints": joints, "height": height, "rate": rate, "up": up}
    extra = [key for key, value in given.items() if value is not None]
    if extra:
        raise InputError(
            f"Expected SMPL parameters (poses, trans) for {', '.join(extra)}; this file has "
            f"{', '.join(sorted(content)[:8]) or 'nothing'}."
        )
    return read_motion_npz(path)


def _motion(
    content: Mapping[str, Any],
    joints: ArrayLike | None,
    height: float | None,
    rate: float | None,
    up: str | None,
) -> Motion:
    """Return the motion of SMPL parameters."""
    moves = _rows(content, next(key for key in TRANSLATION if key in content), 3)
    poses = _poses(content, len(moves))
    model = MODELS[poses.shape[1]]
    if joints is not None and height is not None:
        raise InputError("Expected `joints` or `height`, got both.")
    rest = rest_joints(model, height) if joints is None else np.asarray(joints, np.float64)
    if rest.shape != (len(model.names), 3) or not np.isfinite(rest).all():
        raise InputError(
            f"Expected `joints` of {model.name}, finite, of shape ({len(model.names)}, 3); got "
            f"{rest.shape}."
        )
    skeleton = Skeleton(
        model.names,
        np.array(model.parents),
        np.array([rest[j] - (rest[p] if p >= 0 else 0.0) for j, p in enumerate(model.parents)]),
    )
    rotations = arrays.from_rotvec(poses.reshape(len(poses), -1, 3))
    root = moves + rest[0]
    notes = list[str]()
    if up is None:
        up = _up_axis(Motion(skeleton, root, rotations, 1.0))
        if up != "z":
            notes.append(f"{GUESSED}{up.upper()} points up")
    turn = np.array(rotation_to_y_up(up))
    rotations[:, 0] = arrays.multiply(turn, rotations[:, 0])
    if joints is None:
        tall = STATURE if height is None else height
        notes.append(
            f"{GUESSED}a body of {tall:g} m for these {model.name} parameters; "
            "the person's own shape needs the joints of the model (`joints`)"
        )
    source = Source(format="amass", notes=tuple(notes))
    return Motion(
        skeleton, arrays.rotate(turn, root), arrays.normalize(rotations),
        _frame_rate(content, rate), source=source,
    )  # fmt: skip


def _rows(content: Mapping[str, Any], key: str, width: int | None) -> Floats:
    """Return an array of numbers with a row for each frame."""
    try:
        values = np.asarray(content[key], dtype=np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"Expected numbers in {key!r}.") from None
    if values.ndim == 1 and width is not None and len(values) == width:
        values = values[None]
    if values.ndim != 2 or (width is not None and values.shape[1] != width):
        raise FormatError(
            f"Expected {key!r} of shape (frames, {width or 'numbers'}), got {values.shape}."
        )
    if not np.isfinite(values).all():
        raise FormatError(f"Expected finite numbers in {key!r}, got NaN or infinity.")
    return values


def _poses(content: Mapping[str, Any], frames: int) -> Floats:
    """Return the rotation vectors of all joints, shape (F, 3 J) [rad]."""
    key = next((key for key in POSES if key in content), None)
    if key is not None:
        poses = _rows(content, key, None)
    else:
        parts = [_rows(content, part, None) for part in PARTS if part in content]
        poses = np.concatenate(parts, axis=1)
    if len(poses) != frames:
        raise FormatError(f"Expected {frames} rows of poses as of `trans`, got {len(poses)}.")
    if poses.shape[1] not in MODELS:
        known = ", ".join(f"{width} ({model.name})" for width, model in MODELS.items())
        raise FormatError(f"Expected {known} numbers in a row of poses, got {poses.shape[1]}.")
    return poses


def _frame_rate(content: Mapping[str, Any], rate: float | None) -> float:
    found: Any = next((content[key] for key in RATES if key in content), None)
    if rate is None and found is None:
        raise InputError(f"Expected `rate` [Hz]: the file has none of {', '.join(RATES[:3])}.")
    try:
        return float(np.ravel(found)[0]) if rate is None else float(rate)
    except (TypeError, ValueError, IndexError):
        raise FormatError(f"Expected a number of frames a second, got {found!r}.") from None


def _up_axis(motion: Motion) -> str:
    """Return the axis along which the head is above the feet, on average over the clip."""
    frames = motion.frames(slice(None, None, max(1, len(motion) // 200)))
    places = frames.positions([15, 7, 8])
    rise = (places[:, 0] - 0.5 * (places[:, 1] + places[:, 2])).mean(axis=0)
    share = {"z": rise[2], "y": rise[1], "x": rise[0], "-y": -rise[1]}
    return max(share, key=lambda axis: float(share[axis]))


def rest_joints(model: Model, height: float | None = None) -> Floats:
    """Return places of the joints of the built-in figure in the rest pose of SMPL [m], (J, 3).

    The body stands with its arms stretched out sideways and palms down, facing +Z, Y up.

    Args:
        model: one of `MODELS`.
        height: stature [m]; default `STATURE`.
    """
    stature = STATURE if height is None else height
    figure = Skeleton.humanoid(stature)
    anatomy = figure.anatomy
    names = dict(zip(figure.node_names, anatomy.positions, strict=True))
    spine = [names[name] for name in ("HumanoidRoot", "vt12", "vt6", "vc7", "skullbase")]
    places = {
        "pelvis": spine[0], "spine1": 0.5 * (spine[0] + spine[1]), "spine2": spine[1],
        "spine3": 0.5 * (spine[1] + spine[2]), "neck": spine[3], "head": spine[4],
    }  # fmt: skip
    hand = FRACTIONS["hand"] * stature
    for side, letter, out in (("left", "l", 1.0), ("right", "r", -1.0)):
        hip, shoulder = names[f"{letter}_hip"], names[f"{letter}_shoulder"]
        thigh, shank = FRACTIONS["thigh"] * stature, FRACTIONS["calf"] * stature
        knee = hip + thigh * _leaning(out * THIGH_OUTWARDS, 0.0)
        ankle = knee + shank * _leaning(-out * SHANK_INWARDS, SHANK_BACKWARDS)
        foot = names[f"{letter}_metatarsal"] - names[f"{letter}_ankle"]
        aside = np.array((out, 0.0, 0.0))
        elbow = shoulder + FRACTIONS["upper_arm"] * stature * aside
        wrist = elbow + FRACTIONS["forearm"] * stature * aside
        knuckle = wrist + FINGERS["middle1"] * hand * aside
        places |= {
            f"{side}_hip": hip, f"{side}_knee": knee, f"{side}_ankle": ankle,
            f"{side}_foot": ankle + foot, f"{side}_collar": names[f"{letter}_sternoclavicular"],
            f"{side}_shoulder": shoulder, f"{side}_elbow": elbow, f"{side}_wrist": wrist,
            f"{side}_hand": knuckle,
            f"{side}_eye_smplhf": spine[4] + stature / 1.75 * np.array((0.0315 * out, 0.01, 0.05)),
        }  # fmt: skip
        for finger, front in FINGER_PLACES.items():
            start = wrist if finger == "thumb" else knuckle
            along = THUMB_START if finger == "thumb" else 0.0
            for k in range(3):
                place = hand * ((along + k * FINGER_STEP) * aside + (0.0, 0.0, front))
                places[f"{side}_{finger}{k + 1}"] = start + place
    places["jaw"] = spine[4] + stature / 1.75 * np.array((0.0, -0.03, 0.03))
    origin = stature * np.array(MODEL_ORIGIN)
    return np.array([places[name] - spine[0] + origin for name in model.names])


def _leaning(outwards: float, backwards: float) -> Floats:
    """Return a unit vector that points down, leaning to +X and to -Z by angles [rad]."""
    return np.array(
        (
            math.sin(outwards),
            -math.cos(outwards) * math.cos(backwards),
            -math.cos(outwards) * math.sin(backwards),
        )
    )
