"""Fit a subject to tracked points: bone lengths, mounts of trackers, height of the floor.

Frames spread over the recording, and the stance if there is one, are explained together by
`sixpoint.subjects.adjust`. A stance shows how trackers are turned on their bones; where they sit
follows from the stance up to a shift of the whole body, which free motion decides as far as it can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..body.anthropometry import LENGTHS
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Bools, Floats, Ints
from ..motion.motion import as_floats
from ..motion.points import Points
from .adjust import Fit, Model, PosePrior, Poses, Seen, Shared, adjust
from .checks import PAIRS, check_points, check_sides, known_rotations, with_rotations
from .lengths import LengthPrior, length_prior, length_shapes
from .parts import PARAMETERS, Parts
from .sole import Soles, find_soles
from .stance import Held, find_stance, mean_rotation
from .subject import Mount, Subject
from .usual_poses import stance_prior, stance_rotations, usual_poses

FRAMES = 60
"""Frames of a recording that are explained. More take longer and add little: poses that are near
in time are alike."""
MOUNT_EVIDENCE, LENGTH_EVIDENCE = 1.2, 0.3
"""For how many independent poses a recording counts, where mounts are free and where they are not.
Tuned on training people: the habits of one person in half a minute are far from independent draws,
and lengths would grow until poses are more usual."""
PLACE_NOISE, TURN_NOISE = 0.012, np.radians(2.0)
"""How well a body of few joints explains trackers [m], [rad]."""
ROUGH_PLACE, ROUGH_TURN = 0.06, np.radians(20.0)
"""The same while mounts are not yet known."""
MOUNT_SPREAD = 0.08
"""Standard deviation of the place of a tracker about its joint, along each axis [m]."""
MIRRORED_MOUNTS = 0.75
"""Correlation of the mounts of left and right, mirrored: people wear trackers alike on both."""
CENTRED = 0.5
"""Part of `MOUNT_SPREAD` by which trackers of pelvis and head lie off the middle."""
FAR_TURN = np.radians(20.0)
"""Rotations farther than this from their mean count less when alignments are estimated [rad]."""
ALIGNED_PLACE = 0.025
"""Points whose misfit as joints is below this, in the median, are joints [m]."""
ALIGNED_TURNS: Mapping[str, float] = {"wrist": np.radians(80.0), "ankle": np.radians(40.0)}
"""Joint -> angle to where positions alone would turn it, below which a tracker is turned as its
bone, in the median; positions say little of the twist of hands [rad]."""
ALIGNED_TURN = np.radians(30.0)
"""The same for other joints [rad]."""
ROTATED_SHARE = 0.5
"""Part of the frames that must have a rotation for a tracker to be one that knows it."""
LINES = (("hip", 4.0), ("shoulder", 3.0), ("knee", 1.5), ("ankle", 1.0), ("elbow", 0.7),
         ("wrist", 0.5))  # fmt: skip
"""Joints whose line from right to left tells where the body faces, and how much it counts."""
DEFINITION = 0.02
"""How far people who place joints differ from each other, as a part of the length; no fit is more
certain than that."""
UP = np.array([0.0, 1.0, 0.0])


def fit_subject(
    points: Points,
    *,
    pose: str | None = "auto",
    at: tuple[float, float] | None = None,
    height: float | None = None,
    skeleton: Skeleton | None = None,
) -> Subject:
    """Return the person that was tracked: bone lengths, mounts of trackers, height of the floor.

    Trackers with rotations may sit anywhere on their bones and be turned in any way. Without a
    stance, points whose rotations are those of bones are taken for joints, and so are points
    without rotations.

    Args:
        points: trackers named by roles, in metres, Y up.
        pose: the stance that somebody holds, "t", "a" or "n"; "auto" to recognise it; None to use
            free motion alone. See `sixpoint.subjects.stance.STANCES`.
        at: when the stance begins and ends [s]; None to search for it.
        height: stature [m], if it is known.
        skeleton: the body, if it is known; with `height` it is scaled to that stature. Default:
            the built-in figure, with lengths that fit.

    Raises:
        InputError: the points do not allow it; names the likely mistake.
        UnknownName: there is no such pose.
    """
    points = with_rotations(check_points(points))
    if height is not None and not 0.3 < height < 3.0:
        raise InputError(f"Expected `height` in metres, between 0.3 and 3, got {height}.")
    if skeleton is not None:  # clavicles are optional
        points = points.select([name for name in points.names if skeleton.anatomy.has(name)])
    held = find_stance(points, pose, at)
    if held is not None:
        still = replace(points, positions=held.positions[None], rotations=held.rotations[None])
        check_sides(replace(still, confidence=None), PAIRS)
    if skeleton is not None and height is not None:
        skeleton = scaled(skeleton, height / skeleton.anatomy.stature)
    work = _Work.of(points, held, height, skeleton)
    if held is None:
        fit = work.fit_joints()
        mounted = bool(work.turns_known.any()) and not work.are_joints(fit)
        if mounted:
            fit = work.fit_free()
    else:
        mounted = True
        fit = work.fit_stance()
    return work.subject(fit, mounted)


def scaled(skeleton: Skeleton, factor: float) -> Skeleton:
    """Return a skeleton with all bones longer by a factor."""
    return replace(
        skeleton, offsets=skeleton.offsets * factor, site_offsets=skeleton.site_offsets * factor
    )


@dataclass(frozen=True, eq=False)
class _Work:
    """A fit in progress: frames, trackers, body, and what is known before."""

    points: Points
    """Frames that are explained, the stance first if there is one."""
    recording: Points
    held: Held | None
    skeleton: Skeleton | None
    lengths: LengthPrior
    parts: Parts
    shapes: Floats
    soles: Soles
    turns_known: Bools
    """Whether each tracker knows its rotation, shape (N,)."""

    @classmethod
    def of(
        cls, points: Points, held: Held | None, height: float | None, skeleton: Skeleton | None
    ) -> _Work:
        """Choose frames and make the body."""
        usual = usual_poses().usual
        known = np.isfinite(known_rotations(points)).all(axis=-1) & points.seen
        turns_known = known.sum(axis=0) > ROTATED_SHARE * np.maximum(points.seen.sum(axis=0), 1)
        joints = held is None and not turns_known.any()
        lengths = length_prior(points, height, joints)
        body = Skeleton.humanoid(lengths=lengths.expected) if skeleton is None else skeleton
        parts = Parts.of(body, usual)
        shapes = np.zeros((0, *parts.offsets.shape))
        if skeleton is None:
            shapes = length_shapes(lengths.expected, usual)
        frames = _spread_frames(points)
        chosen = points.frames(frames)
        soles = find_soles(points, frames, body.anatomy.stature)
        if held is not None:
            still = Points(points.names, held.positions[None], points.rate, held.rotations[None])
            chosen = Points(
                points.names,
                np.concatenate([still.positions, chosen.positions]),
                points.rate,
                np.concatenate([held.rotations[None], known_rotations(chosen)]),
            )
            soles = soles.with_stance()
        return cls(chosen, points, held, skeleton, lengths, parts, shapes, soles, turns_known)

    @property
    def rotations(self) -> Floats:
        """World rotations of the trackers, shape (F, N, 4)."""
        return known_rotations(self.points)

    @property
    def count(self) -> int:
        """Number of trackers."""
        return len(self.points.names)

    def model(self, *, free: bool) -> Model:
        """Return what is adjusted; mounts are free or those of joints."""
        count, extra = self.count, len(self.soles.roles)
        worn = self.turns_known if self.held is None else np.ones(count, bool)
        offset_free = np.concatenate([worn * float(free), np.zeros(extra)])
        sizes = len(self.shapes)
        return Model(
            self.parts,
            self.shapes,
            np.zeros_like(self.parts.offsets) if sizes else self.parts.offsets,
            self.lengths.precision if sizes else np.zeros((0, 0)),
            as_floats(np.linalg.inv(usual_poses().between)),
            _mount_precision(self.points.names, count + extra),
            offset_free,
            np.concatenate([self.turns_known * float(free), np.zeros(extra)]),
        )

    def seen(
        self, place: float, turn: float, *, rotations: bool = True, free: bool = False
    ) -> Seen:
        """Return the frames with so much noise; without rotations if they are not yet aligned."""
        frames, count = self.points.positions.shape[:2]
        extra = len(self.soles.roles)
        turned = self.rotations if rotations else np.full((frames, count, 4), np.nan)
        priors: list[PosePrior] = [usual_poses().prior()]
        kind = np.zeros(frames, np.int64)
        weight = np.full(frames, (MOUNT_EVIDENCE if free else LENGTH_EVIDENCE) / frames)
        if self.held is not None:
            priors.append(stance_prior(self.parts, self.held.stance))
            kind[0], weight[0] = 1, 1.0
        return Seen(
            np.array([self.parts.roles[role] for role in (*self.points.names, *self.soles.roles)]),
            np.concatenate([self.points.positions, self.soles.positions], axis=1),
            np.concatenate([turned, np.full((frames, extra, 4), np.nan)], axis=1),
            np.concatenate(
                [np.full((frames, count), place), np.full((frames, extra), self.soles.noise)],
                axis=1,
            ),
            np.full((frames, count + extra), turn),
            tuple(priors),
            kind,
            weight,
        )

    def shared(self, alignments: Floats) -> Shared:
        """Return mounts without offsets that turn trackers so."""
        extra = len(self.soles.roles)
        return Shared(
            np.concatenate([np.zeros((self.count, 3)), self.soles.offsets]),
            np.concatenate([alignments, arrays.identity(extra)]),
            np.zeros(len(self.shapes)),
            np.zeros(PARAMETERS + 2),
        )

    def begin(self, turn: Floats) -> Poses:
        """Return usual poses at the place of the pelvis, turned so."""
        poses = np.tile(usual_poses().mean[:PARAMETERS], (len(turn), 1))
        if self.held is not None:
            still = stance_rotations(self.parts, self.held.stance)
            poses[0] = self.parts.parameters(still)
        names = self.points.names
        roots = np.full((len(turn), 3), np.nan)
        if "pelvis" in names:
            roots = self.points.positions[:, names.index("pelvis")].copy()
        if "head" in names:
            below = self.parts.place(np.zeros((len(turn), 3)), turn, poses)
            head = self.points.positions[:, names.index("head")]
            guess = head - below.positions[:, self.parts.roles["head"]]
            roots = np.where(np.isnan(roots), guess, roots)
        return Poses(roots, turn, poses)

    def fit_joints(self) -> Fit:
        """Explain the points as joints, with rotations as those of bones."""
        model = self.model(free=False)
        start = self.begin(_headings(self.points))
        known = self.shared(arrays.identity(self.count))
        rough = adjust(model, self.seen(ROUGH_PLACE, TURN_NOISE, rotations=False), start, known)
        if self.turns_known.any() and not self.are_turned(rough):
            return rough
        return adjust(model, self.seen(PLACE_NOISE, TURN_NOISE), rough.poses, rough.shared)

    def are_joints(self, fit: Fit) -> bool:
        """Return whether the points are joints, by how well a body explains them."""
        misfit = fit.misfit[:, : self.count][:, self.turns_known]
        return self.are_turned(fit) and bool(np.median(misfit) < ALIGNED_PLACE)

    def are_turned(self, fit: Fit) -> bool:
        """Return whether trackers are turned as bones, as far as positions tell."""
        places = self.parts.place(fit.poses.root, fit.poses.turn, fit.poses.pose)
        for k in np.flatnonzero(self.turns_known):
            name = self.points.names[k]
            angle = arrays.angle_between(
                places.rotations[:, self.parts.roles[name]], self.rotations[:, k]
            )
            if np.nanmedian(angle) > ALIGNED_TURNS.get(name[2:], ALIGNED_TURN):
                return False
        return True

    def fit_free(self) -> Fit:
        """Find mounts from free motion alone: the alignments first, roughly, then everything."""
        fixed, model = self.model(free=False), self.model(free=True)
        start = self.begin(_headings(self.points))
        known = self.shared(arrays.identity(self.count))
        rough = adjust(fixed, self.seen(ROUGH_PLACE, TURN_NOISE, rotations=False), start, known)
        alignments = self.alignments(rough)
        begun = self.begin(self.turns(alignments, _headings(self.points)))
        shared = replace(self.shared(alignments), sizes=rough.shared.sizes)
        middle = adjust(model, self.seen(0.5 * ROUGH_PLACE, ROUGH_TURN, free=True), begun, shared)
        return adjust(
            model, self.seen(PLACE_NOISE, TURN_NOISE, free=True), middle.poses, middle.shared
        )

    def fit_stance(self) -> Fit:
        """Find mounts from the stance, and from free motion what it leaves open."""
        assert self.held is not None
        heading = _headings(self.points)
        stance = stance_rotations(self.parts, self.held.stance)
        bones = stance[[self.parts.roles[name] for name in self.points.names]]
        world = arrays.multiply(heading[0], bones)
        alignments = arrays.multiply(arrays.conjugate(world), self.held.rotations)
        alignments = np.where(np.isnan(alignments), arrays.identity(), alignments)
        begun = self.begin(self.turns(alignments, heading))
        model = self.model(free=True)
        return adjust(
            model, self.seen(PLACE_NOISE, TURN_NOISE, free=True), begun, self.shared(alignments)
        )

    def alignments(self, fit: Fit) -> Floats:
        """Return how trackers are turned relative to the bones of a fit, shape (N, 4)."""
        places = self.parts.place(fit.poses.root, fit.poses.turn, fit.poses.pose)
        out = arrays.identity(self.count)
        for k in np.flatnonzero(self.turns_known):
            bones = places.rotations[:, self.parts.roles[self.points.names[k]]]
            turned = self.rotations[:, k]
            relative = arrays.multiply(arrays.conjugate(bones), turned)
            out[k] = _robust_mean(relative[np.isfinite(relative).all(axis=-1)])
        return out

    def turns(self, alignments: Floats, guess: Floats) -> Floats:
        """Return the rotation of the pelvis in each frame: by its tracker, else as guessed."""
        names = self.points.names
        if "pelvis" not in names or not self.turns_known[k := names.index("pelvis")]:
            return guess
        turned = arrays.multiply(self.rotations[:, k], arrays.conjugate(alignments[k]))
        return np.where(np.isnan(turned), guess, turned)

    def subject(self, fit: Fit, mounted: bool) -> Subject:
        """Return what was found."""
        shared, count = fit.shared, self.count
        mounts = {}
        if mounted:
            for k, name in enumerate(self.points.names):
                if self.turns_known[k] or self.held is not None:
                    alignment = arrays.canonical(arrays.conjugate(shared.mounts[k]))
                    mounts[name] = Mount(name, shared.offsets[k], alignment)
        body, deviations = self.skeleton, {}
        if body is None:
            expected = self.lengths.expected
            values = {
                n: v * np.exp(s) for (n, v), s in zip(expected.items(), shared.sizes, strict=True)
            }
            extra = len(self.soles.roles)
            first = 6 * (count + extra)
            variance = np.diag(fit.covariance)[first : first + len(LENGTHS)]
            parts = np.sqrt(variance + DEFINITION**2)
            deviations = {n: float(values[n] * p) for n, p in zip(LENGTHS, parts, strict=True)}
            body = Skeleton.humanoid(lengths=values)
        return Subject(body, mounts, self.soles.floor, deviations, self.remarks(fit, mounted))

    def remarks(self, fit: Fit, mounted: bool) -> tuple[str, ...]:
        """Return how this was found."""
        points, held = self.recording, self.held
        notes = [f"fitted to {len(points.names)} points over {len(points) / points.rate:.1f} s"]
        if held is not None:
            facing = arrays.rotate(fit.poses.turn[0], np.array([0.0, 0.0, 1.0]))
            angle = np.degrees(np.arctan2(facing[0], facing[2]))
            notes.append(
                f"{held.stance.upper()}-pose from {held.start / points.rate:.2f} to "
                f"{held.end / points.rate:.2f} s, facing {angle:.0f} degrees from +Z towards +X"
            )
        elif mounted:
            notes.append("mounts from free motion alone: a stance of two seconds is more precise")
        else:
            notes.append("the points are taken for joints")
        if self.skeleton is None and self.lengths.measured:
            notes.append(f"measured directly: {', '.join(self.lengths.measured)}")
        return tuple(notes)


def _spread_frames(points: Points) -> Ints:
    """Return numbers of frames, evenly spread over those in which the body was seen."""
    core = [k for k, name in enumerate(points.names) if name in ("pelvis", "head")]
    usable = np.flatnonzero(points.seen[:-1, core].any(axis=1))
    if not len(usable):
        raise InputError("Neither pelvis nor head was seen in any frame.")
    picked = np.linspace(0, len(usable) - 1, min(FRAMES, len(usable))).round().astype(int)
    frames: Ints = usable[np.unique(picked)]
    return frames


def _headings(points: Points) -> Floats:
    """Return rotations about the vertical towards where the body faces, by its width, (F, 4)."""
    at = {name: points.positions[:, k] for k, name in enumerate(points.names)}
    left = np.zeros((len(points), 3))
    for joint, weight in LINES:
        if f"l_{joint}" in at and f"r_{joint}" in at:
            left += weight * np.nan_to_num(at[f"l_{joint}"] - at[f"r_{joint}"])
    return arrays.from_axis_angle(UP, np.arctan2(-left[:, 2], left[:, 0]))


def _robust_mean(rotations: Floats) -> Floats:
    """Return the mean of rotations (F, 4) in which those far from it count less."""
    weights = np.ones(len(rotations))
    for _ in range(20):
        mean = mean_rotation(rotations, weights)
        angle = arrays.angle_between(mean, rotations)
        weights = 1.0 / (1.0 + (angle / FAR_TURN) ** 2)
    return mean


def _mount_precision(names: tuple[str, ...], count: int) -> Floats:
    """Return the inverse covariance of offsets: small, and alike on both sides."""
    covariance = np.eye(3 * count) * MOUNT_SPREAD**2
    for k, name in enumerate(names):
        if name in ("pelvis", "head"):
            covariance[3 * k, 3 * k] *= CENTRED**2
        other = f"r_{name[2:]}"
        if name.startswith("l_") and other in names:
            j = names.index(other)
            for axis, sign in enumerate((-1.0, 1.0, 1.0)):
                shared = sign * MIRRORED_MOUNTS * MOUNT_SPREAD**2
                covariance[3 * k + axis, 3 * j + axis] = shared
                covariance[3 * j + axis, 3 * k + axis] = shared
    return as_floats(np.linalg.inv(covariance))
