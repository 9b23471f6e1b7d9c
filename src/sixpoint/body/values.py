"""Immutable objects that hold arrays: read-only copies, equality and pickling by field values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def frozen_array(values: ArrayLike, dtype: Any = np.float64) -> Any:
    """Return a private, contiguous, read-only copy of `values`."""
    array = np.array(values, dtype=dtype, order="C", copy=True)
    array.setflags(write=False)
    return array


class Value:
    """Base of frozen dataclasses that hold arrays.

    Two objects of one class are equal if their fields are; arrays are compared exactly, and NaN
    equals NaN. Pickling and copying go through the constructor, so that arrays stay read-only and
    cached properties are left behind.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_equal(a, b) for a, b in zip(_compared(self), _compared(other), strict=True))

    def __hash__(self) -> int:
        return hash((type(self), *map(_hashable, _compared(self))))

    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return type(self), tuple(dict(v) if isinstance(v, Mapping) else v for v in values)


def _compared(value: Any) -> list[Any]:
    return [getattr(value, field.name) for field in fields(value) if field.compare]


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return bool(a is b or (type(a) is type(b) and a == b))


def _hashable(value: Any) -> Any:
    """Something that is equal for equal values: of arrays the shape is enough."""
    if isinstance(value, np.ndarray):
        return value.shape
    return tuple(value) if isinstance(value, Mapping) else value
