// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/arrival_aware/local_redirect.h"

#include <array>
#include <cstring>

#include "algorithms/collectives/collective.h"
#include "runtime/mpi/plans/byte_types.h"

namespace gatherbench::mpi {
namespace {

constexpr int tag_of_vectors = 0;
constexpr int tag_of_tokens = 1;
constexpr int tag_of_answers = 2;

}  // namespace

void pair_up(std::span<const int> ready, int parent, std::vector<Redirect>& redirects) {
  redirects.clear();
  for (std::size_t i = 0; i < ready.size(); i += 2) {
    redirects.push_back({ready[i], i + 1 < ready.size() ? ready[i + 1] : parent});
  }
}

LocalRedirect::LocalRedirect(const Reduction& reduction, std::int64_t bytes, const std::byte* send,
                             std::byte* receive, MPI_Comm comm, int root, Memory memory)
    : reduction_(reduction),
      bytes_(bytes),
      comm_(comm),
      memory_(memory),
      rank_(rank_of(comm)),
      incoming_(bytes, memory),
      combined_(rank_ == root ? 0 : bytes, memory) {
  const int ranks = size_of(comm);
  const auto rank_at = [&](int place) { return (place + root) % ranks; };
  const int place = collectives::distance_from(root, rank_, ranks);
  parent_ = rank_at(place & (place - 1));
  for (int distance = 1; distance < ranks - place && (place & distance) == 0; distance *= 2) {
    children_.push_back(rank_at(place + distance));
  }
  tokens_.assign(children_.size(), MPI_REQUEST_NULL);
  completed_.resize(children_.size());
  ready_.reserve(children_.size());
  redirects_.reserve(children_.size());
  if (bytes <= max_plain_bytes) {
    count_ = static_cast<int>(bytes);
  } else {
    large_ = make_large_type(bytes);
    type_ = large_.get();
    count_ = 1;
  }
  use_buffers(send, receive);
}

void LocalRedirect::use_buffers(const std::byte* send, std::byte* receive) {
  result_ = parent_ == rank_ ? receive : combined_.data();
  send_ = send == nullptr ? receive : send;
}

void LocalRedirect::run() {
  held_ = send_;
  gather_children();
  if (parent_ != rank_) {
    hand_over();
  } else if (held_ != result_ && memory_ == Memory::own && bytes_ > 0) {  // of one rank
    std::memcpy(result_, held_, static_cast<std::size_t>(bytes_));
  }
}

void LocalRedirect::await_ready(std::size_t child) {
  require(MPI_Irecv(nullptr, 0, MPI_CHAR, children_[child], tag_of_tokens, comm_, &tokens_[child]),
          "MPI_Irecv");
}

void LocalRedirect::gather_children() {
  for (std::size_t i = 0; i < children_.size(); ++i) await_ready(i);
  for (std::size_t left = children_.size(); left > 0; left -= redirects_.size()) {
    int found = 0;
    require(MPI_Waitsome(static_cast<int>(tokens_.size()), tokens_.data(), &found,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitsome");
    ready_.clear();
    for (int i = 0; i < found; ++i) {
      ready_.push_back(
          children_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])]);
    }
    pair_up(ready_, rank_, redirects_);
    // Every second child takes another one's vector, and will be ready again.
    for (std::size_t i = 1; i < ready_.size(); i += 2) {
      await_ready(static_cast<std::size_t>(completed_[i]));
    }
    for (const Redirect& redirect : redirects_) answer(redirect);
  }
}

void LocalRedirect::answer(const Redirect& redirect) {
  const std::array<int, 2> told{redirect.from, redirect.to};
  const auto tell = [&](int child) {
    require(
        MPI_Send(told.data(), static_cast<int>(told.size()), MPI_INT, child, tag_of_answers, comm_),
        "MPI_Send");
  };
  tell(redirect.from);
  if (redirect.to == rank_) {
    take(redirect.from);
  } else {
    tell(redirect.to);
  }
}

void LocalRedirect::hand_over() {
  while (true) {
    require(MPI_Send(nullptr, 0, MPI_CHAR, parent_, tag_of_tokens, comm_), "MPI_Send");
    std::array<int, 2> told{};
    require(MPI_Recv(told.data(), static_cast<int>(told.size()), MPI_INT, parent_, tag_of_answers,
                     comm_, MPI_STATUS_IGNORE),
            "MPI_Recv");
    const auto [from, to] = told;
    if (from == rank_) {
      require(MPI_Send(held_, count_, type_, to, tag_of_vectors, comm_), "MPI_Send");
      return;
    }
    take(from);
  }
}

void LocalRedirect::take(int from) {
  // MPI_Reduce_local leaves the result in its second operand: the first vector that comes in comes
  // to where the result has to be, so that the own one, which is not to be written, is not copied.
  const bool is_first = held_ != result_;
  std::byte* const to = is_first ? result_ : incoming_.data();
  require(MPI_Recv(to, count_, type_, from, tag_of_vectors, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
  // Nobody looks at folded bytes.
  if (memory_ == Memory::own) combine(reduction_, is_first ? held_ : to, result_, bytes_);
  held_ = result_;
}

}  // namespace gatherbench::mpi
