// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/plan.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/mpi/plans/byte_types.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {
namespace {

// Messages of a pair of ranks never overtake each other, so one tag serves all steps. Tokens that a
// step left on their way may be overtaken by blocks.
constexpr int tag_of_blocks = 0;
constexpr int tag_of_tokens = 1;

/// As MPI counts it, also from one buffer to another.
std::int64_t bytes_between(const std::byte* from, const std::byte* to) {
  MPI_Aint start = 0;
  MPI_Aint end = 0;
  require(MPI_Get_address(from, &start), "MPI_Get_address");
  require(MPI_Get_address(to, &end), "MPI_Get_address");
  return end - start;
}

/// Its receiver may have given up, too. A library that cannot cancel it gets some time for it.
void give_up_send(MPI_Request& request) noexcept {
  constexpr std::int64_t patience_ns = 1'000'000'000;
  MPI_Cancel(&request);
  const std::int64_t start = steady_ns();
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    if (steady_ns() - start > patience_ns) {
      MPI_Request_free(&request);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Plan::Plan(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive, MPI_Comm comm,
           Memory memory, const Reduction& reduction)
    : comm_(comm), memory_(memory), reduction_(reduction) {
  bind(lowered, send, receive);
}

void Plan::bind(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive) {
  send_ = send;
  receive_ = receive;
  if (lowered.scratch_bytes() > scratch_bytes_) {
    scratch_bytes_ = lowered.scratch_bytes();
    scratch_ = Buffer(scratch_bytes_, memory_);
  }
  if (lowered.packed_bytes() > packed_bytes_) {
    packed_bytes_ = lowered.packed_bytes();
    packed_ = Buffer(packed_bytes_, memory_);
  }
  types_.clear();
  if (lowered.element() != element_.element()) element_ = ElementType(lowered.element());
  calls_.clear();
  copies_.clear();
  steps_.clear();
  prologue_ = add(lowered.prologue());
  std::size_t max_calls = 0;
  std::size_t left = 0;
  for (std::size_t s = 0; s < lowered.steps(); ++s) {
    const LoweredSchedule::Step step = lowered.step(s);
    Step planned{};
    planned.barrier = step.barrier;
    planned.leaves = step.leaves;
    planned.receives = add(step.receives);
    planned.sends = add(step.sends);
    planned.unpacking = add(step.unpacking);
    steps_.push_back(planned);
    max_calls = std::max(max_calls, step.receives.size() + step.sends.size());
    if (step.leaves) left += step.sends.size();
  }
  epilogue_ = add(lowered.epilogue());
  background_steps_ = lowered.background_steps();
  std::size_t background_calls = 0;  // all of them may be open at once
  for (std::size_t s = 0; s < background_steps_; ++s) {
    background_calls += steps_[s].sends.size() + steps_[s].receives.size();
  }
  const std::size_t one = 1;  // of a barrier or a broadcast
  requests_.resize(std::max({max_calls, background_calls, one}), MPI_REQUEST_NULL);
  completed_.resize(background_calls);
  left_.assign(left, MPI_REQUEST_NULL);
  if (!lowered.broadcast().empty()) {
    broadcast_ = call({lowered.broadcast_root(), {}, lowered.broadcast()});
  }
}

std::byte* Plan::address(Area area, std::int64_t offset_of_data) const {
  const std::int64_t offset = element_.in_memory(area, offset_of_data);
  switch (area) {
    case Area::send:
      // MPI's calls take a non-const buffer for receives; the send buffer is never one.
      return const_cast<std::byte*>(send_) + offset;
    case Area::receive:
      return receive_ + offset;
    case Area::scratch:
      return scratch_.data() + offset;
    case Area::packed:
      return packed_.data() + offset;
  }
  return nullptr;
}

Plan::Range Plan::add(std::span<const Copy> copies) {
  const std::size_t first = copies_.size();
  for (const Copy& copy : copies) {
    // Nobody looks at folded bytes. Copies take no simulated time, but an operator may.
    if (memory_ == Memory::folded && copy.incoming == algorithms::Incoming::store) continue;
    copies_.push_back(byte_copy(copy));
  }
  return {first, copies_.size()};
}

Plan::ByteCopy Plan::byte_copy(const Copy& copy) const {
  ByteCopy one{address(copy.to, copy.to_offset), address(copy.from, copy.from_offset),
               static_cast<std::size_t>(copy.bytes), copy.incoming};
  const Element& element = element_.element();
  if (!element.has_gaps()) return one;
  const auto step_in = [&](Area area) {
    return ElementType::is_users(area) ? element.extent : element.bytes;
  };
  one.bytes = static_cast<std::size_t>(element.bytes);
  one.elements = copy.bytes / element.bytes;
  one.to_step = step_in(copy.to);
  one.from_step = step_in(copy.from);
  return one;
}

Plan::Range Plan::add(std::span<const Message> messages) {
  const std::size_t first = calls_.size();
  for (const Message& message : messages) {
    calls_.push_back(call(message));
    calls_.back().packing = add(message.packing);
  }
  return {first, calls_.size()};
}

Plan::Call Plan::call(const Message& message) {
  if (message.pieces.empty()) {
    return {.count = 0, .type = MPI_CHAR, .peer = message.peer, .tag = tag_of_tokens};
  }
  const Piece& first = message.pieces[0];
  if (message.pieces.size() > 1) {
    std::byte* const base = address(first.area, 0);
    std::vector<Piece> pieces(message.pieces.begin(), message.pieces.end());
    for (Piece& piece : pieces) {  // which may lie in several buffers
      piece.offset = element_.in_memory(piece.area, piece.offset) +
                     bytes_between(base, address(piece.area, 0));
    }
    types_.push_back(make_pieces_type(pieces, element_));
    return {base, 1, types_.back().get(), message.peer, tag_of_blocks};
  }
  void* const buffer = address(first.area, first.offset);
  const std::int64_t count = first.bytes / element_.bytes(first.area);
  if (count <= max_plain_bytes) {
    return {buffer, static_cast<int>(count), element_.type(first.area), message.peer,
            tag_of_blocks};
  }
  types_.push_back(make_pieces_type({{{first.area, 0, first.bytes}}}, element_));
  return {buffer, 1, types_.back().get(), message.peer, tag_of_blocks};
}

void Plan::copy(const Range& range) const {
  for (std::size_t i = range.first; i < range.last; ++i) {
    const ByteCopy& one = copies_[i];
    if (one.incoming != algorithms::Incoming::store) {
      combine(one);
    } else if (one.elements == 1) {
      std::memcpy(one.to, one.from, one.bytes);
    } else {
      copy_elements(one);
    }
  }
}

void Plan::copy_elements(const ByteCopy& one) {
  std::byte* to = one.to;
  const std::byte* from = one.from;
  for (std::int64_t i = 0; i < one.elements; ++i) {
    std::memcpy(to, from, one.bytes);
    to += one.to_step;
    from += one.from_step;
  }
}

void Plan::combine(const ByteCopy& bytes) const {
  const auto size = static_cast<std::int64_t>(bytes.bytes);
  if (bytes.incoming == algorithms::Incoming::combine_before) {
    mpi::combine(reduction_, bytes.from, bytes.to, size);
    return;
  }
  // MPI leaves the result where the second operand was: in what came in, an area of the plan.
  mpi::combine(reduction_, bytes.to, bytes.from, size);
  std::memcpy(bytes.to, bytes.from, bytes.bytes);
}

void Plan::communicate(const Step& step) {
  if (step.receives.size() == 1 && step.sends.size() == 1) {
    const Call& out = calls_[step.sends.first];
    copy(out.packing);
    const Call& in = calls_[step.receives.first];
    require(MPI_Sendrecv(out.buffer, out.count, out.type, out.peer, out.tag, in.buffer, in.count,
                         in.type, in.peer, in.tag, comm_, MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
    return;
  }
  const int used = post(step, 0);
  wait_all(std::span(requests_).first(static_cast<std::size_t>(used)));
}

int Plan::post(const Step& step, int used, std::vector<MPI_Request>& requests) {
  MPI_Request* request = requests.data() + used;
  for (std::size_t i = step.receives.first; i < step.receives.last; ++i) {
    const Call& in = calls_[i];
    require(MPI_Irecv(in.buffer, in.count, in.type, in.peer, in.tag, comm_, request++),
            "MPI_Irecv");
  }
  for (std::size_t i = step.sends.first; i < step.sends.last; ++i) {
    const Call& out = calls_[i];
    copy(out.packing);
    require(MPI_Isend(out.buffer, out.count, out.type, out.peer, out.tag, comm_, request++),
            "MPI_Isend");
  }
  return static_cast<int>(request - requests.data());
}

void Plan::begin_background() {
  open_end_ = next_;
  open_ = 0;
  do {
    const Step& step = steps_[open_end_++];
    open_ = post(step, open_);
    if (step.unpacking.size() > 0) break;  // it lends its area to the next one
    // Receives alone can be open before their turn: messages of a pair come in order.
  } while (open_end_ < background_steps_ && steps_[open_end_].sends.size() == 0 &&
           steps_[open_end_].unpacking.size() == 0);
  open_left_ = open_;
}

void Plan::end_background() {
  for (; next_ < open_end_; ++next_) copy(steps_[next_].unpacking);
  open_ = open_left_ = 0;
}

Advance Plan::advance() {
  if (open_left_ > 0) {
    int count = 0;
    require(MPI_Testsome(open_, requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
    if (count == 0) return Advance::idle;
    open_left_ -= count;
    if (open_left_ > 0) return Advance::moved;
  }
  end_background();
  if (next_ >= background_steps_) return Advance::done;
  begin_background();
  return Advance::moved;
}

void Plan::abandon() noexcept {
  std::size_t i = 0;
  for (; next_ < open_end_ && open_ > 0; ++next_) {
    for (const std::size_t behind = i + steps_[next_].receives.size(); i < behind; ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      // A message that is coming in already comes in to its end.
      if (MPI_Cancel(&requests_[i]) == MPI_SUCCESS) MPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    }
    for (const std::size_t behind = i + steps_[next_].sends.size(); i < behind; ++i) {
      if (requests_[i] != MPI_REQUEST_NULL) give_up_send(requests_[i]);
    }
  }
  open_ = open_left_ = 0;
}

void Plan::run() {
  run_parts([] {});
}

void Plan::run(std::span<std::int64_t> marks) {
  std::int64_t* next = marks.data();
  run_parts([&next] { *next++ = steady_ns(); });
}

template <class Mark>
void Plan::run_parts(Mark mark) {
  mark();
  copy(prologue_);
  if (open_left_ > 0) {
    wait_all(std::span(requests_).first(static_cast<std::size_t>(open_)));
  }
  end_background();
  mark();
  int left = 0;
  for (; next_ < steps_.size(); ++next_) {
    const Step& step = steps_[next_];
    if (step.barrier) require(MPI_Barrier(comm_), "MPI_Barrier");
    if (step.leaves) {
      left = post(step, left, left_);
    } else {
      communicate(step);
    }
    copy(step.unpacking);
    mark();
  }
  next_ = open_end_ = 0;
  if (left > 0) wait_all(left_);
  copy(epilogue_);
  if (broadcast_.buffer != nullptr) {
    require(MPI_Bcast(broadcast_.buffer, broadcast_.count, broadcast_.type, broadcast_.peer, comm_),
            "MPI_Bcast");
  }
  mark();
}

StepMessages Plan::messages(std::size_t step) const {
  StepMessages found{.barrier = steps_[step].barrier};
  const auto add = [this](const Range& calls, std::vector<int>& peers, std::int64_t& bytes) {
    for (std::size_t i = calls.first; i < calls.last; ++i) {
      MPI_Count size = 0;
      require(MPI_Type_size_x(calls_[i].type, &size), "MPI_Type_size_x");
      bytes += size * calls_[i].count;
      peers.push_back(calls_[i].peer);
    }
    std::ranges::sort(peers);
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  };
  add(steps_[step].sends, found.to, found.sent_bytes);
  add(steps_[step].receives, found.from, found.received_bytes);
  return found;
}

void Plan::begin() {
  copy(prologue_);
  next_ = 0;
  used_left_ = 0;
  in_barrier_ = false;
  stage_ = Stage::steps;
  go_on();
}

bool Plan::test() {
  while (stage_ != Stage::done) {
    int done = 1;
    if (!pending_.empty()) {
      require(MPI_Testall(static_cast<int>(pending_.size()), pending_.data(), &done,
                          MPI_STATUSES_IGNORE),
              "MPI_Testall");
    }
    if (done == 0) return false;
    complete();
    go_on();
  }
  return true;
}

void Plan::finish() {
  while (stage_ != Stage::done) {
    if (!pending_.empty()) wait_all(pending_);
    complete();
    go_on();
  }
}

void Plan::complete() {
  switch (stage_) {
    case Stage::steps:
      if (in_barrier_) break;  // its step comes next
      copy(steps_[next_].unpacking);
      ++next_;
      break;
    case Stage::left:
      copy(epilogue_);
      stage_ = Stage::broadcast;
      break;
    case Stage::broadcast:
      stage_ = Stage::done;
      break;
    case Stage::done:
      break;
  }
  pending_ = {};
}

void Plan::go_on() {
  const std::span<MPI_Request> all(requests_);
  if (stage_ == Stage::steps && next_ < steps_.size()) {
    const Step& step = steps_[next_];
    if (step.barrier && !in_barrier_) {
      require(MPI_Ibarrier(comm_, requests_.data()), "MPI_Ibarrier");
      pending_ = all.first(1);
      in_barrier_ = true;
      return;
    }
    in_barrier_ = false;
    if (step.leaves) {
      used_left_ = post(step, used_left_, left_);
    } else {
      pending_ = all.first(static_cast<std::size_t>(post(step, 0)));
    }
    return;
  }
  if (stage_ == Stage::steps) {
    stage_ = Stage::left;
    next_ = 0;
    pending_ = std::span(left_).first(static_cast<std::size_t>(used_left_));
    return;
  }
  if (stage_ != Stage::broadcast || broadcast_.buffer == nullptr) return;
  require(MPI_Ibcast(broadcast_.buffer, broadcast_.count, broadcast_.type, broadcast_.peer, comm_,
                     requests_.data()),
          "MPI_Ibcast");
  pending_ = all.first(1);
}

}  // namespace gatherbench::mpi
