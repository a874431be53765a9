# SPDX-License-Identifier: BSD-3-Clause
"""Tests what a sweep file may say, what it means, and the one line for what it may not."""

from itertools import pairwise
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agformats.notes import note
from agsweep.estimate import max_time
from agsweep.sweep.points import Launch, plan
from agsweep.sweep.sweep_file import Sweep, load
from program.support.folders import ROOT

from .sweeps import bench, build_table

READY = ROOT / "jobs" / "sweeps"
BUILD = build_table("a", Path("build"))
TWO = BUILD + build_table("b", Path("build"))
POINTS = "[[points]]\nranks = 2\n"


def read(folder: Path, text: str) -> Sweep:
    file = folder / "sweep.toml"
    file.write_text(text)
    return load(file)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["[[builds]]", "legal keys: name, folder, modules"]),
        (BUILD + POINTS, ["[[bench]]", "legal keys: program"]),
        ("launches = 0\n", ["launches", "0", "from 1 to"]),
        ("launches = true\n", ["launches", "true", "whole number"]),
        ("lunches = 2\n", ["'lunches' is no key", "nearest: launches"]),
        ("[buget]\n", ["'buget' is no key", "nearest: budget"]),
        ("[budget]\nlaunch_time = \"soon\"\n", ["budget.launch_time", "'soon'", "2h30m"]),
        ("[budget]\nmemory = \"much\"\n", ["budget.memory", "'much'", "512M"]),
        ("pairing = \"duett\"\n", ["pairing", "'duett'", "alternate, both", "nearest: duet"]),
        ("pairing = \"duet\"\n", ["pairing", "'duet'", "two [[builds]]", "there is 1"]),
        ("launcher = \"mpirun\"\n", ["launcher", "'mpirun'", "openmpi", "mpich", "srun"]),
        ("[resources]\nscheduler = \"pbs\"\n", ["resources", "'scheduler' is no key"]),
        ("[resources]\ntime = \"1m\"\nsignal = \"2m\"\n", ["resources.signal", "less than time"]),
        ("[options]\noutput = \"x.csv\"\n", ["options.output", "agsweep names the files"]),
        ("[options]\nmem-limit = \"1G\"\n[budget]\nmemory = \"1G\"\n", ["mem-limit", "budget."]),
        ("launches = [\n", ["not TOML", "line"]),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, text: str, parts: list[str]) -> None:
    whole = text if not text or text == BUILD + POINTS else text + BUILD + POINTS + bench()
    with pytest.raises(BadInput) as caught:
        read(tmp_path, whole)
    message = str(caught.value)
    assert "\n" not in message
    assert "sweep.toml" in message
    for part in parts:
        assert part in message, message


@pytest.mark.parametrize(
    "line",
    ["--comment=a#b", "--comment='a b'#c", "# --qos=low", "#SBATCH --qos=low", "--comment='a", "#"],
)
def test_lines_that_slurm_would_cut(tmp_path: Path, line: str) -> None:
    resources = f'[resources]\nextra = ["--qos=low", "{line}"]\n'
    with pytest.raises(BadInput, match=r"sweep\.toml: resources\.extra: .* is not legal; legal: "):
        read(tmp_path, BUILD + POINTS + bench() + resources)


@pytest.mark.parametrize(
    "line", ["--comment='a#b'", "--comment=a\\\\#b # c", '--comment=\\"#\\"', "--qos=low # it's"]
)
def test_lines_that_slurm_reads(tmp_path: Path, line: str) -> None:
    resources = f'[resources]\nextra = ["{line}"]\n'
    read(tmp_path, BUILD + POINTS + bench() + resources)


@pytest.mark.parametrize(
    "value",
    ["[]", "[[1, 2], 3]", "[true]", "1979-05-27", "[{ a = 1 }]", f'"{"1," * 65536}1"'],
    ids=["empty", "nested", "flags", "date", "table", "long"],
)
def test_values_that_no_option_has(tmp_path: Path, value: str) -> None:
    with pytest.raises(BadInput, match=r"bench\[0\]\.options: .* is not legal; legal: .*'sizes'"):
        read(tmp_path, BUILD + POINTS + bench(f"sizes = {value}\n"))


