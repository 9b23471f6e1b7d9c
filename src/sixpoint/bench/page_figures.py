"""The pictures of the report: errors over time, and poses."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from ..errors import MissingExtra
from .charts import colours, line_chart
from .published import METHODS, PaperClip
from .strips import Sample, draw_samples
from .table1 import Clip, Run, Table1

MOST = 8
"""Clips that are drawn; the numbers of all are in the tables."""


def curves(table: Table1, order: Sequence[str]) -> str:
    """Errors of all methods over the frames, in the windows of Figs. 14-18 and on whole clips."""
    shades = colours(order)
    chips = "".join(
        f'<button data-of="{escape(s)}" aria-pressed="false" style="--of:{shades[s]}">'
        f"{escape(s)}</button>"
        for s in order
    )
    words = (
        "Press a method to pick it out. A sharp peak that all methods share is a flip of the "
        "estimated pelvis, which all of them start from."
    )
    parts = [f"<p>{words}</p><div class=chips>{chips}</div>"]
    if len(table.clips) > MOST:
        parts.append(f"<p>The first {MOST} of {len(table.clips)} clips are drawn.</p>")
    for clip in table.clips[:MOST]:
        runs = {s: table.runs[s, clip.name] for s in order if (s, clip.name) in table.runs}
        name = clip.paper.name if clip.paper else clip.name
        if clip.paper is not None and clip.whole:
            parts += _paper_figures(clip, clip.paper, runs)
        parts.append(_figure(f"{name}, {'all frames' if clip.whole else 'excerpt'}", clip, runs))
    return "".join(parts)


def _paper_figures(clip: Clip, paper: PaperClip, runs: Mapping[str, Run]) -> list[str]:
    """Figs. 14 and 15 on boxing, where one method stands beside SIK; Figs. 16-18, all but one."""
    parts = []
    if paper.name == "boxing":
        for figure, s in ((14, "jacobian-transpose"), (15, "ccd")):
            if s in runs:
                pair = {k: runs[k] for k in (s, "sik") if k in runs}
                parts.append(_figure(f"boxing, {s} (Fig. {figure})", clip, pair))
    first, last = paper.window
    shown = {s: run for s, run in runs.items() if s != "jacobian-transpose"} or runs
    title = f"{paper.name}, frames {first} to {last} (Fig. {paper.figures[1]})"
    return [*parts, _figure(title, clip, shown, slice(first, last + 1))]


def _figure(title: str, clip: Clip, runs: Mapping[str, Run], part: slice = slice(None)) -> str:
    first = clip.first + (part.start or 0)
    drawn = []
    for kind, text in (
        ("position", "position, of body height"),
        ("orientation", "orientation [rad]"),
    ):
        curves = {s: getattr(run, kind)[part] for s, run in runs.items()}
        if not all(len(values) for values in curves.values()):
            return ""
        chart = line_chart(curves, first, f"{title}: {text}")
        drawn.append(f"<figure><figcaption>{escape(text)}</figcaption>{chart}</figure>")
    return f"<h3>{escape(title[0].upper() + title[1:])}</h3>{''.join(drawn)}"


def poses(table: Table1, order: Sequence[str], notes: list[str]) -> str:
    """Strips as in Figs. 10-12, and all methods side by side as in Figs. 19-21."""
    parts = [
        "<p>Yellow dots are the six tracked points; on a reconstruction the thin dark line shows "
        "the bones of the original.</p>"
    ]
    for clip in table.clips[:MOST]:
        runs = {s: table.runs[s, clip.name] for s in order if (s, clip.name) in table.runs}
        try:
            strip, together = draw_samples(clip, runs)
        except MissingExtra as error:
            notes.append(str(error))
            return f"<p>{escape(str(error))}</p>"
        name = (clip.paper.name if clip.paper else clip.name).capitalize()
        figures = [f" (Fig. {k})" for k in clip.paper.figures] if clip.paper else ["", "", ""]
        parts.append(f"<h3>{escape(name)}{figures[0]}</h3>")
        parts.append(f"<div class=pairs>{''.join(_pair(sample) for sample in strip)}</div>")
        parts.append(f"<h3>{escape(name)}, frame {together.frame}, all methods{figures[2]}</h3>")
        off = {s: f"{run.position[together.frame - clip.first]:.4f}" for s, run in runs.items()}
        cells = [
            f"<figure class=pose>{_image(png, s)}<figcaption>{escape(METHODS.get(s, s))}"
            f"<br><small>{off.get(s, '&nbsp;')}</small></figcaption></figure>"
            for s, png in together.pictures.items()
        ]
        parts.append(f"<div class=poses>{''.join(cells)}</div>")
    return "".join(parts)


def _pair(sample: Sample) -> str:
    images = "".join(_image(png, name) for name, png in sample.pictures.items())
    names = " and ".join(escape(name) for name in sample.pictures)
    return (
        f"<figure class=pair><span>{images}</span><figcaption>frame {sample.frame}"
        f"<br><small>{names}</small></figcaption></figure>"
    )


def _image(png: bytes, name: str) -> str:
    data = base64.b64encode(png).decode()
    return f'<img loading="lazy" alt="{escape(name)}" src="data:image/png;base64,{data}">'
