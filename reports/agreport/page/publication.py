# SPDX-License-Identifier: BSD-3-Clause
"""The tables and figures of a publication, from one data set.

They go into a folder in the publication's order, with an index page. Tables are written as CSV,
Markdown and LaTeX. What the data set has no cases for is named there.
"""

import re
import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd

from agformats.cli.one_line_parser import OneLineParser
from agformats.errors import BadInput
from agformats.files.outputs import new_folder, why_kept, write_text
from agreport.cli import inputs, render
from agreport.cli.report import Report
from agreport.data.load import Results
from agreport.data.settings import without_empty
from agreport.diagnostics.caveats import caveats
from agreport.figure.medium import medium
from agreport.figure.words import in_print, partly_united_text
from agreport.page.prose import prose
from agreport.stats.summary import summarise

Tables = tuple[pd.DataFrame, Mapping[str, pd.DataFrame]]


@dataclass(frozen=True)
class Item:
    """A table or a figure of a publication, as a report with options.

    text: what the item shows. arguments: the options of the report. tables: makes tables of what
    the report found: one for other programs, and those to read, by what the names of their files
    have behind the item's name. note: what is said below the item; empty: nothing.
    """

    name: str
    text: str
    report: Report
    arguments: tuple[str, ...]
    tables: Callable[[pd.DataFrame, Namespace], Tables] | None = None
    note: str = ""

    @property
    def heading(self) -> str:
        """Returns the name as people write it: Table 6 for table6."""
        return re.sub(r"(\d+)", r" \1", self.name.capitalize())

    @property
    def command(self) -> list[str]:
        """Returns the command that makes this item alone, and with other options a similar one."""
        return ["agreport", self.report.name, "FILES", *self.arguments]


@dataclass(frozen=True)
class Publication:
    """A publication whose tables and figures are made again from a data set.

    name: the name of the command. numbers: makes a table of the numbers that are in the
    publication's text only. in_order: returns the results with their settings in the publication's
    order.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    numbers: Callable[[Results], pd.DataFrame] | None = None
    in_order: Callable[[Results], Results] = lambda results: results

    def write(self, options: Namespace) -> None:
        folder: Path = options.output
        if folder.exists():
            raise BadInput(f"--output: {folder} is there already; legal: a new folder")
        if why := why_kept(folder / "index.html"):
            raise BadInput(f"--output: {folder} {why}")
        results = self.in_order(inputs.load_selected(options))
        with new_folder(folder) as part:
            self.fill(part, results, options)

    def fill(self, folder: Path, results: Results, options: Namespace) -> None:
        """Writes all files of the publication into a folder, which becomes options.output."""
        parts = ["<p>FILES: the files and filters that this page was made of.</p>"]
        parts += listed("Files and cases that are not on this page", results.left_out)
        parts += listed("Reasons to doubt", caveats(results, summarise(results, "avg")))
        for item in self.items:
            parts += made(item, results, folder, options, self.name)
        if not any(folder.iterdir()):
            names = ", ".join(item.heading for item in self.items)
            raise BadInput(
                f"{', '.join(options.files)}: none of {names} of {self.title} can be made; "
                f"`{shlex.join(self.items[0].command)}` says why the first one cannot"
            )
        numbers = self.numbers(results) if self.numbers else pd.DataFrame()
        if len(numbers):
            write_text(folder / "numbers.csv", render.FORMATS["csv"](numbers))
            parts += ["<h2>Numbers of the text</h2>", html(numbers)]
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{self.title}</title>'
        cells = "td,th{padding:.1em .6em;white-space:nowrap}"
        style = f"<style>body{{font:15px sans-serif;margin:2em}}{cells}</style>"
        text = "\n".join([head, style, f"<h1>{self.title}</h1>", *parts])
        write_text(folder / "index.html", text + "\n")


def listed(heading: str, sentences: Sequence[str]) -> list[str]:
    """Returns the sentences as an HTML list below a heading; nothing if there are none."""
    if not sentences:
        return []
    items = [f"<li>{prose(sentence)}</li>" for sentence in sentences]
    return [f"<h2>{heading}</h2>", "<ul>", *items, "</ul>"]


def made(
    item: Item, results: Results, folder: Path, given: Namespace, command: str
) -> Iterator[str]:
    """Writes the files of an item, and yields what the index page has of it, as HTML. given: the
    options of the publication."""
    yield f"<h2>{item.heading}: {escape(item.text)}</h2>"
    yield f"<p><code>{escape(shlex.join(item.command))}</code></p>"
    parser = OneLineParser(prog=f"agreport {command}: {item.name}")
    item.report.add_options(parser)
    output = ["-o", str(folder / f"{item.name}{given.figures}")] if item.report.draw else []
    options = parser.parse_args(["-", *item.arguments, *output])
    try:
        data = narrowed(results, options)
        for need in item.report.needs:
            data = need.apply(options, data)
    except BadInput as error:
        yield f"<p>Not in this data set: {escape(str(error))}</p>"
        return
    yield from (
        f"<p>Not in it: {escape(text)}</p>" for text in data.left_out[len(results.left_out) :]
    )
    assert item.report.table, item.name
    found = item.report.table(data, options)
    if item.report.draw and not item.tables:
        yield from drawn(item, data, found, options, given.output)
    else:
        yield from written(item, data, found, options, folder)


def drawn(
    item: Item, data: Results, found: pd.DataFrame, options: Namespace, folder: Path
) -> Iterator[str]:
    assert item.report.draw, item.name
    try:
        sheet = item.report.draw(data, found, options)
    except BadInput as error:
        yield f"<p>Not drawn: {escape(str(error))}</p>"
        return
    sheet.write(options.output, folder / options.output.name)
    name, text = options.output.name, escape(item.text)
    yield f'<p><img src="{name}" alt="{text}" style="max-width:100%"></p>'
    if sheet.beside:
        yield f"<p>{prose(sheet.caption)}</p>"


def written(
    item: Item, data: Results, found: pd.DataFrame, options: Namespace, folder: Path
) -> Iterator[str]:
    stored, to_read = item.tables(found, options) if item.tables else as_found(found)
    write_text(folder / f"{item.name}.csv", render.FORMATS["csv"](without_empty(stored)))
    for more, shown in to_read.items():
        for name, ending in (("markdown", "md"), ("latex", "tex")):
            text = render.FORMATS[name](without_empty(shown))
            write_text(folder / f"{item.name}{more}.{ending}", text)
        yield html(without_empty(shown))
    if getattr(options, "united", False):
        yield from (f"<p>{prose(text)}</p>" for text in partly_united_text(data))
    if item.note:
        yield f"<p>{prose(item.note)}</p>"


def as_found(found: pd.DataFrame) -> Tables:
    frame = found.reset_index()
    return frame, {"": frame}


def narrowed(results: Results, options: Namespace) -> Results:
    chosen = results.only_launches(inputs.find_launches(options, results))
    rows, given = inputs.filter_rows(options, chosen.rows)
    return inputs.require_times(chosen.keep(rows), given)


def html(frame: pd.DataFrame) -> str:
    frame, constant = render.without_constant(frame)
    shown = in_print(frame) if medium().paper else frame
    return escape(constant) + shown.to_html(
        index=False, border=0, justify="left", float_format=lambda value: f"{value:.2f}"
    )
