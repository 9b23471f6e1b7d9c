"""URDF: robots, hands and humanoids as XML, read into a skeleton with limits, couplings and shape.

Every joint that turns becomes a joint of the skeleton under its own name. Joints at one place, as
the three axes of a hip, stay several hinges with no bone between them. What fixed joints hold
together is one part; the links at the ends become sites. The first joint is the root link, which
does not turn. The pose with all angles zero is the pose at rest.

Meshes are not opened: a part whose collision elements are meshes gets capsules along its bones.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..body.chains import MOST_JOINTS
from ..body.shapes import BodyShape, Capsule, body_shape
from ..body.skeleton import Skeleton
from ..errors import FormatError, InputError, UnknownName, names_file
from ..kernels import arrays
from ..kernels.arrays import as_vec
from ..kernels.types import Floats
from ..limits import FixedLimit, FlexionLimit, JointLimit, Limits
from ..motion.motion import Motion, Source
from ..subjects.conventions import UP
from ..tasks import Coupling
from .plain_text import read_bytes
from .urdf_numbers import LARGEST, Place, number_of, place_of, vector_of
from .urdf_shapes import capsules_of
from .xml_text import Element, parse_xml

MAX_URDF = 64 << 20
"""Largest file that is read, in bytes; humanoids with all their sensors have less than one."""
TURNING = ("revolute", "continuous")
BALLS = ("floating", "spherical", "ball")
"""Joints of three degrees of freedom; the place of a floating one is held."""
REFUSED = {
    "prismatic": "slides along an axis",
    "planar": "slides in a plane",
}
REST_RATE = 60.0
"""Rate of the motion of one frame that shows a robot at rest [Hz]."""


@dataclass(frozen=True)
class Robot:
    """What a URDF file says of an articulated body."""

    name: str
    skeleton: Skeleton
    """Its first joint is the root link."""
    limits: Limits
    """Limits of all joints that have them; the root is fixed."""
    couplings: tuple[Coupling, ...]
    """Joints that follow another one (`mimic`), as tasks."""
    shape: BodyShape
    """Capsules of its collision elements, or along bones, for `SelfCollision(shape=...)`."""
    notes: tuple[str, ...] = ()
    """What could not be kept as the file has it."""

    @property
    def motion(self) -> Motion:
        """One frame with all joints at zero."""
        skeleton = self.skeleton
        assert skeleton.bind is not None
        source = Source("urdf", notes=self.notes)
        return Motion(skeleton, skeleton.offsets[:1], skeleton.bind[None], REST_RATE, source=source)


@dataclass(frozen=True)
class _Joint:
    """One joint of the file."""

    name: str
    kind: str
    parent: str
    child: str
    place: Place
    axis: tuple[float, float, float]
    ends: tuple[float, float] | None
    """Least and greatest angle [rad]; None for no limit."""
    mimic: tuple[str, float, float] | None
    """Joint that it follows, multiplier and offset [rad]."""
    line: int

    def leader(self, moving: Mapping[str, _Joint]) -> _Joint | None:
        """Return the joint that it follows, if there is one that moves."""
        return None if self.mimic is None else moving.get(self.mimic[0])


@dataclass
class _Tree:
    """The skeleton as it grows."""

    names: list[str]
    parents: list[int]
    offsets: list[Floats]
    bind: list[Floats]
    sites: list[tuple[str, int, Floats]] = field(default_factory=list)
    links: dict[str, tuple[int, Place]] = field(default_factory=dict)
    """Link -> joint of the skeleton that carries it, and its frame there."""


def read_urdf(
    path: str | os.PathLike[str],
    *,
    hold: Sequence[str] = (),
    up: str | None = None,
) -> Motion:
    """Read a URDF file as a motion of one frame; see `load_robot`."""
    return load_robot(path, hold=hold, up=up).motion


@names_file
def load_robot(
    path: str | os.PathLike[str],
    *,
    hold: Sequence[str] = (),
    up: str | None = None,
) -> Robot:
    """Read a robot arm, a hand or a humanoid from a URDF file.

    Args:
        path: the file.
        hold: names of joints that do not move, whatever they are: prismatic ones, which are refused
            otherwise, stay at zero.
        up: axis of the file that points up; default "z".

    Raises:
        FormatError: the file is no URDF, has joints that slide, or loops; says the line.
        UnknownName: a joint to hold that the file does not have, or an unknown axis.
    """
    axis = "z" if up is None else str(up).lower()
    if axis not in UP:
        raise UnknownName("up axis", axis, UP)
    held = (hold,) if isinstance(hold, str) else tuple(hold)
    data = read_bytes(path, MAX_URDF)
    return _robot(parse_xml(data), held, np.array(UP[axis]))


def _robot(root: Element, held: Sequence[str], upright: Floats) -> Robot:
    if root.tag != "robot":
        raise FormatError(f"Expected an element `robot`, got `{root.tag:.60}`.", line=root.line)
    for child in root.children:
        if child.tag.startswith("xacro:"):
            raise FormatError(
                "Expected a URDF, got a template of xacro: expand it first.", line=child.line
            )
    links = _named(root.all("link"), "link")
    named = _named(root.all("joint"), "joint")
    for name in held:
        if name not in named:
            raise UnknownName("joint to hold", name, named)
    joints = [_joint(element, name, links, name in held) for name, element in named.items()]
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        _check_leader(joint, by_name)
    first = _root_link(links, joints)
    tree = _grow(first, joints, upright)
    moving = {name: joint for name, joint in by_name.items() if joint.kind != "fixed"}
    if not moving:
        raise FormatError("Expected a joint that turns, got none.", line=root.line)
    try:
        return _finish(root.attributes.get("name", ""), tree, links, moving)
    except InputError as error:
        raise FormatError(str(error)) from error


def _finish(
    name: str, tree: _Tree, links: Mapping[str, Element], moving: Mapping[str, _Joint]
) -> Robot:
    """Bring together what the tree, the joints and the shapes say."""
    notes: list[str] = []
    zeros = _zero_angles(moving)
    for k, label in enumerate(tree.names):
        if (zero := zeros.get(label, 0.0)) != 0.0:
            # A coupling has no offset: the joint counts its angle from elsewhere.
            turn = arrays.from_axis_angle(moving[label].axis, zero)
            tree.bind[k] = arrays.multiply(tree.bind[k], turn)
            notes.append(
                f"angles of {label!r} are counted from {math.degrees(zero):.4g} degrees, where it "
                "is when the joint that it follows is at zero"
            )
    skeleton = Skeleton(
        tuple(tree.names),
        np.array(tree.parents),
        np.array(tree.offsets),
        tuple(site for site, _, _ in tree.sites),
        np.array([joint for _, joint, _ in tree.sites], np.int64),
        np.array([offset for _, _, offset in tree.sites]).reshape(-1, 3),
        bind=np.array(tree.bind),
        roles={},  # limits and hinges are those of the file, not those of a person
        hinges={joint.name: joint.axis for joint in moving.values() if joint.kind in TURNING},
    )
    limits = _limits(skeleton, moving, zeros, notes)
    couplings = tuple(
        Coupling(joint.name, joint.mimic[0], joint.mimic[1])
        for joint in moving.values()
        if joint.mimic is not None and joint.leader(moving) is not None
    )
    shape, meshes = _shape(skeleton, tree, links)
    if meshes:
        notes.append(f"collision shapes of {meshes} links are no capsules: those are along bones")
    return Robot(name, skeleton, limits, couplings, shape, tuple(notes))


def _limits(
    skeleton: Skeleton,
    moving: Mapping[str, _Joint],
    zeros: Mapping[str, float],
    notes: list[str],
) -> Limits:
    """Return the limits of all joints, the root's among them; note what they cannot say."""
    limits: dict[str, JointLimit] = {skeleton.names[0]: FixedLimit()}
    for joint in moving.values():
        if joint.kind == "floating":
            notes.append(f"floating joint {joint.name!r} turns freely; its place is held")
        if joint.mimic is not None and joint.leader(moving) is None:
            limits[joint.name] = FixedLimit()  # it follows one that is held
            continue
        if joint.ends is None:
            continue
        low, high = (end - zeros[joint.name] for end in joint.ends)
        if high - low < 2.0 * math.pi:
            axis = as_vec(skeleton.articulation.axes[skeleton.index(joint.name)])
            limits[joint.name] = FlexionLimit(low, high, axis)
        elif high - low > 2.0 * math.pi + 1e-3:
            notes.append(f"{joint.name!r} turns more than once; its limits are left out")
    return Limits(limits)


