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
from .mannequin import COLOURS, POINT_COLOUR
from .panels import Panel, Shot, View, check_panels, even_times, facing_of, shoot
from .pictures import colour_bytes

CAP = 0.18
"""Height of a limb's rounded end over its length: half-round on thighs, near it on the others."""
TAPER = 0.70
"""Thickness of a limb at its end over that at its start: the mean of the mannequin's limbs."""
POINT_SIZE = 0.026
"""Radius of a tracked point as a part of stature."""
FIELD_OF_VIEW = float(np.radians(40.0))
"""Field of view of the camera, from top to bottom [rad]."""


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
        title: title of the browser's window.
        fps: moments kept per second; never more than the fastest motion has.
        view: initial view; default a 3/4 view from the front.
        progress: called with the number of moments done and their total.
    """
    check_panels(panels)
    try:
        import viser
    except ImportError as error:
        raise MissingExtra("viser", "studio", "The page with 3D playback") from error
    fps = min(fps, max(panel.motion.rate for panel in panels))
    times = even_times(panels, fps)
    shots = [shoot(panel, times) for panel in panels]
    basis = (view or View()).basis(facing_of(panels[0].motion))
    # The recorder belongs to a server; nobody connects to this one, and it listens on no network.
    with redirect_stdout(io.StringIO()):  # it prints when it starts and stops
        server = viser.ViserServer(host="127.0.0.1", verbose=False)
    try:
        _light(server.scene, basis)
        shifts = _side_by_side(shots, basis[0])
        floor = min(float(shot.anchor[0, 1]) for shot in shots)
        actors = [
            _Actor(server.scene, f"/figure_{number}", shot, shift)
            for number, (shot, shift) in enumerate(zip(shots, shifts, strict=True))
        ]
        _look(server, shots, shifts, basis)
        recorder = server.get_scene_serializer()
        for k in range(len(times)):
            for actor in actors:
                actor.show(k, floor)
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

    def __init__(self, scene: Any, name: str, shot: Shot, shift: Floats) -> None:
        self.shot, self.shift, self.mannequin = shot, shift, shot.panel.mannequin
        size = POINT_SIZE * self.mannequin.stature

        def batch(part: str, mesh: tuple[Any, Any], colours: Sequence[str]) -> Any:
            count = len(colours)
            return scene.add_batched_meshes_simple(
                f"{name}/{part}", *mesh, np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
                np.zeros((count, 3)), batched_scales=np.full((count, 3), size),
                batched_colors=np.array([_linear(colour) for colour in colours]).reshape(-1, 3),
                lod="off", cast_shadow=False, receive_shadow=False,
            )  # fmt: skip

        limbs, masses = self.mannequin.limbs, self.mannequin.masses
        self.limbs = batch("limbs", _limb_mesh(), [COLOURS[limb.side] for limb in limbs])
        self.masses = batch("masses", _ball_mesh(), [COLOURS[mass.side] for mass in masses])
        self.girths = np.array([limb.radii[0] for limb in limbs])
        self.masses.batched_scales = np.array([mass.half for mass in masses]).reshape(-1, 3)
        title = shot.panel.title
        self.label = scene.add_label(
            f"{name}/title", title, anchor="bottom-center", visible=bool(title)
        )
        points = shot.panel.points
        if points is not None:
            self.points = batch("points", _ball_mesh(), [POINT_COLOUR] * len(points.names))

    def show(self, k: int, floor: float) -> None:
        """Move to one moment."""
        solids = self.shot.solids
        start, way = solids.starts[k] + self.shift, solids.ends[k] - solids.starts[k]
        length = np.linalg.norm(way, axis=-1)
        self.limbs.batched_positions = start
        self.limbs.batched_wxyzs = _from_y(way, length)
        self.limbs.batched_scales = np.stack([self.girths, length, self.girths], axis=-1)
        if self.mannequin.masses:
            self.masses.batched_positions = solids.centres[k] + self.shift
            self.masses.batched_wxyzs = solids.rotations[k]
        x, _, z = self.shot.anchor[k] + self.shift
        self.label.position = (x, 1.12 * self.mannequin.stature + floor, z)
        at = self.shot.seen_points(k)
        if at is not None:
            # A point that is not seen is put far below the ground.
            self.points.batched_positions = np.where(np.isfinite(at), at + self.shift, -1e3)


def _side_by_side(shots: Sequence[Shot], right: Floats) -> list[Floats]:
    """Return the displacement of each figure so that they stand in a row."""
    reach = max(
        float(np.linalg.norm((s.corners - s.anchor[:, None])[..., (0, 2)], axis=-1).max())
        for s in shots
    )
    middle = (len(shots) - 1) / 2.0
    starts = [shot.anchor[0] * (1.0, 0.0, 1.0) for shot in shots]
    return [
        np.asarray((n - middle) * 2.0 * reach * right - start) for n, start in enumerate(starts)
    ]


def _light(scene: Any, basis: Floats) -> None:
    """Add lights without shadows or reflections: smooth on a laptop without a graphics card."""
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
    """Add ground and camera, so that all figures are in the picture from beginning to end."""
    moved = list(zip(shots, shifts, strict=True))
    places = [shot.corners.reshape(-1, 3) + shift for shot, shift in moved]
    path = np.concatenate([*places, *(shot.anchor + shift for shot, shift in moved)])
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
    """Return rotations that take +Y along vectors (n, 3) of given lengths (n,)."""
    unit = way / np.maximum(length, 1e-12)[:, None]
    # (1 + y . d, y x d) is twice the half-angle quaternion; straight down it vanishes.
    q = np.stack([1.0 + unit[:, 1], unit[:, 2], np.zeros(len(unit)), -unit[:, 0]], axis=-1)
    q[np.linalg.norm(q, axis=-1) < 1e-6] = (0.0, 1.0, 0.0, 0.0)
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def _limb_mesh() -> tuple[Any, Any]:
    """Return a tapered capsule of length 1 from the origin along +Y, of radius 1 at its start."""
    rise = np.linspace(-0.5 * np.pi, 0.0, 6)
    below = np.stack([CAP * np.sin(rise), np.cos(rise)], axis=-1)
    above = np.stack([1.0 - TAPER * CAP * np.sin(rise[::-1]), TAPER * np.cos(rise[::-1])], axis=-1)
    return _revolve(np.concatenate([below, above]), 16)


def _ball_mesh() -> tuple[Any, Any]:
    rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    return _revolve(np.stack([np.sin(rise), np.cos(rise)], axis=-1), 20)


def _revolve(profile: Floats, around: int) -> tuple[Any, Any]:
    """Return vertices and faces of a profile (n, 2) of heights and radii, turned about Y."""
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


def _linear(colour: str) -> list[int]:
    """Return bytes for instanced meshes, whose colours the page takes as linear light."""
    return [round(255.0 * (value / 255.0) ** 2.2) for value in colour_bytes(colour)]
