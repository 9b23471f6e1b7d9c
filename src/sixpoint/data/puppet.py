"""The puppet: converts values of a few dozen channels to a motion of the built-in humanoid.

Angles are anatomical and go straight to the joints, whose frames on this figure are anatomical
too. Feet stand where they are put on the ground and hands may hold a point in space: legs and arms
are solved as two bones with a hinge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.quaternion import quat_from_columns
from ..kernels.types import Floats, Mat3
from ..motion.motion import Motion

X, Y, Z = np.eye(3)
SIDES = {"l": 1.0, "r": -1.0}
"""Sign of the side: +X is left."""
TRUNK = {"vt12": 0.5, "vt6": 0.5}
"""Share of each joint in the flexion, bend and twist of the trunk."""
NECK = ("vc7", "vc4", "skullbase")
"""Joints that turn the head, each by a third."""
KNEE_FOLLOWS_FOOT = 0.65
"""Where knees point: 0 as the pelvis faces, 1 as the foot points."""
LONGEST_LEG = 0.994
"""Straightest that a leg gets, as a fraction of its length: a knee bent by 12 degrees."""
SINKING_FRAMES = 5
"""Half of the window over which the body sinks for a leg that would be too short."""
FIST = {"middle1": 80.0, "middle2": 100.0, "thumb1": 15.0, "thumb2": 35.0}
"""How far each joint of the fingers and the thumb bends for a fist [degrees]."""
PARTS = {
    "pelvis": "x y z yaw tilt list", "trunk": "flexion bend twist", "gaze": "yaw pitch roll",
}  # fmt: skip
SIDED_PARTS = {
    "clavicle": "elevation protraction", "shoulder": "flexion abduction twist",
    "elbow": "flexion", "wrist": "flexion deviation pronation", "hand": "curl hold x y z",
    "knee": "out", "foot": "x z yaw pitch lift heel",
}  # fmt: skip
CHANNELS = (
    *(f"{part}.{name}" for part, names in PARTS.items() for name in names.split()),
    *(f"{side}_{part}.{name}" for side in SIDES for part, names in SIDED_PARTS.items()
      for name in names.split()),
)  # fmt: skip
"""What can be keyed. Angles in degrees, positions in metres, the rest between 0 and 1.

- pelvis: x, y, z of the middle between the hips relative to the neutral stance; yaw to the left,
  tilt forward, list to the left.
- trunk: relative to the pelvis; bend and twist to the left. gaze: the head in the world; yaw to the
  left, pitch downwards, roll to the left.
- shoulder: swing forward and outward as one rotation vector, so that (flexion, abduction) are the
  polar amplitude and circumduction of the limits; twist inward. wrist: towards the palm, towards
  the thumb, palm backwards.
- hand: curl from flat to fist; the wrist is at x, y, z in the world as far as `hold` says.
- foot: x, z of the ball on the ground, yaw to the left; pitch: heel up, about the ball; negative:
  toes up, about the ball or (heel = 1) the heel; lift of the sole. knee.out: away from the other.
