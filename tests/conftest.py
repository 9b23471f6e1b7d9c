"""Shared fixtures and the Hypothesis profile."""

from __future__ import annotations

import os

# Before NumPy is imported: workers that each start threads for small matrices wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The first call of a kernel compiles it; a deadline would count that as slowness of the law.
settings.register_profile(
    "sixpoint", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("sixpoint")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real motion data, which is not part of the project."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SIXPOINT_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no motion data at {folder} (set SIXPOINT_DATA to the folder that holds cmu/)")
    return folder
