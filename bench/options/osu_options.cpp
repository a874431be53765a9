// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <vector>

#include "bench/options/option_groups.h"

// Options of the OSU micro-benchmarks (7.5, blocking and non-blocking collectives) that are spelled
// in another way here, or mean nothing here. What is the same, -m, -i, -x, -M, -f, -c, -z, -l and
// -T, is an option of this suite.
namespace gatherbench::bench {
namespace {

using text::OthersOption;

constexpr std::array others{
    OthersOption{"-u", "--validation-warmup",
                 "OSU's number of warm-up iterations where it validates; here each case is "
                 "validated before it is timed, and has one warm-up",
                 "--warmup N"},
    OthersOption{"-G", "--graph", "OSU's plot of each iteration",
                 "--output FILE, and agreport page FILE"},
    OthersOption{"-P", "--papi",
                 "OSU's option for events of PAPI; here counters are those of the hosts, their "
                 "cards and their energy, of each case",
                 "--output FILE --record counters"},
    OthersOption{"-I", "--session",
                 "OSU's option to begin MPI by a session, which no iteration would notice",
                 "without it"},
    OthersOption{"-d", "--accelerator",
                 "OSU's option for buffers in the memory of a device, as are its words D and H, of "
                 "which both buffers have the same here",
                 "--buffers-in cuda, cuda-managed or hip"},
    OthersOption{"-a", "--array-size", "OSU's size of what a device computes with; here none does",
                 "without it"},
    OthersOption{"-t", "--num-test-calls", "OSU's number of MPI_Test calls in its computation",
                 "--overlap TESTS"},
    OthersOption{"-r", "--cuda-target",
                 "OSU's option for what computes while a collective is under way; here ranks do",
                 "--overlap TESTS"},
};

}  // namespace

void add_osu_options(text::OptionTable& table, const collectives::Collective& collective) {
  std::vector<OthersOption> all(others.begin(), others.end());
  all.push_back({"-D", "--ddt", "OSU's option for derived datatypes",
                 collective.gathers() ? "--datatype vector:BLOCK:STRIDE, both in bytes"
                                      : "without it, or allgather_bench"});
  if (collective.has_root) {
    all.push_back({"-k", "--root-rank", "OSU's option for the root", "--root R, which stays it"});
  }
  if (!collective.gathers() && !collective.combines) {
    all.push_back({"-T", "--type", "OSU's type of the buffers; here they are of MPI_CHAR",
                   "without it, or allgather_bench"});
  }
  table.add_others(all);
}

}  // namespace gatherbench::bench
