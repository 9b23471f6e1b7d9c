"""How well a subject is fitted: mounts of trackers, bone lengths, and what that does to motion.

Each person's clips are joined to one recording. Six trackers with rotations are mounted on the
joints, 3 to 12 cm away and turned in any way; a stance of two seconds stands in front, or there is
free motion alone. What the solver makes of the joints that the fitted mounts give is compared with
what it makes of the true ones. Bone lengths are fitted to dense joints and to six points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from ..api import reconstruct
from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..formats.clip_folders import subject_name
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..solvers import solver
from ..subjects import Subject, fit_subject
from ..subjects.usual_poses import ABDUCTION
from . import experiment as ex

RATE = 30.0
"""Frames a second of the recordings [Hz]."""
SECONDS = 30.0
"""Length of a recording at most [s]."""
STANCE_SECONDS = 2.0
NEAREST, FARTHEST = 0.03, 0.12
"""Distances of trackers from their joints [m]."""
HELD_DEG = 3.0
"""How precisely a person holds a stance: standard deviation of each joint about each axis."""
AS_JOINTS, POSITIONS = "as joints", "positions only"
CLAIMS: Mapping[str, float] = {
    "stance, exact": 1.25,
    "stance, as held": 1.25,
    "free motion": 1.6,
    AS_JOINTS: float("nan"),
    f"{POSITIONS}, stance as held": float("nan"),
    f"{POSITIONS}, {AS_JOINTS}": float("nan"),
}
"""Scenario -> most that the error may be, as a multiple of that of true joints."""
DENSE = tuple(
    ["pelvis", "head"]
    + [f"{s}_{j}" for s in "lr" for j in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")]
)
BONES: Mapping[str, tuple[str, str]] = {
    "thigh": ("l_hip", "l_knee"),
    "calf": ("l_knee", "l_ankle"),
    "upper_arm": ("l_shoulder", "l_elbow"),
    "forearm": ("l_elbow", "l_wrist"),
    "pelvis_width": ("l_hip", "r_hip"),
    "torso_width": ("l_shoulder", "r_shoulder"),
    "torso": ("pelvis", "head"),
}
"""Length -> joints between which it is measured; torso and neck together as `torso`."""
LENGTH_CLAIMS: Mapping[str, float] = {"dense joints": 0.03, "six points": 0.06}


class Worn(NamedTuple):
    """How trackers are mounted."""

    offsets: Floats
    """Shape (N, 3) [m]."""
    rotations: Floats
    """Of the trackers relative to their bones, shape (N, 4)."""

    def on(self, points: Points) -> Points:
        """Return trackers on joints."""
        assert points.rotations is not None
        moved = points.positions + arrays.rotate(points.rotations, self.offsets)
        turned = arrays.multiply(points.rotations, self.rotations)
        return replace(points, positions=moved, rotations=turned)


def draw_mounts(rng: np.random.Generator, *, mirrored: bool) -> Worn:
    """Return mounts of six trackers in random directions, turned at random.

    Args:
        rng: draws them.
        mirrored: as people wear trackers: pelvis and head near the middle, left and right alike but
            for a centimetre.
    """
    offsets = rng.normal(size=(len(SIX), 3))
    lengths = rng.uniform(NEAREST, FARTHEST, len(SIX))
    if mirrored:
        offsets[:2, 0] *= 0.2
        offsets[[3, 5]] = offsets[[2, 4]] * (-1.0, 1.0, 1.0)
        lengths[[3, 5]] = lengths[[2, 4]]
    offsets *= (lengths / np.linalg.norm(offsets, axis=1))[:, None]
    if mirrored:
        offsets += 0.01 * rng.normal(size=offsets.shape)
    return Worn(offsets, arrays.normalize(rng.normal(size=(len(SIX), 4))))


def stance_motion(body: Skeleton, stance: str, spread: float, rng: np.random.Generator) -> Motion:
    """Return somebody who holds a stance for two seconds, feet flat on the ground.

    Args:
        body: who.
        stance: "t", "a" or "n".
        spread: standard deviation of every joint about every axis [rad].
        rng: draws the deviations.
    """
    anatomy = body.anatomy
    turned = arrays.identity(body.joint_count)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        raised = arrays.from_axis_angle((0.0, 0.0, 1.0), sign * ABDUCTION[stance])
        turned[anatomy.node(f"{side}_shoulder")] = raised
    off = np.zeros((body.joint_count, 3))
    for role in ("head", "l_shoulder", "r_shoulder", "l_wrist", "r_wrist", "l_hip", "r_hip"):
        joint = body.carrier(anatomy.node(role))
        off[joint] = (0.7 if role.endswith("hip") else 1.0) * spread * rng.normal(size=3)
    for role, sign in (("l_elbow", -1.0), ("r_elbow", -1.0), ("l_knee", 1.0), ("r_knee", 1.0)):
        off[anatomy.node(role), 0] = sign * spread * abs(rng.normal())
    for joint in anatomy.spine:
        off[joint] = 0.3 * spread * rng.normal(size=3)
    turned = arrays.multiply(turned, arrays.from_rotvec(off))

    def moving(local: Floats, height: float = 0.0) -> Motion:
        rotations = arrays.normalize(anatomy.from_anatomical(local))
        frames = round(STANCE_SECONDS * RATE)
        root = np.tile([0.0, height, 0.0], (frames, 1))
        return Motion(body, root, np.tile(rotations, (frames, 1, 1)), RATE)

    knees = moving(turned).points(("l_knee", "r_knee"), rotations=True).rotations
    assert knees is not None
    for k, side in enumerate("lr"):  # feet flat, toes out
        out = arrays.from_axis_angle((0.0, 1.0, 0.0), (1 - 2 * k) * spread * abs(rng.normal()))
        flat = arrays.multiply(arrays.conjugate(knees[0, k]), out)
        turned[body.carrier(anatomy.node(f"{side}_ankle"))] = flat
    low = moving(turned).points(("l_ankle", "r_ankle")).positions[..., 1].min()
    return moving(turned, 0.047 * anatomy.stature - float(low))


def recordings(clips: Mapping[str, Motion], seconds: float = SECONDS) -> dict[str, Motion]:
    """Return one recording of each person: pieces of all their clips, at 30 Hz."""
    people: dict[str, list[Motion]] = {}
    for name, clip in clips.items():
        people.setdefault(subject_name(Path(name)), []).append(clip)
    found = {}
    for name, own in people.items():
        share = round(seconds * RATE / len(own))
        pieces = [ex.excerpt(clip.resampled(RATE), share) for clip in own]
        same = [piece for piece in pieces if piece.skeleton == pieces[0].skeleton]
        found[name] = replace(
            same[0],
            root=np.concatenate([piece.root for piece in same]),
            rotations=np.concatenate([piece.rotations for piece in same]),
        )
    return found


def _joined(first: Points, second: Points) -> Points:
    rotations = None
    if first.rotations is not None and second.rotations is not None:
        rotations = np.concatenate([first.rotations, second.rotations])
    positions = np.concatenate([first.positions, second.positions])
    return replace(second, positions=positions, rotations=rotations)


def fit_worn(motion: Motion, worn: Worn, scenario: str, rng: np.random.Generator) -> Subject:
    """Return the subject that is fitted to trackers on a person whose body is known."""
    tracked = worn.on(motion.points(rotations=True))
    if scenario.startswith(POSITIONS):
        tracked = _bare(tracked)
    if scenario == "free motion":
        return fit_subject(tracked, pose=None, skeleton=motion.skeleton)
    spread = 0.0 if scenario == "stance, exact" else np.radians(HELD_DEG)
    still = stance_motion(motion.skeleton, "n", spread, rng).points(rotations=True)
    held = worn.on(still)
    both = _joined(held if tracked.rotations is not None else _bare(held), tracked)
    return fit_subject(both, pose="n", at=(0.0, STANCE_SECONDS), skeleton=motion.skeleton)


def bench_subjects(
    clips: Mapping[str, Motion], draws: int = 2, quick: bool = False, progress: ex.Progress = None
) -> ex.Measurements:
    """Return errors of mounts, lengths and bodies.

    Args:
        clips: motion of people, by the names of files; the name up to the first underscore is the
            person.
        draws: sets of mounts for each person.
        quick: fewer people, seconds and draws.
        progress: called with the number of people done and their total.
    """
    people = recordings(clips, 6.0 if quick else SECONDS)
    if quick:
        people, draws = dict(list(people.items())[:2]), 1
    step = ex.counted(progress, len(people))
    rows: list[dict[str, Any]] = []
    lengths: list[dict[str, Any]] = []
    bodies: list[dict[str, Any]] = []
    for k, (name, motion) in enumerate(people.items()):
        for draw in range(draws):
            rows += [{"person": name, **row} for row in _mount_rows(motion, (ex.SEED, k, draw))]
        found_lengths, found_bodies = _body_rows(motion)
        lengths += [{"person": name, **row} for row in found_lengths]
        bodies += [{"person": name, **row} for row in found_bodies]
        step()
    return {
        "seed": ex.SEED,
        "people": list(people),
        "draws": draws,
        "rows": rows,
        "mounts": _summary(rows, ("scenario", "worn")),
        "length_rows": lengths,
        "lengths": _summary(lengths, ("points",)),
        "body_rows": bodies,
        "bodies": _summary(bodies, ("body",)),
    }


def _mount_rows(motion: Motion, seed: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Yield errors of each scenario, for mounts as worn and in any direction."""
    true = motion.points(rotations=True)
    clean, blind = (_error(points, motion.skeleton, motion) for points in (true, _bare(true)))
    for label, mirrored in (("as people do", True), ("in any direction", False)):
        worn = draw_mounts(np.random.default_rng(seed), mirrored=mirrored)
        tracked = worn.on(true)
        for scenario, most in CLAIMS.items():
            rng = np.random.default_rng((*seed, 1))
            positions = scenario.startswith(POSITIONS)
            seen = _bare(tracked) if positions else tracked
            who: Subject | Skeleton = motion.skeleton
            joints = tracked
            if not scenario.endswith(AS_JOINTS):
                who = fit_worn(motion, worn, scenario, rng)
                joints = who.joint_points(tracked)
            error, least = _error(seen, who, motion), blind if positions else clean
            yield {
                "scenario": scenario,
                "worn": label,
                "clean": least,
                "error": error,
                "ratio": error / least,
                "at_most": None if np.isnan(most) else most,
                **_joint_errors(joints, true, positions),
            }


