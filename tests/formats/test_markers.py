"""TRC, C3D, and joints from marker sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixpoint as sp
from sixpoint.errors import FormatError, UnknownName
from sixpoint.formats import load_points
from sixpoint.formats.markers import (
    as_roles,
    read_points_trc,
    upright_roles,
    write_points_trc,
)
from sixpoint.kernels import arrays
from sixpoint.motion.points import SIX, Points
from sixpoint.subjects import LAYOUTS, layout_positions
from sixpoint.subjects.conventions import UP

TRC = """PathFileType\t4\t(X/Y/Z)\ta.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
50\t50\t2\t2\tmm\t50\t1\t2
Frame#\tTime\tL.Wrist\t\t\tX1\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.00\t100\t200\t300\t1\t2\t3
2\t0.02\t\t\t\t4\t5\t6\t\t
"""


def test_trc_has_holes_and_blank_lines(tmp_path):
    path = tmp_path / "a.trc"
    path.write_text(TRC)
    points = read_points_trc(path)
    assert points.names == ("l_wrist",)
    assert points.rate == 50.0
    np.testing.assert_allclose(points.positions[0, 0], [0.1, 0.2, 0.3])
    assert np.isnan(points.positions[1]).all()


def test_points_come_back_from_trc_with_what_was_not_seen(tmp_path):
    clip = sp.builtin("squat").frames(slice(0, 5))
    points = clip.points()
    holes = points.positions.copy()
    holes[2, 3] = np.nan
    write_points_trc(Points(points.names, holes, 60.0), tmp_path / "a.trc")
    again = load_points(tmp_path / "a.trc")
    assert again.names == points.names
    np.testing.assert_allclose(again.positions, holes, atol=1e-8)


def test_the_plug_in_gait_set_gives_the_six():
    names = ["LFHD", "RFHD", "LBHD", "RBHD", "LASI", "RASI", "LPSI", "RPSI", "LWRA", "LWRB",
             "Anna:RWRA", "Anna:RWRB", "LANK", "RANK", "C7"]  # fmt: skip
    rng = np.random.default_rng(0)
    at = rng.normal(size=(3, len(names), 3))
    roles = as_roles(Points(names, at, 100.0))
    assert set(roles.names) == set(SIX)
    pelvis = roles.positions[:, roles.names.index("pelvis")]
    np.testing.assert_allclose(pelvis, at[:, 4:8].mean(axis=1))
    unknown = Points(["a", "b"], at[:, :2], 100.0)
    assert as_roles(unknown) is unknown


SETS = {
    "CMU 41": "LFWT RFWT LBWT RBWT LFHD RFHD LBHD RBHD LWRA LWRB LANK LSHO LELB LKNE",
    "Helen Hayes": "R.ASIS L.ASIS V.Sacral Front.Head Rear.Head Top.Head L.Wrist L.Ankle "
    "L.Ankle.Medial L.Shoulder L.Elbow L.Knee L.Knee.Medial",
    "Rizzoli": "L_IAS R_IAS L_IPS R_IPS L_HEAD R_HEAD L_RSP L_USP L_FAL L_TAM L_SAE L_HLE L_HME "
    "L_FLE L_FME",
    "OptiTrack": "WaistLFront WaistRFront WaistLBack WaistRBack HeadTop HeadFront HeadSide "
    "LWristIn LWristOut LAnkleOut LShoulderTop LElbowOut LKneeOut",
}


@pytest.mark.parametrize("name", SETS)
def test_marker_sets_give_pelvis_head_and_limbs(name):
    names = SETS[name].split()
    left = [n for n in names if n[0] == "L" and n not in ("L.ASIS", "L_IAS", "L_IPS", "L_HEAD")]
    names += [f"R{n[1:]}" for n in left if f"R{n[1:]}" not in names]
    rng = np.random.default_rng(0)
    roles = as_roles(Points(names, rng.normal(size=(2, len(names), 3)), 100.0))
    limbs = [
        f"{s}_{part}" for s in "lr" for part in ("wrist", "ankle", "shoulder", "elbow", "knee")
    ]
    assert set(roles.names) == {"pelvis", "head", *limbs}


def test_keypoints_of_pose2sim_are_landmarks(tmp_path):
    clip = sp.builtin("walk").frames(slice(0, 100, 10))
    layout = LAYOUTS["halpe26"]
    spelled = {"hips": "Hip", "head_top": "Head", "neck_base": "Neck", "nose": "Nose"}

    def spelling(name):
        side, _, word = name.partition("_")
        return spelled.get(name) or side.upper() + "".join(w.title() for w in word.split("_"))

    names = [spelling(name) for name in layout.landmarks]
    assert {"RBigToe", "LHeel", "RWrist", "LEar"} <= set(names)
    z_up = arrays.rotate(arrays.conjugate(np.array(UP["z"])), layout_positions(clip, layout))
    write_points_trc(Points(names, z_up, 60.0), tmp_path / "a.trc")
    found = load_points(tmp_path / "a.trc")
    truth = clip.points(("head", "l_ankle", "r_wrist"), rotations=True)
    again = found.select(truth.names)
    np.testing.assert_allclose(again.positions, truth.positions, atol=1e-6)
    turned = arrays.angle_between(again.rotations, truth.rotations)[:, :2]
    assert turned.max() < 1e-4


def test_shoulders_show_what_is_up_where_there_is_no_head():
    clip = sp.builtin("walk").frames(slice(0, 20))
    roles = ("l_shoulder", "pelvis", "l_wrist", "l_ankle")
    points = clip.points(roles)
    z_up = arrays.rotate(arrays.conjugate(np.array(UP["z"])), points.positions)
    found = upright_roles(Points(roles, z_up, 60.0), "y").select(roles)
    np.testing.assert_allclose(found.positions, points.positions, atol=1e-9)


def test_given_markers_win_and_must_exist():
    points = Points(("LWRA", "LWRB", "X1", "X2"), np.arange(24.0).reshape(2, 4, 3), 60.0)
    roles = as_roles(points, {"l_wrist": "X1, x2", "head": "X1"})
    np.testing.assert_allclose(roles.positions[:, 0], points.positions[:, 2:].mean(axis=1))
    assert roles.names == ("l_wrist", "head")
    with pytest.raises(UnknownName, match="No marker 'X3'"):
        as_roles(points, {"l_wrist": "X1,X3"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "'PathFileType'"),
        (TRC.replace("\tmm\t", "\tmiles\t"), r"Units among m, cm.*got 'miles'"),
        (TRC.replace("50\t50\t2", "-1\t50\t2"), "a positive DataRate, got '-1'"),
        (TRC.replace("\tX1\t\t\n", "\tL.Wrist\t\t\n"), "each once"),
        (TRC.replace("100\t200", "abc\t200"), r"a\.trc:7: Expected a number, got 'abc'"),
        ("\n".join(TRC.splitlines()[:6]), "at least one row"),
    ],
)
def test_a_trc_file_that_cannot_be_read(tmp_path, text, message):
    path = tmp_path / "a.trc"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_points_trc(path)


@given(st.text(max_size=80))
def test_any_text_is_points_or_an_error(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.trc"
    path.write_text("PathFileType\n" + text, encoding="utf-8", errors="replace")
    with pytest.raises(FormatError):
        read_points_trc(path)


def test_real_trc_files(shared_data):
    folder = shared_data / "other" / "trc"
    gait = load_points(folder / "btk_Gait.trc")
    assert {"l_wrist", "r_wrist", "l_ankle", "r_ankle", "pelvis"} <= set(gait.names)
    dance = load_points(folder / "motek_T.trc")
    assert set(SIX) <= set(dance.names)
    rise = dance.select(["head"]).positions - dance.select(["l_ankle"]).positions
    assert 1.0 < np.nanmedian(rise[..., 1]) < 2.0
    with pytest.raises(FormatError):
        load_points(folder / "malformed_empty.trc")


def test_real_c3d_files(shared_data):
    pytest.importorskip("ezc3d", reason="ezc3d is not installed: pip install 'sixpoint[c3d]'")
    walk = load_points(shared_data / "cmu-asf" / "02_01_walk.c3d")
    assert set(SIX) <= set(walk.names)
    rise = walk.select(["head"]).positions - walk.select(["l_ankle"]).positions
    assert 1.2 < np.nanmedian(rise[..., 1]) < 1.8
    assert np.isfinite(sp.reconstruct(walk, sp.Skeleton.humanoid(1.8)).motion.root).all()
    read = {}
    for path in sorted((shared_data / "other" / "c3d").glob("*.c3d")):
        if "sgi" in path.name:  # ezc3d does not read the numbers of those machines
            with pytest.raises(FormatError, match="MIPS"):
                load_points(path)
            continue
        points = load_points(path)
        assert np.isfinite(points.positions).any()
        read[path.name] = len(points)
    assert len(read) == 3
    for path in sorted((shared_data / "other" / "c3d_malformed").glob("*.c3d")):
        try:
            points = load_points(path)
        except FormatError:
            continue
        assert len(points.names) > 0


def test_c3d_that_is_none(tmp_path):
    pytest.importorskip("ezc3d", reason="ezc3d is not installed: pip install 'sixpoint[c3d]'")
    with pytest.raises(FormatError, match="no such file"):
        load_points(tmp_path / "a.c3d")
    (tmp_path / "a.c3d").write_bytes(b"x")
    with pytest.raises(FormatError, match="Expected 512 to"):
        load_points(tmp_path / "a.c3d")
    (tmp_path / "a.c3d").write_bytes(bytes(1024))
    with pytest.raises(FormatError, match=r"Expected C3D|markers"):
        load_points(tmp_path / "a.c3d")
