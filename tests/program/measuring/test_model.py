# SPDX-License-Identifier: BSD-3-Clause
"""--measure-model: alpha, beta and tau of the ranks of a launch, and who reads them."""

import gzip
import re
from math import ceil, inf, log2
from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main

from ..support.launch import Build, Ended
from ..support.refusals import refused
from ..support.results import read_results

MADE_UP = "hockney:alpha=3e-6,beta=2e-9,tau=1e-7"
BENCHES = ("allgather_bench", "allgatherv_bench")
SHORT = ("--algorithms", "ring,bruck", "--sizes", "1,1K", "-i", "3", "-x", "0")
KEYS = {"model", "model_fit", "model_times", "host_memory", "host_window"}


def parameters(text: str) -> dict[str, float]:
    kind, _, values = text.partition(":")
    assert kind == "hockney"
    return {name: float(value) for name, value in (each.split("=") for each in values.split(","))}


def require_positive(text: str, names: list[str]) -> None:
    values = dict(each.split("=") for each in text.split(","))
    assert list(values) == names
    assert all(0 < float(each) < inf for each in values.values())


def costs(build: Build, *arguments: str) -> Ended:
    return build.schedule("cost", "--algorithms", "ring", "--ranks", "4", *arguments)


@pytest.mark.slow
@pytest.mark.parametrize(("bench", "ranks"), [(BENCHES[0], 2), (BENCHES[1], 3), (BENCHES[0], 5)])
def test_it_is_positive_and_finite(build: Build, tmp_path: Path, bench: str, ranks: int) -> None:
    """Or there is none, and the file says why: ranks that share a core may take less time for
    more bytes."""
    ended = build.run(bench, *SHORT, "--measure-model", "--output", "a.csv.gz", ranks=ranks,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    found = read_results(tmp_path / "a.csv.gz").metadata
    times = dict(each.split("=") for each in found["model_times"].split())
    assert {"16x1", "16x16", "1048576x1", "1048576x16"} <= times.keys()
    assert all(0 < float(each) < inf for each in times.values())

    lines, fit = ended.stdout.splitlines(), found["model_fit"]
    line = lines[0]
    assert lines[1] == f"# Memory: {found['host_memory']}"
    require_positive(found["host_memory"], ["copy_bandwidth", "memory_bandwidth"])
    assert lines[2] == f"# Window: {found['host_window']}"
    if not found["host_window"].startswith("none: 16 bytes took"):
        require_positive(found["host_window"], ["window_alpha", "window_bandwidth",
                                               "window_memory_bandwidth"])  # fmt: skip
    if "model" not in found:
        assert line == f"# Model: {fit}"
        none = re.match(r"none: .*alpha = (\S+) s, beta = (\S+) s", fit)
        assert none is not None and min(map(float, none.groups())) <= 0
        return
    assert line == f"# Model: {found['model']} ({fit})"
    numbers = parameters(found["model"])
    assert list(numbers) == ["alpha", "beta", "tau"]
    assert 0 < numbers["alpha"] < inf and 0 < numbers["beta"] < inf and 0 <= numbers["tau"] < inf


@pytest.mark.slow
def test_no_window_without_room(build: Build, planted_window: Path, tmp_path: Path) -> None:
    """Two ranks have 164 pages of channels and stages. Twice as much has to be there in 15 of 16
    free pages."""
    for pages, has_room in ((349, False), (350, True)):
        env = {"LD_PRELOAD": str(planted_window), "PLANTED_ROOM": str(pages)}
        ended = build.run("allgather_bench", *SHORT, "--measure-model", "--output", f"{pages}.csv",
                          cwd=tmp_path, env=env)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        found = read_results(tmp_path / f"{pages}.csv").metadata["host_window"]
        assert (found == "none: /dev/shm has too little room for channels") != has_room, found


@pytest.mark.slow
def test_who_reads_it(build: Build, tmp_path: Path) -> None:
    """cost reads the text and the file alike, and agreport the file."""
    path = result_file(tmp_path, MADE_UP)
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    by_text = costs(build, "--model", MADE_UP)
    assert by_text.exit_code == 0
    assert [costs(build, "--model", f"file:{each}").stdout for each in (path, packed)] == [
        by_text.stdout
    ] * 2
    table = tmp_path / "table.csv"
    command = ["summary", str(packed), "--format", "csv", "-o", str(table)]
    assert main([*command, "--program", str(build.program("allgather_schedule"))]) == 0
    assert (pd.read_csv(table)["model_us"].dropna() > 0).all()


@pytest.mark.slow
def test_without_it_nothing_is_measured(build: Build, tmp_path: Path) -> None:
    ended = build.run("allgather_bench", *SHORT, "--output", "a.csv", cwd=tmp_path)
    assert ended.exit_code == 0
    assert not KEYS & read_results(tmp_path / "a.csv").metadata.keys()
    assert "Model" not in ended.stdout


@pytest.mark.slow
def test_a_dry_run_measures_nothing(build: Build) -> None:
    """agsweep counts the cases of a launch so, with one rank."""
    ended = build.alone("allgather_bench", *SHORT, "--measure-model", "--dry-run")
    assert ended.exit_code == 0
    assert "cases         2" in ended.stdout and "Model" not in ended.stdout


@pytest.mark.slow
def test_a_resumed_launch_says_what_it_found(build: Build, tmp_path: Path) -> None:
    command = (*SHORT, "--measure-model", "--output", "a.csv", "--resume")
    build.run("allgather_bench", *command, cwd=tmp_path)
    file = tmp_path / "a.csv"
    first = read_results(file)
    whole = file.read_text()
    nothing_left = build.run("allgather_bench", *command, cwd=tmp_path)
    assert nothing_left.exit_code == 0 and "Model" not in nothing_left.stdout
    assert "; model_fit " not in file.read_text()

    file.write_text(whole[: whole.rindex("#@case_end=")])
    assert build.run("allgather_bench", *command, cwd=tmp_path).exit_code == 0
    again = read_results(tmp_path / "a.csv")
    assert again.resumed == 1
    assert again.metadata.get("model") == first.metadata.get("model")
    assert "; model_fit " in file.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "ranks", "parts"),
    [
        ((), 1, ["there is one rank", "legal: 2 or more"]),
        (("--mem-limit", "1M"), 2, ["2.3 MiB", "1.0 MiB", "--mem-limit"]),
    ],
    ids=["one rank", "memory"],
)
def test_refused(
    build: Build, tmp_path: Path, arguments: tuple[str, ...], ranks: int, parts: list[str]
) -> None:
    ended = build.run("allgather_bench", *SHORT, "--measure-model", "--output", "a.csv",
                      *arguments, ranks=ranks, cwd=tmp_path)  # fmt: skip
    message = refused(ended)
    assert message.startswith("--measure-model: ")
    for part in parts:
        assert part in message
    assert not list(tmp_path.iterdir())


