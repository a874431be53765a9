// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "bench/options/values/buffer_choice.h"
#include "bench/options/values/datatype.h"
#include "bench/options/values/displacements.h"
#include "bench/options/values/words.h"

namespace gatherbench::bench {
namespace {

std::vector<int> parse_devices(std::string_view option, const std::string& text) {
  constexpr std::int64_t most_devices = 1023;
  std::vector<int> devices;
  for (const std::string_view one : text::split(text, ',')) {
    devices.push_back(static_cast<int>(text::parse_integer(option, one, 0, most_devices)));
  }
  return devices;
}

}  // namespace

void add_buffer_options(text::OptionTable& table, Options& options) {
  const collectives::Collective& collective = *options.collective;
  if (!collective.one_buffer) {
    table.add_flag("-l,--in-place", options.in_place, "Use MPI_IN_PLACE: no send buffer");
  }
  if (collective.gathers()) {
    table
        .add_with_default(
            "-T,--datatype", fmt::format("{}", fmt::join(datatype_forms, "|")), BufferType{}.text,
            "Of the buffers: counts are of its elements, of which sizes are multiples. vector: "
            "an element is BLOCK bytes of data every STRIDE bytes; nobody may write what lies "
            "between",
            into(options.datatype, parse_datatype))
        .not_with("--replay", "the trace has the sizes, in bytes");
  }
  if (collective.unequal_blocks) {
    table
        .add_with_default(
            "--displacements", fmt::format("{}", fmt::join(displacement_forms, "|")),
            Displacements{}.text(),
            "Where the blocks lie in the receive buffer: one behind the other; with so many "
            "bytes before each that nobody may write; or by their ranks' binary digits read from "
            "the right, the largest first",
            into(options.displacements, parse_displacements))
        .not_with("--replay", "all calls use one buffer, whose blocks are dense");
  }
  if (collective.has_root) {
    table.add_with_default(
        "--root", "R", fmt::to_string(options.root.value()),
        collective.combines ? "The rank that gets the result"
                            : "The rank that all get the block from",
        into(options.root, [](std::string_view option, const std::string& text) {
          return static_cast<int>(text::parse_integer(option, text, 0, max_ranks));
        }));
  }
  table.add_with_default(
      "--noncontiguous", alternatives(algorithms::noncontiguous_names),
      std::string(name_in(algorithms::noncontiguous_names, options.noncontiguous)),
      "How to send blocks that are not contiguous: pipelined (one message each), packed (copied "
      "into one message), datatype; an algorithm may have its own: sparbit:noncontiguous=packed",
      into(options.noncontiguous, word(algorithms::noncontiguous_names)));
  const text::Option use = table.add(
      "--buffers", "USE",
      fmt::format("What happens to buffers before each call, before the ranks are "
                  "synchronised: {}. same: nothing, as in the OSU benchmarks; fresh: each rank "
                  "writes what it sends anew; rotate: each call has another pair of buffers, of "
                  "a ring of at least BYTES a rank (several times the last-level cache is "
                  "usual); cold: each rank reads BYTES of something else (twice the last-level "
                  "cache) [fresh; with --sync none, and in a simulation, which has no caches, "
                  "same]",
                  fmt::join(buffer_forms, ", ")),
      into(options.buffers, parse_buffers));
  for (const std::string_view word : {"rotate", "cold"}) {
    use.word_not_with(word, "--replay", "all its calls use the same buffers", "fresh, same");
  }
  table
      .add_flag("--read", options.read,
                "Each rank reads the whole result after each call (column read_us), as a program "
                "does; part of no other time but cycle_us, whose cycles always read")
      .not_with("--replay", "all its calls use the same buffers");
  table.add_with_default(
      "--buffer-offset", fmt::format("{}", fmt::join(offset_forms, "|")),
      options.places.offsets.text(),
      "Begin the send and the receive buffer so many bytes behind the begin of a page; random: "
      "each launch draws a multiple of 16 for each of the two, by its seed, and the file says "
      "which",
      into(options.places.offsets, parse_offsets));
  table.add_with_default(
      "--pages", alternatives(pages_names), std::string(name_in(pages_names, options.places.pages)),
      "What pages these buffers lie in: as usual, small ones alone, or huge ones (Linux's "
      "transparent huge pages): each buffer is rounded up to whole pages of 2 MiB, so that a small "
      "one lies in a huge page too",
      into(options.places.pages, word(pages_names)));
  const text::Option in = table.add_with_default(
      "--buffers-in", alternatives(buffers_in_names),
      std::string(name_in(buffers_in_names, options.places.in)),
      "Where these buffers lie: private: in the rank's own memory; window: in memory that the "
      "ranks of a node share (MPI_Win_allocate_shared), from which NAME:via=window copies once "
      "instead of twice; cuda, cuda-managed, hip: in that of a device. All algorithms use the same "
      "buffers",
      into(options.places.in, word(buffers_in_names)));
  in.word_not_with("window", "--pages", "the MPI library chooses the pages of a window", "private");
  for (const auto& [name, kind] : buffers_in_names) {
    if (!is_of_device(kind)) {
      in.word_not_with(name, "--devices", "no buffer is in a device", "cuda, cuda-managed, hip");
      continue;
    }
    in.word_not_with(name, "--pages", "a device has pages of its own", "private");
    in.word_not_with(name, "--replay", "its buffers are the hosts'", "private, window");
    in.word_not_with(name, "--measure-model", "messages from host memory are measured", "private");
  }
  table
      .add("--devices", "LIST",
           "With buffers in devices: the numbers of those that the ranks of a node use in turn, as "
           "the driver counts them: 0,1 [all]",
           into(options.places.devices, parse_devices))
      .needs("--buffers-in");
}

void describe_buffers(const Options& options, Keys& keys) {
  keys.emplace_back("in_place", yes_or_no(options.in_place));
  keys.emplace_back("read", yes_or_no(options.read));
  keys.emplace_back("buffer_offset", options.places.offsets.text());
  keys.emplace_back("pages", name_in(pages_names, options.places.pages));
  keys.emplace_back("buffers_in", name_in(buffers_in_names, options.places.in));
  keys.emplace_back("noncontiguous",
                    name_in(algorithms::noncontiguous_names, options.noncontiguous));
  if (options.datatype) keys.emplace_back("datatype", options.datatype->text);
  if (options.displacements) keys.emplace_back("displacements", options.displacements->text());
  if (options.root) keys.emplace_back("root", fmt::to_string(*options.root));
}

}  // namespace gatherbench::bench
