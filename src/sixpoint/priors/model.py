"""Prior: the weights of the model, its file, and its model card."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..atomic_write import atomic_write
from ..body.values import frozen_array
from ..errors import FormatError, located
from ..kernels.types import Floats
from .autograd import Array, Value, forward
from .layout import INPUTS, OUTPUTS, mirror_inputs, mirror_outputs

FORMAT, VERSION = "sixpoint prior", 3
"""Version of what goes in and comes out: a model of another one cannot be used."""
BUILTIN = "people.npz"
"""The model that comes with the package."""
LAYERS = ("w1", "b1", "w2", "b2", "w3", "b3")
PLAUSIBILITY_LAYERS = tuple(f"critic_{name}" for name in LAYERS)
ODDEST = 6.0
"""Inputs further from their mean than this many deviations are taken to be no further."""
CERTAIN = 30.0
"""Score of points that are right beyond doubt."""
MOST_UNITS = 512
"""Widest hidden layer: what a frame's time allows."""


LIMITS_OF_USE = (
    "It says what is likely, not what is so. Do not measure joint angles of patients or athletes "
    "with it, and do not identify people by it.",
    "It knows the people and movements it was fitted to. Where points look unlike them the solver "
    "trusts it less and says how far (`confidence`); usual-looking points of an unusual pose "
    "deceive it.",
    "It knows bodies like those it was fitted to, with two arms and two legs; the built-in one, "
    "adults.",
)


