# SPDX-License-Identifier: BSD-3-Clause
"""libagstar.so with AddressSanitizer and UndefinedBehaviorSanitizer, and a look for leaks.

MPI libraries leak by design, so that what counts is whose code asked for the memory.
"""

import re
from pathlib import Path

import pytest

from ..support.agstar import assert_right, is_sanitized, preloaded
from ..support.launch import Build

pytestmark = pytest.mark.slow

FAULT = re.compile(r"ERROR: AddressSanitizer|runtime error")
LEAK = re.compile(r"^(?:Direct|Indirect) leak of .*?(?=^$)", re.MULTILINE | re.DOTALL)
FRAME = re.compile(r"^ +#[1-9]\d* \S+ (.*)$", re.MULTILINE)
OF_LIBRARIES = re.compile(r"in (?:std::|__gnu_cxx::|fmt::|operator new)")


def is_ours(leak: str) -> bool:
    frames = (frame for frame in FRAME.findall(leak) if not OF_LIBRARIES.match(frame))
    return next(frames, "").startswith("in gatherbench::")


@pytest.fixture(autouse=True)
def sanitized(request: pytest.FixtureRequest, build: Build) -> None:
    if "policy" in request.fixturenames and not is_sanitized(build):
        pytest.skip("make test-sanitize runs this")


@pytest.mark.parametrize("policy", ["random:7", "agstar"])
@pytest.mark.parametrize(
    ("program", "scenario", "number", "ranks"),
    [
        ("gathering_program", "mix", "300", 3),
        ("gathering_program", "groups", "60", 4),
        ("gathering_program", "short_lived", "100", 3),
        ("gathering_program", "nonblocking", "40", 3),
        ("gathering_program", "threads", "60", 2),
        ("gathering_program", "errors", "30", 3),
        ("gathering_program", "between_groups", "30", 4),
        ("gathering_program", "at_the_end", "60", 2),
        ("combining_program", "mix", "400", 3),
        ("combining_program", "groups", "90", 4),
        ("combining_program", "nonblocking", "40", 3),
        ("combining_program", "refused", "20", 2),
    ],
)
def test_scenarios(
    request: pytest.FixtureRequest,
    build: Build,
    tmp_path: Path,
    program: str,
    scenario: str,
    number: str,
    ranks: int,
    policy: str,
) -> None:
    ended = preloaded(build, request.getfixturevalue(program), tmp_path)(
        scenario,
        number,
        ranks=ranks,
        AGSTAR_POLICY=policy,
        AGSTAR_LEAST="0",
        AGSTAR_ROUNDING="any",
        AGSTAR_PROFILE="profile.csv",
        AGSTAR_REPORT="report.csv",
        ASAN_OPTIONS="detect_leaks=1",
        LSAN_OPTIONS="exitcode=0",
    )
    assert_right(ended)
    assert not FAULT.search(ended.stderr)
    leaks = LEAK.findall(ended.stderr)
    assert leaks  # of the MPI library: they are looked for
    assert [leak for leak in leaks if is_ours(leak)] == []


def test_whose_leak_it_is() -> None:
    head = "Direct leak of 8 byte(s)\n    #0 0x1 in operator new(unsigned long) new.cpp:1\n"
    ours = "    #2 0x3 in gatherbench::star::Prepared::Prepared() prepared.cpp:31\n"
    assert is_ours(f"{head}    #1 0x2 in std::vector<int>::vector() vector.h:1\n{ours}")
    assert not is_ours(f"{head}    #1 0x2 in PMPI_Comm_split (/lib/libmpi.so+0x1)\n{ours}")
