# SPDX-License-Identifier: BSD-3-Clause
"""allgather_schedule time: result files that a model computed, as the reports read them."""

from pathlib import Path

import pandas as pd
import pytest

from agformats.files.result_file import RESULT_FILE, read_finished
from agformats.files.result_rows import read
from agreport.main import main

from ..support.launch import Build
from ..support.refusals import refused

ALPHA_US, BETA_US = 10, 0.001
HOCKNEY = f"hockney:alpha={ALPHA_US}e-6,beta={BETA_US}e-6"
MODEL = ("--model", HOCKNEY)
Capture = pytest.CaptureFixture[str]


def timed(build: Build, path: Path, *arguments: str) -> pd.DataFrame:
    ended = build.schedule("time", "--output", str(path), *arguments)
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "", "")
    rows: pd.DataFrame = read(path)[1].to_pandas()
    return rows


def test_a_balanced_ring_by_hand(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = timed(build, path, "--algorithms", "ring,recursive_doubling", "--ranks", "6",
                 "--sizes", "1000", "-i", "2", *MODEL)  # fmt: skip
    ring = rows[rows["algorithm"] == "ring"]
    assert ring["iteration"].tolist() == [0, 1]
    for column in ("min_us", "avg_us", "max_us", "run_us"):
        assert ring[column].tolist() == [5 * (ALPHA_US + 1000 * BETA_US)] * 2
    assert ring["imbalance_us"].tolist() == [0, 0]
    (skipped,) = rows[rows["algorithm"] == "recursive_doubling"].to_dict("records")
    assert skipped["status"] == "skipped"
    assert "power-of-two" in skipped["reason"]


def test_ranks_of_a_host_share_its_memory_by_hand(build: Build, tmp_path: Path) -> None:
    """In each step of the ring four ranks of a host send 1000 bytes, of 1 byte a us together; or
    each has 0.5 bytes a us."""
    tree = tmp_path / "switch.conf"
    tree.write_text("SwitchName=s Nodes=h[0-1]\n")
    for name, memory, us in (
        ("a.csv", "copy_bandwidth=1e9,memory_bandwidth=1e6", 4000),
        ("b.csv", "memory_bandwidth=1e9,copy_bandwidth=5e5", 2000),
    ):
        rows = timed(build, tmp_path / name, "--algorithms", "ring", "--ranks", "4", "--sizes",
                     "1000", "-i", "1", "--model", f"{HOCKNEY},{memory}", "--topology", str(tree),
                     "--ranks-per-node", "4")  # fmt: skip
        assert rows["max_us"].tolist() == pytest.approx([3 * (ALPHA_US + us)])


def test_it_says_that_it_is_computed(build: Build, tmp_path: Path, capsys: Capture) -> None:
    tree = tmp_path / "one switch.conf"
    tree.write_text("SwitchName=s Nodes=h[0-3]\n")
    files = [tmp_path / "queues.csv", tmp_path / "eager.csv.gz", tmp_path / "links.csv"]
    given = ("--algorithms", "ring", "--ranks", "4", "--sizes", "1K", "-i", "1")
    timed(build, files[0], *given, *MODEL)
    timed(build, files[1], *given, "--model", f"{HOCKNEY},sends=eager")
    timed(build, files[2], *given, *MODEL, "--topology", str(tree))
    found = [read_finished(RESULT_FILE, path).launch.metadata for path in files]
    assert [each["simulated"] for each in found] == ["yes"] * 3
    assert [each["computed"] for each in found] == [
        f"{HOCKNEY},sends=rendezvous, one port a rank each way",
        f"{HOCKNEY},sends=eager, one port a rank each way",
        f"{HOCKNEY},sends=rendezvous, links of the topology shared max-min fairly",
    ]
    assert main(["summary", *map(str, files)]) == 0
    assert "kept apart" in capsys.readouterr().err


def test_slow_trunks_and_hosts(build: Build, tmp_path: Path) -> None:
    """A ring of four ranks on two switches whose trunk has half a host's bandwidth. In order, one
    block a step goes over it each way; dealt out, both of a switch's ranks send over it."""
    tree = tmp_path / "slow.conf"
    tree.write_text(
        "SwitchName=a Nodes=h[0-1] Switches=b\nSwitchName=b Nodes=h[2-3] LinkSpeed=0.5\n"
    )
    given = ("--algorithms", "ring", "--ranks", "4", "--sizes", "100000", "-i", "1", *MODEL,
             "--topology", str(tree))  # fmt: skip
    for number, (hosts, share) in enumerate([("h[0-3]", 2), ("h0,h2,h1,h3", 4)]):
        path = tmp_path / f"{number}.csv"
        rows = timed(build, path, *given, "--hosts", hosts)
        (run_us,) = rows["run_us"]
        step = ALPHA_US + share * 100000 * BETA_US
        assert run_us == pytest.approx(3 * step, rel=1e-6)
        assert (
            f", on the hosts {hosts}, links"
            in read_finished(RESULT_FILE, path).launch.metadata["computed"]
        )


def test_total_sizes(build: Build, tmp_path: Path) -> None:
    """The part of a rank, to the nearest byte; reports know the totals that were asked for."""
    files = [tmp_path / f"{ranks}.csv" for ranks in (4, 12, 28)]
    for path in files:
        rows = timed(build, path, "--algorithms", "ring,bdr", "--ranks", path.stem,
                     "--total-sizes", "512K,2M", "--arrival", "none,uniform:max=100ms", "-i", "12",
                     *MODEL)  # fmt: skip
        p = int(path.stem)
        assert sorted({*rows["bytes"]}) == [round(2**19 / p), round(2**21 / p)]
    page = tmp_path / "page"
    assert main(["proficz2021", *map(str, files), "-o", str(page)]) == 0
    assert {*pd.read_csv(page / "table3.csv")["total_bytes"]} == {2**19, 2**21}
    points = ["arrival", *map(str, files), "--total-bytes", "2M", "--arrival",
              "uniform:max=100ms", "--csv", str(tmp_path / "f10.csv")]  # fmt: skip
    assert main(points) == 0
    assert {*pd.read_csv(tmp_path / "f10.csv")["ranks"]} == {4, 12, 28}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--total-sizes", "2"), "--total-sizes: '2' over 5 ranks is nothing; legal: "),
        (("--total-sizes", "1000,1001"), "--total-sizes: '1001' over 5 ranks is a block that "),
        (("--total-sizes", "1K", "--sizes", "1K"), "--total-sizes"),
        (("--total-sizes", "1K", "--collective", "alltoall"), "legal elsewhere: --sizes"),
        (("--total-sizes", "1K", "--distributions", "spike"), "legal elsewhere: --sizes"),
        ((), "--sizes: is not given; legal: --sizes LIST or --total-sizes LIST"),
    ],
)
def test_bad_total_sizes(build: Build, given: tuple[str, ...], said: str) -> None:
    ended = build.schedule("time", "--algorithms", "linear", "--ranks", "5", *MODEL, *given)
    assert said in refused(ended)


