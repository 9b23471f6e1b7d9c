"""Layouts: which joint stands in which column of an array of joint positions.

Pose estimators and databases of motion publish arrays (frames, joints, 3) whose order of joints is
a convention. A `Layout` is that convention as data: the names of its landmarks in order. What a
landmark says of a body does not depend on the layout; that is in `sixpoint.subjects.landmarks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.anthropometry import FRACTIONS
from ..errors import InputError, UnknownName
from ..kernels.types import Floats

FACE = ("nose", "l_eye", "r_eye", "l_ear", "r_ear")
COCO = (
    *FACE, "l_shoulder", "r_shoulder", "l_elbow", "r_elbow", "l_wrist", "r_wrist",
    "l_hip", "r_hip", "l_knee", "r_knee", "l_ankle", "r_ankle",
)  # fmt: skip
HALPE = (
    *COCO, "head_top", "neck_base", "hips", "l_big_toe", "r_big_toe", "l_small_toe", "r_small_toe",
    "l_heel", "r_heel",
)  # fmt: skip
BODY_25 = (
    "nose", "neck_base", "r_shoulder", "r_elbow", "r_wrist", "l_shoulder", "l_elbow", "l_wrist",
    "hips", "r_hip", "r_knee", "r_ankle", "l_hip", "l_knee", "l_ankle", "r_eye", "l_eye",
    "r_ear", "l_ear", "l_big_toe", "l_small_toe", "l_heel", "r_big_toe", "r_small_toe", "r_heel",
)  # fmt: skip
MEDIAPIPE = (
    "nose", "l_eye_inner", "l_eye", "l_eye_outer", "r_eye_inner", "r_eye", "r_eye_outer",
    "l_ear", "r_ear", "l_mouth", "r_mouth", "l_shoulder", "r_shoulder", "l_elbow", "r_elbow",
    "l_wrist", "r_wrist", "l_pinky", "r_pinky", "l_index", "r_index", "l_thumb", "r_thumb",
    "l_hip", "r_hip", "l_knee", "r_knee", "l_ankle", "r_ankle", "l_heel", "r_heel",
    "l_foot_index", "r_foot_index",
)  # fmt: skip
HUMAN36M = (
    "hips", "r_hip", "r_knee", "r_ankle", "l_hip", "l_knee", "l_ankle", "spine", "neck_base",
    "face", "crown", "l_shoulder", "l_elbow", "l_wrist", "r_shoulder", "r_elbow", "r_wrist",
)  # fmt: skip
SMPL_22 = (
    "pelvis", "l_hip", "r_hip", "spine1", "l_knee", "r_knee", "spine2", "l_ankle", "r_ankle",
    "chest", "l_toe", "r_toe", "neck", "l_clavicle", "r_clavicle", "head", "l_shoulder",
    "r_shoulder", "l_elbow", "r_elbow", "l_wrist", "r_wrist",
)  # fmt: skip
SMPL_24 = (*SMPL_22, "l_hand", "r_hand")

LINKS = (
    ("crown", "face"), ("face", "neck_base"), ("head", "neck"), ("neck", "chest"),
    ("chest", "spine2"), ("spine2", "spine1"), ("spine1", "pelvis"), ("neck_base", "spine"),
    ("spine", "hips"), ("nose", "l_eye"), ("nose", "r_eye"), ("l_eye", "l_ear"),
    ("r_eye", "r_ear"), ("l_mouth", "r_mouth"), ("l_shoulder", "r_shoulder"), ("l_hip", "r_hip"),
    *((f"{side}_{start}", f"{side}_{end}") for side in "lr" for start, end in (
        ("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"),
        ("shoulder", "hip"), ("clavicle", "shoulder"), ("wrist", "hand"), ("wrist", "index"),
        ("wrist", "pinky"), ("wrist", "thumb"), ("ankle", "heel"), ("ankle", "toe"),
        ("heel", "big_toe"), ("heel", "small_toe"), ("heel", "foot_index"))),
)  # fmt: skip
"""Lines that a picture draws between landmarks, where a layout has both."""

LIMB_BONES = {
    "thigh": ("hip", "knee"), "calf": ("knee", "ankle"),
    "upper_arm": ("shoulder", "elbow"), "forearm": ("elbow", "wrist"),
}  # fmt: skip
"""Name of a length -> the two ends of that bone, on either side."""
DOUBTFUL_FIT = 0.4
"""Bones that change, differ between the sides and stray from usual proportions by more than this
together (logarithms) are no limbs. On captured people the sum is about 0.12, with noise of 3 cm
0.22; in another order of joints it is seldom below 0.8."""


@dataclass(frozen=True)
class Layout:
    """The order of joints in an array, and what it can tell of a body."""

    name: str
    """Name for `--layout`."""
    title: str
    """Where such arrays come from."""
    landmarks: tuple[str, ...]
    """What each joint of the array is, in order; names as in `sixpoint.subjects.landmarks`."""
    lacks: str
    """What it cannot tell, for people."""
    rate: float | None = None
    """Frames a second that its files have, if they all have the same [Hz]."""
    longer: tuple[int, ...] = ()
    """Numbers of joints of longer arrays that begin with these joints (hands and faces follow)."""

    def __len__(self) -> int:
        return len(self.landmarks)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of joints of arrays that can be read with it."""
        return (len(self), *self.longer)

    @property
    def links(self) -> list[tuple[int, int]]:
        """Pairs of joints between which a picture draws a line."""
        at = {name: k for k, name in enumerate(self.landmarks)}
        return [(at[a], at[b]) for a, b in LINKS if a in at and b in at]


