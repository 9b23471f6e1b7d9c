"""One HTML file with 3D playback of one or several motions: no server, no network, no other file.

Made by viser's scene recorder. Each figure is two sets of instanced meshes (limbs and masses), so a
frame costs a few hundred bytes.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..errors import MissingExtra
from ..kernels.types import Floats
from .mannequin import COLOURS, POINT_COLOUR, Side
from .panels import Panel, Shot, View, check_panels, facing_of, shoot

CAP = 0.18
"""Height of a limb's rounded end over its length: half-round on thighs, near it on the others."""
TAPER = 0.70
"""Thickness of a limb at its end over that at its start: the mean of the mannequin's limbs."""
POINT_SIZE = 0.026
"""Radius of a tracked point as a part of stature."""

FIELD_OF_VIEW = float(np.radians(40.0))
"""Of the camera, from top to bottom [rad]."""


def playback_page(
    panels: Sequence[Panel],
    path: str | Path,
    *,
    title: str = "sixpoint",
    fps: float = 30.0,
    view: View | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a page that plays motions side by side; the viewer can turn, pause and scrub.

    Args:
        panels: the motions, left to right.
        path: replaced when the page is complete.
        title: of the browser's window.
        fps: moments kept for a second; never more than the fastest motion has.
        view: from where it is first seen; default a 3/4 view from the front.
        progress: called with the number of moments done and their total.
    """
    check_panels(panels)
    try:
        import viser
    except ImportError as error:
        raise MissingExtra("viser", "studio", "The page with 3D playback") from error
    fps = min(fps, max(panel.motion.rate for panel in panels))
    length = max(panel.motion.duration for panel in panels)
    times = np.arange(max(int(np.ceil(length * fps)), 1)) / fps
    shots = [shoot(panel, times) for panel in panels]
    basis = (view or View()).basis(facing_of(panels[0].motion))
    shifts = _side_by_side(shots, basis[0])
    # The recorder belongs to a server; nobody connects to this one, and it listens on no network.
    with redirect_stdout(io.StringIO()):  # it greets and takes leave there
        server = viser.ViserServer(host="127.0.0.1", verbose=False)
    try:
        _light(server.scene, basis)
        floor = min(float(shot.anchor[0, 1]) for shot in shots)
        actors = [
            _Actor(server.scene, number, shot, shift, floor)
            for number, (shot, shift) in enumerate(zip(shots, shifts, strict=True))
        ]
        _look(server, shots, shifts, basis)
        recorder = server.get_scene_serializer()
        for k in range(len(times)):
            for actor in actors:
                actor.show(k)
            recorder.insert_sleep(1.0 / fps)
            if progress is not None:
                progress(k + 1, len(times))
        text = recorder.as_html()
    finally:
        with redirect_stdout(io.StringIO()):
            server.stop()
    text = re.sub(r"<title>.*?</title>", f"<title>{html.escape(title)}</title>", text, count=1)
    with atomic_write(path) as file:
        file.write(text.encode())


class _Actor:
    """One figure in the scene."""

    def __init__(self, scene: Any, number: int, shot: Shot, shift: Floats, floor: float) -> None:
        self.shot, self.shift, self.floor = shot, shift, floor
        self.mannequin = shot.panel.mannequin
        name = f"/figure_{number}"
        limbs, masses = self.mannequin.limbs, self.mannequin.masses
        self.limbs = self._batch(scene, f"{name}/limbs", _limb_mesh(), [p.side for p in limbs])
        self.masses = self._batch(scene, f"{name}/masses", _ball_mesh(), [p.side for p in masses])
        self.girths = np.array([limb.radii[0] for limb in limbs])
        self.masses.batched_scales = np.array([mass.half for mass in masses]).reshape(-1, 3)
        self.label = scene.add_label(
            f"{name}/title",
            shot.panel.title,
            anchor="bottom-center",
            visible=bool(shot.panel.title),
        )
        self.points = None
        if shot.panel.points is not None:
            count = len(shot.panel.points.names)
            self.points = self._batch(scene, f"{name}/points", _ball_mesh(), [None] * count)

    def _batch(self, scene: Any, name: str, mesh: Any, sides: Sequence[Side | None]) -> Any:
        count = len(sides)
        turns = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        colours = [_rgb(COLOURS[side] if side else POINT_COLOUR) for side in sides]
        return scene.add_batched_meshes_simple(
            name, *mesh, turns, np.zeros((count, 3)),
            batched_scales=np.full((count, 3), POINT_SIZE * self.mannequin.stature),
            batched_colors=np.array(colours).reshape(-1, 3),
            lod="off", cast_shadow=False, receive_shadow=False,
        )  # fmt: skip

    def show(self, k: int) -> None:
        """Move to one moment."""
        solids = self.shot.solids
        start, way = solids.starts[k] + self.shift, solids.ends[k] - solids.starts[k]
        length = np.linalg.norm(way, axis=-1)
        self.limbs.batched_positions = start
        self.limbs.batched_wxyzs = _from_y(way, length)
        self.limbs.batched_scales = np.stack([self.girths, length, self.girths], axis=-1)
        if self.mannequin.masses:
            self.masses.batched_positions = solids.centres[k] + self.shift
            self.masses.batched_wxyzs = solids.turns[k]
        x, _, z = self.shot.anchor[k] + self.shift
        self.label.position = (x, 1.12 * self.mannequin.stature + self.floor, z)
        points = self.shot.panel.points
        if points is not None and self.points is not None and self.shot.frames[k] < len(points):
            at = points.positions[self.shot.frames[k]]
            # A point that is not seen waits below the ground, where nobody sees it either.
            self.points.batched_positions = np.where(np.isfinite(at), at + self.shift, -1e3)


def _side_by_side(shots: Sequence[Shot], right: Floats) -> list[Floats]:
    """Where to move each figure so that they stand in a row."""
    reach = 0.0
    for shot in shots:
        away = (shot.corners - shot.anchor[:, None])[..., (0, 2)]
        reach = max(reach, float(np.linalg.norm(away, axis=-1).max()))
    middle = (len(shots) - 1) / 2.0
    starts = [shot.anchor[0] * (1.0, 0.0, 1.0) for shot in shots]
    return [
        np.asarray((n - middle) * 2.0 * reach * right - start) for n, start in enumerate(starts)
    ]


def _light(scene: Any, basis: Floats) -> None:
    """Plain lights without shadows or reflections: smooth on a laptop without a graphics card."""
    scene.set_up_direction("+y")
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False, cast_shadow=False)
    scene.add_light_hemisphere(
        "/sky", sky_color=(255, 255, 255), ground_color=(150, 155, 165), intensity=2.0
    )
    scene.add_light_directional(
        "/sun", intensity=1.6, position=2 * basis[1] + basis[2] - basis[0], cast_shadow=False
    )
    scene.world_axes.visible = False


def _look(server: Any, shots: Sequence[Shot], shifts: Sequence[Floats], basis: Floats) -> None:
    """Ground and camera, so that all figures are in the picture from beginning to end."""
    places = [s.corners.reshape(-1, 3) + d for s, d in zip(shots, shifts, strict=True)]
    path = np.concatenate([*places, *(s.anchor + d for s, d in zip(shots, shifts, strict=True))])
    low, high = path.min(axis=0), path.max(axis=0)
    size = float(np.ceil(np.max(high - low)[()])) + 3.0
    server.scene.add_grid(
        "/ground", width=size, height=size, plane="xz", cell_size=0.5, section_size=1.0,
        cell_color=(225, 228, 232), section_color=(190, 196, 204), shadow_opacity=0.0,
        position=((low[0] + high[0]) / 2.0, low[1], (low[2] + high[2]) / 2.0),
    )  # fmt: skip
    aim = (low + high) / 2.0
    right, up, near = np.abs((path - aim) @ basis.T).max(axis=0)
    # 1.3 for the narrowest usual window, 1.25 for titles and air.
    distance = near + 1.25 * max(right / 1.3, up) / np.tan(0.5 * FIELD_OF_VIEW)
    server.initial_camera.look_at = aim
    server.initial_camera.position = aim + distance * basis[2]
    server.initial_camera.fov = FIELD_OF_VIEW


def _from_y(way: Floats, length: Floats) -> Floats:
    """Rotations that take +Y along vectors (n, 3) of given lengths (n,); identity for none."""
    unit = way / np.maximum(length, 1e-12)[:, None]
    # (1 + y . d, y x d) is twice the half-angle quaternion; straight down it vanishes.
    q = np.stack([1.0 + unit[:, 1], unit[:, 2], np.zeros(len(unit)), -unit[:, 0]], axis=-1)
    q[np.linalg.norm(q, axis=-1) < 1e-6] = (0.0, 1.0, 0.0, 0.0)
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def _limb_mesh() -> tuple[Any, Any]:
    """A tapered capsule of length 1 from the origin along +Y, of radius 1 at its start."""
    rise = np.linspace(-0.5 * np.pi, 0.0, 6)
    below = np.stack([CAP * np.sin(rise), np.cos(rise)], axis=-1)
    above = np.stack([1.0 - TAPER * CAP * np.sin(rise[::-1]), TAPER * np.cos(rise[::-1])], axis=-1)
    return _revolve(np.concatenate([below, above]), 16)


def _ball_mesh() -> tuple[Any, Any]:
    rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    return _revolve(np.stack([np.sin(rise), np.cos(rise)], axis=-1), 20)


def _revolve(profile: Floats, around: int) -> tuple[Any, Any]:
    """Vertices and faces of a profile (n, 2) of heights and radii, turned about the Y axis."""
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    height, radius = profile[:, :1], profile[:, 1:]
    vertices = np.stack(
        [radius * np.sin(angle), height + 0.0 * angle, radius * np.cos(angle)], axis=-1
    )
    at = np.arange(len(profile) * around).reshape(len(profile), around)
    a, b = at[:-1], np.roll(at[:-1], -1, axis=1)
    c, d = at[1:], np.roll(at[1:], -1, axis=1)
    faces = np.concatenate([np.stack([a, b, d], -1), np.stack([a, d, c], -1)]).reshape(-1, 3)
    return vertices.reshape(-1, 3), faces


def _rgb(colour: str) -> list[int]:
    """Bytes for instanced meshes, whose colours the page takes as linear light, not as sRGB."""
    return [round(255.0 * (int(colour[k : k + 2], 16) / 255.0) ** 2.2) for k in (1, 3, 5)]
