# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1 to 4, each of one cluster and number of ranks; what is not there is named."""

from pathlib import Path
from typing import Any

import pytest

from agreport.figure.sheet import Sheet
from agreport.main import main
from agreport.page.pappalardo import ITEMS

from ..support.commands import Capture, Rows, Write, refused

pytestmark = pytest.mark.slow


def sweep(write: Write, rows: Rows, clusters: tuple[str, ...]) -> Path:
    path = Path()
    for cluster in clusters:
        cases = [
            [
                line
                for name, us in {"ring": 40 + size, "native": 30 + 2 * size}.items()
                for line in rows(name, [us + n for n in range(6)], ranks=ranks, size=size)
            ]
            for ranks in (8, 16, 32)
            for size in (4, 64, 512)
        ]
        path = write(f"s/{cluster}.csv", *cases, **{"note.cluster": cluster}, hosts=cluster)
    return path.parent


def test_everything(write: Write, rows: Rows, tmp_path: Path) -> None:
    data, output = sweep(write, rows, ("local", "cloud")), tmp_path / "out"
    assert main(["pappalardo", str(data), "-o", str(output), "--figures", ".svg"]) == 0
    page = (output / "index.html").read_text()
    assert "Not in this data set" not in page
    assert {path.stem for path in output.glob("*.svg")} == {item.name for item in ITEMS}
    for item, cluster, ranks in zip(ITEMS, ("local", "local", "cloud", "cloud"), (8, 32) * 2,
                                    strict=True):  # fmt: skip
        drawn = (output / f"{item.name}.svg").read_text()
        assert f"--where cluster={cluster} --ranks {ranks}</code>" in page
        assert f"{ranks} ranks" in drawn
        assert "16 ranks" not in drawn and f"{40 - ranks} ranks" not in drawn


def test_what_is_not_there_is_named(write: Write, rows: Rows, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert main(["pappalardo", str(sweep(write, rows, ("local",))), "-o", str(output)]) == 0
    page = (output / "index.html").read_text()
    assert page.count("Not in this data set: --where cluster: &#x27;cloud&#x27; is not in") == 2
    assert {path.stem for path in output.glob("*.png")} == {"figure1", "figure2"}


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_is_not_whole_is_not_there(
    write: Write, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: object
) -> None:
    """The third figure meets the fault; a second try begins anew."""
    data, output = str(sweep(write, rows, ("local", "cloud"))), tmp_path / "new" / "out"
    drawn: list[Path] = []
    draw = Sheet.write

    def meet(sheet: Sheet, path: Path, *more: Any) -> None:
        drawn.append(path)
        if len(drawn) == 3:
            raise fault  # type: ignore[misc]
        draw(sheet, path, *more)

    monkeypatch.setattr(Sheet, "write", meet)
    words = ["pappalardo", data, "-o", str(output), "--figures", ".svg"]
    assert main(words) in (1, 2, 130)
    assert len(drawn) == 3 and not drawn[0].exists()
    assert not [*output.parent.iterdir()]
    assert main(words) == 0
    assert {path.stem for path in output.glob("*.svg")} == {item.name for item in ITEMS}


def test_a_page_of_nothing_is_refused(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    """Each figure of it was said not to be there, with the exit code of success."""
    data, output = write("a.csv", rows("ring", [1, 2, 3])), tmp_path / "out"
    said = refused(capsys, "pappalardo", data, "-o", output)
    assert f"{data}: none of Figure 1, Figure 2, Figure 3, Figure 4 of Pappalardo" in said
    assert "`agreport scaling FILES" in said
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv"}


def test_a_folder_that_cannot_be_made(write: Write, rows: Rows, capsys: Capture) -> None:
    data = sweep(write, rows, ("local",)) / "local.csv"
    said = refused(capsys, "pappalardo", data, "-o", data / "out")
    assert f"'{data / 'out'}' cannot be made: " in said and "; legal: a new folder" in said


def test_the_files_are_told_by_their_last_names(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    data, output = str(sweep(write, rows, ("local",))), tmp_path / "out"
    assert main(["pappalardo", data, "-o", str(output), "--paper", "--figures", ".pdf"]) == 0
    said = capsys.readouterr().err
    assert f"title and caption of {output}/figure1.pdf: {output}/figure1.pdf.tex" in said
    assert f"wrote {output}/index.html and " in said
    assert ".part" not in said
