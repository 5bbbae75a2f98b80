"""``palimpsest bench label``: a suite from one's own conversations, corrected by a person."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from palimpsest.bench import json_file
from palimpsest.bench.label import sheet
from palimpsest.bench.label.session import (
    KIND,
    Before,
    Made,
    Session,
    Wanted,
    checked,
    make,
    outputs_of,
    scan,
)
from palimpsest.bench.replay import DEFAULT_STRATEGIES
from palimpsest.bench.report import report, whole
from palimpsest.bench.run import Options, run_all
from palimpsest.cli.editor import edited
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.output_file import text_output
from palimpsest.cli.report import page
from palimpsest.cli.terminal import Terminal
from palimpsest.errors import InputError
from palimpsest.language.invisible import shown
from palimpsest.store.version import sqlite_version
from palimpsest.types import Budget

_SUITE, _SIDECAR = ".suite.json", ".labels.json"


@click.command("label")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--extractor", default="rules", show_default=True, metavar="SPEC",
    help="What proposes the labels: rules, or 'llm(model=\"ollama:NAME@DIGEST\")'.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="PATH",
    help="The suite. Default: the name of FILE with .suite.json; several get a number.",
)  # fmt: skip
@click.option("--edit", "edit", is_flag=True, help="Open labels and checkpoints in $EDITOR.")
@click.option(
    "--sheet", "kept_sheet", type=click.Path(path_type=Path), metavar="PATH",
    help="Take a sheet that was kept after a mistake; with --edit, open it.",
)  # fmt: skip
@click.option("--fresh", is_flag=True, help="Drop what a person corrected in an earlier suite.")
@click.option("--mask", multiple=True, metavar="TEXT", help="Mask this too; repeat for more.")
@click.option("--keep", multiple=True, metavar="TEXT", help="Never mask this; repeat for more.")
@click.option(
    "--map", "map_path", type=click.Path(path_type=Path), metavar="PATH",
    help="Write every original with its fiction, readable by you alone. Never written otherwise.",
)  # fmt: skip
@click.option("--name", default="", metavar="NAME", help="The name of the suite.")
@click.option("--window", type=int, metavar="N", help="The model's window in tokens.")
@click.option("--answer", type=int, default=128, show_default=True, metavar="N",
              help="Tokens of it for the answer, with --window.")  # fmt: skip
@click.option("--strategy", "strategies", multiple=True, metavar="SPEC",
              help="A strategy to try the suite with; repeat for more.")  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")
@click.option("--html", metavar="PATH|-", help="Write what the suite shows as one page.")
def label_command(
    file: Path,
    extractor: str,
    out: Path | None,
    edit: bool,
    kept_sheet: Path | None,
    fresh: bool,
    mask: tuple[str, ...],
    keep: tuple[str, ...],
    map_path: Path | None,
    name: str,
    window: int | None,
    answer: int,
    strategies: tuple[str, ...],
    config: Path | None,
    tokenizer: str | None,
    html: str | None,
) -> None:
    """Make a suite of the conversations in FILE: mask, propose labels, check, and correct.

    FILE holds OpenAI messages (JSON or JSON lines), a chat log that `palimpsest import` knows,
    an export of this program, or a suite.
    Personal values are masked before anything reads them. Corrections that you made in an
    earlier suite of the same FILE are kept.
    """
    budget = Budget(window=window, answer=answer) if window is not None else None
    wanted = Wanted(extractor=extractor, mask=mask, keep=keep, budget=budget, name=name)
    base = out or Path(file.name.split(".")[0] + _SUITE)
    with late_progress() as step:
        session = make(
            file, wanted,
            lambda place, of: None if fresh else _before(_place(base, place, of)), step,
        )  # fmt: skip
    _write(session, file, base, edit=edit, kept_sheet=kept_sheet)
    if map_path is not None:
        _write_map(session, map_path)
    options = Options(
        strategies=strategies or DEFAULT_STRATEGIES, config=config, tokenizer=tokenizer
    )
    _tell(session, base, options, html)


def _place(base: Path, place: int, of: int) -> Path:
    if of == 1:
        return base
    stem = base.name.removesuffix(_SUITE) if base.name.endswith(_SUITE) else base.stem
    return base.with_name(f"{stem}-{place}{base.name[len(stem) :]}")


def _beside(place: Path) -> Path:
    return place.with_name(place.name.removesuffix(_SUITE).removesuffix(".json") + _SIDECAR)


def _before(place: Path) -> Before | None:
    """What an earlier run wrote; raises InputError where the suite is another program's."""
    if not place.exists():
        return None
    if not _beside(place).exists():
        raise InputError(
            f"{place}: is there and was not made by `bench label` ({_beside(place).name} is "
            "missing); name another with --out, or replace it with --fresh"
        )
    data = json_file.json_of(json_file.text_of(place, "suite"), str(place), "suite")
    kept = json_file.json_of(
        json_file.text_of(_beside(place), "file of labels"), str(_beside(place)), "file of labels"
    )
    if not isinstance(kept, dict) or kept.get("kind") != KIND or not isinstance(data, dict):
        raise InputError(f"{_beside(place)}: is no file of `bench label`; remove it, or --fresh")
    return Before(data=data, parts=kept["parts"])


