# SPDX-License-Identifier: BSD-3-Clause
"""One result file: its rows, checked, and what the launch says about itself."""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.checksums import count_rows, line_of, prove, shown, without_checksum
from agformats.files.comment_lines import comment_spans, comments
from agformats.files.csv_text import Header, Kind
from agformats.files.gzip_text import read_bytes

PLACES = "buffer_offset"
# These columns name a panel of a figure, in the order of panels and of the words of their titles.
PANEL = ["collective", "mapping", "distribution", "arrival", "group", "beside", PLACES]
# Rows that agree in these columns can be compared.
CASE = [*PANEL, *(name for name in catalogue().columns_with("case") if name not in PANEL)]
PAIR = [*CASE, "algorithm"]
ELAPSED = {"min": "min_us", "avg": "avg_us", "max": "max_us"}  # over the ranks
CALL = "avg"  # times the call alone, as other benchmarks do
CYCLE = "cycle"  # times write, call and read, as a program's loop does, and once a turn only
METRICS = {**ELAPSED, "run": "run_us", CYCLE: "cycle_us"}  # run: last exit minus first arrival
SCHEDULE = "schedule"  # no metric, as only some algorithms make a schedule in a launch
TIMES = {**METRICS, SCHEDULE: "schedule_us"}
TEXTS = [*PANEL, "algorithm", "status", "reason"]
COLUMNS: dict[Hashable, str] = {
    **dict.fromkeys(TEXTS, "category"),
    **dict.fromkeys([*CASE[len(PANEL) :], "nodes"], "int64"),
    **dict.fromkeys(["iteration", *ELAPSED.values()], "float64"),
}
UNREAD = ("total_bytes", "chosen", "prepare_us")
# Older files lack these columns, or they are empty where they have no meaning.
OPTIONAL = tuple(
    name
    for name in catalogue().columns_with("measured")
    if name not in (*ELAPSED.values(), *UNREAD)
)
RESULT_FILE = Kind(
    "a result file",
    COLUMNS,
    ("iteration", *ELAPSED.values()),
    OPTIONAL,
    unread=UNREAD,
    when_absent=catalogue().ordinary,
)

RESUMED = b"#@resumed="
CASE_END = b"#@case_end="
HEAD_END = b"#@head_end="
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # of UTF-8
MOST_DIGITS = 9
SUITE = re.compile(rf"gatherbench (\d{{1,{MOST_DIGITS}}})\.(\d{{1,{MOST_DIGITS}}})(?!\d)")
SUITE_FORM = "gatherbench MAJOR.MINOR.PATCH"
# The metadata whose values have to be of some form, and of which; all others may be any text.
COUNT = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}")
PLACES_FORM = re.compile(rf"random|{COUNT.pattern}(?:,{COUNT.pattern})?")
KINDS = {
    **dict.fromkeys(
        ("ranks", "nodes", "cases"), (COUNT, f"a whole number of at most {MOST_DIGITS} digits")
    ),
    PLACES: (PLACES_FORM, "one or two whole numbers, or 'random'"),
}
# A spreadsheet that saves a file gives all lines as many cells, and puts those that have commas of
# their own in quotes.
FILLED_UP = re.compile(rb"[,;]{2,}\s*$")
QUOTED = b'"#@'


@dataclass(frozen=True)
class Launch:
    """A launch: the `#@key=value` lines of its file, and what the file lacks.

    path: the path of the file. cut_rows: how many rows of an unfinished case were dropped.
    identity: tells launches, not files, from each other. checked: whether the file has checksums.
    left_out: what is wrong with the cases that were altered. lacking: the number of cases that the
    launch has not finished. program: the other program of whose log the rows are, without
    iterations; empty: none.
    """

    path: Path
    metadata: dict[str, str]
    cut_rows: int
    identity: bytes = b""
    checked: bool = True
    left_out: tuple[str, ...] = ()
    lacking: int = 0
    program: str = ""

    def __post_init__(self) -> None:
        if (key := of_another_kind(self.metadata)) is not None:
            raise BadInput(f"{self.path}: {kind_fault(key, self.metadata[key])}")

    @property
    def simulated(self) -> bool:
        """True if the launch was simulated: its times have no noise."""
        return self.metadata.get("simulated") == "yes"

    @property
    def oversubscribed(self) -> bool:
        """True if ranks of the launch share processors."""
        return self.metadata.get("oversubscribed") == "yes"


@dataclass(frozen=True)
class Finished:
    """The rows of the finished cases of a launch, as text. kind: the kind of file, with what this
    file means if it lacks a column."""

    launch: Launch
    kind: Kind
    header: Header
    body: bytes


def read_finished(kind: Kind, path: Path, keep_going: bool = False) -> Finished:
    """Reads the launch of a result file, and the text of the rows of its finished cases.
    keep_going: leave out cases that were altered, instead of refusing the file. Raises BadInput."""
    data = read_bytes(path)
    refuse_mark(path, data)
    head = until_first_case(data)
    refuse_spreadsheet(path, head)
    require_ours(path, metadata(line for line in comments(head) if b"suite" in line).get("suite"))
    proven = prove(path, data, keep_going)
    found = metadata(comments(proven.data))
    header, rest = kind.split(path, proven.data)
    body, cut_rows = finished_cases(rest)
    if (key := of_another_kind(found)) is not None:
        kind.table(path, header, body)  # refuses bad rows, as of two files in one: that says more
        line = line_of_key(proven.data, key)
        raise BadInput(f"{path}:{line}: {kind_fault(key, found[key])}")
    launch = Launch(
        path,
        found,
        cut_rows + proven.cut_rows,
        identity(head),
        proven.has_checksums,
        proven.left_out,
        0 if proven.left_out else lacking_cases(found, body),
    )
    return Finished(
        launch, replace(kind, when_absent=implied(kind.when_absent, found)), header, body
    )


