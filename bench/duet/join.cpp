// SPDX-License-Identifier: BSD-3-Clause
#include "bench/duet/join.h"

#include <fmt/format.h>

#include <exception>
#include <random>
#include <string>
#include <utility>

#include "bench/duet/meeting.h"
#include "bench/host/rank_zero.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

std::string draw_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

DuetTerms say_hello(DuetLink& link, const DuetAddress& address, const DuetHello& own,
                    const Deadline& deadline) {
  // One after the other: two long texts at once could fill both ways and wait for ever.
  const auto speak = [&] {
    if (!link.send(format_hello(own))) throw DuetError("has ended");
  };
  if (link.listened()) speak();
  const DuetHello partner = receive_hello(link, deadline);
  if (!link.listened()) speak();
  return agree(address.text(), own, partner);
}

}  // namespace

Duet join_duet(const DuetAddress& address, DuetHello own, double timeout, MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  Duet duet;
  DuetLink link;
  DuetTerms agreed{};
  std::exception_ptr refused;
  if (rank == 0) {
    try {
      own.name = address.name;
      own.new_pair = draw_id();
      const Deadline deadline(timeout);
      link = meet(address, deadline);
      agreed = say_hello(link, address, own, deadline);
    } catch (const text::InputError&) {
      refused = std::current_exception();
    } catch (const DuetError& error) {
      throw std::runtime_error(
          fmt::format("--duet: '{}': the partner {}", address.text(), error.what()));
    }
  }
  broadcast_quietly(0, world);
  run_on_rank_zero(world, [&] {
    if (refused) std::rethrow_exception(refused);
  });
  if (rank == 0) {
    duet.metadata = {{"duet_partner", agreed.partner},
                     {"duet_pair", agreed.pair},
                     {"duet_begins", agreed.begins ? "yes" : "no"},
                     {"duet_address", address.address}};
    duet.max_cases = agreed.finished;
    duet.seed = agreed.seed;
  }
  duet.turns = Turns(std::move(link), agreed.begins,
                     fmt::format("--duet: '{}': the partner {}", address.text(), agreed.partner),
                     timeout, world);
  return duet;
}

}  // namespace gatherbench::bench
