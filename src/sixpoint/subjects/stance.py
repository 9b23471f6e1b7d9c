"""Stances: somebody stands still in a T-, A- or N-pose, so that every bone's rotation is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.points import Points

Stance = Literal["t", "a", "n"]
STANCES: Mapping[str, str] = {
    "t": "arms stretched out to the sides, palms down",
    "a": "arms 45 degrees from the body",
    "n": "arms hanging, palms towards the thighs",
}
"""Name of a stance -> what the arms do. Everybody stands upright, feet flat below the hips."""
WRISTS: Mapping[str, tuple[float, float]] = {"t": (0.87, 1.0), "a": (0.61, 0.79), "n": (0.50, 0.26)}
"""Stance -> height of the wrists over the ankles and distance of the wrists from each other, as
parts of the height of the skull base over the ankles."""
WRIST_TOLERANCE = 0.25
"""How far these may be off together: trackers sit up to 12 cm from their joints, arms sag."""
SHORTEST, USUAL = 0.5, 1.5
"""Least length of a stance that is given, and length of the window that is searched for [s]."""
STILL_PLACE, STILL_TURN = 0.04, np.radians(10.0)
"""A tracker that is farther than this from its median in a twentieth of the frames has moved [m],
[rad]."""
QUIET = 95.0
"""Percentile of the frames that must be still."""
SMALL = 0.1
"""Nobody's head is nearer to the ankles than this [m]."""
STEP, MOST_WINDOWS = 0.25, 2000
"""Distance between windows that are tried [s], and how many of them at most."""


class Held(NamedTuple):
    """A stance that was found in the points."""

    stance: str
    start: int
    """First frame."""
    end: int
    """Frame after the last."""
    positions: Floats
    """Median of each tracker [m], shape (N, 3); NaN: not seen."""
    rotations: Floats
    """Mean rotation of each tracker, shape (N, 4); NaN: not known."""
    moved: tuple[str, ...]
    """What moved during it, and how much; empty if nothing did."""


