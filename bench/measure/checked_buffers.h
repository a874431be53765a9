// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "bench/conditions/buffer_ring.h"
#include "bench/conditions/test_bytes.h"
#include "bench/options/operators.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// The place of a block in a buffer, in bytes of data.
struct PlacedBlock {
  int block;
  std::size_t offset;
  std::size_t bytes;
};

/// Bytes in memory that nobody may write, in a buffer.
struct Gap {
  std::size_t offset;
  std::size_t bytes;
};

/// The buffers of one case on one rank, and what belongs into them. Those in a device are written
/// and looked at in copies of them in the host's memory.
class CheckedBuffers {
 public:
  /// `send` is null in place. Fills what is sent with the pattern. `with` is of a collective that
  /// combines, `memory` of the buffers. Throws std::bad_alloc and device::DeviceError of buffers in
  /// a device, as all functions here do.
  CheckedBuffers(const collectives::Collective& collective, int rank, int ranks,
                 const mpi::Layout& layout, std::byte* send, std::byte* receive, int root = 0,
                 const Operator& with = {}, mpi::Memory memory = mpi::Memory::own);

  /// Goes on with these buffers, whose bytes stay as they are. `send` is null if it was.
  void use(std::byte* send, std::byte* receive);
  [[nodiscard]] std::byte* send() const { return send_; }
  [[nodiscard]] std::byte* receive() const { return receive_; }

  /// Writes every byte of both buffers: what is sent, and all else as `poison` does.
  void fill();
  /// Writes every byte of both buffers for the next call, with other bytes than the last one's:
  /// what an algorithm still has of those is wrong now. All ranks have to call it equally often.
  void renew();
  /// Writes what this rank sends again, and nothing else: the same bytes, by new stores.
  void rewrite();
  /// Writes other bytes than before into what this rank sends, and nothing else, as fast as a
  /// program can: a block has one byte all over. A collective that combines sends the same as
  /// before. All ranks have to call it equally often.
  void write_next();
  /// Reads every byte of the result, eight at a time, and compares none. A device copies it to
  /// another place of its own memory.
  void read_result() const;
  /// Makes every byte that the collective has to write wrong, and those that it must not write
  /// known: within elements, between blocks, and just past the buffer's end.
  void poison();

  /// Returns an empty text if every byte of the receive buffer is right, nothing was written
  /// between its data or past them, and the send buffer is untouched; else the first fault, with
  /// this rank, and the block and byte if they are known.
  [[nodiscard]] std::string fault() const;

 private:
  /// The host's copies of buffers in a device, and where the device copies a result that it reads.
  struct Mirror {
    mpi::Buffer send;
    mpi::Buffer receive;
    mpi::Buffer read;
  };
  // Returns the bytes of the send buffer as the host has them; `host_receive` does so of the other.
  [[nodiscard]] std::byte* host_send() const { return mirror_ ? mirror_->send.data() : send_; }
  [[nodiscard]] std::byte* host_receive() const {
    return mirror_ ? mirror_->receive.data() : receive_;
  }
  /// Copies these blocks from the host to the device; `put_all` does so with both buffers, and
  /// `fetch_all` brings both back.
  void put(std::span<const PlacedBlock> blocks, std::byte* to, const std::byte* from) const;
  void put_all() const;
  void fetch_all() const;
  /// Makes the device write what `write_next` writes.
  void write_next_in_device() const;

  /// Returns where in memory the first byte lies that is of no block and was written; else none.
  [[nodiscard]] std::optional<std::size_t> written_between() const;
  void write_own(const PlacedBlock& placed, std::byte* buffer) const;
  [[nodiscard]] std::optional<WrongByte> wrong_result() const;
  [[nodiscard]] bool is_sent_changed() const;
  [[nodiscard]] const std::vector<std::byte>& contribution() const {
    return contributions_[static_cast<std::size_t>(call_) % contributions_.size()];
  }
  [[nodiscard]] const std::vector<std::byte>& result() const {
    return results_[static_cast<std::size_t>(call_) % results_.size()];
  }

  int rank_;
  std::byte* send_;
  std::byte* receive_;
  mpi::Element element_;
  std::vector<PlacedBlock> sent_;      // in the send buffer; in place none
  std::vector<PlacedBlock> received_;  // in the receive buffer
  std::vector<PlacedBlock> own_;       // in the receive buffer, in place
  std::vector<Gap> gaps_;              // in the receive buffer; the last one is past its end
  int call_ = 0;
  Fill how_ = Fill::mixed;  // in which a block was written last
  // A collective that combines has one block, which is all of a buffer. Its contents are computed
  // for two calls that take turns, since a result takes long to compute.
  bool combines_;
  std::array<std::vector<std::byte>, 2> contributions_;
  std::array<std::vector<std::byte>, 2> results_;
  std::size_t sent_bytes_ = 0;  // in memory
  std::optional<Mirror> mirror_;
};

/// Returns on all ranks the text of the lowest rank that has one; empty if none has. Collective.
std::string first_text(const std::string& own, MPI_Comm comm);

}  // namespace gatherbench::bench