def _write(
    session: Session, file: Path, base: Path, *, edit: bool, kept_sheet: Path | None
) -> None:
    """Check, scan and write every suite, then let a person correct each."""
    by_hand = edit or kept_sheet is not None
    if by_hand and len(session.made) > 1:
        raise InputError(
            f"--edit: {file} holds {len(session.made)} conversations; make the suites first, and "
            "correct each file with `palimpsest bench label` of it"
        )
    written = 0
    for place, made in enumerate(session.made, 1):
        target = _place(base, place, len(session.made))
        if target.resolve() == file.resolve():
            raise InputError(f"{file}: would be overwritten by its own suite; give another --out")
        if made.data["checkpoints"] or not by_hand:
            if place in session.silent and len(session.made) > 1:
                continue
            checked(made.data, str(target))
            scan(session.mask, outputs_of(made, str(target)))
            _save(target, made)
            written += 1
        if by_hand:
            _correct(session, target, made, kept_sheet, edit=edit)
            written += 1
    if not written:
        checked(session.made[0].data, str(base))


def _save(target: Path, made: Made) -> None:
    with (
        text_output(str(target), "--out") as write,
        text_output(str(_beside(target)), "--out") as beside,
    ):
        write(_dumps(made.data))
        beside(_dumps(made.sidecar))


def _correct(
    session: Session, target: Path, made: Made, kept_sheet: Path | None, *, edit: bool
) -> None:
    def take(text: str) -> None:
        if sheet.is_empty(text):
            return
        data, lines = sheet.read(text, made.data)
        try:
            checked(data, str(target))
            scan(session.mask, [(f"turn {t['turn']}", t) for t in data["turns"]])
            scan(session.mask, [(f"checkpoint after {p['after']}", p) for p in data["checkpoints"]])
        except InputError as error:
            line = sheet.line_of(str(error), lines)
            raise InputError(f"line {line}: {error}" if line else str(error)) from None
        made.data.clear()
        made.data.update(data)
        _save(target, made)

    text = (
        json_file.text_of(kept_sheet, "sheet")
        if kept_sheet is not None
        else sheet.write(made.data, made.notes)
    )
    if edit:
        edited(text, take, suffix=".labels.txt")
    else:
        take(text)


def _write_map(session: Session, place: Path) -> None:
    """The one file with real values, readable by its owner alone from its first byte."""
    try:
        place.unlink(missing_ok=True)
        with open(place, "x", encoding="utf-8", opener=_private) as file:
            file.write(_dumps(session.mask.table()))
    except OSError as error:
        raise InputError(f"--map {place}: cannot be written ({error.strerror})") from None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _tell(session: Session, base: Path, options: Options, html: str | None) -> None:
    from palimpsest.cli.bench import show_run

    console = Terminal(highlight=False, stderr=html == "-")

    def line(text: str) -> None:
        console.print(shown(text), markup=False, soft_wrap=True)

    counts = ", ".join(f"{count} {kind}" for kind, count in session.mask.counts.items())
    line(f"masked: {counts or 'nothing'}; no original is in what was written")
    suites = []
    for place, made in enumerate(session.made, 1):
        target = _place(base, place, len(session.made))
        if not made.data["checkpoints"]:
            line(f"conversation {place}: nothing was stated that the extractor reads; no suite")
            continue
        labels = sum("memory" in turn for turn in made.data["turns"])
        points = len(made.data["checkpoints"])
        line(
            f"suite: {target}: {len(made.data['turns'])} turns, {labels} labels, {points} checkpoints"
        )
        stem = target.name.split(".")[0]
        if session.mask.title(stem) != stem:
            line(" ? the name of the file holds a real value; --out names another")
        if made.kept:
            line(f" yours, kept: {', '.join(made.kept)}")
        for turn, note in made.notes:
            line(f" ? turn {turn}: {note}")
        suites.append(checked(made.data, str(target)))
    with text_output(html, "--html") as write:
        with late_progress() as step:
            runs = run_all(suites, options, step)
        for run in runs:
            show_run(console, run)
        if html is not None:
            reports = {
                run.suite.name: report(run, sqlite=sqlite_version(), requests=True) for run in runs
            }
            write(page(whole(reports), "bench label"))
    line(f"next: palimpsest bench run {base}" if len(suites) == 1 else "next: palimpsest bench run")
