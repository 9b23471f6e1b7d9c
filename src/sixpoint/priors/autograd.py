"""Reverse-mode automatic differentiation, and stochastic gradient descent.

It has only what the training of a prior needs, on whole arrays. A `Value` is an array and how it
was made; `gradients` gives the derivatives of one number by any of them (Griewank and Walther,
Evaluating Derivatives, SIAM 2008). Numbers that never change are plain arrays.

Arrays are those of NumPy or, on a graphics card, of CuPy: functions of NumPy pass arrays of CuPy on
to it, so that one code serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]
Pull: TypeAlias = Callable[[Array], Array]
"""Takes the derivative by a result to the derivative by one of its sources."""

_serial = count()


class Value:
    """An array that remembers how it was computed."""

    __array_priority__ = 1.0  # array + value is ours, not NumPy's
    __slots__ = ("array", "number", "sources")

    def __init__(self, array: Array, sources: Sequence[tuple[Value, Pull]] = ()) -> None:
        self.array = array
        self.sources = sources
        self.number = next(_serial)
        """Later values have higher ones."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.array.shape

    def __add__(self, other: Value | Array | float) -> Value:
        return _made(_raw(self) + _raw(other), (self, lambda g: g), (other, lambda g: g))

    __radd__ = __add__

    def __sub__(self, other: Value | Array | float) -> Value:
        return _made(_raw(self) - _raw(other), (self, lambda g: g), (other, np.negative))

    def __rsub__(self, other: Array | float) -> Value:
        return _made(other - self.array, (self, np.negative))

    def __neg__(self) -> Value:
        return _made(-self.array, (self, np.negative))

    def __mul__(self, other: Value | Array | float) -> Value:
        a, b = _raw(self), _raw(other)
        return _made(a * b, (self, lambda g: g * b), (other, lambda g: g * a))

    __rmul__ = __mul__

    def __truediv__(self, other: Value | Array | float) -> Value:
        a, b = _raw(self), _raw(other)
        return _made(a / b, (self, lambda g: g / b), (other, lambda g: -g * a / (b * b)))

    def __rtruediv__(self, other: Array | float) -> Value:
        a, b = _raw(other), self.array
        return _made(a / b, (self, lambda g: -g * a / (b * b)))

    def __matmul__(self, other: Value | Array) -> Value:
        a, b = _raw(self), _raw(other)
        return _made(
            a @ b, (self, lambda g: g @ transposed(b)), (other, lambda g: transposed(a) @ g)
        )

    def __getitem__(self, key: Any) -> Value:
        """Part of the array; only slices and whole numbers, so that no element is taken twice."""

        def pull(g: Array) -> Array:
            whole = np.zeros_like(self.array)
            whole[key] = g
            return whole

        return Value(self.array[key], [(self, pull)])

    def sum(self, axis: int | tuple[int, ...] | None = None) -> Value:
        """Sum over some axes, or over all."""
        axes = tuple(range(self.array.ndim)) if axis is None else axis
        shape = self.shape
        return Value(
            self.array.sum(axis=axes),
            [(self, lambda g: np.broadcast_to(np.expand_dims(g, axes), shape))],
        )

    def mean(self) -> Value:
        """Mean of all numbers."""
        return self.sum() * (1.0 / self.array.size)

    def reshape(self, *shape: int) -> Value:
        """The same numbers in another shape."""
        before = self.shape
        return Value(self.array.reshape(shape), [(self, lambda g: g.reshape(before))])

    def transposed(self) -> Value:
        """Matrices, transposed."""
        return Value(transposed(self.array), [(self, transposed)])


def gradients(cost: Value, by: Sequence[Value]) -> list[Array]:
    """Derivatives of a number by each of some values."""
    found: dict[int, Array] = {cost.number: np.ones_like(cost.array)}
    waiting = {cost.number: cost}
    wanted = {value.number for value in by}
    while waiting:
        # A value is done when all that was made of it is: those have higher numbers.
        number = max(waiting)
        value = waiting.pop(number)
        slope = found[number] if number in wanted else found.pop(number)
        for source, pull in value.sources:
            part = _fitted(pull(slope), source.shape)
            known = found.get(source.number)
            found[source.number] = part if known is None else known + part
            waiting[source.number] = source
    return [found.get(value.number, np.zeros_like(value.array)) for value in by]


def sqrt(x: Value) -> Value:
    """Square root."""
    root = np.sqrt(x.array)
    return Value(root, [(x, lambda g: 0.5 * g / root)])


def soft_ramp(x: Value) -> Value:
    """(x + sqrt(x^2 + 1)) / 2: what a hidden unit makes of its sum."""
    root = np.sqrt(x.array * x.array + 1.0)
    return _by_number(x, 0.5 * (x.array + root), 0.5 + 0.5 * x.array / root)