def _named(elements: Sequence[Element], kind: str) -> dict[str, Element]:
    """Return elements by their names, which must differ."""
    out: dict[str, Element] = {}
    for element in elements:
        name = element.attributes.get("name", "").strip()
        if not name:
            raise FormatError(f"Expected a `name` of every {kind}, got none.", line=element.line)
        if name in out:
            raise FormatError(
                f"Expected {kind}s of different names, got {name!r:.80} twice.", line=element.line
            )
        out[name] = element
    if len(out) >= MOST_JOINTS:
        raise FormatError(f"Expected fewer than {MOST_JOINTS} {kind}s, got {len(out)}.")
    return out


def _joint(element: Element, name: str, links: Mapping[str, Element], held: bool) -> _Joint:
    """Return one joint of the file, checked."""
    kind = element.attributes.get("type", "").strip()
    if held:
        kind = "fixed"
    if kind in REFUSED:
        raise FormatError(
            f"Expected joints that turn; joint {name!r:.80} is {kind}: it {REFUSED[kind]}. "
            f"Leave it at zero with hold=[{name!r:.80}].",
            line=element.line,
        )
    known = (*TURNING, "fixed", *BALLS)
    if kind not in known:
        raise FormatError(
            f"Expected the type of joint {name!r:.80} to be one of {', '.join(known)}; "
            f"got {kind!r:.40}.",
            line=element.line,
        )
    ends = []
    for part in ("parent", "child"):
        found = element.first(part)
        link = "" if found is None else found.attributes.get("link", "").strip()
        if link not in links:
            raise FormatError(
                f"Expected a link of the file as {part} of joint {name!r:.80}, got {link!r:.80}.",
                line=element.line if found is None else found.line,
            )
        ends.append(link)
    axis = vector_of(element.first("axis"), "xyz", (1.0, 0.0, 0.0))
    size = float(np.linalg.norm(axis))
    if kind in TURNING and not size > 0.0:
        raise FormatError(f"Expected an axis of joint {name!r:.80}, got zero.", line=element.line)
    x, y, z = (axis / max(size, 1e-300)).tolist()
    return _Joint(
        name,
        kind,
        ends[0],
        ends[1],
        place_of(element),
        (x, y, z),
        _ends(element, name) if kind == "revolute" else None,
        _mimic(element, name) if kind in TURNING else None,
        element.line,
    )