@pytest.fixture(scope="module")
def under_arrivals(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("computed") / "under arrivals.csv"
    timed(build, path, "--algorithms", "ring,neighbor_exchange,bruck,bdr,bslb", "--ranks", "8",
          "--sizes", "64K", "--arrival", "none,uniform:max=8t", "-i", "20", *MODEL)  # fmt: skip
    return path


def test_predictions_go_by_the_blocks_and_not_by_c(build: Build, tmp_path: Path) -> None:
    """A file has the sizes of all blocks, whatever --sizes says."""
    sizes = tmp_path / "sizes.txt"
    sizes.write_text("1\n2\n1\n4\n")
    first, second = (
        timed(build, tmp_path / f"{c}.csv", "--ranks", "4", "--sizes", c, "-i", "5", *MODEL,
              "--algorithms", "clairvoyant,portfolio,bdr", "--distributions", f"file:{sizes}",
              "--arrival", "uniform:max=100us").drop(columns=["bytes", "message_us"])
        for c in ("2", "1M")
    )  # fmt: skip
    pd.testing.assert_frame_equal(first, second)


def test_arrivals(under_arrivals: Path) -> None:
    rows: pd.DataFrame = read(under_arrivals)[1].to_pandas()
    assert set(rows["status"]) == {"ok"}
    t = ALPHA_US + 65536 * BETA_US
    assert set(rows["message_us"]) == {t}
    mean = rows.groupby(["arrival", "algorithm"], observed=True)["avg_us"].mean()
    assert mean["none", "ring"] == pytest.approx(7 * t, abs=0.001)
    assert mean["none", "bdr"] == pytest.approx(7 * t, abs=0.001)
    assert mean["uniform:max=8t", "bdr"] < mean["uniform:max=8t", "ring"]
    # The gather takes what the ring takes and more start-ups, and the broadcast about as long.
    assert 14 * t < mean["none", "bslb"] < 20 * t


def test_wrong_predictions_cost_time(build: Build, tmp_path: Path) -> None:
    """And only to those that use them; --seed draws the same arrivals for all."""
    mean = {}
    for prediction in ("perfect", "noise:0", "noise:3t", "wrong:reversed"):
        path = tmp_path / f"{prediction.replace(':', ' ')}.csv"
        rows = timed(build, path, "--algorithms", "ring,bdr,clairvoyant", "--ranks", "8",
                     "--sizes", "64K", "--arrival", "uniform:max=16t", "-i", "20",
                     "--prediction", prediction, *MODEL)  # fmt: skip
        mean[prediction] = rows.groupby("algorithm", observed=True)["avg_us"].mean()
        assert read_finished(RESULT_FILE, path).launch.metadata["prediction"] == prediction
        off = rows[rows["algorithm"] == "bdr"]["prediction_error_us"]
        assert (off > 0).all() if prediction in ("noise:3t", "wrong:reversed") else not off.any()
    assert len({each["ring"] for each in mean.values()}) == 1
    assert (mean["noise:0"] == mean["perfect"]).all()
    for name in ("bdr", "clairvoyant"):
        assert mean["perfect"][name] < mean["noise:3t"][name] < mean["wrong:reversed"][name]


@pytest.mark.slow
@pytest.mark.parametrize("report", ["arrival", "absorption", "heatmap"])
def test_reports_draw_it(report: str, under_arrivals: Path, tmp_path: Path) -> None:
    figure = tmp_path / "figure.svg"
    assert main([report, str(under_arrivals), "-o", str(figure)]) == 0
    assert "simulated" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argument", "named"),
    [
        (("--model", "links"), ["--model", "'links'", "hockney:alpha="]),
        (("--model", f"{HOCKNEY},sends=later"), ["'later'", "rendezvous, eager"]),
        (("--model", f"{HOCKNEY},sends=eager,sends=eager"), ["'sends=eager'", "twice"]),
        (("--model", "hockney:alpha=1"), ["--model", "lacks beta="]),
        (("--model", "hockney:,alpha=1,beta=1"), ["--model", "'' is none of"]),
        (("--model", f"{HOCKNEY},window_alpha=1"), ["--model", "lacks window_bandwidth="]),
        (("--model", f"{HOCKNEY},window_alpha=1,window_bandwidth=0"), ["--model", "too small"]),
        (("--algorithms", "ring:batch=2"), ["--algorithms", "'ring:batch=2'", "for cost"]),
        (("--model", f"{HOCKNEY},copy_bandwidth=1"), ["--model", "lacks memory_bandwidth="]),
        (("--model", f"{HOCKNEY},copy_bandwidth=1,memory_bandwidth=0"), ["--model", "too small"]),
        (("--model", f"{HOCKNEY},copy_bandwidth=1,memory_bandwidth=1"), ["--model", "--topology"]),
        (("--ranks", "4,8"), ["--ranks", "'4,8'", "more than one"]),
        (("--iterations", "0"), ["--iterations", "'0'", "1"]),
        (("--output", "a.txt"), ["--output", "'a.txt'", ".csv"]),
        (("--output", "no/a.csv"), ["--output", "'no/a.csv'", "folder"]),
        (("--output", "there.csv"), ["--output", "'there.csv'", "not overwritten"]),
        (("--arrival", "delayed:rank=4,delay=1t"), ["--arrival", "rank"]),
        (("--arrival", "trace:a\nb"), ["--arrival", r"'trace:a\nb'", "line break"]),
        (("--distributions", "file:a\nb"), ["--distributions", r"'file:a\nb'", "line break"]),
        (("--prediction", "edge"), ["--prediction", "'edge'", "perfect, wrong:shuffled"]),
        (("--algorithms", "native"), ["--algorithms", "'native'", "no schedule"]),
        (("--sizes", "0"), ["--sizes", "'0'"]),
    ],
)
def test_bad_input(
    build: Build, tmp_path: Path, argument: tuple[str, str], named: list[str]
) -> None:
    (tmp_path / "there.csv").write_text("kept")
    given = {"--algorithms": "ring", "--ranks": "4", "--sizes": "1K", "--model": HOCKNEY,
             "--output": "a.csv", **dict([argument])}  # fmt: skip
    words = [word for pair in given.items() for word in pair]
    message = refused(build.schedule("time", *words, cwd=tmp_path))
    assert all(word in message for word in named), message
    assert [path.name for path in tmp_path.iterdir()] == ["there.csv"]
    assert (tmp_path / "there.csv").read_text() == "kept"


