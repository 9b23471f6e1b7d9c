"""Chains and trees of joints, straight at rest: test bodies, arms, ropes and tails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.types import Floats
from .tree import JointKind, JointTree

MOST_JOINTS = 10_000
"""Largest accepted number of joints; more are taken for a mistake."""
UP: Floats = np.array((0.0, 1.0, 0.0))
Z = (0.0, 0.0, 1.0)


def build_chain(
    joints: int,
    length: float | Sequence[float] = 1.0,
    *,
    kind: JointKind = "ball",
    axis: ArrayLike = (0.0, 0.0, 1.0),
    bone: ArrayLike = (0.0, 1.0, 0.0),
) -> JointTree:
    """See `Skeleton.chain`."""
    check_count("joints", joints)
    lengths = _lengths(length, joints)
    vectors = lengths[:, None] * _directions("bone", bone)[0]
    names = tuple(f"joint_{k + 1}" for k in range(joints))
    return JointTree(
        names,
        np.arange(joints) - 1,
        np.concatenate([np.zeros((1, 3)), vectors[:-1]]),
        ("tip",),
        np.array([joints - 1]),
        vectors[-1:],
        hinges=_hinges(names, kind, axis),
    )


def build_tree(
    branches: int,
    joints: int,
    *,
    trunk: int,
    length: float,
    spread: float,
    kind: JointKind,
) -> JointTree:
    """See `Skeleton.tree`."""
    for name, count in (("branches", branches), ("joints", joints), ("trunk", trunk)):
        check_count(name, count)
    if not np.isfinite(spread):
        raise InputError(f"Expected a finite `spread` in radians, got {spread}.")
    check_count("trunk + branches * joints", trunk + branches * joints)
    step = check_length("length", length) / (trunk + joints)
    names = [f"trunk_{k + 1}" for k in range(trunk)]
    parents, offsets = [*range(-1, trunk - 1)], [np.zeros(3)] + [step * UP] * (trunk - 1)
    ends, tips = [], []
    for b in range(branches):
        lean = spread * (b / (branches - 1) - 0.5) if branches > 1 else 0.0
        along = step * np.array((np.sin(lean), np.cos(lean), 0.0))
        for k in range(joints):
            parents.append(trunk - 1 if k == 0 else len(names) - 1)
            offsets.append(step * UP if k == 0 else along)
            names.append(f"branch_{b + 1}_{k + 1}")
        ends.append(len(names) - 1)
        tips.append(along)
    return JointTree(
        tuple(names),
        np.array(parents),
        np.array(offsets),
        tuple(f"tip_{b + 1}" for b in range(branches)),
        np.array(ends),
        np.array(tips),
        hinges=_hinges(names, kind, Z),
    )


def check_count(name: str, count: int) -> None:
    """Raise unless `count` is a possible number of joints."""
    whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
    if not (whole and 1 <= count <= MOST_JOINTS):
        raise InputError(f"Expected `{name}` from 1 to {MOST_JOINTS}, got {count!r}.")


def check_length(name: str, length: float) -> float:
    """Return a length as float; raise unless it is a positive number."""
    number = isinstance(length, int | float | np.integer | np.floating)
    if not (number and np.isfinite(length) and length > 0.0):
        raise InputError(f"Expected a positive `{name}` in metres, got {length!r}.")
    return float(length)


def _lengths(length: float | Sequence[float], joints: int) -> Floats:
    try:
        lengths = np.array(length, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"Expected `length` in metres, got {length!r}.") from error
    if lengths.ndim == 0:
        return np.full(joints, check_length("length", float(lengths)) / joints)
    if lengths.shape != (joints,):
        raise InputError(
            f"Expected one `length`, or one for each of {joints} bones; got shape {lengths.shape}."
        )
    if not (np.isfinite(lengths).all() and (lengths >= 0.0).all()):
        raise InputError("Expected bones of finite length >= 0.")
    check_length("length", float(lengths.sum()))
    return lengths


def _hinges(
    names: Sequence[str], kind: JointKind, axis: ArrayLike
) -> dict[str, tuple[float, float, float]]:
    if kind not in ("ball", "hinge"):
        raise InputError(f"Expected `kind` to be one of ball, hinge; got {kind!r}.")
    if kind == "ball":
        return {}
    axes = _directions("axis", axis)
    turns = [axes[k % len(axes)].tolist() for k in range(len(names))]
    return {name: (x, y, z) for name, (x, y, z) in zip(names, turns, strict=True)}


def _directions(name: str, values: ArrayLike) -> Floats:
    """Unit vectors, shape (n, 3)."""
    vectors = np.atleast_2d(np.array(values, dtype=np.float64))
    if vectors.ndim != 2 or vectors.shape[1] != 3 or len(vectors) == 0:
        raise InputError(f"Expected `{name}` of shape (3,) or (n, 3), got {np.shape(values)}.")
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        raise InputError(f"Expected `{name}` to have a direction, got {values!r}.")
    return np.asarray(vectors / sizes)
