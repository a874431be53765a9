// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "algorithms/collectives/collective.h"
#include "algorithms/topology/switch_tree.h"
#include "formats/fnv1a.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"

namespace gatherbench::policies {
namespace {

using Wide = __int128;  // of two numbers of bytes

auto place(const ProfileRow& row) { return std::tie(row.key, row.algorithm); }

/// The distance of two sizes: the larger over the smaller.
struct Ratio {
  std::int64_t larger;
  std::int64_t smaller;

  friend bool operator<(const Ratio& a, const Ratio& b) {
    return Wide{a.larger} * b.smaller < Wide{b.larger} * a.smaller;
  }
};
Ratio ratio(std::int64_t a, std::int64_t b) { return {std::max(a, b), std::min(a, b)}; }
constexpr Ratio farthest{1189207115, 1000000000};  // 2^(1/4)

bool are_of_like_calls(const ProfileKey& a, ProfileKey b) {
  b.bytes = a.bytes;
  return a == b;
}

bool is_old(const ProfileRow& row, std::chrono::sys_days today) {
  return today - row.date > most_profile_days;
}

}  // namespace

bool is_of_native(const ProfileRow& row) { return row.algorithm == "native"; }

std::optional<std::string> why_not(const Profile& profile, std::string_view mpi,
                                   std::string_view hosts) {
  if (profile.mpi != mpi) {
    return fmt::format("it is of another MPI library: '{}', not '{}'", profile.mpi, mpi);
  }
  if (profile.hosts != hosts) {
    return fmt::format("it is of other hosts: '{}', not '{}'", profile.hosts, hosts);
  }
  return {};
}

Profile merged(const Profile& before, const Profile& now) {
  Profile both = now;
  std::ranges::sort(both.rows, {}, place);
  for (const ProfileRow& row : before.rows) {
    const auto at = std::ranges::lower_bound(both.rows, place(row), {}, place);
    if (at == both.rows.end() || place(*at) != place(row)) {
      both.rows.insert(at, row);
    } else if (row.date > at->date) {
      *at = row;
    }
  }
  return both;
}

Profile without_old(Profile profile, std::chrono::sys_days today) {
  std::erase_if(profile.rows, [&](const ProfileRow& row) { return is_old(row, today); });
  return profile;
}

Known find_known(const Profile& profile, const ProfileKey& key, std::chrono::sys_days today) {
  const auto distance = [&](const ProfileRow& row) { return ratio(row.key.bytes, key.bytes); };
  const auto is_near = [&](const ProfileRow& row) {
    return are_of_like_calls(key, row.key) && !(farthest < distance(row));
  };
  std::vector<ProfileRow> rows;
  std::ranges::copy_if(profile.rows, std::back_inserter(rows), is_near);
  if (rows.empty()) return {.rows = {}, .reason = "it says nothing of such calls"};
  std::erase_if(rows, [&](const ProfileRow& row) { return is_old(row, today); });
  if (rows.empty()) {
    return {.rows = {},
            .reason = fmt::format("what it says of such calls is older than {} days",
                                  most_profile_days.count())};
  }
  std::vector<ProfileRow> tried;
  std::ranges::remove_copy_if(rows, std::back_inserter(tried), is_of_native);
  if (tried.empty()) return {.rows = {}, .reason = "of such calls it has the time of native alone"};
  // The smaller one of two sizes that are as far away comes first, and is taken.
  const ProfileKey nearest = std::ranges::min_element(tried, std::less{}, distance)->key;
  std::erase_if(rows, [&](const ProfileRow& row) { return row.key != nearest; });
  return {.rows = std::move(rows), .reason = {}};
}

std::vector<Candidate> expected_of(std::span<const Candidate> candidates,
                                   std::span<const ProfileRow> rows) {
  std::vector<Candidate> all(candidates.begin(), candidates.end());
  std::optional<std::int64_t> least;
  for (Candidate& each : all) {
    each.prior_ns.reset();
    const auto row = std::ranges::find(rows, each.name, &ProfileRow::algorithm);
    if (row == rows.end()) continue;
    each.prior_ns = row->median_ns;
    least = std::min(least.value_or(row->median_ns), row->median_ns);
  }
  std::vector<Candidate> found;
  for (Candidate& each : all) {
    const bool is_near = each.prior_ns && Wide{2} * *each.prior_ns <= Wide{3} * *least;
    if (found.empty() || is_near) found.push_back(std::move(each));
  }
  return found;
}

namespace {

/// A hash of whole numbers, byte by byte.
class Hash {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) hash_(number >> (8 * byte) & 0xff);
  }
  void add(int number) { add(static_cast<std::uint64_t>(number)); }
  /// Returns the hash; never 0, which says that there is none.
  [[nodiscard]] std::uint64_t value() const { return std::max<std::uint64_t>(hash_.value(), 1); }

