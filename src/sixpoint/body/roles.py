"""Roles of a rig's joints (elbow, hip ...), found by name and confirmed by the hierarchy.

Solvers ask for roles, never for names. A naming scheme (`sixpoint.body.rig_names`) proposes nodes
for each role; the proposal stands when the hierarchy agrees: a wrist hangs from an elbow, an elbow
from a shoulder, whatever helper or twist joints lie between. That settles the ambiguous words:
``LeftShoulder`` is a clavicle above ``LeftArm`` and the shoulder itself above ``LeftElbow``.
"""

from __future__ import annotations

import difflib
import os.path
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np

from ..errors import RolesNotFound, UnknownName
from ..kernels.types import Vec3
from .rig_names import CLAVICLE, LIMBS, NOISE, PREFIXES, SCHEMES, SIDES, Scheme
from .tree import JointTree, depth_first

_LIMBS = [[f"{side}_{joint}" for joint in limb] for side in "lr" for limb in LIMBS.values()]

ROLES: tuple[str, ...] = ("pelvis", "head", *(role for limb in _LIMBS for role in limb))
"""What a node of a human rig can be."""

OPTIONAL: frozenset[str] = frozenset({"l_clavicle", "r_clavicle"})
"""Roles that a rig may lack."""

SHOWN = 200
"""Joints that an error looks at and lists at most; a body has fewer, a film rig with hair more."""

