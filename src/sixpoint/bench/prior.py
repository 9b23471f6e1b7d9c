"""What a prior gains and what it costs: sequential IK with and without, on clips and under stress.

Each clip is reconstructed by plain sequential IK, by the guided solver, and by variants of it that
leave something out; clips of one person are taken together as well. Then points are made worse:
noise, drop-outs, a body with wrong limb lengths. Other sets of points are tracked (see
`point_sets`). The confidence that the guided solver reports is compared with its errors and with
wrong names. Last, other solvers use the guided solver as a warm start, as a
posture, or for the swivel of elbows and knees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..formats.clip_folders import read_subjects, subject_name
from ..kernels.types import Floats
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..priors.model import prior_of
from ..priors.plausibility import MISTAKES, find_mistake
from ..solvers import SOLVERS, Solver, solver
from ..studio.panels import Panel
from ..studio.pictures import contact_sheet
from . import charts
from . import experiment as ex
from .measures import ALL, averages, error_row, evaluate
from .point_sets import bench_point_sets
from .published import paper_clip


class Stress(NamedTuple):
    """A way to make the input worse."""

    levels: Sequence[float]
    thinning: int
    """A quick run takes every so many-th level."""
    label: str
    """Title of the axis in the chart."""
    factor: float
    """How many units of the axis one unit of the level is."""


STRESSES = {
    "noise_m": Stress((0.0, 0.002, 0.005, 0.010, 0.020, 0.030), 3, "noise on the points [mm]", 1e3),
    "lost": Stress((0.0, 0.05, 0.1, 0.2), 3, "points not seen [% of the time]", 1e2),
    "lengths": Stress((-0.10, -0.05, 0.0, 0.05, 0.10), 2, "error of limb lengths [%]", 1e2),
}
"""White noise on every coordinate [m], fraction of the time in which each point is not seen, errors
of the limbs' lengths."""
GAP = 0.3
"""Mean length of a drop-out [s]."""
STRESSED = ("sik", "guided", "guided, then pik")
"""Variants that are put under stress."""
QUICK_FRAMES = 240
CONFIDENCE_BINS = (0.0, 0.25, 0.5, 0.65, 0.75, 0.85, 1.0)
"""Edges of the confidence."""
LOW_CONFIDENCE = 0.5
"""A frame of less confidence is doubted."""
NO_MISTAKE = "nothing is wrong"
SWIVEL_WEIGHTS = (0.3, 1.0, 3.0)
"""Weights of the guided solver's swivel in the search of `tgbsik`."""
QUICK_FOLLOWERS = ("tgbsik", "dls", "pik")
"""Other solvers in a quick run: each costs seconds to compile for the first time."""
FOLLOWER_KEYS = (
    "frames", "position_rms", "orientation_rms", "elbow_mean_m", "knee_mean_m", "effector_mean_m",
    "iterations", "median_us", "steps_over_30deg", "limit_violations",
)  # fmt: skip
"""Errors that are kept of each."""
WORST = 6
"""Frames on a sheet of the worst."""
BETWEEN = 0.5
"""Least time between two of them [s]."""

Clips = Mapping[str, Motion]


def with_paper_weights(solver: Solver, clip: str) -> Solver:
    """Return the solver with the weights of the SIK paper, if the clip is one of the paper's.

    `guided` has no weights and stays as it is.
    """
    paper = paper_clip(clip)
    if paper is None or solver.name == "guided":
        return solver
    return replace(solver, weights=paper.weights)  # type: ignore[call-arg]


def variants(prior: str = "") -> dict[str, Solver]:
    """Return the solvers that are compared on clips."""
    return {
        "sik": solver("sik"),
        "sik, swivel search": solver("sik", swivel="search"),
        "guided": solver("guided", prior=prior),
        "guided, then pik": solver("pik", start="guided", prior=prior),
        "tgbsik": solver("tgbsik"),
    }