 private:
  formats::Fnv1a hash_;
};

/// Returns the node of every rank, numbered as they come: two lists that differ in the numbers
/// alone give the same. An empty list means one node for all.
std::vector<int> numbered_as_they_come(const std::vector<int>& node, int ranks) {
  if (node.empty()) return std::vector<int>(static_cast<std::size_t>(ranks), 0);
  std::vector<int> seen;
  std::vector<int> numbers;
  for (const int each : node) {
    const auto found = std::ranges::find(seen, each);
    numbers.push_back(static_cast<int>(found - seen.begin()));
    if (found == seen.end()) seen.push_back(each);
  }
  return numbers;
}

std::uint64_t hash_of_switches(const algorithms::Placement& placement) {
  if (placement.network == nullptr || placement.network->tree() == nullptr) return 0;
  const topology::SwitchTree& tree = *placement.network->tree();
  Hash hash;
  hash.add(tree.switches());
  for (int id = 0; id < tree.switches(); ++id) hash.add(tree.parent(id));
  for (const int host : placement.host) {
    hash.add(host);
    hash.add(tree.switch_of(host));
  }
  return hash.value();
}

}  // namespace

ProfileKey profile_key(std::string_view collective, const algorithms::Placement& placement,
                       int ranks, std::int64_t bytes) {
  const std::vector<int> node = numbered_as_they_come(placement.node, ranks);
  Hash hash;
  for (const int each : node) hash.add(each);
  return {.collective = std::string(collective),
          .ranks = ranks,
          .nodes = 1 + *std::ranges::max_element(node),
          .placement = hash.value(),
          .switches = hash_of_switches(placement),
          .bytes = bytes};
}

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view format_line = "#@agstar_profile=1";

/// Returns the error "FILE:LINE: reason".
text::InputError fault(std::string_view file, std::size_t line, std::string_view reason) {
  return text::InputError(fmt::format("{}:{}: {}", file, line, reason));
}

std::string hex_of(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::uint64_t parse_hash(std::string_view where, std::string_view cell) {
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), hash, 16);
  if (error != std::errc{} || end != cell.data() + cell.size() || cell.size() != 16) {
    throw text::bad_value(where, cell, "is not 16 hexadecimal digits");
  }
  return hash;
}

std::string text_of_date(std::chrono::sys_days date) {
  const std::chrono::year_month_day day{date};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::chrono::sys_days parse_date(std::string_view where, std::string_view cell) {
  const std::vector<std::string_view> parts = text::split(cell, '-');
  if (cell.size() == 10 && parts.size() == 3 && parts[0].size() == 4 && parts[1].size() == 2) {
    const auto part = [&](std::size_t i, std::int64_t most) {
      return static_cast<unsigned>(text::parse_integer(where, parts[i], 0, most));
    };
    const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(part(0, 9999))),
                                          std::chrono::month(part(1, 12)),
                                          std::chrono::day(part(2, 31))};
    if (day.ok()) return day;
  }
  throw text::bad_value(where, cell, "is no date; write 2026-01-31");
}

std::string parse_collective(std::string_view where, std::string_view cell) {
  std::vector<std::string_view> legal;
  for (const collectives::Collective& each : collectives::all_collectives()) {
    if (each.name == cell) return std::string(cell);
    legal.push_back(each.name);
  }
  throw text::unknown_name(where, "collective", cell, legal);
}

/// A column of the rows. `read` is told where it reads, for its errors.
struct Column {
  std::string_view name;
  std::string (*text)(const ProfileRow&);
  void (*read)(ProfileRow&, std::string_view where, std::string_view cell);
};

constexpr int most_ranks = std::numeric_limits<int>::max();

constexpr std::array columns{
    Column{"collective", [](const ProfileRow& row) { return row.key.collective; },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.key.collective = parse_collective(where, cell);
           }},
    Column{"ranks", [](const ProfileRow& row) { return std::to_string(row.key.ranks); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.key.ranks = static_cast<int>(text::parse_integer(where, cell, 1, most_ranks));
           }},
    Column{"nodes", [](const ProfileRow& row) { return std::to_string(row.key.nodes); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.key.nodes = static_cast<int>(text::parse_integer(where, cell, 1, most_ranks));
           }},
    Column{"placement", [](const ProfileRow& row) { return hex_of(row.key.placement); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.key.placement = parse_hash(where, cell);
           }},
    Column{"switches", [](const ProfileRow& row) { return hex_of(row.key.switches); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.key.switches = parse_hash(where, cell);
           }},
    Column{"bytes", [](const ProfileRow& row) { return std::to_string(row.key.bytes); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.key.bytes = text::parse_integer(where, cell, 1, largest);
           }},
    Column{"algorithm", [](const ProfileRow& row) { return row.algorithm; },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             if (cell.empty()) throw text::bad_value(where, cell, "is no name");
             row.algorithm = cell;
           }},
    Column{"values", [](const ProfileRow& row) { return std::to_string(row.values); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.values = text::parse_integer(where, cell, 1, largest);
           }},
    Column{"median_ns", [](const ProfileRow& row) { return std::to_string(row.median_ns); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.median_ns = text::parse_integer(where, cell, 1, largest);
           }},
    Column{"date", [](const ProfileRow& row) { return text_of_date(row.date); },
           [](ProfileRow& row, std::string_view where, std::string_view cell) {
             row.date = parse_date(where, cell);
           }},
};

