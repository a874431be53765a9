# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame checks: every byte of every algorithm is right, and its times as performance variables.

    cd jobs/reframe && reframe -C local.py -c gatherbench.py -r --performance-report

Settable, as in `-S build=build-mpich -S num_tasks=16`: build (the build folder), algorithms (each
program's defaults), sizes (lists as the benchmarks take them), iterations, num_tasks,
num_tasks_per_node. `-n %collective=allgather` runs one program alone. The variables are called
ALGORITHM_BYTES, average latency in us. References go into a subclass or a system's settings; to
compare two MPI builds, agreport compare is the better judge.
"""

import json
import re
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn

CATALOGUE = Path(__file__).resolve().parents[2] / "formats" / "agformats" / "catalogue.json"
PROGRAMS = {
    each["name"]: each["executable"] for each in json.loads(CATALOGUE.read_text())["collectives"]
}
NUMBERS = r"(?P<bytes>\d+)\s+(?P<us>\d+\.\d+)\b"


@rfm.simple_test
class GatherbenchCheck(rfm.RunOnlyRegressionTest):
    collective = parameter(list(PROGRAMS))
    build = variable(str, value="build")
    algorithms = variable(str, value="")
    sizes = variable(str, value="8,1K,64K")  # whole elements of reductions
    iterations = variable(int, value=200)
    num_tasks = 2
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    tags = {"mpi", "benchmark"}

    @run_after("init")
    def set_command(self):
        self.descr = f"gatherbench: {self.collective}"
        self.executable = str(Path(self.build).resolve() / "bin" / PROGRAMS[self.collective])
        self.executable_opts = [
            *(("--algorithms", self.algorithms) if self.algorithms else ()),
            *("--sizes", self.sizes),
            *("-i", str(self.iterations), "--output", "times.csv", "--table", "osu"),
        ]
        self.keep_files = ["times.csv"]

    @sanity_function
    def everything_is_right(self):
        """Requires that the program ended with exit code 0 and printed times. Exit code 1 is a
        wrong byte, 3 an unfinished run."""
        return sn.and_(
            sn.assert_eq(self.job.exitcode, 0), sn.assert_true(self.latencies(), "no times")
        )

    @run_before("performance")
    def set_variables(self):
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(us), "us")
            for name, us in self.latencies().items()
        }

    def latencies(self):
        """Returns the average latencies in us by their names, ALGORITHM_BYTES, in the order of the
        tables that the program printed; empty if there are none."""
        found = {}
        algorithm = ""
        for line in (Path(self.stagedir) / str(self.stdout)).read_text().splitlines():
            if heading := re.match(r"#.*\balgorithm: ([^,]+)", line):
                algorithm = heading[1]
            elif row := re.match(NUMBERS, line):
                found[re.sub(r"\W", "_", f"{algorithm}_{row['bytes']}")] = float(row["us"])
        return found
