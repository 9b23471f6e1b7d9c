"""LimitEstimator: joint types and limits from motion, all at once or while it arrives.

The samples that came so far are all that counts, not the pieces they came in. With `rate=None`,
which takes every frame as it is, a recording that is still running and the same recording from a
file give the same limits to the bit.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...body.skeleton import Skeleton
from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Bools, Floats, Ints
from ...motion.motion import Motion, slerp_frames
from .classify import FIXED, Moments, Noise, TypeRules, classify
from .estimate import Estimate, Repair, examine_bind
from .fit import fit_ranges, joint_roles, own_joints, swing_frames, usual_axes

RATE = 50.0
"""Samples a second: the paper's 100 for a motion of about 2 s [Hz]."""
LEAST_SAMPLES = 100
"""Samples of a clip that is shorter than that."""
LEAST_KEYS = 4
"""Frames that a clip must have: fewer cannot be interpolated."""
MOST_SAMPLES = 10_000
"""Samples of a clip at most, or 20 for each of its frames: more add nothing."""
IN_MEMORY = 8_000_000
"""Bytes that stay in memory."""
BLOCK = 1024
"""Samples that are read at a time; whatever pieces they came in, sums run over the same blocks."""


class SampleBuffer:
    """Samples of J joints in the order in which they came, with marks where time jumps.

    Estimation goes over them more than once: the frames in which angles are measured depend on all
    of them. What exceeds a few megabytes lies in a temporary file, so memory does not grow with the
    number of clips.
    """

    def __init__(self, joints: int) -> None:
        self._joints = joints
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._starts: list[int] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, samples: Floats, jump: bool) -> None:
        """Append samples (n, J, 4); `jump`: they do not follow on those before."""
        if jump:
            self._starts.append(self._count)
        self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(samples, dtype=np.float64).tobytes())
        self._count += len(samples)

    def blocks(self) -> Iterator[tuple[Floats, Bools]]:
        """All samples in blocks (n, J, 4), and which of them follow on a jump (n,)."""
        starts = np.zeros(self._count, bool)
        starts[[k for k in self._starts if k < self._count]] = True
        self._file.seek(0)
        for first in range(0, self._count, BLOCK):
            rows = min(BLOCK, self._count - first)
            data = self._file.read(rows * self._joints * 32)
            yield np.frombuffer(data).reshape(rows, self._joints, 4), starts[first : first + rows]

    def sample(self, index: int) -> Floats:
        """One sample, shape (J, 4)."""
        self._file.seek(index * self._joints * 32)
        return np.frombuffer(self._file.read(self._joints * 32)).reshape(self._joints, 4).copy()


