"""Whole bodies: the neutral stance, built-in clips and their reconstructions, joint limits."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.bench.prior import draw_worst
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS
from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats
from sixpoint.limits import Estimate, LimitEstimator, SwingTwistLimit
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX
from sixpoint.studio import limit_pictures
from sixpoint.studio.mannequin import COLOURS, Limb, mannequin_of
from sixpoint.studio.panels import Panel
from sixpoint.studio.pictures import INK

from . import canvas as c

BODY = Skeleton.humanoid()
REST = dict(zip(BODY.node_names, BODY.rest()[0], strict=True))
LABELS = {
    "head": (-0.60, 1.64), "r_clavicle": (-0.60, 1.52), "r_shoulder": (-0.60, 1.36),
    "r_elbow": (-0.60, 1.06), "r_hip": (-0.60, 0.94), "r_wrist": (-0.60, 0.80),
    "r_knee": (-0.60, 0.50), "r_ankle": (-0.60, 0.10), "l_clavicle": (0.60, 1.56),
    "l_shoulder": (0.60, 1.38), "pelvis": (0.60, 1.20), "l_elbow": (0.60, 1.04),
    "l_hip": (0.60, 0.90), "l_wrist": (0.60, 0.76), "l_knee": (0.60, 0.44),
    "l_ankle": (0.60, 0.05),
}  # fmt: skip
"""Where the name of each role stands in the picture [m]."""
MEASURES = {
    "neck": (("vc7", "vc4", "skullbase"), c.PURPLE),
    "torso": (("HumanoidRoot", "vt12", "vt6", "vc7"), c.ORANGE),
    "pelvis": (("l_hip", "HumanoidRoot"), c.GREEN),
    "thigh": (("l_knee", "l_hip"), c.LEFT),
    "calf": (("l_ankle", "l_knee"), c.RIGHT),
}
"""The lengths that add up to the body height, from the lower joint to the upper one."""
STEPS = ("pelvis", "spine", "legs", "clavicles", "arms")
ON_TOES = 126
"""Frame of the clip "overhead": on the toes, one hand at a high shelf."""
DIRECTIONS = {-180.0: "extension", -90.0: "adduction", 0.0: "flexion", 90.0: "abduction"}
"""Circumduction of a limb [degrees] -> what the movement is called."""
BALLS = {
    "shoulder": ("l_shoulder", c.LEFT), "hip": ("l_hip", c.RIGHT),
    "clavicle": ("l_sternoclavicular", c.PURPLE), "thoracic joint": ("vt6", c.GREEN),
    "cervical joint": ("vc4", c.ORANGE),
}  # fmt: skip


def neutral(**bends: float) -> Motion:
    """One frame of the neutral stance; keywords rotate joints about X [degrees]."""
    local = arrays.identity(BODY.joint_count)
    for name, angle in bends.items():
        local[BODY.index(name)] = arrays.from_axis_angle((1.0, 0.0, 0.0), np.radians(angle))
    return Motion(BODY, BODY.offsets[None, 0], local[None], 60.0)


@c.picture("stance", 8.4, 8.6)
def stance(figure: Any) -> None:
    """The neutral stance with the frame of every role."""
    anatomy, at, one = BODY.anatomy, BODY.rest()[0], (1.0, 0.0, 0.0, 0.0)
    pen = c.Pen(figure, (0.0, 0.0, 1.0, 1.0), (-0.95, 0.95), (-0.10, 1.845), c.view(28.0, 10.0))
    pen.body(neutral(), c.GHOST)
    pen.dots(at[list(anatomy.spine)], c.MIDDLE, 16.0, zorder=4)
    pen.line(*at[list(anatomy.bends)], colour=c.MIDDLE, width=1.2, zorder=3)
    for role, (x, y) in LABELS.items():
        spot = pen.flat(at[anatomy.node(role)])
        pen.axes.plot([x, spot[0]], [y, spot[1]], color=c.FAINT, linewidth=0.8, zorder=3)
        weight = "bold" if role in SIX else "normal"
        side, shift = ("left", 0.015) if x > 0 else ("right", -0.015)
        pen.axes.text(x + shift, y, role, ha=side, va="center", color=INK, fontsize=11,
                      fontweight=weight)  # fmt: skip
        pen.triad(at[anatomy.node(role)], one, 0.085)
    pen.dots([at[anatomy.node(role)] for role in SIX], size=46.0)
    corner = np.array([0.68, 0.19]) @ pen.basis[:2]  # where the picture is empty
    pen.triad(corner, one, 0.2, 2.4)
    words = ("x: left", "y: up", "z: forward")
    for k, shift in enumerate(((0.0, -0.04), (0.0, 0.03), (-0.02, -0.04))):
        style = {"color": c.AXES["XYZ"[k]], "fontsize": 11, "fontweight": "bold"}
        pen.text(corner + 0.2 * np.eye(3)[k], words[k], *shift, **style)


@c.picture("measures", 10.0, 6.6)
def measures(figure: Any) -> None:
    """Signs of the hinges, and body height against stature."""
    pen = c.Pen(figure, (0.0, 0.0, 0.5, 1.0), (-0.72, 0.72), (-0.06, 1.84), c.SIDE)
    bent = neutral(l_elbow=-75.0, l_knee=60.0)
    pen.body(neutral(), lambda part: None if part.side == "left" else c.GHOST)
    pen.body(bent, lambda part: c.LEFT if part.side == "left" else None, zorder=3.0)
    signs = (
        ("elbow", "wrist", "elbow: flexion is negative\nabout +X, to −145°", (-0.41, 1.28)),
        ("knee", "ankle", "knee: flexion is positive\nabout +X, to +135°", (0.43, 0.56)),
    )
    for joint, child, words, spot in signs:
        hinge, end = c.limb_of(bent, (f"l_{joint}", f"l_{child}"))
        sweep = c.arc(hinge, (0.0, -1.0, 0.0), end - hinge, 0.24)
        pen.line(hinge, hinge - (0.0, 0.29, 0.0), width=1.0, linestyle=":", zorder=5)
        pen.line(*sweep[:-2], colour=c.RIGHT, width=2.0, zorder=5)
        pen.arrow(sweep[-4], sweep[-1], c.RIGHT, 2.0)
        pen.dots(hinge, "white", 28.0)
        pen.axes.text(*spot, words, color=INK, fontsize=11, ha="center", va="center")
    pen.axes.text(-0.62, 0.0, "← forward (+Z)", color=c.LEFT, fontsize=11, fontweight="bold")

    pen = c.Pen(figure, (0.5, 0.0, 0.5, 1.0), (-0.80, 0.64), (-0.06, 1.84), c.SIDE)
    pen.body(neutral(), c.GHOST)
    for name, (joints, colour) in MEASURES.items():
        chain = np.array([REST[joint] for joint in joints])
        if name == "pelvis":  # its height, straight up
            chain[1] = (0.0, chain[1][1], chain[0][2])
        pen.line(*chain, colour=colour, width=5.0, zorder=5)
        pen.axes.text(0.2, chain[:, 1].mean(), name, color=colour, fontsize=12, va="center")
        pen.dots(chain, "white", 22.0)
    low, high = REST["l_ankle"][1], REST["skullbase"][1]
    pen.axes.plot([-0.37, -0.29, -0.33, -0.33, -0.37, -0.29], [low, low, low, high, high, high],
                  color=INK, linewidth=1.0)  # fmt: skip
    words = f"body height\n{BODY.anatomy.height:.2f} m\n(along the\nbones)"
    pen.axes.text(-0.38, 0.95, words, color=INK, fontsize=11, ha="right", va="center")


def step_of(part: c.Part) -> str:
    """Which step of sequential IK solves a part of the built-in body."""
    nodes = {BODY.anatomy.node(role): role for role in BODY.anatomy.roles.nodes}
    if not isinstance(part, Limb):
        return "pelvis" if part == mannequin_of(BODY).masses[0] else "spine"
    role = nodes.get(part.start, "")
    if role.endswith(("hip", "knee", "ankle")):
        return "legs"
    if role.endswith("clavicle"):
        return "clavicles"
    return "arms" if role[2:] in ("shoulder", "elbow", "wrist") else "spine"


@c.picture("order", 10.0, 4.2)
def order(figure: Any) -> None:
    """Six points, then part by part."""
    clip = sp.builtin("overhead")
    points = clip.points()
    one = sp.reconstruct(points, clip.skeleton, "sik").motion.frames([ON_TOES])
    six = dict(zip(SIX, points.positions[ON_TOES], strict=True))
    lines = (("pelvis", "head", INK), ("r_wrist", "l_wrist", c.ORANGE),
             ("r_ankle", "l_ankle", c.PURPLE))  # fmt: skip
    for k, title in enumerate(("six points", *STEPS)):
        box = (k / 6.0, 0.0, 1 / 6.0, 0.9)
        origin = six["pelvis"] * (1.0, 0.0, 1.0)
        pen = c.Pen(figure, box, (-0.52, 0.52), (-0.14, 2.28), c.view(24.0, 10.0),
                    f"{k}  {title}" if k else title, origin)  # fmt: skip
        done = STEPS[:k]
        pen.body(one, lambda p, done=done: COLOURS[p.side] if step_of(p) in done else None)  # type: ignore[misc]
        for a, b, colour in lines[: 3 if k <= 1 else 0]:
            pen.line(six[a], six[b], colour=colour, linestyle="--" if k else "-")
        if k == 1:
            pen.triad(six["pelvis"], one.world()[1][0, BODY.anatomy.node("pelvis")], 0.24, 2.2)
        pen.dots(list(six.values()), size=34.0)


def strip(figure: Any, name: str, moments: tuple[float, ...], solvers: tuple[str, ...]) -> None:
    """A built-in clip and its reconstructions, the same moments [s] below each other."""
    original = sp.builtin(name)
    points = original.points()
    panels = [Panel(original, f"built-in clip “{name}”", points)]
    for kind in solvers:
        motion = sp.reconstruct(points, original.skeleton, kind).motion
        off = 100.0 * sp.compare(motion, original).position_rms
        words = f"{kind}, from six points: joints {off:.1f} % of body height off"
        panels.append(Panel(motion, words, points))
    c.rows(figure, panels, moments)


for _name, _clip, _moments, _solvers in (
    ("clip_reach", "reach", (0.3, 1.2, 1.9, 2.6, 3.2, 4.8, 5.8), ("guided",)),
    ("contact_sheet", "boxing", (0.3, 0.9, 1.85, 2.6, 3.2, 4.6, 6.2), ("sik",)),
    ("guided", "boxing", (0.9, 1.85, 3.2, 4.6, 5.4, 6.2), ("guided", "sik")),
):
    c.picture(_name, 9.0, 5.0)(partial(strip, name=_clip, moments=_moments, solvers=_solvers))


def guided_worst(path: Path) -> None:
    """The frames of a clip in which it errs most, as `sixpoint bench prior` draws them."""
    draw_worst(sp.builtin("reach"), "built-in clip “reach”", "", path, dpi=58)


c.PICTURES["guided_worst"] = guided_worst


def directions(limit: SwingTwistLimit, theta: Floats, psi: Floats) -> Floats:
    """Unit vectors to which the bone points, shape (..., 3)."""
    bone, e1, e2 = (np.array(v) for v in (limit.bone, limit.e1, limit.e2))
    heading = np.cos(theta)[..., None] * e1 + np.sin(theta)[..., None] * e2
    return np.asarray(np.cos(psi)[..., None] * bone + np.sin(psi)[..., None] * heading)


@c.picture("shoulder", 10.0, 4.1)
def shoulder(figure: Any) -> None:
    """Where the left elbow may go, from two sides, and the curve that says so."""
    limit = sp.adult_limits(BODY)["l_shoulder"]
    assert isinstance(limit, SwingTwistLimit)
    centre = REST["l_shoulder"]
    radius = float(np.linalg.norm(REST["l_elbow"] - centre))
    theta, psi = np.meshgrid(np.linspace(-np.pi, np.pi, 145), np.linspace(0.02, np.pi, 73))
    ways, allowed = directions(limit, theta, psi), psi <= limit.amplitude(theta[0])
    rim = directions(limit, theta[0], limit.amplitude(theta[0]))
    marks = np.radians(list(DIRECTIONS))
    for k, (yaw, title) in enumerate(((8.0, "from the front"), (142.0, "from behind"))):
        basis = c.view(yaw, 14.0)
        x, y, _ = centre @ basis.T
        pen = c.Pen(figure, (0.29 * k, 0.0, 0.29, 0.9), (x - 0.41, x + 0.41), (y - 0.44, y + 0.57),
                    basis, title)  # fmt: skip
        pen.body(neutral(), c.GHOST, zorder=1.0)
        near = ways @ basis[2] > 0.0
        for which, colour in ((near & allowed, c.GREEN), (near & ~allowed, c.FAINT)):
            pen.dots(centre + radius * ways[which], colour, 9.0, linewidths=0.0, alpha=0.45)
        shown = np.where((rim @ basis[2] > 0.0)[:, None], centre + radius * rim, np.nan)
        pen.line(*shown, width=2.4, zorder=7)
        spots = directions(limit, marks, limit.amplitude(marks))
        pen.dots(centre + radius * spots[spots @ basis[2] > 0.0], size=36.0, zorder=8)
    axes = c.plot(figure, (0.665, 0.14, 0.315, 0.74), "circumduction θ [degrees]", "",
                  "greatest swing ψ(θ) [degrees]")  # fmt: skip
    most = np.degrees(limit.amplitude(theta[0]))
    axes.fill_between(np.degrees(theta[0]), 0.0, most, color=c.GREEN, alpha=0.3, linewidth=0.0)
    axes.plot(np.degrees(theta[0]), most, color=INK, linewidth=2.2)
    axes.scatter(list(DIRECTIONS), np.degrees(limit.amplitude(marks)), s=36.0, c=c.POINT,
                 edgecolors="#222222", zorder=6)  # fmt: skip
    for (degrees, name), top in zip(DIRECTIONS.items(), limit.amplitude(marks), strict=True):
        axes.text(degrees + 9.0, np.degrees(top) + 5.0, name, fontsize=10, color=INK)
    axes.set(xlim=(-186.0, 186.0), ylim=(0.0, 205.0), xticks=range(-180, 181, 90))


@c.picture("boundaries", 10.0, 4.2)
def boundaries(figure: Any) -> None:
    """The default boundaries of all ball joints of the built-in figure."""
    limits = sp.adult_limits(BODY)
    theta = np.linspace(-np.pi, np.pi, 361)
    for k, (names, top) in enumerate(((list(BALLS)[:2], 205.0), (list(BALLS)[2:], 62.0))):
        axes = c.plot(figure, (0.07 + 0.49 * k, 0.14, 0.42, 0.78), "circumduction θ [degrees]",
                      "greatest swing ψ [degrees]")  # fmt: skip
        for name in names:
            joint, colour = BALLS[name]
            limit = limits[joint]
            assert isinstance(limit, SwingTwistLimit)
            axes.plot(np.degrees(theta), np.degrees(limit.amplitude(theta)), color=colour,
                      linewidth=2.2, label=f"{name} ({joint})")  # fmt: skip
            axes.scatter(np.degrees(limit.thetas), np.degrees(limit.amplitudes), s=30.0, c=colour,
                         edgecolors="white", zorder=5)  # fmt: skip
        axes.set(xlim=(-186.0, 186.0), ylim=(0.0, top), xticks=range(-180, 181, 90))
        axes.legend(frameon=False, fontsize=10, labelcolor=INK, loc="upper left")


@cache
def estimated() -> tuple[LimitEstimator, Estimate]:
    """The estimate of limits from all built-in clips."""
    estimator = LimitEstimator(BODY)
    for name in CLIPS:
        estimator.add(sp.builtin(name), name)
    return estimator, estimator.estimate()


def draw_estimate(path: Path, kind: str) -> None:
    """Samples of joints and what is fitted to them, as `sixpoint limits --report` draws them."""
    estimator, estimate = estimated()
    samples, starts = estimator.samples()
    ball, hinge = (estimate.names.index(n) for n in ("l_shoulder", "l_elbow"))
    draw = getattr(limit_pictures, f"draw_{kind}")
    arguments: dict[str, tuple[Any, ...]] = {
        "clouds": (samples, [ball, hinge]),
        "boundary": (samples, ball),
        "motions": (samples, starts, ball),
    }
    if kind == "unwrapping":
        arguments[kind] = limit_pictures.wrapping(estimator, estimate, ball)
    c.save(draw(estimate, *arguments[kind]), path)


for _kind in ("clouds", "unwrapping", "boundary", "motions"):
    c.PICTURES[f"estimate_{_kind}"] = partial(draw_estimate, kind=_kind)


@c.picture("estimate_solve", 10.0, 7.2)
def with_and_without(figure: Any) -> None:
    """A recording, and its reconstructions without and with estimated limits."""
    clip = sp.builtin("boxing")
    points = clip.points()
    limits = sp.estimate_limits([clip]).limits("xyz")
    panels = [Panel(clip, "recorded")]
    for title, kept in (("no limits", None), ("limits estimated from the recording", limits)):
        # The damped method has no preferred bend of its own: limits show most with it.
        motion = sp.reconstruct(points, clip.skeleton, "dls", limits=kept).motion
        off = sp.compare(motion, clip).orientation_rms
        panels.append(Panel(motion, f"dls, {title}: {off:.2f} rad off", points))
    c.rows(figure, panels, (0.6, 1.85, 2.6, 3.2, 4.6, 5.4, 6.2))
