// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/star/profile_file.h"
#include "runtime/star/say.h"

namespace gatherbench::star {
namespace {

constexpr std::string_view columns =
    "communicator,ranks,operation,calls,agreements,algorithm,time_ns,native_ns,timed_ns,excess_"
    "ns,selecting_ns,monitoring_ns\n";

std::string number(std::int64_t value) { return value < 0 ? "" : fmt::to_string(value); }

/// All ranks' texts in their order, on rank 0; none that passes int altogether.
std::vector<std::string> gather_texts(const std::string& own, const World& world) {
  const auto length = static_cast<int>(own.size());
  std::vector<int> lengths(static_cast<std::size_t>(world.ranks));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, world.comm.get());
  std::vector<int> places(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  std::string all(static_cast<std::size_t>(places.back() + lengths.back()), ' ');
  PMPI_Gatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(), MPI_CHAR, 0,
               world.comm.get());
  std::vector<std::string> texts;
  for (std::size_t i = 0; world.rank == 0 && i < lengths.size(); ++i) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

/// Each key and algorithm once: of several communicators like each other, the one with most values.
void sort_and_unite(std::vector<policies::ProfileRow>& rows) {
  const auto place = [](const policies::ProfileRow& row) {
    return std::tie(row.key, row.algorithm);
  };
  std::ranges::sort(rows, [&](const policies::ProfileRow& a, const policies::ProfileRow& b) {
    return std::pair(place(a), -a.values) < std::pair(place(b), -b.values);
  });
  const auto repeated = std::ranges::unique(rows, {}, place);
  rows.erase(repeated.begin(), repeated.end());
}

/// Collective.
void keep(std::vector<policies::ProfileRow> own, const World& world) {
  policies::Profile rows{world.profile->suite, world.profile->mpi, world.profile->hosts, {}};
  sort_and_unite(own);
  rows.rows = std::move(own);
  const std::vector<std::string> texts =
      gather_texts(rows.rows.empty() ? "" : policies::text_of(rows), world);
  if (world.rank != 0) return;
  rows.rows.clear();
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    std::ranges::move(policies::read_profile("AGSTAR_PROFILE", text).rows,
                      std::back_inserter(rows.rows));
  }
  if (rows.rows.empty()) return;
  sort_and_unite(rows.rows);
  const std::string& path = world.settings.profile;
  const std::string problem = update_profile_file(path, rows, world.today);
  if (!problem.empty()) say("AGSTAR_PROFILE: '" + path + "' stays as it is: " + problem);
}

void write(const std::string& path, const std::vector<std::string>& lines) {
  std::FILE* const file = std::fopen(path.c_str(), "wxe");
  bool written = file != nullptr;
  if (written) {
    std::string text(columns);
    for (const std::string& each : lines) text += each;
    written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    written = std::fclose(file) == 0 && written;
  }
  if (!written) say("AGSTAR_REPORT: '" + path + "' cannot be written: " + std::strerror(errno));
}

}  // namespace

void Report::add(CommState& state) {
  const DuplicateComm& duplicate = state.duplicate();
  if (duplicate.rank() != 0) return;
  for (const std::unique_ptr<Session>& session : state.sessions()) {
    const Account account = session->account();
    ++sessions_;
    changed_ += account.algorithm == "native" ? 0 : 1;
    calls_ += account.calls;
    agreements_ += account.agreements;
    spent_ns_ += account.spent_ns;
    excess_ns_ += account.excess_ns;
    std::ranges::move(session->profile_rows(), std::back_inserter(rows_));
    if (!in_detail_) continue;
    lines_ +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", duplicate.id(), duplicate.ranks(),
                    session->key().text(), account.calls, account.agreements, account.algorithm,
                    number(account.time_ns), number(account.native_ns), account.spent_ns,
                    account.excess_ns, number(account.overheads.selecting.ns_a_call()),
                    number(account.overheads.monitoring.ns_a_call()));
  }
}

void Report::tell(const World& world) {
  std::array sums{sessions_,
                  changed_,
                  calls_,
                  agreements_,
                  spent_ns_,
                  excess_ns_,
                  world.without_windows.load()};
  std::array all = sums;
  PMPI_Reduce(sums.data(), all.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, 0,
              world.comm.get());
  const std::vector<std::string> lines =
      in_detail_ ? gather_texts(lines_, world) : std::vector<std::string>();
  if (world.profile) keep(std::move(rows_), world);
  if (world.rank != 0) return;
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; };
  say(
      fmt::format("all-gathers: {}, of {} kinds; another algorithm than the MPI library's at the "
                  "end: {}; agreements: {}; those that were timed took {:.6g} s; trying and "
                  "agreeing cost {:.3g} s",
                  all[2], all[0], all[1], all[3], seconds(all[4]), seconds(all[5])));
  if (all[6] > 0) {
    say(
        fmt::format("communicators that could not have memory that ranks of a node share: {}; they "
                    "tried no NAME:via=window",
                    all[6]));
  }
  if (in_detail_) write(world.settings.report, lines);
}

}  // namespace gatherbench::star
