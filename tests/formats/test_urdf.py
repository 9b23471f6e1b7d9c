"""URDF: what is read, what is refused, and that arbitrary files do no harm."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sixpoint as sp
from sixpoint.bench.arm import ARM, random_pose
from sixpoint.errors import FormatError, InputError, UnknownName
from sixpoint.formats import Robot, load_robot
from sixpoint.kernels import arrays
from sixpoint.limits import FixedLimit, FlexionLimit, estimate_limits
from sixpoint.limits.estimate.export import urdf_text
from sixpoint.tasks import Reach

HAND = """<?xml version="1.0"?>
<robot name="claw">
  <link name="palm"/>
  <link name="spread"/>
  <link name="near"><collision><origin xyz="0 0 0.02"/>
    <geometry><box size="0.02 0.01 0.04"/></geometry></collision></link>
  <link name="far"><collision><geometry><mesh filename="file:///etc/passwd"/></geometry></collision>
  </link>
  <link name="tip"/>
  <joint name="sideways" type="revolute">
    <parent link="palm"/><child link="spread"/><origin xyz="0 0 0.1" rpy="0 0 0.5"/>
    <axis xyz="2 0 0"/><limit lower="-0.3" upper="0.3"/>
  </joint>
  <joint name="bend" type="revolute">
    <parent link="spread"/><child link="near"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="1.5"/>
  </joint>
  <joint name="follow" type="revolute">
    <parent link="near"/><child link="far"/><origin xyz="0 0 0.04"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="1.2"/><mimic joint="bend" multiplier="0.5" offset="0.2"/>
  </joint>
  <joint name="glue" type="fixed">
    <parent link="far"/><child link="tip"/><origin xyz="0 0 0.03"/>
  </joint>
