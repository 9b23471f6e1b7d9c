"""The neutral stance: frames and roles, signs of the hinges, the lengths that make the height."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX
from sixpoint.studio.pictures import INK

from .canvas import (
    AXES,
    FAINT,
    GHOST,
    GREEN,
    LEFT,
    MIDDLE,
    ORANGE,
    PURPLE,
    RIGHT,
    Pen,
    arc,
    place,
    save,
    sheet,
    view,
)

IDENTITY = (1.0, 0.0, 0.0, 0.0)

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
    "neck": ("vc7", "skullbase", PURPLE),
    "torso": ("HumanoidRoot", "vc7", ORANGE),
    "pelvis": ("l_hip", "HumanoidRoot", GREEN),
    "thigh": ("l_knee", "l_hip", LEFT),
    "calf": ("l_ankle", "l_knee", RIGHT),
}
"""The lengths that add up to the body height, from the lower joint to the upper one."""


def neutral(skeleton: Skeleton, **turns: float) -> Motion:
    """One frame of the neutral stance; keywords turn joints about X [degrees]."""
    local = arrays.identity(skeleton.joint_count)
    for name, angle in turns.items():
        local[skeleton.index(name)] = arrays.from_axis_angle((1.0, 0.0, 0.0), np.radians(angle))
    return Motion(skeleton, skeleton.offsets[None, 0], local[None], 60.0)


def stance(path: Path) -> None:
    """The neutral stance with the frame of every role."""
    body = Skeleton.humanoid()
    anatomy = body.anatomy
    at = body.rest()[0]
    figure = sheet(8.4, 8.6)
    axes = place(figure, (0.0, 0.0, 1.0, 1.0), (-0.95, 0.95), (-0.10, 1.845))
    pen = Pen(axes, view(28.0, 10.0))
    pen.body(neutral(body), GHOST)
    tracked = set(SIX)
    for role, (x, y) in LABELS.items():
        node = anatomy.node(role)
        spot = pen.flat(at[node])
        axes.plot([x, spot[0]], [y, spot[1]], color=FAINT, linewidth=0.8, zorder=3)
        axes.text(
            x + (0.015 if x > 0 else -0.015),
            y,
            role,
            ha="left" if x > 0 else "right",
            va="center",
            color=INK,
            fontsize=11,
            fontweight="bold" if role in tracked else "normal",
        )
    for joint in anatomy.spine:
        pen.dots(at[joint], colour=MIDDLE, size=16.0, zorder=4)
    pen.line(*at[list(anatomy.bends)], colour=MIDDLE, width=1.2, zorder=3)
    for role in LABELS:
        pen.triad(at[anatomy.node(role)], IDENTITY, 0.085)
    pen.dots([at[anatomy.node(role)] for role in SIX], size=46.0)
    corner = np.array([0.68, 0.19]) @ pen.basis[:2]  # where the picture is empty
    pen.triad(corner, IDENTITY, 0.2, 2.4)
    for k, (name, words) in enumerate((("X", "x: left"), ("Y", "y: up"), ("Z", "z: forward"))):
        end = corner + 0.2 * np.eye(3)[k]
        shift = ((0.0, -0.04), (0.0, 0.03), (-0.02, -0.04))[k]
        pen.text(end, words, *shift, color=AXES[name], fontsize=11, fontweight="bold")
    save(figure, path)


def measures(path: Path) -> None:
    """Signs of the hinges, and body height against stature."""
    body = Skeleton.humanoid()
    at = dict(zip(body.node_names, body.rest()[0], strict=True))
    figure = sheet(10.0, 6.6)
    side = view(90.0, 0.0)

    axes = place(figure, (0.0, 0.0, 0.5, 1.0), (-0.72, 0.72), (-0.06, 1.84))
    pen = Pen(axes, side)
    bent = neutral(body, l_elbow=-75.0, l_knee=60.0)
    pen.body(neutral(body), lambda part: None if part.side == "left" else GHOST)
    pen.body(bent, lambda part: LEFT if part.side == "left" else None, zorder=3.0)
    for joint, child, colour, sign, spot in (
        (
            "l_elbow",
            "l_wrist",
            RIGHT,
            "elbow: flexion is negative\nabout +X, to −145°",
            (-0.41, 1.28),
        ),
        ("l_knee", "l_ankle", RIGHT, "knee: flexion is positive\nabout +X, to +135°", (0.43, 0.56)),
    ):
        world = bent.positions()[0]
        hinge, tip = world[body.index(joint)], world[body.index(child)]
        sweep = arc(hinge, (0.0, -1.0, 0.0), tip - hinge, 0.24)
        pen.line(hinge, hinge - (0.0, 0.29, 0.0), colour=INK, width=1.0, linestyle=":", zorder=5)
        pen.curve(sweep[:-2], colour, 2.0, zorder=5)
        pen.arrow(sweep[-4], sweep[-1], colour, 2.0)
        pen.dots(hinge, colour="white", size=28.0)
        axes.text(*spot, sign, color=INK, fontsize=11, ha="center", va="center")
    axes.text(-0.62, 0.0, "← forward (+Z)", color=LEFT, fontsize=11, fontweight="bold", va="center")

    axes = place(figure, (0.5, 0.0, 0.5, 1.0), (-0.80, 0.64), (-0.06, 1.84))
    pen = Pen(axes, side)
    pen.body(neutral(body), GHOST)
    for name, (low, high, colour) in MEASURES.items():
        chain = [at[low], at[high]]
        if name == "torso":
            chain = [at[n] for n in ("HumanoidRoot", "vt12", "vt6", "vc7")]
        if name == "neck":
            chain = [at[n] for n in ("vc7", "vc4", "skullbase")]
        if name == "pelvis":  # its height, straight up
            chain = [at[low], np.array([0.0, at[high][1], at[low][2]])]
        pen.line(*chain, colour=colour, width=5.0, zorder=5)
        middle = np.mean([pen.flat(p) for p in chain], axis=0)
        axes.text(0.2, middle[1], name, color=colour, fontsize=12, fontweight="bold", va="center")
        pen.dots(chain, colour="white", size=22.0)
    low, high = at["l_ankle"][1], at["skullbase"][1]
    axes.annotate("", xy=(-0.33, low), xytext=(-0.33, high), zorder=5,
                  arrowprops={"arrowstyle": "<->", "color": INK, "linewidth": 1.2})  # fmt: skip
    for y in (low, high):
        axes.plot([-0.37, -0.29], [y, y], color=INK, linewidth=1.0)
    words = f"body height\n{body.anatomy.height:.2f} m\n(along the\nbones)"
    axes.text(-0.38, 0.95, words, color=INK, fontsize=11, ha="right", va="center")
    save(figure, path)
