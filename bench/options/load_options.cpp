// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "bench/options/values/grouping.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t max_tests = 1'000'000;

}  // namespace

void add_load_options(text::OptionTable& table, Options& options) {
  table
      .add("--groups", std::string(group_forms),
           "Cut the ranks into groups that run at the same time, each on a communicator of its "
           "own, as sharded training does: by rank modulo N, by N ranks after one another, by "
           "node, or as a file has it (a line a rank: the name of its group). In other turns one "
           "group runs alone, so that it is seen what they cost each other [one group]",
           into(options.groups, parse_grouping))
      .not_with("--replay", "the trace has the communicators");
  table
      .add("--beside", "KIND:SIZE",
           "In other turns, have another collective of the library under way on a second "
           "communicator of the same ranks, with blocks of that size: reduce_scatter:1M, as "
           "fully sharded training has beside its all-gathers; allreduce, allgather, alltoall "
           "[nothing]",
           into(options.beside, parse_later))
      .not_with("--replay", "the calls of an iteration follow each other");
  table.add("--congest", "RANKS:PATTERN:SIZE",
            "Measure the other ranks of the launch alone. In other turns, let these (4:7, "
            "1:15:2, 3,7; not 0) send to each other, in messages of that size, as another job on "
            "the same network does: incast (all to the first), outcast, alltoall, shift (each to "
            "the one half of them further on) [nobody]",
            into(options.congest, parse_later));
  table
      .add("--overlap", "TESTS",
           "Begin each call and wait for it apart, and in other turns compute in between for as "
           "long as the call alone takes, with so many calls of MPI_Test (0: none), as the OSU "
           "benchmarks do; for native_nonblocking, native_persistent and our schedules [no]",
           into(options.overlap, integer(0, max_tests)))
      .not_with("--replay", "the calls of an iteration follow each other");
}

void describe_loads(const Options& options, Keys& keys) {
  keys.emplace_back("groups", options.groups.label);
  keys.emplace_back("beside", options.beside.empty() ? "nothing" : options.beside);
  keys.emplace_back("congest", options.congest.empty() ? "nobody" : options.congest);
  keys.emplace_back("overlap", or_else(options.overlap, "none"));
}

}  // namespace gatherbench::bench
