// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/call/operators.h"

#include <algorithm>
#include <array>

namespace gatherbench::star {
namespace {

/// Kinds of elements, as MPI's table of operators has them (MPI 4.1, 6.9.2); bits of a set.
enum Kind : unsigned {
  none = 0,
  whole = 1,      ///< C's integers
  addresses = 2,  ///< Fortran's integers, and those of addresses and counts
  raw = 4,
  real = 8,
  complex = 16,
  pair = 32,
};

struct Operator {
  MPI_Op op;
  std::string_view name;
  unsigned elements;  ///< that it combines
  unsigned rounded;   ///< those whose result depends on the order
};

// MPI's handles are no constants everywhere.
const auto& operators() {
  constexpr unsigned ordered = whole | addresses | real;
  constexpr unsigned added = ordered | complex;
  constexpr unsigned bits = whole | addresses | raw;
  static const std::array table{
      Operator{MPI_MAX, "max", ordered, none},
      Operator{MPI_MIN, "min", ordered, none},
      Operator{MPI_SUM, "sum", added, real | complex},
      Operator{MPI_PROD, "prod", added, real | complex},
      Operator{MPI_LAND, "land", whole, none},
      Operator{MPI_BAND, "band", bits, none},
      Operator{MPI_LOR, "lor", whole, none},
      Operator{MPI_BOR, "bor", bits, none},
      Operator{MPI_LXOR, "lxor", whole, none},
      Operator{MPI_BXOR, "bxor", bits, none},
      Operator{MPI_MINLOC, "minloc", pair, none},
      Operator{MPI_MAXLOC, "maxloc", pair, none},
  };
  return table;
}

struct Element {
  MPI_Datatype type;
  Kind kind;
};

const auto& elements() {
  static const std::array table{
      Element{MPI_INT, whole},
      Element{MPI_LONG, whole},
      Element{MPI_SHORT, whole},
      Element{MPI_UNSIGNED, whole},
      Element{MPI_UNSIGNED_LONG, whole},
      Element{MPI_UNSIGNED_SHORT, whole},
      Element{MPI_LONG_LONG, whole},
      Element{MPI_UNSIGNED_LONG_LONG, whole},
      Element{MPI_SIGNED_CHAR, whole},
      Element{MPI_UNSIGNED_CHAR, whole},
      Element{MPI_INT8_T, whole},
      Element{MPI_INT16_T, whole},
      Element{MPI_INT32_T, whole},
      Element{MPI_INT64_T, whole},
      Element{MPI_UINT8_T, whole},
      Element{MPI_UINT16_T, whole},
      Element{MPI_UINT32_T, whole},
      Element{MPI_UINT64_T, whole},
      Element{MPI_INTEGER, addresses},
      Element{MPI_AINT, addresses},
      Element{MPI_OFFSET, addresses},
      Element{MPI_COUNT, addresses},
      Element{MPI_BYTE, raw},
      Element{MPI_FLOAT, real},
      Element{MPI_DOUBLE, real},
      Element{MPI_LONG_DOUBLE, real},
      Element{MPI_REAL, real},
      Element{MPI_DOUBLE_PRECISION, real},
      Element{MPI_C_FLOAT_COMPLEX, complex},
      Element{MPI_C_DOUBLE_COMPLEX, complex},
      Element{MPI_COMPLEX, complex},
      Element{MPI_DOUBLE_COMPLEX, complex},
      Element{MPI_2INT, pair},
      Element{MPI_FLOAT_INT, pair},
      Element{MPI_2INTEGER, pair},
      Element{MPI_2REAL, pair},
      Element{MPI_2DOUBLE_PRECISION, pair},
  };
  return table;
}

Kind kind_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return none;  // as Fortran's types are where there is no Fortran
  const auto& table = elements();
  const auto* const found = std::ranges::find(table, type, &Element::type);
  return found == table.end() ? none : found->kind;
}

const Operator* find(MPI_Op op) {
  const auto& table = operators();
  const auto* const found = std::ranges::find(table, op, &Operator::op);
  return found == table.end() ? nullptr : found;
}

}  // namespace

std::string_view name_of(MPI_Op op) {
  const Operator* const known = find(op);
  return known == nullptr ? std::string_view() : known->name;
}

bool combines(MPI_Op op, MPI_Datatype type) {
  const Operator* const known = find(op);
  return known != nullptr && (known->elements & kind_of(type)) != 0;
}

bool is_exact(MPI_Op op, MPI_Datatype type) {
  const Operator* const known = find(op);
  return known != nullptr && (known->rounded & kind_of(type)) == 0;
}

}  // namespace gatherbench::star