def _ends(element: Element, name: str) -> tuple[float, float]:
    """Return the least and greatest angle of a revolute joint [rad]; zero where they are left out.

    URDF demands the element and has zero for its missing attributes.
    """
    limit = element.first("limit")
    if limit is None:
        raise FormatError(
            f"Expected a `limit` of the revolute joint {name!r:.80}, got none; "
            "without limits it is continuous.",
            line=element.line,
        )
    low, high = (number_of(limit, key, 0.0) for key in ("lower", "upper"))
    if low > high:
        raise FormatError(
            f"Expected lower <= upper in the limit of joint {name!r:.80}, "
            f"got {low:g} and {high:g}.",
            line=limit.line,
        )
    return low, high


def _mimic(element: Element, name: str) -> tuple[str, float, float] | None:
    found = element.first("mimic")
    if found is None:
        return None
    other = found.attributes.get("joint", "").strip()
    if not other or other == name:
        raise FormatError(
            f"Expected another joint that {name!r:.80} follows, got {other!r:.80}.", line=found.line
        )
    return other, number_of(found, "multiplier", 1.0), number_of(found, "offset", 0.0)


def _check_leader(joint: _Joint, joints: Mapping[str, _Joint]) -> None:
    """Refuse a joint that follows one which does not exist, or which has no single angle."""
    if joint.mimic is not None:
        leader = joints.get(joint.mimic[0])
        if leader is None or leader.kind not in (*TURNING, "fixed"):
            raise FormatError(
                f"Expected {joint.name!r:.80} to follow a joint with one axis, "
                f"got {joint.mimic[0]!r:.80}.",
                line=joint.line,
            )


