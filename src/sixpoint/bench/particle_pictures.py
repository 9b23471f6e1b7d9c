"""Pictures of `sixpoint bench particles`: success, and time of an iteration (Figs. 4 a and b)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..atomic_write import atomic_write
from ..studio.pictures import INK, new_figure
from .charts import PALETTE, STRONG

COLOURS = (STRONG, *PALETTE)


def success_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Success against the number of particles, a curve for each number of degrees of freedom."""
    figure, axes = _axes("particles", "success in 200 iterations [%]")
    for k, dof in enumerate(sorted({row["dof"] for row in rows})):
        mine = sorted((r["particles"], r["success"]) for r in rows if r["dof"] == dof)
        x, y = zip(*mine, strict=True)
        axes.plot(x, [100.0 * part for part in y], "o-", color=COLOURS[k], markersize=4.0,
                  label=f"{dof} DoF")  # fmt: skip
    counts = sorted({row["particles"] for row in rows})
    axes.set_xscale("log")
    axes.set_xticks(counts, [str(n) for n in counts])
    axes.minorticks_off()
    _legend(axes)
    return figure


def times_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Time of an iteration against degrees of freedom, both logarithmic; dotted: a slope of 1."""
    figure, axes = _axes("degrees of freedom", "time of an iteration [us]")
    for k, method in enumerate(dict.fromkeys(row["method"] for row in rows)):
        mine = sorted((row["dof"], row["us"]) for row in rows if row["method"] == method)
        x, y = zip(*mine, strict=True)
        words = method.replace(", finite differences", ",\nfinite differences")
        axes.loglog(x, y, "o-", color=COLOURS[k], markersize=4.0, label=words)
        if k == 0:
            axes.loglog(x, [0.7 * y[0] * n / x[0] for n in x], ":", color=INK, linewidth=1.0)
    dofs = sorted({row["dof"] for row in rows})
    axes.set_xticks(dofs, [str(n) for n in dofs])
    axes.minorticks_off()
    _legend(axes)
    return figure


def draw_particles(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write both next to the numbers of `bench_particles`."""
    out = []
    for name, figure in (
        ("success", success_chart(found["success"])),
        ("times", times_chart(found["times"])),
    ):
        out.append(folder / f"{name}.png")
        with atomic_write(out[-1]) as file:
            figure.savefig(file, format="png", metadata={"Software": None})
    return out


def _axes(x: str, y: str) -> tuple[Any, Any]:
    figure = new_figure("A chart", (7.0, 3.6), 110)
    axes = figure.add_axes((0.11, 0.17, 0.57, 0.77))
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(color="#E3E6EA")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _legend(axes: Any) -> None:
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.02, 0.5))
