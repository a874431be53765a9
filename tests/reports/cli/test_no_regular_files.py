# SPDX-License-Identifier: BSD-3-Clause
"""Pipes, devices and sockets wherever agreport reads a file, and a compressed bomb: one line, and
neither waiting nor reading without end."""

import gzip
from pathlib import Path

import pytest

from shared.bounded import make_pipe, make_socket, said

from ..conftest import lines, writer
from ..data.test_data_set import collected
from ..support.fake_trace import Call, FakeTrace

pytestmark = pytest.mark.slow

PIPE, DEVICE, SOCKET = "is a pipe", "is a device", "is a socket"
# Words of a command, the exit code, and what is said of which file.
CASES: dict[str, tuple[int, str]] = {
    "summary pipe": (2, f"pipe: {PIPE}"),
    "summary /dev/zero": (2, f"/dev/zero: {DEVICE}"),
    "summary /dev/null": (2, f"/dev/null: {DEVICE}"),
    "summary link.csv": (2, f"link.csv: {DEVICE}"),
    "summary socket": (2, f"socket: {SOCKET}"),
    "summary --keep-going pipe": (2, f"pipe: {PIPE}"),
    "summary pipe.csv.gz": (2, f"pipe.csv.gz: {PIPE}"),
    "summary among": (3, f"among/b.csv: {PIPE}"),
    "summary run.csv pipe": (3, f"pipe: {PIPE}"),
    "summary set_results": (2, f"set_results/results.parquet: {PIPE}"),
    "summary set_launches": (2, f"set_launches/launches.parquet: {PIPE}"),
    "summary set_sums": (2, f"set_sums/SHA256SUMS: {PIPE}"),
    "summary set_manifest": (2, f"set_manifest/manifest.json: {PIPE}"),
    "delays run.csv": (2, f"run.ranks.csv: {PIPE}"),
    "delays zero.csv": (2, f"zero.ranks.csv: {DEVICE}"),
    "steps run.csv": (2, f"run.steps.csv: {PIPE}"),
    "steps run.steps.csv": (2, f"run.steps.csv: {PIPE}"),
    "counters run.csv": (2, f"run.counters.csv: {PIPE}"),
    "trace trace": (2, f"trace/rank_3.agtrace: {PIPE}"),
    "trace pipe": (2, "pipe: is no directory"),
    "schedule --schedule pipe -o a.svg": (2, f"--schedule: 'pipe' {PIPE}"),
    "schedule --schedule /dev/zero -o a.svg": (2, f"--schedule: '/dev/zero' {DEVICE}"),
    "predict run.csv --costs pipe": (2, f"--costs: 'pipe' {PIPE}"),
    "predict run.csv --costs /dev/zero": (2, f"--costs: '/dev/zero' {DEVICE}"),
    "cost --costs pipe -o a.svg": (2, f"--costs: 'pipe' {PIPE}"),
    "compare --baseline pipe --new run.csv": (2, f"pipe: {PIPE}"),
    "compare --baseline run.csv --new /dev/zero": (2, f"/dev/zero: {DEVICE}"),
    "compare --baseline pipe --save-baseline a": (2, f"pipe: {PIPE}"),
    "tune run.csv --mpich a.json --mpich-library pipe": (2, f"--mpich-library: 'pipe' {PIPE}"),
    "summary run.csv --program pipe": (2, f"--program: 'pipe' {PIPE}"),
    "summary bomb.csv.gz": (2, "bomb.csv.gz: expands to"),
}
Said = dict[str, tuple[int, str]]


def make_files(folder: Path) -> None:
    write = writer(folder)
    for name in ("run", "zero", "among/a"):
        write(f"{name}.csv", lines("ring", [1, 2, 3]))
    pipes = [*("pipe", "pipe.csv.gz", "among/b.csv"),
             *(f"run.{what}.csv" for what in ("ranks", "steps", "counters"))]  # fmt: skip
    for name in ("zero.ranks.csv", "link.csv"):
        (folder / name).symlink_to("/dev/zero")
    for name in ("launches.parquet", "results.parquet", "SHA256SUMS", "manifest.json"):
        found = f"set_{name.partition('.')[0].removeprefix('SHA256').lower()}"
        collected(folder / found, {"a/run.csv": folder / "run.csv"})
        pipes.append(f"{found}/{name}")
    sums = folder / "set_manifest" / "SHA256SUMS"
    sums.write_text(f"{sums.read_text()}{64 * '0'}  manifest.json\n")
    FakeTrace([Call([0, 0, 0, 1])]).write(folder / "trace")
    pipes.append("trace/rank_3.agtrace")
    for name in pipes:
        (folder / name).unlink(missing_ok=True)
        make_pipe(folder / name)
    make_socket(folder / "socket")
    # This is as much as the process may have, and a thousand times smaller.
    zeros = gzip.compress(bytes(64 << 20))
    (folder / "bomb.csv.gz").write_bytes(gzip.compress((folder / "zero.csv").read_bytes()))
    with (folder / "bomb.csv.gz").open("ab") as file:
        file.writelines(zeros for _ in range(160))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """In one process: with one for each, starting them would take most of the time."""
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    found = said("agreport.main", [words.split() for words in CASES], folder)
    return dict(zip(CASES, found, strict=True))


@pytest.mark.parametrize("words", CASES)
def test_what_is_no_regular_file_is_told_in_a_line(words: str, told: Said) -> None:
    code, what = CASES[words]
    found, errors = told[words]
    named = [line for line in errors.splitlines() if what in line]
    assert found == code, errors
    assert len(named) == 1, errors
    assert code == 3 or len(errors.splitlines()) == 1, errors
    assert "legal: " in named[0] or "no directory" in named[0]
