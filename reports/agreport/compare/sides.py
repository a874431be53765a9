# SPDX-License-Identifier: BSD-3-Clause
"""The launches of both sides; which of one belongs to which of the other, by the strongest way that
the files hold; and the cases that only one side has, or that were wrong."""

from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agformats.files.result_file import PLACES
from agreport.cli import inputs
from agreport.data.load import PAIR, SETTING, Launch, Results, read_files
from agreport.data.mpi_name import library_of
from agreport.data.result_paths import result_files
from agreport.data.settings import OURS
from agreport.figure.words import describe_value, places, plural, size_label
from agreport.reports.builds import SIDES
from agreport.stats.arrays import Flags

DUETS, ALTERNATED, LAUNCHES = "duets", "alternated launches", "launches"
KEYS = {DUETS: "duet_pair", ALTERNATED: "note.pair"}
UNITS = {DUETS: ("duet", DUETS), ALTERNATED: ("pair", "pairs"), LAUNCHES: ("launch", LAUNCHES)}


@dataclass(frozen=True)
class Sides:
    """The launches of both sides, and their rows, which name launches by number. new: of each
    launch, whether it is on the new side."""

    results: Results
    new: Flags

    @property
    def launches(self) -> list[Launch]:
        return self.results.launches

    @property
    def one_library(self) -> bool:
        """True if all are versions of one MPI library: called the same up to the first digit."""
        return len({library_of(launch.metadata.get("mpi", "")) for launch in self.launches}) == 1

    def numbers(self, new: bool) -> list[int]:
        return [int(number) for number in np.flatnonzero(self.new == new)]

    def files(self, new: bool) -> list[str]:
        return [str(self.launches[number].path) for number in self.numbers(new)]

    def rows(self, new: bool) -> pd.DataFrame:
        """Returns the rows with times."""
        timed = self.results.timed()
        found: pd.DataFrame = timed[self.new[timed["launch"].to_numpy()] == new]
        return found

    def cases(self, new: bool, status: str) -> pd.MultiIndex:
        rows = self.results.with_status(status)
        rows = rows[self.new[rows["launch"].to_numpy()] == new]
        return pd.MultiIndex.from_frame(rows[PAIR].drop_duplicates())


def load_sides(baseline: Sequence[str], new: Sequence[str], options: Namespace) -> Sides:
    """Reads the launches of both sides; each launch is on one side, and the filters of the options
    are applied to both. Sets options.left_out. Raises BadInput if a file is given for both sides,
    if a side has no ok rows, or if the launches are of several programs."""
    files = find_files(baseline, new)
    results = read_files(
        [str(path) for path, _ in files],
        keep_going=options.keep_going,
        rules=inputs.log_rules(options),
    )
    require_one_program(results)
    options.left_out = results.left_out
    chosen, given = inputs.choose(options, results)
    # compare/comparability.py says what else must agree.
    apart = chosen.apart(["nodes"], pooled=None)
    # A log of another program has one launch or more.
    side_of = dict(files)
    sides = Sides(apart, np.array([side_of[each.path] == "new" for each in apart.launches]))
    for new_side, side in enumerate(SIDES):
        if sides.rows(bool(new_side)).empty:
            raise BadInput(f"--{side}: no ok rows{inputs.left(given)}")
    return sides


def require_one_program(results: Results) -> None:
    """Raises BadInput if the launches are of several programs: each program has its own way to
    begin a call and to take means, so a comparison of times of two programs tells nothing."""
    programs = {each.program or OURS: each.path for each in results.launches}
    if len(programs) > 1:
        several = " and ".join(f"{path} of {name}" for name, path in programs.items())
        raise BadInput(f"{several} are not compared; legal: logs of one program")


def find_files(baseline: Sequence[str], new: Sequence[str]) -> list[tuple[Path, str]]:
    """Returns the files in the order of their names, and each file's side. Raises BadInput if a
    file is on both sides."""
    paths = {side: result_files(names) for side, names in zip(SIDES, (baseline, new), strict=True)}
    found = {path.resolve() for path in paths["baseline"]}
    if both := [path for path in paths["new"] if path.resolve() in found]:
        raise BadInput(f"{both[0]}: given with --baseline and with --new; a launch is on one side")
    return sorted((path.resolve(), side) for side in SIDES for path in paths[side])


def find_newly_wrong(sides: Sides) -> pd.MultiIndex:
    """Finds what is wrong on the new side, and not on the base one."""
    return sides.cases(True, "wrong").difference(sides.cases(False, "wrong"))


