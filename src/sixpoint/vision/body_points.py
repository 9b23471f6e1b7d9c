"""Points of the body from hands, face and silhouettes: wrists, head, trunk, pelvis and ankles.

A wrist lies half a hand's length from the middle of the hand, in the direction that explains the
outlines and the arm best (`hand_direction`). In Boulic et al. 2006, Fig. 5, it is where the line
from the elbow enters the hand: in each picture the line from the projected elbow to the projected
hand is cut with the outline of the hand, and the two cuts are triangulated. Elbows are not seen:
they come from the inverse kinematics of the frame before, or from a guess. Ankles (ours; the paper
leaves legs out) are the two columns at the bottom of a silhouette.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from ..body.anthropometry import ANKLE_HEIGHT
from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from .blobs import Ellipse
from .body_measurement import FACE_OFFSET, HAND_HALF, UP, PersonModel, leftwards
from .camera import Camera, position_covariance, reprojection_errors, triangulate
from .hand_direction import Arm, HandMeasure, SeenHand, hand_direction
from .images import Mask
from .segmentation import Silhouette, silhouette_centre, without_arms
from .tracks import Smoother, Track, Tracks

ANKLES = ("l_ankle", "r_ankle")
WRIST_NOISE, TRUNK_NOISE = 0.5, 0.5
"""Standard deviations of a wrist's cut and of a silhouette's middle [px]."""
TRUNK_ACCELERATION = 2.0
"""Expected acceleration of the trunk [m/s^2]."""
ARM_WIDTH = 0.13
"""Width from which on parts of a silhouette belong to the trunk, over stature."""
SURE_WRIST = 0.015
"""Standard deviation of a wrist from which on it is less sure [m]."""
WRIST_REACH = 0.14
"""Largest distance of a wrist from the middle of the hand [m]."""
LEAST_REACH = 1.0 / 0.9
"""Least distance of a projected elbow from the middle of the hand, over the hand's outline: an
elbow within it points at the camera, and the cut says nothing."""
LARGEST_CUT_ERROR = 4.0
"""Largest reprojection error of cuts that are the same point [px]."""
SHANK_BAND = (0.86, 0.93)
"""Where shanks are above the shoes, as parts of the silhouette's height from its top."""
LEAST_LEG_WIDTH = 3
"""Least number of columns of a leg [px]."""
LARGEST_LEG_ERROR = 3.0
"""Largest reprojection error of legs that are the same [px]."""

Elbows: TypeAlias = Floats
"""Left and right elbow [m], shape (2, 3); NaN where not known."""
WristMethod: TypeAlias = Literal["outlines", "cut", "length"]
"""How wrists are found, see `CaptureSettings`."""
Found: TypeAlias = dict[str, tuple[Floats, float]]
"""Name -> position [m] and confidence of what is seen."""