_REQUIRED = [role for role in ROLES if role not in OPTIONAL]
_PREFIX = re.compile(f"({'|'.join(PREFIXES)})", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class Roles:
    """Which node of a skeleton plays which part of a person."""

    nodes: Mapping[str, int]
    """Role -> node number; head, wrists and ankles may be sites. Clavicles may be missing."""
    spine: tuple[int, ...]
    """Joints strictly between pelvis and head, parents first."""
    scheme: str
    """Naming scheme recognised; "mixed": several together, "given": all roles were given."""
    hinges: Mapping[str, Vec3]
    """Joint name -> axis of flexion in the joint's own frame, unit length, where every rig of the
    family has it; positive rotation about it bends the joint."""


def find_roles(skeleton: JointTree) -> Roles:
    """Return the roles of a human rig, found by the names and the hierarchy of its nodes.

    Roles given in `Skeleton.roles` win; the others are found around them.

    Raises:
        UnknownName: `Skeleton.roles` names a role or a node that does not exist.
        RolesNotFound: the rig cannot be read as a human; says what is missing and how to give it.
    """
    search = _Search(skeleton)
    roles = search.roles()
    if roles is None:
        raise search.failure()
    return roles


def search_roles(skeleton: JointTree) -> Roles | None:
    """Return the roles as `find_roles` does, or None if the rig cannot be read as a human."""
    return _Search(skeleton).roles()


def _merged(name: str, schemes: Sequence[Scheme]) -> Scheme:
    """Return a scheme that accepts every part that one of these accepts."""
    parts = {
        joint: tuple(dict.fromkeys(part for scheme in schemes for part in scheme.parts[joint]))
        for joint in SCHEMES[0].parts
    }
    return Scheme(name, "", {**parts, "clavicle": CLAVICLE})


_MIXED = _merged("mixed", SCHEMES)
_GIVEN = _merged("given", ())


def read_name(name: str) -> list[tuple[str, str]]:
    """The ways to read a joint name as (side, part); the side is "l", "r" or ""."""
    if name.startswith("__"):
        return []  # MakeHuman's rigid helpers carry the name of the joint that follows them
    while (match := _PREFIX.match(name)) and match.end() < len(name):
        name = name[match.end() :]
    words = [word.lower() for word in _WORD.findall(name)]
    words = [word for word in words if word not in NOISE]
    for k, word in enumerate(words):
        if word in SIDES:
            return [(SIDES[word], "".join(words[:k] + words[k + 1 :]))]
    part = "".join(words)
    glued = [word for word, side in SIDES.items() if side and part.startswith(word)]
    return [("", part), *((SIDES[word], part.removeprefix(word)) for word in glued)]


def _hinges(skeleton: JointTree, scheme: Scheme, nodes: Mapping[str, int]) -> dict[str, Vec3]:
    """The family's axes of flexion, or none where this rig's frames are not the family's.

    A file that went through another program may keep the names and turn the frames: then some bone
    is no longer at right angles to its hinge.
    """
    for role, axis in scheme.hinges.items():
        bone = skeleton.node_offsets[skeleton.children(nodes[role])[0]]
        if abs(bone @ axis) > 1e-3 * np.linalg.norm(bone):
            return {}
    return {skeleton.names[nodes[role]]: axis for role, axis in scheme.hinges.items()}


class _Search:
    """The nodes of one skeleton by their readings, and what hangs from what."""

    def __init__(self, skeleton: JointTree) -> None:
        self.skeleton = skeleton
        self.names = skeleton.node_names
        self.given: dict[str, int] = {}
        for role, name in (skeleton.roles or {}).items():
            if role not in ROLES:
                raise UnknownName("role", role, ROLES)
            self.given[role] = skeleton.index(name)
        # What all joints below the root begin with says nothing about them: "m_avg_", "Actor1_".
        shared = os.path.commonprefix(skeleton.names[1:])  # noqa: RUF071 (of names, not of paths)
        shared = re.sub(r"[A-Za-z0-9]*$", "", shared)
        self.read: dict[tuple[str, str], list[int]] = {}
        for node, name in enumerate(self.names):
            for reading in read_name(name.removeprefix(shared)):
                self.read.setdefault(reading, []).append(node)

        # Depth first, what hangs from a joint follows it in one piece.
        self.place = {node: k for k, node in enumerate(depth_first(skeleton.node_parents.tolist()))}
        self.size = [1] * len(self.names)
        for node in range(len(self.names) - 1, -1, -1):
            if (parent := skeleton.node_parents[node]) >= 0:
                self.size[parent] += self.size[node]

    def carries(self, joint: int, node: int) -> bool:
        """Whether a node hangs from a joint, directly or not."""
        return 0 < self.place[node] - self.place[joint] < self.size[joint]

    def candidates(self, role: str, parts: Iterable[str]) -> list[int]:
        """Nodes that may play a role, the likeliest first."""
        if role in self.given:
            return [self.given[role]]
        side = "" if role == "head" else role[0]
        may_be_site = role.endswith(("head", "wrist", "ankle"))
        end = len(self.names) if may_be_site else self.skeleton.joint_count
        nodes = [node for part in parts for node in self.read.get((side, part), ())]
        return [node for node in nodes if node < end and node not in self.given.values()]

    def site_after(self, joint: int) -> list[int]:
        """The site at the end of a joint's bone, where the chain ends there."""
        children = self.skeleton.children(joint)
        is_end = len(children) == 1 and children[0] >= self.skeleton.joint_count
        return children if is_end and self.skeleton.node_offsets[children[0]].any() else []

    def roles(self) -> Roles | None:
        """The roles of the first naming scheme that fits."""
        schemes = (*SCHEMES, _MIXED) if set(_REQUIRED) - self.given.keys() else (_GIVEN,)
        for scheme in schemes:
            nodes = self.match(scheme)
            if not self.faults(nodes):
                path = self.skeleton.path(nodes["head"])
                return Roles(
                    nodes={role: nodes[role] for role in ROLES if role in nodes},
                    spine=tuple(path[path.index(nodes["pelvis"]) + 1 : -1]),
                    scheme=scheme.name,
                    hinges=_hinges(self.skeleton, scheme, nodes),
                )
        return None

    def match(self, scheme: Scheme) -> dict[str, int]:
        """The roles that a scheme finds, each limb whole or not at all; the given ones always."""
        nodes = dict(self.given)
        for limb in _LIMBS:
            nodes.update(self.chain(scheme, limb) or {})
        heads = self.candidates("head", scheme.parts["head"])
        if not heads:
            necks = self.candidates("head", scheme.parts["neck"])
            heads = [site for neck in necks for site in self.site_after(neck)]
        if heads:
            nodes["head"] = heads[0]
        ends = {"l_hip", "r_hip", "head"}
        if "pelvis" not in nodes and ends <= nodes.keys():
            shared = set.intersection(*(set(self.skeleton.path(nodes[r])[:-1]) for r in ends))
            if shared:
                nodes["pelvis"] = max(shared)  # parents come first, so this is the lowest
        return nodes

    def chain(self, scheme: Scheme, roles: Sequence[str]) -> dict[str, int] | None:
        """The likeliest limb that names and hierarchy allow; None: there is none."""

        @cache  # keeps rigs in which many joints share a name from taking long
        def below(top: int | None, k: int) -> dict[str, int] | None:
            if k == len(roles):
                return {}
            role = roles[k]
            nodes = self.candidates(role, scheme.parts[role[2:]])
            if not nodes and k == len(roles) - 1 and top is not None and scheme.ends_in_sites:
                nodes = self.site_after(top)
            for node in nodes:
                if top is None or self.carries(top, node):
                    rest = below(node, k + 1)
                    if rest is not None:
                        return {role: node, **rest}
            if role in OPTIONAL and role not in self.given:
                return below(top, k + 1)
            return None

        return below(None, 0)

    def missing(self, nodes: Mapping[str, int]) -> list[str]:
        """The roles that must still be found; the pelvis follows from the hips and the head."""
        missing = [role for role in _REQUIRED if role not in nodes]
        return [role for role in missing if role != "pelvis"] or missing

    def faults(self, nodes: Mapping[str, int]) -> list[str]:
        """What keeps these roles from being a human; nothing if they are one."""
        missing = self.missing(nodes)
        if missing:
            return [f"no joint found for {', '.join(missing)}"]

        def says(one: str, verb: str, other: str) -> str:
            return f"{one} ({self.names[nodes[one]]}) {verb} {other} ({self.names[nodes[other]]})"

        hanging = ("head", "l_hip", "r_hip", "l_shoulder", "r_shoulder")
        loose = [role for role in hanging if not self.carries(nodes["pelvis"], nodes[role])]
        faults = [says(role, "does not hang from", "pelvis") for role in loose]
        branches = [["head"], *([role for role in limb if role in nodes] for limb in _LIMBS)]
        for (top, *_), other in permutations(branches, 2):
            faults += [
                says(top, "is or carries", role)
                for role in other
                if nodes[top] == nodes[role] or self.carries(nodes[top], nodes[role])
            ]
        return faults

    def failure(self) -> RolesNotFound:
        """An error that says what is missing, what was found, and how to give the rest."""
        nodes = self.match(_MIXED)
        faults = []
        for limb in _LIMBS:
            named = {role: self.candidates(role, _MIXED.parts[role[2:]]) for role in limb}
            seen = [role for role in limb if named[role]]
            whole = self.chain(_MIXED, seen)
            nodes.update(whole or {})
            if whole is None:
                pairs = (f"{role} ({self.names[named[role][0]]})" for role in seen)
                faults.append(f"not one below the other: {', '.join(pairs)}")
        faults += self.faults(nodes)
        missing = self.missing(nodes)
        found = {role: self.names[nodes[role]] for role in ROLES if role in nodes}
        near = {role: self.nearest(role, nodes.values()) for role in missing if found}
        near = {role: names for role, names in near.items() if names}
        unknown = {missing[0] if missing else ROLES[0]: ["NAME"]}
        wanted, (example, *_) = next(iter((near or unknown).items()))
        names = ", ".join(self.skeleton.names[:SHOWN])
        more = len(self.skeleton.names) - SHOWN
        lines = [
            f"This rig cannot be read as a human: {'; '.join(faults)}.",
            f"Found: {', '.join(f'{r} = {n}' for r, n in found.items()) or 'nothing'}.",
            *(f"Nearest names for {r}: {', '.join(names)}." for r, names in near.items()),
            f"Its {self.skeleton.joint_count} joints: {names}{f' and {more} more' * (more > 0)}.",
            f"Name them yourself: Skeleton(..., roles={{{wanted!r}: {example!r}, ...}}), "
            f"or --role {wanted}={example} on the command line.",
        ]
        return RolesNotFound("\n".join(lines), missing=missing, found=found)

    def nearest(self, role: str, taken: Iterable[int]) -> list[str]:
        """Names of up to three free joints that look like a role."""
        if role == "pelvis":
            return []  # no name tells it: it is where hips and head meet
        side, parts = (
            ("", _MIXED.parts["head"]) if role == "head" else (role[0], _MIXED.parts[role[2:]])
        )
        free = {
            part: self.names[node]
            for (read_side, part), (node, *_) in self.read.items()
            if read_side == side and node not in taken
        }
        pool = list(free)[:SHOWN]
        alike = [difflib.get_close_matches(p.removesuffix("joint"), pool, n=1) for p in parts]
        return list(dict.fromkeys(free[part] for matches in alike for part in matches))[:3]
