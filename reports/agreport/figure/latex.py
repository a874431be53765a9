# SPDX-License-Identifier: BSD-3-Clause
"""Title and caption of a figure as a paragraph of LaTeX, for \\caption."""

import re

# These letters mean something else in LaTeX, or are in no font that every LaTeX has.
LETTERS = {
    **{letter: f"\\{letter}" for letter in "#$%&_{}"},
    **{letter: f"${letter}$" for letter in "<>|"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': "''",
    "\N{NO-BREAK SPACE}": "~",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{MINUS SIGN}": "$-$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{MICRO SIGN}": r"$\mu$",
    "\N{GREEK SMALL LETTER MU}": r"$\mu$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\le$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\ge$",
    "\N{LEFTWARDS ARROW}": r"$\leftarrow$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "\N{EN DASH}": "--",
}
CLAUSE_END = re.compile(r"(?<=[.;]) ")


def paragraph(title: str, caption: str) -> str:
    """Returns title and caption without the clauses that name a command, which are for those who
    draw."""
    kept = [line.rstrip(".") + "." for line in title.split("\n")]
    for clause in CLAUSE_END.split(caption):
        if "`" not in clause:
            kept.append(clause)
        elif clause.endswith("."):  # the clause that is left out ends its sentence
            kept[-1] = kept[-1].rstrip(";.") + "."
    return escaped(" ".join(kept))


def commands_in(caption: str) -> list[str]:
    """Returns the clauses of a caption that name a command."""
    return [clause.rstrip(";.") for clause in CLAUSE_END.split(caption) if "`" in clause]


def escaped(text: str) -> str:
    apart = text.replace("--", "-\0-")  # else LaTeX makes a dash of them
    return "".join(LETTERS.get(letter, letter) for letter in apart).replace("\0", "{}")
