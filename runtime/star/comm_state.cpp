// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/comm_state.h"

#include <algorithm>
#include <numeric>

#include "runtime/mpi/handles.h"
#include "runtime/star/call/call.h"
#include "runtime/star/call/datatypes.h"
#include "runtime/star/call/operators.h"

namespace gatherbench::star {
namespace {

bool is_between_groups(MPI_Comm comm) {
  int flag = 0;
  mpi::require(PMPI_Comm_test_inter(comm, &flag), "MPI_Comm_test_inter");
  return flag != 0;
}

}  // namespace

CommState::CommState(World& world, MPI_Comm comm)
    : world_(world), duplicate_(world, comm), passed_on_(is_between_groups(comm)) {}

// All ranks find the same here, since MPI obliges them to have alike what this looks at.
bool CommState::is_served(const Call& call) const {
  const collectives::Collective& collective = *call.collective;
  if (!world_.settings.serves(collective)) return false;
  if (collective.has_root && (call.root < 0 || call.root >= duplicate_.ranks())) return false;
  if (collective.combines) {
    // Elements with gaps, as of MPI_DOUBLE_INT, are no bytes that lie one behind the other.
    return combines(call.op, call.receive_type) &&
           (world_.settings.any_rounding || is_exact(call.op, call.receive_type)) &&
           world_.types->is_contiguous(call.receive_type);
  }
  return collective.kind != &collectives::alltoall || !call.is_in_place();
}

bool CommState::measure(const Call& call) {
  if (call.receive_type == MPI_DATATYPE_NULL) return false;
  const std::int64_t element = bytes_of(call.receive_type);
  if (!(call.is_v() ? measure_unequal(call, element) : measure_equal(call, element))) return false;
  const auto own_block = static_cast<std::size_t>(duplicate_.rank());
  const std::int64_t own = block_bytes_[block_bytes_.size() == 1 ? 0 : own_block];
  // A rank that gives another number of bytes than the others expect has the library's error.
  return call.send == MPI_IN_PLACE || (call.send_type != MPI_DATATYPE_NULL && call.sends >= 0 &&
                                       call.sends * bytes_of(call.send_type) == own);
}

bool CommState::measure_equal(const Call& call, std::int64_t element) {
  const std::int64_t count = call.receives[0];
  const std::int64_t bytes = count * element;
  if (count < 0 || bytes == 0) return false;
  const bool is_one = call.collective->has_root || call.collective->combines;
  const auto blocks = static_cast<std::size_t>(is_one ? 1 : duplicate_.ranks());
  if (bytes != equal_bytes_ || blocks != block_bytes_.size()) block_bytes_.assign(blocks, bytes);
  equal_bytes_ = bytes;
  return true;
}

bool CommState::measure_unequal(const Call& call, std::int64_t element) {
  block_bytes_.resize(static_cast<std::size_t>(duplicate_.ranks()));
  equal_bytes_ = -1;
  bool any = false;
  for (std::size_t i = 0; i < block_bytes_.size(); ++i) {
    const std::int64_t count = call.receives[static_cast<int>(i)];
    if (count < 0) return false;
    block_bytes_[i] = count * element;
    any = any || block_bytes_[i] > 0;
  }
  return any;
}

Session* CommState::find(const Key& key) {
  if (last_ != nullptr && last_->key() == key) return last_;
  const auto found = std::ranges::find(sessions_, key, &Session::key);
  return found == sessions_.end() ? nullptr : &*found;
}

bool CommState::may_be_exact(const Size& size) const {
  return std::ranges::find(exact_, size) != exact_.end() ||
         std::ranges::count(exact_, size.first, &Size::first) < most_exact;
}

Key CommState::key_of(const Call& call) const {
  Key key{.collective = call.collective, .root = call.root};
  if (call.collective->combines) key.op = name_of(call.op);
  if (!call.is_v()) {
    key.size = equal_bytes_;
    if (may_be_exact({key.collective, key.size})) return key;
  }
  const std::int64_t total =
      std::accumulate(block_bytes_.begin(), block_bytes_.end(), std::int64_t{});
  key.exact = false;
  key.size = size_class(total);
  if (call.is_v()) {
    key.skew = skew_class(duplicate_.ranks(), *std::ranges::max_element(block_bytes_), total);
  }
  return key;
}

bool CommState::is_refused(const Call& call) const {
  return are_buffers_refused(call, duplicate_.rank(), duplicate_.ranks(), world_.alone);
}

Session* CommState::find_session(const Call& call) {
  shape_ = {};
  try {
    if (!is_served(call) || !measure(call)) return nullptr;
  } catch (const mpi::MpiError&) {  // a datatype that is none
    return nullptr;
  }
  const Key key = key_of(call);
  Session* const found = find(key);
  // Nobody looks at the buffers of a quiet call, as ranks that repeat one do not, so that it counts
  // on all ranks.
  if ((found == nullptr || !found->is_quiet()) && is_refused(call)) return nullptr;
  last_ = found;
  if (last_ == nullptr) {
    if (sessions_.size() == most_sessions) return nullptr;
    const Size size(key.collective, key.size);
    if (key.exact && std::ranges::find(exact_, size) == exact_.end()) exact_.push_back(size);
    last_ = &sessions_.emplace_back(key, sessions_.size(), world_, duplicate_, block_bytes_);
  }
  const bool is_named_sending = call.send == MPI_IN_PLACE || is_named(call.send_type);
  if (is_named_sending && is_named(call.receive_type)) {
    shape_ = Shape(call);
    counts_.clear();
    for (int rank = 0; call.is_v() && rank < duplicate_.ranks(); ++rank) {
      counts_.push_back(call.receives[rank]);
    }
  }
  return last_;
}

void CommState::close() {
  pass_on();
  for (Session& session : sessions_) session.close();
}

}  // namespace gatherbench::star
