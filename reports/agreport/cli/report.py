# SPDX-License-Identifier: BSD-3-Clause
"""Says what a report is: one row, of which its command, its options and its figures on the page
come. Whoever imports this module needs no pandas and no matplotlib."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agformats.files.outputs import write_text
from agreport.cli import options as opt
from agreport.cli.later import Module
from agreport.cli.options import Need, add_medium
from agreport.cli.rows import Row
from agreport.figure.medium import ENDINGS

if TYPE_CHECKING:  # to import them takes a second, and options need none of them
    import pandas as pd

    from agreport.data.load import Results
    from agreport.figure.sheet import Sheet

inputs = Module("cli.inputs")

Part = str | tuple[str, "pd.DataFrame"]  # a paragraph, or a table under its title
JSON_VERSION = 1  # of a JSON document; a change that readers have to know of makes it 2


@dataclass(frozen=True)
class OnPage:
    """A section of the page. It shows the report's own figure, or table, with these settings
    instead of a user's, and below it the parts that the report prints.

    heading and alt may have {options...} of the page. select returns what is drawn of the results;
    it may change options. The page has no such section if select returns None, or if the table
    raises BadInput. parts is whether those of the report are shown. flows is whether the figure has
    panels that flow like words, so that it is drawn for narrow, usual and wide screens.
    """

    heading: str
    alt: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    select: Callable[["Results", Namespace], Any] = lambda results, _: results
    parts: bool = True
    flows: bool = False


@dataclass(frozen=True)
class Report:
    """A report, which is a command of agreport.

    code: the report's module; the first line of its docstring is the command's help. load: makes
    the report's data of the options. needs: each one adds options and applies them to the data.
    table: what --csv writes. With draw, -o is the figure. With parts, the report prints these and
    -o may be missing. With neither, it prints the table or writes it to -o. diagnostics: what is
    printed as warnings. document: what --json writes. write: writes what else there is, after all
    is printed. run: runs instead of all these, for a report with several inputs or outputs. logs:
    whether the report can say something of a log of another program, which has no iterations.
    """

    name: str
    code: Module
    options: Row = opt.add_inputs
    needs: tuple[Need, ...] = ()
    load: Callable[[Namespace], Any] = inputs.load_selected
    table: Callable[[Any, Namespace], "pd.DataFrame"] | None = None
    draw: Callable[[Any, Any, Namespace], "Sheet"] | None = None
    diagnostics: Callable[[Any, Any, Namespace], Iterable[str]] = lambda *_: ()
    parts: Callable[[Any, Any, Namespace], Iterable[Part]] | None = None
    document: Callable[[Any, Any, Namespace], Mapping[str, object]] | None = None
    write: Callable[[Any, Any, Namespace], None] = lambda *_: None
    run: Callable[[Namespace], int | None] | None = None
    on_page: tuple[OnPage, ...] = ()
    logs: bool = False

    @property
    def text(self) -> str:
        """Returns the description of the command."""
        return self.code.docstring()

    @property
    def compares(self) -> bool:
        """True if the report takes two algorithms at least."""
        return opt.CONTEST in self.needs

    def add_options(self, parser: ArgumentParser) -> None:
        self.options(parser)
        for need in self.needs:
            need.add(parser)
        if self.table:
            self.add_outputs(parser)
        parser.set_defaults(run=self.run or self.execute)
        parser.set_defaults(left_out=[], first=None, start=1)
        if self.logs:
            opt.name_logs(parser)
        parser.set_defaults(no_logs="" if self.logs else f"agreport {self.name}")
        if self.parts:
            parser.set_defaults(format=parser.get_default("format") or "text")

    def add_outputs(self, parser: ArgumentParser) -> None:
        if self.draw:
            what = "the figure: " if self.parts else ""
            opt.add_output(parser, ENDINGS, what, required=self.parts is None)
            add_medium(parser)
        if self.draw is None and self.parts is None:
            opt.add_table(parser)
        else:
            opt.add_csv(parser)
        if self.document:
            opt.add_json(parser)

    def execute(self, options: Namespace) -> None:
        """Runs the report: finds and draws everything before anything is written."""
        from agreport.cli import render

        data = self.load(options)
        for need in self.needs:
            data = need.apply(options, data)
        assert self.table, self.name
        table = self.table(data, options)
        sheet = self.draw(data, table, options) if self.draw and options.output else None
        warnings = list(self.diagnostics(data, table, options))
        text = join_parts(self.parts(data, table, options), options.format) if self.parts else None
        document = self.json_text(data, table, options)
        if sheet:
            sheet.write(options.output)
        for sentence in warnings:
            print(f"agreport: warning: {sentence}", file=sys.stderr)
        if self.draw is None and self.parts is None:
            render.write(table, options)
        elif options.csv:
            whole = table if table.index.names == [None] else table.reset_index()
            write_text(options.csv, render.FORMATS["csv"](whole))
        if text is not None:
            print(text)
        if document is not None:
            write_text(options.json, document)
        self.write(data, table, options)

    def json_text(self, data: Any, table: "pd.DataFrame", options: Namespace) -> str | None:
        """Returns what --json writes; None if it is not asked for."""
        if self.document is None or not options.json:
            return None
        head = {"format": f"agreport {self.name}", "version": JSON_VERSION}
        whole = {**head, **self.document(data, table, options)}
        return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def join_parts(found: Iterable[Part], format_name: str) -> str:
    """Returns the texts of the parts, one below the other, with an empty line after a table. The
    tables have the named format."""
    from agreport.cli import render

    head = "### {}\n\n{}" if format_name == "markdown" else "{}\n{}"
    texts = [
        part
        if isinstance(part, str)
        else head.format(part[0], render.FORMATS[format_name](part[1]))
        for part in found
    ]
    return "\n".join(texts).rstrip("\n")
