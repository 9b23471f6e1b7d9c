"""What section 9 of the SIK paper says about its rivals, sentence by sentence (S0.60-S0.72)."""

from __future__ import annotations

from typing import Any

from . import habits as h
from . import verdicts as v
from .evidence import Claim, judge
from .table1 import Table1
from .verdicts import NINE, SQUARES, TEN, THREE


def judge_claims(table: Table1) -> list[dict[str, Any]]:
    """Every claim with what was measured, whether it is reproduced, and a note."""
    return [judge(claim, table) for claim in CLAIMS]


def _peak(name: str, clip: str, words: str, *, missed: bool) -> Claim:
    criterion = "in the worst 5 % of frames of the window, the hips turn 1.5 times as fast as on "
    criterion += "average"
    return Claim(
        id=name,
        claim=words,
        criterion=criterion + ", and points are missed 1.5 times as far" * missed,
        measure=v.peaks(clip),
        holds=v.turning(missed=missed),
        solvers=("sik",),
        clips=(clip,),
        whole=True,
        note="Position error of SIK in the frames of Figs. 16-18.",
    )


CLAIMS = (
    Claim(
        id="S0.60a",
        claim="Position errors are those of Table 1.",
        criterion="SIK, KMA and CCD within 25 % of the paper on each clip",
        measure=v.ratios("position_rms"),
        holds=v.close,
        solvers=("sik", "kma", "ccd"),
        clips=THREE,
        whole=True,
    ),
    Claim(
        id="S0.60b",
        claim="DLS and DLS with SVD are the same method up to rounding.",
        criterion="position errors differ by less than 0.0005 on each clip",
        measure=v.same_errors,
        holds=lambda found: (max(found.values()) < v.SAME, ""),
        solvers=("dls", "dls-svd"),
    ),
    Claim(
        id="S0.61",
        claim="Orientation errors are those of Table 1.",
        criterion="SIK, KMA and CCD within 25 % of the paper on each clip",
        measure=v.ratios("orientation_rms"),
        holds=v.close,
        solvers=("sik", "kma", "ccd"),
        clips=THREE,
        whole=True,
    ),
    Claim(
        id="S0.62a",
        claim="SIK is the fastest method.",
        criterion="every other method of Table 1 takes more time per frame",
        measure=v.times,
        holds=v.fastest,
        solvers=NINE,
        note="The spine of KMA is within the stop rule of 1 cm after one sweep; SIK finds the "
        "bend of its spine to a micrometre in some eight steps. Compiled, that is the difference.",
    ),
    Claim(
        id="S0.62b",
        claim="SIK, KMA, CCD and TGBSIK are much faster than all others.",
        criterion="the slowest of the four takes less time than the fastest of the others",
        measure=v.times,
        holds=v.two_classes,
        solvers=NINE,
        note="All methods are compiled code here and share one set of small matrix routines; the "
        "paper ran the Jacobian methods with other people's general code.",
    ),
    Claim(
        id="S0.62c",
        claim="TGBSIK is slower than SIK and KMA, because it searches the swivel.",
        criterion="time of TGBSIK above that of SIK and KMA",
        measure=v.times,
        holds=v.optimising_costs,
        solvers=("sik", "kma", "tgbsik"),
    ),
    Claim(
        id="S0.63a",
        claim="SIK has the lowest position error on average.",
        criterion="lowest of the nine methods",
        measure=v.best_by("position_rms"),
        holds=v.lowest_of_both("sik"),
        solvers=NINE,
    ),
    Claim(
        id="S0.63b",
        claim="SIK has the lowest orientation error on average.",
        criterion="lowest of the nine methods",
        measure=v.best_by("orientation_rms"),
        holds=v.lowest_of_both("sik"),
        solvers=NINE,
    ),
    Claim(
        id="S0.63c",
        claim="On the playground PIK has the lowest position error and KMA the lowest orientation "
        "error.",
        criterion="lowest of the nine methods",
        measure=lambda e: {
            key: e.published_on("playground", key, NINE)
            for key in ("position_rms", "orientation_rms")
        },
        holds=v.best_on_playground,
        solvers=NINE,
        clips=("playground",),
        whole=True,
    ),
    Claim(
        id="S0.64",
        claim="SIK, TGBSIK, PIK and KMA give the better quality.",
        criterion="all four, as published, among the best five by average position error",
        measure=v.best_by("position_rms"),
        holds=v.top_five,
        solvers=NINE,
    ),
    Claim(
        id="S0.65",
        claim="The Jacobian transpose is poor: far from the points and jerky.",
        criterion="position error, distance from the points and jerk the largest on every clip, on "
        "average by a tenth; partly if one of them is",
        measure=v.everywhere("position_rms", "target_mean_m", "jerk", of=TEN),
        holds=v.worst_everywhere("jacobian-transpose"),
        solvers=TEN,
    ),
    Claim(
        id="S0.66a",
        claim="The errors of CCD grow with time on boxing.",
        criterion="the line through each curve rises by more than 10 % of its mean from first to "
        "last frame, and by more than that of SIK",
        measure=v.drift("position_growth", "orientation_growth"),
        holds=v.grows,
        solvers=("ccd", "sik"),
        clips=("boxing",),
        whole=True,
    ),
    Claim(
        id="S0.66b",
        claim="The swivel of the arms becomes unnatural with CCD as the motion goes on.",
        criterion="the line through the swivel error of the elbows on boxing rises by more than "
        "10 % of its mean, and by more than that of SIK",
        measure=v.drift("arm_swivel_growth"),
        holds=v.grows,
        solvers=("ccd", "sik"),
        clips=("boxing",),
        whole=True,
    ),
    Claim(
        id="S0.66c",
        claim="The spine of CCD resembles a snake: it bends near the head.",
        criterion="bends higher up than SIK, and more bending that cancels out, by a tenth and on "
        "every clip; partly if recorded people have more of the latter",
        measure=h.spine,
        holds=h.snakes,
        solvers=("ccd", "sik"),
    ),
    Claim(
        id="S0.67",
        claim="KMA snakes less than CCD, because it starts from rest in each frame.",
        criterion="less bending of the spine that cancels out, by a tenth and on every clip",
        measure=h.spine,
        holds=h.snakes_less,
        solvers=("kma", "ccd"),
    ),
    Claim(
        id="S0.68a",
        claim="Pseudoinverse, DLS, DLS with SVD and SDLS bend the clavicles too much.",
        criterion="each turns them further than SIK and the original, by a tenth on average, and "
        "on every clip",
        measure=h.clavicles,
        holds=h.above(SQUARES, ("sik", "original")),
        solvers=(*SQUARES, "sik"),
        note="The recordings of the paper's clips hold the clavicles still.",
    ),
    Claim(
        id="S0.68b",
        claim="PIK gives more natural clavicles than the other Jacobian methods.",
        criterion="each of the others turns them further than PIK as published, by a tenth on "
        "average, and on every clip",
        measure=h.clavicles,
        holds=h.above(SQUARES, ("pik",)),
        solvers=(*SQUARES, "pik"),
    ),
    Claim(
        id="S0.69a",
        claim="Near singular postures DLS with SVD and SDLS are the most stable.",
        criterion="both have a tenth less angular jerk than the others on the playground while a "
        "limb is more than 97 % stretched; partly if both have than the pseudoinverse",
        measure=h.calm("straight_jerk"),
        holds=h.svd_calmer,
        solvers=SQUARES,
        clips=("playground",),
        note="DLS with and without SVD are algebraically one method: that one of them is calmer "
        "cannot show.",
    ),
    Claim(
        id="S0.69b",
        claim="Jerkiness near singular postures is most noticeable on the noisy playground.",
        criterion="for each of the four methods, the 95th percentile of that angular jerk is "
        "largest there",
        measure=h.calm("straight_jerk_p95"),
        holds=h.jerkiest_there,
        solvers=SQUARES,
        clips=THREE,
        whole=True,
        note="A percentile, because limbs are hardly ever straight on boxing: there one jump "
        "decides the RMS.",
    ),
    Claim(
        id="S0.69c",
        claim="The difference between the methods shows most there, too.",
        criterion="largest ratio between the four methods' angular jerk of all three clips",
        measure=h.calm("straight_jerk_p95"),
        holds=h.playground_tells,
        solvers=SQUARES,
        clips=THREE,
        whole=True,
        note="The other reading of the same sentence.",
    ),
    Claim(
        id="S0.70a",
        claim="The swivel of TGBSIK changes abruptly in some frames.",
        criterion="on some clip, a jump of more than 30 degrees in a frame, larger than SIK's "
        "largest; partly if SIK jumps so on another",
        measure=h.jumps,
        holds=h.jumps_on("tgbsik"),
        solvers=("tgbsik", "sik"),
        whole=True,
    ),
    Claim(
        id="S0.70b",
        claim="The swivel of KMA changes abruptly on the playground.",
        criterion="there, a jump of more than 30 degrees in a frame, larger than SIK's largest",
        measure=h.jumps,
        holds=h.jumps_on("kma", "playground"),
        solvers=("kma", "sik"),
        clips=("playground",),
        whole=True,
    ),
    _peak(
        "S0.71a",
        "boxing",
        "On boxing the error peaks in a quick turn, with a stretched limb that does not reach.",
        missed=True,
    ),
    _peak(
        "S0.71b",
        "jump kick",
        "On the jump kick, too, the error peaks in a quick turn with a limb that does not reach.",
        missed=True,
    ),
    _peak("S0.71c", "playground", "On the playground the error peaks in turns.", missed=False),
    Claim(
        id="S0.72",
        claim="The differences can be seen in frames 2507, 327 and 675.",
        criterion="pictures, for the eye to judge",
        measure=v.pose_errors,
        note="Position error in these frames; the poses are drawn in the report.",
    ),
)
"""In the order of the paper."""
