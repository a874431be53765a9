# SPDX-License-Identifier: BSD-3-Clause
"""libagstar.so under a program with buffers in a device; device_program.cpp looks at every byte.
The device's driver is one that stands in (device_stand_in.cpp): what touches that memory without
it dies. So does the MPI library, where the stand-in is not preloaded to give it addresses."""

from pathlib import Path

import pandas as pd
import pytest

from ..support.agstar import (
    Run,
    assert_right,
    compile_program,
    logs,
    preload,
    preloaded,
    said,
    tried,
)
from ..support.launch import Build
from ..support.stand_in import StandIn

pytestmark = pytest.mark.slow

IN_DEVICE = "passed on: buffers in a device"
ALL = {"allgather", "allgatherv", "alltoall", "bcast", "reduce", "allreduce"}


@pytest.fixture(scope="module")
def program(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(build, "device_program", tmp_path_factory.mktemp("device"))


@pytest.fixture
def run(build: Build, program: Path, tmp_path: Path) -> Run:
    return preloaded(build, program, tmp_path)


def aware(build: Build, stand_in: StandIn) -> dict[str, str]:
    """Variables of ranks whose MPI library takes addresses of a device."""
    variables = stand_in.aware()
    preloads = [str(preload(build)), variables.get("LD_PRELOAD", "")]
    return {**variables, "LD_PRELOAD": ":".join(filter(None, preloads))}


def of_device(folder: Path) -> set[str]:
    """The collectives that an agreement left to the library for where their buffers are."""
    return {line.split(", ")[1].split()[0] for line in logs(folder) if IN_DEVICE in line}


@pytest.mark.parametrize("where", ["all", "others"])
@pytest.mark.parametrize(
    ("driver", "name", "collective"),
    [
        ("cuda", "ring", "allgather"),
        ("hip", "bruck", "allgather"),
        ("managed", "bruck", "allgather"),
        ("cuda", "linear:via=window", "allgather"),
        ("cuda", "ring", "allgatherv"),
        ("cuda", "bruck", "alltoall"),
        ("hip", "linear", "alltoall"),
        ("cuda", "binomial", "bcast"),
        ("cuda", "binomial", "reduce"),
        ("cuda", "ring", "allreduce"),
        ("hip", "ring", "allreduce"),
    ],
)
def test_our_algorithms_go_by_the_host(
    run: Run, stand_in: StandIn, tmp_path: Path, driver: str, name: str, collective: str, where: str
) -> None:
    """The driver is loaded when calls have been served for a while, and what it has does not change
    the algorithm, which no rank but those with such buffers knows of."""
    ended = run(driver, where, "plain", "9", "24", collective, AGSTAR_POLICY=f"fixed:{name}",
                AGSTAR_REPORT="report.csv", **stand_in.of(driver).driver)  # fmt: skip
    assert_right(ended)
    report = pd.read_csv(tmp_path / "report.csv")
    assert report["calls"].sum() == 33
    assert set(report["algorithm"]) == {name}


def test_an_older_hip_has_other_numbers(run: Run, stand_in: StandIn) -> None:
    assert_right(run("hip", "others", "plain", "6", "12", "allreduce", AGSTAR_POLICY="fixed:ring",
                     STAND_IN_HIP="5", **stand_in.of("hip").driver))  # fmt: skip


@pytest.mark.parametrize("name", ["ring", "bruck", "binomial", "linear"])
@pytest.mark.parametrize("where", ["all", "others"])
def test_elements_with_gaps(
    build: Build, run: Run, stand_in: StandIn, name: str, where: str
) -> None:
    """The library packs them. Collectives that lack the algorithm are its own."""
    assert_right(run("cuda", where, "any", "12", "72", AGSTAR_POLICY=f"fixed:{name}",
                     **aware(build, stand_in)))  # fmt: skip


@pytest.mark.parametrize("where", ["all", "others"])
@pytest.mark.parametrize(
    ("policy", "before"), [("agstar", "0"), ("random:3", "0"), ("random:3", "30")]
)
def test_the_ranks_leave_them_to_the_library(
    build: Build, run: Run, stand_in: StandIn, tmp_path: Path, where: str, before: str, policy: str
) -> None:
    """At an agreement, whether or not all ranks have them, and whatever they did before."""
    ended = run("cuda", where, "any", before, "60", AGSTAR_POLICY=policy, AGSTAR_LEAST="0",
                AGSTAR_REPORT="report.csv", **aware(build, stand_in))  # fmt: skip
    assert_right(ended)
    report = pd.read_csv(tmp_path / "report.csv")
    assert {operation.split()[0] for operation in report["operation"]} == ALL
    assert set(report["algorithm"]) == {"native"}
    ends = [line for line in logs(tmp_path) if "passed on" in line]
    assert len(ends) == len(report)  # each kind of call once, and nothing of it is tried again
    if policy == "agstar":
        assert all("after call 4:" in line and IN_DEVICE in line for line in ends), ends


@pytest.mark.parametrize("policy", ["agstar", "star:iterations=1"])
def test_trials_that_are_under_way(build: Build, run: Run, stand_in: StandIn, policy: str) -> None:
    """When the ranks agree next depends on times, but every byte is right until then."""
    assert_right(run("cuda", "others", "any", "30", "200", AGSTAR_POLICY=policy, AGSTAR_LEAST="0",
                     **aware(build, stand_in)))  # fmt: skip


@pytest.mark.parametrize("driver", ["cuda", "hip", "managed"])
def test_buffers_on_the_host_are_served(
    run: Run, stand_in: StandIn, tmp_path: Path, driver: str
) -> None:
    """The driver is loaded from the first call on."""
    where = "all" if driver == "managed" else "none"
    ended = run(driver, where, "any", "0", "300", AGSTAR_POLICY="random:1",
                **stand_in.of(driver).driver)  # fmt: skip
    assert_right(ended)
    assert not any("passed on" in line for line in logs(tmp_path))
    assert tried(tmp_path) >= {"native", "ring", "bruck", "binomial", "linear"}


def test_observed_wherever_they_are(
    build: Build, run: Run, stand_in: StandIn, tmp_path: Path
) -> None:
    ended = run("cuda", "all", "any", "0", "150", AGSTAR="observe", AGSTAR_REPORT="report.csv",
                **aware(build, stand_in))  # fmt: skip
    assert_right(ended)
    report = pd.read_csv(tmp_path / "report.csv")
    assert set(report["algorithm"]) == {"native"}
    assert (report["agreements"] > 1).all()
    assert of_device(tmp_path) == set()


def test_copy_that_fails(run: Run, stand_in: StandIn) -> None:
    """The first copy in rank 1 puts what it sends into the device, and the second one is ours."""
    ended = run("cuda", "all", "plain", "6", "1", "allgather", AGSTAR_POLICY="fixed:ring",
                STAND_IN_FAILS="2", STAND_IN_RANK="1", **stand_in.driver)  # fmt: skip
    assert ended.exit_code != 0
    assert said(ended)[0] == "agstar: cuMemcpyAsync: CUDA_ERROR_ILLEGAL_ADDRESS"


@pytest.mark.parametrize("copy", ["2", "5"])
def test_copy_that_is_not_done(run: Run, stand_in: StandIn, copy: str) -> None:
    """One that fetches what rank 1 sends, and one that puts the result: the program sees it."""
    ended = run("cuda", "all", "plain", "8", "1", "allreduce", AGSTAR_POLICY="fixed:ring",
                STAND_IN_DROPS=copy, STAND_IN_RANK="1", **stand_in.driver)  # fmt: skip
    assert ended.exit_code != 0
    assert "MPI_Allreduce" in ended.stderr
