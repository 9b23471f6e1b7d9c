"""`sixpoint bench vision`: from two cameras to a balanced body, on the synthetic stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, save_report, say, show_facts, show_table
from .options import json_option, quick_option


@click.command("vision")
@click.option("-o", "--output", metavar="DIR", help="Also write vision.json and charts there.")
@quick_option
@json_option
def command(output: str | None, quick: bool, as_json: bool) -> None:
    """Measure vision and the two solvers that were published with it.

    A synthetic person before two cameras of 320 x 240; Tables 2 and 3 of the paper (Boulic et al.
    2006) beside ours.
    """
    from ..bench.vision import bench_vision
    from ..bench.vision_pictures import draw_jitter, draw_meetings
    from ..body.skeleton import Skeleton
    from ..solvers import solver

    with compiling():
        for name in ("sik", "analytic-upper", "pik-balance"):
            solver(name).prepare(Skeleton.humanoid()).warm_up()
    with progress("vision") as tell:
        found = bench_vision(quick=quick, progress=tell)
    if output is not None:
        folder = Path(output)
        save_report(found, folder / "vision.json")
        draw_jitter(found["jitter_and_lag"], folder / "jitter.png")
        draw_meetings(found["meetings"], folder / "meetings.png")
        say(f"wrote {folder / 'jitter.png'} and {folder / 'meetings.png'}")
    if as_json:
        emit(found)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    show_facts(
        "Vision on the synthetic stage",
        [
            ("head and hands", f"{found['point_error_mm_clean']:.1f} mm off without noise, "
             f"{found['point_error_mm_noisy']:.1f} mm with"),
            ("hands that swap", f"{found['label_swaps']} in the worst of "
             f"{len(found['meetings'])} scenes"),
            ("lengths, exact marks", f"{found['length_error_percent']:.2f} % off at most"),
            *((f"lengths, marks {name} off", f"{value:.1f} %")
              for name, value in found["length_error_percent_by_marks"].items()),
            *((f"wrists, {name}", f"{value:.0f} mm off")
              for name, value in found["wrist_capture_error_mm"].items()),
            ("time", f"{found['vision_ms']:.1f} ms a pair, "
             f"{found['pairs_per_second']:.0f} pairs a second with pik-balance "
             f"(the paper: {found['paper_pairs_per_second']:.0f})"),
        ],
    )  # fmt: skip
    show_table(
        "Hands that meet each other or the face",
        ("scene", "noise", "height", "distance", "swaps", "mean", "worst", "hands seen"),
        [
            (row["scene"], f"{row['noise']:g}", f"{row['height_m']:g} m",
             f"{row['distance_m']:g} m", str(row["swaps"]), f"{row['mean_mm']:.1f} mm",
             f"{row['worst_mm']:.0f} mm", f"{row['hands_seen']:.0%}")
            for row in found["meetings"]
        ],
    )  # fmt: skip
    show_table(
        "Jitter and lag of solved wrists",
        ("filter expects", "damping", "jitter", "lag"),
        [
            (f"{row['acceleration']:g} m/s2", f"{row['damping']:g} m",
             f"{row['jitter_mm']:.2f} mm", f"{row['lag_ms']:.0f} ms")
            for row in found["jitter_and_lag"]
        ],
    )  # fmt: skip
    show_table(
        "Table 2: error of the wrists in mm, mean ± std (RMS), and the paper's mean ± std",
        ("solver", "right", "left"),
        [
            (name, *(_cell(row[side], found["paper_table_2"][name][k])
                     for k, side in enumerate(("right", "left"))))
            for name, row in found["table_2"].items()
        ],
    )  # fmt: skip
    paper = found["paper_table_3_ms"]
    show_table(
        "Table 3: time of an update",
        ("solver", "us", "the paper, ms"),
        [
            (name, f"{row['median_us']:.0f}", f"{paper[name]:g}" if name in paper else "-")
            for name, row in found["table_3"].items()
        ],
    )
    show_facts(
        "Balance",
        [
            ("centre of mass, one step", f"{found['com_drift_mm_one_step']:.2f} mm from its line"),
            *((f"most off, {name}", f"centre of mass {row['centre_mm']:.2f} mm, "
               f"ankles {row['ankles_mm']:.1f} mm") for name, row in found["drift"].items()),
            *((f"far reach, {name}", f"hips {row['pelvis_mm']:+.0f} mm, "
               f"shoulder {row['shoulder_mm']:+.0f} mm")
              for name, row in found["far_reach"].items()),
            ("one step", f"{found['pik_step_us']:.1f} us"),
            ("five steps", f"{found['five_steps_over_analytic']:.2f} of an analytic update with "
             "the centre of the trunk"),
            *((f"collision: {title}", f"{len(events)} events")
              for title, events in found["collisions"].items()),
        ],
    )  # fmt: skip
    show_facts(
        "Crossing hands: parts of the body in each other, all pairs, mean",
        [(name, f"{depth:.1f} mm") for name, depth in found["penetration_mm"].items()],
    )


def _cell(ours: dict[str, float], paper: tuple[float, float]) -> str:
    return (
        f"{ours['mean']:.1f} ± {ours['std']:.1f} ({ours['rms']:.1f}) [{paper[0]:g} ± {paper[1]:g}]"
    )
