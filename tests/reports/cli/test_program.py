# SPDX-License-Identifier: BSD-3-Clause
"""Tests where the program is looked for, and what becomes of its errors."""

from pathlib import Path

import pytest

from agformats.errors import BadInput
from agreport.cli import program
from agreport.main import main


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_order_of_the_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [
        *("given/any_name", "variable/bin/", "checkout/build/bin/", "here/build/bin/"),
        *("venv/bin/", "prefix/bin/", "path/"),
    ]
    for place in places:
        name = "" if "any_name" in place else program.NAME
        script(tmp_path / f"{place}{name}", f"echo {place}")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(program, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.setattr("sys.executable", str(tmp_path / "venv" / "bin" / "python"))
    monkeypatch.setattr("sys.argv", [str(tmp_path / "prefix" / "bin" / "agreport")])
    monkeypatch.setenv(program.VARIABLE, "../variable")
    monkeypatch.setenv("PATH", f"/usr/bin:/bin:{tmp_path / 'path'}")
    assert program.run(Path("../given/any_name")) == "given/any_name\n"
    for place in places[1:]:
        assert program.run(None) == f"{place}\n"
        (tmp_path / place / program.NAME).unlink()
    with pytest.raises(BadInput) as error:
        program.run(None)
    assert str(error.value) == (
        "allgather_schedule is neither in ../variable/bin nor in "
        f"{tmp_path}/checkout/build/bin nor in build/bin nor in {tmp_path}/venv/bin nor in "
        f"{tmp_path}/prefix/bin nor in PATH; `make build` builds it, and --program PATH names it"
    )
    monkeypatch.delenv(program.VARIABLE)
    with pytest.raises(BadInput, match=r"neither in \$GATHERBENCH_BUILD/bin \(not set\) nor in "):
        program.run(None)


def test_the_checkout_is_the_one_that_agreport_is_imported_from() -> None:
    assert Path(program.CHECKOUT, "reports", "agreport", "cli", "program.py").is_file()


def test_what_cannot_be_run(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", Path(__file__)):
        with pytest.raises(BadInput, match=r"--program: '.*' is no program that can be run"):
            program.run(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo lib: hm >&2; echo allgather_schedule: bad >&2; exit 2", "allgather_schedule: bad"),
        ("echo one >&2; echo two >&2; exit 1", "two"),
        ("exit 3", "allgather_schedule show ended with exit code 3"),
    ],
)
def test_its_errors_are_ours(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        program.run(script(tmp_path / "a", text), "show")
    assert str(error.value) == said


def test_its_warnings_are_passed_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.run(script(tmp_path / "a", "echo hm >&2; echo 1")) == "1\n"
    assert capsys.readouterr().err == "hm\n"


def test_a_near_name_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["heatmp"])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "'heatmp' is not legal (did you mean 'heatmap'?); legal: page, times" in line