/// A line of the heading; the lines stand in this order.
struct HeadLine {
  std::string_view key;
  std::string Profile::*member;
};
constexpr std::array head_lines{
    HeadLine{"suite", &Profile::suite},
    HeadLine{"mpi", &Profile::mpi},
    HeadLine{"hosts", &Profile::hosts},
};

std::string column_line() {
  std::string line;
  for (const Column& column : columns) {
    if (!line.empty()) line += ',';
    line += column.name;
  }
  return line;
}

/// The lines of a text, one after the other, with their numbers.
class Reader {
 public:
  Reader(std::string_view file, std::string_view text) : file_(file) {
    if (text.size() > most_profile_bytes) {
      throw fault(file, 1,
                  fmt::format("is no profile: it is longer than {} bytes", most_profile_bytes));
    }
    lines_ = text::split(text, '\n');
    if (!lines_.back().empty()) {
      throw fault(file, lines_.size(), "the last line has no end: the file is cut off");
    }
    lines_.pop_back();
  }
  [[nodiscard]] bool has_more() const { return next_ < lines_.size(); }
  [[nodiscard]] std::size_t line() const { return next_; }

  std::string_view take(std::string_view expected) {
    if (!has_more()) {
      ++next_;
      throw fail(fmt::format("the file ends where '{}' has to stand", expected));
    }
    return lines_[next_++];
  }
  void require(std::string_view expected) {
    const std::string_view line = take(expected);
    if (line != expected) {
      throw fail(fmt::format("'{}' stands where '{}' has to", text::in_one_line(line), expected));
    }
  }
  /// Returns the error about the line that was taken last.
  [[nodiscard]] text::InputError fail(std::string_view reason) const {
    return fault(file_, next_, reason);
  }
  [[nodiscard]] std::string where(std::string_view column) const {
    return fmt::format("{}:{}: {}", file_, next_, column);
  }

 private:
  std::string_view file_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
};

ProfileRow read_row(Reader& reader) {
  const std::vector<std::string> cells = text::csv_cells(reader.take(""));
  if (cells.size() != columns.size()) {
    throw reader.fail(fmt::format("has {} cells, not {}", cells.size(), columns.size()));
  }
  ProfileRow row;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // An error quotes the cell, which must not end its line.
    columns[i].read(row, reader.where(columns[i].name), text::in_one_line(cells[i]));
  }
  if (row.key.nodes > row.key.ranks) {
    throw reader.fail(fmt::format("has {} nodes for {} ranks", row.key.nodes, row.key.ranks));
  }
  return row;
}

}  // namespace

Profile read_profile(std::string_view file, std::string_view text) {
  Reader reader(file, text);
  reader.require(format_line);
  Profile profile;
  for (const HeadLine& head : head_lines) {
    const std::string prefix = fmt::format("#@{}=", head.key);
    const std::string_view line = reader.take(prefix);
    if (!line.starts_with(prefix)) {
      throw reader.fail(
          fmt::format("'{}' stands where '{}' has to", text::in_one_line(line), prefix));
    }
    profile.*head.member = line.substr(prefix.size());
  }
  reader.require(column_line());
  while (reader.has_more()) {
    ProfileRow row = read_row(reader);
    const auto place = [](const ProfileRow& each) { return std::tie(each.key, each.algorithm); };
    const auto at = std::ranges::lower_bound(profile.rows, place(row), {}, place);
    if (at != profile.rows.end() && place(*at) == place(row)) {
      throw reader.fail(fmt::format("'{}' stands a second time with this key", row.algorithm));
    }
    profile.rows.insert(at, std::move(row));
  }
  return profile;
}

std::string text_of(const Profile& profile) {
  std::string text = fmt::format("{}\n", format_line);
  for (const HeadLine& head : head_lines) {
    text += fmt::format("#@{}={}\n", head.key, text::in_one_line(profile.*head.member));
  }
  text.append(column_line()).push_back('\n');
  for (const ProfileRow& row : profile.rows) {
    std::string line;
    for (const Column& column : columns) {
      if (!line.empty()) line += ',';
      line += text::csv_cell(column.text(row));
    }
    text.append(line).push_back('\n');
  }
  return text;
}

}  // namespace gatherbench::policies
