"""Arrays of joint positions become tracked points: layout, unit and upward axis.

What an array does not say is found from the body that it shows, and said; what cannot be a body is
refused, with the likely mistake.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.points import Points
from ..subjects.conventions import GUESSED
from ..subjects.landmarks import canonical_points, stature_of
from ..subjects.layouts import (
    DOUBTFUL_FIT,
    LAYOUTS,
    Layout,
    check_size,
    find_layout,
    layouts_of_size,
    misfit,
    rank_layouts,
    sizes_text,
)
from ..subjects.names import landmark_names
from .array_axes import CENTRED, body_to_world
from .arrays import JointArray

FEATURES = {263: "HumanML3D", 251: "KIT-ML"}
"""Numbers a frame of motion features that are no positions -> the database."""
POSE_PARAMETERS = (66, 69, 72, 156, 165)
"""Numbers a frame that SMPL, SMPL-H and SMPL-X have as rotations."""
FLAT = "2D keypoints need two views (`sixpoint capture`) or a lifter."
"""What to do about positions without depth."""
SMALLEST_IN_IMAGE = 1.3
"""Bodies below this stature, all of whose x and y are from 0 to 1, are taken for those of an image;
whoever really is so small says the unit."""
CONVINCING = 0.3
"""Another reading whose misfit is below this part of the given one's is the likely one."""
SMALLEST_JUMP, FASTEST = 0.3, 15.0
"""All points that are farther than the first between two frames [m], and faster than the second
[m/s], are not those of one person who moves."""
LEAST_NAMES = 3
"""Names of joints in a file count where so many of them are understood."""
NEVER_SEEN = 0.5
"""More of the joints than this part of them that are never seen are a mistake."""


class MissingRate(InputError):
    """An array whose rate nobody says."""


class PointsRead(NamedTuple):
    """Points from an array, and what was found out on the way."""

    points: Points
    layout: str
    """Name of the layout, or "names" where the file names its joints."""
    notes: tuple[str, ...]
    """Guesses, with `GUESSED` in front, and other things to know."""


def points_from_array(
    values: ArrayLike | JointArray,
    layout: str | None = None,
    *,
    rate: float | None = None,
    unit: float | str | None = None,
    up: str | None = None,
) -> PointsRead:
    """Return the tracked points of a body from an array of joint positions.

    Args:
        values: joint positions of one person, shape (F, N, 3); with a confidence (F, N, 4); or
            flat, (F, 3 N). NaN, or zero in single frames, where a joint was not seen.
        layout: key of `LAYOUTS`, or the name of a program; names of joints in a file win. Default:
            the layout of that number of joints that fits best.
        rate: frames a second [Hz]; default what the array or the layout says.
        unit: metres per unit or its name; default: found from the size of the body.
        up: axis that points up, a key of `UP`; default: found from how the body stands.

    Raises:
        InputError: these numbers are no body in such a layout; names the likely mistake.
    """
    given = values if isinstance(values, JointArray) else JointArray(np.asarray(values))
    found = None if layout is None else find_layout(layout)
    chosen_rate = _rate(rate, given, found)
    names = landmark_names(given.names or ())
    notes: list[str] = []
    if len([name for name in names if name]) >= LEAST_NAMES:
        positions, trust = _joint_rows(given.values, None, len(names))
        found, said = None, "names"
    else:
        positions, trust = _joint_rows(given.values, found, None)
        found, notes = _layout_of(positions, found)
        positions, trust = positions[:, : len(found)], trust[:, : len(found)]
        names, said = found.landmarks, found.name
    positions, trust, more = _unseen(positions, trust, names)
    notes += more
    _check_flat(positions)
    if unit is None:
        _check_no_image(positions, {name: k for k, name in enumerate(names) if name})
    if found is not None:
        _check_bones(positions, found)
    body = {name: positions[:, k] for k, name in enumerate(names) if name}
    body, more = body_to_world(body, unit, up)
    notes += more
    certain = {name: trust[:, k] for k, name in enumerate(names) if name}
    points = canonical_points(body, chosen_rate, certain)
    return PointsRead(points, said, (*notes, *_jumps(points)))


def _jumps(points: Points) -> list[str]:
    """Return a note on frames between which the whole body jumps farther than anybody can."""
    steps = np.linalg.norm(np.diff(points.positions, axis=0), axis=2)
    known = np.isfinite(steps).all(axis=1)
    least = np.where(known, np.nan_to_num(steps).min(axis=1, initial=np.inf), 0.0)
    far = np.flatnonzero(least > max(SMALLEST_JUMP, FASTEST / points.rate))
    if not len(far):
        return []
    return [
        f"the whole body jumps by {least[far[0]]:.1f} m or more at frame {far[0] + 1}"
        + (f", and {len(far) - 1} times more" if len(far) > 1 else "")
        + ": two people or several clips in one array?"
    ]


def _rate(rate: float | None, given: JointArray, layout: Layout | None) -> float:
    """Return the frames a second: as given, or as the file or the layout says."""
    for found in (rate, given.rate, None if layout is None else layout.rate):
        if found is not None:
            if not (math.isfinite(found) and found > 0.0):
                raise InputError(f"Expected a positive `rate` in Hz, got {found}.")
            return float(found)
    raise MissingRate("Expected `rate`, the frames a second [Hz]: an array does not say it.")


