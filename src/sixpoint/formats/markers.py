"""Markers of laboratories: TRC and C3D files, and the joints that the usual marker sets show.

A joint lies between the markers around it, so that their mean is it to a centimetre or two: enough
for a solver of six points, too little for clinical work. Markers that are named by their joints
(``L.Wrist``, ``LeftAnkle``) are taken as they are. The upward axis is not in the files: it is taken
from the ankles and what is above them. TRC (Motion Analysis, OpenSim) is text::

    PathFileType  4  (X/Y/Z)  walk.trc
    DataRate  CameraRate  NumFrames  NumMarkers  Units  ...
    100  100  487  66  mm  ...
    Frame#  Time  L.Wrist      R.Wrist      ...
            X1 Y1 Z1  X2 Y2 Z2 ...
    1  0.00  ...

with tabs or commas; an empty cell is a marker that was not seen. C3D is read by ezc3d.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..errors import FormatError, MissingExtra, UnknownName, located, names_file
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.people import MARK, join_people, label_of, people_of
from ..motion.points import Points
from ..subjects.aliases import point_name
from ..subjects.conventions import UNITS, UP
from ..subjects.landmarks import canonical_points
from ..subjects.names import SEEN_BY_DETECTORS, landmark_names
from .plain_text import MAX_FILE, finite, number_or_nan, plain_bytes, read_bytes, text_of

WAISTS = (
    "LASI RASI LPSI RPSI", "LASIS RASIS LPSIS RPSIS", "LASI RASI SACR", "LASIS RASIS VSACRAL",
    "LFWT RFWT LBWT RBWT", "ASISL ASISR PSISL PSISR", "LIAS RIAS LIPS RIPS",
    "WAISTLFRONT WAISTRFRONT WAISTLBACK WAISTRBACK",
)  # fmt: skip
"""Front and back of the waist: the lumbosacral joint, the pelvis role, lies in their middle."""
HEADS = (
    "LFHD RFHD LBHD RBHD", "FRONTHEAD LHEAD RHEAD", "FRONTHEAD REARHEAD", "LHEAD RHEAD",
    "HEADFRONT HEADTOP HEADSIDE", "HEADFRONT HEADTOP", "TOPHEAD",
)  # fmt: skip
"""Markers around the head."""
LIMBS = {
    "wrist": ("{s}WRA {s}WRB", "{s}WRISTIN {s}WRISTOUT", "{s}WRI", "{s}WRIST", "{s}RAD {s}ULN",
              "{s}RSP {s}USP"),
    "ankle": ("{s}ANK {s}ANKM", "{s}ANKLE {s}ANKLEMEDIAL", "{s}FAL {s}TAM", "{s}LM {s}MM",
              "{s}ANKLEOUT {s}ANKLEIN", "{s}ANK", "{s}ANKLE", "{s}ANKLEOUT"),
    "shoulder": ("{s}SHO", "{s}SHOULDER", "{s}ACR", "{s}SAE", "{s}SHOULDERTOP"),
    "elbow": ("{s}ELB {s}ELBM", "{s}HLE {s}HME", "{s}ELBOWOUT {s}ELBOWIN", "{s}ELB", "{s}ELBOW",
              "{s}ELBOWOUT"),
    "knee": ("{s}KNE {s}KNEM", "{s}KNEE {s}KNEEMEDIAL", "{s}FLE {s}FME", "{s}LE {s}ME",
             "{s}KNEEOUT {s}KNEEIN", "{s}KNE", "{s}KNEE", "{s}KNEEOUT"),
}  # fmt: skip
"""Part of a limb -> alternatives, the better first; {s} is L or R."""
ROLES = {"pelvis": WAISTS, "head": HEADS} | {
    f"{side}_{part}": tuple(names.format(s=side.upper()) for names in sets)
    for part, sets in LIMBS.items()
    for side in "lr"
}
"""Role -> sets of markers whose mean it is, the better first."""
TRUNK = frozenset({"l_hip", "r_hip", "l_shoulder", "r_shoulder"})
"""Joints that keypoints of a detector have beside a face or toes, and marker sets have not."""
HEAD_DROP = 0.05
"""A band around the head lies above the skull base [m]."""
ABOVE_ANKLES = ("head", "l_shoulder", "r_shoulder", "pelvis")
"""Roles that show which way is up, the better first."""
HEADER = 5
"""Number of lines of a TRC file before the numbers."""
MAX_MARKERS = 100_000
"""Largest number of markers in a TRC file."""
FARTHEST = 1e6
"""Largest coordinate in a C3D file: one beyond it is outside any laboratory, in any unit."""


def as_roles(points: Points, given: Mapping[str, str] | None = None) -> Points:
    """Return the roles that a marker set shows; the points as they are where it is not known.

    Points that are named by roles already keep those names. Markers that make no role are left out
    once some were recognised. A role is NaN where one of its markers is: the mean would jump. Of
    several people, whose markers are labelled, each keeps the label. Keypoints of a detector (nose,
    toes, joints) are read as landmarks.

    Args:
        points: markers by name.
        given: role -> markers whose mean it is, separated by commas; they win.

    Raises:
        UnknownName: a given marker does not exist.
    """
    people = people_of(points) if all(map(label_of, points.names)) else {}
    if len(people) > 1:
        return join_people({label: as_roles(each, given) for label, each in people.items()})
    marks = landmark_names([name.rpartition(MARK)[2] for name in points.names])
    if not given and SEEN_BY_DETECTORS.intersection(marks) and set(marks) >= TRUNK:
        trust = None if points.confidence is None else points.confidence
        return canonical_points(
            {name: points.positions[:, k] for k, name in enumerate(marks) if name},
            points.rate,
            None if trust is None else {name: trust[:, k] for k, name in enumerate(marks)},
        )
    columns, own = dict[str, int](), dict[str, int]()
    for k, name in enumerate(points.names):
        own.setdefault(point_name(name).rpartition(MARK)[2], k)
        columns[_plain(name)] = k
    found = {
        role: points.positions[:, _given_columns(markers, columns, points.names)].mean(axis=1)
        for role, markers in (given or {}).items()
    }
    for role, sets in ROLES.items():
        if role in found:
            continue
        if role in own:
            found[role] = points.positions[:, own[role]]
            continue
        for markers in map(str.split, sets):
            if columns.keys() >= set(markers):
                chosen = [columns[marker] for marker in markers]
                found[role] = points.positions[:, chosen].mean(axis=1)
                break
    if not found:
        return points
    return Points(tuple(found), np.stack(list(found.values()), axis=1), points.rate)


def _plain(marker: str) -> str:
    """Return the name of a marker without its subject (``Anna:LFHD``), as the sets spell it."""
    return re.sub(r"[^A-Z0-9]", "", marker.rsplit(MARK, 1)[-1].upper())


def _given_columns(markers: str, columns: Mapping[str, int], names: Sequence[str]) -> list[int]:
    """Return the columns of markers that a user listed."""
    listed = [marker.strip() for marker in markers.split(",") if marker.strip()]
    for marker in listed or [markers]:
        if _plain(marker) not in columns:
            raise UnknownName("marker", marker, names)
    return [columns[_plain(marker)] for marker in listed]


def upright_roles(raw: Points, usual: str, given: Mapping[str, str] | None = None) -> Points:
    """Return markers as roles, Y up; markers on a band around the head lowered to the skull base.

    Args:
        raw: markers as they stand in the file [m].
        usual: axis that points up, where nothing above an ankle tells.
        given: role -> markers, as of `as_roles`.
    """
    points = as_roles(raw, given)
    names = points.names
    turn = np.array(UP[_up_of(points, usual)])
    positions = arrays.rotate(turn, points.positions)
    if points.rotations is not None:  # of landmarks, from a neutral stance that has Y up
        rotations = arrays.multiply(turn, points.rotations)
        return Points(names, positions, points.rate, rotations, points.confidence)
    heads = [name for name in names if name.rpartition(MARK)[2] == "head"]
    own = {*raw.names, *(name.rpartition(MARK)[2] for name in raw.names if heads == ["head"])}
    own |= {name for name in heads if name in (given or {})}
    for head in heads:
        if head not in own:
            positions[:, names.index(head), 1] -= HEAD_DROP
    return Points(names, positions, points.rate, confidence=points.confidence)


def _up_of(points: Points, usual: str) -> str:
    """Return the axis along which heads, shoulders or pelvises are above the ankles."""
    for top in ABOVE_ANKLES:
        for name in points.names:
            label, mark, role = name.rpartition(MARK)
            ankles = [f"{label}{mark}{side}_ankle" for side in "lr"]
            ankle = next((ankle for ankle in ankles if ankle in points.names), None)
            if role != top or ankle is None:
                continue
            pair = points.select([name, ankle]).positions
            rise = pair[:, 0] - pair[:, 1]
            seen = rise[np.isfinite(rise).all(axis=1)]
            if len(seen):
                return "xyz"[int(np.argmax(seen.mean(axis=0)))]
    return usual


@names_file
def read_points_trc(
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    roles: Mapping[str, str] | None = None,
) -> Points:
    """Read markers of a TRC file, as `upright_roles`; `rate` [Hz] replaces the file's."""
    lines = text_of(plain_bytes(read_bytes(path))).splitlines()
    if not lines[0].startswith("PathFileType") or len(lines) < HEADER:
        raise FormatError("Expected 'PathFileType' and four more lines of header.", line=1)
    mark = "\t" if "\t" in lines[1] else ","
    head = dict(zip(_cells(lines[1], mark), _cells(lines[2], mark), strict=False))
    names = [cell for cell in _cells(lines[3], mark)[2:] if cell]
    if not names or len(names) > MAX_MARKERS or len(set(names)) != len(names):
        raise FormatError(f"Expected the names of markers, each once; got {len(names)}.", line=4)
    said, unit = head.get("DataRate", ""), head.get("Units", "mm")
    chosen = rate if rate is not None else finite(said)
    with located(line=3):
        if chosen is None or chosen <= 0.0:
            raise FormatError(f"Expected a positive DataRate, got {said!r}.")
        if unit not in UNITS:
            raise FormatError(f"Expected Units among {', '.join(UNITS)}; got {unit!r}.")
    positions = _rows(lines, mark, len(names)) * UNITS[unit]
    return upright_roles(Points(tuple(names), positions, chosen), "y", roles)


