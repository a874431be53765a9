# SPDX-License-Identifier: BSD-3-Clause
"""What a user has set for other programs that draw changes no figure and ends no command."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

from agreport.main import main

from ..conftest import lines, writer

# A notebook sets this for all that it starts; the module need not be there.
NOTEBOOK = "module://matplotlib_inline.backend_inline"
BLACK = b"axes.facecolor: black\ntext.usetex: True\nno.such: key\nfont.size: 30\n"
# A file that may not be read ends the import of matplotlib.
BROKEN = b"axes.facecolor: \xff\n"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    return writer(folder)("a.csv", [*lines("ring", [1, 2]), *lines("bruck", [3, 4])])


def drawn(results: Path, folder: Path, **variables: str) -> tuple[bytes, str]:
    """A figure by a new process in that folder, and what was said."""
    folder.mkdir(exist_ok=True)
    figure = folder / "a.svg"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    ended = subprocess.run(
        [sys.executable, "-m", "agreport.main", "series", results, "-o", figure],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return figure.read_bytes(), ended.stderr.replace(str(folder), "")


@pytest.fixture(scope="module")
def plain(results: Path) -> tuple[bytes, str]:
    return drawn(results, results.with_name("plain"))


@pytest.mark.slow
def test_settings_of_the_user(results: Path, tmp_path: Path, plain: tuple[bytes, str]) -> None:
    """They are set in each way that matplotlib takes them; nothing is said of them either."""
    for folder in ("here", "home/.config/matplotlib", "given"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "matplotlibrc").write_bytes(BLACK)
    elsewhere, given = tmp_path / "elsewhere", str(tmp_path / "given")
    assert drawn(results, tmp_path / "here") == plain
    assert drawn(results, elsewhere, MATPLOTLIBRC=given) == plain
    assert drawn(results, elsewhere, MPLCONFIGDIR=given) == plain
    home = str(tmp_path / "home")
    assert drawn(results, elsewhere, HOME=home, XDG_CONFIG_HOME=f"{home}/.config") == plain


@pytest.mark.slow
def test_what_cannot_be_used(results: Path, tmp_path: Path, plain: tuple[bytes, str]) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "matplotlibrc").write_bytes(BROKEN)
    given = {"MPLBACKEND": NOTEBOOK, "MPLCONFIGDIR": "/proc/none"}
    assert drawn(results, tmp_path / "here", **given) == plain


@pytest.mark.slow
def test_python_programs_get_numbers_without_matplotlib(results: Path) -> None:
    """It cannot end them then, nor have they settings of it that are not theirs."""
    code = (
        "import sys, agreport; agreport.load(sys.argv[1]); agreport.launches(sys.argv[1]); "
        "agreport.summary(sys.argv[1]); assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, results], check=True)


def test_settings_of_a_program(results: Path, tmp_path: Path) -> None:
    """One that draws, too, has its own before and after, and figures here are without them."""
    plain, bent = tmp_path / "a.svg", tmp_path / "b.svg"
    assert main(["series", str(results), "-o", str(plain)]) == 0
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 30.0}):
        assert main(["series", str(results), "-o", str(bent)]) == 0
        assert mpl.rcParams["font.size"] == 30.0
    assert bent.read_bytes() == plain.read_bytes()