def _joint_rows(values: Floats, layout: Layout | None, count: int | None) -> tuple[Floats, Floats]:
    """Return positions (F, N, 3) and confidence (F, N) of an array of any usual shape."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise InputError(f"Expected an array of numbers, got {array.dtype}.")
    array = array.astype(np.float64)
    if np.isinf(array).any():
        raise InputError("Expected finite positions, or NaN for a missing joint; got infinity.")
    if array.ndim == 4:
        array = _one_person(array)
    if array.ndim == 2:
        array = _unflattened(array, layout, count)
    if array.ndim != 3:
        raise InputError(f"Expected an array of shape (frames, joints, 3), got {array.shape}.")
    sizes = _sizes(layout, count)
    if array.shape[2] not in (3, 4) or (array.shape[1] not in sizes and array.shape[0] in sizes):
        raise _axes_error(array, sizes)
    if not len(array):
        raise InputError("Expected at least one frame, got none.")
    if count is not None and array.shape[1] != count:
        raise InputError(f"Expected as many joints as names, {count}; got {array.shape[1]}.")
    if layout is not None:
        check_size(array.shape[1], layout)
    trust = np.ones(array.shape[:2])
    if array.shape[2] == 4:
        trust = np.nan_to_num(array[..., 3])
        if trust.min() < 0.0 or trust.max() > 1.0:
            raise InputError(
                "Expected x, y, z and a confidence from 0 to 1 of each joint, got a fourth number "
                f"from {trust.min():.3g} to {trust.max():.3g}: rotations, or other coordinates?"
            )
    return np.array(array[..., :3]), trust


def _sizes(layout: Layout | None, count: int | None) -> set[int]:
    if count is not None:
        return {count}
    known = LAYOUTS.values() if layout is None else [layout]
    return {size for each in known for size in each.sizes}


def _one_person(array: Floats) -> Floats:
    """Return an array (F, N, 3) of one with an axis of people, if that has one person."""
    if 1 in array.shape[:2]:
        return array[0] if array.shape[0] == 1 else array[:, 0]
    people = min(array.shape[:2])
    raise InputError(
        f"Expected the joints of one person, (frames, joints, 3), got {array.shape}: points of "
        f"{people} people? Take one of them, array[:, 0] or array[0]."
    )


def _unflattened(array: Floats, layout: Layout | None, count: int | None) -> Floats:
    """Return an array (F, N, 3) of a table whose rows are frames."""
    rows, width = array.shape
    sizes = _sizes(layout, count)
    if width in (3, 4) and rows in sizes:
        return array[None]  # a single frame
    if width in FEATURES:
        raise InputError(
            f"Expected joint positions, got {width} numbers a frame: these are features of "
            f"{FEATURES[width]}; recover the joints first (its recover_from_ric), (F, 22, 3)."
        )
    for parts in (3, 4):
        if width % parts == 0 and width // parts in sizes:
            return array.reshape(rows, width // parts, parts)
    if layout is not None and width % 3 == 0:
        check_size(width // 3, layout)
    raise InputError(
        f"Expected 3 numbers for each joint in a row, got {width} numbers; layouts: {sizes_text()}."
    )


def _axes_error(array: Floats, sizes: set[int]) -> InputError:
    """Return what is wrong with the axes of an array of three dimensions, and the way out."""
    shape = array.shape
    message = f"Expected an array of shape (frames, joints, 3), got {shape}"
    if shape[2] == 2:
        return InputError(f"{message}: {FLAT}")
    for order in ((1, 0, 2), (0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 2, 0)):
        turned = tuple(shape[axis] for axis in order)
        if turned[2] in (3, 4) and turned[1] in sizes:
            return InputError(
                f"{message}: its axes are in another order; "
                f"array.transpose({', '.join(map(str, order))}) has {turned}."
            )
    return InputError(f"{message}; layouts: {sizes_text()}.")


def _layout_of(positions: Floats, layout: Layout | None) -> tuple[Layout, list[str]]:
    """Return the layout, and a note where it was guessed from the number of joints."""
    if layout is not None:
        return layout, []
    ranked = rank_layouts(positions)
    if not ranked:
        raise InputError(
            f"Expected the joints of a known layout, got {positions.shape[1]} joints; there are "
            f"{sizes_text()}."
        )
    best = ranked[0][0]
    others = [other.name for other, _ in ranked[1:]]
    also = f"; {', '.join(others)} {'have' if len(others) > 1 else 'has'} as many" if others else ""
    return best, [f"{GUESSED}layout {best.name}, by its {positions.shape[1]} joints{also}"]


def _unseen(
    positions: Floats, trust: Floats, names: Sequence[str]
) -> tuple[Floats, Floats, list[str]]:
    """Return positions with NaN for joints that were not seen, and a note on those that never were.

    Programs write zeros, or a confidence of zero, where they saw nothing. A joint that is zero in
    all frames is the origin of positions that are relative to it.
    """
    zero: Any = (positions == 0.0).all(axis=2)
    zero &= ~zero.all(axis=0)
    positions = np.array(positions)
    positions[zero | (trust <= 0.0)] = np.nan
    never: Any = np.isnan(positions).all(axis=0)
    for axis, letter in enumerate("xyz"):
        if never[:, axis].all() and not never.all():
            raise InputError(
                f"Expected x, y and z of each joint, got NaN for every {letter}: {FLAT}"
            )
    positions[np.isnan(positions).any(axis=2)] = np.nan
    lost = [name or f"joint {k}" for k, name in enumerate(names) if never[k].any()]
    if len(lost) > NEVER_SEEN * len(names):
        raise InputError(
            f"Expected the joints of a body, got only NaN for {len(lost)} of {len(names)}: "
            f"{', '.join(lost[:6])}{' ...' if len(lost) > 6 else ''}. Wrong columns, or another "
            "layout?"
        )
    return positions, trust, [f"never seen: {', '.join(lost)}"] if lost else []


def _check_flat(positions: Floats) -> None:
    """Refuse positions that lie in a plane or in a picture."""
    seen = positions[np.isfinite(positions).all(axis=2)]
    if len(seen) < 4:
        raise InputError("Expected joints that were seen, got none or hardly any.")
    low, high = seen.min(axis=0), seen.max(axis=0)
    extent = high - low
    if low[2] >= 0.0 and high[2] <= 1.0 and extent[:2].max() > 20.0 and extent[2] < 1.0:
        raise InputError(
            "Expected x, y and z, got pixels with a confidence (the third number is from 0 to 1, "
            f"the others up to {high[:2].max():.0f}): {FLAT}"
        )
    if not extent.max() > 0.0:
        raise InputError("Expected joints of a body, got the same place for all of them.")
    flat = int(np.argmin(extent))
    if extent[flat] < 1e-3 * extent.max():
        raise InputError(f"Expected joints in space, got the same {'xyz'[flat]} for all: {FLAT}")


def _check_no_image(positions: Floats, at: Mapping[str, int]) -> None:
    """Refuse landmarks that are parts of an image: x and y from 0 to 1, far from the origin."""
    hips = [positions[:, at[name]] for name in ("l_hip", "r_hip") if name in at]
    if not _in_image(positions) or len(hips) < 2:
        return
    away = np.linalg.norm(0.5 * (hips[0] + hips[1])[:, :2], axis=1)
    size = stature_of({name: positions[:, k] for name, k in at.items()})
    if np.nanmedian(away) > CENTRED and size < SMALLEST_IN_IMAGE:
        raise InputError(
            f"Expected positions in metres, got x and y from 0 to 1 and a body of {size:.2f}: "
            "landmarks of an image? Give the world landmarks (`pose_world_landmarks`), or `unit` "
            "if these are lengths."
        )


def _check_bones(positions: Floats, layout: Layout) -> None:
    """Refuse positions whose limbs are none, naming the likely mistake.

    Raises:
        InputError: with another layout or another order of numbers that would fit, if there is one.
    """
    own = misfit(positions, layout)
    if math.isnan(own):
        raise InputError(
            "Expected arms or legs, got none of their bones in any frame: wrong columns, or "
            "another layout?"
        )
    if own <= DOUBTFUL_FIT:
        return
    raise InputError(
        f"Expected limbs that keep their length, in the layout {layout.name} they do not: "
        f"{_likely_mistake(positions, layout)}."
    )


def _likely_mistake(positions: Floats, layout: Layout) -> str:
    """Return why limbs do not look like limbs: the one other reading that fits best, or a guess."""
    count = positions.shape[1]
    readings = {
        f"read as {other.name} they would": misfit(positions, other)
        for other in layouts_of_size(count)
        if other.landmarks != layout.landmarks
    }
    by_axis = positions.reshape(len(positions), 3, count).transpose(0, 2, 1)
    readings["with all x first, then all y, then all z, array.reshape(F, 3, N), they would"] = (
        misfit(by_axis, layout)
    )
    if len(positions) == count:
        turned = misfit(positions.transpose(1, 0, 2), layout)
        readings["with joints before frames, array.transpose(1, 0, 2), they would"] = turned
    best = min(readings, key=readings.__getitem__)
    if readings[best] < CONVINCING * misfit(positions, layout):
        return best
    if 3 * count in POSE_PARAMETERS and np.nanmax(np.abs(positions)) < 2.0 * math.pi:
        return (
            f"{3 * count} numbers a frame may be rotations of SMPL, which are read from .npz files "
            "with `poses` and `trans`"
        )
    if _in_image(positions):
        return "x and y from 0 to 1 look like image coordinates; give world landmarks"
    return "joints in another order, coordinates of an image, or two people in one array?"


def _in_image(positions: Floats) -> bool:
    """Return whether x and y look like parts of the width and the height of an image."""
    low, high = (float(pick(positions[..., :2])) for pick in (np.nanmin, np.nanmax))
    return low > -0.1 and high < 1.1 and high - low > 0.2