class BodyEstimator:
    """Estimates points of the body from the tracks and silhouettes of each frame.

    Args:
        cameras: the two views.
        body: how large the person is.
        wrist: how wrists are found.
        feet: whether to look for ankles.
        accelerations: expected accelerations of left and right hand [m/s^2].
    """

    def __init__(
        self,
        cameras: Sequence[Camera],
        body: Skeleton,
        wrist: WristMethod,
        feet: bool,
        accelerations: tuple[float, ...],
    ) -> None:
        anatomy = body.anatomy
        at = {role: anatomy.positions[node] for role, node in anatomy.roles.nodes.items()}
        arm = [anatomy.node(f"l_{part}") for part in ("shoulder", "elbow", "wrist")]
        upper, fore = (float(np.linalg.norm(anatomy.vector(a, b))) for a, b in pairwise(arm))
        self._arm = Arm(upper, fore, float(HAND_HALF[1]) * anatomy.stature)
        self.person = PersonModel(anatomy.stature, tuple(cameras))
        self._wrist, self._feet, self._accelerations = wrist, feet, accelerations
        self._ankle_height = ANKLE_HEIGHT * anatomy.stature
        self._pelvis_height = float(at["pelvis"][1] - at["l_ankle"][1] + self._ankle_height)
        self._shoulder = at["l_shoulder"] - at["head"]
        self.reset()

    def reset(self) -> None:
        """Forget earlier frames."""
        self._wrists = [Smoother(acceleration) for acceleration in self._accelerations]
        self._trunk, self._pelvis = Smoother(TRUNK_ACCELERATION), Smoother(TRUNK_ACCELERATION)
        self._pelvis_offset: Floats | None = None
        self._shoulders = np.full((2, 3), np.nan)
        self._hand = HandMeasure()

    def heights(self) -> list[float | None]:
        """Return the expected height of the person in each picture [px]; None if unknown."""
        trunk, person = self._trunk.state, self.person
        if trunk is None:
            return [None] * len(person.cameras)
        return [person.height_in(camera, trunk.position) for camera in person.cameras]

    def add_silhouette(self, people: Sequence[Silhouette], dt: float, found: Found) -> None:
        """Add the middle of the trunk, the pelvis and ankles to what is found."""
        centres = np.array([silhouette_centre(person.mask) for person in people])
        middle = triangulate(self.person.cameras, centres[:, None])[0]
        if np.isfinite(middle).all():
            found["trunk"] = self._smoothed(self._trunk, middle, TRUNK_NOISE, dt), 1.0
            core = self._without_arms(people, middle)
            if np.isfinite(core).all():
                if self._pelvis_offset is None:
                    # The first frame shows somebody who stands upright: the pelvis is there then.
                    self._pelvis_offset = np.array([0.0, self._pelvis_height - core[1], 0.0])
                pelvis = self._smoothed(self._pelvis, core, TRUNK_NOISE, dt)
                found["pelvis"] = pelvis + self._pelvis_offset, 0.5
        if self._feet:
            ankles = find_ankles(self.person.cameras, [person.mask for person in people])
            for name, ankle in zip(ANKLES, ankles, strict=True):
                if np.isfinite(ankle).all():
                    found[name] = np.array([ankle[0], self._ankle_height, ankle[2]]), 0.5

    def _smoothed(self, smoother: Smoother, seen: Floats, noise: float, dt: float) -> Floats:
        return smoother.add(seen, position_covariance(self.person.cameras, seen, noise), dt)

    def _without_arms(self, people: Sequence[Silhouette], trunk: Floats) -> Floats:
        """Return the middle of the silhouettes without arms, which would displace it (3,) [m]."""
        centres = []
        for person, camera in zip(people, self.person.cameras, strict=True):
            rows, columns = person.box
            thick = ARM_WIDTH * self.person.stature
            width = thick * camera.matrix[0, 0] / camera.depth(trunk)
            core = without_arms(person.mask[person.box], float(width))
            centres.append(silhouette_centre(core) + np.array([columns.start, rows.start]))
        return np.asarray(triangulate(self.person.cameras, np.array(centres)[:, None])[0])

    def add_joints(
        self,
        tracks: Tracks,
        people: Sequence[Silhouette],
        elbows: Elbows | None,
        dt: float,
        found: Found,
    ) -> None:
        """Add the head joint and the wrists to what is found: face, hands and trunk.

        `elbows` are positions from inverse kinematics; None: unknown.
        """
        cameras = self.person.cameras
        if "face" in found:
            # The head joint is a little below and behind the middle of what is seen.
            face, sure = found["face"]
            up = UP
            if "trunk" in found:
                away = face - found["trunk"][0]
                up = away / np.linalg.norm(away)
            below, behind = self.person.stature * FACE_OFFSET[1:]
            forward = np.cross(leftwards(face, cameras), UP)
            head = face - below * up - behind * forward
            found["head"] = head, sure
            self._shoulders = self._guess_shoulders(head)
        masks = [person.mask for person in people]
        known = np.full((2, 3), np.nan) if elbows is None else np.asarray(elbows, np.float64)
        for side, name in enumerate(("l_wrist", "r_wrist")):
            track = tracks[1 + side]
            if track is None:
                self._wrists[side].state = None
            if track is None or track.confidence == 0.0:
                continue
            if self._wrist == "outlines":
                hand = SeenHand(track.seen, track.ellipses, self._shoulders[side], known[side])
                if track.alone:
                    usual = self._guess_elbow(side, track.seen)
                    self._hand.add(cameras, hand, usual, self._arm)
                position, noise, trust = self._by_outlines(hand, masks)
            else:
                position, noise, trust = self._by_elbow(track, side, known[side])
            if np.isfinite(position).all():
                smooth = self._wrists[side].add(position, noise, dt)
                found[name] = smooth, track.confidence * trust

    def _by_outlines(self, hand: SeenHand, masks: Sequence[Mask]) -> tuple[Floats, Floats, float]:
        """Return a wrist (3,) [m] by the hand's outlines, its covariance, and trust in it."""
        cameras = self.person.cameras
        half = self._hand.scale * self._arm.half_hand
        mean, spread = hand_direction(cameras, hand, masks, self._arm._replace(half_hand=half))
        seen = position_covariance(cameras, hand.middle, WRIST_NOISE)
        off = half * float(np.sqrt(np.trace(spread)))
        return hand.middle + half * mean, seen + half**2 * spread, min(1.0, SURE_WRIST / off)

    def _by_elbow(self, track: Track, side: int, elbow: Floats) -> tuple[Floats, Floats, float]:
        """Return a wrist (3,) [m] by its elbow, its covariance, and trust in it; NaN if unknown."""
        cameras, hand, half = self.person.cameras, track.seen, self._arm.half_hand
        if not np.isfinite(elbow).all():
            elbow = self._guess_elbow(side, hand)
        if not np.isfinite(elbow).all():
            return elbow, np.eye(3), 0.0
        if self._wrist == "length":
            position, trust = towards(hand, elbow, half), 1.0
        else:
            position, trust = find_wrist(cameras, track.ellipses, hand, elbow, half)
        noise = WRIST_NOISE / max(trust, 0.2)
        return position, position_covariance(cameras, position, noise), trust

    def _guess_shoulders(self, head: Floats) -> Floats:
        """Return where shoulders (2, 3) [m] are if the trunk is upright and faces the cameras."""
        left = leftwards(head, self.person.cameras)
        aside, up, ahead = self._shoulder
        level = head + up * UP + ahead * np.cross(left, UP)
        return np.stack([level + sign * aside * left for sign in (1.0, -1.0)])

    def _guess_elbow(self, side: int, hand: Floats) -> Floats:
        """Guess an elbow (3,) that hangs below the line from where its shoulder should be."""
        shoulder, (upper, fore, half) = self._shoulders[side], self._arm
        if not np.isfinite(shoulder).all():
            return np.full(3, np.nan)
        forward = np.cross(leftwards(shoulder, self.person.cameras), UP)
        down = (-UP - 0.2 * forward) / 1.0198
        one = guess_elbows(shoulder[None], hand[None], (upper, fore + half), down)
        return np.asarray(one[0])