def implied(when_absent: Mapping[str, str], metadata: Mapping[str, str]) -> dict[str, str]:
    """Returns what the rows of a launch mean that lack columns. Before buffers had places of their
    own, all cases of a launch had the place that its metadata say."""
    place = metadata.get(PLACES, "")
    told = {PLACES: f"{place},{place}"} if place.isdecimal() and PLACES in when_absent else {}
    return {**when_absent, **told}


def refuse_mark(path: Path, data: bytes) -> None:
    """Refuses the mark of an editor at the begin: whatever follows, checksums would say that
    all was altered."""
    if data.startswith(BYTE_ORDER_MARK):
        raise BadInput(
            f"{path}: begins with a byte order mark, which some editors put before a text; legal: "
            f"the file as it was written (without its first {len(BYTE_ORDER_MARK)} bytes, if "
            "nothing else was changed)"
        )


def refuse_spreadsheet(path: Path, head: bytes) -> None:
    """Refuses a file that a spreadsheet has saved: values, and the lines with checksums too,
    are no longer what they were."""
    begins = [begin for begin, end in comment_spans(head) if is_filled_up(head[begin:end])]
    begins += [0] if head.startswith(QUOTED) else []
    begins += [quoted + 1] if (quoted := head.find(b"\n" + QUOTED)) >= 0 else []
    if begins:
        begin = min(begins)
        line = head[begin:].partition(b"\n")[0]
        raise BadInput(
            f"{path}:{line_of(head, begin)}: '{shown(line.rstrip())}' was filled up or put in "
            "quotes, as spreadsheets do that save a file; legal: the file as it was written"
        )


def is_filled_up(line: bytes) -> bool:
    return line.startswith(b"#@") and bool(FILLED_UP.search(line))


def line_of_key(data: bytes, key: str) -> int:
    """Returns the line in which the key first stands."""
    begin = next(begin for begin, end in comment_spans(data) if key in metadata([data[begin:end]]))
    return line_of(data, begin)


def of_another_kind(found: Mapping[str, str]) -> str | None:
    """Returns the first key whose value is not what it has to be, or None."""
    return next((key for key in KINDS if not KINDS[key][0].fullmatch(found.get(key, "0"))), None)


def kind_fault(key: str, value: str) -> str:
    return f"#@{key}= is '{value}'; legal: {KINDS[key][1]}"


def lacking_cases(found: dict[str, str], body: bytes) -> int:
    """Returns how many cases the launch has not finished; 0 where the file does not say how many
    there are."""
    return max(0, int(found.get("cases", "0")) - count_lines(body, CASE_END))


def require_ours(path: Path, suite: str | None) -> None:
    """Refuses with BadInput a file of a newer version, whose columns may mean something else,
    whatever their names, and one whose suite has no version. A file that does not say its suite
    passes."""
    if suite is None:
        return
    found = SUITE.match(suite)
    if found is None:
        lacks = ", without a version" if suite.strip() == "gatherbench" else ""
        raise BadInput(f"{path}: its suite is '{suite}'{lacks}; expected '{SUITE_FORM}'")
    own = catalogue().suite.removeprefix("gatherbench ")
    if tuple(map(int, found.groups())) > tuple(map(int, own.split(".")[:2])):
        raise BadInput(
            f"{path}: its suite is '{suite}', newer than this agreport ({own}); use its agreport"
        )


def identity(head: bytes) -> bytes:
    """Returns a hash of all up to the first finished case: a copy has the same, and a file that
    went on later."""
    return blake2b(head, digest_size=16).digest()


def until_first_case(data: bytes) -> bytes:
    """Returns the text before the end mark of the first finished case; all of it if there is
    none."""
    end = data.find(b"\n" + CASE_END)
    return data if end < 0 else data[:end]


def finished_cases(body: bytes) -> tuple[bytes, int]:
    """Drops what a kill cut off: rows after the last case_end, of the file or before a resume.
    Returns the text with empty lines in their place, and how many rows were dropped."""
    kept: list[bytes] = []
    cut = 0
    resumed = count_lines(body, RESUMED)
    for part in re.split(b"(?<=\n)(?=" + RESUMED + b")", body) if resumed else [body]:
        last = part.rfind(b"\n" + CASE_END)
        end = part.find(b"\n", last + 1) if last >= 0 else 0
        tail = part[end:] if end >= 0 else b""
        rows = count_rows(tail)
        # A tail of comments alone stays, so that nearly no file is copied.
        lines = b"\n" * max(1, tail.count(b"\n"))
        kept += [part[: len(part) - len(tail)], lines] if rows else [part]
        cut += rows
    return b"".join(kept), cut


def count_lines(data: bytes, begin: bytes) -> int:
    """Returns how many comment lines begin so."""
    return sum(line.startswith(begin) for line in comments(data))


def metadata(lines: Iterable[bytes]) -> dict[str, str]:
    """Returns the values of `#@key=value` lines by the keys of today; the values of a repeated key
    are joined. The lines at the ends of cases and of the head are no metadata."""
    former = catalogue().former_keys()
    values: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith(b"#@") and not line.startswith((CASE_END, HEAD_END)):
            key, _, value = without_checksum(line)[2:].decode(errors="replace").partition("=")
            name = former.get(key.strip(), key.strip())
            values.setdefault(name, []).append(value.strip())
    return {key: "; ".join(value) for key, value in values.items()}
