// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/words.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::array types{
    NamedType{"char", "MPI_SIGNED_CHAR", ElementType::of_char, sizeof(signed char), true},
    NamedType{"int", "MPI_INT", ElementType::of_int, sizeof(int), true},
    NamedType{"long", "MPI_LONG", ElementType::of_long, sizeof(long), true},
    NamedType{"float", "MPI_FLOAT", ElementType::of_float, sizeof(float), false},
    NamedType{"double", "MPI_DOUBLE", ElementType::of_double, sizeof(double), false}};

constexpr std::array all_operations{NamedOperation{"sum", Operation::sum, false},
                                    NamedOperation{"prod", Operation::prod, false},
                                    NamedOperation{"min", Operation::min, false},
                                    NamedOperation{"max", Operation::max, false},
                                    NamedOperation{"band", Operation::band, true},
                                    NamedOperation{"bor", Operation::bor, true},
                                    NamedOperation{"bxor", Operation::bxor, true},
                                    NamedOperation{"land", Operation::land, true},
                                    NamedOperation{"lor", Operation::lor, true},
                                    NamedOperation{"lxor", Operation::lxor, true},
                                    NamedOperation{"compose", Operation::compose, true, false}};

template <typename Table>
const auto& find(const Table& table, std::string_view option, std::string_view kind,
                 std::string_view name) {
  const auto found = std::ranges::find_if(table, [&](const auto& row) { return row.name == name; });
  if (found != table.end()) return *found;
  std::vector<std::string_view> legal;
  for (const auto& row : table) legal.push_back(row.name);
  throw text::unknown_name(option, kind, name, legal);
}

MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case ElementType::of_char:
      return MPI_SIGNED_CHAR;  // MPI_CHAR is text, which no operator takes
    case ElementType::of_int:
      return MPI_INT;
    case ElementType::of_long:
      return MPI_LONG;
    case ElementType::of_float:
      return MPI_FLOAT;
    case ElementType::of_double:
      break;
  }
  return MPI_DOUBLE;
}

template <typename Integer>
void compose_all(const void* in, void* inout, int count) {
  const auto* const first = static_cast<const Integer*>(in);
  auto* const second = static_cast<Integer*>(inout);
  for (int i = 0; i < count; ++i) second[i] = composed(first[i], second[i]);
}

/// Composes each pair of elements: an MPI_User_function.
void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  if (bytes == sizeof(signed char)) {
    compose_all<signed char>(in, inout, *count);
  } else if (bytes == sizeof(int)) {
    compose_all<int>(in, inout, *count);
  } else {
    compose_all<long>(in, inout, *count);
  }
}

/// The launch's operator that takes simulated time is kept here: MPI hands its functions operands
/// alone.
struct TakenTime {
  MPI_Op op = MPI_OP_NULL;
  double ns_a_byte = 0;
};
TakenTime taken;

/// Combines by the operator in `taken`, and waits until the time for that is over: an
/// MPI_User_function. It calls MPI, which SMPI allows.
void combine_in_time(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  MPI_Reduce_local(in, inout, *count, *type, taken.op);
  const double ns = taken.ns_a_byte * bytes * *count;
  mpi::sleep_until(mpi::steady_ns() + std::llround(ns));
}

/// Returns MPI's predefined operator; MPI_OP_NULL for `compose`, of which there is none.
MPI_Op mpi_op(Operation operation) {
  // This is not constexpr: some libraries have pointers here, which are no constants.
  const std::array known{
      std::pair(Operation::sum, MPI_SUM),   std::pair(Operation::prod, MPI_PROD),
      std::pair(Operation::min, MPI_MIN),   std::pair(Operation::max, MPI_MAX),
      std::pair(Operation::band, MPI_BAND), std::pair(Operation::bor, MPI_BOR),
      std::pair(Operation::bxor, MPI_BXOR), std::pair(Operation::land, MPI_LAND),
      std::pair(Operation::lor, MPI_LOR),   std::pair(Operation::lxor, MPI_LXOR)};
  for (const auto& [name, op] : known) {
    if (name == operation) return op;
  }
  return MPI_OP_NULL;
}

}  // namespace

std::span<const NamedType> element_types() { return types; }
std::span<const NamedOperation> operations() { return all_operations; }

const NamedType& find_type(std::string_view option, std::string_view name) {
  for (const NamedType& type : types) {
    if (text::equal_but_for_case(name, type.mpi_name)) return type;
  }
  return find(types, option, "type", name);
}

const NamedOperation& find_operation(std::string_view option, std::string_view name) {
  return find(all_operations, option, "operator", name);
}

MpiOperator::MpiOperator(const Operator& from, double seconds_a_byte)
    : reduction_{mpi_op(from.operation->operation), mpi_type(from.type->type), from.type->bytes} {
  const auto create = [&](MPI_User_function* function) {
    const int commutes = from.operation->commutes ? 1 : 0;
    mpi::require(MPI_Op_create(function, commutes, &reduction_.op), "MPI_Op_create");
    own_.push_back(reduction_.op);
  };
  if (from.operation->operation == Operation::compose) create(compose);
  if (seconds_a_byte > 0) {
    taken = {reduction_.op, seconds_a_byte * 1e9};
    create(combine_in_time);
  }
}

MpiOperator::~MpiOperator() {
  for (MPI_Op& op : own_) MPI_Op_free(&op);
}

}  // namespace gatherbench::bench