"""


def swing_twist(swing: Floats, axis: ArrayLike, twist: Floats) -> Floats:
    """Return rotations (F, 4): about a bone by `twist` (F,), then by a swing (F, 3) [degrees]."""
    turned = arrays.from_axis_angle(axis, np.radians(twist))
    return arrays.multiply(arrays.from_rotvec(np.radians(swing)), turned)


def two_bone(
    start: Floats, target: Floats, hinge: Floats, upper: float, lower: float, bend: float
) -> tuple[Floats, Floats]:
    """Solve a limb of two bones that hang along -Y for its end; straight if out of reach.

    Args:
        start: where the limb begins [m], shape (F, 3).
        target: where its end should be [m], shape (F, 3).
        hinge: preferred direction of the hinge axis (X of both bones), shape (F, 3).
        upper: length of the first bone [m].
        lower: length of the second bone [m].
        bend: +1 if flexion is positive about X (knees), -1 if negative (elbows).

    Returns:
        World rotation of the first bone (F, 4) and turn of the hinge about X (F,) [rad].
    """
    line = target - start
    reach = np.linalg.norm(line, axis=-1)
    far = np.clip(reach, abs(upper - lower) + 1e-9, upper + lower - 1e-9)
    down = line / np.maximum(reach, 1e-9)[:, None]
    x = hinge - np.sum(hinge * down, axis=-1, keepdims=True) * down
    x /= np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)
    columns = np.stack([x, -down, np.cross(x, -down)], axis=1)
    whole = np.array([quat_from_columns(cast("Mat3", frame)) for frame in columns.tolist()])
    inner = np.arccos((upper**2 + far**2 - lower**2) / (2.0 * upper * far))
    outer = np.arccos((upper**2 + lower**2 - far**2) / (2.0 * upper * lower))
    rotation = arrays.multiply(whole, arrays.from_axis_angle(X, -bend * inner))
    return rotation, bend * (np.pi - outer)


class Puppet:
    """The built-in humanoid, posed by channels.

    Args:
        skeleton: made by `Skeleton.humanoid`.
        values: channel -> value in each frame, shape (F,); all of `CHANNELS`.
    """

    def __init__(self, skeleton: Skeleton, values: Mapping[str, Floats]) -> None:
        self.skeleton = skeleton
        self.values = values
        self.rotations = arrays.identity(len(values["pelvis.x"]), skeleton.joint_count)
        """Local rotations, filled joint by joint, shape (F, J, 4)."""
        self.neutral = dict(zip(skeleton.node_names, skeleton.rest()[0], strict=True))
        """Node -> position in the neutral stance [m]."""

    def motion(self, rate: float) -> Motion:
        """Return the motion that the channels describe; rate [Hz]."""
        root = self._pelvis()
        self._spine()
        for side, sign in SIDES.items():
            self._clavicle(side, sign)
            self._hand(side, sign)
        moves = np.repeat(self.skeleton.offsets[None], len(root), axis=0)
        moves[:, 0] = root
        positions, world = arrays.forward(self.skeleton.parents, moves, self.rotations)
        low = self._sinking(positions)
        for side, sign in SIDES.items():
            self._leg(side, sign, positions - low[:, None], world)
            self._arm(side, sign, positions - low[:, None], world)
        return Motion(self.skeleton, root - low, arrays.normalize(self.rotations), rate)

    def _get(self, part: str, *names: str) -> tuple[Floats, ...]:
        """Return some channels of a part."""
        return tuple(self.values[f"{part}.{name}"] for name in names)

    def _turn(self, joint: str, rotations: Floats) -> None:
        self.rotations[:, self.skeleton.index(joint)] = rotations

    def _length(self, joint: str) -> float:
        """Return the length of the bone from a joint's parent to the joint [m]."""
        return float(np.linalg.norm(self.skeleton.offsets[self.skeleton.index(joint)]))

    def _pelvis(self) -> Floats:
        """Turn the pelvis about the middle between the hips; return where that puts the root."""
        turn = _heading(*self._get("pelvis", "yaw", "tilt", "list"))
        self._turn("HumanoidRoot", turn)
        hips = 0.5 * (self.neutral["l_hip"] + self.neutral["r_hip"])
        moved = hips + np.stack(self._get("pelvis", "x", "y", "z"), axis=-1)
        return cast("Floats", moved + arrays.rotate(turn, self.neutral["HumanoidRoot"] - hips))

    def _spine(self) -> None:
        flexion, bend, twist = self._get("trunk", "flexion", "bend", "twist")
        swing = _vectors(flexion, 0.0, -bend)
        chest = self.rotations[:, 0]
        for joint, share in TRUNK.items():
            local = swing_twist(share * swing, Y, share * twist)
            self._turn(joint, local)
            chest = arrays.multiply(chest, local)
        gaze = _heading(*self._get("gaze", "yaw", "pitch", "roll"))
        part = arrays.to_rotvec(arrays.multiply(arrays.conjugate(chest), gaze)) / len(NECK)
        for joint in NECK:
            self._turn(joint, arrays.from_rotvec(part))

    def _clavicle(self, side: str, sign: float) -> None:
        up, front = self._get(f"{side}_clavicle", "elevation", "protraction")
        swing = _vectors(0.0, -sign * front, sign * up)
        self._turn(f"{side}_sternoclavicular", arrays.from_rotvec(np.radians(swing)))

    def _hand(self, side: str, sign: float) -> None:
        palm, thumb, pronation = self._get(f"{side}_wrist", "flexion", "deviation", "pronation")
        swing = _vectors(-thumb, 0.0, -sign * palm)
        self._turn(f"{side}_wrist", swing_twist(swing, -Y, sign * pronation))
        curl = np.radians(self.values[f"{side}_hand.curl"])
        for joint, degrees in FIST.items():
            self._turn(f"{side}_{joint}", arrays.from_axis_angle(Z, -sign * degrees * curl))

    def _arm(self, side: str, sign: float, positions: Floats, world: Floats) -> None:
        clavicle, shoulder = (
            self.skeleton.index(f"{side}_{name}") for name in ("sternoclavicular", "shoulder")
        )
        forward, out, twist = self._get(f"{side}_shoulder", "flexion", "abduction", "twist")
        flexion, hold = self.values[f"{side}_elbow.flexion"], self.values[f"{side}_hand.hold"]
        swing = _vectors(-forward, 0.0, sign * out)
        upper = arrays.multiply(world[:, clavicle], swing_twist(swing, -Y, sign * twist))
        lower = arrays.multiply(upper, arrays.from_axis_angle(X, -np.radians(flexion)))
        bones = self._length(f"{side}_elbow"), self._length(f"{side}_wrist")
        start = positions[:, shoulder]
        free = start - arrays.rotate(upper, bones[0] * Y) - arrays.rotate(lower, bones[1] * Y)
        held = np.stack(self._get(f"{side}_hand", *"xyz"), axis=-1)
        # The keyed pose says where the elbow goes; the hand is put where it holds.
        wrist = free + hold[:, None] * (held - free)
        turn, bend = two_bone(start, wrist, arrays.rotate(upper, X), *bones, -1.0)
        self._turn(f"{side}_shoulder", arrays.multiply(arrays.conjugate(world[:, clavicle]), turn))
        self._turn(f"{side}_elbow", arrays.from_axis_angle(X, bend))

    def _leg(self, side: str, sign: float, positions: Floats, world: Floats) -> None:
        heading, foot, ankle = self._foot(side)
        pelvis = world[:, 0]
        hinge = (1.0 - KNEE_FOLLOWS_FOOT) * arrays.rotate(pelvis, X)
        hinge += KNEE_FOLLOWS_FOOT * arrays.rotate(heading, X)
        outward = np.radians(sign * self.values[f"{side}_knee.out"])
        thigh, bend = two_bone(
            positions[:, self.skeleton.index(f"{side}_hip")],
            ankle,
            arrays.rotate(arrays.from_axis_angle(Y, outward), hinge),
            self._length(f"{side}_knee"),
            self._length(f"{side}_ankle"),
            1.0,
        )
        knee = arrays.from_axis_angle(X, bend)
        shank = arrays.multiply(thigh, knee)
        self._turn(f"{side}_hip", arrays.multiply(arrays.conjugate(pelvis), thigh))
        self._turn(f"{side}_knee", knee)
        self._turn(f"{side}_ankle", arrays.multiply(arrays.conjugate(shank), foot))
        # Toes stay level while the heel rises.
        raised = np.radians(np.maximum(self.values[f"{side}_foot.pitch"], 0.0))
        self._turn(f"{side}_metatarsal", arrays.from_axis_angle(X, -raised))

    def _foot(self, side: str) -> tuple[Floats, Floats, Floats]:
        """Return heading and rotation of a foot (F, 4), and its ankle's position (F, 3) [m]."""
        x, z, yaw, pitch, lift, on_heel = self._get(f"{side}_foot", *SIDED_PARTS["foot"].split())
        heading = arrays.from_axis_angle(Y, np.radians(yaw))
        foot = arrays.multiply(heading, arrays.from_axis_angle(X, np.radians(pitch)))
        ankle, ball, heel = (
            self.neutral[f"{side}_{name}"] for name in ("ankle", "metatarsal", "calcaneous_post")
        )
        ground = np.stack([x, lift, z], axis=-1)
        about_ball = ground + ball[1] * Y - arrays.rotate(foot, ball - ankle)
        behind = arrays.rotate(heading, (heel - ball) * (X + Z))
        about_heel = ground + behind - arrays.rotate(foot, heel - ankle)
        return heading, foot, about_ball + on_heel[:, None] * (about_heel - about_ball)

    def _sinking(self, positions: Floats) -> Floats:
        """Return how far the body must sink so that no knee locks, smoothed (F, 3) [m]."""
        needed = np.zeros(len(positions))
        for side in SIDES:
            line = positions[:, self.skeleton.index(f"{side}_hip")] - self._foot(side)[2]
            longest = LONGEST_LEG * (self._length(f"{side}_knee") + self._length(f"{side}_ankle"))
            rise = np.sqrt(np.maximum(0.0, longest**2 - line[:, 0] ** 2 - line[:, 2] ** 2))
            needed = np.maximum(needed, line[:, 1] - rise)
        # The most within a window, then a smooth mean of that: never less than is needed.
        window = 2 * SINKING_FRAMES + 1
        padded = np.pad(needed, 2 * SINKING_FRAMES, mode="edge")
        most = np.lib.stride_tricks.sliding_window_view(padded, window).max(axis=-1)
        bell = np.hanning(window + 2)[1:-1]
        return np.convolve(most, bell / bell.sum(), "valid")[:, None] * Y


def _vectors(x: Floats | float, y: Floats | float, z: Floats | float) -> Floats:
    """Return vectors (F, 3) of three components, arrays (F,) or constants."""
    return np.stack(np.broadcast_arrays(x, y, z), axis=-1)


def _heading(yaw: Floats, forward: Floats, left: Floats) -> Floats:
    """Return rotations (F, 4): to the left, then tilted forward, then to the left [degrees]."""
    return arrays.from_euler("YXZ", np.radians(_vectors(yaw, forward, -left)))