_NO_TRUNK = "the pelvis, the spine and how the trunk twists between hips and shoulders"
_KNOWN = (
    Layout("coco17", "COCO keypoints in 3D: RTMPose, ViTPose, YOLO, MotionBERT and others", COCO,
           f"{_NO_TRUNK}, hands, feet", longer=(133,)),
    Layout("halpe26", "Halpe: AlphaPose, RTMPose with feet, Pose2Sim", HALPE,
           f"{_NO_TRUNK}, hands", longer=(136,)),
    Layout("body25", "OpenPose BODY_25", BODY_25, f"{_NO_TRUNK}, hands", longer=(67, 135, 137)),
    Layout("mediapipe33", "MediaPipe Pose (BlazePose) world landmarks, FreeMoCap", MEDIAPIPE,
           f"{_NO_TRUNK}, where the person is (world landmarks are relative to the hips)",
           longer=(75, 543, 553)),
    Layout("h36m17", "Human3.6M: VideoPose3D, MotionBERT, PoseFormer and other lifters", HUMAN36M,
           "how the head turns, the twist of the trunk, hands, feet"),
    Layout("smpl22", "SMPL body joints, also of SMPL-H and SMPL-X", SMPL_22,
           "how the head turns, hands", longer=(52, 55, 127, 144)),
    Layout("smpl24", "SMPL with hands: HMR, WHAM, 4D-Humans", SMPL_24, "how the head turns",
           longer=(45, 49)),
    Layout("humanml3d22", "HumanML3D and what text-to-motion models make (MDM, T2M-GPT)", SMPL_22,
           "how the head turns, hands", rate=20.0),
)  # fmt: skip
LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in _KNOWN}
"""Name -> layout."""
PROGRAMS = {"openpose": "body25", "freemocap": "mediapipe33", "pose2sim": "halpe26"}
"""Name of a program -> the layout of its arrays."""


def find_layout(name: str) -> Layout:
    """Return a layout by its name or by that of a program (`PROGRAMS`).

    Raises:
        UnknownName: there is no such layout.
    """
    key = name.lower()
    key = PROGRAMS.get(key, key)
    if key not in LAYOUTS:
        raise UnknownName("layout", name, (*LAYOUTS, *PROGRAMS))
    return LAYOUTS[key]


def layouts_of_size(joints: int) -> list[Layout]:
    """Return the layouts that arrays of so many joints may have."""
    return [layout for layout in LAYOUTS.values() if joints in layout.sizes]


def rank_layouts(positions: Floats) -> list[tuple[Layout, float]]:
    """Return the layouts that an array may have, the likeliest first, each with its misfit.

    Args:
        positions: joint positions in any unit and axes, shape (F, N, 3).
    """
    found = layouts_of_size(positions.shape[1])
    return sorted(((layout, misfit(positions, layout)) for layout in found), key=lambda it: it[1])


def misfit(positions: Floats, layout: Layout) -> float:
    """Return how little the limbs of an array, read with a layout, look like those of a person.

    Bones of a person keep their length, are as long on the left as on the right, and have usual
    proportions. The mean logarithmic deviation from each of these is added up; NaN where too
    little was seen. It does not depend on unit or axes.

    Args:
        positions: joint positions, shape (F, N, 3).
        layout: how to read them.
    """
    at = {name: positions[:, k] for k, name in enumerate(layout.landmarks)}
    spreads, sides, sizes = list[float](), list[float](), list[float]()
    for bone, (start, end) in LIMB_BONES.items():
        medians = []
        for side in "lr":
            length = np.linalg.norm(at[f"{side}_{end}"] - at[f"{side}_{start}"], axis=1)
            length = length[np.isfinite(length)]
            if not len(length):
                continue
            median = max(float(np.median(length)), 1e-12)
            medians.append(median)
            far = np.abs(np.log(np.maximum(length, 1e-6 * median) / median))
            spreads.append(float(far.mean()))
        if len(medians) == 2:
            sides.append(abs(float(np.log(medians[0] / medians[1]))))
        sizes += [float(np.log(median / FRACTIONS[bone])) for median in medians]
    if not spreads:
        return float("nan")
    centre = float(np.median(sizes))
    usual = float(np.mean([abs(size - centre) for size in sizes]))
    return float(np.mean(spreads)) + (float(np.mean(sides)) if sides else 0.0) + usual


def check_size(joints: int, layout: Layout) -> None:
    """Refuse an array whose number of joints a layout does not have.

    Raises:
        InputError: names the layouts that have that number, and likely mistakes.
    """
    if joints in layout.sizes:
        return
    fitting = [other.name for other in layouts_of_size(joints)]
    people = [k for k in (2, 3, 4) if joints == k * len(layout)]
    if fitting:
        hint = f"layouts with {joints}: {', '.join(fitting)}"
    elif people:
        hint = f"{joints} is {people[0]} times {len(layout)}: give the joints of one person"
    else:
        sizes = ", ".join(f"{other.name} {len(other)}" for other in LAYOUTS.values())
        hint = f"no layout has {joints} (there are {sizes})"
    raise InputError(
        f"Expected {len(layout)} joints for the layout {layout.name}, got {joints}; {hint}."
    )


def sizes_text(layouts: Sequence[Layout] = tuple(LAYOUTS.values())) -> str:
    """Return the names of layouts with their numbers of joints, for messages."""
    return ", ".join(f"{layout.name} ({len(layout)})" for layout in layouts)
