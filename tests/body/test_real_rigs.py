"""Rigs of motion capture databases and of avatars, recognised or refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sixpoint.body.roles import ROLES, find_roles
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import RolesNotFound
from sixpoint.formats import load
from sixpoint.formats.bvh_read import parse_bvh

from .rig_families import CMU_BVH
from .rig_text import build, named, parse

HUMANS = {
    "accad_Male1_B3_Walk": "motionbuilder",
    "accad_Male2_Form_1": "motionbuilder",
    "aitviewer_sample_23j": "biovision",
    "bandai_dataset-1_kick_normal_001": "unity",
    "bandai_dataset-1_walk_normal_001": "unity",
    "bandai_dataset-2_wave-right-hand_exhausted_001": "unity",
    "blender_rig_dotL_names_19j": "blender",
    "bvhtoolbox_walk01_19j": "motionbuilder",
    "cmu_daz_friendly_49_06_cartwheel": "poser",
    "geno_bind_75j_6ch_zero_length": "motionbuilder",
    "makehuman_tpose_173j_mixed_6ch_3ch_1frame": "makehuman",
    "makehuman_zombieWalk1_75j": "makehuman",
    "mixamo_names_55j_freebvh": "motionbuilder",
    "perception_neuron_6ch_every_joint_59j": "motionbuilder",
    "pybvh_24j_mixed_orders": "motionbuilder",
    "xsens_upc_example_3": "biovision",
}
"""Stem of a file -> its family."""
NOT_HUMAN = {
    "fairmotion_sinusoidal",
    "momentum_simple_4j",
    "one_frame_4j_mixed_line_ends",
    "rotation_before_position_root",
}


def skeleton_of(path: Path) -> Skeleton:
    """The hierarchy of a BVH file, in its own unit."""
    text = parse_bvh(path.read_bytes())
    return Skeleton(
        text.names,
        text.parents,
        text.offsets,
        tuple(f"site {k} of {text.names[j]}" for k, j in enumerate(text.site_parents)),
        text.site_parents,
        text.site_offsets,
    )


@pytest.mark.data
def test_real_rigs_are_recognised_or_refused(shared_data: Path) -> None:
    seen = {}
    for path in sorted(shared_data.glob("other/bvh*/*.bvh")):
        if path.stem in NOT_HUMAN:
            with pytest.raises(RolesNotFound, match="cannot be read as a human"):
                find_roles(skeleton_of(path))
        else:
            skeleton = skeleton_of(path)
            roles = find_roles(skeleton)
            seen[path.stem] = roles.scheme
            assert set(roles.nodes) == set(ROLES), path.stem
            mirrored = {"l_": "r_", "r_": "l_"}
            for role, node in roles.nodes.items():
                if role[:2] in mirrored:  # both sides are equally far from the root
                    twin = roles.nodes[mirrored[role[:2]] + role[2:]]
                    assert len(skeleton.path(node)) == len(skeleton.path(twin)), (path.stem, role)
    assert seen == HUMANS


@pytest.mark.data
@pytest.mark.parametrize("folder", ["cmu/paper", "cmu/run", "cmu-original"])
def test_cmu_clips_are_recognised_with_their_hinges(shared_data: Path, folder: str) -> None:
    paths = sorted(shared_data.glob(f"{folder}/*.bvh"))
    assert paths
    for path in paths:
        skeleton = skeleton_of(path)
        roles = find_roles(skeleton)
        assert named(skeleton, roles) == parse(CMU_BVH)[1]
        assert len(roles.hinges) == 4


@pytest.mark.data
def test_cmu_elbows_and_knees_turn_about_their_hinges(shared_data: Path) -> None:
    motion = load(shared_data / "cmu" / "walk" / "02_01_walk.bvh")
    hinges = find_roles(motion.skeleton).hinges
    assert len(hinges) == 4
    for joint, axis in hinges.items():
        q = motion.rotations[:, motion.skeleton.index(joint)]
        q = q * np.sign(q[:, :1])
        along = q[:, 1:] @ np.array(axis)
        np.testing.assert_allclose(q[:, 1:], along[:, None] * axis, atol=1e-6)
        assert np.degrees(2.0 * np.arctan2(along, q[:, 0])).min() > -11.0  # extension stops early
        assert along.max() > 0.2


@pytest.mark.data
def test_asf_skeletons_are_recognised(shared_data: Path) -> None:
    schemes = {}
    for path in sorted(shared_data.rglob("*.asf")):
        lines = path.read_text().partition(":hierarchy")[2].splitlines()
        chains = [
            (p, child) for p, *children in map(str.split, filter(None, lines)) for child in children
        ]
        skeleton = build("\n".join(f"{parent} > {child}" for parent, child in chains))
        roles = find_roles(skeleton)
        assert set(roles.nodes) == set(ROLES), path.stem
        assert skeleton.names[roles.nodes["pelvis"]] == "root"
        schemes[path.stem] = roles.scheme
    assert schemes.pop("endorphin_skeleton") == "endorphin"
    assert set(schemes.values()) == {"cmu-asf"}


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "scheme"),
    [
        ("vrm/Example.vrm", "unity"),
        ("vrm/basic_armature_vrm0.vrm", "unity"),
        ("vrm/Godette_vrm_v4.vrm", "mixed"),
        ("gltf/CesiumMan.glb", None),
        ("gltf/webxr_generic_hand_left.glb", None),
    ],
)
def test_avatars_are_recognised_or_refused(
    shared_data: Path, file: str, scheme: str | None
) -> None:
    data = (shared_data / "other" / file).read_bytes()
    nodes = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])["nodes"]
    names = [f"{k}:{node.get('name')}" for k, node in enumerate(nodes)]
    children = {child: k for k, node in enumerate(nodes) for child in node.get("children", ())}

    def path(k: int) -> list[int]:
        return [*path(children[k]), k] if k in children else [k]

    chains = [" > ".join(names[j] for j in path(k)) for k in range(len(nodes))]
    skeleton = build("\n".join(chains))
    if scheme is None:
        with pytest.raises(RolesNotFound, match=r"no joint found for .*l_wrist"):
            find_roles(skeleton)
    else:
        assert find_roles(skeleton).scheme == scheme
        assert set(find_roles(skeleton).nodes) == set(ROLES)
