"""Pictures of calibration boards, for tests of calibration."""

from __future__ import annotations

import cv2
import numpy as np

from sixpoint.vision.calibration import Board
from sixpoint.vision.camera import Camera


def printed(board: Board, n: int) -> np.ndarray:
    """The board itself, n pixels a square; one square of white around it."""
    if board.marker is not None:
        grey = board.charuco().generateImage(((board.columns + 1) * n, (board.rows + 1) * n))
    else:
        y, x = np.indices((board.rows + 1, board.columns + 1))
        dark = np.where((x + y) % 2 == 0, 0, 255).astype(np.uint8)
        grey = np.kron(dark, np.ones((n, n), np.uint8))
    grey = np.pad(grey, n, constant_values=255)
    return np.ascontiguousarray(np.repeat(grey[..., None], 3, axis=2))


def shown(camera: Camera, board: Board, turn, place) -> np.ndarray:
    """A picture of a board somewhere: the plane's homography applied to its print."""
    n, sheet = 60, printed(board, 60)
    # From pixels of the print to the board's plane: the first inner corner lies at (2 n - .5).
    to_plane = np.array(
        [
            [board.square / n, 0, -board.square * (2 * n - 0.5) / n],
            [0, board.square / n, -board.square * (2 * n - 0.5) / n],
            [0, 0, 1],
        ]
    )
    rotation, _ = cv2.Rodrigues(np.array(turn, float))
    rotation = rotation @ np.diag([1.0, -1.0, -1.0])
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], place])
    world = camera.rotation @ plane + np.outer(camera.translation, [0, 0, 1])
    return cv2.warpPerspective(sheet, camera.matrix @ world @ to_plane, camera.size,
                               flags=cv2.INTER_AREA, borderValue=(90, 110, 90))  # fmt: skip
