// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "bench/plan/placement.h"
#include "formats/row.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
  });
}

std::vector<std::string> parse_names(const std::string& path, const std::string& text, int ranks) {
  constexpr std::array reserved{formats::all_ranks, slowest_group};
  std::vector<std::string> names;
  int number = 0;
  for (std::string_view line : text::split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
      line.remove_suffix(1);
    }
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    if (!is_name(line)) {
      throw text::bad_value(where, line,
                            "is no name of a group; legal: letters, digits, '_', '-' and '.'");
    }
    if (std::ranges::find(reserved, line) != reserved.end()) {
      throw text::bad_value(where, line,
                            "is what rows of several groups are called; legal: "
                            "another name");
    }
    names.emplace_back(line);
  }
  if (std::ssize(names) != ranks) {
    throw text::InputError(
        fmt::format("{}: has {} groups' names, and there are {} ranks; legal: a "
                    "line a rank with the name of its group",
                    path, names.size(), ranks));
  }
  return names;
}

}  // namespace

std::vector<std::string> find_group_names(std::string_view option, const Grouping& grouping,
                                          std::span<const int> node, const ReadText& read_text) {
  using By = Grouping::By;
  const auto ranks = static_cast<int>(node.size());
  if (grouping.by == By::file) {
    return parse_names(grouping.path, read_text(grouping.path), ranks);
  }
  if (grouping.number > ranks) {
    throw text::bad_value(option, grouping.label,
                          fmt::format("is of more ranks than there are; legal: 1 to {}", ranks));
  }
  const auto name_of = [&](int rank) -> std::string {
    switch (grouping.by) {
      case By::modulo:
        return fmt::to_string(rank % grouping.number);
      case By::quotient:
        return fmt::to_string(rank / grouping.number);
      case By::node:
        return fmt::to_string(node[static_cast<std::size_t>(rank)]);
      default:
        return std::string(formats::all_ranks);
    }
  };
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back(name_of(rank));
  return names;
}

std::vector<Group> make_groups(std::span<const std::string> names,
                               const algorithms::Placement& placement,
                               std::span<const int> node_of_rank) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    const auto [place, is_new] = places.try_emplace(names[rank], groups.size());
    if (is_new) groups.push_back({.name = names[rank], .ranks = {}, .placement = {}});
    groups[place->second].ranks.push_back(static_cast<int>(rank));
  }
  for (Group& group : groups) {
    group.placement = renumber_placement(placement, group.ranks);
    std::set<int> nodes;
    for (const int rank : group.ranks) nodes.insert(node_of_rank[static_cast<std::size_t>(rank)]);
    group.nodes = static_cast<int>(nodes.size());
  }
  return groups;
}

const Group& largest(std::span<const Group> groups) {
  return *std::ranges::max_element(groups, {}, &Group::size);
}

GroupComms::GroupComms(std::span<const Group> groups, MPI_Comm all)
    : all_(all), count_(groups.size()) {
  const int rank = mpi::rank_of(all);
  const auto own = std::ranges::find_if(
      groups, [rank](const Group& group) { return std::ranges::binary_search(group.ranks, rank); });
  number_ = static_cast<std::size_t>(own - groups.begin());
  name_ = own->name;
  make(rank);
}

GroupComms::GroupComms(MPI_Comm all) : all_(all) { make(mpi::rank_of(all)); }

std::string GroupComms::named(std::string fault) const {
  if (fault.empty() || count_ == 1) return fault;
  return fmt::format("group {}: {}", name_, fault);
}

void GroupComms::make(int rank) {
  MPI_Comm handle = MPI_COMM_NULL;
  mpi::require(MPI_Comm_split(all_, static_cast<int>(number_), rank, &handle), "MPI_Comm_split");
  own_ = mpi::Communicator(handle);
  handle = MPI_COMM_NULL;
  const int colour = own_.rank() == 0 ? 0 : MPI_UNDEFINED;
  mpi::require(MPI_Comm_split(all_, colour, rank, &handle), "MPI_Comm_split");
  if (handle != MPI_COMM_NULL) roots_ = mpi::Communicator(handle);
}

}  // namespace gatherbench::bench
