"""`sixpoint limits`: joint types and limits from clips."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import console as c

if TYPE_CHECKING:
    from ..limits.estimate.estimate import Estimate

FAMILIES = ("swing_twist", "zyz", "zyz_centred", "xyz")


@click.command("limits")
@click.argument("sources", metavar="CLIP...", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="FILE", help="The limits, as JSON.")
@click.option("--family", type=click.Choice(FAMILIES), default="swing_twist", show_default=True,
              help="What limits ball joints; the file holds the others too.")  # fmt: skip
@click.option("--rule", type=click.Choice(["share", "absolute"]), default="share",
              show_default=True, help="When a joint is a hinge: nearly all variance along one "
              "line, or hardly any across it.")  # fmt: skip
@click.option("--share", type=float, default=0.95, show_default=True,
              help="How much variance that is.")  # fmt: skip
@click.option("--hinge-spread", type=float, default=2.0, show_default=True, metavar="DEGREES",
              help="How little across is hardly any.")  # fmt: skip
@click.option("--fixed-spread", type=float, metavar="DEGREES",
              help="Joints that spread less are fixed; default 2.5 times the noise, "
              "at most 5.")  # fmt: skip
@click.option("--reference", type=click.Choice(["mean", "bind", "identity"]), default="mean",
              show_default=True, help="What rotations are measured from.")  # fmt: skip
@click.option("--margin", type=float, metavar="DEGREES",
              help="Added to both ends of every range; fixed joints stay fixed.  [default: 0; "
              "5 with --by-role]")  # fmt: skip
@click.option("--quantile", type=float, default=1.0, show_default=True,
              help="Part of the samples of each direction that swing boundaries hold.")  # fmt: skip
@click.option("--rate", default="50", show_default=True, metavar="HZ|all",
              help="Samples a second, 100 of each clip at least; or all frames.")  # fmt: skip
@click.option("--repair", default="midpoint", show_default=True,
              metavar="midpoint|circular_mean|frame:N",
              help="What takes the place of an infeasible bind pose.")  # fmt: skip
@click.option(
    "--by-role",
    is_flag=True,
    help="Estimate the envelope of many people instead, which fits any person's rig.",
)
@click.option("--people", type=click.IntRange(1), default=3, show_default=True,
              help="With --by-role: how many people must have reached an angle.")  # fmt: skip
@click.option("--leave-out", metavar="NAME,NAME...", default="",
              help="With --by-role: people who do not count.")  # fmt: skip
@click.option("--csv", metavar="FILE", help="Also write a table.")
@click.option("--urdf", metavar="FILE", help="Also write a robot with these limits.")
@click.option(
    "--pictures",
    metavar="DIR",
    help="Also draw a pose without and with the limits, joint types, samples and limits.",
)
@c.file_options
@c.role_option
@c.json_option
def limits(sources: tuple[str, ...], output: str, reading: c.Reading, **given: Any) -> c.Answer:
    """Estimate joint types and limits from clips of one rig.

    CLIP is a motion file or a folder with BVH clips; what all clips do together is allowed. With
    --by-role it is a folder with BVH clips or clip archives of many people.

    \b
    sixpoint limits squats.bvh jumps.bvh -o limits.json
    sixpoint reconstruct squats.bvh -o out.bvh --limits limits.json
    sixpoint limits people/ --by-role -o envelope.json
    """  # noqa: D301  (click wants the backspace itself)
    by_role = given.pop("by_role"), given.pop("people"), given.pop("leave_out")
    if given["margin"] is None:
        given["margin"] = 5.0 if by_role[0] else 0.0
    if by_role[0]:
        return _envelope(sources, output, given["margin"], *by_role[1:])
    from ..bench.experiment import clip_paths
    from ..limits import LimitEstimator

    family, pictures = given["family"], given["pictures"]
    with c.wrong_call():
        options = _estimator_options(given)
    paths = [path for source in sources for path in clip_paths(source)]
    for path, suffix in ((output, ".json"), (given["csv"], ".csv"), (given["urdf"], ".urdf")):
        if path is not None:
            c.check_output(path, (suffix,), [str(clip) for clip in paths])
    estimator: LimitEstimator | None = None
    with c.progress("clips") as tell:
        for k, path in enumerate(paths):  # one after the other: none is kept
            tell(k, len(paths))
            motion = reading.load(str(path))
            if estimator is None:
                estimator = LimitEstimator(motion.skeleton, **options)
            estimator.add(motion, path.name)
    assert estimator is not None
    estimate = estimator.estimate()
    files = {output: estimate.text(family).encode()}
    if given["csv"] is not None:
        from ..limits.estimate.export import csv_text

        files[given["csv"]] = csv_text(estimate).encode()
    if given["urdf"] is not None:
        from ..limits.estimate.export import urdf_text

        files[given["urdf"]] = urdf_text(estimate, estimator.skeleton.articulation).encode()
    drawn: list[str] = []
    if pictures is not None:
        from ..studio.limit_pictures import draw_limits

        content = draw_limits(estimator, estimate)
        drawn = [str(Path(pictures) / name) for name in content]
        files |= dict(zip(drawn, content.values(), strict=True))
    _write(files, pictures)
    report = {"output": output} | report_of(estimate, family) | {"pictures": drawn}
    return c.Answer(report, lambda: _show(estimate, family, list(files)))


def _envelope(
    sources: Sequence[str], output: str, margin: float, people: int, leave_out: str
) -> c.Answer:
    """Write the envelope of people's motion, by role."""
    from ..errors import UnknownName
    from ..formats.clip_folders import read_subjects
    from ..limits.estimate.envelope import EnvelopeRules, envelope

    if len(sources) != 1:
        raise click.UsageError("--by-role takes one folder with the clips of all people.")
    with c.wrong_call():
        rules = EnvelopeRules(people=people, margin=math.radians(margin))
    c.check_output(output, (".json",), list(sources))
    subjects, notes = read_subjects(sources[0])
    left = [name.strip() for name in leave_out.split(",") if name.strip()]
    for name in left:
        if name not in subjects:
            raise UnknownName("person to leave out", name, subjects)
    kept = {name: clips for name, clips in subjects.items() if name not in left}
    provenance = {
        "people": len(kept),
        "names": list(kept),
        "left_out": left,
        "frames": sum(len(clip) for clips in kept.values() for clip in clips),
        "rule": f"reached by {rules.people} people, each for {rules.seconds:g} s in all",
        "margin": margin,
        "command": f"sixpoint limits {Path(sources[0]).name} --by-role --people {people} "
        f"--margin {margin:g}" + (f" --leave-out {','.join(left)}" if left else ""),
    }
    found = envelope(kept, rules, provenance)
    found.save(output)
    report = {"output": output, **provenance, "roles": sorted(found.roles), "warnings": notes}

    def show() -> None:
        c.show_facts(
            "envelope of people's motion, by role",
            [
                ("people", f"{len(kept)}, {provenance['frames']} frames"),
                ("roles", ", ".join(found.roles)),
            ],
        )
        c.say_notes(notes)
        c.say(f"wrote {output}")

    return c.Answer(report, show)


