"""Motion: the poses of a body over time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ..body.plot import figure_html, stick_figures
from ..body.skeleton import Skeleton
from ..body.values import Value, frozen_array
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from .mirror import mirror_motion
from .points import SIX, Points
from .pose import STRIPE as STRIPE
from .pose import Pose, stripes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SNAP = 1e-6
"""Fraction of a frame: times nearer than this to an input frame take that frame."""


@dataclass(frozen=True)
class Source:
    """How a motion stood in its file, so that a writer can give it back in the same shape."""

    format: str = ""
    """Name of the format, as in `sixpoint.formats.FORMATS`; empty for motion made in memory."""
    path: str | None = None
    unit: float = 1.0
    """Metres per file unit."""
    axes: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """Rotation that took the file's axes to ours (Y up)."""
    channels: tuple[tuple[str, ...], ...] | None = None
    """BVH: channel names of each joint, in file order."""
    notes: tuple[str, ...] = ()
    """What a user should know about the file: guesses made, defects found."""


@dataclass(frozen=True, eq=False)
class Motion(Value):
    """Frames of one skeleton, as arrays. Immutable."""

    skeleton: Skeleton
    root: Floats
    """World position of the root joint [m], shape (F, 3)."""
    rotations: Floats
    """Local rotations, unit quaternions (w, x, y, z), shape (F, J, 4)."""
    rate: float
    """Frames a second [Hz]."""
    translations: Floats | None = None
    """Local translations that replace the skeleton's offsets [m], shape (F, J, 3); row 0 is `root`.

    Only for rigs whose joints slide (a pelvis below a fixed root, soft limbs)."""
    source: Source = field(default_factory=Source, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "root", frozen_array(self.root))
        put(self, "rotations", frozen_array(self.rotations))
        if self.translations is not None:
            put(self, "translations", frozen_array(self.translations))
        put(self, "rate", float(self.rate))
        frames, joints = len(self.root), self.skeleton.joint_count
        for name, shape in (
            ("root", (frames, 3)),
            ("rotations", (frames, joints, 4)),
            ("translations", (frames, joints, 3)),
        ):
            array = getattr(self, name)
            if array is None:
                continue
            if array.shape != shape:
                raise InputError(f"Expected `{name}` to have shape {shape}, got {array.shape}.")
            if not np.isfinite(array).all():
                raise InputError(f"Expected finite `{name}`, got NaN or infinity.")
        if not (np.isfinite(self.rate) and self.rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {self.rate}.")
        norms = np.linalg.norm(self.rotations, axis=-1)
        if norms.size and np.abs(norms - 1.0).max() > 1e-6:
            raise InputError("Expected unit quaternions in `rotations`.")

    def __len__(self) -> int:
        return len(self.root)

    def __iter__(self) -> Iterator[Pose]:
        return (self[f] for f in range(len(self)))

    def __getitem__(self, frame: int) -> Pose:
        moves = None if self.translations is None else self.translations[frame]
        return Pose(self.skeleton, self.root[frame], self.rotations[frame], moves)

    def __repr__(self) -> str:
        name = "" if self.source.path is None else f", {os.path.basename(self.source.path)!r}"
        return (
            f"Motion({len(self)} frames at {self.rate:g} Hz, "
            f"{self.skeleton.joint_count} joints{name})"
        )

    def _repr_html_(self) -> str | None:
        return figure_html(self.plot, repr(self))

    def plot(self, count: int = 5) -> Figure:
        """Return a matplotlib figure with `count` stick figures, evenly spaced in time.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        frames = np.linspace(0, len(self) - 1, min(count, len(self))).round().astype(int)
        titles = [f"{frame / self.rate:.2f} s" for frame in frames]
        return stick_figures(self.skeleton, self.frames(frames).positions(), titles)

    @property
    def duration(self) -> float:
        """Length [s]."""
        return len(self) / self.rate

    @property
    def times(self) -> Floats:
        """Time of each frame [s], shape (F,)."""
        return np.arange(len(self)) / self.rate

    def frames(self, which: slice | Sequence[int] | Any) -> Motion:
        """Some of the frames, in the order given; the rate is kept."""
        return replace(
            self,
            root=self.root[which],
            rotations=self.rotations[which],
            translations=None if self.translations is None else self.translations[which],
        )

    def world(self, frames: slice = slice(None)) -> tuple[Floats, Floats]:
        """World positions of all nodes (F, J+S, 3) [m] and rotations of all joints (F, J, 4)."""
        rotations = self.rotations[frames]
        if self.translations is None:
            moves = np.broadcast_to(self.skeleton.offsets, (*rotations.shape[:2], 3)).copy()
        else:
            moves = self.translations[frames].copy()
        moves[:, 0] = self.root[frames]
        positions, world = arrays.forward(self.skeleton.parents, moves, rotations)
        return self.skeleton.node_positions(positions, world), world

    def positions(self, nodes: Sequence[int] | None = None) -> Floats:
        """World positions of all or some nodes [m], shape (F, n, 3)."""
        chosen: Any = slice(None) if nodes is None else list(nodes)
        if len(self) == 0:
            return self.world()[0][:, chosen]
        pieces = [self.world(stripe)[0][:, chosen] for stripe in stripes(len(self))]
        return np.concatenate(pieces)

    def points(self, roles: Sequence[str] | None = None, *, rotations: bool = False) -> Points:
        """What a tracker would see: positions of some roles, by default the six.

        Args:
            roles: names from `sixpoint.body.roles.ROLES`; default pelvis, head, wrists, ankles.
            rotations: also give the world rotation of each, relative to the neutral stance.
        """
        names = tuple(SIX if roles is None else roles)
        anatomy = self.skeleton.anatomy
        nodes = [anatomy.node(role) for role in names]
        turned = None
        if rotations:
            joints = [self.skeleton.carrier(node) for node in nodes]
            neutral = arrays.conjugate(anatomy.neutral[joints])
            turned = arrays.multiply(self.world()[1][:, joints], neutral)
        return Points(names, self.positions(nodes), self.rate, turned)

    def resampled(self, rate: float) -> Motion:
        """The same movement at another rate [Hz]: slerped rotations, linear positions.

        Frame k of the result is the movement at time k / rate; none lies beyond the last frame of
        the input, and those at the time of an input frame are equal to it to the bit. Frames are
        picked, not averaged: there is no smoothing.
        """
        if rate == self.rate:
            return self
        below, part = _sample_times(len(self), self.rate, rate)
        rotations = np.empty((len(below), *self.rotations.shape[1:]))
        for stripe in stripes(len(below)):
            rotations[stripe] = slerp_frames(self.rotations, below[stripe], part[stripe])
        moves = self.translations
        return replace(
            self,
            root=_lerp_frames(self.root, below, part),
            rotations=rotations,
            translations=None if moves is None else _lerp_frames(moves, below, part),
            rate=rate,
        )

    def mirrored(self) -> Motion:
        """Left and right exchanged, on the same skeleton."""
        return mirror_motion(self)


def _sample_times(frames: int, old: float, new: float) -> tuple[Ints, Floats]:
    """The old frame at or before each new frame, and the share of the way to the next, [0, 1)."""
    if not (np.isfinite(new) and new > 0.0):
        raise InputError(f"Expected a positive `rate` in Hz, got {new}.")
    if frames == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    count = int(np.floor((frames - 1) * new / old + SNAP)) + 1
    at = np.arange(count) * (old / new)
    whole = np.round(at)
    at = np.where(np.abs(at - whole) < SNAP, whole, at)
    below = np.minimum(np.floor(at).astype(np.int64), frames - 1)
    return below, at - below


def _lerp_frames(values: Floats, below: Ints, part: Floats) -> Floats:
    """Values (F, ...) between the frames `below` and the next ones; frames to the bit."""
    out = values[below]
    between = part > 0.0
    start = out[between]
    weight = part[between].reshape(-1, *[1] * (values.ndim - 1))
    out[between] = start + weight * (values[below[between] + 1] - start)
    return out


def slerp_frames(rotations: Floats, below: Ints, part: Floats) -> Floats:
    """Rotations (F, J, 4) between the frames `below` and the next ones; frames to the bit."""
    out = rotations[below]
    between = part > 0.0
    after = rotations[below[between] + 1]
    out[between] = arrays.slerp(out[between], after, part[between][:, None])
    return out


def as_floats(values: ArrayLike) -> Floats:
    """C-contiguous float64, the one layout that kernels are compiled for."""
    return cast("Floats", np.ascontiguousarray(values, dtype=np.float64))