@pytest.mark.parametrize("pairing", ["duet", "alternate", "both"])
def test_a_pair_is_bound_alike(tmp_path: Path, pairing: str) -> None:
    """A launcher in the sweep file's own words binds its ranks itself."""
    own = 'launcher = "flux run -n {ranks} {program}"\n'
    one = f'pairing = "{pairing}"\n' + BUILD + build_table("b", Path("build"), own)
    with pytest.raises(BadInput, match=rf"pairing: '{pairing}' is not legal .* build b .*; legal:"):
        plan(read(tmp_path, one + POINTS + bench()))
    plan(read(tmp_path, f'pairing = "{pairing}"\n' + own + TWO + POINTS + bench()))


@pytest.mark.parametrize(
    ("points", "parts"),
    [
        ("nodes = 2", ["points[0]", "ranks", "ranks_per_node"]),
        ("ranks = \"8..2\"", ["points[0].ranks", "'8..2'", "goes up"]),
        ("ranks = \"8;2\"", ["points[0].ranks", "'8;2'", "8:256:8", "(MIN:MAX:STEP)"]),
        ("ranks = [2, 1.5]", ["points[0].ranks", "[2, 1.5]", "8:256:8", "TOML list"]),
        ("ranks = true", ["points[0].ranks", "true", "whole numbers"]),
        ("ranks = []", ["points[0].ranks", "at least one"]),
        ("nodes = 2\nranks_per_node = 4\nranks = 9", ["points[0].ranks", "9", "up to 8"]),
        ("ranks = 2\nmappings = [\"round\"]", ["points[0].mappings", "sequential, cyclic"]),
        ("ranks = 2\nbench = [\"b\"]", ["points[0].bench", "'b'", "legal: allgather"]),
        ("ranks = 2\n[[points]]\nranks = 2", ["n1_p2_sequential_allgather stands twice"]),
        ("ranks = \"1:101\"", ["sweep.toml: points: more than 1000000 launches", "legal: fewer"]),
        ("ranks = \"1:1000001\"", ["points[0].ranks", "at most 1000000"]),
        ("ranks = 2\nmappings = \"cyclic\"", ["none is left", "on one node cyclic is sequential"]),
    ],
)  # fmt: skip
def test_bad_points(tmp_path: Path, points: str, parts: list[str]) -> None:
    with pytest.raises(BadInput) as caught:
        plan(read(tmp_path, f"launches = 10000\n{BUILD}[[points]]\n{points}\n" + bench()))
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("given", "ranks", "expected"),
    [
        ('["1K", 4096]', "[4, 8]", ["256,1024", "128,512"]),
        ('"1M"', "3", ["349525"]),  # 349525.33
        ("[10, 20]", "4", ["3,5"]),  # 2.5: a half is rounded up
    ],
)
def test_sizes_times_ranks(tmp_path: Path, given: str, ranks: str, expected: list[str]) -> None:
    benches = f'[[bench]]\nprogram = "allgather_bench"\nsizes_times_ranks = {given}\n'
    sweep = read(tmp_path, BUILD + f"[[points]]\nranks = {ranks}\n" + benches)
    assert [point.bench.options for point in plan(sweep).groups] == [
        {"sizes": sizes} for sizes in expected
    ]


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ('"1x"', ["bench[0].sizes_times_ranks: '1x'", "legal: sizes such as 1000"]),
        ("[]", ["bench[0].sizes_times_ranks: []", "at least one"]),
        ('["1K", 1024]', ["bench[0].sizes_times_ranks", "each once"]),
        ("true", ["bench[0].sizes_times_ranks: true", "legal: sizes"]),
        ("[3, 16]", ["bench allgather: sizes_times_ranks: 3 over 8 ranks is nothing", "legal: "]),
        ("[16, 17]", ["17 over 8 ranks is that of 16 too", "legal: sizes that"]),
        ('16\noptions.sizes = "2"', ["bench[0].options.sizes: '2'", "one of the two"]),
        ('16\noptions.message-size = "1:2"', ["options.message-size: '1:2'", "sizes_times_ranks"]),
    ],
)
def test_bad_sizes_times_ranks(tmp_path: Path, given: str, parts: list[str]) -> None:
    benches = f'[[bench]]\nprogram = "allgather_bench"\nsizes_times_ranks = {given}\n'
    with pytest.raises(BadInput) as caught:
        plan(read(tmp_path, BUILD + "[[points]]\nranks = 8\n" + benches))
    for part in parts:
        assert part in str(caught.value)


