// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/options/elements.h"
#include "runtime/mpi/plans/reduction.h"

// The operators and element types of a reduction's benchmark: --op and --type.
namespace gatherbench::bench {

struct NamedType {
  std::string_view name;
  std::string_view mpi_name;
  ElementType type;
  std::int64_t bytes;
  bool is_integer;
};

enum class Operation : std::uint8_t {
  sum,
  prod,
  min,
  max,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  /// The composition of maps x -> a x + b, with a in the upper half of an integer's bits and b in
  /// the lower one: an operator of ours, since it does not commute. The result of f and g is f
  /// after g.
  compose,
};

struct NamedOperation {
  std::string_view name;
  Operation operation;
  bool integers_only;
  bool commutes = true;
};

std::span<const NamedType> element_types();
std::span<const NamedOperation> operations();

/// Find a type or an operator by its name; a type also by its name in MPI, in lower case too, as
/// the OSU benchmarks have it. Throw InputError that names `option`.
const NamedType& find_type(std::string_view option, std::string_view name);
const NamedOperation& find_operation(std::string_view option, std::string_view name);

/// The operator of a reduction and the type of its elements.
struct Operator {
  const NamedOperation* operation = nullptr;
  const NamedType* type = nullptr;
};

/// An operator as MPI's calls take it.
class MpiOperator {
 public:
  /// Makes the operator; MPI has to be initialised. With `seconds_a_byte`, which simulations alone
  /// have, whoever combines is busy for that long besides, to the nanosecond: a schedule of ours
  /// and the library alike. There may be one such operator at a time.
  explicit MpiOperator(const Operator& from, double seconds_a_byte = 0);
  ~MpiOperator();
  MpiOperator(const MpiOperator&) = delete;
  MpiOperator& operator=(const MpiOperator&) = delete;
  [[nodiscard]] const mpi::Reduction& reduction() const { return reduction_; }

 private:
  mpi::Reduction reduction_;
  std::vector<MPI_Op> own_;  // to be freed
};

}  // namespace gatherbench::bench