def find_stance(points: Points, pose: str | None, at: tuple[float, float] | None) -> Held | None:
    """Return the stance to calibrate with; None if there is none and none was asked for.

    Args:
        points: what was tracked.
        pose: which stance, "auto" to recognise it, or None for free motion.
        at: when it began and ended [s]; None to search for it. People often stand with their arms
            hanging without having been asked to, so an N-pose must be asked for or given a time.

    Raises:
        InputError: somebody moved, the stance is too short, or is not the one that was named.
    """
    if pose is None:
        if at is not None:
            raise InputError(f"Expected `pose` with `at`: one of {', '.join(STANCES)}, auto.")
        return None
    if pose != "auto" and pose not in STANCES:
        raise UnknownName("pose", str(pose), ("auto", *STANCES))
    if at is not None:
        held = _held(points, *_frames_of(points, at))
        _check_seen(held, points)
        if held.moved:
            raise InputError(
                f"Somebody moved in the stance from {at[0]:g} to {at[1]:g} s: "
                f"{'; '.join(held.moved)}. Expected every tracker within {100 * STILL_PLACE:.0f} "
                f"cm and {np.degrees(STILL_TURN):.0f} degrees; choose another time."
            )
        return held._replace(stance=_checked(held, points, pose))
    size = round(USUAL * points.rate)
    step = max(1, round(STEP * points.rate), len(points) // MOST_WINDOWS)
    starts = range(0, len(points) - size + 1, step)
    for start in starts:
        held = _held(points, start, start + size)
        stance = _recognised(held, points)
        wanted = ("t", "a") if pose == "auto" else (pose,)
        if stance is not None and stance in wanted and not held.moved:
            _check_seen(held, points)
            return held._replace(stance=stance)
    if pose == "auto":
        return None
    raise InputError(
        f"Found no {USUAL:g} s in which somebody stands still in the {pose.upper()}-pose "
        f"({STANCES[pose]}) in {len(points) / points.rate:.1f} s of points. Say when it is by `at`."
    )


def _check_seen(held: Held, points: Points) -> None:
    """Raise if what a stance must show was not seen in it."""
    where = f"in the stance from {held.start / points.rate:g} to {held.end / points.rate:g} s"
    if not _shows_body(held, points):
        raise InputError(f"Neither pelvis nor head was seen {where}.")
    for k, name in enumerate(points.names):
        turned = None if points.rotations is None else points.rotations[:, k]
        knows = turned is not None and np.isfinite(turned).any()
        if knows and np.isnan(held.rotations[k]).any():
            raise InputError(f"The rotation of {name!r} was not seen {where}.")


def _shows_body(held: Held, points: Points) -> bool:
    core = [k for k, name in enumerate(points.names) if name in ("pelvis", "head")]
    return bool(np.isfinite(held.positions[core]).all(axis=1).any())


def _frames_of(points: Points, at: tuple[float, float]) -> tuple[int, int]:
    """Return first and last frame of a time, after checks."""
    start, end = map(float, at)
    duration = len(points) / points.rate
    if not (np.isfinite([start, end]).all() and 0.0 <= start < end):
        raise InputError(f"Expected the stance as (start, end) in seconds, got ({start}, {end}).")
    if end > duration + 1.0 / points.rate:
        raise InputError(
            f"Expected the stance within the {duration:.2f} s of points, got {start:g} to {end:g}."
        )
    if end - start < SHORTEST:
        raise InputError(
            f"Expected a stance of at least {SHORTEST} s, got {end - start:.2f} s; two seconds "
            "are good."
        )
    return round(start * points.rate), min(len(points), round(end * points.rate))


def _held(points: Points, start: int, end: int) -> Held:
    """Return where trackers were between two frames, and which of them moved."""
    count = len(points.names)
    positions, rotations = np.full((count, 3), np.nan), np.full((count, 4), np.nan)
    moved = []
    for k, name in enumerate(points.names):
        seen = points.positions[start:end, k]
        kept = np.isfinite(seen).all(axis=1)
        if not kept.any():
            continue
        positions[k] = np.median(seen[kept], axis=0)
        away = np.where(kept, np.linalg.norm(seen - positions[k], axis=1), 0.0)
        if np.percentile(away, QUIET) > STILL_PLACE:
            when = (start + int(np.argmax(away))) / points.rate
            moved.append(f"{name} by {away.max():.2f} m at {when:.1f} s")
        if points.rotations is None:
            continue
        turned = points.rotations[start:end, k]
        known = np.isfinite(turned).all(axis=1)
        if known.any():
            rotations[k] = mean_rotation(turned[known])
            angle = np.zeros(end - start)
            angle[known] = arrays.angle_between(rotations[k], turned[known])
            if np.percentile(angle, QUIET) > STILL_TURN:
                when = (start + int(np.argmax(angle))) / points.rate
                moved.append(f"{name} by {np.degrees(angle.max()):.0f} degrees at {when:.1f} s")
    return Held("", start, end, positions, rotations, tuple(moved))


def mean_rotation(rotations: Floats, weights: Floats | None = None) -> Floats:
    """Return the mean of rotations (F, 4): the one nearest to all of them."""
    weighted = rotations if weights is None else rotations * weights[:, None]
    mean = np.linalg.eigh(weighted.T @ rotations)[1][:, -1]
    return arrays.canonical(mean)


def _wrists(held: Held, points: Points) -> Floats:
    """Return height and distance of the wrists as in `WRISTS`; NaN where they were not seen."""
    at = dict(zip(points.names, held.positions, strict=True))
    unknown = np.full(3, np.nan)
    ankles = [
        at[name][1] for name in ("l_ankle", "r_ankle") if np.isfinite(at.get(name, unknown)[1])
    ]
    low = float(np.mean(ankles)) if ankles else 0.0
    tall = max(float(at.get("head", unknown)[1]) - low, SMALL)
    left, right = (at.get(name, unknown) for name in ("l_wrist", "r_wrist"))
    apart = left - right
    high = np.nanmean([left[1], right[1]]) if np.isfinite([left[1], right[1]]).any() else np.nan
    return np.array([high - low, np.hypot(apart[0], apart[2])]) / tall


def _wrists_off(held: Held, points: Points, stance: str) -> float:
    """Return how far the wrists are from those of a stance; what was not seen does not count."""
    return float(np.linalg.norm(np.nan_to_num(_wrists(held, points) - WRISTS[stance])))


def _recognised(held: Held, points: Points) -> str | None:
    """Return the stance that the wrists tell; None: none of them."""
    if np.isnan(_wrists(held, points)).all():
        return "n" if not {"l_wrist", "r_wrist"} & set(points.names) else None
    nearest = min(STANCES, key=lambda stance: _wrists_off(held, points, stance))
    return nearest if _wrists_off(held, points, nearest) < WRIST_TOLERANCE else None


def _checked(held: Held, points: Points, pose: str) -> str:
    """Return the stance that was given, after a look whether it can be."""
    found = _recognised(held, points)
    if pose == "auto":
        if found is None:
            raise InputError(
                "This stance is none of "
                + ", ".join(f"{name} ({text})" for name, text in STANCES.items())
                + ": the wrists are elsewhere. Say which it is by `pose`, or choose another time."
            )
        return found
    if _wrists_off(held, points, pose) > WRIST_TOLERANCE:
        (high, apart), (usual, wide) = _wrists(held, points), WRISTS[pose]
        hint = f"; it looks like {found!r} ({STANCES[found]})" if found else ""
        raise InputError(
            f"Expected the {pose.upper()}-pose ({STANCES[pose]}) with the wrists {usual:.0%} of "
            f"the way from ankles to head and {wide:.0%} of it apart, got {high:.0%} and "
            f"{apart:.0%}{hint}."
        )
    return pose