def test_a_duet_has_no_time_limit(tmp_path: Path) -> None:
    duet = 'pairing = "duet"\n[options]\nmax-time = "1s"\n' + TWO + POINTS + bench()
    with pytest.raises(BadInput, match=r"max-time: '1s'.*same rounds; legal: iterations"):
        read(tmp_path, duet)


def test_two_of_a_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"builds\.name: 'a'.*2 times"):
        read(tmp_path, BUILD + BUILD + POINTS + bench())


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ('["2:6:2", 5, "5:7"]', (2, 4, 6, 5, 7)),
        ('"8,2:4"', (8, 2, 3, 4)),
        ('["2..6 step 2", 5, "5..7"]', (2, 4, 6, 5, 7)),  # as 0.1.0 spelled them
    ],
)
def test_lists_and_ranges(tmp_path: Path, ranks: str, expected: tuple[int, ...]) -> None:
    sweep = read(tmp_path, BUILD + f"[[points]]\nranks = {ranks}\n" + bench())
    assert sweep.points[0].ranks == expected


@pytest.mark.parametrize(
    ("time", "expected"), [("90s", 90), ("1h30m", 5400), ("1.5h", 5400), ("1d", 86400)]
)
def test_times(tmp_path: Path, time: str, expected: int) -> None:
    sweep = read(tmp_path, f'[budget]\nlaunch_time = "{time}"\n' + BUILD + POINTS + bench())
    assert sweep.budget.launch_time == expected


@pytest.mark.parametrize("time", ["500ms", "1.5s", "0s", "90", "2 h"])
def test_no_times(tmp_path: Path, time: str) -> None:
    """A job or launch is limited in whole seconds."""
    with pytest.raises(BadInput) as caught:
        read(tmp_path, f'[budget]\nlaunch_time = "{time}"\n' + BUILD + POINTS + bench())
    assert f"budget.launch_time: '{time}' is not legal; legal: whole seconds" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "seconds"), [("500ms", 0.5), ("1.5s", 1.5), ("2m", 120), ("30", None), ("soon", None)]
)
def test_time_of_a_case(tmp_path: Path, given: str, seconds: float | None) -> None:
    """max-time as the benchmark reads it; what is none there gives no estimate."""
    options = f'max-time = "{given}"\n'
    sweep = read(tmp_path, BUILD + POINTS + bench(options))
    assert max_time(sweep.bench[0]) == seconds


def test_nodes_are_filled(tmp_path: Path) -> None:
    sweep = read(tmp_path, BUILD + "[[points]]\nnodes = [1, 4]\nranks_per_node = 3\n" + bench())
    assert [(p.nodes, p.ranks, p.ranks_per_node) for p in plan(sweep).groups] == [
        (1, 3, 3),
        (4, 12, 3),
    ]


def order(sweep: Sweep) -> list[list[Launch]]:
    return [list(step) for step in plan(sweep).steps]


