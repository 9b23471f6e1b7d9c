"""Skeletons from a few lines of text: joints by name, and the roles that are expected of them."""

from __future__ import annotations

import numpy as np

from sixpoint.body.roles import Roles
from sixpoint.body.skeleton import Skeleton

SIDE_WORDS = {
    "l": {"l": "l", "L": "L", "left": "left", "Left": "Left"},
    "r": {"l": "r", "L": "R", "left": "right", "Left": "Right"},
}


def parse(text: str) -> tuple[list[list[tuple[str, bool]]], dict[str, str]]:
    """Chains of (name, is a site), and the role -> name that the text promises.

    A line is a chain of joints from parent to child, `role=name` where a role is expected and `~`
    before a site; a line with braces stands for both sides.
    """
    chains, roles = [], {}
    for line in text.strip().splitlines():
        sides = "lr" if "{" in line else " "
        for side in sides:
            chain = []
            for word in line.format_map(SIDE_WORDS.get(side, {})).split(" > "):
                role, _, name = word.strip().removeprefix("~").rpartition("=")
                chain.append((name, word.strip().startswith("~")))
                if role:
                    roles[f"{side}_{role}".strip(" _")] = name
            chains.append(chain)
    return chains, roles


def build(
    text: str, offsets: dict[str, tuple[float, float, float]] | None = None, **fields: object
) -> Skeleton:
    """A skeleton from the text of `parse`; chains that begin with a known joint hang from it."""
    parents: dict[str, str | None] = {}
    sites: dict[str, str] = {}
    for chain in parse(text)[0]:
        for (parent, _), (name, is_site) in zip([("", False), *chain], chain, strict=False):
            if name in parents:
                continue
            if is_site:
                sites[name] = parent
            else:
                parents[name] = parent or None
    names = list(parents)
    known = offsets or {}
    return Skeleton(
        tuple(names),
        np.array([-1 if p is None else names.index(p) for p in parents.values()]),
        np.array([known.get(name, (0.0, 0.1, 0.0)) for name in names]),
        tuple(sites),
        np.array([names.index(p) for p in sites.values()], dtype=np.int64),
        np.array([known.get(name, (0.0, 0.1, 0.0)) for name in sites]).reshape(-1, 3),
        **fields,
    )


def named(skeleton: Skeleton, roles: Roles) -> dict[str, str]:
    return {role: skeleton.node_names[node] for role, node in roles.nodes.items()}
