"""Sequential IK part by part, and the methods that share its closed formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats
from sixpoint.limits import FixedLimit
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.studio.pictures import INK

from . import canvas as c
from .people import BODY, step_of

ARM, CLAVICLE = ("l_shoulder", "l_elbow", "l_wrist"), "l_sternoclavicular"
AT = dict(zip(BODY.names, BODY.anatomy.positions, strict=False))
"""Positions of joints in the neutral stance, from the pelvis [m]."""
SHOULDER = AT["l_shoulder"]
UPPER = float(np.linalg.norm(AT["l_elbow"] - SHOULDER))
LOWER = float(np.linalg.norm(AT["l_wrist"] - AT["l_elbow"]))
WEIGHTS = {(1.0, 1.0, 0.0): c.RIGHT, (0.1, 0.1, 1.0): c.LEFT, (0.02, 0.02, 1.0): c.GREEN}
"""Three settings, and their colours."""
DISTANCES = {1.02: c.PURPLE, 1.0: INK, 0.95: c.LEFT, 0.9: c.SKY, 0.85: c.GREEN, 0.7: c.RIGHT}
"""Distance of the head over the neutral one, and its colour."""
AIM = np.array([0.10, -0.07, 0.36])
"""Distance of a hand from its shoulder [m]."""


def name_of(weights: tuple[float, ...]) -> str:
    """Weights as a user types them."""
    return "(" + ", ".join(f"{w:g}" for w in weights) + ")"


def yaw(motion: Motion) -> Floats:
    """Where the pelvis faces, from +Z towards +X [degrees], shape (F,)."""
    anatomy = motion.skeleton.anatomy
    pelvis = anatomy.node("pelvis")
    world = arrays.multiply(motion.world()[1][:, pelvis], arrays.conjugate(anatomy.neutral[pelvis]))
    left = arrays.rotate(world, np.tile((1.0, 0.0, 0.0), (len(motion), 1)))
    return np.degrees(np.unwrap(np.arctan2(-left[:, 2], left[:, 0])))


@c.picture("pelvis", 10.0, 4.8)
def pelvis(figure: Any) -> None:
    """From above: the lines between wrists and ankles, and what two settings make of them."""
    clip, frame = sp.builtin("walk"), 157
    points = clip.points()
    six = dict(zip(SIX, points.positions[frame], strict=True))
    middle = six["pelvis"] * (1.0, 0.0, 1.0)
    six = {name: p - middle for name, p in six.items()}
    lines = (("wrist", c.ORANGE, (0.07, 0.04), (-0.1, 0.09)),
             ("ankle", c.PURPLE, (0.1, 0.0), (0.3, 0.0)))  # fmt: skip
    pen = c.Pen(figure, (0.0, 0.0, 0.5, 0.92), (-0.56, 0.56), (-0.62, 0.40), c.FROM_ABOVE,
                "a walk from above: two lines between points")  # fmt: skip
    pen.body(c.still(clip, frame), c.GHOST)
    for role, colour, shift, _ in lines:
        pen.arrow(six[f"r_{role}"], six[f"l_{role}"], colour, 2.6)
        pen.text(six[f"l_{role}"], f"{role}s", *shift, color=colour, fontsize=12)
    pen.dots(list(six.values()), size=55.0)
    pen.text((-0.46, 0.0, 0.55), "front ↓", fontsize=11)

    pen = c.Pen(figure, (0.5, 0.0, 0.5, 0.92), (-1.15, 1.15), (-1.2, 0.87), c.FROM_ABOVE,
                "their directions, and the pelvis for two settings")  # fmt: skip
    origin = np.zeros(3)
    for k, (role, colour, _, shift) in enumerate(lines):
        flat = (six[f"l_{role}"] - six[f"r_{role}"]) * (1.0, 0.0, 1.0)
        flat /= np.linalg.norm(flat)
        pen.arrow(origin, flat, colour, 2.6)
        pen.text(flat, f"{role}s (w{k + 1})", *shift, color=colour, fontsize=12)
    for weights, colour in list(WEIGHTS.items())[:2]:
        solved = sp.reconstruct(points, clip.skeleton, "sik", weights=weights).motion
        angle = np.radians(yaw(solved)[frame])
        left = np.array([np.cos(angle), 0.0, -np.sin(angle)])
        front = np.cross(left, (0.0, 1.0, 0.0))
        pen.arrow(origin, 0.62 * left, colour, 2.6)
        pen.arrow(origin, 0.95 * front, colour, 2.6)
        pen.text(0.62 * left, "X", 0.08, 0.0, color=colour, fontsize=12)
        spot = (0.02, -0.08, "center") if colour == c.LEFT else (-0.05, 0.03, "right")
        words = f"Z {name_of(weights)}"
        pen.text(0.95 * front, words, *spot[:2], ha=spot[2], color=colour, fontsize=12)
    pen.dots(origin, size=55.0)


def crossing() -> Points:
    """Somebody stands, crosses the arms in front of the chest, and opens them again."""
    rate, count = 60.0, 270
    stance = BODY.anatomy.positions[[BODY.anatomy.node(name) for name in SIX]] + (0.0, 1.0, 0.0)
    positions = np.tile(stance, (count, 1, 1))
    time = np.arange(count) / rate
    ramp = np.clip((time - 1.0) / 0.8, 0.0, 1.0) - np.clip((time - 2.7) / 0.8, 0.0, 1.0)
    ease = ramp * ramp * (3.0 - 2.0 * ramp)
    for k, side in ((2, 1.0), (3, -1.0)):
        positions[:, k, 0] = side * (0.24 - 0.40 * ease)
        positions[:, k, 1] = 1.16 + 0.03 * side
        positions[:, k, 2] = 0.26 + side * (0.012 + 0.03 * np.sin(2.1 * time))
    return Points(SIX, positions, rate)


@c.picture("flip", 10.0, 4.4)
def flip(figure: Any) -> None:
    """What crossed arms do to the pelvis, and what helps."""
    points, frame = crossing(), 140
    rotations = np.full((*points.positions.shape[:2], 4), np.nan)
    rotations[:, 0] = (1.0, 0.0, 0.0, 0.0)
    solved = {w: sp.reconstruct(points, BODY, "sik", weights=w).motion for w in WEIGHTS}
    for k, (weights, colour) in enumerate(list(WEIGHTS.items())[:2]):
        motion = solved[weights]
        origin = (0.0, motion.root[frame, 1] - BODY.offsets[0, 1], 0.0)
        pen = c.Pen(figure, (0.19 * k, 0.0, 0.2, 0.88), (-0.5, 0.5), (-0.1, 1.85),
                    c.view(20.0, 8.0), origin=origin)  # fmt: skip
        pen.body(motion, frame=frame)
        pen.dots(points.positions[frame], size=26.0)
        pen.axes.set_title(name_of(weights), fontsize=12, color=colour)
    axes = c.plot(figure, (0.47, 0.13, 0.51, 0.75), "time [s]", "pelvis yaw [degrees]",
                  "arms crossed")  # fmt: skip
    time = np.arange(len(points)) / points.rate
    axes.axvspan(1.4, 3.1, color="#F1F3F5")
    axes.axvline(frame / points.rate, color=c.FAINT, linewidth=1.0, linestyle=":")
    known = sp.reconstruct(replace(points, rotations=rotations), BODY, "sik").motion
    axes.plot(time, yaw(known), color=c.FAINT, linewidth=4.5, label="pelvis rotation given")
    for weights, colour in WEIGHTS.items():
        axes.plot(time, yaw(solved[weights]), color=colour, linewidth=1.8, label=name_of(weights))
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="best")


def equal_spine(root: float, joints: int = 5) -> Floats:
    """Eq. (1) on a straight spine of unit segments, chord upright: shape (joints, 3)."""
    angles = root - np.arange(joints - 1) * 2.0 * root / (joints - 2)
    # Backwards first: the pelvis leans back by the angle, the last segment forwards.
    steps = np.stack([np.zeros(joints - 1), np.cos(angles), -np.sin(angles)], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


@c.picture("spine", 10.0, 4.9)
def spine(figure: Any) -> None:
    """Three panels: the rule, the distances, a bow."""
    bends, head = list(BODY.anatomy.bends), BODY.anatomy.positions[BODY.anatomy.node("head")]
    pen = c.Pen(figure, (0.0, 0.0, 0.24, 0.9), (-0.75, 1.75), (-0.65, 4.3), c.SIDE,
                "the rule, five joints")  # fmt: skip
    for root, colour in ((0.0, c.FAINT), (0.5, c.SKY), (1.0, c.LEFT)):
        pen.chain(equal_spine(root), colour, 3.2)
    pen.axes.text(0.5, -0.55, "φ = 2 φ root / (n − 2)", ha="center", color=INK, fontsize=11)

    pen = c.Pen(figure, (0.24, 0.0, 0.44, 0.9), (-0.38, 0.575), (-0.16, 0.66), c.SIDE,
                "stretched, neutral, bent, held by limits")  # fmt: skip
    for k, (part, colour) in enumerate(DISTANCES.items()):
        shift = np.array([0.0, 0.0, 0.30 - 0.14 * k])  # side by side
        at = c.standing(BODY, {"head": part * head}, known=()).positions()[0][bends]
        pen.chain(at + shift, colour, 3.2)
        pen.dots(np.array([shift, part * head + shift]), size=42.0)
        pen.text(shift, f"{part:g}", 0.0, -0.075, color=colour, fontsize=11)
    pen.axes.text(0.06, -0.14, "distance of the head over the neutral one", ha="center",
                  color=INK)  # fmt: skip

    pen = c.Pen(figure, (0.68, 0.0, 0.32, 0.9), (-0.74, 0.16), (-0.25, 0.85), c.SIDE, "a bow")
    forwards = np.cross((1.0, 0.0, 0.0), head)
    bows = ((0.0, 1.0, INK), (25.0, 0.97, c.LEFT), (50.0, 0.92, c.SKY), (72.0, 0.88, c.GREEN))
    for degrees, part, colour in bows:
        t = np.radians(degrees)
        target = part * (np.cos(t) * head + np.sin(t) * forwards)
        motion = c.standing(BODY, {"head": target}, known=())
        if degrees in (0.0, 72.0):
            pen.body(motion, lambda p: c.GHOST if hasattr(p, "half") else None, zorder=1.0)
        pen.chain(motion.positions()[0][bends], colour, 3.2)
        pen.dots(target, size=42.0)
    pen.dots(np.zeros(3), size=42.0)


@c.picture("clavicle", 10.0, 3.7)
def clavicle(figure: Any) -> None:
    """Within reach, beyond the shoulder's reach, and with the clavicle's help."""
    near, far = (SHOULDER + part * (UPPER + LOWER) * np.array([0.6, 0.8, 0.0])
                 for part in (0.95, 1.085))  # fmt: skip
    stiff = sp.adult_limits(BODY).replace({CLAVICLE: FixedLimit()})
    panels = (
        ("in reach: the clavicle rests", c.standing(BODY, {"l_wrist": near}), near),
        ("out of reach of the shoulder alone",
         c.standing(BODY, {"l_wrist": far}, limits=stiff), far),
        ("the clavicle rotates as far as needed", c.standing(BODY, {"l_wrist": far}), far),
    )  # fmt: skip
    for k, (title, motion, target) in enumerate(panels):
        pen = c.Pen(figure, (k / 3.0, 0.0, 1 / 3.0, 0.9), (-0.20, 0.66), (0.28, 1.09),
                    c.view(0.0, 0.0), title)  # fmt: skip
        pen.body(motion, lambda part: None if part.side == "left" else c.GHOST)
        now = dict(zip(BODY.names, motion.positions()[0], strict=False))
        pivot, arm = now[CLAVICLE], [now[name] for name in ARM]
        pen.line(pivot, arm[0], colour=c.RIGHT, width=5.0, zorder=4)
        pen.line(*arm, colour=c.LEFT, width=5.0, zorder=4)
        pen.dots([pivot, *arm], "white", 34.0)
        pen.dots(target, size=70.0)
        for where, words, *shift in ((pivot, "ST", -0.05, -0.03), (arm[0], "SH", 0.06, 0.0),
                                     (target, "W", 0.045, 0.03)):  # fmt: skip
            pen.text(where, words, *shift, **c.LABEL)
        if k == 1:
            pen.line(arm[2], target, colour=c.RIGHT, linestyle=":", zorder=4)
            words = f"{1e3 * float(np.linalg.norm(target - arm[2])):.0f} mm"
            pen.text((arm[2] + target) / 2, words, -0.10, 0.02, color=c.RIGHT, fontsize=12)
        if k == 2:
            pen.line(pivot, target, width=1.2, linestyle=":", zorder=3)
            pen.line(pivot, SHOULDER, colour=c.FAINT, width=3.0, zorder=3)
            pen.line(*c.arc(pivot, SHOULDER - pivot, arm[0] - pivot, 0.115), width=1.8, zorder=5)
            for where, words, *shift in (
                ((pivot + SHOULDER) / 2, "α", 0.062, 0.032), ((pivot + target) / 2, "d", -0.035, 0),
                ((arm[0] + target) / 2, "L1", 0.065, -0.02), ((pivot + arm[0]) / 2, "a", -0.02,
                                                              0.035),
            ):  # fmt: skip
                pen.text(where, words, *shift, fontsize=14, style="italic")


def arm_pen(figure: Any, box: tuple[float, ...], title: str) -> c.Pen:
    """The trunk seen from the left and above, for an arm that reaches forwards."""
    pen = c.Pen(figure, box, (-0.48, 0.36), (-0.19, 0.83), c.view(62.0, 14.0), title)
    ghost = c.standing(BODY, {"l_wrist": SHOULDER - np.array([0.0, 0.5, 0.0])})
    pen.body(ghost, lambda part: c.GHOST if part.side == "middle" else None, zorder=1.0)
    return pen


def circle_of_elbows() -> tuple[Floats, Floats, Floats]:
    """Centre of all elbows that reach `AIM`, and two radii at right angles; the first is sik's."""
    solved = c.standing(BODY, {"l_wrist": SHOULDER + AIM}, limits=None)
    elbow = c.limb_of(solved, ARM)[1]
    along = AIM / np.linalg.norm(AIM)
    centre = SHOULDER + along * float((elbow - SHOULDER) @ along)
    return centre, elbow - centre, np.cross(along, elbow - centre)