def test_alternated_launches(tmp_path: Path) -> None:
    """Two launches are a pair, and who ran first is told."""
    steps = order(read(tmp_path, 'launches = 5\npairing = "alternate"\n' + TWO + POINTS + bench()))
    launches = [step[0] for step in steps]
    assert [x.number for x in launches] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert all({x.build.name for x in launches[i : i + 2]} == {"a", "b"} for i in range(0, 10, 2))
    notes = [x.notes("s") for x in launches]
    assert not any("sizes_times_ranks" in each for each in notes), "they have plain sizes"
    assert [each["turn"] for each in notes] == ["A", "B"] * 5
    assert [each["pair"] for each in notes[::2]] == [each["pair"] for each in notes[1::2]]
    assert len({each["pair"] for each in notes}) == 5


def first_of_pairs(folder: Path, count: int, ranks: int) -> str:
    points = f"[[points]]\nranks = {ranks}\n"
    text = f'launches = {count}\npairing = "alternate"\n' + TWO + points + bench()
    return "".join(step[0].build.name for step in order(read(folder, text))[::2])


def test_who_is_first_of_a_pair_is_drawn(tmp_path: Path) -> None:
    """A disturbance of every few launches would hit one build alone in a fixed order."""
    first = first_of_pairs(tmp_path, 200, 2)
    assert first == first_of_pairs(tmp_path, 200, 2), "or a sweep that goes on would not know it"
    assert first.startswith(first_of_pairs(tmp_path, 7, 2))
    assert first != first_of_pairs(tmp_path, 200, 3)
    assert 60 <= sum(one == other for one, other in pairwise(first)) <= 140
    for ranks in range(1, 40):
        drawn = first_of_pairs(tmp_path, 12, ranks)
        ahead = [drawn[:count].count("a") * 2 - count for count in range(1, 13)]
        assert max(map(abs, ahead)) <= 2
        assert abs(ahead[1]) == 0
        assert abs(ahead[2]) == 1


def test_duets(tmp_path: Path) -> None:
    steps = order(read(tmp_path, 'launches = 2\npairing = "duet"\n' + TWO + POINTS + bench()))
    assert [[(x.build.name, x.partner) for x in step] for step in steps] == [
        [("a", "b"), ("b", "a")], [("a", "b"), ("b", "a")],
    ]  # fmt: skip


def test_rounds_of_both(tmp_path: Path) -> None:
    """A duet, then each build alone; every launch has a name of its own."""
    steps = order(read(tmp_path, 'launches = 2\npairing = "both"\n' + TWO + POINTS + bench()))
    one, other = (steps[1][0].build.name, steps[2][0].build.name)
    assert {one, other} == {"a", "b"}
    assert [[(x.build.name, x.number, x.partner, x.turn) for x in step] for step in steps] == [
        [("a", 0, "b", ""), ("b", 0, "a", "")], [(one, 0, "", "A")], [(other, 0, "", "B")],
        [("a", 1, "b", ""), ("b", 1, "a", "")], [(other, 1, "", "A")], [(one, 1, "", "B")],
    ]  # fmt: skip
    assert len({x.name for step in steps for x in step}) == 8


def test_names_may_have_underscores(tmp_path: Path) -> None:
    """Algorithms' names have them, too; two launches may not have the same name."""
    file = tmp_path / "two_bound.toml"
    both = bench().replace("program", 'name = "{}"\nprogram')
    file.write_text(build_table("v_4", Path("build")) + POINTS + both.format("a_b"))
    (step,) = plan(load(file)).steps
    assert (load(file).name, step[0].name) == ("two_bound", "n1_p2_sequential_a_b_v_4_0")
    builds = build_table("c", Path("build")) + build_table("b_c", Path("build"))
    file.write_text(builds + POINTS + both.format("a_b") + both.format("a"))
    with pytest.raises(BadInput, match="2 launches are named n1_p2_sequential_a_b_c_0"):
        plan(load(file))