</robot>
"""


@pytest.fixture
def read(tmp_path):
    def reader(text: str | bytes, **options) -> Robot:
        path = tmp_path / "robot.urdf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_robot(path, **options)

    return reader


def urdf_positions(robot: Robot, angles: dict[str, float]) -> np.ndarray:
    """Positions of all nodes with angles as the file counts them, by the skeleton."""
    skeleton, body = robot.skeleton, robot.skeleton.articulation
    values = np.zeros(body.count)
    for name, angle in angles.items():
        values[body.first[skeleton.index(name)]] = angle
    return sp.Pose(skeleton, skeleton.offsets[0], body.rotations(values)).world()[0]


def test_the_built_in_arm_stands_as_its_maker_says():
    robot = load_robot(ARM)
    skeleton = robot.skeleton
    assert skeleton.kind == "other"
    assert skeleton.names == ("base_link", *(f"joint_{k}" for k in range(1, 7)))
    # The file is Z up, and X is ahead: 302 + 72 mm ahead, 290 + 270 + 70 mm up.
    np.testing.assert_allclose(skeleton.rest()[0][-1], (0.374, 0.63, 0.0), atol=1e-12)
    assert isinstance(robot.limits["base_link"], FixedLimit)
    assert np.degrees(robot.limits["joint_3"].high) == pytest.approx(70.0, abs=1e-3)
    assert "joint_6" not in robot.limits
    assert any("joint_6" in note for note in robot.notes)


def test_angles_turn_joints_as_in_the_file():
    # The chain of the file, multiplied out without any part of the reader.
    robot = load_robot(ARM)
    q = (0.3, -0.7, 0.4, 1.1, -0.8, 2.0)
    axes = "ZYYXYX"
    steps = [(0, 0, 0.2), (0, 0, 0.09), (0, 0, 0.27), (0.302, 0, 0.07), (0, 0, 0), (0.072, 0, 0)]
    place, turn = np.zeros(3), np.eye(3)
    for letter, angle, step in zip(axes, q, steps, strict=True):
        place = place + turn @ np.array(step)
        c, s = np.cos(angle), np.sin(angle)
        turn = (
            turn
            @ {
                "X": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
                "Y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
                "Z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
            }[letter]
        )
    x, y, z = place
    found = urdf_positions(robot, {f"joint_{k + 1}": angle for k, angle in enumerate(q)})[-1]
    np.testing.assert_allclose(found, (x, z, -y), atol=1e-12)


def test_joints_of_two_axes_are_hinges_at_one_place_and_mimic_joints_are_coupled(read):
    robot = read(HAND)
    body = robot.skeleton.articulation
    places = robot.skeleton.rest()[0]
    first, second = (robot.skeleton.index(name) for name in ("sideways", "bend"))
    np.testing.assert_allclose(places[first], places[second], atol=1e-12)
    assert body.axes[first] @ body.axes[second] == pytest.approx(0.0, abs=1e-12)
    (coupling,) = robot.couplings
    assert (coupling.joint, coupling.of, coupling.ratio) == ("follow", "bend", 0.5)
    # The offset is where the joint counts from: its limits move with it.
    limit = robot.limits["follow"]
    assert isinstance(limit, FlexionLimit)
    assert (limit.low, limit.high) == pytest.approx((-0.2, 1.0))
    assert any("counted from 11.46 degrees" in note for note in robot.notes)
    bent = urdf_positions(robot, {"bend": 0.6, "follow": 0.3})  # what the coupling asks for
    near = places[robot.skeleton.index("follow")] - places[second]
    assert np.linalg.norm(bent[-1] - bent[robot.skeleton.index("follow")]) == pytest.approx(0.03)
    out = bent[-1] - bent[robot.skeleton.index("follow")]
    along = bent[robot.skeleton.index("follow")] - bent[second]
    angle = np.arccos(out @ along / np.linalg.norm(out) / np.linalg.norm(along))
    assert angle == pytest.approx(0.5 * 0.6 + 0.2)
    assert np.linalg.norm(near) == pytest.approx(0.04)


def test_couplings_are_kept_by_a_solver_that_takes_them(read):
    robot = read(HAND)
    target = urdf_positions(robot, {"bend": 0.8, "follow": 0.4})[-1]
    tasks = [Reach("tip"), *robot.couplings]
    tracker = sp.solver("monte-carlo").prepare(robot.skeleton, limits=robot.limits, tasks=tasks)
    solution = tracker.solve(target[None])
    angles = robot.skeleton.articulation.angles(solution.pose.rotations)
    first = robot.skeleton.articulation.first
    bend, follow = (angles[first[robot.skeleton.index(n)]] for n in ("bend", "follow"))
    assert follow == pytest.approx(0.5 * bend, abs=2e-3)
    assert solution.residuals[0] < 1e-3


def test_shapes_become_capsules_and_meshes_are_never_opened(read):
    robot = read(HAND)
    named = dict(zip(robot.shape.names, robot.shape.capsules, strict=True))
    box = [capsule for name, capsule in named.items() if name.startswith("near")]
    assert len(box) == 2  # two bars as thick as the box is thin
    assert all(capsule.radius == pytest.approx(0.005) for capsule in box)
    assert "follow to tip" in named  # along the bone, in place of the mesh
    assert any("1 links are no capsules" in note for note in robot.notes)


def test_files_load_as_figures_of_one_frame(read, tmp_path):
    robot = read(HAND)
    path = tmp_path / "robot.urdf"
    motion = sp.load(path)
    assert len(motion) == 1
    assert sp.load_skeleton(path) == robot.skeleton
    np.testing.assert_allclose(motion.positions()[0], robot.skeleton.rest()[0])
    found = sp.inspect(path)
    assert (found.holds, found.joints, found.freedom, found.ends) == ("figure", 3, 3, ("tip",))
    assert (found.limited, found.coupled) == (3, ("follow",))
    upwards = load_robot(path, up="y").skeleton
    np.testing.assert_allclose(upwards.rest()[0][upwards.index("follow")], (0, 0, 0.14), atol=1e-9)


def test_joints_that_slide_are_refused_by_name_and_may_be_held(read):
    sliding = HAND.replace('name="follow" type="revolute"', 'name="follow" type="prismatic"')
    with pytest.raises(FormatError, match=r"urdf:18: .*'follow' is prismatic.*hold=\['follow'\]"):
        read(sliding)
    held = read(sliding, hold=["follow"])
    assert held.skeleton.names == ("palm", "sideways", "bend")
    with pytest.raises(UnknownName, match="No joint to hold 'elbow'"):
        read(HAND, hold=["elbow"])
    leader = read(HAND, hold="bend")  # what follows a joint that is held does not move either
    assert isinstance(leader.limits["follow"], FixedLimit)
    assert leader.couplings == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<robot", "<machine", "mismatched tag"),
        ('<link name="spread"/>', "", "Expected a link of the file as child of joint 'sideways'"),
        ('child link="near"', 'child link="spread"', "Expected one joint above each link"),
        ('name="bend"', 'name="follow"', "'follow' twice"),
        ('type="fixed"', 'type="magnetic"', "one of revolute, continuous, fixed"),
        ('type="fixed"', 'type="planar"', "'glue' is planar: it slides in a plane"),
        ('axis xyz="2 0 0"', 'axis xyz="0 0 0"', "an axis of joint 'sideways'"),
        ('axis xyz="2 0 0"', 'axis xyz="1 0"', "Expected 3 finite numbers in `xyz` of `axis`"),
        ('axis xyz="2 0 0"', 'axis xyz="1 0 nan"', "Expected 3 finite numbers"),
        ('lower="-0.3"', 'lower="0.4"', "Expected lower <= upper"),
        ('<limit lower="-0.3" upper="0.3"/>', "", "Expected a `limit` of the revolute joint"),
        ('mimic joint="bend"', 'mimic joint="elbow"', "to follow a joint with one axis"),
        ('mimic joint="bend"', 'mimic joint="follow"', "Expected another joint that 'follow'"),
        ('<link name="palm"/>', '<link name="palm"/><link name="lost"/>', "one link above all"),
        ('<link name="palm"/>', "<link/>", "Expected a `name` of every link"),
        ('size="0.02 0.01 0.04"', 'size="0.02 0 0.04"', "`size` above zero of a box"),
        ('<link name="palm"/>', "<xacro:if/>", "template of xacro"),
    ],
)
def test_what_is_wrong_is_said(read, old, new, message):
    assert old in HAND
    with pytest.raises(FormatError, match=message):
        read(HAND.replace(old, new, 1))


def test_joints_that_lead_each_other_are_refused(read):
    circle = HAND.replace('upper="1.5"/>', 'upper="1.5"/><mimic joint="follow"/>')
    with pytest.raises(FormatError, match="in no circle"):
        read(circle)


def test_links_in_a_loop_are_refused(read):
    ring = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint>
      <joint name="k" type="continuous"><parent link="c"/><child link="b"/></joint></robot>"""
    with pytest.raises(FormatError, match="'c' is in one"):
        read(ring)
    with pytest.raises(FormatError, match="Expected a joint that turns"):
        read('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(FormatError, match="Expected an element `robot`, got `html`"):
        read("<html/>")
    with pytest.raises(FormatError, match="Expected links"):
        read('<robot name="r"/>')


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE robot [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE robot SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE robot [<!ENTITY % x SYSTEM "http://localhost/x">%x;]>',
    ],
)
def test_entities_and_document_types_are_refused(read, head):
    with pytest.raises(FormatError, match="without a document type or entities"):
        read(HAND.replace('<?xml version="1.0"?>', head))


