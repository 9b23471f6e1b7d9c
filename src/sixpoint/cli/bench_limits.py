"""`sixpoint bench limits`: how well limits are estimated, and whether they help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .console import compiling, emit, progress, save_report, say, show_facts, show_table
from .options import Reading, data_option, json_option, load_motion, quick_option, wrong_call

if TYPE_CHECKING:
    from ..bench.fig8 import Recording


@click.command("limits")
@data_option
@click.option("--solvers", default="sik,ccd,dls", show_default=True, metavar="NAME,NAME...",
              help="Solvers of the experiment of Fig. 8.")  # fmt: skip
@click.option("--family", type=click.Choice(["swing_twist", "zyz", "zyz_centred", "xyz"]),
              default="swing_twist", show_default=True, help="Limits of balls in it.")  # fmt: skip
@click.option("-o", "--output", metavar="DIR", help="Also write limits.json and fig8.md there.")
@quick_option
@json_option
def command(
    data: str | None,
    solvers: str,
    family: Any,
    output: str | None,
    quick: bool,
    as_json: bool,
) -> None:
    """How well joint types and limits are estimated, how fast, and whether they help.

    Clips of the kind `gymnastics` (the name of their folder) are reconstructed, if there are such;
    the number in front of a clip's name is taken for its subject, as in the CMU database.
    """
    from ..atomic_write import atomic_write
    from ..bench.fig8 import markdown, people_solvers
    from ..bench.limits import bench_limits
    from .job import warm_up

    with wrong_call():
        names = [name.strip() for name in solvers.split(",")]
        chosen = people_solvers(names)
    with compiling():
        for each in chosen:
            warm_up(each)
    recordings = load_recordings(data)
    with progress("limits") as tell:
        found = bench_limits(recordings, solvers=names, family=family, quick=quick, progress=tell)
    if output is not None:
        folder = Path(output)
        save_report(found, folder / "limits.json")
        with atomic_write(folder / "fig8.md") as file:
            file.write(markdown(found["fig8"]["averages"]).encode())
        say(f"wrote {folder / 'fig8.md'}")
    if as_json:
        emit(found)
    else:
        _show(found)


def load_recordings(data: str | None) -> list[Recording]:
    """Clips with their kind (folder) and subject; or all built-in ones."""
    from ..bench.fig8 import Recording
    from ..data.clips import CLIPS, builtin
    from ..errors import InputError

    if data is None:
        return [Recording.of(name, builtin(name), "built-in") for name in CLIPS]
    place = Path(data)
    paths = [place] if place.is_file() else sorted(place.rglob("*.bvh"))
    if not paths:
        raise InputError(f"{data}: expected a folder with BVH clips, found none.")
    return [
        Recording.of(path.stem, load_motion(str(path), Reading()), path.parent.name)
        for path in paths
    ]


def _show(found: dict[str, Any]) -> None:
    show_table(
        f"synthetic joints recognised ({found['classification'][0]['trials']} of each)",
        ("noise [deg]", "type", "share rule", "absolute rule", "axis off: mean", "p95", "max"),
        [
            (
                f"{row['noise_deg']:g}",
                row["type"],
                f"{row['right_share']:.1%}",
                f"{row['right_absolute']:.1%}",
                *(
                    "-" if row[key] is None else f"{row[key]:.2f}"
                    for key in ("axis_error_mean_deg", "axis_error_p95_deg", "axis_error_max_deg")
                ),
            )
            for row in found["classification"]
        ],
    )
    rates = sorted({row["rate"] for row in found["frame_rates"]})
    right = {(row["rate"], row["type"]): row["right_share"] for row in found["frame_rates"]}
    show_table(
        "recognised in clips of 2 s with 1 degree of noise",
        ("frames a second", "fixed", "hinge", "ball"),
        [
            (f"{rate:g}", *(f"{right[rate, kind]:.1%}" for kind in ("fixed", "hinge", "ball")))
            for rate in rates
        ],
    )
    show_table(
        "the six end effectors reconstructed under different limits",
        (
            "solver",
            "limits",
            "position",
            "better",
            "orientation [rad]",
            "better",
            "points off [mm]",
        ),
        [
            (
                row["solver"],
                row["limits"],
                f"{row['position_rms']:.4f}",
                f"{row['position_rms_better']}/{row['clips']}",
                f"{row['orientation_rms']:.4f}",
                f"{row['orientation_rms_better']}/{row['clips']}",
                f"{1e3 * row['target_mean_m']:.1f}",
            )
            for row in found["fig8"]["averages"]
            if row["position_rms"] is not None
        ],
    )
    samples, spent = found["samples"], found["time"]
    show_facts(
        None,
        [
            (
                "100 against 1000 samples",
                f"hinges {samples['hinge']['median_deg']:.2f} degrees in the median, "
                f"{samples['hinge']['below_3deg']:.1%} below 3; balls (centred ZYZ) "
                f"{samples['zyz_centred']['median_deg']:.2f}, "
                f"{samples['zyz_centred']['below_3deg']:.1%}; {samples['clips']} clips of 2 s",
            ),
            (
                "30 bones, 100 samples",
                f"{spent['estimate_median_ms']:.1f} ms (best {spent['estimate_best_ms']:.1f}); "
                f"the paper: {spent['paper_ms']:g} ms",
            ),
            *(("Fig. 8", line) for line in found["fig8"]["conclusion"]),
        ],
    )