@c.picture("limb", 10.0, 4.5)
def limb(figure: Any) -> None:
    """An arm in three steps, and the circle on which its elbow may lie."""
    centre, u, v = circle_of_elbows()
    distance, down = float(np.linalg.norm(AIM)), np.array([0.0, -1.0, 0.0])
    elbow, hand = centre + u, SHOULDER + AIM
    way = {1: AIM / distance, 2: (elbow - SHOULDER) / UPPER}
    titles = ("1  aim the straight arm", "2  open it by the angle at A", "3  bend the elbow")
    for k, title in enumerate(titles):
        pen = arm_pen(figure, (k / 3.0, 0.0, 1 / 3.0, 0.9), title)
        straight = [
            SHOULDER + length * way[min(k + 1, 2)] for length in (0.0, UPPER, UPPER + LOWER)
        ]
        bent = straight if k < 2 else [SHOULDER, elbow, hand]
        pen.line(*bent, colour=c.LEFT, width=5.0, zorder=4)
        pen.dots(bent, "white", 34.0)
        if k == 0:
            pen.line(SHOULDER, SHOULDER + (UPPER + LOWER) * down, colour=c.FAINT, width=3.0)
            sweep = c.arc(SHOULDER, down, AIM, 0.3)
            pen.line(*sweep[:-1], zorder=5)
            pen.arrow(sweep[-4], sweep[-1], INK, 1.6)
        if k == 1:
            pen.line(SHOULDER, SHOULDER + (UPPER + LOWER) * way[1], colour=c.FAINT, width=3.0)
            pen.line(*c.arc(SHOULDER, AIM, way[2], 0.16), colour=c.RIGHT, width=2.0, zorder=5)
            pen.text(SHOULDER + 0.11 * (way[1] + way[2]), "ψ2", color=c.RIGHT, fontsize=13)
        if k == 2:
            radius = float(np.linalg.norm(u))
            pen.line(*c.circle(centre, u / radius, v / radius, radius), colour=c.ORANGE, width=2.0)
            for t in np.radians((70.0, 140.0, 215.0, 290.0)):
                other = centre + np.cos(t) * u + np.sin(t) * v
                pen.line(SHOULDER, other, hand, colour=c.FAINT, zorder=2)
            pen.line(SHOULDER, hand, width=1.0, linestyle=":", zorder=3)
            pen.text(elbow, "swivel circle", -0.27, -0.03, color=c.ORANGE, fontsize=12)
        pen.text(SHOULDER, "A", 0.035, 0.04, **c.LABEL)
        pen.text(bent[1], "B", *((-0.02, 0.045) if k == 0 else (0.04, -0.03)), **c.LABEL)
        pen.text(hand, "D", -0.045, 0.02, **c.LABEL)
        pen.dots(hand, size=70.0)


