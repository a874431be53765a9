// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

// The parts that algorithms for tori share: the shape, and schedules that use several ports at
// once.
namespace gatherbench::algorithms {

/// The ranks in row-major order: the last dimension changes fastest.
class Torus {
 public:
  /// Takes the shape from problem.numbers(); without numbers it is p = x y with x <= y as near as
  /// they can be, or one ring if p is prime.
  explicit Torus(const Problem& problem);

  [[nodiscard]] int dimensions() const { return static_cast<int>(sides_.size()); }
  [[nodiscard]] int side(int dimension) const { return at(sides_, dimension); }
  [[nodiscard]] int coordinate(int rank, int dimension) const {
    return rank / at(strides_, dimension) % side(dimension);
  }
  /// Returns the rank whose coordinates are equal except this one, which is taken modulo the side.
  [[nodiscard]] int moved_to(int rank, int dimension, int coordinate) const;

 private:
  static int at(const std::vector<int>& values, int dimension) {
    return values[static_cast<std::size_t>(dimension)];
  }
  std::vector<int> sides_;
  std::vector<int> strides_;
};

inline constexpr Parameter dims_parameter{
    .name = "dims",
    .summary = "sides of the torus, 4x2; auto: two, near each other",
    .default_value = Numbers{},
    .min = 2};
inline constexpr Parameter ports_parameter{.name = "ports",
                                           .summary =
                                               "links that a rank uses at once, 1 to twice the "
                                               "dimensions",
                                           .default_value = Count{1}};

/// Returns none if the sides have the product p and there are not more ports than links.
std::optional<std::string> why_not_on_torus(const Problem& problem);

/// The blocks that a port moves in a step: those of these ranks, each way.
struct PortStep {
  int to;
  std::vector<int> sent;
  int from;
  std::vector<int> received;
};

/// Returns the steps of one port of a rank; all ports have the same number. Every block is cut into
/// as many near-equal segments as there are ports, and port i moves segment i of every block.
using StepsOfPort = std::vector<PortStep> (*)(const Torus& torus, int rank, int port);
Schedule on_torus(const Problem& problem, StepsOfPort steps_of_port);

}  // namespace gatherbench::algorithms
