"""Contents and defects of a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..body.roles import ROLES, Roles, find_roles
from ..errors import FormatError, InputError, RolesNotFound
from ..kernels import arrays
from ..limits import FixedLimit
from ..motion.motion import STRIPE, Motion
from ..motion.points import SIX
from ..subjects import CANONICAL
from ..subjects.cleaning import Cleaning, clean_as, exchanged_names
from ..subjects.conventions import GUESSED, PLAUSIBLE_STATURE, UP, Convention
from ..subjects.outliers import longest_gaps
from .arrays import holds_joint_array
from .joint_arrays import MissingRate, PointsRead
from .registry import FORMATS, format_of, load, load_points, read_points, suffixes
from .units import Figure
from .urdf import load_robot

CMU_JOINTS = frozenset({"LHipJoint", "LowerBack", "Neck1", "LeftFingerBase", "LThumb"})
"""Joints that only the common conversion of the CMU database to BVH has."""
CMU_LOST = (
    "Neck", "LeftShoulder", "RightShoulder",
    "LeftFingerBase", "LThumb", "RightFingerBase", "RThumb",
)  # fmt: skip
"""Joints of it that stand at the end of a bone with several children, whose length was lost."""
ASSUMED_RATE = 30.0
"""Frames a second of an array whose rate nobody says, to look at it [Hz]."""
UNTURNED = np.radians(0.1)
"""A joint turned by less than this counts as unturned."""
LARGEST_STEP, STEP_AROUND = np.radians(45.0), np.radians(10.0)
"""A step of a joint between two frames is suspect above the first, where the steps before and after
it are below the second."""
FALL_TIME, LARGEST_FALL = 0.2, 25.0
"""Duration [s] for which a pelvis cannot accelerate downwards by more than the second number
[m/s^2]. Of 85 real clips one does, whose rate is in doubt; at twice their rate, four in ten do."""


@dataclass(frozen=True, kw_only=True)
class FileInfo:
    """Contents and defects of a file, as `sixpoint info` shows them."""

    path: str
    format: str
    """Name from `FORMATS`."""
    holds: str
    """"motion", "points" or, of a robot, "figure"."""
    joints: int
    """Number of joints, or of points."""
    sites: int = 0
    """Number of end sites."""
    roles: dict[str, str] | None
    """Role -> name of the joint or site that plays it; None if no human was recognised."""
    scheme: str | None = None
    """Naming scheme recognised."""
    layout: str | None = None
    """Layout of an array of joints; "names" if the file names them."""
    frames: int
    rate: float
    """Frames per second [Hz]."""
    duration: float
    """[s]"""
    height: float | None = None
    """Estimated stature [m]; None without roles."""
    unit: float = 1.0
    """Metres per file unit."""
    up: str = "y"
    """Axis of the file that points up."""
    hand: str = "right"
    """Handedness of the axes of points."""
    noise: dict[str, float] | None = None
    """Standard deviation of the noise of each point in each coordinate [m]; None for motions."""
    freedom: int | None = None
    """Degrees of freedom of a robot; None for other files."""
    ends: tuple[str, ...] = ()
    """Names of a robot's end effectors."""
    limited: int = 0
    """Joints of a robot that have limits."""
    coupled: tuple[str, ...] = ()
    """Joints of a robot that follow others."""
    capsules: int = 0
    """Collision shapes of a robot."""
    problems: tuple[str, ...]
    """Defects, each with what to do about it where something can be done."""
    notes: tuple[str, ...] = ()
    """Guesses that were made in reading."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary, for JSON."""
        return asdict(self)


def inspect(path: str | os.PathLike[str], **options: Any) -> FileInfo:
    """Look into a motion or points file: contents, roles, defects.

    Options are those of `load`, or of `read_points`.

    A truncated file is read as far as it goes; `FormatError` is raised if nothing can be read.
    """
    suffix = Path(path).suffix.lower()
    if suffix in FORMATS["urdf"].suffixes:
        return _of_robot(path, options)
    layout = options.pop("layout", None)
    if layout is not None or suffix in suffixes("read_points"):
        said = {key: value for key, value in options.items() if key != "lenient"}
        try:
            return _of_file_of_points(path, layout, said)
        except FormatError:
            if layout is not None or suffix not in suffixes("read"):
                raise
    if "lenient" in format_of(path).options:
        options.setdefault("lenient", True)
    return _of_motion(load(path, **options), path)


