"""The stored answers of every solver are found again."""

from __future__ import annotations

import numpy as np
import pytest

from .cases import ANSWERS, CASES, excerpt

TOLERANCE = 1e-4
"""Other processors round otherwise, and iterations carry that on [m] or quaternion parts."""


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    with np.load(ANSWERS) as file:
        return dict(file)


@pytest.mark.parametrize("name", CASES)
def test_answer_is_as_stored(name: str, stored: dict[str, np.ndarray]) -> None:
    np.testing.assert_allclose(excerpt(CASES[name]()), stored[name], rtol=0, atol=TOLERANCE)
