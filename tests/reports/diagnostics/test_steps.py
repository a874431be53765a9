# SPDX-License-Identifier: BSD-3-Clause
"""agreport steps: times that were planted are found in the right steps and on the right links."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agformats.errors import BadInput
from agreport.data.step_times import peers
from agreport.main import main

from ..support.commands import Capture
from ..support.fake_arrivals import case, write
from ..support.sheets import check_files

pytestmark = pytest.mark.slow

Step = tuple[list[int], list[int]]  # to, from
Schedule = Callable[[int, int], list[Step]]

KEYS = "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration"
COLUMNS = (
    f"{KEYS},rank,part,step,to,from,sent_bytes,received_bytes,barrier,arrived_us,start_us,end_us"
)
CALLS, SIZE = 5, 1024
BEFORE_US, AFTER_US, QUICK_US = 2.0, 1.0, 100.0
HOSTS = ("h0", "h1", "h2", "h3")


def ring(rank: int, ranks: int) -> list[Step]:
    return [([(rank + 1) % ranks], [(rank - 1) % ranks])] * (ranks - 1)


def shift(rank: int, ranks: int) -> list[Step]:
    return [([(rank + d) % ranks], [(rank - d) % ranks]) for d in range(1, ranks)]


def linear(rank: int, ranks: int) -> list[Step]:
    others = [other for other in range(ranks) if other != rank]
    return [(others, others)]


def barrier_shift(rank: int, ranks: int) -> list[Step]:
    return shift(rank, ranks)


SCHEDULES: Mapping[str, Schedule] = {
    "ring": ring,
    "shift": shift,
    "linear": linear,
    "shift_mpi_barrier": barrier_shift,
}


def simulate(
    schedule: Schedule,
    ranks: int,
    us_of: Callable[[int, int], float],
    *,
    barriers: bool = False,
    buffered: bool = False,
    arrivals: Sequence[float] = (),
) -> dict[int, list[tuple[float, float]]]:
    """When each rank runs each step, and what is before and after: a message takes us_of(from, to)
    from when both ends are there; buffered: from when the sender is, and those before it on the
    link are through, and the sender does not wait."""
    steps = {rank: schedule(rank, ranks) for rank in range(ranks)}
    now = {rank: (arrivals[rank] if arrivals else 0.0) for rank in range(ranks)}
    found = {rank: [(at, at + BEFORE_US)] for rank, at in now.items()}
    now = {rank: at + BEFORE_US for rank, at in now.items()}
    free: dict[tuple[int, int], float] = {}
    for number in range(len(steps[0])):  # these schedules have the same steps at the same time
        begun = dict(now)
        posted = dict.fromkeys(now, max(now.values())) if barriers and number else begun
        for rank in range(ranks):
            to, sources = steps[rank][number]
            begins = [max(posted[s], free.get((s, rank), 0.0) if buffered else posted[rank])
                      for s in sources]  # fmt: skip
            ends = [at + us_of(s, rank) for at, s in zip(begins, sources, strict=True)]
            free.update({(s, rank): end for s, end in zip(sources, ends, strict=True)})
            if not buffered:
                ends += [max(posted[rank], posted[t]) + us_of(rank, t) for t in to]
            now[rank] = max(posted[rank], *ends)
            found[rank].append((begun[rank], now[rank]))
    for rank, at in now.items():
        found[rank].append((at, at + AFTER_US))
    return found


def steps_rows(
    algorithm: str, ranks: int, us_of: Callable[[int, int], float], *, size: int = SIZE,
    noise: float = 0.0, arrival: str = "none", **how: Any,
) -> list[str]:  # fmt: skip
    """Makes the rows of all calls of a case."""
    random = np.random.default_rng(7)
    schedule = SCHEDULES[algorithm]
    barriers = algorithm == "shift_mpi_barrier"
    rows = []
    for call in range(CALLS):

        def with_noise(source: int, to: int) -> float:
            return us_of(source, to) + noise * float(random.exponential())

        times = simulate(schedule, ranks, with_noise, barriers=barriers, **how)
        first = min(parts[0][0] for parts in times.values())
        for rank, parts in times.items():
            steps = schedule(rank, ranks)
            own = parts[0][0]
            for place, (start, end) in enumerate(parts):
                step = place - 1
                is_step = 0 <= step < len(steps)
                to, source = steps[step] if is_step else ([], [])
                waits = int(barriers and is_step and step > 0)
                part = "step" if is_step else "before" if step < 0 else "after"
                rows.append(
                    f'allgather,{algorithm},regular,"{arrival}",sequential,{ranks},{ranks},{size},'
                    f"{size * ranks},{call},{rank},{part},{step},{listed(to)},{listed(source)},"
                    f"{size * len(to)},{size * len(source)},{waits},"
                    f"{own - first:.3f},{start - own:.3f},{end - own:.3f}"
                )
    return rows


def listed(ranks: Sequence[int]) -> str:
    return ";".join(map(str, sorted(ranks)))


def launch(
    path: Path,
    us_of: Callable[[int, int], float],
    *,
    algorithms: Sequence[str] = ("ring", "shift"),
    ranks: int = 4,
    sizes: Sequence[int] = (1024, 4096),
    timed_us: float | None = 300.0,
    said: Mapping[str, str] | None = None,
    **how: Any,
) -> Path:
    """A result file and its steps."""
    metadata = {
        "hosts": ",".join(HOSTS),
        "ranks_per_node": "1,1,1,1",
        "placement": "sequential",
        "mappings": "as launched",
        **(said or {}),
    }
    cases = [
        [row for name in algorithms for row in steps_rows(name, ranks, us_of, size=size, **how)]
        for size in sizes
    ]
    beside = path.with_name(f"{path.stem}.steps.csv")
    write(beside, *cases, columns=COLUMNS, **metadata)
    if timed_us is not None:
        times = {name: [timed_us] * CALLS for name in algorithms}
        shape: dict[str, Any] = {"ranks": ranks, "nodes": ranks}
        write(path, *(case("none", times, size=size, **shape) for size in sizes), **metadata)
    return path


def equal(_: int, __: int) -> float:
    return QUICK_US


def one_slow(source: int, to: int) -> float:
    return 5 * QUICK_US if (source, to) == (1, 2) else QUICK_US


def slow_host(source: int, to: int) -> float:
    return 5 * QUICK_US if 2 in (source, to) else QUICK_US


def run(capsys: Capture, *options: object) -> tuple[int, str, str]:
    code = main(["steps", *map(str, options)])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize("buffered", [False, True])
@pytest.mark.parametrize("algorithms", [("ring",), ("shift",), ("ring", "shift")])
def test_a_slow_link_is_found(
    tmp_path: Path, capsys: Capture, algorithms: Sequence[str], buffered: bool
) -> None:
    path = launch(tmp_path / "a.csv", one_slow, algorithms=algorithms, noise=2, buffered=buffered)
    document = tmp_path / "all.json"
    code, out, said = run(capsys, path, "--json", document)
    assert (code, said) == (0, "")
    found = json.loads(document.read_text())
    assert found["slow"] == [[1, 2]]
    slow, *others = found["links"]
    assert (slow["from_host"], slow["to_host"]) == ("h1", "h2")
    assert slow["median_us"] == pytest.approx(5 * QUICK_US, rel=0.05)
    assert slow["ratio"] == pytest.approx(5, rel=0.1)
    assert slow["uses"] == slow["slow_in"] == 2 * len(algorithms)
    assert others and all(link["ratio"] < 1.5 and link["slow_in"] == 0 for link in others)
    assert out.startswith("Slow link: from rank 1 (h1) to rank 2 (h2): median ")
    assert ("chance makes one slow" in out) == (len(algorithms) == 1)
    assert "at an end" not in out


@pytest.mark.parametrize("buffered", [False, True])
def test_no_link_is_named_where_none_is_slow(
    tmp_path: Path, capsys: Capture, buffered: bool
) -> None:
    """Nor where a rank comes late: for that the others wait."""
    late: dict[str, Any] = {
        "arrivals": (0, 0, 900.0, 30.0),
        "arrival": "delayed:rank=2,delay=900us",
    }
    for name, how in {"even": {}, "late": late}.items():
        path = launch(tmp_path / f"{name}.csv", equal, noise=2, buffered=buffered, timed_us=None,
                      algorithms=("ring", "shift", "shift_mpi_barrier"), **how)  # fmt: skip
        code, out, _ = run(capsys, path.with_name(f"{name}.steps.csv"))
        assert code == 0
        assert out.startswith("No link's messages are 100 % or more over the first quartile")


def test_a_host_at_the_end_of_all_slow_links_is_named(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", slow_host)
    assert "All of them have host h2 at an end.\n" in run(capsys, path)[1]
    unknown = launch(tmp_path / "b.csv", slow_host, said={"placement": "custom"})
    out = run(capsys, unknown)[1]
    assert "from rank 0 to rank 2:" in out
    assert "All of them have rank 2 at an end.\n" in out
    assert "2 of 2 algorithms" not in run(capsys, path, "--threshold", "500%")[1]


def test_waiting_is_no_part_of_a_step(tmp_path: Path, capsys: Capture) -> None:
    """Rank 0 comes 900 us late; everybody else waits for it, and its steps take what others do."""
    table = tmp_path / "table.txt.csv"
    late: dict[str, Any] = {"arrivals": (900.0, 0, 0, 0), "timed_us": None, "sizes": (SIZE,)}
    for algorithm in ("ring", "shift_mpi_barrier", "linear"):
        path = launch(tmp_path / f"{algorithm}.csv", equal, algorithms=(algorithm,), **late)
        steps = path.with_name(f"{algorithm}.steps.csv")
        assert run(capsys, steps, "--csv", table)[0] == 0
        found = pd.read_csv(table)
        of_steps = found[found["part"] == "step"]
        assert of_steps["own_us"].to_numpy() == pytest.approx(QUICK_US)
        assert of_steps["waits_us"].sum() > 3 * 900 / 2
        assert (of_steps.loc[of_steps["rank"] == 0, "waits_us"] == 0).all()
        assert found.loc[found["part"] == "before", "own_us"].unique() == pytest.approx([BEFORE_US])
        assert found.loc[found["part"] == "after", "own_us"].unique() == pytest.approx([AFTER_US])
        assert set(found["calls"]) == {CALLS}


def test_shares_are_of_all_time_and_recording_is_told(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", equal, algorithms=("ring",), sizes=(SIZE,), timed_us=101.0)
    document = tmp_path / "all.json"
    _, out, _ = run(capsys, path, "--json", document)
    (found,) = json.loads(document.read_text())["algorithms"]
    whole_us = BEFORE_US + 3 * QUICK_US + AFTER_US
    assert found["recorded_us"] == pytest.approx(whole_us)
    assert found["timed_us"] == 101
    assert found["recording_percent"] == pytest.approx(200)
    assert found["before_percent"] == pytest.approx(100 * BEFORE_US / whole_us)
    assert found["steps_percent"] == pytest.approx(100 * 3 * QUICK_US / whole_us)
    assert found["waiting_percent"] == 0
    assert "recording_percent" in out
    path.unlink()
    run(capsys, path.with_name("a.steps.csv"), "--json", document)
    assert json.loads(document.read_text())["algorithms"][0]["timed_us"] is None


def test_steps_with_many_peers_tell_of_no_link(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", one_slow, algorithms=("linear",))
    code, out, _ = run(capsys, path)
    assert code == 0
    assert out.startswith("No step receives from one rank alone")


def test_one_rank_has_no_steps(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", equal, algorithms=("ring",), ranks=1,
                  said={"hosts": "h0", "ranks_per_node": "1"})  # fmt: skip
    assert run(capsys, path, "-o", tmp_path / "a.png")[0] == 0


def test_launches_are_taken_together(tmp_path: Path, capsys: Capture) -> None:
    one = launch(tmp_path / "a.csv", one_slow, said={"start": "1"})
    other = launch(tmp_path / "b.csv", equal, said={"start": "2"})
    document = tmp_path / "all.json"
    assert run(capsys, one, other, "--json", document)[0] == 0
    found = json.loads(document.read_text())
    assert {step["calls"] for step in found["steps"]} == {2 * CALLS}
    assert len(found["files"]) == 2


def test_what_has_no_steps_is_told(tmp_path: Path, capsys: Capture) -> None:
    why = "native (its steps are the MPI library's)"
    path = launch(tmp_path / "a.csv", equal, said={"steps_left_out": why})
    assert (
        f"agreport: warning: {path.with_name('a.steps.csv')}: no steps of {why}\n"
        in run(capsys, path)[2]
    )


def test_more_ranks_than_processors_are_told(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", one_slow, said={"oversubscribed": "yes"})
    assert "more ranks than processors" in run(capsys, path)[1]


def test_figure(tmp_path: Path) -> None:
    path = launch(tmp_path / "a.csv", one_slow, algorithms=tuple(SCHEDULES))
    text = check_files(tmp_path, "steps", path)
    assert "\N{LEFTWARDS ARROW}1" in text
    assert "time after the first rank" in text


def test_of_many_ranks_the_slowest_are_drawn(tmp_path: Path, capsys: Capture) -> None:
    said = {"hosts": "h", "ranks_per_node": "40"}
    path = launch(tmp_path / "a.csv", one_slow, algorithms=("ring",), ranks=40, sizes=(8,),
                  said=said)  # fmt: skip
    figure = tmp_path / "steps.svg"
    assert run(capsys, path, "-o", figure)[0] == 0
    caption = " ".join(re.findall(">([^<]*)</text>", figure.read_text()))
    assert "those with the slowest steps are drawn" in caption


def test_a_result_file_is_not_taken_for_one_of_steps(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", equal)
    assert main(["summary", str(tmp_path)]) == 0
    capsys.readouterr()
    path.with_name("a.steps.csv").unlink()
    code, _, said = run(capsys, path)
    assert code == 2
    assert "no times of steps (*.steps.csv); the benchmark writes them with --record steps" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",step,1,2,0,", ",stop,1,2,0,", "no part of a call"),
        (",1,step,1,2,0,", ",9,step,1,2,0,", "no part of a call"),
        (",1,step,1,2,0,", ",1,step,2,2,0,", "not all the same steps, each once"),
        (",step,1,2,0,", ",step,1,3,0,", "not all the same steps, each once"),
        (",0,0,before,-1,,,0,0,0,0.000,0.000,2.000", ",0,0,before,-1,,,0,0,0,0.000,3.000,2.000",
         "no part of a call"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_are_refused(
    tmp_path: Path, capsys: Capture, old: str, new: str, said: str
) -> None:
    path = launch(tmp_path / "a.csv", equal, algorithms=("ring",), sizes=(SIZE,))
    steps = path.with_name("a.steps.csv")
    text = steps.read_text()
    assert old in text
    lines = [line for line in text.replace(old, new, 1).splitlines() if "start" not in line[:8]]
    steps.write_text("\n".join(without_sums(lines)) + "\n")
    code, _, err = run(capsys, steps)
    assert code == 2
    assert said in err


def test_peers_that_cannot_be_are_refused(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", equal, algorithms=("ring",), sizes=(SIZE,))
    steps = path.with_name("a.steps.csv")
    text = "\n".join(without_sums(steps.read_text().splitlines())) + "\n"
    steps.write_text(text.replace(",1,step,1,2,0,", ",1,step,1,9,0,"))
    code, _, err = run(capsys, steps)
    assert code == 2
    assert "a.steps.csv: ring: '9' are no ranks of 4; expected such as 0-2;5" in err


def without_sums(lines: Sequence[str]) -> list[str]:
    return [line.partition(" crc32:")[0] for line in lines]


@pytest.mark.parametrize(
    ("text", "ranks", "found"),
    [("", 4, []), ("0", 1, [0]), ("0-2;5", 6, [0, 1, 2, 5]), ("1;3;4-5", 6, [1, 3, 4, 5])],
)
def test_lists_of_peers(text: str, ranks: int, found: list[int]) -> None:
    assert peers(text, ranks) == found


@pytest.mark.parametrize("text", ["4", "1;0", "0;0", "2-1", "a", "-1", "0-", "0-2;1", "123456789"])
def test_lists_that_are_none(text: str) -> None:
    with pytest.raises(BadInput, match="are no ranks of 4"):
        peers(text, 4)