def _zero_angles(moving: Mapping[str, _Joint]) -> dict[str, float]:
    """Return the angle of each joint when all joints that lead others are at zero [rad]."""
    angles: dict[str, float] = {}
    for joint in moving.values():
        chain = [joint]
        while (above := chain[-1].leader(moving)) is not None and above.name not in angles:
            chain.append(above)
            if len(chain) > len(moving):
                raise FormatError(
                    f"Expected joints that follow others in no circle; {joint.name!r:.80} leads "
                    "into one.",
                    line=joint.line,
                )
        for follower in reversed(chain):
            above = follower.leader(moving)
            _, ratio, offset = follower.mimic or ("", 0.0, 0.0)
            angle = offset if above is None else ratio * angles[above.name] + offset
            if not abs(angle) <= LARGEST:
                raise FormatError(
                    f"Expected an angle of {follower.name!r:.80} with those it follows at zero, "
                    f"got {angle:g} rad.",
                    line=follower.line,
                )
            angles[follower.name] = angle
    return angles


def _root_link(links: Mapping[str, Element], joints: Sequence[_Joint]) -> str:
    """Return the one link that hangs from no joint."""
    if not links:
        raise FormatError("Expected links, got none.")
    above: dict[str, _Joint] = {}
    for joint in joints:
        if joint.child in above:
            raise FormatError(
                f"Expected one joint above each link; {joint.child!r:.80} hangs from "
                f"{above[joint.child].name!r:.80} and {joint.name!r:.80} (loops cannot be read).",
                line=joint.line,
            )
        above[joint.child] = joint
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        listed = ", ".join(roots[:8]) or "none, as in a loop"
        raise FormatError(f"Expected one link above all others, got {len(roots)}: {listed:.300}.")
    return roots[0]


def _grow(first: str, joints: Sequence[_Joint], upright: Floats) -> _Tree:
    """Return the skeleton below the root link, parents first."""
    below: dict[str, list[_Joint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    taken = {joint.name for joint in joints if joint.kind != "fixed"}
    tree = _Tree([_free_name(first, taken)], [-1], [np.zeros(3)], [upright])
    taken.add(tree.names[0])
    tree.links[first] = (0, (np.zeros(3), arrays.identity()))
    stack = [first]
    while stack:
        link = stack.pop()
        carrier, (offset, turn) = tree.links[link]
        for joint in reversed(below.get(link, [])):
            at = offset + arrays.rotate(turn, joint.place[0])
            turned = arrays.normalize(arrays.multiply(turn, joint.place[1]))
            if joint.kind == "fixed":
                tree.links[joint.child] = (carrier, (at, turned))
            else:
                tree.links[joint.child] = (len(tree.names), (np.zeros(3), arrays.identity()))
                tree.names.append(joint.name)
                tree.parents.append(carrier)
                tree.offsets.append(at)
                tree.bind.append(turned)
            stack.append(joint.child)
    lost = [joint for joint in joints if joint.child not in tree.links]
    if lost:
        raise FormatError(
            f"Expected links without loops; {lost[0].child!r:.80} is in one.", line=lost[0].line
        )
    for link, (carrier, (offset, _)) in tree.links.items():
        if link not in below and carrier > 0:  # the end of a branch that moves
            name = _free_name(link, taken)
            taken.add(name)
            tree.sites.append((name, carrier, offset))
    return tree


def _free_name(link: str, taken: set[str]) -> str:
    """Return the name of a link, marked as one where a joint has the same."""
    while link in taken:
        link += "_link"
    return link


def _shape(skeleton: Skeleton, tree: _Tree, links: Mapping[str, Element]) -> tuple[BodyShape, int]:
    """Return the capsules of a robot, and how many links have meshes for them.

    A file without any collision element gets capsules along all bones.
    """
    found: list[Capsule] = []
    meshes: set[int] = set()
    count = 0
    for name, element in links.items():
        joint, (offset, turn) = tree.links[name]
        lines, other = capsules_of(element)
        if other:
            meshes.add(joint)
            count += 1
        for k, (start, end, radius) in enumerate(lines):
            there = [
                arrays.rotate(skeleton.articulation.neutral[joint], offset + arrays.rotate(turn, p))
                for p in (start, end)
            ]
            label = name if len(lines) == 1 else f"{name} {k + 1}"
            found.append(Capsule(label, joint, as_vec(there[0]), as_vec(there[1]), radius))
    given = bool(found or meshes)
    along = [c for c in body_shape(skeleton).capsules if not given or c.joint in meshes]
    return BodyShape(skeleton, (*found, *along)), count