def bench_prior(
    clips: Clips,
    *,
    people: Mapping[str, Sequence[Motion]] | None = None,
    prior: str = "",
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure what a prior gains on clips and under stress.

    The paper's clips get its weights for plain sequential IK. Clips whose names agree up to the
    first underscore are of one person. `people` are those whom the prior, a file of a model or
    empty for the built-in one, was not fitted to: name -> motions, for a table of them.
    """
    if not clips:
        raise InputError("Expected at least one clip, got none.")

    def shortened(clip: Motion) -> Motion:
        return ex.excerpt(clip, QUICK_FRAMES) if quick else clip

    chosen = {name: shortened(clip) for name, clip in clips.items()}
    aside = {
        f"{name}_{k + 1}": shortened(clip)
        for name, motions in (people or {}).items()
        for k, clip in enumerate(motions[:1] if quick else motions)
    }
    solvers, followers = variants(prior), other_solvers(prior, quick)
    stresses = [
        (kind, level, name)
        for kind, stress in STRESSES.items()
        for level in stress.levels[:: stress.thinning if quick else 1]
        for name in STRESSED
    ]
    unseen = aside or chosen
    parts = (len(chosen) + len(aside)) * len(solvers) + len(chosen) * len(followers) + len(unseen)
    step = ex.counted(progress, parts + len(stresses) + 2 + len(MISTAKES))
    rows = _named_rows(chosen, solvers, step)
    kept_aside = _named_rows(aside, solvers, step)
    everybody = [{**row, "subject": ALL} for row in kept_aside]
    stressed = []
    for kind, level, name in stresses:
        errors = _stressed(kind, level, solvers[name], chosen)
        stressed.append({"stress": kind, "level": level, "solver": name, **errors})
        step()
    return {
        "seed": ex.SEED,
        "prior": prior or "built-in",
        "rows": rows,
        "subjects": averages(rows, ("subject", "solver"), pooled=True),
        "averages": averages(rows, ("solver",)),
        "kept_aside": averages([*kept_aside, *everybody], ("subject", "solver"), pooled=True),
        "stresses": stressed,
        "point_sets": bench_point_sets(unseen, prior, step),
        **bench_doubts(solver("guided", prior=prior), chosen, step),
        "others": bench_others(chosen, followers, step),
    }


def _rows(
    clips: Clips, solvers: Mapping[Any, Solver], step: Callable[[], None]
) -> list[tuple[str, Any, dict[str, Any]]]:
    """Return name of the clip, key of the solver and errors; `step` is called after each."""
    rows = []
    for clip_name, clip in clips.items():
        for key, method in solvers.items():
            found = evaluate(with_paper_weights(method, clip_name), clip)
            rows.append((clip_name, key, error_row(*found)))
            step()
    return rows


def _named_rows(
    clips: Clips, solvers: Mapping[str, Solver], step: Callable[[], None]
) -> list[dict[str, Any]]:
    return [
        {"clip": clip, "subject": subject_name(Path(clip)), "solver": name, **row}
        for clip, name, row in _rows(clips, solvers, step)
    ]


def _stressed(kind: str, level: float, method: Solver, clips: Clips) -> dict[str, float]:
    """Return mean position and orientation errors of clips under one level of stress."""
    errors = []
    for k, (name, clip) in enumerate(clips.items()):
        rng = np.random.default_rng(ex.SEED + k)
        points, skeleton = clip.points(), clip.skeleton
        if kind == "noise_m":
            points = noisy(points, level, rng)
        elif kind == "lost":
            points = with_gaps(points, level, rng)
        else:
            skeleton = with_limbs(skeleton, 1.0 + level)
        tracker = with_paper_weights(method, name).prepare(skeleton, rate=points.rate)
        found = compare(tracker.solve_clip(points).motion, clip)
        errors.append((found.position_rms, found.orientation_rms))
    position, orientation = map(float, np.mean(errors, axis=0))
    return {"position_rms": position, "orientation_rms": orientation}


def noisy(points: Points, level: float, rng: np.random.Generator) -> Points:
    """Return the points with white noise on every coordinate [m]."""
    noise = level * rng.normal(size=points.positions.shape)
    return replace(points, positions=points.positions + noise)


def with_gaps(points: Points, lost: float, rng: np.random.Generator) -> Points:
    """Return the points, each lost so much of the time; lengths of gaps are exponential."""
    if lost <= 0.0:
        return points
    positions: Floats = points.positions.copy()
    for p in range(positions.shape[1]):
        frame = 0.0
        while frame < len(positions):
            seen = rng.exponential(GAP * (1.0 - lost) / lost) * points.rate
            gap = rng.exponential(GAP) * points.rate
            positions[int(frame + seen) : int(frame + seen + gap), p] = np.nan
            frame += seen + gap + 1.0
    return replace(points, positions=positions)


def with_limbs(skeleton: Skeleton, factor: float) -> Skeleton:
    """Return the same body with longer or shorter upper and lower arms and legs."""
    anatomy = skeleton.anatomy
    offsets = np.array(skeleton.offsets)
    for side in "lr":
        for top, *below in (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")):
            path = skeleton.path(anatomy.node(f"{side}_{below[-1]}"))
            after = path[path.index(anatomy.node(f"{side}_{top}")) + 1 :]
            offsets[[node for node in after if node < skeleton.joint_count]] *= factor
    return replace(skeleton, offsets=offsets)


def bench_doubts(method: Any, clips: Clips, step: Callable[[], None]) -> dict[str, Any]:
    """Return the rows of `confidence` and of `mistakes`."""
    rows = []
    for mistake in (None, *MISTAKES):
        trusts, named = [], 0
        for clip in clips.values():
            points = clip.points().select(SIX)
            if mistake is not None:
                made = np.asarray(mistake.made(points.positions), np.float64)
                points = replace(points, positions=made)
            trusts.append(method.prepare(clip.skeleton, rate=points.rate).solve_clip(points))
            named += find_mistake(points, clip.skeleton, prior_of(method.prior))[0] is mistake
        trust = np.concatenate([result.confidence for result in trusts])
        rows.append(
            {
                "mistake": NO_MISTAKE if mistake is None else mistake.words,
                "confidence": float(trust.mean()),
                "doubted": float((trust < LOW_CONFIDENCE).mean()),
                "named": named,
                "clips": len(clips),
            }
        )
        step()
    found = {"confidence": confidence_bins(method, clips), "mistakes": rows}
    step()
    return found


def confidence_bins(method: Solver, clips: Clips) -> list[dict[str, Any]]:
    """Return the mean error of the frames of each range of confidence."""
    found = [evaluate(method, clip) for clip in clips.values()]
    trust = np.concatenate([result.confidence for _, result in found])
    error = np.concatenate([comparison.position_per_frame for comparison, _ in found])
    chosen = np.digitize(trust, CONFIDENCE_BINS[1:-1])
    return [
        {
            "from": CONFIDENCE_BINS[k],
            "to": CONFIDENCE_BINS[k + 1],
            "frames": int((chosen == k).sum()),
            "position_mean": float(error[chosen == k].mean()) if (chosen == k).any() else None,
        }
        for k in range(len(CONFIDENCE_BINS) - 1)
    ]


def other_solvers(prior: str = "", quick: bool = False) -> dict[tuple[str, str], Solver]:
    """Return solvers by name and by what they take from others; "published" is nothing."""
    settings: dict[tuple[str, str], dict[str, Any]] = {("tgbsik", "published"): {}}
    for weight in SWIVEL_WEIGHTS:
        given = {"prior_weight": weight, "prior": prior}
        settings["tgbsik", f"swivel of guided, {weight:g}"] = given
    sources: dict[str, dict[str, str]] = {"sik": {}, "guided": {"prior": prior}}
    for name, kind in SOLVERS.items():
        if not isinstance(getattr(kind, "start", None), str):  # no warm start by name
            continue
        settings[name, "published"] = {}
        for source, file in sources.items():
            settings[name, f"start of {source}"] = {"start": source, **file}
        for source, file in sources.items() if name == "pik" else ():
            settings[name, f"posture of {source}"] = {"towards": source, **file}
            settings[name, f"both of {source}"] = {"start": source, "towards": source, **file}
    settings["monte-carlo", "published"] = {"prior": "constant"}
    settings["monte-carlo", "start of sik"] = {"prior": "sik"}
    settings["monte-carlo", "start of guided"] = {"prior": prior or "guided"}
    return {
        (name, variant): solver(name, **given)
        for (name, variant), given in settings.items()
        if not quick or name in QUICK_FOLLOWERS
    }


def bench_others(
    clips: Clips, solvers: Mapping[tuple[str, str], Solver], step: Callable[[], None]
) -> dict[str, Any]:
    """Measure other solvers on clips; `step` is called after each solver on each clip."""
    rows = [
        {"clip": clip, "solver": name, "variant": variant}
        | {key: row[key] for key in FOLLOWER_KEYS}
        for clip, (name, variant), row in _rows(clips, solvers, step)
    ]
    return {"rows": rows, "averages": averages(rows, ("solver", "variant"))}


def draw_stresses(found: ex.Measurements, path: str | Path) -> Path:
    """Draw errors over noise, drop-outs and wrong lengths."""
    figure = charts.new_chart(10.0, 3.2)
    for k, (kind, stress) in enumerate(STRESSES.items()):
        axes = charts.empty_axes(figure, (0.07 + 0.32 * k, 0.17, 0.26, 0.75), stress.label)
        curves: charts.Curves = {name: [] for name in STRESSED}
        for row in found["stresses"]:
            if row["stress"] == kind:
                point = stress.factor * row["level"], row["position_rms"]
                curves[row["solver"]].append(point)
        charts.draw_curves(axes, curves)
        axes.set_ylim(bottom=0.0)
        if k == 0:
            axes.set_ylabel("position error / height")
            axes.legend(frameon=False)
    return charts.save_figure(figure, path)


def draw_worst(clip: Motion, name: str, prior: str, path: str | Path, dpi: int = 80) -> None:
    """Draw the frames with the largest error of `guided`: the truth, `guided` and `sik`."""
    methods = {
        "guided": solver("guided", prior=prior),
        "sik": with_paper_weights(solver("sik"), name),
    }
    found = {key: evaluate(method, clip) for key, method in methods.items()}
    chosen = worst_frames(found["guided"][0].position_per_frame, clip.rate)
    points = clip.points()
    panels = [Panel(clip, f"{name}: the truth", points)]
    for key, (comparison, result) in found.items():
        off = 100.0 * float(comparison.position_per_frame[chosen].mean())
        panels.append(Panel(result.motion, f"{key}, {off:.1f} % of height off", points))
    contact_sheet(panels, path, times=[frame / clip.rate for frame in chosen], dpi=dpi)


def worst_frames(error: Any, rate: float) -> list[int]:
    """Return the frames with the largest errors (F,), not too near to each other, in order."""
    chosen: list[int] = []
    for frame in map(int, np.argsort(-error)):
        if all(abs(frame - other) > BETWEEN * rate for other in chosen):
            chosen.append(frame)
    return sorted(chosen[:WORST])


def read_people(options: dict[str, Any]) -> tuple[dict[str, Any], Sequence[str]]:
    """Read the clips, every N-th of them, and people whom the model was not fitted to."""
    given, _ = ex.read_clips(options)
    given["clips"] = dict(list(given["clips"].items())[:: given.pop("every")])
    folder = given.pop("subjects")
    if folder is None:
        return given, ()
    found, notes = read_subjects(folder)
    known = set(prior_of(given["prior"]).card.get("training", ()))
    people = {name: clips for name, clips in found.items() if name not in known}
    left_out = ", ".join(name for name in found if name in known)
    if not people:
        raise InputError(
            f"{folder}: expected people whom the model was not fitted to, found only others: "
            f"{left_out}."
        )
    if left_out:
        notes = [*notes, f"left out, as the model was fitted to people of these names: {left_out}"]
    return given | {"people": people}, notes


def _files(found: ex.Measurements, folder: Path, options: Mapping[str, Any]) -> Iterator[Path]:
    yield draw_stresses(found, folder / "curves.png")
    for name, clip in options["clips"].items():
        path = folder / f"worst_{Path(name).name}.png"
        draw_worst(clip, name, options["prior"], path)
        yield path


def _show(found: ex.Measurements) -> Iterator[ex.Table]:
    errors = "solver position_rms:.4f orientation_rms_own:.4f orientation_rms:.4f "
    errors += "effector_mean_m:.5f effector_p99_m:.4f jitter_ratio:.2f largest_step_deg:.0f "
    errors += "median_us:.1f"
    yield ex.table("By clip", f"clip {errors}", found["rows"])
    if len(found["subjects"]) < len(found["rows"]):
        yield ex.table("By subject", f"subject {errors}", found["subjects"])
    yield ex.table("Averages over clips", errors, found["averages"])
    if found["kept_aside"]:
        title = "People whom the prior was not fitted to"
        yield ex.table(title, f"subject {errors}", found["kept_aside"])
    roles = {row["solver"]: row["roles"] for row in found["averages"]}
    joints = {role: {s: roles[s][role] for s in ("sik", "guided")} for role in roles["sik"]}
    keys = "sik.position:.4f guided.position:.4f sik.orientation:.3f guided.orientation:.3f"
    yield ex.table("By joint", keys, joints)
    keys = "stress level:g solver position_rms:.4f orientation_rms:.4f"
    yield ex.table("Under stress", keys, found["stresses"])
    keys = "points position_rms:.4f published:.4f orientation_rms:.3f error_m:.3f "
    keys += "expected_error_m:.3f correlation:.2f within:.0%"
    yield ex.table("Points that are tracked", keys, found["point_sets"])
    keys = "from:g to:g frames position_mean:.4f"
    yield ex.table("Errors by confidence", keys, found["confidence"])
    title = "Confidence where names or axes are wrong"
    yield ex.table(title, "mistake confidence:.2f doubted:.0% named clips", found["mistakes"])
    keys = "solver variant position_rms:.4f orientation_rms:.4f elbow_mean_m:.4f knee_mean_m:.4f "
    keys += "effector_mean_m:.5f iterations:.2f median_us:.0f steps_over_30deg:.1f"
    yield ex.table("Other solvers, averages over clips", keys, found["others"]["averages"])


def _solvers(options: Mapping[str, Any]) -> list[Solver]:
    prior = options["prior"]
    return [*variants(prior).values(), *other_solvers(prior, options["quick"]).values()]


EXPERIMENT = ex.Experiment(
    about="""Errors of the papers, joints, effectors, jitter and jumps by clip and by subject;
noise, drop-outs and wrong limb lengths; other sets of points, and the error that the solver expects
against the one that it makes; its confidence against its errors and against points with wrong
names; what other solvers gain by the same prior.

\b
sixpoint bench prior --data CMU/paper -o prior
sixpoint bench prior --data CMU/paper --subjects CMU/packs""",
    options=(
        ex.DATA_OPTION,
        click.Option(["--every"], type=click.IntRange(1), default=1, show_default=True, metavar="N",
                     help="Only every N-th of those clips."),
        click.Option(["--subjects"], metavar="DIR", help="Clips or archives of people, as for "
                     "`sixpoint train`: those whom the model was not fitted to are measured, too."),
        click.Option(["--prior"], default="", metavar="FILE",
                     help="A model; default the built-in one."),
    ),
    solvers=_solvers,
    inputs=read_people,
    run=bench_prior,
    show=_show,
    files=_files,
    output_help="Write prior.json, curves.png and the worst frames there.",
)  # fmt: skip
