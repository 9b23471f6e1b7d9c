"""The model card: what a prior was fitted to, how well it does, what it is not for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..kernels.types import Floats
from .model import Prior

LIMITS_OF_USE = (
    "It says what is likely, not what is so. Do not measure joint angles of patients or athletes "
    "with it, and do not identify people by it.",
    "It knows the people and movements it was fitted to. Where points look unlike them the solver "
    "trusts it less and says how far (`confidence`); usual-looking points of an unusual pose "
    "deceive it.",
    "It knows bodies like those it was fitted to, with two arms and two legs; the built-in one, "
    "adults.",
)


def card_text(prior: Prior) -> str:
    """A model card in Markdown."""
    card = prior.card
    lines = [
        f"# Model card: {card.get('name', 'prior')}",
        "",
        f"A network of {_layers(prior.weights)} units that says from six points how pelvis, spine, "
        f"limbs, hands and feet are turned; and a critic of {_layers(prior.critic)} units that "
        "says whether the points can be right, fitted to the same frames, to names exchanged in "
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