@dataclass(frozen=True, eq=False)
class Prior:
    """What people tend to do, fitted to motion. Immutable."""

    weights: tuple[Floats, ...]
    """W1 (35, h1), b1, W2 (h1, h2), b2, W3 (h2, 78), b3."""
    mean: Floats
    """Subtracted from the inputs, shape (35,)."""
    scale: Floats
    """Then divided by, shape (35,)."""
    whitening: Floats
    """Takes scaled inputs to numbers that vary alike in what was seen, shape (35, 35)."""
    near: float
    """Distance from what was seen up to which the prior is fully trusted: the 99.5th percentile."""
    plausibility_weights: tuple[Floats, ...]
    """Weights of the network that says whether points can be right: as `weights`, but 1 output."""
    card: Mapping[str, Any] = field(default_factory=dict)
    """Data, split, settings and figures, for the model card."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("weights", "plausibility_weights"):
            put(self, name, tuple(frozen_array(w) for w in getattr(self, name)))
        for name in ("mean", "scale", "whitening"):
            put(self, name, frozen_array(getattr(self, name)))
        put(self, "card", dict(self.card))
        self._check()

    def _check(self) -> None:
        _check_layers(self.weights, OUTPUTS)
        _check_layers(self.plausibility_weights, 1)
        for name, shape in (("mean", (INPUTS,)), ("scale", (INPUTS,)),
                            ("whitening", (INPUTS, INPUTS))):  # fmt: skip
            if getattr(self, name).shape != shape:
                raise FormatError(
                    f"Expected `{name}` of shape {shape}, got {getattr(self, name).shape}."
                )
        arrays = (*self.weights, *self.plausibility_weights, self.mean, self.scale, self.whitening)
        if not all(np.isfinite(a).all() for a in arrays):
            raise FormatError("Expected finite numbers, got NaN or infinity.")
        if not 0.0 < self.near < np.inf:
            raise FormatError(f"Expected a positive `near`, got {self.near}.")
        if not (self.scale > 0.0).all():
            raise FormatError("Expected positive `scale`, got zero or less.")

    @property
    def numbers(self) -> int:
        """How many numbers were fitted."""
        return sum(w.size for w in (*self.weights, *self.plausibility_weights))

    def predict(self, x: Floats) -> Floats:
        """Outputs (F, 78) for inputs (F, 35): the mean of the body and of its mirror image.

        What the compiled solver does frame by frame; here for whole arrays.
        """
        back, back_signs = mirror_outputs()
        straight, mirrored = (through(self.weights, v) for v in self._both(x))
        return np.asarray(0.5 * (straight + mirrored[:, back] * back_signs))

    def distance(self, x: Floats) -> Floats:
        """How far inputs (F, 35) are from what was seen; `near` is the rim of the usual, (F,)."""
        both = [v @ self.whitening for v in self._both(x)]
        return np.asarray(np.max([np.linalg.norm(v, axis=1) for v in both], axis=0))

    def plausibility(self, x: Floats) -> Floats:
        """Whether inputs (F, 35) are of a body whose points have their right names, (F,).

        The probability, if right and wrong ones were equally frequent.
        """
        scores = [through(self.plausibility_weights, v)[:, 0] for v in self._both(x)]
        return np.asarray(0.5 + 0.5 * np.tanh(0.25 * np.sum(scores, axis=0)))

    def scaled(self, x: Floats) -> Floats:
        """Inputs (F, 35) as the networks take them: of mean 0 and deviation 1, none very odd."""
        return np.asarray(np.clip((x - self.mean) / self.scale, -ODDEST, ODDEST))

    def _both(self, x: Floats) -> tuple[Floats, Floats]:
        """Scaled inputs of the body and of its mirror image."""
        order, signs = mirror_inputs()
        return self.scaled(x), self.scaled(x[:, order] * signs)

    def save(self, path: str | Path) -> None:
        """Write everything into one NPZ file, weights as 32-bit floats."""
        content: dict[str, Any] = dict(zip(LAYERS, self.weights, strict=True))
        content |= zip(PLAUSIBILITY_LAYERS, self.plausibility_weights, strict=True)
        content |= {name: getattr(self, name) for name in ("mean", "scale", "whitening", "near")}
        content = {key: np.asarray(value, np.float32) for key, value in content.items()}
        content |= {"format": FORMAT, "version": VERSION, "card": json.dumps(self.card)}
        with atomic_write(path) as file:
            np.savez_compressed(file, **content)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file written by `save`.

        Raises:
            FormatError: not such a file, or of another version or shape.
        """
        with located(path):
            try:
                data = Path(path).read_bytes()
            except OSError as error:
                reason = error.strerror or error
                raise FormatError(f"Expected a {FORMAT} file: {reason}.") from error
            return cls._read(data)

    @classmethod
    def _read(cls, data: bytes) -> Self:
        numbers = (*LAYERS, *PLAUSIBILITY_LAYERS, "mean", "scale", "whitening", "near")
        needed = ("format", "version", "card", *numbers)
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                content = {key: file[key] for key in file.files}
            kind, version = str(content["format"]), content["version"].item()
            if kind != FORMAT:
                raise FormatError(f"Expected a {FORMAT} file, got {kind!r}.")
            if version != VERSION:
                raise FormatError(
                    f"Expected version {VERSION} of a {FORMAT}, got version {version}; "
                    "train it anew with `sixpoint train`."
                )
            lost = [key for key in needed if key not in content]
            if lost:
                raise FormatError(f"Expected the keys {', '.join(needed)}; {lost[0]} is missing.")
            for key in numbers:
                if content[key].dtype.kind != "f":
                    raise FormatError(f"Expected real numbers in {key}, got {content[key].dtype}.")
            return cls(
                tuple(content[name] for name in LAYERS),
                content["mean"],
                content["scale"],
                content["whitening"],
                float(content["near"]),
                tuple(content[name] for name in PLAUSIBILITY_LAYERS),
                json.loads(str(content["card"])),
            )
        except FormatError:
            raise
        except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error,
                OSError) as error:  # fmt: skip
            raise FormatError(f"Expected a {FORMAT} file, got something else.") from error


