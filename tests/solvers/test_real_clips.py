"""What sequential IK must show on real motion: CMU clips and other people's rigs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.kernels import arrays

from .clip_pieces import LIMBS

pytestmark = pytest.mark.data

PAPER = {
    "17_10_boxing": (1.0, 1.0, 0.0),
    "90_05_jump_kick": (1.0, 1.0, 0.0),
    "01_03_playground_climb_hang_swing": (0.1, 0.1, 1.0),
}
"""Clips of the SIK paper, with its weights."""


@pytest.fixture(scope="module")
def paper_clips(shared_data):
    return {name: sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh") for name in PAPER}


@pytest.mark.parametrize("swivel", ["neutral", "search"])
def test_errors_are_at_or_below_those_of_the_paper(paper_clips, swivel):
    errors = []
    for name, clip in paper_clips.items():
        result = sp.reconstruct(
            clip.points(), clip.skeleton, "sik", weights=PAPER[name], swivel=swivel, limits="adult"
        )
        found = sp.compare(result.motion, clip)
        errors.append((found.position_rms, found.orientation_rms))
    position, orientation = np.mean(errors, axis=0)
    assert position <= 0.0246
    assert orientation <= 0.2942


def test_every_clip_is_finite_within_limits_and_exact_where_it_can_be(shared_data):
    clips = sorted((shared_data / "cmu").glob("*/*.bvh"))
    assert len(clips) == 66
    missed = {"neutral": 0, "search": 0}
    for path in clips:
        clip = sp.load(path)
        for swivel in missed:
            result = sp.reconstruct(clip.points(), clip.skeleton, "sik", swivel=swivel)
            assert np.isfinite(result.motion.rotations).all(), path
            assert result.report.limit_violations == 0, path
            free = ~(result.limited | result.unreachable)[:, LIMBS]
            assert result.residuals[:, LIMBS][free].max(initial=0.0) < 1e-3, path
            missed[swivel] += result.report.missed
    assert missed["search"] < 0.7 * missed["neutral"]


def test_every_human_rig_is_recognised_and_reconstructed(shared_data):
    files = sorted((shared_data / "other" / "bvh").glob("*.bvh"))
    assert len(files) >= 13
    for path in files:
        clip = sp.load(path)
        report = sp.reconstruct(clip.points(), clip.skeleton).report
        assert report.target_mean_m < 0.03, path
        assert report.limit_violations == 0, path


def test_hands_and_feet_of_the_input_do_not_matter(shared_data, tmp_path):
    rng = np.random.default_rng(1)
    files = [*(shared_data / "other" / "bvh").glob("*.bvh"), *shared_data.glob("cmu/paper/*.bvh")]
    for path in files:
        clip = sp.load(path).frames(slice(0, 120))
        anatomy = clip.skeleton.anatomy
        ends = {anatomy.node(role) for role in ("l_wrist", "r_wrist", "l_ankle", "r_ankle")}
        below = [j for j in range(clip.skeleton.joint_count) if ends & set(clip.skeleton.path(j))]
        turned = clip.rotations.copy()
        turned[:, below] = arrays.normalize(rng.normal(size=(len(clip), len(below), 4)))
        made = []
        for name, rotations in (("a.bvh", clip.rotations), ("b.bvh", turned)):
            # By way of a file: the rest pose of some rigs is guessed from their frames.
            sp.save(replace(clip, rotations=rotations), tmp_path / name)
            again = sp.load(tmp_path / name)
            made.append(sp.reconstruct(again.points(), again.skeleton).motion.rotations)
        assert below == [] or not np.array_equal(turned, clip.rotations)
        assert np.array_equal(*made), path
