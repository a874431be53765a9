// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/comm_state.h"

#include <algorithm>
#include <numeric>

#include "runtime/star/call/datatypes.h"
#include "runtime/star/call/gather_call.h"

namespace gatherbench::star {

bool CommState::measure(const GatherCall& call) {
  if (call.receive_type == MPI_DATATYPE_NULL) return false;
  const std::int64_t element = bytes_of(call.receive_type);
  if (!(call.is_v() ? measure_unequal(call, element) : measure_equal(call, element))) return false;
  const std::int64_t own = block_bytes_[static_cast<std::size_t>(duplicate_.rank())];
  // A rank that gives another number of bytes than the others expect has the library's error.
  return call.send == MPI_IN_PLACE || (call.send_type != MPI_DATATYPE_NULL && call.sends >= 0 &&
                                       call.sends * bytes_of(call.send_type) == own);
}

bool CommState::measure_equal(const GatherCall& call, std::int64_t element) {
  const std::int64_t count = call.receives[0];
  const std::int64_t bytes = count * element;
  if (count < 0 || bytes == 0) return false;
  if (bytes != equal_bytes_) {
    block_bytes_.assign(static_cast<std::size_t>(duplicate_.ranks()), bytes);
  }
  equal_bytes_ = bytes;
  return true;
}

bool CommState::measure_unequal(const GatherCall& call, std::int64_t element) {
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
  for (const std::unique_ptr<Session>& session : sessions_) {
    if (session->key() == key) return session.get();
  }
  return nullptr;
}

Key CommState::key_of(const GatherCall& call) {
  if (!call.is_v()) {
    const Key exact{false, true, equal_bytes_, 0};
    if (exact_ < most_exact || find(exact) != nullptr) return exact;
    return {false, false, size_class(equal_bytes_ * duplicate_.ranks()), 0};
  }
  const std::int64_t total =
      std::accumulate(block_bytes_.begin(), block_bytes_.end(), std::int64_t{});
  return {true, false, size_class(total),
          skew_class(duplicate_.ranks(), *std::ranges::max_element(block_bytes_), total)};
}

bool CommState::is_refused(const GatherCall& call) const {
  return are_buffers_refused(call, duplicate_.rank(), duplicate_.ranks(), world_.alone);
}

Session* CommState::find_session(const GatherCall& call) {
  shape_.reset();
  try {
    if (!measure(call) || is_refused(call)) return nullptr;
  } catch (const mpi::MpiError&) {  // a datatype that is none
    return nullptr;
  }
  const Key key = key_of(call);
  last_ = find(key);
  if (last_ == nullptr) {
    if (key.exact) ++exact_;
    sessions_.push_back(
        std::make_unique<Session>(key, sessions_.size(), world_, duplicate_, call, block_bytes_));
    last_ = sessions_.back().get();
  }
  const bool is_named_sending = call.send == MPI_IN_PLACE || is_named(call.send_type);
  if (!call.is_v() && is_named_sending && is_named(call.receive_type)) shape_ = call.shape();
  return last_;
}

void CommState::close() {
  pass_on();
  for (const std::unique_ptr<Session>& session : sessions_) session->close();
}

}  // namespace gatherbench::star