def holds_points(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds tracked points rather than a motion, as far as can be seen."""
    suffix = Path(path).suffix.lower()
    if holds_joint_array(path):
        return True
    if suffix not in suffixes("read") or suffix not in suffixes("read_points"):
        return suffix in suffixes("read_points")
    try:
        load_points(path)
    except FormatError:
        return False  # a motion, or the reader reports the error
    return True


def _of_robot(path: str | os.PathLike[str], options: dict[str, Any]) -> FileInfo:
    load(path, **options)  # refuses options that the format does not have
    given = {key: value for key, value in options.items() if value is not None and key != "roles"}
    robot = load_robot(path, **given)
    body = robot.skeleton.articulation
    held = [name for name, limit in robot.limits.items() if isinstance(limit, FixedLimit)]
    fixed = sum(int(body.freedom[robot.skeleton.index(name)]) for name in held)
    return FileInfo(
        path=str(path),
        format="urdf",
        holds="figure",
        joints=robot.skeleton.joint_count - len(held),
        sites=len(robot.skeleton.site_names),
        roles=None,
        frames=1,
        rate=robot.motion.rate,
        duration=0.0,
        up=str(given.get("up", "z")),
        freedom=body.count - fixed,
        ends=body.ends,
        limited=len(robot.limits) - len(held),
        coupled=tuple(coupling.joint for coupling in robot.couplings),
        capsules=len(robot.shape.capsules),
        problems=(),
        notes=robot.notes,
    )


def _of_motion(motion: Motion, path: object) -> FileInfo:
    skeleton, source = motion.skeleton, motion.source
    problems = list(_skeleton_problems(motion))
    roles: Roles | None = None
    height = None
    try:
        roles = find_roles(skeleton)
        height = _stature(motion)
        low, high = PLAUSIBLE_STATURE
        if not low <= height <= high:
            problems.append(
                f"a stature of {height:.2f} m is not human: give the unit (metres per file unit)"
            )
    except RolesNotFound as error:
        problems.append(f"no human recognised: {str(error).splitlines()[0]}")
    problems += _motion_problems(motion, roles)
    guesses = tuple(note for note in source.notes if note.startswith(GUESSED))
    defects = tuple(note for note in source.notes if note not in guesses)
    names = skeleton.node_names
    return FileInfo(
        path=str(path),
        format=source.format or "npz",
        holds="motion",
        joints=skeleton.joint_count,
        sites=len(skeleton.site_names),
        roles=None if roles is None else {r: names[node] for r, node in roles.nodes.items()},
        scheme=None if roles is None else roles.scheme,
        frames=len(motion),
        rate=motion.rate,
        duration=motion.duration,
        height=height,
        unit=source.unit,
        up=next((axis for axis, turn in UP.items() if turn == source.axes), "?"),
        problems=(*defects, *problems),
        notes=guesses,
    )


def _of_file_of_points(path: str | os.PathLike[str], layout: str | None, said: Any) -> FileInfo:
    """Look into a file of points or of an array; one without a rate is read at a usual one."""
    try:
        read = read_points(path, layout=layout, **said)
    except MissingRate as error:
        read = read_points(path, layout=layout, **said, rate=ASSUMED_RATE)
        read = read._replace(notes=(*read.notes, str(error)))
    of_array = layout is not None or holds_joint_array(path)
    if of_array or format_of(path, "read_points").own_unit:
        return _of_points(read, path, Cleaning(names="given", unit="m", up="y", hand="right"))
    given: dict[str, Any] = {key: said[key] for key in ("unit", "up") if key in said}
    points = load_points(path, rate=said.get("rate"))
    return _of_points(read._replace(points=points), path, Cleaning(names="given", **given))


def _of_points(read: PointsRead, path: object, how: Cleaning) -> FileInfo:
    points = read.points
    unseen = 1.0 - points.seen.mean(axis=0) if len(points) else np.ones(len(points.names))
    gaps = longest_gaps(points)
    problems = [
        f"{name} is not seen in {share:.1%} of the frames, at most for {gaps[name]:.2g} s at a time"
        for name, share in zip(points.names, unseen, strict=True)
        if share > 0.0
    ]
    notes: tuple[str, ...] = points.notes
    convention, noise = Convention(), dict[str, float]()
    try:
        found = clean_as(points, how)
    except InputError as error:
        problems.append(str(error))
    else:
        points, convention, noise, notes = (
            found.points, found.convention, found.noise, found.notes
        )  # fmt: skip
        problems += exchanged_names(points, convention)
    missing = [name for name in SIX if name not in points.names]
    if not {*ROLES, *CANONICAL}.intersection(points.names):
        problems.append(
            "nothing is recognised as a part of a person: name points with --role l_wrist=MARKER"
        )
    elif missing:
        problems.append(f"not all of the six points are there; {', '.join(missing)} missing")
    return FileInfo(
        path=str(path),
        format=Path(str(path)).suffix.lower().removeprefix("."),
        holds="points",
        joints=len(points.names),
        roles={name: name for name in points.names},
        layout=read.layout or None,
        frames=len(points),
        rate=points.rate,
        duration=len(points) / points.rate,
        height=convention.stature,
        unit=convention.unit,
        up=convention.up,
        hand=convention.hand,
        noise={name: sd for name, sd in noise.items() if np.isfinite(sd)},
        problems=tuple(problems),
        notes=(*read.notes, *(note for note in notes if note not in read.notes)),
    )


def _stature(motion: Motion) -> float:
    try:
        return motion.skeleton.anatomy.stature
    except InputError:  # a body that cannot be stood upright still has bones
        return Figure.of(motion).size


def _skeleton_problems(motion: Motion) -> Iterator[str]:
    skeleton, parents = motion.skeleton, motion.skeleton.parents
    length = np.linalg.norm(skeleton.offsets, axis=-1)
    size = float(length[1:].max(initial=0.0))
    tiny = {skeleton.names[j]: j for j in np.flatnonzero((parents >= 0) & (length <= 1e-6 * size))}
    lost = [name for name in CMU_LOST if name in tiny]
    if lost and set(skeleton.names) >= CMU_JOINTS:
        yield (
            f"bones lost in conversion from the CMU database: {', '.join(lost)} have no offset, so "
            "the trunk is about 11 cm and the forearms about 9 cm too short; use the original "
            "ASF/AMC files or a repaired conversion"
        )
    # Joints on the root are common (hips of their own, a lower back): they bend, they are no bones.
    odd = [name for name, j in tiny.items() if name not in lost and parents[parents[j]] >= 0]
    if odd:
        shown = ", ".join(odd[:6]) + (" ..." if len(odd) > 6 else "")
        yield f"{len(odd)} bones have no length: {shown}"


def _motion_problems(motion: Motion, roles: Roles | None) -> Iterator[str]:
    if len(motion) == 0:
        yield "there are no frames"
        return
    if motion.rate > 1000.0 or motion.rate < 5.0:
        yield f"{motion.rate:g} frames a second is unusual: give the rate if you know it"
    if len(motion) < 3:
        return
    fall = 0.0 if roles is None else _fall(motion, roles)
    extra = _extra_first_frame(motion)
    if fall > LARGEST_FALL:
        yield (
            f"the pelvis falls with {fall:.0f} m/s^2, more than twice as fast as gravity: the rate "
            f"of {motion.rate:g} Hz or the unit is too high, or the tracking is broken"
        )
    elif set(motion.skeleton.names) >= CMU_JOINTS and extra:
        yield (
            "this conversion of the CMU database claims 120 frames a second for every clip, also "
            "for those captured at 60: look the clip up, and give the rate if it is one of them"
        )
    if extra:
        yield (
            "the first frame is a T-pose that does not belong to the motion: leave it out "
            "(`motion.frames(slice(1, None))`)"
        )
    jumps = _jumps(motion)
    if roles is not None:  # fingers and toes are seldom measured well: theirs would hide the others
        body = {j for node in roles.nodes.values() for j in motion.skeleton.path(node)}
        jumps = [(frame, joint) for frame, joint in jumps if joint in body]
    if jumps:
        (frame, joint), most = jumps[0], np.degrees(LARGEST_STEP)
        yield (
            f"{len(jumps)} sudden turns of more than {most:.0f} degrees between two frames, first "
            f"of {motion.skeleton.names[joint]} at frame {frame}"
        )


def _fall(motion: Motion, roles: Roles) -> float:
    """Return the greatest downward acceleration of the pelvis that lasts `FALL_TIME` [m/s^2]."""
    height = motion.positions([roles.nodes["pelvis"]])[:, 0, 1]
    count = max(5, round(FALL_TIME * motion.rate))
    if len(height) < count:
        return 0.0
    times = (np.arange(count) - 0.5 * (count - 1)) / motion.rate
    # Row of the least-squares parabola that gives its curvature.
    curve = np.linalg.pinv(np.stack([np.ones(count), times, times * times], axis=1))[2]
    return float(-2.0 * np.convolve(height, curve[::-1], mode="valid").min())


def _extra_first_frame(motion: Motion) -> bool:
    """Return whether most joints that ever turn are unturned in frame 0 and turned in frame 1."""
    identity = arrays.identity(1)
    turned = arrays.angle_between(identity, motion.rotations[:: max(1, len(motion) // 50)])
    active = (turned > UNTURNED).any(axis=0)
    if active.sum() < 3:
        return False
    first, second = arrays.angle_between(identity, motion.rotations[:2])[:, active]
    step = arrays.angle_between(motion.rotations[0], motion.rotations[1])[active]
    usual = arrays.angle_between(motion.rotations[1], motion.rotations[2])[active]
    return bool(
        np.mean(first < UNTURNED) > 0.6
        and np.mean(second < UNTURNED) < 0.3
        and step.mean() > np.radians(3.0)
        and step.mean() > 5.0 * usual.mean()
    )


def _jumps(motion: Motion) -> list[tuple[int, int]]:
    """Return (frame, joint) of large steps between small ones, in order of time."""
    found: list[tuple[int, int]] = []
    for start in range(0, len(motion), STRIPE):
        q = motion.rotations[start : start + STRIPE + 3]
        if len(q) < 4:
            break
        steps = arrays.angle_between(q[:-1], q[1:])
        alone = (steps[1:-1] > LARGEST_STEP) & (np.maximum(steps[:-2], steps[2:]) < STEP_AROUND)
        found += [(start + int(f) + 2, int(j)) for f, j in np.argwhere(alone)]
    return found