def test_deep_and_endless_files_are_refused(read, monkeypatch):
    with pytest.raises(FormatError, match="nested 64 deep"):
        read("<robot>" + "<a>" * 100_000)
    monkeypatch.setattr("sixpoint.formats.urdf.MAX_URDF", 1000)
    with pytest.raises(FormatError, match="Expected at most 1000 bytes"):
        read(HAND)


def test_joints_and_links_may_share_names(read):
    same = HAND.replace('"glue"', '"tip"').replace('name="bend"', 'name="palm"')
    robot = read(same.replace('mimic joint="bend"', 'mimic joint="palm"'))
    assert robot.skeleton.node_names == ("palm_link", "sideways", "palm", "follow", "tip")


JUNK = [
    "<", ">", "/>", "</link>", "<joint", 'type="floating"', 'type="prismatic"', 'xyz="1e300 0 0"',
    'name=""', "&amp;", "&x;", "<!--", "<![CDATA[", "\0", "<robot>", 'joint="bend"', "é",
    'child link="palm"/>', "<mimic", 'radius="-1"', "<sphere", "</robot>",
]  # fmt: skip


@st.composite
def damaged(draw) -> bytes:
    words = HAND.split(" ")
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(["drop", "junk", "swap", "double"])):
            case "drop":
                del words[at]
            case "junk":
                words[at] = draw(st.sampled_from(JUNK))
            case "swap":
                other = draw(st.integers(0, len(words) - 1))
                words[at], words[other] = words[other], words[at]
            case _:
                words[at:at] = words[at : at + draw(st.integers(1, 40))]
    data = " ".join(words).encode()
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


@given(data=st.one_of(st.binary(max_size=300), damaged()))
@settings(max_examples=200)
def test_any_file_is_a_robot_or_a_format_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "fuzz.urdf"
    path.write_bytes(data)
    tracemalloc.start()
    start, refusal = time.process_time(), str(path)
    try:
        robot = load_robot(path)
    except FormatError as error:
        refusal = str(error)
    else:
        assert np.isfinite(robot.motion.positions()).all()
        assert np.isfinite(robot.shape.radii).all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refusal.startswith(str(path))
    assert len(refusal) < 1000
    assert time.process_time() - start < 1.0
    assert peak < 64 << 20


def test_limits_written_as_urdf_come_back(tmp_path):
    # `sixpoint limits --urdf` writes a body whose balls are three joints at one place.
    clip = sp.builtin("squat")
    estimate = estimate_limits([clip])
    path = tmp_path / "figure.urdf"
    path.write_text(urdf_text(estimate, clip.skeleton.articulation))
    robot = load_robot(path, up="y")
    knee = clip.skeleton.names[clip.skeleton.anatomy.node("l_knee")]
    limit, read = estimate.limits("xyz")[knee], robot.limits[knee]
    assert isinstance(limit, FlexionLimit)
    assert isinstance(read, FlexionLimit)
    assert (read.low, read.high) == pytest.approx((limit.low, limit.high), abs=1e-6)


def test_random_poses_of_the_arm_keep_its_limits():
    robot, rng = load_robot(ARM), np.random.default_rng(1)
    for _ in range(20):
        pose = random_pose(robot, rng)
        motion = sp.Motion(robot.skeleton, pose.root[None], pose.rotations[None], 60.0)
        assert robot.limits.violations(motion).max() < 1e-9
        assert arrays.angle_between(pose.rotations[0], robot.skeleton.bind[0]) < 1e-12


def test_an_unknown_axis_is_refused(read):
    with pytest.raises(InputError, match="No up axis 'w'"):
        read(HAND, up="w")