def _check_layers(weights: tuple[Floats, ...], outputs: int) -> None:
    shapes = [w.shape for w in weights]
    if len(shapes) != len(LAYERS) or any(len(s) != 2 - k % 2 for k, s in enumerate(shapes)):
        raise FormatError(f"Expected three layers of weights, got the shapes {shapes}.")
    one, two = shapes[0][1], shapes[2][1]
    if shapes != [(INPUTS, one), (one,), (one, two), (two,), (two, outputs), (outputs,)]:
        raise FormatError(
            f"Expected layers from {INPUTS} inputs to {outputs} outputs that fit each other, "
            f"got the shapes {shapes}."
        )
    if not 1 <= min(one, two) <= max(one, two) <= MOST_UNITS:
        raise FormatError(
            f"Expected at least 1 and at most {MOST_UNITS} hidden units, got {one} and {two}."
        )


def through(weights: Sequence[Array], x: Array) -> Array:
    """Scaled inputs (F, 35) to the outputs of a network."""
    return np.asarray(forward([Value(w) for w in weights], x).array)


def always_plausible() -> tuple[Floats, ...]:
    """Weights of a plausibility network to which all points are right."""
    shapes: tuple[tuple[int, ...], ...] = ((INPUTS, 1), (1,), (1, 1), (1,), (1, 1))
    return (*(np.zeros(shape) for shape in shapes), np.full(1, CERTAIN))


@cache
def builtin_prior() -> Prior:
    """The model that comes with sixpoint."""
    return Prior._read(resources.files(__package__).joinpath(BUILTIN).read_bytes())


def prior_of(name: str) -> Prior:
    """A prior by its file name, read once; the built-in one for an empty name."""
    if not name:
        return builtin_prior()
    try:
        changed = Path(name).stat().st_mtime_ns
    except OSError:
        changed = 0
    return _load(name, changed)


@cache
def _load(name: str, changed: int) -> Prior:
    return Prior.load(name)


def card_text(prior: Prior) -> str:
    """A model card in Markdown."""
    card = prior.card
    lines = [
        f"# Model card: {card.get('name', 'prior')}",
        "",
        f"A network of {_layers(prior.weights)} units that says from six points how pelvis, spine, "
        "limbs, hands and feet are turned; and a plausibility network of "
        f"{_layers(prior.plausibility_weights)} units that says whether the points can be "
        "right, fitted to the same frames, to names exchanged in "
        f"them, other axes up and single points astray. {prior.numbers} numbers in all. Used by "
        "the solver `guided`.",
        "",
        "## Data",
        "",
        str(card.get("data", "not said")),
        "",
        str(card.get("credit", "")),
        "",
        f"- fitted to {_people(card.get('training', ()))}, {card.get('frames', 0)} frames",
        f"- kept aside for validation: {_people(card.get('validation', ()))}",
        f"- made with `{card.get('command', 'sixpoint train')}`",
        "",
        "## Figures",
        "",
        *_figures(card.get("figures", {})),
        "",
        "## Limits of use",
        "",
        *(f"- {text}" for text in LIMITS_OF_USE),
    ]
    return "\n".join(line for k, line in enumerate(lines) if line or lines[k - 1]) + "\n"


def _layers(weights: Sequence[Floats]) -> str:
    sizes = [weights[0].shape[0], *(w.shape[1] for w in weights[::2])]
    return " x ".join(map(str, sizes))


def _people(names: Sequence[str]) -> str:
    if not names:
        return "nobody"
    return f"{len(names)} subject{'s' if len(names) > 1 else ''} ({', '.join(names)})"


def _figures(figures: Mapping[str, Any]) -> list[str]:
    if not figures:
        return ["Not measured."]
    rows = [
        "Errors on the subjects kept aside, as in the SIK paper: RMS over frames of the joint",
        "average, positions as a part of body height, rotations in radians; those of joints alone,",
        "and with helper joints (a twist bone in the forearm) added to the joint they help.",
        "",
        "| subject | position, sik | guided | rotation, sik | guided | with them, sik | guided |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in figures.items():
        values = (row[f"{kind}_{who}"] for kind in ("position", "own", "orientation")
                  for who in ("sik", "guided"))  # fmt: skip
        rows.append(f"| {name} | " + " | ".join(f"{value:.4f}" for value in values) + " |")
    return rows