def _bare(points: Points) -> Points:
    """Return positions without rotations."""
    return replace(points, rotations=None)


def _error(points: Points, who: Subject | Skeleton, motion: Motion) -> float:
    made = reconstruct(points, who, "guided", tracked=False).motion
    return compare(made, motion).position_rms


def _joint_errors(joints: Points, true: Points, positions: bool) -> dict[str, float | None]:
    """Return how far joints are from the true ones; nothing where rotations are not known."""
    if positions:
        return {"joint_m": None, "turned_deg": None}
    assert true.rotations is not None
    assert joints.rotations is not None
    away = np.linalg.norm(joints.positions - true.positions, axis=-1)
    angle = arrays.angle_between(joints.rotations, true.rotations)
    return {"joint_m": float(away.mean()), "turned_deg": float(np.degrees(angle.mean()))}


def _length(body: Skeleton, ends: tuple[str, str]) -> float:
    anatomy = body.anatomy
    return float(np.linalg.norm(anatomy.vector(*(anatomy.node(role) for role in ends))))


def _body_rows(motion: Motion) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return errors of fitted lengths, and what bodies do to the motion."""
    stature = motion.skeleton.anatomy.stature
    six = motion.points()
    fitted = {
        "dense joints": fit_subject(motion.points(DENSE), pose=None),
        "six points": fit_subject(six, pose=None),
        "six points and height": fit_subject(six, pose=None, height=stature),
    }
    rows = []
    for label, subject in fitted.items():
        own = subject.lengths()
        off = {
            n: _length(subject.skeleton, e) - _length(motion.skeleton, e) for n, e in BONES.items()
        }
        spread = dict(subject.deviations)
        spread["torso"] = float(np.hypot(spread["torso"], spread["neck"]))
        parts = [abs(d) / _length(motion.skeleton, BONES[n]) for n, d in off.items()]
        assert own.keys() >= BONES.keys()
        rows.append(
            {
                "points": label,
                "error": float(np.mean(parts)),
                "worst": max(parts),
                "within_two": float(np.mean([abs(d) < 2.0 * spread[n] for n, d in off.items()])),
                "at_most": LENGTH_CLAIMS.get(label),
            }
        )
    bodies: dict[str, Skeleton] = {
        "true": motion.skeleton,
        "average of that height": Skeleton.humanoid(stature),
        **{f"fitted to {label}": subject.skeleton for label, subject in fitted.items()},
    }
    found = []
    truth = motion.points(DENSE).positions
    elbows = [DENSE.index("l_elbow"), DENSE.index("r_elbow")]
    for label, body in bodies.items():
        result = solver("guided").prepare(body, rate=motion.rate).solve_clip(six)
        away = np.linalg.norm(result.motion.points(DENSE).positions - truth, axis=-1)
        found.append(
            {
                "body": label,
                "joints_m": float(away.mean()),
                "elbows_m": float(away[:, elbows].mean()),
                "steps_over_30deg": float(result.report.steps_over_30deg),
            }
        )
    return rows, found


def _summary(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return means over people and draws; ratios are of means."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    out = []
    for values, own in groups.items():
        row = dict(zip(keys, values, strict=True))
        for key in own[0]:
            if key in row or key == "person":
                continue
            known = [each[key] for each in own if each[key] is not None]
            row[key] = float(np.mean(known)) if known else None
        if "clean" in row:
            row["ratio"] = row["error"] / row["clean"]
        out.append(row)
    return out


def _read(options: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Read the clips, of some people if they are named."""
    given, _ = ex.read_clips(options)
    wanted = given.pop("people")
    if wanted is not None:
        names = [name.strip() for name in wanted.split(",")]
        of = {clip: subject_name(Path(clip)) for clip in given["clips"]}
        for name in names:
            if name not in of.values():
                raise UnknownName("person", name, sorted(set(of.values())))
        given["clips"] = {c: m for c, m in given["clips"].items() if of[c] in names}
    if not given["clips"]:
        raise InputError("Expected at least one clip, got none.")
    given["draws"] = given["draws"] or 2
    return given, []


