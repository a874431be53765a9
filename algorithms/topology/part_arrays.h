// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/topology/pruned_tree.h"

// The step of Faraj's Algorithm 3 (2006, section 3.3.2) at one switch: the logical arrays of the
// hosts below it, from those of its parts. An array is an order of these hosts in which each part's
// are consecutive and no path between neighbours is longer than a bound.
namespace gatherbench::topology {

/// All that matters of an array outside of its subtree: how high the root of the subtree is above
/// its first and its last host, in switches; 0 for an array that is one host. Less is never worse.
struct Ends {
  int first;
  int last;
  bool operator==(const Ends&) const = default;
};

/// The ends that no other ends of the same subtree beat; `first` ascends, `last` descends.
using Front = std::vector<Ends>;

/// A part of a switch, and the ends that its array must have.
struct EndedPart {
  Part part;
  Ends ends;
};

/// Dynamic programme over how many children of each kind an array has used so far, the height of
/// its first and of its last host: the fewest hosts of the switch itself that do it. Children with
/// equal fronts are of one kind, as which of them comes first makes no difference. Hosts that are
/// left over do no harm: they can stand beside another one.
class PartArrays {
 public:
  static constexpr std::size_t most_states = std::size_t{1} << 22;

  /// `fronts` are those of all switches below, by index in the pruned tree, none empty; all heights
  /// are less than `bound` switches. Throws InputError that names the switch, `name`, if it takes
  /// more than most_states.
  PartArrays(const PrunedSwitch& at, std::span<const Front> fronts, int bound,
             std::string_view name);

  /// The best ends of the arrays of all parts, as seen from the parts: 1 less than from above the
  /// switch. Empty if there is no array.
  [[nodiscard]] Front front() const;

  /// The parts of an array with these ends, which are of front().
  [[nodiscard]] std::vector<EndedPart> array(const Ends& ends) const;

 private:
  struct Choice {              // one of the ends that a child can have
    std::size_t first;         // index in heights_
    std::size_t last;          // index in heights_
    std::size_t before_count;  // the heights, from the least, of hosts that may come before it
  };
  struct Kind {
    std::vector<int> children;
    std::vector<Choice> choices;
    std::size_t weight;  // of one child in the number that stands for the children used
  };
  struct State {           // the best array that ends so: there may be millions
    int hosts;             // of the switch itself
    int kind;              // of the last part; -1: a host
    std::uint32_t choice;  // of the ends of the last part
    std::uint32_t before;  // height of the host before the last part, as index; or none
  };

  void find_kinds(std::span<const Front> fronts, int bound);
  void begin();
  void extend(std::size_t used, std::size_t first);
  [[nodiscard]] std::size_t height_index(int height) const;
  [[nodiscard]] std::size_t state(std::size_t used, std::size_t first, std::size_t last) const {
    return (used * heights_.size() + first) * heights_.size() + last;
  }

  const PrunedSwitch* at_;
  std::vector<int> heights_;  // that occur, ascending, with 0, which is a host of the switch
  std::vector<Kind> kinds_;
  std::size_t all_ = 0;  // children used at the end
  std::vector<State> states_;
};

}  // namespace gatherbench::topology
