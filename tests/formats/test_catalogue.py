# SPDX-License-Identifier: BSD-3-Clause
"""The committed catalogue is read whole, and its names refer to each other."""

import json
from importlib.resources import files

import pytest

from agformats.catalogue import OPERATIONS, catalogue, parse
from agformats.files.result_file import CASE, COLUMNS, OPTIONAL, TEXTS, UNREAD

CATALOGUE = catalogue()


def test_every_list_is_read() -> None:
    printed = json.loads(files("agformats").joinpath("catalogue.json").read_text(encoding="utf-8"))
    assert {name: len(value) for name, value in printed.items() if isinstance(value, list)} == {
        name: len(getattr(CATALOGUE, name))
        for name, value in printed.items()
        if isinstance(value, list)
    }
    assert CATALOGUE.algorithms[0].name == printed["algorithms"][0]["name"]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(KeyError, match="collectives"):
        parse({"suite": "gatherbench 0.1.0"})


@pytest.mark.parametrize(
    "names",
    [
        *(
            [each.name for each in CATALOGUE.algorithms if one.name in each.collectives]
            for one in CATALOGUE.collectives
        ),
        [each.name for each in CATALOGUE.algorithm_sets],
        [each.name for each in CATALOGUE.arrival_patterns],
        [each.name for each in CATALOGUE.columns],
        [each.name for each in CATALOGUE.rank_columns],
        [each.name for each in CATALOGUE.step_columns],
        [each.name for each in CATALOGUE.counter_columns],
        [each.key for each in CATALOGUE.metadata],
    ],
)
def test_no_name_stands_twice(names: list[str]) -> None:
    assert names and len(set(names)) == len(names)


def test_sets_have_algorithms_that_there_are() -> None:
    known = {each.name for each in CATALOGUE.algorithms}
    for each in CATALOGUE.algorithm_sets:
        assert each.algorithms and set(each.algorithms) <= known, each.name
    steps = {each.name: each.step_growth for each in CATALOGUE.algorithms}
    for growth in ("linear", "logarithmic"):
        found = CATALOGUE.algorithm_set(f"{growth}-steps")
        assert found and set(found.algorithms) == {n for n in steps if steps[n] == growth}


def test_old_names_are_no_names_of_today() -> None:
    assert not {each.key for each in CATALOGUE.metadata} & set(CATALOGUE.former_keys())


def test_what_must_agree() -> None:
    keys = {each: {key.key for key in CATALOGUE.must_agree_to(each)} for each in OPERATIONS}
    # What is compared may differ, and must not where its iterations become one number.
    compared = {"suite", "mpi", "compiler", "machine.governor", "machine.turbo", "transport"}
    compared |= {"device_driver"}
    loaded = {"mpi_library", "mpi_build_id", "preload", "collective_components"}
    conditions = {"machine.cpu_quota", "machine.huge_pages", "numa_policy", "nodes"}
    assert keys["pool"] - keys["compare"] == compared | loaded | conditions
    # A scheduler gives each launch other hosts of a machine; `nodes` tells what compare groups.
    # Times depend on the company in the round, and medians on their number; some algorithms have
    # launches of their own all the same, and are figures' neighbours.
    assert keys["compare"] - keys["pool"] == {"hosts", "algorithms", "iterations"}
    assert {"buffers", "size_order"} <= set.intersection(*keys.values())
    # It differs from launch to launch, and the jobs of a duet agree on one.
    assert [each for each in OPERATIONS if "seed" in keys[each]] == ["resume"]
    assert keys["duet"] < keys["resume"]
    assert "check_up_to" in keys["compare"] and "start" not in set.union(*keys.values())


def test_columns_that_are_read_are_in_the_catalogue() -> None:
    known = [each.name for each in CATALOGUE.columns]
    assert sorted([*map(str, COLUMNS), *OPTIONAL, *UNREAD]) == sorted(known)
    assert set(CASE) == set(CATALOGUE.columns_with("case"))
    types = {each.name: each.type for each in CATALOGUE.columns}
    assert {name for name in types if types[name] == "text"} == {*TEXTS, "chosen"}


def test_metadata_values() -> None:
    keys = {each.key: each for each in CATALOGUE.metadata}
    launch = {"sync": "barrier", "env.B": "2", "env.A": "1"}
    assert keys["sync"].value_in(launch) == "barrier"
    assert keys["env."].value_in(launch) == "1; 2"
    assert keys["note."].value_in(launch) is None and keys["mpi"].value_in(launch) is None
