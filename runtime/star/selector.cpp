// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/library_family.h"
#include "runtime/star/say.h"

namespace gatherbench::star {
namespace {

int forget_state(MPI_Comm /*comm*/, int /*key*/, void* state, void* /*state*/) {
  Selector::the().forget(static_cast<CommState*>(state));
  return MPI_SUCCESS;
}

}  // namespace

thread_local bool within_call = false;

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
    report_ = std::make_unique<Report>(!world_->settings.report.empty());
    active_ = true;
  } catch (const std::exception& error) {
    // Others may be further: nobody can go on.
    say(error.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void Selector::finish() {
  if (!active_.exchange(false)) return;
  const WithinCall guard;
  const std::scoped_lock lock(mutex_);
  std::vector<CommState*> with_duplicate;
  for (CommState* const state : states_) {
    report_->add(*state);
    state->close();
    if (state->duplicate().get() != MPI_COMM_NULL) with_duplicate.push_back(state);
  }
  // Communicators are freed in the same order on all ranks.
  std::ranges::sort(with_duplicate, {}, [](CommState* each) { return each->duplicate().id(); });
  for (CommState* const state : with_duplicate) state->duplicate().free();
  report_->tell(*world_);
  PMPI_Comm_free_keyval(&key_);
  // The states that are left refer to it, but use it no more; what it has of MPI's goes now.
  world_->finish();
}

CommState& Selector::state_of(MPI_Comm comm) {
  void* attribute = nullptr;
  int found = 0;
  mpi::require(PMPI_Comm_get_attr(comm, key_, static_cast<void*>(&attribute), &found),
               "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<CommState*>(attribute);
  auto made = std::make_unique<CommState>(*world_, comm);
  mpi::require(PMPI_Comm_set_attr(comm, key_, made.get()), "MPI_Comm_set_attr");
  const std::scoped_lock lock(mutex_);
  states_.insert(made.get());
  return *made.release();
}

void Selector::forget(CommState* state) {
  const std::unique_ptr<CommState> owned(state);
  {
    const std::scoped_lock lock(mutex_);
    states_.erase(state);
    if (is_active()) report_->add(*state);
  }
  // The calls below must not count as the program's own, one of which may be under way in another
  // thread.
  const bool before = within_call;
  within_call = true;
  state->close();
  state->duplicate().free();
  within_call = before;
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