def softplus(x: Value) -> Value:
    """log(1 + e^x), for any x."""
    return _by_number(x, np.logaddexp(0.0, x.array), 0.5 + 0.5 * np.tanh(0.5 * x.array))


def minimum(a: Value, b: Value | Array | float) -> Value:
    """The smaller of two, number by number."""
    first = a.array <= _raw(b)
    return _made(
        np.where(first, a.array, _raw(b)), (a, lambda g: g * first), (b, lambda g: g * ~first)
    )


def maximum(a: Value, b: Value | Array | float) -> Value:
    """The larger of two, number by number."""
    return -minimum(-a, -b)


def cross(a: Value, b: Value) -> Value:
    """Cross product of vectors."""
    x, y = a.array, b.array
    return _made(np.cross(x, y), (a, lambda g: np.cross(y, g)), (b, lambda g: np.cross(g, x)))


def dot(a: Value, b: Value | Array) -> Value:
    """Scalar product of vectors, the last axis kept as one."""
    x, y = _raw(a), _raw(b)
    return _made((x * y).sum(-1, keepdims=True), (a, lambda g: g * y), (b, lambda g: g * x))


def cumsum(x: Value) -> Value:
    """Sums of the first, of the first two, ... along the second axis."""
    return Value(
        np.cumsum(x.array, axis=1),
        [(x, lambda g: np.flip(np.cumsum(np.flip(g, axis=1), axis=1), axis=1))],
    )


def concatenate(values: Sequence[Value], axis: int) -> Value:
    """One after the other along an axis."""
    ends = np.cumsum([value.shape[axis] for value in values])
    parts = [
        np.arange(end - value.shape[axis], end) for end, value in zip(ends, values, strict=True)
    ]
    return _picked(np.concatenate([value.array for value in values], axis), values, parts, axis)


def stack(values: Sequence[Value], axis: int) -> Value:
    """Side by side along a new axis."""
    return _picked(
        np.stack([value.array for value in values], axis), values, range(len(values)), axis
    )


def transposed(matrices: Array) -> Array:
    """Matrices, transposed."""
    return np.swapaxes(matrices, -1, -2)


def _by_number(x: Value, array: Array, slope: Array) -> Value:
    """A function of each number, and its slope there."""
    return Value(array, [(x, lambda g: g * slope)])


def _picked(array: Array, values: Sequence[Value], parts: Sequence[Any], axis: int) -> Value:
    """An array of several values; each has its part of the array along an axis."""

    def pull(part: Any) -> Pull:
        return lambda g: np.take(g, part, axis=axis)

    return Value(array, [(value, pull(part)) for value, part in zip(values, parts, strict=True)])


def _raw(x: Value | Array | float) -> Any:
    return x.array if isinstance(x, Value) else x


def _made(array: Array, *sources: tuple[Value | Array | float, Pull]) -> Value:
    return Value(array, [(s, pull) for s, pull in sources if isinstance(s, Value)])


def _fitted(slope: Array, shape: tuple[int, ...]) -> Array:
    """Return a slope summed over the axes along which the source was repeated."""
    if slope.shape == shape:
        return slope
    slope = slope.sum(axis=tuple(range(slope.ndim - len(shape))))
    once = tuple(k for k, n in enumerate(shape) if n == 1 and slope.shape[k] != 1)
    found: Array = slope.sum(axis=once, keepdims=True)
    return found


@dataclass
class Adam:
    """Stochastic gradient descent with momentum and scaling, and decay of the matrices.

    Kingma and Ba, "Adam", ICLR 2015; decay as in Loshchilov and Hutter, ICLR 2019. The rate rises
    for a tenth of the steps and falls as a cosine to zero.
    """

    weights: list[Array]
    steps: int
    rate: float = 3e-3
    decay: float = 1e-2
    clip: float = 1.0
    """Longest gradient that is followed at full length."""

    def __post_init__(self) -> None:
        self._mean = [np.zeros_like(w) for w in self.weights]
        self._square = [np.zeros_like(w) for w in self.weights]
        self._step = 0

    def step(self, gradients: list[Array]) -> None:
        """One step downhill, in place."""
        self._step += 1
        t = self._step
        warm = max(self.steps // 10, 1)
        part = (t - warm) / max(self.steps - warm, 1)
        rate = self.rate * (t / warm if t <= warm else 0.5 + 0.5 * np.cos(np.pi * part))
        norm = float(np.sqrt(sum(float((g * g).sum()) for g in gradients)))
        shrink = min(1.0, self.clip / max(norm, 1e-12))
        for w, g, mean, square in zip(
            self.weights, gradients, self._mean, self._square, strict=True
        ):
            g = g * np.float32(shrink)
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            if w.ndim == 2:
                w *= np.float32(1.0 - rate * self.decay)
            change = (mean / (1.0 - 0.9**t)) / (np.sqrt(square / (1.0 - 0.999**t)) + 1e-8)
            w -= np.float32(rate) * change
