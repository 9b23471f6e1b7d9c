"""`sixpoint train`: fit the prior of the guided solver to one's own clips."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from . import console as c


@click.command("train")
@click.argument("data", metavar="DATA")
@click.option("-o", "--output", required=True, metavar="MODEL.npz", help="The model goes there, "
              "its card beside it (MODEL.md).")  # fmt: skip
@click.option("--validation", metavar="NAME,NAME...", help="Subjects kept aside. Default: every "
              "eighth.")  # fmt: skip
@click.option("--steps", type=click.IntRange(1), default=6000, show_default=True)
@click.option("--batch", type=click.IntRange(1, 65_536), default=1024, show_default=True,
              help="Frames in each step.")  # fmt: skip
@click.option("--units", type=click.IntRange(4, 512), default=128, show_default=True,
              help="Pairs of units in each of three hidden layers.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(0.0, 0.1, min_open=True), default=0.003,
              show_default=True, help="Highest rate of learning.")  # fmt: skip
@click.option("--device", type=click.Choice(["cpu", "gpu"]), default="cpu", show_default=True,
              help="A graphics card needs the extra `train` (CuPy).")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=20080408, show_default=True)
@click.option("--name", default="prior", show_default=True, help="Title of the model card.")
@click.option("--credit", default="", help="Who is to be thanked for the data; for the card.")
@click.option("--quick", is_flag=True, help="A tenth of the steps: to see whether it works.")
@c.json_option
def train(data: str, output: str, **given: Any) -> c.Answer:
    """Fit a prior to motion: what people tend to do.

    DATA is a folder of BVH clips (01_walk.bvh, 01_run.bvh, 02_walk.bvh: the name up to the first
    underscore is the subject) or of clip archives, one for each subject. Needs several subjects:
    some are kept aside to measure how well it works on people it has not seen. Takes about ten
    minutes on one core of a processor, one with --quick.

    \b
    sixpoint train clips/ -o mine.npz
    sixpoint train clips/ -o mine.npz --device gpu --units 192 --batch 4096 --steps 18700
    sixpoint reconstruct points.csv --height 1.78 --prior mine.npz -o body.bvh
    """  # noqa: D301  (click wants the backspace itself)
    # Before NumPy is imported. The matrices are small: threads would only wait for each other, and
    # their number would change the last bits of the model.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"

    from ..atomic_write import atomic_write
    from ..bench.measures import evaluate_subjects
    from ..formats.clip_folders import read_subjects
    from ..priors.model import card_text
    from ..priors.training import TrainingSettings, train_prior
    from ..priors.training_data import Subject
    from ..solvers import solver

    c.check_output(output, (".npz",))
    beside = _card_place(Path(output))
    found, notes = read_subjects(data)
    c.say_notes(notes)
    with c.wrong_call():
        aside = _aside(list(found), given["validation"])
    steps = max(1, given["steps"] // 10) if given["quick"] else given["steps"]
    settings = TrainingSettings(
        steps=steps,
        **{key: given[key] for key in ("batch", "units", "rate", "seed")},
    )
    people = {key: Subject.of(key, motions) for key, motions in found.items()}
    with c.progress("training") as tell:
        prior = train_prior(
            [person for key, person in people.items() if key not in aside],
            [people[key] for key in aside],
            settings,
            tell,
            given["device"],
        )
    solvers = ("sik", "guided")
    with TemporaryDirectory() as folder:  # the solver reads it from there
        trial = Path(folder) / "trial.npz"
        prior.save(trial)
        judged = {"sik": solver("sik"), "guided": solver("guided", prior=str(trial))}
        with c.compiling(), c.progress("validation") as tell:
            figures = evaluate_subjects(judged, {key: found[key] for key in aside}, tell)
    training = [key for key in found if key not in aside]
    place, name, credit = Path(data).resolve().name, given["name"], given["credit"]
    card: dict[str, Any] = {
        "name": name,
        "data": f"{len(found)} subjects of `{place}`.",
        "credit": credit,
        "training": training,
        "validation": aside,
        "frames": sum(len(people[key].poses) for key in training),
        "command": f"sixpoint train {place} -o {Path(output).name} --validation "
        f"{','.join(aside)} --steps {steps} --batch {settings.batch} --units {settings.units} "
        f"--rate {settings.rate:g} --device {given['device']} --seed {settings.seed} --name "
        f"{shlex.quote(name)}" + (f" --credit {shlex.quote(credit)}" if credit else ""),
        "figures": figures,
    }
    prior = replace(prior, card=card)
    prior.save(output)
    with atomic_write(beside) as file:
        file.write(card_text(prior).encode())
    c.say(f"wrote {output} and {beside}")
    report = {"model": output, "card": str(beside), "numbers": prior.numbers, **card}
    return c.Answer(report, lambda: _show(figures, solvers))


def _show(figures: dict[str, dict[str, float]], solvers: tuple[str, ...]) -> None:
    columns = [f"{kind}_{who}" for kind in ("position", "own", "orientation") for who in solvers]
    titles = ("subject", "position, sik", "guided", "rotation, sik", "guided",
              "with helpers, sik", "guided")  # fmt: skip
    rows = [(key, *(f"{row[column]:.4f}" for column in columns)) for key, row in figures.items()]
    c.show_table("Subjects kept aside", titles, rows)


def _card_place(model: Path) -> Path:
    """Return where the card goes; refused where it or the model cannot be written."""
    from ..errors import CannotWrite

    card = model.with_suffix(".md")
    for path in (model, card):
        if path.is_dir():
            raise CannotWrite("it is a folder", path=str(path))
    if card.exists() and not card.read_bytes().startswith(b"# Model card"):
        raise CannotWrite("something else than a model card is there", path=str(card))
    if not os.access(model.parent, os.W_OK):
        raise CannotWrite("its folder cannot be written to", path=str(model))
    return card


def _aside(names: list[str], wanted: str | None) -> list[str]:
    """Return the subjects kept for validation."""
    from ..errors import InputError, UnknownName

    if len(names) < 2:
        raise InputError(
            f"Expected clips of two subjects or more, some to learn from and some to validate "
            f"with; got only {', '.join(names)}."
        )
    if wanted is None:
        return names[3::8] or names[-1:]
    spelled = [name.strip() for name in wanted.split(",") if name.strip()]
    # Names of files have zeros in front (02_walk.bvh), subjects have not.
    chosen = list(dict.fromkeys(n if n in names else n.lstrip("0") or n for n in spelled))
    for name in chosen:
        if name not in names:
            raise UnknownName("subject", name, names)
    if not chosen or len(chosen) == len(names):
        raise InputError("Expected some subjects to validate with and some to learn from.")
    return chosen
