// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "formats/columns.h"
#include "formats/mapping.h"
#include "formats/result_names.h"
#include "formats/text/named.h"

// Options whose value is one of a few words: one table each, for reading and for printing.
namespace gatherbench::bench {

/// The order in which the sizes of a distribution and an arrival pattern are measured.
enum class SizeOrder {
  given,     ///< as --sizes has them; of a range ascending
  shuffled,  ///< by the seed, for each distribution and arrival pattern anew
};

/// The way in which ranks lie on nodes.
enum class Mapping {
  as_launched,
  sequential,  ///< fill a node, then the next
  cyclic,      ///< one on each node in turn
};

/// The way in which ranks are brought together before each iteration.
enum class Sync {
  barrier,         ///< the library's MPI_Barrier
  double_barrier,  ///< two of them: the second starts from what the first left
  dissemination,   ///< our own barrier, of log2(p) rounds, whatever the library has
  window,          ///< a start time that all agree on, by synchronised clocks
  none,            ///< not at all: a rank begins where it ended the call before
};

/// The way in which a rank waits until it arrives.
enum class Wait {
  busy,   ///< looks at the clock all the time
  sleep,  ///< leaves the processor to others
  work,   ///< computes as much as takes that time on rank 0 where nothing disturbs it; else as busy
};

/// The form in which results of several algorithms are printed.
enum class TableForm {
  osu,           ///< a table of each
  side_by_side,  ///< one table, a column of each
};

using text::alternatives;
using text::name_in;
using text::Named;
using text::parse_named;

inline constexpr std::array mapping_names{
    Named<Mapping>{formats::sequential.name, Mapping::sequential},
    Named<Mapping>{formats::cyclic.name, Mapping::cyclic}};
inline constexpr std::array size_order_names{Named<SizeOrder>{"given", SizeOrder::given},
                                             Named<SizeOrder>{"shuffled", SizeOrder::shuffled}};
inline constexpr std::array sync_names{
    Named<Sync>{"barrier", Sync::barrier}, Named<Sync>{"double-barrier", Sync::double_barrier},
    Named<Sync>{"dissemination", Sync::dissemination}, Named<Sync>{"window", Sync::window},
    Named<Sync>{"none", Sync::none}};
inline constexpr std::array wait_names{Named<Wait>{"busy", Wait::busy},
                                       Named<Wait>{"sleep", Wait::sleep},
                                       Named<Wait>{"work", Wait::work}};
inline constexpr std::array table_names{Named<TableForm>{"osu", TableForm::osu},
                                        Named<TableForm>{"side-by-side", TableForm::side_by_side}};
inline constexpr auto record_names = std::apply(
    [](auto... files) {
      return std::array{Named<formats::File>{formats::name_of(files), files}...};
    },
    formats::files_beside_results);

inline std::string_view name_of(Mapping mapping) {
  return mapping == Mapping::as_launched ? formats::as_launched.name
                                         : name_in(mapping_names, mapping);
}

}  // namespace gatherbench::bench