@c.picture("tgbsik", 8.0, 4.2)
def tgbsik(figure: Any) -> None:
    """What every swivel costs: on the circle of elbows, and as a curve."""
    from matplotlib import colormaps

    centre, u, v = circle_of_elbows()
    swivels = np.linspace(-np.pi, np.pi, 181)
    elbows = centre + np.cos(swivels)[:, None] * u + np.sin(swivels)[:, None] * v
    bone = (elbows - SHOULDER) / UPPER
    hinge = np.cross(bone, SHOULDER + AIM - elbows)
    hinge *= -1.0 / np.linalg.norm(hinge, axis=1, keepdims=True)
    # The rotation that takes -Y to the bone and X to the hinge; its angle splits in swing, twist.
    trace = hinge[:, 0] - bone[:, 1] + np.cross(hinge, -bone)[:, 2]
    half = np.cos(0.5 * np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)))
    swing = np.arccos(np.clip(-bone[:, 1], -1.0, 1.0))
    twist = 2.0 * np.arccos(np.clip(half / np.cos(0.5 * swing), -1.0, 1.0))
    cost = swing**2 + twist**2
    best, hand = int(np.argmin(cost)), SHOULDER + AIM
    pen = arm_pen(figure, (0.0, 0.0, 0.42, 0.9), "all elbows; yellow: least rotation")
    paint = colormaps["viridis_r"]((cost - cost.min()) / np.ptp(cost))
    for elbow, colour in zip(elbows[::15], paint[::15], strict=True):
        pen.line(SHOULDER, elbow, hand, colour=colour, width=1.2, zorder=2)
    pen.dots(elbows, paint, 26.0, linewidths=0.0, zorder=3)
    pen.chain(np.array([SHOULDER, elbows[best], hand]), c.LEFT, 5.0)
    pen.dots(hand, size=70.0)
    axes = c.plot(figure, (0.53, 0.14, 0.44, 0.76), "swivel [rad]", "swing² + twist² [rad²]",
                  "the cost that is searched")  # fmt: skip
    axes.plot(swivels, cost, color=c.LEFT, linewidth=1.8)
    axes.axvline(swivels[best], color=c.ORANGE, linewidth=1.2)


