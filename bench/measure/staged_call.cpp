// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/staged_call.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace gatherbench::bench {
namespace {

constexpr std::size_t most_step = std::size_t{1} << 30;  // CUDA's rows are less than 2 GiB apart

bool has(const collectives::Blocks& blocks, int block) {
  return std::ranges::any_of(blocks, [block](const collectives::BlockRange& range) {
    return range.first <= block && block < range.first + range.count;
  });
}

void wait() { device::Current::device().wait(); }

/// Passes what only some calls can do on to the call on the host; `begin` fetches before it, and
/// `finish` puts after it. A call in several pieces cannot be split.
class StagedCall final : public PreparedCall, public Splittable {
 public:
  explicit StagedCall(std::vector<StagedPiece> pieces)
      : pieces_(std::move(pieces)),
        splittable_(pieces_.size() == 1 ? first().splittable() : nullptr) {}

  void run() override {
    pieces_.front().stage.begin_fetch();
    wait();
    for (std::size_t now = 0; now < pieces_.size(); ++now) {
      if (now > 0) pieces_[now - 1].stage.begin_put();
      if (now + 1 < pieces_.size()) pieces_[now + 1].stage.begin_fetch();
      pieces_[now].on_host->run();
      if (pieces_.size() > 1) wait();
    }
    pieces_.back().stage.begin_put();
    wait();
  }
  void use_buffers(const std::byte* send, std::byte* receive) override {
    for (StagedPiece& piece : pieces_) piece.stage.use_buffers(send, receive);
  }
  [[nodiscard]] mpi::ScopedSettings arm() const override { return pieces_.front().on_host->arm(); }

  [[nodiscard]] Splittable* splittable() override {
    return splittable_ == nullptr ? nullptr : this;
  }
  void begin() override {
    pieces_.front().stage.begin_fetch();
    wait();
    splittable_->begin();
  }
  bool test() override { return splittable_->test(); }
  void finish() override {
    splittable_->finish();
    pieces_.front().stage.begin_put();
    wait();
  }

  [[nodiscard]] Predicting* predicting() override { return first().predicting(); }
  [[nodiscard]] Expecting* expecting() override { return first().expecting(); }
  [[nodiscard]] SelfChecking* self_checking() override { return first().self_checking(); }
  [[nodiscard]] const mpi::ArrivalStatistics* arrival_statistics() const override {
    return pieces_.front().on_host->arrival_statistics();
  }
  [[nodiscard]] std::string_view chosen() const override {
    return pieces_.front().on_host->chosen();
  }

 private:
  [[nodiscard]] PreparedCall& first() { return *pieces_.front().on_host; }

  std::vector<StagedPiece> pieces_;
  Splittable* splittable_;  // of the only call on the host; null: it has none
};

}  // namespace

HostStage::HostStage(const mpi::Layout& layout, const collectives::Part& part,
                     const std::byte* send, std::byte* receive, const mpi::Cut& piece)
    : send_(send), receive_(receive), layout_(std::make_unique<mpi::Layout>(layout.piece(piece))) {
  const mpi::Element& element = layout.element();
  if (send != nullptr) {
    const std::int64_t bytes = element.in_memory(layout_->bytes(part.initial));
    host_send_ = mpi::Buffer(bytes, mpi::Memory::pinned);
  }
  host_receive_ = mpi::Buffer(element.in_memory(layout_->extent(part.goal)), mpi::Memory::pinned);
  const collectives::Blocks& there = send == nullptr ? part.in_place : part.initial;
  add(sent_, there, part.initial, layout, send == nullptr, piece);
  add(received_, part.goal, part.goal, layout, true, piece);
}

void HostStage::add(std::vector<Strip>& strips, const collectives::Blocks& there,
                    const collectives::Blocks& wanted, const mpi::Layout& in_device,
                    bool in_receive_buffer, const mpi::Cut& piece) const {
  const mpi::Element& element = in_device.element();
  const auto place = [&](const mpi::Layout& layout, int block, std::int64_t dense) {
    return in_receive_buffer && !layout.is_dense() ? layout.displacement(block) : dense;
  };
  const auto in_memory = [&](std::int64_t offset) {
    return static_cast<std::size_t>(element.in_memory(offset));
  };
  std::int64_t device = 0;  // of dense blocks
  std::int64_t host = 0;
  for (const collectives::BlockRange& range : there) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      const std::int64_t bytes = layout_->bytes(block);
      if (bytes > 0 && has(wanted, block)) {
        Strip strip{in_memory(place(in_device, block, device) + in_device.begin_of(piece, block)),
                    in_memory(place(*layout_, block, host)), static_cast<std::size_t>(bytes)};
        if (element.has_gaps()) {
          strip.bytes = static_cast<std::size_t>(element.bytes);
          strip.count = static_cast<std::size_t>(bytes / element.bytes);
          strip.device_step = strip.host_step = static_cast<std::size_t>(element.extent);
        }
        join(strips, strip);
      }
      device += in_device.bytes(block);
      host += bytes;
    }
  }
}

void HostStage::join(std::vector<Strip>& strips, const Strip& next) {
  if (!strips.empty()) {
    Strip& last = strips.back();
    const std::size_t device_step = (next.device - last.device) / last.count;
    const std::size_t host_step = (next.host - last.host) / last.count;
    const bool are_rows = last.count == 1 && next.count == 1;
    if (are_rows && device_step == last.bytes && host_step == last.bytes) {
      last.bytes += next.bytes;
      return;
    }
    const auto goes_on = [&](const Strip& strip) {
      return strip.count == 1 || (strip.device_step == device_step && strip.host_step == host_step);
    };
    if (next.bytes == last.bytes && next.device == last.device + last.count * device_step &&
        next.host == last.host + last.count * host_step && goes_on(last) && goes_on(next) &&
        device_step >= last.bytes && device_step <= most_step && host_step >= last.bytes &&
        host_step <= most_step) {
      last.count += next.count;
      last.device_step = device_step;
      last.host_step = host_step;
      return;
    }
  }
  strips.push_back(next);
}

void HostStage::use_buffers(const std::byte* send, std::byte* receive) {
  send_ = send;
  receive_ = receive;
}

void HostStage::begin_fetch() const {
  std::byte* const to = send_ == nullptr ? receive() : send();
  const std::byte* const from = send_ == nullptr ? receive_ : send_;
  for (const Strip& strip : sent_) {
    device::Current::device().copy(to + strip.host, from + strip.device,
                                   {strip.bytes, strip.count, strip.host_step, strip.device_step});
  }
}

void HostStage::begin_put() const {
  for (const Strip& strip : received_) {
    device::Current::device().copy(receive_ + strip.device, receive() + strip.host,
                                   {strip.bytes, strip.count, strip.device_step, strip.host_step});
  }
}

std::unique_ptr<PreparedCall> staged(std::vector<StagedPiece> pieces) {
  return std::make_unique<StagedCall>(std::move(pieces));
}

}  // namespace gatherbench::bench