def result_file(folder: Path, model: str = "", window: str = "") -> Path:
    """A made-up launch of 6 ranks: Bruck's and the library's all-gather of 1000 bytes."""
    header = (
        "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
        "min_us,avg_us,max_us,run_us,imbalance_us,prepare_us,status,reason"
    )
    rows = [
        f"allgather,{name},regular,none,sequential,6,1,1000,6000,0,{us},{us},{us},{us},0,1,ok,"
        for name, us in (("bruck", 40), ("native", 50), ("ring", 64))
    ]
    said = [f"#@model={model}"] if model else []
    said += [f"#@host_window={window}"] if window else []
    path = folder / "made-up.csv"
    path.write_text(
        "\n".join(["#@suite=gatherbench 0.2.0", *said, header, *rows, "#@case_end=0"]) + "\n"
    )
    return path


def test_shares_by_hand(build: Build, tmp_path: Path) -> None:
    """alpha = 3 us, beta = 2 ns, p = 6: the bound is 3 alpha + 5000 beta = 19 us, which Bruck's
    algorithm attains; the ring has 5 alpha + 5000 beta = 25 us."""
    path = result_file(tmp_path, "hockney:alpha=3e-6,beta=2e-9,tau=0")
    table = tmp_path / "table.csv"
    command = ["summary", str(path), "--format", "csv", "-o", str(table)]
    assert main([*command, "--program", str(build.program("allgather_schedule"))]) == 0
    found = pd.read_csv(table).set_index("algorithm")
    assert found["bound_percent"].to_dict() == pytest.approx(
        {"bruck": 100 * 19 / 40, "native": 100 * 19 / 50, "ring": 100 * 19 / 64}
    )
    assert found["model_us"].to_dict() == pytest.approx(
        {"bruck": 19, "native": float("nan"), "ring": 25}, nan_ok=True
    )


@pytest.mark.parametrize("ranks", [1, 2, 5, 8, 100])
def test_bound_of_cost(build: Build, ranks: int) -> None:
    model = "hockney:alpha=3e-6,beta=2e-9"
    ended = build.schedule("cost", "--algorithms", "bruck,ring", "--ranks", str(ranks), "--bytes",
                           "1000", "--model", model)  # fmt: skip
    lines = [line for line in ended.stdout.splitlines() if not line.startswith("#")]
    place = lines[0].split(",").index("bound")
    bound = ceil(log2(ranks)) * 3 + (ranks - 1) * 2
    assert [float(line.split(",")[place]) for line in lines[1:]] == pytest.approx([bound] * 2)


def test_cost_reads_the_window_of_a_file(build: Build, tmp_path: Path) -> None:
    """Blocks of 1000 bytes, one step a peer: 2 us for each, and 1000 bytes at 1 byte a ns."""
    copies = ("cost", "--algorithms", "ring:via=window", "--ranks", "4", "--ranks-per-node", "4",
              "--bytes", "1000")  # fmt: skip
    path = result_file(tmp_path, MADE_UP, "window_alpha=2e-6,window_bandwidth=1e9")
    found = build.schedule(*copies, "--model", f"file:{path}").stdout.splitlines()[-1]
    assert found.startswith("hockney,ring:via=window,4,")
    assert float(found.split(",")[8]) == pytest.approx(3 * (2 + 1))
    for none in ("", "none: no node has two ranks"):
        path = result_file(tmp_path, MADE_UP, none)
        message = refused(build.schedule(*copies, "--model", f"file:{path}"))
        assert "lacks window_alpha= and window_bandwidth=" in message


def test_cost_reads_no_model(build: Build, tmp_path: Path) -> None:
    plain = result_file(tmp_path)
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for path, what in ((plain, "--measure-model"), (packed, "--measure-model"),
                       (tmp_path / "gone.csv", "cannot be read")):  # fmt: skip
        message = refused(costs(build, "--model", f"file:{path}"))
        assert message.startswith("--model file: ") and str(path) in message and what in message
    odd = result_file(tmp_path, "hockney:alpha=1")
    assert "lacks beta=" in refused(costs(build, "--model", f"file:{odd}"))
