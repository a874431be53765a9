// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/library_family.h"
#include "runtime/star/profile_file.h"
#include "runtime/star/say.h"

namespace gatherbench::star {
namespace {

constexpr std::string_view columns =
    "communicator,ranks,operation,calls,agreements,algorithm,time_ns,native_ns,timed_ns,excess_"
    "ns,selecting_ns,monitoring_ns\n";

std::string number(std::int64_t value) { return value < 0 ? "" : fmt::to_string(value); }

/// Returns the texts of all ranks in rank order on rank 0, and nothing on the others. The number of
/// all their characters must fit into an int. Collective.
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

/// Returns the sums of the ranks' numbers on rank 0; the others have their own back. It is no
/// MPI_Reduce, for which MPICH 5 makes a file in memory: that ends a program whose files may not
/// grow. Collective.
template <std::size_t count>
std::array<std::int64_t, count> add_up(std::array<std::int64_t, count> own, const World& world) {
  std::vector<std::array<std::int64_t, count>> all(static_cast<std::size_t>(world.ranks));
  PMPI_Gather(own.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, 0, world.comm.get());
  if (world.rank != 0) return own;
  std::array<std::int64_t, count> sums{};
  for (const std::array<std::int64_t, count>& each : all) {
    std::ranges::transform(sums, each, sums.begin(), std::plus());
  }
  return sums;
}

/// Sorts the rows and keeps one of each key and algorithm: of several communicators like each
/// other, the one with most values.
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

/// Adds the rows of all ranks to the file of AGSTAR_PROFILE, on rank 0. Collective.
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

}  // namespace

Report::Report(const World& world) : in_detail_(!world.settings.report.empty()) {
  if (in_detail_ && world.rank == 0) file_.make("AGSTAR_REPORT", world.settings.report, columns);
}

void Report::add(CommState& state) {
  DuplicateComm& duplicate = state.duplicate();
  if (duplicate.rank() != 0) return;
  for (const Session& session : state.sessions()) {
    const Account account = session.account();
    ++sessions_;
    changed_ += account.algorithm == "native" ? 0 : 1;
    calls_ += account.calls;
    agreements_ += account.agreements;
    spent_ns_ += account.spent_ns;
    excess_ns_ += account.excess_ns;
    std::ranges::move(session.profile_rows(), std::back_inserter(rows_));
    if (!in_detail_) continue;
    lines_ +=
        // The number that its ranks agreed on, or that they would agree on.
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", duplicate.proposed_id(),
                    duplicate.ranks(), session.key().text(), account.calls, account.agreements,
                    account.algorithm, number(account.time_ns), number(account.native_ns),
                    account.spent_ns, account.excess_ns,
                    number(account.overheads.selecting.ns_a_call()),
                    number(account.overheads.monitoring.ns_a_call()));
  }
}

void Report::tell(const World& world) {
  const std::array own{sessions_,
                       changed_,
                       calls_,
                       agreements_,
                       spent_ns_,
                       excess_ns_,
                       world.without_windows.load()};
  const std::array all = add_up(own, world);
  const std::vector<std::string> lines =
      in_detail_ ? gather_texts(lines_, world) : std::vector<std::string>();
  if (world.profile) keep(std::move(rows_), world);
  if (world.rank != 0) return;
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; };
  say(
      fmt::format("calls: {}, of {} kinds; another algorithm than the MPI library's at the "
                  "end: {}; agreements: {}; those that were timed took {:.6g} s; trying and "
                  "agreeing cost {:.3g} s",
                  all[2], all[0], all[1], all[3], seconds(all[4]), seconds(all[5])));
  if (all[6] > 0) {
    say(
        fmt::format("communicators that could not have memory that ranks of a node share: {}; they "
                    "tried no NAME:via=window",
                    all[6]));
  }
  for (const std::string& each : lines) file_.write(each);
  file_.close();
}

namespace {

int forget_state(MPI_Comm /*comm*/, int /*key*/, void* state, void* /*state*/) {
  Selector::the().forget(*static_cast<CommState*>(state));
  return MPI_SUCCESS;
}

}  // namespace

constinit thread_local ThisThread this_thread;

Selector& Selector::the() {
  static auto* const selector = new Selector;
  return *selector;
}

void Selector::start() {
  if (started_) return;
  started_ = true;
  if (const std::string_view other = mpi::library_of_another_family(); !other.empty()) {
    say(
        fmt::format("is built for {}, but the program runs on {}; legal: a libagstar.so that is "
                    "built with the program's MPI",
                    mpi::family_of_header(), other));
    std::_Exit(2);
  }
  const WithinCall guard;
  try {
    world_ = std::make_unique<World>();
    if (world_->settings.mode == Mode::off) {
      world_.reset();
      return;
    }
    mpi::require(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_state, &key_, nullptr),
                 "MPI_Comm_create_keyval");
    report_ = std::make_unique<Report>(*world_);
    active_ = true;
  } catch (const std::exception& error) {
    // Other ranks may be further on, so none can go on.
    say(error.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);  // MPICH 5's MPI_Abort may return
  }
}

void Selector::finish() {
  if (!active_.exchange(false)) return;
  // No thread takes the state of its last call any more.
  LastComm::all_forgotten.fetch_add(1, std::memory_order_release);
  const WithinCall guard;
  const std::scoped_lock lock(mutex_);
  std::vector<CommState*> with_duplicate;
  for (CommState& state : states_) {
    report_->add(state);
    state.close();
    if (state.duplicate().get() != MPI_COMM_NULL) with_duplicate.push_back(&state);
  }
  // Communicators are freed in the same order on all ranks.
  std::ranges::sort(with_duplicate, {}, [](CommState* each) { return each->duplicate().id(); });
  for (CommState* const state : with_duplicate) state->duplicate().free();
  report_->tell(*world_);
  PMPI_Comm_free_keyval(&key_);
  // The states that are left refer to it, but use it no more; what it has of MPI's goes now.
  world_->finish();
}

CommState& Selector::find(MPI_Comm comm) {
  void* attribute = nullptr;
  int found = 0;
  mpi::require(PMPI_Comm_get_attr(comm, key_, static_cast<void*>(&attribute), &found),
               "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<CommState*>(attribute);
  std::list<CommState> made;
  CommState& state = made.emplace_back(*world_, comm);
  state.place = made.begin();
  mpi::require(PMPI_Comm_set_attr(comm, key_, &state), "MPI_Comm_set_attr");
  const std::scoped_lock lock(mutex_);
  states_.splice(states_.end(), made);
  return state;
}

void Selector::forget(CommState& state) {
  std::list<CommState> owned;
  LastComm::all_forgotten.fetch_add(1, std::memory_order_release);
  {
    const std::scoped_lock lock(mutex_);
    owned.splice(owned.end(), states_, state.place);
    if (is_active()) report_->add(state);
  }
  // The calls below must not count as the program's own, one of which may be under way in another
  // thread.
  const bool before = this_thread.within_call;
  this_thread.within_call = true;
  state.close();
  state.duplicate().free();
  this_thread.within_call = before;
}

int report_error(MPI_Comm comm) {
  int code = MPI_ERR_OTHER;
  try {
    throw;
  } catch (const mpi::MpiError& error) {
    code = error.code();
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  } catch (const std::exception& error) {
    say(error.what());
  }
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace gatherbench::star