def _estimator_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `LimitEstimator`; wrong ones are refused before any clip is read."""
    from ..body.skeleton import Skeleton
    from ..limits import LimitEstimator, TypeRules
    from ..limits.estimate.estimate import Repair

    fixed = given["fixed_spread"]
    rules = TypeRules(
        hinge_spread=math.radians(given["hinge_spread"]),
        fixed_spread=None if fixed is None else math.radians(fixed),
        **{key: given[key] for key in ("rule", "share", "reference")},
    )
    options = {
        "rules": rules,
        "rate": _rate(given["rate"]),
        "margin": math.radians(given["margin"]),
        "quantile": given["quantile"],
        "repair": Repair.parse(given["repair"]),
    }
    LimitEstimator(Skeleton.chain(2), **options)
    return options


def _rate(text: str) -> float | None:
    """Return samples a second; None for all frames."""
    from ..errors import InputError

    if text == "all":
        return None
    try:
        return float(text)
    except ValueError:
        raise InputError(f"Expected a positive `rate` in Hz, or all; got {text!r}.") from None


def _write(files: dict[str, bytes], folder: str | None) -> None:
    """Write all files, in a new folder if need be; or none, if one cannot be written."""
    from ..atomic_write import atomic_write
    from ..errors import CannotWrite

    made = []
    if folder is not None:
        place = Path(folder)
        made = [path for path in (place, *place.parents) if not path.exists()]
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite((error.strerror or str(error)).lower(), path=folder) from error
    try:
        with ExitStack() as stack:
            for path, content in files.items():
                stack.enter_context(atomic_write(path)).write(content)
    except CannotWrite:
        for empty in made:
            empty.rmdir()
        raise


def report_of(estimate: Estimate, family: Any) -> dict[str, Any]:
    """Return the estimate ready for JSON."""
    joints = {
        joint.name: {
            "role": joint.role or None,
            "type": joint.type,
            **joint.limit.as_dict(),
            **joint.notes()["estimate"],
        }
        for joint in estimate.joints(family)
    }
    return {"family": family, **estimate.provenance, "types": estimate.types, "joints": joints}


def _show(estimate: Estimate, family: Any, files: Sequence[str]) -> None:
    from ..limits.estimate.export import ranges_text

    rows = []
    for joint in estimate.joints(family):
        axis = " ".join(f"{x:.2f}" for x in joint.axis) if joint.type == "hinge" else "-"
        rows.append(
            (
                joint.name,
                joint.role,
                joint.type,
                axis,
                ranges_text(estimate, joint.name, family) + (" (round)" * joint.unlimited),
                str(estimate.fit.samples),
                f"{joint.confidence:.2f}",
                "yes" if joint.bind_feasible else "no",
            )
        )
    columns = ("joint", "role", "type", "axis", "ranges [degrees]", "samples", "confidence", "bind")
    c.show_table(f"joint types and limits ({family})", columns, rows)
    types = list(estimate.types.values())
    clips = len(estimate.provenance["clips"])
    c.show_facts(
        None,
        [
            ("clips", f"{clips}, {estimate.fit.samples} samples"),
            ("types", ", ".join(f"{types.count(t)} {t}" for t in ("fixed", "hinge", "ball"))),
            ("bind", "whether the limit holds the bind pose"),
        ],
    )
    c.say_notes(estimate.provenance["warnings"])
    for path in files:
        c.say(f"wrote {path}")