def write_points_trc(points: Points, path: str | os.PathLike[str]) -> None:
    """Write points in millimetres; one that is not seen leaves its cells empty."""
    name, rate = os.path.basename(os.fspath(path)), f"{points.rate:.10g}"
    count, frames = len(points.names), len(points)
    rows = [
        f"PathFileType\t4\t(X/Y/Z)\t{name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame"
        "\tOrigNumFrames",
        f"{rate}\t{rate}\t{frames}\t{count}\tmm\t{rate}\t1\t{frames}",
        "Frame#\tTime\t" + "\t\t\t".join(points.names) + "\t\t",
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, count + 1)),
        "",
    ]
    for frame, values in enumerate(points.positions * 1000.0):
        cells = ["" if np.isnan(x) else f"{x:.6f}" for x in values.ravel()]
        rows.append("\t".join([str(frame + 1), f"{frame / points.rate:.9f}", *cells]))
    with atomic_write(path) as file:
        file.write(("\n".join(rows) + "\n").encode())


def _cells(line: str, mark: str) -> list[str]:
    return [cell.strip() for cell in line.split(mark)]


def _rows(lines: list[str], mark: str, count: int) -> Floats:
    """Return positions (F, N, 3), NaN for empty cells."""
    table = []
    for at, line in enumerate(lines[HEADER:], HEADER + 1):
        cells = _cells(line, mark)
        if not any(cells):
            continue
        cells = (cells[2:] + [""] * (3 * count))[: 3 * count]
        row = list(map(number_or_nan, cells))
        if None in row:
            got = cells[row.index(None)][:40]
            raise FormatError(f"Expected a number, got {got!r}.", line=at)
        table.append(row)
    if not table:
        raise FormatError("Expected at least one row of numbers, got none.")
    positions = np.array(table, dtype=np.float64).reshape(len(table), count, 3)
    positions[np.isnan(positions).any(axis=-1)] = np.nan
    return positions


