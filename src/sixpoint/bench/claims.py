"""What Unzueta et al. (2008), section 9, say about SIK and its rivals, sentence by sentence."""

from __future__ import annotations

from . import claim_tests as t
from .claim_tests import JACOBIAN, NINE, TEN, THREE, Claim


def _peak(name: str, clip: str, words: str, *, missed: bool) -> Claim:
    criterion = "in the worst 5 % of frames of the window, the hips turn 1.5 times as fast as on "
    criterion += "average"
    return Claim(
        id=name,
        claim=words,
        criterion=criterion + ", and points are missed 1.5 times as far" * missed,
        measure=t.peaks(clip),
        holds=t.turning(missed=missed),
        solvers=("sik",),
        clips=(clip,),
        whole=True,
        note="Position error of SIK in the frames of Figs. 16-18.",
    )


CLAIMS = (
    Claim(
        id="position-errors",
        claim="Position errors are those of Table 1.",
        criterion="SIK, KMA and CCD within 25 % of the paper on each clip",
        measure=t.ratios("position_rms"),
        holds=t.close,
        solvers=("sik", "kma", "ccd"),
        clips=THREE,
        whole=True,
    ),
    Claim(
        id="dls-is-dls-svd",
        claim="DLS and DLS with SVD are the same method up to rounding.",
        criterion="position errors differ by less than 0.0005 on each clip",
        measure=t.same_errors,
        holds=t.same,
        solvers=("dls", "dls-svd"),
    ),
    Claim(
        id="orientation-errors",
        claim="Orientation errors are those of Table 1.",
        criterion="SIK, KMA and CCD within 25 % of the paper on each clip",
        measure=t.ratios("orientation_rms"),
        holds=t.close,
        solvers=("sik", "kma", "ccd"),
        clips=THREE,
        whole=True,
    ),
    Claim(
        id="sik-fastest",
        claim="SIK is the fastest method.",
        criterion="every other method of Table 1 takes more time per frame",
        measure=t.times,
        holds=t.fastest,
        solvers=NINE,
        note="The spine of KMA is within the stop rule of 1 cm after one sweep; SIK finds the "
        "bend of its spine to a micrometre in some eight steps. Compiled, that is the difference.",
    ),
    Claim(
        id="four-fast",
        claim="SIK, KMA, CCD and TGBSIK are much faster than all others.",
        criterion="the slowest of the four takes less time than the fastest of the others",
        measure=t.times,
        holds=t.two_classes,
        solvers=NINE,
        note="All methods are compiled code here and share one set of small matrix routines; the "
        "paper ran the Jacobian methods with other people's general code.",
    ),
    Claim(
        id="tgbsik-slower",
        claim="TGBSIK is slower than SIK and KMA, because it searches the swivel.",
        criterion="time of TGBSIK above that of SIK and KMA",
        measure=t.times,
        holds=t.optimising_costs,
        solvers=("sik", "kma", "tgbsik"),
    ),
    Claim(
        id="sik-best-position",
        claim="SIK has the lowest position error on average.",
        criterion="lowest of the nine methods",
        measure=t.both_ways("position_rms"),
        holds=t.lowest("sik"),
        solvers=NINE,
    ),
    Claim(
        id="sik-best-orientation",
        claim="SIK has the lowest orientation error on average.",
        criterion="lowest of the nine methods",
        measure=t.both_ways("orientation_rms"),
        holds=t.lowest("sik"),
        solvers=NINE,
    ),
    Claim(
        id="pik-and-kma-on-playground",
        claim="On the playground PIK has the lowest position error and KMA the lowest orientation "
        "error.",
        criterion="lowest of the nine methods",
        measure=t.on_playground,
        holds=t.best_on_playground,
        solvers=NINE,
        clips=("playground",),
        whole=True,
    ),
    Claim(
        id="better-quality",
        claim="SIK, TGBSIK, PIK and KMA give the better quality.",
        criterion="all four, as published, among the best five by average position error",
        measure=t.both_ways("position_rms"),
        holds=t.top_five,
        solvers=NINE,
    ),
    Claim(
        id="transpose-poor",
        claim="The Jacobian transpose is poor: far from the points and jerky.",
        criterion="position error, distance from the points and jerk the largest on every clip, on "
        "average by a tenth; partly if one of them is",
        measure=t.everywhere("position_rms", "target_mean_m", "jerk", of=TEN),
        holds=t.worst_everywhere("jacobian-transpose"),
        solvers=TEN,
    ),
    Claim(
        id="ccd-errors-grow",
        claim="The errors of CCD grow with time on boxing.",
        criterion="the line through each curve rises by more than 10 % of its mean from first to "
        "last frame, and by more than that of SIK",
        measure=t.drift("position_growth", "orientation_growth"),
        holds=t.grows,
        solvers=("ccd", "sik"),
        clips=("boxing",),
        whole=True,
    ),
    Claim(
        id="ccd-swivel-grows",
        claim="The swivel of the arms becomes unnatural with CCD as the motion goes on.",
        criterion="the line through the swivel error of the elbows on boxing rises by more than "
        "10 % of its mean, and by more than that of SIK",
        measure=t.drift("arm_swivel_growth"),
        holds=t.grows,
        solvers=("ccd", "sik"),
        clips=("boxing",),
        whole=True,
    ),
    Claim(
        id="ccd-snake",
        claim="The spine of CCD resembles a snake: it bends near the head.",
        criterion="bends higher up than SIK, and more bending that cancels out, by a tenth and on "
        "every clip; partly if recorded people have more of the latter",
        measure=t.spine,
        holds=t.snakes,
        solvers=("ccd", "sik"),
    ),
    Claim(
        id="kma-snakes-less",
        claim="KMA snakes less than CCD, because it starts from rest in each frame.",
        criterion="less bending of the spine that cancels out, by a tenth and on every clip",
        measure=t.spine,
        holds=t.snakes_less,
        solvers=("kma", "ccd"),
    ),
    Claim(
        id="clavicles-bend",
        claim="Pseudoinverse, DLS, DLS with SVD and SDLS bend the clavicles too much.",
        criterion="each rotates them further than SIK and the original, by a tenth on average, and "
        "on every clip",
        measure=t.clavicles,
        holds=t.above(JACOBIAN, ("sik", "original")),
        solvers=(*JACOBIAN, "sik"),
        note="The recordings of the paper's clips hold the clavicles still.",
    ),
    Claim(
        id="pik-clavicles",
        claim="PIK gives more natural clavicles than the other Jacobian methods.",
        criterion="each of the others rotates them further than PIK as published, by a tenth on "
        "average, and on every clip",
        measure=t.clavicles,
        holds=t.above(JACOBIAN, ("pik",)),
        solvers=(*JACOBIAN, "pik"),
    ),
    Claim(
        id="svd-stable",
        claim="Near singular postures DLS with SVD and SDLS are the most stable.",
        criterion="both have a tenth less angular jerk than the others on the playground while a "
        "limb is more than 97 % stretched; partly if both have than the pseudoinverse",
        measure=t.on_clips("straight_jerk"),
        holds=t.svd_calmer,
        solvers=JACOBIAN,
        clips=("playground",),
        note="DLS with and without SVD are algebraically one method: that one of them is calmer "
        "cannot show.",
    ),
    Claim(
        id="jerky-on-playground",
        claim="Jerkiness near singular postures is most noticeable on the noisy playground.",
        criterion="for each of the four methods, the 95th percentile of that angular jerk is "
        "largest there",
        measure=t.on_clips("straight_jerk_p95"),
        holds=t.jerkiest_there,
        solvers=JACOBIAN,
        clips=THREE,
        whole=True,
        note="A percentile, because limbs are hardly ever straight on boxing: there one jump "
        "decides the RMS.",
    ),
    Claim(
        id="playground-differs-most",
        claim="The difference between the methods shows most there, too.",
        criterion="largest ratio between the four methods' angular jerk of all three clips",
        measure=t.on_clips("straight_jerk_p95"),
        holds=t.playground_shows_most,
        solvers=JACOBIAN,
        clips=THREE,
        whole=True,
        note="The other reading of the same sentence.",
    ),
    Claim(
        id="tgbsik-jumps",
        claim="The swivel of TGBSIK changes abruptly in some frames.",
        criterion="on some clip, a jump of more than 30 degrees in a frame, larger than SIK's "
        "largest; partly if SIK jumps so on another",
        measure=t.jumps,
        holds=t.jumps_on("tgbsik"),
        solvers=("tgbsik", "sik"),
        whole=True,
    ),
    Claim(
        id="kma-jumps",
        claim="The swivel of KMA changes abruptly on the playground.",
        criterion="there, a jump of more than 30 degrees in a frame, larger than SIK's largest",
        measure=t.jumps,
        holds=t.jumps_on("kma", "playground"),
        solvers=("kma", "sik"),
        clips=("playground",),
        whole=True,
    ),
    _peak(
        "peaks-boxing",
        "boxing",
        "On boxing the error peaks in a quick turn, with a stretched limb that does not reach.",
        missed=True,
    ),
    _peak(
        "peaks-jump-kick",
        "jump kick",
        "On the jump kick, too, the error peaks in a quick turn with a limb that does not reach.",
        missed=True,
    ),
    _peak(
        "peaks-playground",
        "playground",
        "On the playground the error peaks in turns.",
        missed=False,
    ),
    Claim(
        id="poses",
        claim="The differences can be seen in frames 2507, 327 and 675.",
        criterion="pictures, for the eye to judge",
        measure=t.pose_errors,
        note="Position error in these frames; the poses are drawn in the report.",
    ),
)
"""In the order of the paper."""
