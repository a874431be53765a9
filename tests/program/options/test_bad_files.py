# SPDX-License-Identifier: BSD-3-Clause
"""Files that cannot be read or written, or belong to another run: told in one line, not changed."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from agformats.files.beside_results import BESIDE_RESULTS
from shared.checksums import checksummed

from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, listing, refused

pytestmark = pytest.mark.slow

QUICK = ("-i", "2", "-x", "0", "--algorithms", "ring,bruck")


# Distribution files, at 3 ranks


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, ["--distributions", "'sizes.txt' cannot be read"]),
        ("1\n2\n", ["sizes.txt", "2 lines", "3 ranks"]),
        ("1\nsome\n3\n", ["sizes.txt:2", "'some'", "size"]),
    ],
)
def test_distribution_file(
    build: Build, tmp_path: Path, text: str | None, parts: list[str]
) -> None:
    """tests/distributions/block_sizes_test.cpp has what else can be wrong in it."""
    if text is not None:
        (tmp_path / "sizes.txt").write_text(text)
    before = listing(tmp_path)
    ended = build.run(GATHERV, "--distributions", "file:sizes.txt", *QUICK, "--sizes", "8",
                      "--output", "out.csv", ranks=3, cwd=tmp_path)  # fmt: skip
    message = refused(ended)
    for part in parts:
        assert part in message
    assert listing(tmp_path) == before


@pytest.mark.parametrize(
    ("option", "prefix", "text"),
    [("--distributions", "file", "1\n1\n"), ("--arrival", "trace", "0 1")],
)
def test_names_that_would_end_a_line(
    build: Build, tmp_path: Path, option: str, prefix: str, text: str
) -> None:
    """A case's last line in the result file has them."""
    (tmp_path / "a\nb").write_text(text)
    before = listing(tmp_path)
    message = refused(build.run(GATHERV, option, f"{prefix}:a\nb", *QUICK, "--sizes", "8",
                                "--output", "out.csv", cwd=tmp_path))  # fmt: skip
    assert message.startswith(rf"{option}: '{prefix}:a\nb' has a line break or another control ")
    assert listing(tmp_path) == before


# --output


def test_output_in_no_folder(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, *QUICK, "--output", "nowhere/out.csv", cwd=tmp_path)
    message = refused(ended)
    assert "--output" in message and "'nowhere/out.csv'" in message and "No such file" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("record", [(), ("--record", "ranks")])
@pytest.mark.parametrize("existing", ["out.csv", "out.ranks.csv"])
def test_output_exists(
    build: Build, tmp_path: Path, existing: str, record: tuple[str, ...]
) -> None:
    (tmp_path / existing).write_text("mine\n")
    ended = build.run(GATHER, *QUICK, "--sizes", "1", "--output", "out.csv", *record, cwd=tmp_path)
    if existing == "out.ranks.csv" and not record:  # no business of this run
        assert ended.exit_code == 0
        assert (tmp_path / existing).read_text() == "mine\n"
        return
    message = refused(ended)
    assert "--output" in message and f"'{existing}'" in message and "exists" in message
    assert "--resume" in message
    assert listing(tmp_path) == {str(tmp_path / existing): b"mine\n"}


def test_output_is_a_folder(build: Build, tmp_path: Path) -> None:
    """--resume would be no way out, so it must not be offered."""
    (tmp_path / "out.csv").mkdir()
    message = refused(build.run(GATHER, *QUICK, "--output", "out.csv", cwd=tmp_path))
    assert "'out.csv'" in message
    assert "--resume" not in message


@pytest.mark.parametrize("resume", [(), ("--resume",)])
@pytest.mark.parametrize("name", [f"8{ending}" for ending in BESIDE_RESULTS])
def test_output_that_reports_would_take_for_a_file_beside_results(
    build: Build, tmp_path: Path, name: str, resume: tuple[str, ...]
) -> None:
    """They would not read it as results, and a launch with `--output 8.csv` could not make it."""
    ended = build.run(GATHER, *QUICK, "--sizes", "1", "--output", name, *resume, cwd=tmp_path)
    assert refused(ended).startswith(f"--output: '{name}' ")
    assert listing(tmp_path) == {}


# --resume on a file of another run


@dataclass(frozen=True)
class Earlier:
    text: bytes
    arguments: tuple[str, ...]


@pytest.fixture(scope="module")
def earlier(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Earlier:
    folder = tmp_path_factory.mktemp("earlier")
    arguments = ("--sizes", "1,2", "--algorithms", "ring,bruck", "-i", "2", "-x", "0",
                 "--seed", "1", "--output", "out.csv")  # fmt: skip
    assert build.run(GATHER, *arguments, cwd=folder).exit_code == 0
    return Earlier((folder / "out.csv").read_bytes(), arguments)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"--seed": "2"}, ["seed", "'1'", "'2'"]),
        ({"--algorithms": "ring"}, ["algorithms", "'ring,bruck'", "'ring'"]),
        ({"ranks": "1"}, ["ranks", "'2'", "'1'"]),
        ({"bench": GATHERV}, ["collective", "'allgather'", "'allgatherv'"]),
    ],
)
def test_resume_of_another_run(
    build: Build, tmp_path: Path, earlier: Earlier, change: dict[str, str], parts: list[str]
) -> None:
    (tmp_path / "out.csv").write_bytes(earlier.text)
    arguments = list(earlier.arguments)
    for option, value in change.items():
        if option in arguments:
            arguments[arguments.index(option) + 1] = value
    ended = build.run(change.get("bench", GATHER), *arguments, "--resume", cwd=tmp_path,
                      ranks=int(change.get("ranks", 2)))  # fmt: skip
    message = refused(ended)
    for part in ["--resume", "'out.csv'", *parts]:
        assert part in message
    assert listing(tmp_path) == {str(tmp_path / "out.csv"): earlier.text}