@pytest.mark.parametrize(("given", "why"), [("no.toml", "there is no file"), ("", "directory")])
def test_no_sweep_file(tmp_path: Path, given: str, why: str) -> None:
    with pytest.raises(BadInput) as caught:
        load(tmp_path / given)
    assert str(tmp_path / given) in str(caught.value)
    assert why in str(caught.value)
    assert "legal: a sweep file" in str(caught.value)


def test_ready_ones(capsys: pytest.CaptureFixture[str]) -> None:
    note.cache_clear()
    found = {path.stem: plan(load(path)) for path in READY.glob("*.toml")}
    assert capsys.readouterr().err == ""  # nothing is spelled as it was
    named = {"faraj2006", "loch2021", "marendic2016", "pappalardo", "proficz2021", "quick",
             "regression"}  # fmt: skip
    assert {name for name in found if not name.startswith("simulate-")} == named
    options = load(READY / "simulate-faraj6.toml").simulation.options
    assert options == {"network/crosstraffic": "0"}
    loch = list(found["loch2021"].groups)
    # 64 and 80 numbers of ranks for allgather, 32 for allgatherv (Loch 2021, 6.1.3), by mapping.
    for nodes, count in ((16, 64), (5, 80), (4, 32)):
        for mapping in ("sequential", "cyclic"):
            points = [p for p in loch if p.nodes == nodes and p.mapping == mapping]
            assert len(points) == count
    yahoo = [p for p in loch if p.cluster == "yahoo" and p.mapping == "sequential"]
    assert {p.cluster for p in loch} == {"yahoo", "cervino"}
    assert {p.ranks_per_node for p in yahoo} == {8}, "filled to the cores"
    over = sorted(p.ranks for p in yahoo if p.ranks > p.nodes * p.cores)
    assert over[0] == 133, "6.2.2: the first load with more processes than cores"
    proficz = found["proficz2021"]
    assert [point.nodes for point in proficz.groups] == list(range(4, 49, 4))
    for point in proficz.groups:  # 128K to 2M floats, dealt out
        sizes = [int(size) * point.ranks for size in point.bench.options["sizes"].split(",")]
        assert sizes == pytest.approx([n * 4096 for n in (128, 256, 512, 1024, 2048)], abs=24)


# They are listed by number of nodes, as in proficz2021.toml of 0.1.0.
PROFICZ_SIZES = {
    4: "131072,262144,524288,1048576,2097152",
    8: "65536,131072,262144,524288,1048576",
    12: "43691,87381,174763,349525,699051",
    16: "32768,65536,131072,262144,524288",
    20: "26214,52429,104858,209715,419430",
    24: "21845,43691,87381,174763,349525",
    28: "18725,37449,74898,149797,299593",
    32: "16384,32768,65536,131072,262144",
    36: "14564,29127,58254,116508,233017",
    40: "13107,26214,52429,104858,209715",
    44: "11916,23831,47663,95325,190650",
    48: "10923,21845,43691,87381,174763",
}


def test_proficz_is_planned_as_published() -> None:
    milliseconds = (1, 5, 10, 50, 100, 500)
    options = {
        "algorithms": "proficz2021",
        "arrival": ",".join(f"uniform:max={each}ms" for each in milliseconds),
        "compute": "200ms",
        "iterations": "256",
        "seed": "1",
    }
    launches = plan(load(READY / "proficz2021.toml")).launches
    assert len(launches) == len(PROFICZ_SIZES)
    for launch, (nodes, sizes) in zip(launches, PROFICZ_SIZES.items(), strict=True):
        point = launch.point
        assert (point.nodes, point.ranks, point.ranks_per_node) == (nodes, nodes, 1)
        assert (point.mapping, point.binding) == ("sequential", "default")
        assert (launch.build.name, launch.number) == ("mpi", 0)
        assert point.bench.program == "allgather_bench"
        assert point.bench.options == {**options, "sizes": sizes}
        notes = launch.notes("proficz2021")
        assert notes["sizes_times_ranks"] == "524288,1048576,2097152,4194304,8388608"
