"""``palimpsest answers``: record what a model answers to a suite's requests; grade it offline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from palimpsest.bench.answers.graded import report
from palimpsest.bench.answers.record import Recorded
from palimpsest.bench.answers.session import (
    Wanted,
    build_for,
    check_sampling,
    grade_file,
    parse_seeds,
    record_all,
)
from palimpsest.bench.answers.subjects import find
from palimpsest.bench.case_file import SPLITS, Split
from palimpsest.chat import ModelIdentity, Sampling
from palimpsest.cli.answers_table import shown_grades
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.language.invisible import shown
from palimpsest.models.api import ANSWER_SECONDS
from palimpsest.models.resolve import open_model
from palimpsest.models.weights import NAME

_DEFAULTS = Sampling()


@click.group()
def answers() -> None:
    """What a model answers to the requests of a suite, and how good it is."""


@answers.command()
@click.argument("suite", metavar="SUITE|SET|FILE")
@click.option(
    "--model", default=NAME, show_default=True, metavar="MODEL",
    help="smollm2, gguf:PATH, ollama:NAME@DIGEST, openai:NAME, or recorded:FILE.",
)  # fmt: skip
@click.option("--seeds", default="1,2,3,4,5", show_default=True, help="One call a request each.")
@click.option(
    "--checkpoint", "checkpoints", type=int, multiple=True, metavar="N",
    help="Of a suite, only the requests after turn N; repeat for more. Default: every checkpoint.",
)  # fmt: skip
@click.option(
    "--split", "splits", type=click.Choice(SPLITS), multiple=True,
    help="Of a case set, only one split. Default: held_out.",
)  # fmt: skip
@click.option(
    "--strategy", "strategies", multiple=True, metavar="SPEC",
    help="A strategy; repeat for more. Default: those of `bench run` or `bench cases`.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE",
    help="The recording; one that was interrupted goes on. Default: SUITE.answers.jsonl.",
)  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option(
    "--tokenizer", metavar="NAME",
    help="The tokenizer to count with. Default: that of the model, else that of the settings.",
)  # fmt: skip
@click.option("--unpinned", is_flag=True, help="Take a model whose digest nobody vouches for.")
@click.option("--base-url", default="", metavar="URL", help="Where ollama: or openai: answers.")
@click.option("--timeout", type=click.FloatRange(min=1), default=ANSWER_SECONDS, show_default=True,
              help="Seconds that one answer may take.")  # fmt: skip
@click.option("--temperature", type=float, default=_DEFAULTS.temperature, show_default=True)
@click.option("--top-k", type=int, default=_DEFAULTS.top_k, show_default=True,
              help="0 leaves it out of the request.")  # fmt: skip
@click.option("--top-p", type=float, default=_DEFAULTS.top_p, show_default=True)
def record(
    suite: str,
    model: str,
    seeds: str,
    checkpoints: tuple[int, ...],
    splits: tuple[str, ...],
    strategies: tuple[str, ...],
    out: Path | None,
    config: Path | None,
    tokenizer: str | None,
    unpinned: bool,
    base_url: str,
    timeout: float,
    temperature: float,
    top_k: int,
    top_p: float,
) -> None:
    """Send the unchanged requests of SUITE to a model, once per seed, and keep the answers."""
    wanted = Wanted(
        strategies=strategies,
        checkpoints=checkpoints,
        splits=tuple(cast(Split, split) for split in dict.fromkeys(splits)),
        seeds=parse_seeds(seeds),
        sampling=Sampling(temperature=temperature, top_k=top_k, top_p=top_p),
        config=config,
        tokenizer=tokenizer,
    )
    check_sampling(wanted.sampling)
    found = find(suite)
    place = out or Path(re.sub(r"[^\w.-]+", "-", found.name) + ".answers.jsonl")
    with open_model(model, unpinned=unpinned, base_url=base_url, timeout=timeout) as opened:
        built = build_for(found, wanted, model)
        with _bar() as bar:
            task = bar.add_task(shown(found.name), total=None)
            done = record_all(
                built, wanted, opened, place,
                lambda step, of: bar.update(task, completed=step, total=of),
            )  # fmt: skip
        _tell(done, opened.identity, place, built.frame.name)


@answers.command()
@click.argument("suite", metavar="SUITE|SET|FILE|-")
@click.argument("recording", metavar="ANSWERS", type=click.Path(path_type=Path))
@click.option(
    "--keys", type=click.Path(path_type=Path), metavar="FILE",
    help="A key file, TOML or JSON. Default: the keys in the suite.",
)  # fmt: skip
@click.option("--json", "target", metavar="PATH|-", help="Write the grades; - is standard output.")
def grade(suite: str, recording: Path, keys: Path | None, target: str | None) -> None:
    """Grade the recorded ANSWERS to SUITE, offline: pass, fail with its reason, or incomplete.

    SUITE - stands for none: the key file then lists the cases. A failed answer is a
    result, not an error.
    """
    with json_output(target) as write:
        graded = grade_file(suite, recording, keys)
        write(report(graded.recording, graded.groups, graded.suite))
    if target == STDOUT:
        return
    console = Console(highlight=False)
    for part in shown_grades(graded):
        console.print(part, soft_wrap=True)
    if target is not None:
        console.print(f"grades: {shown(target)}", markup=False, soft_wrap=True)


def _bar() -> Progress:
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=Console(stderr=True))


def _tell(done: Recorded, identity: ModelIdentity, place: Path, tokenizer: str) -> None:
    pinned = f"digest {identity.digest}" if identity.pinned else "NOT PINNED"
    click.echo(f"{identity.model} ({pinned}) through {identity.server}")
    kept = f", {done.kept} were there before" if done.kept else ""
    click.echo(f"{done.asked} answers recorded{kept}: {shown(str(place))}")
    counted = done.same_count + done.other_count
    if counted:
        click.echo(
            f"the server counted the prompt as {tokenizer} did in {done.same_count} of "
            f"{counted} answers"
        )
