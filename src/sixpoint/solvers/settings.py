"""Settings of solvers: checked against their annotations, and flattened for kernels.

A setting is a field of a `Solver`. Its annotation says what it may be: ``Literal`` lists choices,
``Annotated[float, Interval(...)]`` bounds a number. Kernels read one record per solver, in which a
choice is its place in the list.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..errors import InputError
from .context import RecordArray, record_type

Number: TypeAlias = float | Sequence[float]


class Interval(NamedTuple):
    """Bounds of a number, as metadata of its annotation."""

    low: float
    high: float = math.inf
    above: bool = False
    """Whether the lower bound itself is left out."""
    below: bool = False
    """Whether the upper bound itself is left out."""

    def holds(self, value: float) -> bool:
        """Whether a value lies inside; an infinite one only where the lower bound is infinite."""
        low = value > self.low if self.above else value >= self.low
        high = value < self.high if self.below else value <= self.high
        return low and high and value != math.inf

    def __str__(self) -> str:
        if self.low == -math.inf:
            return f"<= {self.high:g}"
        if self.high == math.inf:
            return f"{'>' if self.above else '>='} {self.low:g}"
        opening, closing = "(" if self.above else "[", ")" if self.below else "]"
        return f"in {opening}{self.low:g}, {self.high:g}{closing}"


class Numbers(NamedTuple):
    """Bounds of several numbers, as metadata of the annotation of a tuple."""

    length: int
    bounds: Interval
    not_all_zero: bool = False
    """Whether one of them at least must not be zero."""

    def holds(self, values: Any) -> bool:
        """Whether there are as many numbers as there should be, all inside the bounds."""
        try:
            return len(values) == self.length and all(self.bounds.holds(float(v)) for v in values)
        except (TypeError, ValueError):
            return False

    def __str__(self) -> str:
        count = {2: "two", 3: "three"}.get(self.length, str(self.length))
        return f"to be {count} numbers {self.bounds}"


Positive: TypeAlias = Annotated[float, Interval(0.0, above=True)]
NonNegative: TypeAlias = Annotated[float, Interval(0.0)]
Fraction: TypeAlias = Annotated[float, Interval(0.0, 1.0)]
Count: TypeAlias = Annotated[int, Interval(1, 100_000)]
Triple: TypeAlias = tuple[float, float, float]
Weights: TypeAlias = Annotated[Triple, Numbers(3, Interval(0.0), not_all_zero=True)]
"""Three shares of something; they need not sum to one."""


def settings_of(kind: type) -> dict[str, Any]:
    """Return the names of the settings of a solver, and their defaults."""
    return {field.name: field.default for field in dataclasses.fields(kind) if field.init}


def check_settings(solver: Any) -> None:
    """Raise `InputError` for a setting that its annotation does not allow."""
    for name, allowed in _allowed(solver.__class__).items():
        _check(name, getattr(solver, name), allowed)


def check_whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse a value that is no whole number in a range."""
    _check(name, value, Annotated[int, Interval(low, high)])


def numbers_of(solver: Any) -> dict[str, Number]:
    """Return the settings that are numbers, switches or choices, as numbers."""
    numbers: dict[str, Number] = {}
    for name, allowed in _allowed(solver.__class__).items():
        value = getattr(solver, name)
        if isinstance(value, str):
            choices = typing.get_args(allowed)
            if value in choices:
                numbers[name] = choices.index(value)
        elif isinstance(value, bool | int | float | np.number):
            # Kernels are compiled for the types of their records, so that 1 must not stand for 1.0.
            numbers[name] = float(value) if _is_real(allowed) else typing.cast("int", value)
        elif isinstance(value, tuple) and value and all(isinstance(v, int | float) for v in value):
            numbers[name] = tuple(float(v) for v in value)
    return numbers


def settings_record(numbers: Mapping[str, Number]) -> RecordArray:
    """Return numbers as the record that kernels read."""
    arrays = {name: np.asarray(value) for name, value in numbers.items()}
    fields = ((name, "f8" if a.dtype.kind == "f" else "i8", a.shape) for name, a in arrays.items())
    record = np.zeros(1, record_type(*fields))
    for name, value in arrays.items():
        record[name] = value
    return record


@cache
def _allowed(kind: Hashable) -> dict[str, Any]:
    """Return the annotation of each setting of a solver."""
    assert isinstance(kind, type)
    hints = typing.get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in settings_of(kind)}


def _is_real(allowed: Any) -> bool:
    """Whether a setting is a real number, not a whole one or a switch."""
    kinds = (allowed, *typing.get_args(allowed))  # the second are those of a union
    return any(
        typing.get_origin(kind) is Annotated and typing.get_args(kind)[0] is float for kind in kinds
    )


def _check(name: str, value: object, allowed: Any) -> None:
    options = typing.get_args(allowed)
    optional = type(None) in options
    if optional:
        if value is None:
            return
        allowed = next(option for option in options if option is not type(None))
    if typing.get_origin(allowed) is Literal:
        choices = typing.get_args(allowed)
        if value not in choices:
            listed = ", ".join(map(str, choices))
            raise InputError(f"Expected `{name}` to be one of {listed}; got {value!r}.")
    elif typing.get_origin(allowed) is Annotated:
        number, interval = typing.get_args(allowed)
        if isinstance(interval, Numbers):
            if not interval.holds(value):
                raise InputError(f"Expected `{name}` {interval}, got {value!r}.")
            if interval.not_all_zero and not any(typing.cast("Sequence[float]", value)):
                raise InputError(f"Expected at least one of the `{name}` to be above zero.")
            return
        kinds = (int, np.integer) if number is int else (int, float, np.number)
        if isinstance(value, bool) or not isinstance(value, kinds):
            kind = "a whole number" if number is int else "a number"
            raise InputError(f"Expected `{name}` to be {kind}, got {value!r}.")
        if not interval.holds(float(typing.cast("float", value))):
            raise InputError(f"Expected `{name}` {interval}, got {value!r}.")
    elif allowed is bool and not isinstance(value, bool | np.bool_):
        switch = "True, False or None" if optional else "True or False"
        raise InputError(f"Expected `{name}` to be {switch}, got {value!r}.")
