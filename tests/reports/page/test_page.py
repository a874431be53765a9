# SPDX-License-Identifier: BSD-3-Clause
"""The html page: self-contained, escaped, and it does not hide what is doubtful."""

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from agreport.main import main
from agreport.page.prose import prose
from agreport.page.sections import SCREENS_CM

from ..conftest import example_in
from ..support import fake_arrivals
from ..support.commands import Capture, Rows, Write
from ..support.pages import draw_only

pytestmark = pytest.mark.slow


class Collector(HTMLParser):
    """Every reference, every open element and the visible text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img"):
            self.open.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def drawn(
    folder: Path, *files: Path, algorithm: str = "sparbit", options: Sequence[str] = ()
) -> str:
    output = folder / "report.html"
    names = map(str, files)
    assert main(["page", *names, "--algorithm", algorithm, "-o", str(output), *options]) == 0
    return output.read_text(encoding="utf-8")


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., str]:
    return partial(drawn, tmp_path)


@pytest.fixture
def drawn_only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    return partial(draw_only, monkeypatch)


@pytest.fixture(scope="module")
def example_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("example")
    return drawn(folder, example_in(folder))


def visible(source: str) -> str:
    collector = Collector()
    collector.feed(source)
    assert collector.open == [], "every element is closed"
    return " ".join(collector.text.split())


def test_no_external_reference(example_page: str) -> None:
    collector = Collector()
    collector.feed(example_page)
    headings = re.findall(r"<h2 id=.*>(.*?)</h2>\s*<figure>", example_page)
    assert headings == [
        "How many times as long sparbit takes as the best algorithm",
        "Which algorithm to select",
        "Time against block size",
        "How much iterations vary",
        "The iterations of the case that varies most",
        "Where sparbit wins",
        "By how much",
        "Fastest by min, avg and max",
    ]
    flows = (0, 1, 5)  # these are maps, which are drawn for each class of screens
    figures = len(headings) + (len(SCREENS_CM) - 1) * len(flows)
    assert example_page.count('<svg role="img"') == figures == example_page.count("<svg")
    assert example_page.count("<figcaption><strong>") == len(headings)
    alts = re.findall(r"<svg role=\"img\"[^>]*>\s*<title>(.*?)</title>", example_page)
    assert len(alts) == figures and alts[0].startswith("Map: block sizes up, rank counts")
    assert all(one.startswith("#") for one in collector.references), (
        "the contents, and parts of SVG"
    )
    anchors = set(re.findall(r' id="([^"]*)"', example_page))
    assert {one[1:] for one in collector.references} <= anchors
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"|url\(#', "", example_page)
    assert not re.search(r"https?:|url\(|@import|<script.+src|<link|fetch\(", without_names)
    assert "prefers-color-scheme: dark" in example_page


def test_metadata_and_reasons_are_there_and_escaped(example_page: str) -> None:
    for text in ("Open MPI <4.1.4> & friends", "needs <even>", "rank 2, block 1: # is <b>"):
        assert text not in example_page
        assert text in visible(example_page)


def test_wrong_results_come_first(example_page: str) -> None:
    text = visible(example_page)
    assert text.index("Wrong results: 2") < text.index("sparbit is the fastest, or takes")


def test_no_alarm_without_wrong_results(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    drawn_only()
    times = np.random.default_rng(3).permutation(np.linspace(10, 11, 30))
    case = [*rows("sparbit", times), *rows("ring", times + 1)]
    text = visible(page(write("a.csv", case), write("b.csv", case)))
    for absent in ("Wrong results", "Reasons to doubt"):
        assert absent not in text
    assert "What was skipped, and why Nothing." in text


def test_numbers_in_words(example_page: str) -> None:
    text = visible(example_page)
    assert " in 3 of 4 cases (75 %). It is slower in 0; in 1 the difference cannot be" in text
    # The counts are of size 4, 8, 16; the tie of size 128 counts for nobody, size 32 had no
    # contest.
    assert "All rows: allgather." in text and " ring 6 3 3 0 0.00" in text


def test_the_first_screen_says_what_native_is_and_leads_to_the_doubts(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    drawn_only()
    case = [*rows("native", [20] * 6), *rows("ring", [10] * 6)]
    found = page(write("a.csv", case, oversubscribed="yes"), algorithm="native")
    head = found[found.index('<header id="first">') : found.index("</header>")] + "</header>"
    text = visible(head)
    assert text.index("One launch:") < text.index("native, the MPI library's own MPI_Allgather,")
    assert "that share processors (4 ranks)" in text
    assert re.search(r'<a href="#caveats">\d+ reasons? to doubt', head)
    for term in ("native", "cycle", "elapsed time", "times as long"):
        assert f"<dt>{term}</dt>" in found


def test_what_the_launcher_sets_is_folded_away(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    drawn_only()
    case = [*rows("sparbit", [10]), *rows("ring", [11])]
    found = page(write("a.csv", case, **{"env.OMPI_COMM_WORLD_RANK": "0", "start": "now"}))
    before, fold, inside = found.partition("<summary>Its environment, with what the launcher sets")
    assert fold and "<dt>start</dt>" in before and "OMPI_COMM_WORLD_RANK" not in before
    assert "<dt>OMPI_COMM_WORLD_RANK</dt><dd>0</dd>" in inside


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("loses 11 % of 3 ms", "loses 11\N{NO-BREAK SPACE}% of 3\N{NO-BREAK SPACE}ms"),
        ("4 months, 4 B", "4 months, 4\N{NO-BREAK SPACE}B"),
        ("then `agreport tune A <b>` says", "then <code>agreport tune A &lt;b&gt;</code> says"),
        ("`tune --all`", '<code>tune <span class="whole">--all</span></code>'),
        ("(-i), or --sync window", "(<code>-i</code>), or <code>--sync</code> window"),
        ("a speed-up of -3, per-rank files", "a speed-up of -3, per-rank files"),
    ],
)
def test_prose(text: str, html: str) -> None:
    assert prose(text) == html


def test_mappings_without_a_common_case_are_not_united(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    """Those with a common case are, on a map of their own."""
    drawn_only("heatmap")
    cyclic = "allgather,{},regular,none,cyclic"
    one = [*rows("sparbit", [10] * 6), *rows("ring", [11] * 6)]
    heading = "Where sparbit wins if each algorithm has the better of its mappings"
    for size, is_there in ((2, False), (1, True)):
        times = (("sparbit", 12), ("ring", 13))
        other = [line for name, us in times
                 for line in rows(name, [us] * 6, size=size, place=cyclic)]  # fmt: skip
        assert (heading in page(write("a.csv", one, other))) == is_there


def test_skipped_are_grouped(example_page: str) -> None:
    text = visible(example_page)
    skipped = text[text.rindex("What was skipped") : text.rindex("How the numbers")]
    assert "sparbit needs <even> 4 2" in skipped
    assert "bruck needs <even> 4 1" in skipped


def test_caveats(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    drawn_only("selection")
    both = [*rows("sparbit", [10, 20]), *rows("ring", [10, 10])]
    one = write("one.csv", both, oversubscribed="yes", tail="allgather,ri")
    alone = visible(page(one))
    assert "Oversubscribed launches, with more ranks than cores: 1 of 1" in alone
    assert "One launch only" in alone
    assert "cut off; 1 rows of an unfinished case dropped" in alone
    assert "Fewer than 30 iterations: 2 of 2 pairs" in alone
    assert "Coefficient of variation" not in alone, "medians do not mind"
    by_means = visible(page(one, options=["--statistic", "mean"]))
    assert "Coefficient of variation" not in by_means, "nothing is called, so nothing is turned"
    two = write("two.csv", rows("ring", [10]), mpi="MPICH", oversubscribed="yes")
    apart = visible(page(one, two))
    assert "cases compare algorithms that were not measured in the same launches" not in apart
    assert "mpi=MPICH" in apart and "mpi=Open MPI <4.1.4> & friends" in apart
    several = visible(page(one, two, options=["--pool", "mpi"]))
    assert "One launch only" not in several
    assert "Launches are pooled (--pool) although they differ in mpi" in several
    assert "cases compare algorithms that were not measured" not in several, "nothing is called"


def test_many_rows(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    """More than 16 bits count."""
    drawn_only()

    def case(ranks: int, size: int) -> list[str]:
        times = np.linspace(9, 11, 2000).round(3).tolist()
        return [
            line
            for name, factor in (("ring", 2.0), ("sparbit", 1.0))
            for line in rows(name, [factor * time for time in times], ranks=ranks, size=size)
        ]

    cases = [case(ranks, 1 << power) for ranks in (2, 4) for power in range(10)]
    text = visible(page(write("a.csv", *cases)))
    assert "in 20 cases, 80000 iterations in all" in text
    assert "sparbit is the fastest" in text and " in 20 of 20 cases (100 %)" in text


UNIFORM = "uniform:max=5ms"
SERIES = np.random.default_rng(1).uniform(100, 120, 40)


def patterns(tmp_path: Path, slower: float = 1.2) -> Path:
    return fake_arrivals.write(
        tmp_path / "a.csv",
        fake_arrivals.case("none", {"ring": SERIES, "bdr": 2 * SERIES}),
        fake_arrivals.case(
            UNIFORM, {"ring": slower * SERIES, "bdr": SERIES}, imbalance=50, asked=49, clock=20
        ),
    )


def arrival_figures(source: str) -> int:
    found = source[source.rindex('times">When ranks arrive at different times') :]
    return found[: found.index('<details class="fold">')].count("<svg")


def test_arrival_patterns(
    page: Callable[..., str], tmp_path: Path, drawn_only: Callable[..., None]
) -> None:
    drawn_only("selection", "arrival", "absorption", "delays", "table")
    source = page(patterns(tmp_path), algorithm="bdr")
    assert arrival_figures(source) == 3, "lines, wins and absorption"
    text = visible(source)
    assert "in 2 cases under 2 arrival patterns" in text
    best = "none ring 1 1 0 1 100.00 none bdr 1 0 0 0 0.00"
    assert f"{best} {UNIFORM} bdr" in text
    section = text[text.rindex("When ranks arrive at different times") :]
    assert "1K ring bdr 1.20" in section
    assert "Share of samples that pass the runs test" in section
    assert f"{UNIFORM} 4 49.00 1.00 1.00 1.00" in section, "the errors of the delays"
    assert "No per-rank times are beside the files" in section
    assert "The clock error is over 10 % of the asked imbalance in 1 of 1 cases" in text
    assert "A = t(balanced) \N{MINUS SIGN} t + I" in text


def test_delays_of_ranks_are_on_the_page(
    page: Callable[..., str], tmp_path: Path, drawn_only: Callable[..., None]
) -> None:
    drawn_only("delays")
    asked = [(0.0, 0.0), (9.0, 11.0), (3.0, 3.0), (1.0, 1.0)]
    fake_arrivals.write(
        tmp_path / "a.ranks.csv",
        fake_arrivals.delay_rows(UNIFORM, asked),
        columns=fake_arrivals.RANK_COLUMNS,
    )
    source = page(patterns(tmp_path), algorithm="bdr")
    assert source.count("<svg") == 1
    assert "4 delays: half are within 0 \N{MICRO SIGN}s" in visible(source)


def test_without_patterns_there_is_nothing_about_them(example_page: str) -> None:
    text = visible(example_page)
    assert "When ranks arrive" not in text
    assert "absorption" not in text


def test_altered_delays_are_left_out_of_the_page(
    tmp_path: Path, drawn_only: Callable[..., None], capsys: Capture
) -> None:
    """The page names them, and draws the others; the exit code tells it."""
    drawn_only("delays")
    path = fake_arrivals.write(
        tmp_path / "a.csv",
        *(fake_arrivals.case(UNIFORM, {"ring": [9, 9]}, size=size) for size in (64, 1024)),
    )
    ranks = tmp_path / "a.ranks.csv"
    of = [(0.0, 0.0), (200.0, 201.0), (400.0, 399.0), (1000.0, 1000.0)]
    one = fake_arrivals.delay_rows(UNIFORM, of, 0)
    other = [row.replace(",1024,4096,", ",64,256,") for row in one]
    fake_arrivals.write(ranks, other, one, columns=fake_arrivals.RANK_COLUMNS)
    text = ranks.read_text()
    end = text.rindex("399")
    ranks.write_text(f"{text[:end]}499{text[end + 3 :]}")
    output = tmp_path / "page.html"
    assert main(["page", str(path), "-o", str(output)]) == 0
    assert "4 delays: half are within" not in visible(output.read_text())
    assert main(["page", str(path), "-o", str(output), "--keep-going"]) == 3
    told = capsys.readouterr().err
    assert f"{ranks}:" in told and told.count("these rows are left out") == 1
    shown = visible(output.read_text())
    assert "4 delays: half are within" in shown
    assert "these rows are left out" in shown


def test_random_delays_are_no_noise(
    page: Callable[..., str], tmp_path: Path, drawn_only: Callable[..., None]
) -> None:
    drawn_only()
    wide = np.random.default_rng(2).uniform(1, 100, 40)
    path = fake_arrivals.write(
        tmp_path / "a.csv",
        fake_arrivals.case("none", {"bdr": wide}),
        fake_arrivals.case(UNIFORM, {"ring": wide, "bdr": wide}, asked=900),
    )
    text = visible(page(path, algorithm="bdr", options=["--statistic", "mean"]))
    assert "over 10 %: 1 of 1 pairs of case and algorithm without random delays." in text


def test_launches_are_listed_by_their_numbers_of_ranks(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    """Files are in the order of their names: 104 before 13."""
    drawn_only()
    files = [
        write(
            f"{ranks}.csv",
            [line for name in ("sparbit", "ring") for line in rows(name, [5] * 6, ranks=ranks)],
            ranks=str(ranks),
            start=f"t{ranks}",
        )
        for ranks in (104, 13, 5)
    ]
    source = page(*files)
    table = source[source.rindex("What ran") :]
    table = table[: table.index("</table>")]
    found = re.findall(r"<td[^>]*>(104|13|5)</td>", table)
    assert found == ["5", "13", "104"]


def test_late_iterations_are_in_the_caveats(
    page: Callable[..., str], tmp_path: Path, drawn_only: Callable[..., None]
) -> None:
    drawn_only()
    path = fake_arrivals.write(
        tmp_path / "a.csv", fake_arrivals.case("none", {"ring": SERIES}, late={"ring": [1, 2]})
    )
    assert "Late iterations, which do not count: 2 of 40 (5 %)" in visible(
        page(path, algorithm="ring")
    )


def test_builds_of_one_version_have_rows_of_their_own(
    page: Callable[..., str], write: Write, rows: Rows, drawn_only: Callable[..., None]
) -> None:
    drawn_only()
    case = [*rows("sparbit", [5] * 6), *rows("ring", [6] * 6)]
    files = [
        write(f"{build}.csv", case, mpi=f"Open MPI v4.1.4, package: {build}", start=build)
        for build in ("Debian", "own")
    ]
    source = page(*files, options=["--metric", "min"])
    table = source[source.rindex("What ran") :]
    assert table[: table.index("</table>")].count("Open MPI v4.1.4") == 2
    numbers = json.loads(source.partition('id="numbers">')[2].partition("</script>")[0])
    found = [dict(zip(numbers["columns"], row, strict=True)) for row in numbers["data"]]
    assert {(one["metric"], one["median_us"]) for one in found} == {("min", 4), ("min", 5)}
