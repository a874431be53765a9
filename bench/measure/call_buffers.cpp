// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/call_buffers.h"

namespace gatherbench::bench {

CallBuffers::CallBuffers(const BufferChoice& choice, std::byte* send, std::byte* receive,
                         CheckedBuffers* contents, const OtherBytes& other)
    : use_(choice.use), send_(send), receive_(receive), contents_(contents), other_(&other) {}

CallBuffers::CallBuffers(const BufferRing& ring, std::byte* send, std::byte* receive,
                         CheckedBuffers* contents)
    : use_(BufferUse::rotate), ring_(ring), send_(send), receive_(receive), contents_(contents) {
  for (std::int64_t pair = ring.pairs - 1; pair >= 0; --pair) {
    turn_to(pair);
    contents_->fill();
  }
}

void CallBuffers::turn_to(std::int64_t pair) {
  pair_ = pair;
  const std::int64_t offset = pair * (ring_.send + ring_.receive);
  contents_->use(send_ == nullptr ? nullptr : send_ + offset, receive_ + offset);
}

bool CallBuffers::next() {
  if (use_ != BufferUse::rotate) return false;
  turn_to((pair_ + 1) % ring_.pairs);
  return true;
}

void CallBuffers::read() const {
  if (contents_ != nullptr) contents_->read_result();
}

void CallBuffers::make_ready(bool is_looked_at) {
  switch (use_) {
    case BufferUse::fresh:
      if (is_looked_at) {
        contents_->rewrite();
      } else {
        contents_->write_next();
      }
      break;
    case BufferUse::cold:
      other_->read();
      break;
    case BufferUse::same:
    case BufferUse::rotate:
      break;
  }
}

}  // namespace gatherbench::bench
