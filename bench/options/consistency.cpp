// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "bench/options/values/datatype.h"
#include "bench/options/values/displacements.h"
#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

/// Throws InputError where the operator, the type and the sizes of a reduction do not fit.
void require_elements(const Options& options) {
  const auto& [operation, type] = options.combined_by;
  if (operation->integers_only && !type->is_integer) {
    throw text::bad_value("--op", operation->name,
                          fmt::format("is of integers, and --type is {}; legal: --type char, int, "
                                      "long, or --op sum, prod, min, max",
                                      type->name));
  }
  for (const std::int64_t bytes : options.sizes) {
    if (bytes % type->bytes == 0) continue;
    throw text::bad_value(
        options.sizes_option, fmt::to_string(bytes),
        fmt::format("is no whole number of elements; legal: multiples of the {} bytes of {} {} "
                    "(--type)",
                    type->bytes, type->name == "int" ? "an" : "a", type->name));
  }
  if (options.places.offsets.cut(type->bytes)) {
    throw text::bad_value("--buffer-offset", options.places.offsets.text(),
                          fmt::format("would cut elements in two; legal: multiples of the {} bytes "
                                      "of {} (--type)",
                                      type->bytes, type->name));
  }
}

/// Throws InputError where blocks of an all-gather are no whole elements.
void require_whole_elements(const Options& options) {
  const BufferType& type = *options.datatype;
  const mpi::Element& element = type.element;
  for (const std::int64_t bytes : options.sizes) {
    if (bytes % element.bytes == 0) continue;
    throw text::bad_value(
        options.sizes_option, fmt::to_string(bytes),
        fmt::format("is no whole number of elements; legal: multiples of the {} bytes of data in "
                    "--datatype {}",
                    element.bytes, type.text));
  }
  const std::int64_t gap = options.displacements.value_or(Displacements{}).gap;
  if (gap % element.extent != 0) {
    throw text::bad_value(
        "--displacements", options.displacements->text(),
        fmt::format("is no whole number of elements; legal: gaps of multiples of the {} bytes that "
                    "--datatype {} takes in memory",
                    element.extent, type.text));
  }
  if (element.of != mpi::Element::Of::bytes && options.places.offsets.cut(element.bytes)) {
    throw text::bad_value("--buffer-offset", options.places.offsets.text(),
                          fmt::format("would cut elements in two; legal: multiples of the {} bytes "
                                      "of --datatype {}",
                                      element.bytes, type.text));
  }
}

/// Refuses two places where there is one buffer. Throws InputError.
void require_two_buffers(const Options& options) {
  const BufferOffsets& offsets = options.places.offsets;
  const bool two = offsets.random || offsets.send != offsets.receive;
  if (!two) return;
  if (options.buffers && options.buffers->use == BufferUse::rotate) {
    throw text::bad_value("--buffer-offset", offsets.text(),
                          "places two buffers, and --buffers rotate has a ring of pairs, one "
                          "behind the other; legal: BYTES, of where the ring begins");
  }
  // A rank that ends with nothing has a send buffer even in a reduction that is in place.
  const bool some_rank_sends =
      !options.in_place || (options.collective->combines && options.collective->has_root);
  if (!some_rank_sends && !offsets.random) {
    throw text::bad_value("--buffer-offset", offsets.text(),
                          "places a send buffer too, and in place there is none; legal: BYTES, of "
                          "the receive buffer");
  }
}

}  // namespace

void require_consistent(const text::OptionTable& table, const Options& options) {
  if (options.combines()) require_elements(options);
  if (options.datatype) require_whole_elements(options);
  require_two_buffers(options);
  if (table.is_given("--prediction") &&
      std::ranges::none_of(options.algorithms, [](const algorithms::Choice& choice) {
        return choice.algorithm->is<algorithms::ByArrivals>();
      })) {
    throw text::bad_value("--prediction", options.prediction.label,
                          "has no effect: none of the --algorithms predicts arrivals; legal: with "
                          "one of the set arrival_aware");
  }
}

}  // namespace gatherbench::bench