def _show(found: ex.Measurements) -> Iterator[ex.Table]:
    keys = "scenario worn joint_m:.3f turned_deg:.1f clean:.4f error:.4f ratio:.2f at_most:.2f"
    yield ex.table("Six trackers with rotations, mounts fitted, true body", keys, found["mounts"])
    keys = "points error:.3f worst:.3f within_two:.0%  at_most:.2f"
    yield ex.table("Bone lengths, as a part of the length", keys, found["lengths"])
    keys = "body joints_m:.4f elbows_m:.4f steps_over_30deg:.0f"
    yield ex.table("Six points on fitted bodies", keys, found["bodies"])


EXPERIMENT = ex.Experiment(
    about="""Mounts of trackers from a stance and from free motion, bone lengths from dense and from
few points, and what both do to the motion of the solver `guided`.

\b
sixpoint bench subjects --data CMU --people 2,14,49,61,86,118,135""",
    options=(
        ex.DATA_OPTION,
        click.Option(["--people"], metavar="NAME,NAME...",
                     help="Whose clips: names of files up to the first underscore. Default: all."),
        click.Option(["--draws"], type=click.IntRange(1), metavar="N",
                     help="Sets of mounts for each person.  [default: 2]"),
    ),
    solvers=lambda options: [solver("guided")],
    inputs=_read,
    run=bench_subjects,
    show=_show,
    output_help="Write subjects.json there.",
)  # fmt: skip