class LimitEstimator:
    """Collects motion of one rig, and estimates the types and limits of its joints.

    The root of a person, and the pelvis, are left out: they rotate in the world, not in a joint.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        *,
        rules: TypeRules | None = None,
        rate: float | None = RATE,
        margin: float = 0.0,
        quantile: float = 1.0,
        repair: Repair | None = None,
    ) -> None:
        """Prepare for a rig.

        Args:
            skeleton: the rig. Other clips may have other bone lengths, but not other joints.
            rules: when a joint is fixed or a hinge.
            rate: samples a second that motions are resampled to, 100 of each at least [Hz]; at
                that of a motion its frames are taken as they are. None: every frame of each.
            margin: added to both ends of every interval [rad]; fixed joints have none.
            quantile: part of the samples of each direction that a swing boundary holds.
            repair: what takes the place of an infeasible bind pose.
        """
        if not 0.0 <= margin <= np.pi:
            raise InputError(
                f"Expected `margin` from 0 to 180 degrees, got {np.degrees(margin):g}."
            )
        if not 0.0 < quantile <= 1.0:
            raise InputError(f"Expected `quantile` above 0 and at most 1, got {quantile!r}.")
        if rate is not None and not (np.isfinite(rate) and rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {rate}.")
        self.skeleton = skeleton
        self.rules = rules or TypeRules()
        self.rate = None if rate is None else float(rate)
        self.margin = float(margin)
        self.quantile = float(quantile)
        self.repair = repair or Repair()
        self._joints: Ints = own_joints(skeleton.articulation)
        if len(self._joints) == 0:
            raise InputError("Expected a skeleton with joints to limit, got one with a root alone.")
        self._names = tuple(skeleton.names[j] for j in self._joints)
        self._roles = joint_roles(skeleton.articulation, self._joints)
        self._frames = swing_frames(skeleton.articulation, self._joints)
        bind = skeleton.bind if skeleton.bind is not None else arrays.identity(skeleton.joint_count)
        self._bind = arrays.canonical(self._to_rest(skeleton, bind[None])[0])
        self._usual = usual_axes(self._names, self._roles)
        self._noise = Noise(len(self._joints))
        self._buffer = SampleBuffer(len(self._joints))
        self._last: Floats | None = None
        self._clips: list[dict[str, Any]] = []

    def __len__(self) -> int:
        """Samples so far."""
        return len(self._buffer)

    def add(self, motion: Motion, name: str | None = None) -> None:
        """Add a clip, resampled.

        Raises:
            InputError: it has no frames, other joints, rotations that are not finite, or would give
                too many samples.
        """
        label = name or Path(motion.source.path or "motion").name
        self._check_rig(motion.skeleton, label)
        if len(motion) == 0:
            raise InputError(f"{label}: expected one frame or more to estimate from, got none.")
        self._check_finite(motion.rotations, label)
        count = self._count(motion, label)
        at = np.linspace(0.0, len(motion) - 1, count)
        below = np.minimum(at.astype(np.int64), len(motion) - 1)
        samples = slerp_frames(motion.rotations, below, at - below)
        self._noise.add(self._own(motion.rotations), True)
        self._keep(self._to_rest(motion.skeleton, samples), True)
        self._clips.append({"name": label, "frames": len(motion), "samples": count})

    def _count(self, motion: Motion, label: str) -> int:
        """Number of samples to take of a motion."""
        if self.rate is None:
            return len(motion)
        wanted = (len(motion) - 1) / motion.rate * self.rate
        most = max(MOST_SAMPLES, 20 * len(motion))
        if wanted >= most:
            raise InputError(
                f"{label}: expected a `rate` that gives at most {most} samples of its "
                f"{len(motion)} frames, got {self.rate:g} Hz, which gives {wanted:.3g}."
            )
        return max(LEAST_SAMPLES, round(wanted) + 1)

    def extend(self, rotations: Floats, *, jump: bool = False) -> None:
        """Add frames as they arrive: local rotations of the rig, (n, J, 4).

        Args:
            rotations: all joints, in the order of the skeleton.
            jump: they do not follow on the frames before.
        """
        found = np.array(rotations, dtype=np.float64)
        if found.ndim != 3 or found.shape[1:] != (self.skeleton.joint_count, 4):
            raise InputError(
                f"Expected rotations of shape (n, {self.skeleton.joint_count}, 4), "
                f"got {found.shape}."
            )
        self._check_finite(found, "stream")
        if len(found) == 0:
            return
        if not self._clips or jump or self._clips[-1]["name"] != "stream":
            self._clips.append({"name": "stream", "frames": 0, "samples": 0})
            jump = True
        self._noise.add(self._own(found), jump)
        self._keep(self._to_rest(self.skeleton, found), jump)
        for key in ("frames", "samples"):
            self._clips[-1][key] += len(found)

    def estimate(self) -> Estimate:
        """Types and limits from all samples so far, which are gone over three times.

        Raises:
            InputError: no samples came, or nothing moved.
        """
        if len(self._buffer) == 0:
            raise InputError("Expected one sample or more to estimate from, got none.")
        moments = Moments.of(len(self._joints), self._samples)
        noise = self._noise.deviation()
        classes = classify(moments, noise, self.rules, self._bind, self._usual)
        if (classes.types == FIXED).all():
            raise InputError(
                "Expected motion, got clips in which no joint moves by more than "
                f"{np.degrees(classes.spreads.max()):.2g} degrees."
            )
        fit = fit_ranges(self._samples(), classes, moments.mean, self._frames, self.quantile)
        if self.repair.frame >= len(self._buffer):
            raise InputError(
                f"Expected a frame below {len(self._buffer)} to repair the bind pose with, "
                f"got {self.repair.frame}."
            )
        sample = self._buffer.sample(self.repair.frame)
        neutral = self.skeleton.articulation.neutral[self._joints]
        return Estimate(
            self._names,
            self._roles,
            classes,
            fit,
            self._bind,
            tuple(examine_bind(self._bind, sample, classes, fit, self.repair)),
            arrays.rotate(arrays.conjugate(neutral), classes.axes),
            self.margin,
            self._provenance(),
        )

    def samples(self, most: int = 20_000) -> tuple[Floats, list[int]]:
        """Samples so far (N, J, 4), as limits see them, and where clips start; for pictures.

        Of more than `most` every second is given, or every third and so on.
        """
        step = max(1, -(-len(self._buffer) // most))
        kept, starts, count = [], [], 0
        for block, jumps in self._buffer.blocks():
            starts += (-(-(count + np.flatnonzero(jumps)) // step)).tolist()
            kept.append(block[-count % step :: step])
            count += len(block)
        return np.concatenate(kept), starts

    def windows(self, size: int, most: int = 60) -> list[Floats]:
        """Stretches of so many samples in a row (size, J, 4), none across clips; for pictures.

        Up to `most`, from all over the motion; shorter ones of clips that are shorter.
        """
        found, first = [], 0
        for clip in self._clips:
            ends = range(first, first + clip["samples"], size)
            found += [(k, min(size, first + clip["samples"] - k)) for k in ends]
            first += clip["samples"]
        whole = [stretch for stretch in found if stretch[1] == size] or found
        step = -(-len(whole) // most)
        return [
            np.stack([self._buffer.sample(k) for k in range(begin, begin + count)])
            for begin, count in whole[::step]
        ]

    def _provenance(self) -> dict[str, Any]:
        rules = self.rules
        return {
            "clips": [dict(clip) for clip in self._clips],
            "samples": len(self._buffer),
            "samples_per_second": "all frames" if self.rate is None else self.rate,
            "rule": rules.rule,
            "share": rules.share,
            "hinge_spread": _degrees(rules.hinge_spread),
            "fixed_spread": None if rules.fixed_spread is None else _degrees(rules.fixed_spread),
            "reference": rules.reference,
            "margin": _degrees(self.margin),
            "quantile": self.quantile,
            "repair": str(self.repair),
            "warnings": self._warnings(),
        }

    def _warnings(self) -> list[str]:
        """Return what a user should know: clips of too few keys to trust what lies between them."""
        return [
            f"{clip['name']} has {clip['frames']} key frames: with fewer than {LEAST_KEYS} the way "
            "between them is a guess, and limits hold hardly more than these poses"
            for clip in self._clips
            if clip["frames"] < LEAST_KEYS
        ]

    def _samples(self) -> Iterator[Floats]:
        return (block for block, _ in self._buffer.blocks())

    def _own(self, rotations: Floats) -> Floats:
        return arrays.normalize(rotations[:, self._joints])

    def _to_rest(self, skeleton: Skeleton, rotations: Floats) -> Floats:
        """Rotations of the estimated joints as limits see them."""
        body = skeleton.articulation
        before, after = (frame[self._joints] for frame in body.frames)
        own = arrays.multiply(before, rotations[:, self._joints])
        return arrays.normalize(arrays.multiply(own, arrays.conjugate(after)))

    def _keep(self, samples: Floats, jump: bool) -> None:
        """Store samples with signs that continue from the previous one, across clips too."""
        last = arrays.canonical(samples[:1]) if self._last is None else self._last
        samples = arrays.same_hemisphere(np.concatenate([last, samples]))[1:]
        self._last = samples[-1:]
        self._buffer.add(samples, jump)

    def _check_rig(self, other: Skeleton, label: str) -> None:
        mine = self.skeleton
        missing = [name for name in mine.names if name not in other.names]
        added = [name for name in other.names if name not in mine.names]
        if missing or added:
            said = [f"without {_listed(missing)}"] * bool(missing)
            said += [f"with {_listed(added)}"] * bool(added)
            raise InputError(
                f"{label}: expected the joints of the clips before, got a rig {' and '.join(said)}."
            )
        moved = [name for name in mine.names if _parent(mine, name) != _parent(other, name)]
        moved = moved or [a for a, b in zip(mine.names, other.names, strict=True) if a != b]
        if moved:
            raise InputError(
                f"{label}: expected the hierarchy of the clips before, got another place for "
                f"{_listed(moved)}."
            )

    def _check_finite(self, rotations: Floats, label: str) -> None:
        wrong = ~np.isfinite(rotations).all(axis=(0, 2))
        if wrong.any():
            names = [self.skeleton.names[j] for j in np.flatnonzero(wrong)]
            raise InputError(
                f"{label}: expected finite rotations, got NaN or infinity in {_listed(names)}."
            )


def estimate_limits(motions: Sequence[Motion], **options: Any) -> Estimate:
    """Joint types and limits of the clips of one rig; options as of `LimitEstimator`."""
    if not motions:
        raise InputError("Expected one motion or more to estimate limits from, got none.")
    estimator = LimitEstimator(motions[0].skeleton, **options)
    for motion in motions:
        estimator.add(motion)
    return estimator.estimate()


def _parent(skeleton: Skeleton, name: str) -> str:
    parent = int(skeleton.parents[skeleton.names.index(name)])
    return "" if parent < 0 else skeleton.names[parent]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


def _degrees(angle: float) -> float:
    return round(float(np.degrees(angle)), 9)