@c.picture("swivel", 10.0, 4.1)
def swivel(figure: Any) -> None:
    """A raised arm that limits keep from its target, and the swivel that reaches it."""
    rise = np.radians(150.0)
    reach = float(np.linalg.norm(AT["l_wrist"] - SHOULDER))
    target = SHOULDER + 0.93 * reach * np.array([np.sin(rise), -np.cos(rise), 0.0])
    for k, name in enumerate(("neutral", "search")):
        motion = c.standing(BODY, {"l_wrist": target}, swivel=name)
        gap = 1e3 * float(np.linalg.norm(c.limb_of(motion, ("l_wrist",)) - target))
        titles = (f'swivel="{name}": {gap:.0f} mm off', "from the left")
        for n, (angle, x) in enumerate(((0.0, (-0.30, 0.62)), (90.0, (-0.44, 0.48)))):
            box = ((2 * k + n) / 4.0, 0.0, 0.25, 0.88)
            pen = c.Pen(figure, box, x, (-0.08, 1.16), c.view(angle, 0.0), titles[n])
            pen.body(motion, lambda p: c.GHOST if p.side != "left" else None, zorder=1.0)
            pen.body(
                motion,
                lambda p: c.LEFT if p.side == "left" and step_of(p) == "arms" else None,
                zorder=3.0,
            )
            pen.dots(target, size=70.0)


