"""Cameras to points: pictures of two cameras, or keypoints of any detector, become tracked points.

Chroma key, skin, blobs, tracking, triangulation, Kalman filters: the vision system of Boulic,
Varona, Unzueta, Peinado, Suescun and Perales 2006, and a synthetic room whose truth is known.
"""

from __future__ import annotations

from .body_measurement import load_marks, measure_body
from .calibration import Board, calibrate_pair, camera_from_projection, load_cameras, save_cameras
from .camera import Camera
from .capture import Capture, CaptureSettings, Recording, capture_clip, elbow_feedback
from .images import Footage, open_footage, read_together
from .keypoints import load_keypoints, triangulate_keypoints
from .segmentation import Background, ChromaKey, SkinModel, fit_skin

__all__ = [
    "Background", "Board", "Camera", "Capture", "CaptureSettings", "ChromaKey", "Footage",
    "Recording", "SkinModel", "calibrate_pair", "camera_from_projection", "capture_clip",
    "elbow_feedback", "fit_skin", "load_cameras", "load_keypoints", "load_marks", "measure_body",
    "open_footage", "read_together", "save_cameras", "triangulate_keypoints",
]  # fmt: skip
