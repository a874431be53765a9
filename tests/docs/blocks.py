# SPDX-License-Identifier: BSD-3-Clause
"""The fenced blocks of a document, and which of them can be run.

A block begins with ```LANGUAGE, and is run if that is one of RUN; ```LANGUAGE (REASON) says why it
is not. Of `console` the lines after `$ ` are run; what they print is not compared.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from program.support.folders import ROOT

RUN = ("sh", "console", "python")
SHOWN = ("text", "toml", "cmake")  # what is no command
FENCED = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
INFO = re.compile(r"(?P<language>\w+)(?: \((?P<reason>[^)]+)\))?")
COMMAND = re.compile(r"^(\$ |make |build[\w-]*/bin/|\.venv/bin/|mpirun |srun )", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    document: Path
    line: int
    info: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"

    @property
    def language(self) -> str:
        return self.info.partition(" ")[0]

    @property
    def runs(self) -> bool:
        return self.info in RUN

    @property
    def fault(self) -> str:
        """Why the block is neither run nor left out for a reason; empty: it is."""
        match = INFO.fullmatch(self.info)
        if match is None:
            return f"'{self.info}' is not LANGUAGE or LANGUAGE (REASON)"
        if not match["reason"] and self.language not in (*RUN, *SHOWN):
            return f"'{self.language}' is not run, and no reason is given"
        if self.language in SHOWN and COMMAND.search(self.text):
            return f"'{self.language}' has a command in it"
        return ""

    @property
    def command(self) -> list[str]:
        if self.language == "python":
            return [".venv/bin/python", "-c", self.text]
        script = self.text
        if self.language == "console":
            # A command goes on behind a backslash.
            found = re.findall(r"^\$ ((?:.*\\\n)*.*)", self.text, re.MULTILINE)
            script = "\n".join(found)
        return ["bash", "-euo", "pipefail", "-c", script]


def blocks(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    return [
        Block(document, text.count("\n", 0, found.start()) + 1, found["info"], found["text"])
        for found in FENCED.finditer(text)
    ]


def documents() -> list[Path]:
    pages = [*ROOT.glob("docs/*/*.md"), *ROOT.glob("docs/development/decisions/*.md")]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(pages)]