@c.picture("elbow", 9.0, 4.0)
def elbow(figure: Any) -> None:
    """An elbow inside the torso, and after the arm has swivelled, from above and from the front."""
    target = np.array([0.0, 0.13, 0.26])
    motions = [c.standing(BODY, {"l_wrist": target}, collisions=on) for on in (False, True)]
    views = (
        ((0.0, 0.0, 0.33, 0.9), c.FROM_ABOVE, motions[:1], "elbow in the torso"),
        ((0.33, 0.0, 0.33, 0.9), c.FROM_ABOVE, motions[1:], "pushed out: the arm swivels"),
        ((0.67, 0.0, 0.33, 0.9), c.view(18.0, 6.0), motions, "before and after, from the front"),
    )
    for k, (box, basis, shown, title) in enumerate(views):
        x, y = ((-0.30, 0.40), (-0.42, 0.20)) if k < 2 else ((-0.34, 0.40), (-0.20, 0.70))
        pen = c.Pen(figure, box, x, y, basis, title)
        pen.body(shown[-1], lambda p: c.GHOST if p.side == "middle" else None, zorder=1.0)
        for motion, colour in zip(shown, (c.FAINT, c.LEFT)[-len(shown) :], strict=True):
            pen.chain(c.limb_of(motion, ARM), colour, 5.0)
        pen.dots(target, size=70.0)