@names_file
def read_points_c3d(
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    roles: Mapping[str, str] | None = None,
) -> Points:
    """Read markers of a C3D file, as `upright_roles`; `rate` [Hz] replaces the file's.

    Z is up where head and ankles do not tell: laboratories have it so.
    """
    try:
        ezc3d: Any = importlib.import_module("ezc3d")
    except ImportError as error:
        raise MissingExtra("ezc3d", "c3d", "Reading C3D") from error
    source = Path(path)
    if not source.is_file():
        raise FormatError("Cannot be read: no such file.")
    if not 512 <= source.stat().st_size <= MAX_FILE:
        raise FormatError(f"Expected 512 to {MAX_FILE} bytes of C3D.")
    try:
        content = ezc3d.c3d(str(source))
        values = np.asarray(content["data"]["points"], dtype=np.float64)
        group = content["parameters"]["POINT"]
        labels = _labels(group, values.shape[1])
        said = float(np.ravel(group["RATE"]["value"])[0])
        units = [str(unit).lower() for unit in group.get("UNITS", {}).get("value", [])]
    except Exception as error:  # ezc3d raises whatever C++ or its dictionaries raise
        raise FormatError(f"Expected C3D: {error}.") from None
    if values.ndim != 3 or not values.shape[1] or not values.shape[2]:
        raise FormatError("Expected markers, got none.")
    chosen = rate if rate is not None else said
    if not 0.0 < chosen < 1e6:
        raise FormatError(f"Expected a positive POINT:RATE, got {chosen}.")
    unit = units[0] if units and units[0] in UNITS else "mm"
    positions = values[:3].transpose(2, 1, 0) * UNITS[unit]
    positions[~(np.abs(positions) < FARTHEST).all(axis=-1)] = np.nan
    # Some writers leave zeros where a marker was not seen.
    positions[(positions == 0.0).all(axis=-1)] = np.nan
    return upright_roles(Points(labels, positions, chosen), "z", roles)


def _labels(group: Any, count: int) -> tuple[str, ...]:
    """Return names of all markers; LABELS2 and so on hold those beyond the 255th."""
    names, key = list[str](), "LABELS"
    while key in group or key == "LABELS":
        names += [str(name).strip() for name in group[key]["value"]]
        key = f"LABELS{int(key[6:] or 1) + 1}"
    seen: dict[str, int] = {}
    out = []
    for k, name in enumerate((names + [""] * count)[:count], 1):
        plain = name or f"marker {k}"
        seen[plain] = seen.get(plain, 0) + 1
        out.append(plain if seen[plain] == 1 else f"{plain} ({seen[plain]})")
    return tuple(out)