def find_wrist(
    cameras: Sequence[Camera],
    ellipses: Sequence[Ellipse],
    hand: Floats,
    elbow: Floats,
    half: float,
) -> tuple[Floats, float]:
    """Return the position of a wrist (3,) [m] and its confidence.

    The confidence is 1 where both lines cut the outline, 0.5 where one passes by it, and 0.2 where
    only the elbow's direction is known.

    Args:
        cameras: the two views.
        ellipses: outline of the hand in each.
        hand: middle of the hand [m], shape (3,).
        elbow: known or guessed position of the elbow [m], shape (3,).
        half: distance from the wrist to the middle of the hand, where the pictures do not tell [m].
    """
    cuts, sure = [], 1.0
    for camera, ellipse in zip(cameras, ellipses, strict=True):
        line = camera.project(np.stack([elbow, hand]))
        if not np.isfinite(line).all() or ellipse.reach(line[0]) < LEAST_REACH:
            return towards(hand, elbow, half), 0.2
        # Through the ellipse's own middle: the smoothed hand lags behind it.
        cut, meets = ellipse.crossing(line[0], line[1] + (np.array(ellipse.centre) - line[1]))
        cuts.append(cut)
        sure = sure if meets else 0.5
    pixels = np.array(cuts)[:, None]
    position = triangulate(cameras, pixels)
    miss = float(reprojection_errors(cameras, pixels, position).max())
    away = float(np.linalg.norm(position[0] - hand))
    if not (miss <= LARGEST_CUT_ERROR and away <= WRIST_REACH):
        return towards(hand, elbow, half), 0.2
    return position[0], sure