@c.picture("kma", 9.0, 4.0)
def kma(figure: Any) -> None:
    """A spine beside sequential IK's, and an arm whose elbow changes sides."""
    bends = list(BODY.anatomy.bends)
    lean = np.radians(32.0)
    distance = 0.9 * float(np.linalg.norm(BODY.anatomy.positions[BODY.anatomy.node("head")]))
    head = distance * np.array([0.0, np.cos(lean), np.sin(lean)])
    pen = c.Pen(figure, (0.0, 0.0, 0.34, 0.9), (-0.52, 0.20), (-0.16, 0.76), c.SIDE,
                "the same head by both methods")  # fmt: skip
    for name, colour, joint, shift in (("sik", c.GREEN, 3, (-0.06, -0.05)),
                                       ("kma", c.LEFT, 2, (0.075, 0.03))):  # fmt: skip
        motion = c.standing(BODY, {"head": head}, name, ("pelvis",))
        at = motion.positions()[0][bends]
        pen.chain(at, colour, 3.2)
        pen.text(at[joint], name, *shift, color=colour, fontsize=13)
    pen.body(motion, lambda p: c.GHOST if hasattr(p, "half") else None, zorder=1.0)
    pen.dots([np.zeros(3), head], size=50.0)
    for k, (title, ahead) in enumerate((("hand before the shoulder", 0.1), ("behind it", -0.1))):
        hand = SHOULDER + np.array([0.02, -0.43, ahead])
        motion = c.standing(BODY, {"l_wrist": hand}, "kma", ("pelvis",), limits=None)
        pen = c.Pen(figure, (0.34 + 0.33 * k, 0.0, 0.33, 0.9), (-0.36, 0.30), (-0.10, 0.86),
                    c.SIDE, title)  # fmt: skip
        pen.body(motion, lambda p: None if step_of(p) in ("arms", "legs") else c.GHOST, zorder=1.0)
        arm = c.limb_of(motion, ARM)
        pen.line(arm[0], arm[2], width=1.0, linestyle=":", zorder=3)
        pen.chain(arm, c.LEFT, 5.0)
        middle = 0.5 * (arm[0] + arm[2])
        pen.arrow(middle, middle - np.array([0.0, 0.16, 0.0]), c.ORANGE, 2.2)
        pen.dots(hand, size=60.0)
        pen.text(arm[1], "elbow", np.sign(ahead) * 0.1, 0.0, color=c.RIGHT, fontsize=11)