@pytest.mark.parametrize("key", ["machine.cores", "binding", "kernel", "transport"])
def test_resume_under_other_conditions(
    build: Build, tmp_path: Path, earlier: Earlier, key: str
) -> None:
    """Its times would stand below the first one's name: what must agree to pool must agree here."""
    told = re.compile(rb"#@%s=.*\n" % key.encode())
    assert told.search(earlier.text)
    file = tmp_path / "out.csv"
    for line, was in ((b"#@%s=elsewhere\n" % key.encode(), "elsewhere"), (b"", "nothing")):
        other = checksummed(told.sub(line, earlier.text).decode()).encode()
        file.write_bytes(other)
        message = refused(build.run(GATHER, *earlier.arguments, "--resume", cwd=tmp_path, ranks=2))
        assert f"is of another run: its {key} is '{was}', now it is '" in message
        assert file.read_bytes() == other


@pytest.mark.parametrize(("key", "now"), [("group_file", "nothing"), ("device", "none")])
def test_resume_without_what_the_run_had(
    build: Build, tmp_path: Path, earlier: Earlier, key: str, now: str
) -> None:
    """As a library that was preloaded: not every launch has such a key."""
    text = checksummed(f"#@{key}=told\n{earlier.text.decode()}").encode()
    (tmp_path / "out.csv").write_bytes(text)
    message = refused(build.run(GATHER, *earlier.arguments, "--resume", cwd=tmp_path))
    assert f"is of another run: its {key} is 'told', now it is '{now}'" in message
    assert listing(tmp_path) == {str(tmp_path / "out.csv"): text}


@pytest.mark.parametrize("key", ["mpi", "suite", "compiler", "nodes"])
def test_resume_of_a_run_elsewhere(
    build: Build, tmp_path: Path, earlier: Earlier, key: str
) -> None:
    """The same options, but another MPI, build or machine."""
    before = next(
        line for line in earlier.text.decode().splitlines() if line.startswith(f"#@{key}=")
    )
    changed = earlier.text.decode().replace(before, f"#@{key}=another", 1)
    text = checksummed(changed).encode()
    (tmp_path / "out.csv").write_bytes(text)
    message = refused(build.run(GATHER, *earlier.arguments, "--resume", cwd=tmp_path))
    assert f"its {key} is 'another'" in message
    assert before.partition("=")[2] in message
    assert listing(tmp_path) == {str(tmp_path / "out.csv"): text}


def test_resume_of_an_altered_file(build: Build, tmp_path: Path, earlier: Earlier) -> None:
    text = earlier.text.replace(b",ok,", b",OK,", 1)
    (tmp_path / "out.csv").write_bytes(text)
    message = refused(build.run(GATHER, *earlier.arguments, "--resume", cwd=tmp_path))
    assert "--resume: 'out.csv' was altered: line " in message
    assert "(#@case_end=allgather,regular,none,as launched,2,1)" in message
    assert listing(tmp_path) == {str(tmp_path / "out.csv"): text}


def test_resume_of_no_result_file(build: Build, tmp_path: Path, earlier: Earlier) -> None:
    text = "a,b,c\n1,2,3\n"
    (tmp_path / "out.csv").write_text(text)
    message = refused(build.run(GATHER, *earlier.arguments, "--resume", cwd=tmp_path))
    assert "--resume" in message and "'out.csv'" in message and "not a result file" in message
    assert (tmp_path / "out.csv").read_text() == text


def test_resume_when_ranks_were_not_recorded(
    build: Build, tmp_path: Path, earlier: Earlier
) -> None:
    (tmp_path / "out.csv").write_bytes(earlier.text)
    arguments = (*earlier.arguments, "--record", "ranks", "--resume")
    message = refused(build.run(GATHER, *arguments, cwd=tmp_path))
    assert "record_ranks" in message
    assert listing(tmp_path) == {str(tmp_path / "out.csv"): earlier.text}


def test_resume_after_the_distribution_file_changed(build: Build, tmp_path: Path) -> None:
    """The name is the same, but not what it says: those cases do not belong together."""
    command = (GATHERV, "--distributions", "file:sizes.txt", *QUICK, "--sizes", "8")
    (tmp_path / "sizes.txt").write_text("8\n0.5c\n")
    assert build.run(*command, "--output", "out.csv", cwd=tmp_path).exit_code == 0
    (tmp_path / "sizes.txt").write_text("8\n0.25c\n")
    before = listing(tmp_path)
    message = refused(build.run(*command, "--output", "out.csv", "--resume", cwd=tmp_path))
    assert "distribution_file_1" in message
    assert listing(tmp_path) == before
