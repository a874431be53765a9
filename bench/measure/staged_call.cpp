// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/staged_call.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace gatherbench::bench {
namespace {

device::Rows rows_of(std::int64_t bytes, const mpi::Element& element) {
  if (!element.has_gaps()) return {static_cast<std::size_t>(bytes)};
  const auto extent = static_cast<std::size_t>(element.extent);
  return {.bytes = static_cast<std::size_t>(element.bytes),
          .count = static_cast<std::size_t>(bytes / element.bytes),
          .to_step = extent,
          .from_step = extent};
}

bool has(const collectives::Blocks& blocks, int block) {
  return std::ranges::any_of(blocks, [block](const collectives::BlockRange& range) {
    return range.first <= block && block < range.first + range.count;
  });
}

/// What only some calls can do goes to the call on the host, but that its parts fetch and put.
class StagedCall final : public PreparedCall, public Splittable {
 public:
  StagedCall(std::unique_ptr<PreparedCall> on_host, HostStage stage)
      : on_host_(std::move(on_host)),
        splittable_(on_host_->splittable()),
        stage_(std::move(stage)) {}

  void run() override {
    stage_.fetch();
    on_host_->run();
    stage_.put();
  }
  void use_buffers(const std::byte* send, std::byte* receive) override {
    stage_.use_buffers(send, receive);
  }
  [[nodiscard]] mpi::ScopedSettings arm() const override { return on_host_->arm(); }

  [[nodiscard]] Splittable* splittable() override {
    return splittable_ == nullptr ? nullptr : this;
  }
  void begin() override {
    stage_.fetch();
    splittable_->begin();
  }
  bool test() override { return splittable_->test(); }
  void finish() override {
    splittable_->finish();
    stage_.put();
  }

  [[nodiscard]] Predicting* predicting() override { return on_host_->predicting(); }
  [[nodiscard]] Expecting* expecting() override { return on_host_->expecting(); }
  [[nodiscard]] SelfChecking* self_checking() override { return on_host_->self_checking(); }
  [[nodiscard]] const mpi::ArrivalStatistics* arrival_statistics() const override {
    return on_host_->arrival_statistics();
  }
  [[nodiscard]] std::string_view chosen() const override { return on_host_->chosen(); }

 private:
  std::unique_ptr<PreparedCall> on_host_;
  Splittable* splittable_;  // of the call on the host; null: it has none
  HostStage stage_;
};

}  // namespace

HostStage::HostStage(const mpi::Layout& layout, const collectives::Part& part,
                     const std::byte* send, std::byte* receive)
    : send_(send), receive_(receive) {
  const mpi::Element& element = layout.element();
  if (send != nullptr) {
    host_send_ = mpi::Buffer(element.in_memory(layout.bytes(part.initial)), mpi::Memory::pinned);
  }
  host_receive_ = mpi::Buffer(element.in_memory(layout.extent(part.goal)), mpi::Memory::pinned);
  add(sent_, send == nullptr ? part.in_place : part.initial, part.initial, layout, send == nullptr);
  add(received_, part.goal, part.goal, layout, true);
}

void HostStage::add(std::vector<Piece>& pieces, const collectives::Blocks& there,
                    const collectives::Blocks& wanted, const mpi::Layout& layout,
                    bool in_receive_buffer) {
  const mpi::Element& element = layout.element();
  std::int64_t next = 0;  // of dense blocks
  for (const collectives::BlockRange& range : there) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      const std::int64_t bytes = layout.bytes(block);
      const bool placed = in_receive_buffer && !layout.is_dense();
      const std::int64_t offset = placed ? layout.displacement(block) : next;
      next += bytes;
      if (bytes == 0 || !has(wanted, block)) continue;
      const auto begin = static_cast<std::size_t>(element.in_memory(offset));
      const device::Rows rows = rows_of(bytes, element);
      // Blocks that follow each other are one piece.
      if (!pieces.empty() && !element.has_gaps() &&
          pieces.back().offset + pieces.back().rows.bytes == begin) {
        pieces.back().rows.bytes += rows.bytes;
      } else {
        pieces.push_back({begin, rows});
      }
    }
  }
}

void HostStage::use_buffers(const std::byte* send, std::byte* receive) {
  send_ = send;
  receive_ = receive;
}

void HostStage::fetch() const {
  device::Device& device = device::Current::device();
  std::byte* const to = send_ == nullptr ? receive() : send();
  const std::byte* const from = send_ == nullptr ? receive_ : send_;
  for (const Piece& piece : sent_) device.copy(to + piece.offset, from + piece.offset, piece.rows);
  device.wait();
}

void HostStage::put() const {
  device::Device& device = device::Current::device();
  for (const Piece& piece : received_) {
    device.copy(receive_ + piece.offset, receive() + piece.offset, piece.rows);
  }
  device.wait();
}

std::unique_ptr<PreparedCall> staged(std::unique_ptr<PreparedCall> on_host, HostStage stage) {
  return std::make_unique<StagedCall>(std::move(on_host), std::move(stage));
}

}  // namespace gatherbench::bench