def test_more_messages_than_fit_into_memory(build: Build, tmp_path: Path) -> None:
    """Sparbit's messages are few, and its runs of blocks do not matter.

    One rank stands for all of linear, and of the ring where blocks are equal. Blocks of
    8 KiB have eight segments each, and those of 1 GiB too many to run.
    """
    model = ("--sizes", "8", "-i", "1", *MODEL)
    output = ("--output", "a.csv")
    large = build.schedule("time", "--algorithms", "sparbit,linear", "--ranks", "131072", *model,
                           *output, cwd=tmp_path)  # fmt: skip
    message = refused(large)
    start = "--ranks: '131072' are too many for linear, whose messages may take 128.0 GiB; legal: "
    assert message.startswith(start)
    unequal = build.schedule("time", "--algorithms", "ring", "--distributions", "regular,spike",
                             "--ranks", "131072", *model, *output, cwd=tmp_path)  # fmt: skip
    assert "are too many for ring, whose messages may take 1.6 TiB" in refused(unequal)
    cut = build.schedule("time", "--algorithms", "pipelined_ring:segment=1K", "--ranks", "131072",
                         "--sizes", "8K,1G", "-i", "1", *MODEL, *output, cwd=tmp_path)  # fmt: skip
    assert "pipelined_ring:segment=1K, whose messages may take 1024.0 GiB" in refused(cut)
    assert not (tmp_path / "a.csv").exists()
    rows = timed(build, tmp_path / "a.csv", "--algorithms", "sparbit", "--ranks", "65536", *model)
    assert rows["status"].tolist() == ["ok"]
