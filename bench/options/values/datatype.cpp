// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/datatype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"

namespace gatherbench::bench {
namespace {

using Of = mpi::Element::Of;

constexpr std::string_view vector_begin = "vector:";
constexpr std::int64_t largest_stride = std::int64_t{1} << 30;

BufferType parse_vector(std::string_view option, std::string_view text) {
  const std::vector<std::string_view> numbers = text::split(text.substr(vector_begin.size()), ':');
  if (numbers.size() != 2) {
    throw text::bad_value(option, text, "has not two numbers; legal: vector:BLOCK:STRIDE");
  }
  const std::int64_t block = text::parse_bytes(option, numbers[0]);
  const std::int64_t stride = text::parse_bytes(option, numbers[1]);
  if (stride < block || stride > largest_stride) {
    throw text::bad_value(
        option, text,
        fmt::format("has a stride of {} bytes; legal: from BLOCK, {}, up to 1G", stride, block));
  }
  return {fmt::format("{}{}:{}", vector_begin, block, stride),
          "MPI_CHAR, in a vector",
          {.of = Of::bytes, .bytes = block, .extent = stride}};
}

}  // namespace

BufferType parse_datatype(std::string_view option, const std::string& text) {
  const BufferType plain[] = {
      {},
      {"int", "MPI_INT", {.of = Of::ints, .bytes = sizeof(int), .extent = sizeof(int)}},
      {"float", "MPI_FLOAT", {.of = Of::floats, .bytes = sizeof(float), .extent = sizeof(float)}},
      {"double",
       "MPI_DOUBLE",
       {.of = Of::doubles, .bytes = sizeof(double), .extent = sizeof(double)}}};
  for (const BufferType& one : plain) {
    if (text == one.text || text::equal_but_for_case(text, one.mpi_name)) return one;
  }
  if (text.starts_with(vector_begin)) return parse_vector(option, text);
  throw text::bad_value(option, text,
                        fmt::format("is no datatype; legal: {}", fmt::join(datatype_forms, ", ")));
}

}  // namespace gatherbench::bench
