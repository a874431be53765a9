# SPDX-License-Identifier: BSD-3-Clause
"""Pipes, devices and sockets wherever agsweep reads a file: one line, and neither waiting nor
reading without end. The same of keys that tomllib would take minutes for."""

from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep.platforms import xml
from agsweep.sweep.sweep_file import load
from agsweep.toml import toml_file
from shared.bounded import make_pipe, make_socket, said

from .test_bad_values import MACHINE, SWEEP, prepared

Said = dict[str, tuple[int, str]]
PIPE, DEVICE, SOCKET = "is a pipe", "is a device", "is a socket"
# Words of a command, and what is said of which file.
CASES = {
    "plan pipe": f"pipe: {PIPE}",
    "plan /dev/zero": f"/dev/zero: {DEVICE}",
    "plan link.toml": f"link.toml: {DEVICE}",
    "plan socket": f"socket: {SOCKET}",
    "plan .": ".: is a directory",
    "plan none": "there is no file 'none'",
    "plan key.toml": "key.toml:1: a key of more than 16 parts",
    "plan sweep.toml --results pipe": "--results: 'pipe' is no folder",
    "platform pipe": f"pipe: {PIPE}",
    "platform /dev/zero": f"/dev/zero: {DEVICE}",
    "run sweep.toml --hostfile pipe": f"--hostfile: 'pipe' {PIPE}",
    "run sweep.toml --hostfile none": "--hostfile: there is no file 'none'",
    "simulate xml.toml": f"machine.xml: {PIPE}",
    "simulate toml.toml": f"machine_of_pipe.toml: {PIPE}",
    "plan sweep.toml --results with_log": f"n1_p2_sequential_allgather_a_0.log: {PIPE}",
    "plan sweep.toml --results with_jobs": f"submitted.jsonl: {PIPE}",
    "run sweep.toml --results with_lock": f"lock: {PIPE}",
    "status sweep.toml --results with_begun": f"sweep.toml: {PIPE}",
    "submit template.toml --dry-run": "'pipe' is no file; legal: a template",
}


def make_files(folder: Path) -> None:
    prepared(folder)
    for name in ("xml.toml", "toml.toml"):
        machine = "machine.xml" if name == "xml.toml" else "machine_of_pipe.toml"
        (folder / name).write_text(f'{SWEEP}[simulation]\nplatform = "{machine}"\n')
    (folder / "template.toml").write_text(f'{SWEEP}[resources]\ntemplate = "pipe"\n')
    (folder / "key.toml").write_text(f"a{100_000 * '.a'} = 1\n")
    (folder / "link.toml").symlink_to("/dev/zero")
    make_socket(folder / "socket")
    for name in (
        *("pipe", "machine.xml", "machine_of_pipe.toml", "with_jobs/jobs/submitted.jsonl"),
        "with_log/launches/n1_p2_sequential_allgather_a_0.log",
        *("with_lock/lock", "with_begun/sweep.toml"),
    ):
        make_pipe(folder / name)
    for name in ("with_lock", "with_log", "with_jobs", "with_begun"):
        (folder / name / "launches").mkdir(exist_ok=True)
        (folder / name / "begun_with").write_text("auto\n")
    (folder / "with_begun" / "launches" / "a").touch()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Said:
    folder = tmp_path_factory.mktemp("files") / "f"
    make_files(folder)
    found = said("agsweep.main", [words.split() for words in CASES], folder)
    return dict(zip(CASES, found, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("words", CASES)
def test_what_is_no_regular_file_is_told_in_a_line(words: str, told: Said) -> None:
    code, errors = told[words]
    lines = [line for line in errors.splitlines() if not line.startswith("note: ")]
    assert code == 2 and len(lines) == 1, errors
    assert CASES[words] in lines[0], errors


@pytest.mark.parametrize(
    "key",
    [
        *("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", " . ".join("a" * 17), ".".join(17 * ['"a b"'])),
        *(".".join(["'.'", *"a" * 16]), ".".join([*"a" * 16, '""'])),
    ],
)
@pytest.mark.parametrize("place", ["{} = 1", "x = 1\n[[ {} ]]", "x = [ {{ y = 1, {} = 2 }} ]"])
def test_keys_have_few_parts(tmp_path: Path, key: str, place: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(place.format(key))
    with pytest.raises(BadInput, match=r"a\.toml:[12]: a key of more than 16 parts; legal: fewer"):
        toml_file.read(path, "a sweep")


def test_other_dots_are_no_long_keys(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        f"# {100 * '.'} {100 * 'a b. '}\na.b.c = 1.5\nd = '{100 * '.'}'\ne = '''{100 * '. '}'''\n"
        f"f = [{100 * '1.5, '}]\n"
    )
    assert toml_file.read(path, "a sweep")["a"] == {"b": {"c": 1.5}}
    # Each of the letters could be the begin of a key.
    path.write_text(f"g = '{(1 << 20) * 'a'}'\nh = '{(1 << 18) * '.. '}'\n")
    assert len(toml_file.read(path, "a sweep")["g"]) == 1 << 20


@pytest.mark.parametrize("key", ["launcher", "folder", "venv"])
def test_texts_of_a_sweep_are_short(tmp_path: Path, key: str) -> None:
    """shlex would take more than an hour for such a word."""
    path = tmp_path / "a.toml"
    word = f"{(1 << 20) * 'a'} -n {{ranks}} {{program}}"
    path.write_text(SWEEP.replace('folder = "build"', f'{key} = "{word}"'))
    with pytest.raises(BadInput, match=rf"builds\[0\]\.{key}: .*; legal: a text of at most 16384"):
        load(path)


def test_texts_have_a_largest_size(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with path.open("wb") as file:
        file.truncate((4 << 20) + 1)
    with pytest.raises(BadInput, match=r"a\.toml: is too large, 4 MiB; legal: up to 4 MiB"):
        toml_file.read(path, "a sweep")
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(BadInput, match=r"a\.toml: is too large, 64 MiB; legal: up to 64 MiB"):
        xml.hosts(path)


def test_the_machine_of_these_tests_is_one(tmp_path: Path) -> None:
    (tmp_path / "machine.toml").write_text(MACHINE)
    assert toml_file.read(tmp_path / "machine.toml", "a machine")["name"] == "m"
