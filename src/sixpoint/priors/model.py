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
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..atomic_write import atomic_write
from ..errors import FormatError, located
from ..kernels.types import Floats
from .autograd import Array
from .layout import POINTS, mirror_inputs, mirror_outputs, sides
from .network import predict

FORMAT, VERSION = "sixpoint prior", 4
"""Version of what goes in and comes out: a model of another one cannot be used."""
BUILTIN = "people.npz"
"""The model that comes with the package."""
NETWORKS = ("layers", "critic")
INPUT_SIDES, OUTPUT_SIDES = sides(*mirror_inputs()), sides(*mirror_outputs())
OUTPUT_COUNTS = (OUTPUT_SIDES.even.shape[1], OUTPUT_SIDES.odd.shape[1])
CERTAIN = 30.0
"""Score of points that are right beyond doubt."""
MOST_UNITS = 512
"""Widest hidden layer: what a frame's time allows."""

LIMITS_OF_USE = (
    "It says what is likely, not what is so. Do not measure joint angles of patients or athletes "
    "with it, and do not identify people by it.",
    "It knows the people and movements it was fitted to. Where points look unlike them its "
    "expected error grows and the `confidence` of the solver falls; usual-looking points of an "
    "unusual pose deceive it.",
    "It knows bodies like those it was fitted to, with two arms and two legs; the built-in one, "
    "adults.",
)


@dataclass(frozen=True, eq=False)
class Prior:
    """What people tend to do, fitted to motion. Immutable."""

    layers: tuple[Array, ...]
    """The network that predicts poses, as `network.Layers`."""
    critic: tuple[Array, ...]
    """The network that says whether points can be right, alike; one output."""
    card: Mapping[str, Any] = field(default_factory=dict)
    """Data, split, settings and figures, for the model card."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("layers", "critic"):
            put(self, name, tuple(_frozen(layer) for layer in getattr(self, name)))
        put(self, "card", dict(self.card))
        _check_layers(self.layers, OUTPUT_COUNTS)
        _check_layers(self.critic, (1, 0))

    @property
    def numbers(self) -> int:
        """Number of fitted numbers."""
        return sum(layer.size for layer in (*self.layers, *self.critic))

    def predict(self, x: Array) -> Floats:
        """Return outputs (F, 151) for inputs (F, 256)."""
        even, odd = predict(list(self.layers), *_apart(x))
        return np.asarray(even @ OUTPUT_SIDES.even.T + odd @ OUTPUT_SIDES.odd.T, np.float64)

    def plausibility(self, x: Array) -> Floats:
        """Return how likely it is that points have their right names, for inputs (F, 256), (F,).

        This is the probability if right and wrong ones were equally frequent.
        """
        score, _ = predict(list(self.critic), *_apart(x))
        return np.asarray(0.5 + 0.5 * np.tanh(0.5 * score[:, 0]), np.float64)

    def save(self, path: str | Path) -> None:
        """Write everything into one NPZ file, weights as 16-bit floats."""
        content: dict[str, Any] = {
            f"{name}_{k}": layer.astype(np.float16)
            for name in NETWORKS
            for k, layer in enumerate(getattr(self, name))
        }
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
            networks = []
            for name in NETWORKS:
                count = max(1, sum(key.startswith(f"{name}_") for key in content))
                networks.append(tuple(content[f"{name}_{k}"] for k in range(count)))
            return cls(networks[0], networks[1], json.loads(str(content["card"])))
        except FormatError:
            raise
        except KeyError as error:
            raise FormatError(
                f"Expected a {FORMAT} file, which holds {error.args[0]}; it is missing."
            ) from error
        except (TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error,
                OSError) as error:  # fmt: skip
            raise FormatError(f"Expected a {FORMAT} file, got something else.") from error


def _frozen(layer: Array) -> Array:
    """Return a layer in 32 bits that cannot be written to."""
    if layer.dtype.kind != "f":
        raise FormatError(f"Expected layers of real numbers, got {layer.dtype}.")
    made = np.array(layer, np.float32)
    made.setflags(write=False)
    return made


def _check_layers(layers: tuple[Array, ...], outputs: tuple[int, int]) -> None:
    """Raise if layers do not lead from the inputs to so many sums and differences."""
    shapes = [layer.shape for layer in layers]
    if len(shapes) < 6 or len(shapes) % 3:
        raise FormatError(f"Expected two layers or more of three arrays each, got {len(shapes)}.")
    units = shapes[1][0] if len(shapes[1]) == 1 else 0
    if not 1 <= units <= MOST_UNITS:
        raise FormatError(f"Expected 1 to {MOST_UNITS} pairs of hidden units, got {shapes[1]}.")
    incoming = (INPUT_SIDES.even.shape[1], INPUT_SIDES.odd.shape[1])
    sizes = [incoming, *((units, units) for _ in shapes[3::3]), outputs]
    wanted = [shape for (e, o), (f, p) in pairwise(sizes) for shape in ((e, f), (f,), (o, p))]
    if shapes != wanted:
        raise FormatError(f"Expected layers of the shapes {wanted}, got {shapes}.")
    if not all(np.isfinite(layer).all() for layer in layers):
        raise FormatError("Expected finite numbers, got NaN or infinity.")


def _apart(x: Array) -> tuple[Array, Array]:
    """Return inputs (F, 256) as sums and differences of both sides, in 32 bits."""
    even, odd = x @ INPUT_SIDES.even, x @ INPUT_SIDES.odd
    return even.astype(np.float32), odd.astype(np.float32)


def always_plausible() -> tuple[Array, ...]:
    """Return layers to which all points are right."""
    e, o = INPUT_SIDES.even.shape[1], INPUT_SIDES.odd.shape[1]
    shapes: tuple[tuple[int, ...], ...] = ((e, 1), (1,), (o, 1), (1, 1))
    zeros = [np.zeros(shape, np.float32) for shape in shapes]
    return (*zeros, np.full(1, CERTAIN, np.float32), np.zeros((1, 0), np.float32))


@cache
def builtin_prior() -> Prior:
    """Return the model that comes with sixpoint."""
    return Prior._read(resources.files(__package__).joinpath(BUILTIN).read_bytes())


def prior_of(name: str) -> Prior:
    """Return a prior by its file name, read once; the built-in one for an empty name."""
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
    """Return a model card in Markdown."""
    card = prior.card
    lines = [
        f"# Model card: {card.get('name', 'prior')}",
        "",
        f"A network of {_size(prior.layers)} that predicts the pose of a person and its own "
        f"error, from any of {len(POINTS)} points, with or without their rotations; and a critic, "
        f"a network of {_size(prior.critic)}, that says whether six points can be right: it was "
        "shown the same people with exchanged names, another axis up, and single points astray. "
        f"{prior.numbers} numbers in all. Used by the solver `guided`.",
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


def _size(layers: Sequence[Array]) -> str:
    """Return how many layers a network has, and of how many units."""
    hidden = len(layers) // 3 - 1
    return f"{hidden} hidden layer{'s' if hidden > 1 else ''} of {2 * layers[1].size} units"


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
