"""The paper's scenes, with seeds by which no setting was chosen."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.bench import particle_facts
from sixpoint.bench.particle_facts import SCENES, Scene, scene_facts


@pytest.mark.parametrize("seed", range(12))
def test_the_hand_meets_both_sets_of_targets(seed: int):
    found = SCENES["hand"].facts(seed)
    assert found["hand_tip_max_m"] < 0.01
    assert found["coupling_max_deg"] < 2.0


@pytest.mark.parametrize("seed", range(12))
def test_the_person_stands_and_reaches(seed: int):
    found = SCENES["person"].facts(seed)
    assert found["person_feet_max_m"] < 0.01
    assert found["person_hands_max_m"] < 0.01
    assert found["person_balance_m"] < 0.01
    assert found["person_knee_min_deg"] > 10.0


@pytest.mark.parametrize("seed", range(12))
def test_the_long_chain_keeps_its_balance(seed: int):
    found = SCENES["chain"].facts(seed)
    assert found["chain_tip_m"] < 0.001
    assert found["chain_balance_part"] < 0.01
    # Neighbours differ by five degrees on average at most.
    assert found["chain_smoothness_rad"] < np.radians(5.0) * 29


def test_scenes_are_summed_up_over_seeds(monkeypatch):
    def facts(seed: int) -> dict[str, float]:
        return {"miss": 0.1 * seed, "bend": 10.0 - seed}

    monkeypatch.setitem(particle_facts.SCENES, "toy", Scene(facts, {"miss": 0.35}, {"bend": 4.5}))
    found = scene_facts("toy", 0, 6)
    assert found["rate"] == pytest.approx(4 / 6)
    assert found["failed"] == [4, 5]
    assert found["facts"]["miss"] == pytest.approx({"median": 0.25, "worst": 0.5})
    assert found["facts"]["bend"] == {"median": 7.5, "worst": 5.0}
