// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "bench/options/options.h"
#include "text/input_error.h"

// Options whose value is one of a few words: one table each, for reading and for printing.
namespace gatherbench::bench {

/// A value of an option and the name the user writes for it.
template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

inline constexpr std::array mapping_names{Named<Mapping>{"sequential", Mapping::sequential},
                                          Named<Mapping>{"cyclic", Mapping::cyclic}};
inline constexpr std::array order_names{Named<Order>{"interleaved", Order::interleaved},
                                        Named<Order>{"sequential", Order::sequential}};
inline constexpr std::array sync_names{
    Named<Sync>{"barrier", Sync::barrier}, Named<Sync>{"double-barrier", Sync::double_barrier},
    Named<Sync>{"dissemination", Sync::dissemination}, Named<Sync>{"window", Sync::window}};
inline constexpr std::array hold_names{Named<Hold>{"busy", Hold::busy},
                                       Named<Hold>{"sleep", Hold::sleep}};
inline constexpr std::array noncontiguous_names{
    Named<mpi::Noncontiguous>{"pipelined", mpi::Noncontiguous::pipelined},
    Named<mpi::Noncontiguous>{"packed", mpi::Noncontiguous::packed},
    Named<mpi::Noncontiguous>{"datatype", mpi::Noncontiguous::datatype}};

/// The value of this name. Throws InputError with all names.
template <typename Value, std::size_t size>
Value parse_named(std::string_view option, const std::array<Named<Value>, size>& table,
                  std::string_view text) {
  std::vector<std::string_view> legal;
  for (const Named<Value>& row : table) {
    if (row.name == text) return row.value;
    legal.push_back(row.name);
  }
  throw text::unknown_name(option, "value of it", text, legal);
}

/// The name of this value, which is in the table.
template <typename Value, std::size_t size>
std::string_view name_in(const std::array<Named<Value>, size>& table, Value value) {
  for (const Named<Value>& row : table) {
    if (row.value == value) return row.name;
  }
  return {};
}

}  // namespace gatherbench::bench
