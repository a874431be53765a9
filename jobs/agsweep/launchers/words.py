# SPDX-License-Identifier: BSD-3-Clause
"""Finds what a launcher says of the cause of a failure, found in all that it says.

Open MPI and PRRTE put each message between two rules of dashes, MPICH and Intel MPI theirs between
rules of equals signs. srun marks its errors. The last line is rarely the cause: it is the end of a
sentence, or an effect of the first failure, or a hint.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

RULE = re.compile(r"\s*([-=*])\1{4,}\s*")
PROGRESS = re.compile(r"\[\d+/\d+\] .*")  # of the benchmark
BLANK = re.compile(r"[-=*\s]*")
# These lines and boxes stand in logs of good launches too.
HARMLESS = re.compile(
    r"^(\[[^]]*\] ?)?(warning|note|info)\b|\b(warning|note|info): |/(warning|info)\]|\bwarn\b|"
    r"\(ignored\)|sent help message|help / error messages|^By default,|^srun: (?!error|fatal)",
    re.IGNORECASE,
)
# These boxes say only that a rank failed, which had a cause before.
EFFECT = re.compile(r"^Primary job\b|detected that one or more processes|^BAD TERMINATION")
ERROR = re.compile(
    r"\berror\b|\bfatal\b|\bfail(ed|ure)?\b|\babort(ed|ing)?\b|\bcannot\b|\bunable\b|\bkilled\b|"
    r"\bdenied\b|\brefused\b|not found|no such|could not|\bfault\b|"
    r"cancelled|critical|exception|deadlock",
    re.IGNORECASE,
)
# MPICH ends its box with what to do, which is the same for all causes, and names a signal below.
HINT = re.compile(r"CLEANING UP|YOU CAN IGNORE")
SIGNAL = re.compile(r"YOUR APPLICATION TERMINATED WITH THE EXIT STRING: (.*)")


@dataclass(frozen=True)
class Message:
    text: str
    in_box: bool

    @property
    def is_effect(self) -> bool:
        return self.in_box and bool(EFFECT.search(self.text))


def cause(lines: Sequence[str], has_failed: bool) -> str:
    """Returns the cause in a line; empty if nothing says it. has_failed: an exit code tells that,
    so that the last line is taken where no line is marked as an error."""
    told = [each for each in messages(lines) if not HARMLESS.search(each.text)]
    boxes = [each for each in told if each.in_box and not each.is_effect]
    errors = [each for each in told if not each.in_box and ERROR.search(each.text)]
    effects = [each for each in told if each.is_effect]
    others = [each for each in told if not each.in_box][-1:] if has_failed else []
    return next((each.text for each in (*boxes, *errors, *effects, *others)), "")


def first_line(text: str) -> str:
    """Returns the first line of an answer, without the rule that may stand above it."""
    lines = (line.strip() for line in text.splitlines() if not BLANK.fullmatch(line))
    return next(lines, "nothing")


def messages(lines: Sequence[str]) -> Iterator[Message]:
    """Yields the messages in their order: each box is one message, its first paragraph, and so is
    each line between boxes. A signal that MPICH names stands after the text of each box. Blank
    lines and the benchmark's progress are no messages."""
    box: list[str] | None = None
    signal = next((f", {found[1]}" for found in map(SIGNAL.fullmatch, lines) if found), "")
    for line in lines:
        if RULE.fullmatch(line):
            if box:
                yield Message(first_paragraph(box) + signal, in_box=True)
            box = [] if box is None else None
        elif box is not None:
            box.append(line)
        elif not any(each.fullmatch(line) for each in (BLANK, PROGRESS, SIGNAL)):
            yield Message(line.strip(), in_box=False)
    if box:  # the output was cut off within the box
        yield Message(first_paragraph(box), in_box=True)


def first_paragraph(box: Sequence[str]) -> str:
    """Returns the first paragraph of a box as one line, without hints on what to do; empty if there
    is none. MPICH begins each line of its box with an equals sign: such lines are no sentence, so
    commas part them."""
    paragraph: list[str] = []
    for line in box:
        if not line.strip():
            if paragraph:
                break
        elif not HINT.search(line):
            paragraph.append(line)
    separator = ", " if paragraph and paragraph[0].startswith("=") else " "
    return separator.join(" ".join(line.strip("= \t").split()) for line in paragraph)
