"""What is measured for claims about how bodies move: spines, clavicles, calm and jumps.

As in `verdicts`: functions that take `Evidence` measure, those that take what was measured decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .evidence import ORIGINAL, PARTLY, Evidence, Numbers, Verdict
from .published import AVERAGE
from .verdicts import NINE, QUICK, SQUARES, THREE, USUAL, agreed, clearly, everywhere, ranked

JUMP = 30.0
"""A swivel that turns further than this in a frame has jumped [deg]."""


def spine(e: Evidence) -> Numbers:
    """Where and how much spines bend, with the original's."""
    found = everywhere("bend_height", "snake_deg", "spine_bend_deg", of=NINE)(e)
    means = {key: row | {ORIGINAL: e.original(key)} for key, row in found.items() if "," not in key}
    return found | means


def snakes(found: Numbers) -> Verdict:
    """Whether CCD bends near the head and to and fro, compared with SIK and the original."""
    high, snake = found["bend_height"], found["snake_deg"]
    words = f"Bends at {high['ccd']:.2f} of the way to the head (sik {high['sik']:.2f}, original "
    words += f"{high[ORIGINAL]:.2f}); {snake['ccd']:.1f} degrees cancel out (sik "
    words += f"{snake['sik']:.1f}, original {snake[ORIGINAL]:.1f})."
    answers = []
    for key in ("bend_height", "snake_deg"):
        answer, contrary = agreed(_rows(found, key), ("ccd",), ("sik",))
        answers.append(answer)
        words += contrary
    if not all(answers):
        return False, words
    if snake[ORIGINAL] > snake["ccd"]:
        return PARTLY, f"{words} The recorded people bend to and fro more than CCD."
    return (PARTLY if PARTLY in answers else True), words


def _rows(found: Numbers, key: str) -> Numbers:
    """`AVERAGE` and clips -> solver -> one of the numbers of `everywhere`."""
    clips = {k.partition(", ")[2]: row for k, row in found.items() if k.startswith(f"{key}, ")}
    return {AVERAGE: found[key]} | clips


def snakes_less(found: Numbers) -> Verdict:
    """Whether KMA bends less to and fro than CCD."""
    kma, ccd = (found["snake_deg"][s] for s in ("kma", "ccd"))
    answer, contrary = agreed(_rows(found, "snake_deg"), ("ccd",), ("kma",))
    return answer, f"{kma:.1f} degrees against {ccd:.1f}.{contrary}"


def clavicles(e: Evidence) -> Numbers:
    """Mean turn of the clavicles as published, with the original's [deg]; and with our settings."""
    key, own = "clavicle_mean_deg", {ORIGINAL: e.original("clavicle_mean_deg")}
    return {
        AVERAGE: e.published_average(key, NINE) | own,
        **e.by_clip(key, NINE, published=True),
        USUAL: e.average(key, NINE) | own,
    }


def above(names: Sequence[str], bounds: Sequence[str]) -> Callable[[Numbers], Verdict]:
    """Whether some numbers are all larger than others, all solvers as published."""

    def holds(found: Numbers) -> Verdict:
        theirs = {where: row for where, row in found.items() if where != USUAL}
        answer, contrary = agreed(theirs, names, bounds)
        mean = found[AVERAGE]
        order = sorted(mean, key=lambda s: float(mean[s]))
        words = " < ".join(f"{s} {mean[s]:.1f}" for s in order)
        for name in bounds:
            if found[USUAL][name] != mean[name]:
                words += f"; {name} with our settings {found[USUAL][name]:.1f}"
        return answer, f"{words}.{contrary}"

    return holds


def calm(key: str) -> Callable[[Evidence], Numbers]:
    """Clip -> solver -> angular jerk near singular postures."""
    return lambda e: {c: e.on(c, key, (*SQUARES, "sik")) for c in THREE if e.clip(c)}


def svd_calmer(found: Numbers) -> Verdict:
    """Whether DLS with SVD and SDLS have clearly less jerk than the others on the playground."""
    row = {s: float(found["playground"][s]) for s in SQUARES}
    rest = min(row["pseudoinverse"], row["dls"])
    calm = [clearly(rest, row[s]) for s in ("dls-svd", "sdls")]
    words = [f"{clip}: {ranked({s: r[s] for s in SQUARES})}" for clip, r in found.items()
             if set(SQUARES) <= set(r)]  # fmt: skip
    ratio = row["dls-svd"] / max(row["dls"], 1e-12)
    text = f"On {'; '.join(words)}. On the playground sdls has {row['sdls'] / rest:.2f} of the "
    text += f"jerk of the calmer of pseudoinverse and dls, dls-svd {ratio:.4f} of that of dls."
    calmer = [clearly(row["pseudoinverse"], row[s]) for s in ("dls-svd", "sdls")]
    return all(calm) or (PARTLY if all(calmer) else False), text


def jerkiest_there(found: Numbers) -> Verdict:
    """Whether each of the four is most jerky on the playground."""
    most = {s: max((float(row[s]), clip) for clip, row in found.items())[1] for s in SQUARES}
    words = ", ".join(f"{s} {clip}" for s, clip in most.items())
    return set(most.values()) == {"playground"}, f"Most jerky on: {words}."


def playground_tells(found: Numbers) -> Verdict:
    """Whether the methods differ most on the playground."""
    spread = {
        clip: max(row[s] for s in SQUARES) / min(row[s] for s in SQUARES)
        for clip, row in found.items()
    }
    words = ", ".join(f"{clip} {value:.2f}" for clip, value in spread.items())
    return max(spread, key=lambda c: spread[c]) == "playground", f"Largest over smallest: {words}."


def jumps(e: Evidence) -> Numbers:
    """Clip -> solver -> largest jump of a swivel [deg]."""
    found: Numbers = {}
    for clip in e.table.clips:
        name = clip.paper.name if clip.paper else clip.name
        rows = {s: e.table.runs.get((s, clip.name)) for s in (*QUICK, "pik")}
        largest = {s: run.row["swivel_jump_max_deg"] for s, run in rows.items() if run}
        found[name] = {s: value for s, value in largest.items() if value is not None}
    return found


def jumps_on(solver: str, *clips: str) -> Callable[[Numbers], Verdict]:
    """Whether a solver jumps on one of some clips (of all, if none is named) where SIK does not."""

    def holds(found: Numbers) -> Verdict:
        rows = {clip: found[clip] for clip in clips or found}
        worst = max(rows, key=lambda c: float(rows[c][solver] - rows[c]["sik"]))
        mine, sik = rows[worst][solver], rows[worst]["sik"]
        words = f"{mine:.0f} degrees in a frame of {worst}, sik at most {sik:.0f}."
        other = {c: r for c, r in rows.items() if r["sik"] > JUMP and r["sik"] > r[solver]}
        for clip, row in other.items():
            words += f" The other way round on {clip}: {row[solver]:.0f}, sik {row['sik']:.0f}."
        return mine > JUMP and mine > sik and (PARTLY if other else True), words

    return holds
