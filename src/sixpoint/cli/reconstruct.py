"""`sixpoint reconstruct` and `demo`: one clip, every clip in a folder, or a built-in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import console as c

if TYPE_CHECKING:
    from ..api import Job
    from ..subjects.cleaning import Cleaning


@click.command("reconstruct")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", required=True, metavar="OUT", help="File, or folder if IN is one.")
@click.option(
    "--solver",
    "name",
    help="See `sixpoint solvers`.  [default: guided; sik with --weights or --collisions]",
)
@c.set_option
@click.option("--weights", nargs=3, type=float, metavar="W1 W2 W3",
              help="How much wrists, ankles and the frame before turn the pelvis.")  # fmt: skip
@click.option("--collisions", is_flag=True, help="Push elbows out of the torso.")
@click.option("--clear-elbows", is_flag=True,
              help="Swivel elbows out of the whole body afterwards, any solver.")  # fmt: skip
@click.option("--prior", metavar="FILE", help="A model of `sixpoint train`, for `guided` and "
              "for solvers that follow it.")  # fmt: skip
@click.option("--limits", metavar="adult|recorded|FILE", help="Joint limits: of adults (default), "
              "within which recorded people moved, or your own.")  # fmt: skip
@click.option("--no-limits", is_flag=True, help="Let joints turn freely.")
@click.option("--skeleton", metavar="FILE", help="Whose points these are, if IN holds points.")
@click.option("--height", type=click.FloatRange(min=0.0, min_open=True), metavar="METRES",
              help="Or how tall that person is; bone lengths are fitted.")  # fmt: skip
@click.option("--subject", metavar="FILE", help="Or a subject of `sixpoint fit`, which knows how "
              "the trackers are worn. Default: one is fitted.")  # fmt: skip
@click.option("--person", "people", multiple=True, metavar="LABEL=METRES",
              help="How tall one of several people is, whose points are named LABEL:head and so "
              "on; once for each.")  # fmt: skip
@click.option(
    "--smooth",
    default="auto",
    show_default=True,
    metavar="auto|off|HZ",
    help="Smoothing of tracked points: as their noise asks for, none, or a cutoff.",
)
@click.option(
    "--hand",
    type=click.Choice(["auto", "right", "left"]),
    default="auto",
    show_default=True,
    help="Handedness of the axes of tracked points.",
)
@click.option(
    "--names",
    type=click.Choice(["check", "given", "auto"]),
    default="check",
    show_default=True,
    help="Names of tracked points: refuse them if they look "
    "exchanged, take them as they are, or find out which tracker is which.",
)
@click.option("--no-bridging", is_flag=True,
              help="Solve once, although points vanish and come back.")  # fmt: skip
@click.option("--keep-outliers", is_flag=True,
              help="Keep samples of tracked points that no body can have made.")  # fmt: skip
@c.file_options
@c.layout_options
@c.role_option
@c.lenient_option
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Clips at a time."
)
@c.json_option
def reconstruct(
    source: str, output: str, jobs: int, reading: c.Reading, people: Sequence[str], **given: Any
) -> c.Answer:
    """Reconstruct full-body motion from tracked points.

    IN is a motion (its six points are taken, the rest is kept for the report), a file of tracked
    points, an array of joint positions with --layout and --rate, or a folder of clips. The body of
    tracked points is fitted to them, unless --skeleton or --subject gives it.

    \b
    sixpoint reconstruct boxing.bvh -o out.bvh
    sixpoint reconstruct tracked.csv --height 1.78 -o out.bvh
    sixpoint reconstruct joints.npy --layout coco17 --rate 30 -o out.bvh
    sixpoint reconstruct clips/ -o results/ --jobs 2
    """  # noqa: D301  (click wants the backspace itself)
    cleaning = _cleaning(given)
    limits = given.pop("limits") or "adult"
    if given.pop("no_limits"):
        if limits != "adult":
            raise click.UsageError("Give --limits or --no-limits, not both.")
        limits = None
    settings = {key: given.pop(key) or None for key in ("weights", "collisions", "prior")}
    sequential = settings["weights"] or settings["collisions"]  # settings of sequential IK
    name = given.pop("name") or ("sik" if sequential else "guided")
    if settings["prior"]:
        _check_prior(name)
    solver = c.make_solver(name, given.pop("settings"), **settings)
    from ..api import Job, WrongOption, find_jobs, people_jobs
    from ..formats import suffixes

    job = Job(source=source, output=output, solver=solver, limits=limits,
              cleaning=cleaning, reading=reading.options, **given)  # fmt: skip
    with c.wrong_call(WrongOption):
        if Path(source).is_dir() and not (reading.layout and any(Path(source).glob("*.json"))):
            if people:
                raise WrongOption("--person is for one file of points, not for a folder.")
            return _several(job, find_jobs(job), jobs)
        each = people_jobs(job, _heights(people))
        if len(each) == 1:
            return _one(each[0])
        for one in each:
            c.check_output(one.output, suffixes("write"), [source])
        return _several(job, each, jobs)


def _cleaning(given: dict[str, Any]) -> Cleaning:
    """Return what shall be done to tracked points; its options are taken out of those given."""
    from ..subjects.cleaning import Cleaning

    smooth = given.pop("smooth")
    if smooth not in ("auto", "off"):
        try:
            smooth = float(smooth)
        except ValueError:
            raise click.BadParameter(
                f"expected auto, off or a frequency in Hz, got {smooth!r}", param_hint="--smooth"
            ) from None
    with c.wrong_call():
        return Cleaning(
            smooth=smooth,
            hand=given.pop("hand"),
            names=given.pop("names"),
            outliers=not given.pop("keep_outliers"),
            bridge_gaps=not given.pop("no_bridging"),
        )


def _heights(texts: Sequence[str]) -> dict[str, float]:
    """Return label -> stature [m] of texts LABEL=METRES."""
    found = {}
    for text in texts:
        label, sign, number = text.partition("=")
        try:
            metres = float(number)
        except ValueError:
            metres = 0.0
        if not (label and sign and metres > 0.0):
            raise click.UsageError(f"Expected --person LABEL=METRES, as anna=1.68; got {text!r}.")
        found[label] = metres
    return found


def _check_prior(name: str) -> None:
    """Refuse a prior for a solver that has no such setting."""
    from ..solvers import SOLVERS
    from ..solvers.settings import settings_of

    able = [key for key, kind in SOLVERS.items() if "prior" in settings_of(kind)]
    if name in SOLVERS and name not in able:
        raise click.UsageError(
            f"--prior is for the solvers {', '.join(able)}; {name!r} does not use it."
        )


def _one(job: Job) -> c.Answer:
    from ..api import reconstruct_file
    from ..formats import suffixes

    c.check_output(job.output, suffixes("write"), [job.source])
    with c.compiling():
        report = reconstruct_file(job)
    title = f"{Path(job.source).name} -> {job.output}  ({report['solver']})"
    return c.Answer(report, lambda: show_report(title, report))


def _several(template: Job, jobs: Sequence[Job], workers: int) -> c.Answer:
    """Run the jobs of a folder or of several people; exit status 1 if one of them fails."""
    from ..api import run_jobs, summary_of
    from ..data.clips import builtin

    clip = builtin("squat").frames(slice(0, 2))
    with c.compiling():  # once, before several processes would do it at the same time
        tracker = template.solver.prepare(clip.skeleton, rate=clip.rate)
        tracker.solve_clip(clip.points())
    files: list[dict[str, Any]] = []
    with c.progress("clips") as tell:
        tell(0, len(jobs))
        for entry in run_jobs(jobs, workers):
            files.append(entry)
            if entry["error"]:
                c.say(f"sixpoint: {entry['error']}")
            tell(len(files), len(jobs))
    summary = summary_of(files)
    failed = any(entry["error"] for entry in files)
    return c.Answer(summary | {"files": files}, lambda: _show(files, summary), int(failed))


def _show(files: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> None:
    forms = {
        "frames": "{:d}",
        "position_rms": "{:.4f}",
        "orientation_rms": "{:.4f}",
        "target_mean_m": "{:.4f} m",
        "median_us": "{:.1f}",
    }
    rows = []
    for entry in [*files, {**summary, "input": "all", "error": None}]:
        cells = ["-" if entry[k] is None else form.format(entry[k]) for k, form in forms.items()]
        failed = ["failed", *[""] * (len(cells) - 1)]
        name = " ".join(filter(None, (Path(entry["input"]).name, entry.get("person"))))
        rows.append((name, *(failed if entry["error"] else cells)))
    titles = ("clip", "frames", "position RMS", "orientation RMS", "off by", "us/frame")
    c.show_table(None, titles, rows)


def show_report(title: str, report: Mapping[str, Any]) -> None:
    """Print the report of a clip, and its warnings."""
    rows = [("frames", f"{report['frames']} at {report['rate']:g} Hz, {report['joints']} joints")]
    if report["position_rms"] is not None:
        for kind, unit in (("position", "of body height"), ("orientation", "rad")):
            rms, mean = report[f"{kind}_rms"], report[f"{kind}_mean"]
            rows.append((f"{kind} error", f"{rms:.4f} RMS, {mean:.4f} mean, {unit}"))
    off = "none was seen"
    if report["target_mean_m"] is not None:
        off = f"{1e3 * report['target_mean_m']:.1f} mm off on average, "
        off += f"{1e3 * report['target_max_m']:.0f} mm at most"
    rows += [
        ("tracked points", off),
        ("limits broken", f"{report['limit_violations']} joint-frames"),
        ("jumps over 30 degrees", f"{report['steps_over_30deg']} joint-frames"),
        ("time per frame", f"{report['median_us']:.1f} us median, {report['p99_us']:.1f} us p99"),
    ]
    c.show_facts(title, rows)
    c.say_notes(report["warnings"])


@click.command("demo")
@click.option(
    "-o", "--output", default="demo", show_default=True, metavar="DIR", help="Made if new."
)
@click.option("--clip", default="reach", show_default=True, help="Which built-in clip.")
@click.option(
    "--solver", "name", default="guided", show_default=True, help="See `sixpoint solvers`."
)
@c.json_option
def demo(output: str, clip: str, name: str) -> c.Answer:
    """Reconstruct a built-in clip from six points and show the result.

    Needs no file, no screen and no network.
    """
    from ..api import report_of
    from ..data.clips import builtin
    from ..errors import MissingExtra
    from ..formats import save
    from ..motion.metrics import compare
    from ..studio.page import playback_page
    from ..studio.panels import Panel
    from ..studio.pictures import contact_sheet

    solver = c.make_solver(name, ())
    with c.wrong_call():
        original = builtin(clip)
    points = original.points()
    with c.compiling():
        tracker = solver.prepare(original.skeleton, rate=points.rate)
        result = tracker.solve_clip(points)
    motion = replace(result.motion, source=original.source)
    report = report_of(result, compare(motion, original))

    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    files = [str(folder / "original.bvh"), str(folder / "reconstruction.bvh")]
    save(original, files[0])
    save(motion, files[1])
    panels = [
        Panel(original, f"Original: {clip}", points),
        Panel(motion, f"Reconstruction from six points: {name}", points),
    ]

    def page(path: str) -> None:
        with c.progress("page") as tell:
            playback_page(panels, path, title="sixpoint demo", progress=tell)

    def sheet(path: str) -> None:
        contact_sheet(panels, path)

    pictures = {"contact_sheet.png": sheet, "playback.html": page}
    for file, draw in pictures.items():
        try:
            draw(str(folder / file))
        except MissingExtra as error:  # the rest of the demo does not depend on it
            report["warnings"].append(str(error))
        else:
            files.append(str(folder / file))
    title = f"{clip}, {points.positions.shape[1]} points -> {original.skeleton.joint_count} joints"

    def show() -> None:
        show_report(f"{title}  ({solver.title})", report)
        click.echo("\nWrote")
        for file in files:
            click.echo(f"  {file}")
        click.echo(NEXT.format(folder=folder))

    return c.Answer(report | {"outputs": files}, show)


NEXT = """
Try next
  open {folder}/playback.html in a browser: both figures in 3D
  sixpoint info YOUR.bvh                      is your rig recognised?
  sixpoint reconstruct YOUR.bvh -o out.bvh
                                              the same with your own clip
  sixpoint render YOUR.bvh out.bvh -o both.gif"""