def towards(hand: Floats, elbow: Floats, half: float) -> Floats:
    """Return the position `half` metres from a hand towards its elbow (3,)."""
    way = elbow - hand
    length = float(np.linalg.norm(way))
    return hand if length < 1e-9 else np.asarray(hand + way * (half / length))


def guess_elbows(
    shoulders: Floats, hands: Floats, lengths: tuple[float, float], down: Floats
) -> Floats:
    """Return elbows (N, 3) [m] that hang in a direction (3,) below the line from shoulder to hand.

    `lengths` are that of the upper arm, and that from the elbow to the middle of the hand [m].
    """
    upper, lower = lengths
    out = np.empty((len(shoulders), 3))
    for side, (shoulder, way) in enumerate(zip(shoulders, hands - shoulders, strict=True)):
        d = float(np.linalg.norm(way))
        if d < 1e-9:
            out[side] = shoulder + upper * down
            continue
        n = way / d
        d = float(np.clip(d, abs(upper - lower) + 1e-9, upper + lower - 1e-9))
        along = (upper**2 + d**2 - lower**2) / (2.0 * d)
        aside = down - (down @ n) * n
        length = float(np.linalg.norm(aside))
        aside = aside / length if length > 1e-6 else np.zeros(3)
        out[side] = shoulder + along * n + np.sqrt(max(upper**2 - along**2, 0.0)) * aside
    return out


def leg_columns(mask: Mask) -> list[Floats]:
    """Return middles (u, v) of the legs at the height of the shanks, from left to right."""
    rows = np.flatnonzero(mask.any(axis=1))
    if len(rows) < 20 or rows[-1] >= mask.shape[0] - 1:
        return []  # nobody, or feet cut off by the edge of the picture
    top, bottom = int(rows[0]), int(rows[-1])
    low, high = (top + round(part * (bottom - top)) for part in SHANK_BAND)
    band = mask[low:high] > 0
    if not band.size:
        return []
    filled = (band.mean(axis=0) > 0.5).astype(np.int8)
    edges = np.flatnonzero(np.diff(filled, prepend=0, append=0))
    legs = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        if last - first >= LEAST_LEG_WIDTH:
            v, u = np.nonzero(band[:, first:last])
            legs.append(np.array([u.mean() + first, v.mean() + low]))
    return legs


def find_ankles(cameras: Sequence[Camera], masks: Sequence[Mask]) -> Floats:
    """Return points on the left and right shank above the ankle (2, 3) [m]; NaN if not two legs."""
    legs = [leg_columns(mask) for mask in masks]
    if all(len(found) == 2 for found in legs):
        pixels = np.array(legs)
        positions = triangulate(cameras, pixels)
        if (reprojection_errors(cameras, pixels, positions) <= LARGEST_LEG_ERROR).all():
            # A person who faces the cameras has the left leg at the right of the picture.
            return positions[::-1]
    return np.full((2, 3), np.nan)
