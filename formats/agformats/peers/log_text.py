# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a log as its program printed them: without what launchers, terminals and mail
programs put before them; and the tables in them, with their titles."""

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

ENCODINGS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
RETURN = "^M"  # as some archives of mails show one
TAG = re.compile(r"</?(?:br|p|span|pre|tt|div|code)\b[^<>]*>", re.IGNORECASE)
# A terminal does not show these: colours, and the times that Buildkite writes.
HIDDEN = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\x1b_[^\x07\x1b]*(?:\x07|\x1b\\)")
# Quotes of mails; the rank, as mpirun --tag-output, mpiexec -l and srun -l put it; the container,
# as kubectl --prefix and docker compose do; a time, as GitHub and Jenkins put it, and GitLab, with
# the stream behind it; the time of day, as Jenkins does; the day and the time, as ts does.
BEFORE = re.compile(
    r"(?:\s?>|[^<>]{0,80}<std(?:out|err)>:|\[\d+\] |\s*\d+: |\[pod/\S+\] |[\w.-]+\s+\| |"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"(?: [\da-f]{2}[OE](?=[ +]))?[ +]|"
    r"(?:[A-Z][a-z]{2} [ \d]\d )?\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]? )+"
)
FEW = 5  # columns; in a table of so few, a line with a word more or less may be a sentence
NOTHING = re.compile(r"(?!)")
TOLD = "#@"  # what a user adds: #@ranks=64


@dataclass(frozen=True)
class LogText:
    """A log as text.

    text: the log as it is, without the lines that a user has added. lines: all lines, cleaned.
    whole: whether the last line has its end. told: what a user has added, by keys. titles: the
    numbers of the lines that are titles of any format.
    """

    text: str
    lines: Sequence[str]
    whole: bool
    told: dict[str, str]
    titles: frozenset[int] = frozenset()

    def titles_like(self, title: re.Pattern[str]) -> frozenset[int]:
        return frozenset(n for n, line in enumerate(self.lines, 1) if title.match(line))


def log_text(data: bytes) -> LogText:
    text = decode(data)
    lines = [clean(line) for line in text.splitlines()]
    own = "\n".join(line for line in text.splitlines() if not line.startswith(TOLD))
    return LogText(own, lines, text.endswith(("\n", "\r")), told_in(lines))


def told_in(lines: Sequence[str]) -> dict[str, str]:
    """Returns what a user has added to a log, by keys. Different values of a repeated key are
    joined, as in the head of a result file."""
    values: dict[str, dict[str, None]] = {}
    for line in lines:
        if line.startswith(TOLD):
            key, _, value = line[len(TOLD) :].partition("=")
            values.setdefault(key.strip(), {})[value.strip()] = None
    return {key: "; ".join(each) for key, each in values.items()}


def decode(data: bytes) -> str:
    """Returns the bytes as text: UTF-16 or UTF-8 by the mark at the begin, else UTF-8. PowerShell
    writes UTF-16, editors put marks before UTF-8."""
    for mark, encoding in ENCODINGS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    return data.decode("utf-8", errors="replace")


def clean(line: str) -> str:
    text = TAG.sub("", line) if "<" in line else line
    text = html.unescape(text) if "&" in text else text
    text = HIDDEN.sub("", text) if "\x1b" in text else text
    text = text.rstrip().removesuffix(RETURN)
    return BEFORE.sub("", text, count=1).strip() if BEFORE.match(text) else text.strip()


@dataclass
class Section:
    """A table in a log, with its title. before: the lines before the title. head: the lines between
    the title and the names of columns. rows: the rows, each after the number of its line."""

    title: re.Match[str]
    line: int
    before: list[str]
    head: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[int, str]] = field(default_factory=list)

    def is_row(self, line: str, instead: re.Pattern[str]) -> bool:
        """Returns whether the line is a row, or half of one."""
        like = bool(self.columns) and is_like_row(line, len(self.columns))
        return like or bool(self.columns and instead.fullmatch(line))


def sections(
    log: LogText,
    title: re.Pattern[str],
    columns_of: Callable[[str], list[str]],
    instead: re.Pattern[str] = NOTHING,
) -> Iterator[Section]:
    """Yields a section for each title in the log, and one more for each further table below the
    same title. columns_of: returns the names in a line, none if it has none; instead: matches what
    a program prints in the place of a row that has no time. Lines between rows that are no rows,
    such as warnings, are those before the next title."""
    section: Section | None = None
    apart: list[str] = []
    for number, line in enumerate(log.lines, 1):
        if found := title.match(line):
            if section:
                yield section
            section, apart = Section(found, number, apart, columns=columns_of(line)), []
        elif not section or number in log.titles:
            if section:
                yield section
            section = None
            apart.append(line)
        elif columns := columns_of(line):
            if section.rows:  # another table below the same title, as of another datatype
                yield section
                section = Section(section.title, number, section.before)
            section.columns, section.head, apart = columns, apart, []
        elif section.is_row(line, instead):
            section.rows.append((number, line))
        else:
            apart.append(line)
    if section:
        yield section


def is_like_row(line: str, columns: int) -> bool:
    """Returns whether the line begins with a size as rows do, whether or not it is a whole row."""
    first, _, rest = line.partition(" ") if "\t" not in line else line.partition("\t")
    if not first.isdecimal():
        return False
    words = line.split()
    aligned = rest.startswith((" ", "\t")) or "\t" in line
    near = len(words) == columns or (columns > FEW and abs(len(words) - columns) == 1)
    return near or aligned or all(word[:1].isdecimal() for word in words)


def is_cut(log: LogText, section: Section) -> bool:
    """Returns whether the last row may be half of one: the file ends in it, and no decimals tell
    that its last number is whole."""
    if log.whole or not section.rows or section.rows[-1][0] != len(log.lines):
        return False
    decimals = [len(text.split()[-1].rpartition(".")[2]) for _, text in section.rows[-2:]]
    with_point = ["." in text.split()[-1] for _, text in section.rows[-2:]]
    return not all(with_point) or decimals[-1] < max(2, decimals[0])