def find_missing(sides: Sides, reported: pd.MultiIndex) -> pd.DataFrame:
    """Finds the cases with times that are not reported elsewhere, and says why."""
    base, new = (sides.cases(side, "ok") for side in (False, True))
    wrong = sides.cases(False, "wrong").union(sides.cases(True, "wrong"))
    apart = base.union(new).union(wrong).difference(reported)
    skipped = sides.cases(False, "skipped").union(sides.cases(True, "skipped"))
    why = np.select(
        [apart.isin(wrong), apart.isin(base) & apart.isin(new), apart.isin(base)],
        ["wrong in base", "in no pair on both sides", "only in base"],
        "only in new",
    )
    why = np.where(apart.isin(skipped), np.char.add(why.astype(str), ", skipped in the other"), why)
    return pd.DataFrame({"why": why}, index=apart)


def name_case(case: object, varied: list[str]) -> str:
    """Returns what tells the case, of an index by PAIR, from the others: 'ring, 1K bytes, 4
    ranks'."""
    assert isinstance(case, tuple)
    named = dict(zip(PAIR, case, strict=True))
    size = int(str(named["bytes"]))
    units = {
        "group": describe_value("group", named["group"]) or "all ranks",
        "beside": f"beside {named['beside']}",
        PLACES: places(str(named[PLACES])),
        "ranks": plural(int(str(named["ranks"])), "rank"),
        "bytes": f"{size_label(size)} {'byte' if size == 1 else 'bytes'}",
    }
    order = ["algorithm", "bytes", "ranks", SETTING, "collective", "distribution", "arrival"]
    order += ["mapping", "group", "beside", PLACES]
    shown = [key for key in order if key in ("algorithm", "bytes") or key in varied]
    return ", ".join(units.get(key, str(named[key])) for key in shown)


def find_varied(*cases: pd.DataFrame) -> list[str]:
    """Returns the keys in which cases of these tables differ: a name has to tell a case from those
    that are not compared, too."""
    keys = pd.concat([each.index.to_frame(index=False) for each in cases])
    return [key for key in PAIR if keys[key].nunique() > 1]


@dataclass(frozen=True)
class Pairing:
    """Which launch of one side belongs to which of the other.

    kind: DUETS, ALTERNATED or LAUNCHES. pairs: the numbers of a base and a new launch; without
    pairs every launch is by itself. alone: where there are pairs, the files of the launches that
    are in none.
    """

    kind: str
    pairs: list[tuple[int, int]] = field(default_factory=list)
    alone: list[Path] = field(default_factory=list)

    @property
    def units(self) -> str:
        return UNITS[self.kind][1]

    def count_units(self, units: int) -> str:
        return plural(units, *UNITS[self.kind])

    def count_more(self, units: int) -> str:
        """Says how many more are needed, such as 3 more pairs; launches are needed on each side."""
        name = UNITS[self.kind][units != 1]
        return f"{units} more {name}{' on each side' if self.kind == LAUNCHES else ''}"


def find_pairing(sides: Sides) -> Pairing:
    """Returns the pairs of duets, whose launches ran at the same time; without duets, the pairs of
    launches that took turns; without either, no pairs."""
    for kind, key in KEYS.items():
        if pairs := match_launches(sides, key):
            used = {number for pair in pairs for number in pair}
            alone = [each.path for n, each in enumerate(sides.launches) if n not in used]
            return Pairing(kind, pairs, alone)
    return Pairing(LAUNCHES)


def keep_paired(sides: Sides, pairing: Pairing) -> tuple[Sides, Pairing]:
    """Returns the sides without the launches that are in no pair, and the pairs by their new
    numbers. Of a new launch without a partner the wrong results stay, which are wrong all the
    same."""
    if not pairing.alone:
        return sides, pairing
    rows = sides.results.rows
    paired = {number for pair in pairing.pairs for number in pair}
    is_wrong = rows["status"].eq("wrong") & sides.new[rows["launch"].to_numpy()]
    rows = rows[rows["launch"].isin(paired) | is_wrong]
    kept = sorted(paired | {*rows["launch"].unique().tolist()})
    anew = {number: place for place, number in enumerate(kept)}
    return (
        Sides(sides.results.keep(rows).only_launches(kept), sides.new[kept]),
        replace(pairing, pairs=[(anew[base], anew[new]) for base, new in pairing.pairs]),
    )


def match_launches(sides: Sides, key: str) -> list[tuple[int, int]]:
    """Returns the numbers of a base and a new launch that have the same value of the metadata key,
    in the order of the values. Raises BadInput if two launches on one side have the same value."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, launch in enumerate(sides.launches):
        if value := launch.metadata.get(key):
            found[value].append(number)
    pairs = []
    for value, numbers in sorted(found.items()):
        of_side: dict[bool, list[int]] = {False: [], True: []}
        for number in numbers:
            of_side[bool(sides.new[number])].append(number)
        for several in of_side.values():
            if len(several) > 1:
                one, other = (sides.launches[number].path for number in several[:2])
                raise BadInput(f"{one} and {other}: both are {key}={value}, on one side")
        if of_side[False] and of_side[True]:
            pairs.append((of_side[False][0], of_side[True][0]))
    return pairs
