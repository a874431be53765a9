// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/call/operators.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/star/call/datatypes.h"

namespace gatherbench::star {
namespace {

struct Operator {
  MPI_Op op;
  std::string_view name;
  bool rounds;  ///< with elements that are no integers
};

// MPI's handles are no constants everywhere.
const auto& operators() {
  static const std::array table{
      Operator{MPI_MAX, "max", false},       Operator{MPI_MIN, "min", false},
      Operator{MPI_SUM, "sum", true},        Operator{MPI_PROD, "prod", true},
      Operator{MPI_LAND, "land", false},     Operator{MPI_BAND, "band", false},
      Operator{MPI_LOR, "lor", false},       Operator{MPI_BOR, "bor", false},
      Operator{MPI_LXOR, "lxor", false},     Operator{MPI_BXOR, "bxor", false},
      Operator{MPI_MINLOC, "minloc", false}, Operator{MPI_MAXLOC, "maxloc", false},
  };
  return table;
}

const Operator* find(MPI_Op op) {
  const auto found = std::ranges::find(operators(), op, &Operator::op);
  return found == operators().end() ? nullptr : &*found;
}

bool is_integer(MPI_Datatype type) {
  static const std::array integers{
      MPI_CHAR,           MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT,
      MPI_UNSIGNED_SHORT, MPI_INT,         MPI_UNSIGNED,      MPI_LONG,
      MPI_UNSIGNED_LONG,  MPI_LONG_LONG,   MPI_INT8_T,        MPI_INT16_T,
      MPI_INT32_T,        MPI_INT64_T,     MPI_UINT8_T,       MPI_UINT16_T,
      MPI_UINT32_T,       MPI_UINT64_T,    MPI_AINT,          MPI_OFFSET,
      MPI_COUNT,          MPI_INTEGER,     MPI_BYTE,          MPI_UNSIGNED_LONG_LONG,
  };
  return std::ranges::find(integers, type) != integers.end();
}

}  // namespace

std::string_view name_of(MPI_Op op) {
  const Operator* const known = find(op);
  return known == nullptr ? std::string_view() : known->name;
}

bool is_exact(MPI_Op op, MPI_Datatype type) {
  const Operator* const known = find(op);
  return known != nullptr && (!known->rounds || is_integer(type));
}

bool does_combine(MPI_Op op, MPI_Datatype type, Alone& alone) {
  constexpr std::int64_t most_bytes = 64;
  if (bytes_of(type) > most_bytes) return false;
  alignas(std::max_align_t) std::array<std::byte, most_bytes> from{};
  alignas(std::max_align_t) std::array<std::byte, most_bytes> to{};
  const std::scoped_lock lock(alone.in_use);
  return PMPI_Allreduce(from.data(), to.data(), 1, type, op, alone.comm.get()) == MPI_SUCCESS;
}

}  // namespace gatherbench::star
