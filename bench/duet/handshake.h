// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "bench/duet/link.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// The greeting that a job sends to its partner before they begin.
struct DuetHello {
  std::string name = {};
  std::string new_pair = {};      ///< drawn at random; who has the smaller one begins
  std::string resumed_pair = {};  ///< the pair of the file that --resume goes on with; empty: none
  std::size_t finished = 0;       ///< cases in that file
  formats::Metadata must_agree = {};
  std::string seed = {};
  bool seed_is_fixed = false;  ///< else the partner's will do
};

/// The terms on which both agree when they have greeted each other: the same on both sides.
struct DuetTerms {
  std::string partner;
  std::string pair;      ///< tells which two files belong together
  bool begins;           ///< this job has the first turn, the partner waits
  std::size_t finished;  ///< cases that both files hold
  std::string seed;      ///< a fixed one, else of who begins
};

/// Writes a greeting as lines, the last one empty.
std::string format_hello(const DuetHello& hello);

/// Reads the partner's. Throws DuetError, and InputError if what is there is no partner.
DuetHello receive_hello(DuetLink& link, const Deadline& deadline);

/// Throws InputError that names what differs. `option` is --duet and its value, for the message.
DuetTerms agree(std::string_view value, const DuetHello& own, const DuetHello& partner);

}  // namespace gatherbench::bench
