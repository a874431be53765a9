# SPDX-License-Identifier: BSD-3-Clause
"""Finds out how jobs ended that Slurm's queue no longer has. sacct tells it where the site keeps
accounts; scontrol tells it some minutes long (MinJobAge)."""

import re
import shutil
from collections.abc import Iterable

from agsweep.queue import Job, ran

FORGOTTEN = "Slurm no longer knows how"
ROW = re.compile(
    r"^[ \t]*(\d+(?:_\d+)?)[| \t]+([A-Z_]{2,}(?: by \w+)?)\+?(?:[| \t]+(\d+:\d+))?[| \t]*$",
    re.MULTILINE,
)
FIELD = re.compile(r"(?:^|\s)(\w+)=(\S*)")
# The accounts may be late: such a job has not ended there.
UNDER_WAY = ("PENDING", "RUNNING", "REQUEUED", "RESIZING", "SUSPENDED", "COMPLETING", "CONFIGURING")


def ends(jobs: Iterable[Job]) -> dict[str, str]:
    """Returns how jobs ended in words such as `FAILED (JobLaunchFailure)`, by their numbers."""
    numbers: dict[str, set[str]] = {}
    for job in jobs:
        numbers.setdefault(job.cluster, set()).add(job.number)
    found: dict[str, str] = {}
    for cluster, wanted in numbers.items():
        known = accounted(cluster, whole_jobs(wanted))
        for number in whole_jobs(wanted - known.keys()):
            known = {**shown(cluster, number), **known}
        found |= {number: known.get(number, FORGOTTEN) for number in wanted}
    return found


def whole_jobs(numbers: Iterable[str]) -> list[str]:
    """Returns the numbers of the jobs to which these jobs and elements of arrays belong."""
    return sorted({number.partition("_")[0] for number in numbers})


def answer(program: str, *words: str, cluster: str) -> str:
    """Returns what the program answers; empty if there is no answer."""
    if shutil.which(program) is None:
        return ""
    where = [f"--clusters={cluster}"] if cluster else []
    done = ran([program, *where, *words], "(SACCT|SCONTROL)_.*|SLURM_CLUSTERS")
    return done.stdout if done.returncode == 0 else ""


def accounted(cluster: str, numbers: list[str]) -> dict[str, str]:
    rows = answer("sacct", "--allocations", "--parsable2", "--format=JobID,State,ExitCode",
                  f"--jobs={','.join(numbers)}", cluster=cluster)  # fmt: skip
    return {
        number: f"{state}, exit code {code}" if code else state
        for number, state, code in ROW.findall(rows)
        if state not in UNDER_WAY
    }


def shown(cluster: str, number: str) -> dict[str, str]:
    """Returns what is shown of a job, or of all elements of an array."""
    found: dict[str, str] = {}
    told = answer("scontrol", "--oneliner", "show", "job", number, cluster=cluster)
    for line in told.splitlines():
        fields = dict(FIELD.findall(line))
        state, reason = fields.get("JobState", ""), fields.get("Reason", "None")
        if not state or state in UNDER_WAY:
            continue
        element = f"{fields.get('ArrayJobId')}_{fields.get('ArrayTaskId')}"
        end = state if reason == "None" else f"{state} ({reason})"
        found |= {fields.get("JobId", ""): end, element: end}
    return found
