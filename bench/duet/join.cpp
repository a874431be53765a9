// SPDX-License-Identifier: BSD-3-Clause
#include "bench/duet/join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/duet/agreement.h"
#include "bench/duet/meeting.h"
#include "bench/process/rank_zero.h"
#include "bench/results/result_file.h"
#include "text/input_error.h"

namespace gatherbench::bench {
namespace {

/// The metadata that must agree, and the mappings that were found.
formats::Metadata what_must_agree(const Launch& launch, const formats::Metadata& metadata) {
  formats::Metadata found = select(metadata, formats::Purpose::duet);
  std::vector<std::string_view> labels;
  for (const Part& part : launch.parts) labels.push_back(part.order.label);
  found.emplace_back("mapping", fmt::format("{}", fmt::join(labels, ",")));
  return found;
}

std::string random_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

DuetAgreement say_hello(DuetLink& link, const DuetAddress& address, const DuetHello& own,
                        const Deadline& deadline) {
  // One after the other: two long texts at once could fill both ways and wait for ever.
  const auto speak = [&] {
    if (!link.send(text_of(own))) throw DuetError("has ended");
  };
  if (link.listened()) speak();
  const DuetHello partner = receive_hello(link, deadline);
  if (!link.listened()) speak();
  return agree(address.text(), own, partner);
}

}  // namespace

Duet join_duet(const Launch& launch, const formats::Metadata& metadata, MPI_Comm world) {
  const Options& options = launch.options;
  if (!options.duet) return {};
  const DuetAddress& address = *options.duet;
  int rank = 0;
  mpi::require(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
  Duet duet;
  DuetLink link;
  DuetAgreement agreed{};
  std::exception_ptr refused;
  if (rank == 0) {
    try {
      DuetHello own{address.name, random_id(), {}, 0, what_must_agree(launch, metadata)};
      if (!options.output.empty()) {
        const ResultFile::Kept kept = ResultFile::look(options.output, metadata, options.resume);
        own.resumed_pair = kept.duet_pair;
        own.finished = kept.cases;
      }
      const Deadline deadline(options.timeout);
      link = meet(address, deadline);
      agreed = say_hello(link, address, own, deadline);
    } catch (const text::InputError&) {
      refused = std::current_exception();
    } catch (const DuetError& error) {
      throw std::runtime_error(
          fmt::format("--duet: '{}': the partner {}", address.text(), error.what()));
    }
  }
  quiet_broadcast(0, world);
  on_rank_zero(world, [&] {
    if (refused) std::rethrow_exception(refused);
    return std::string();
  });
  if (rank == 0) {
    duet.metadata = {{"duet_partner", agreed.partner},
                     {"duet_pair", agreed.pair},
                     {"duet_begins", agreed.begins ? "yes" : "no"},
                     {"duet_address", address.address}};
    duet.most_cases = agreed.finished;
  }
  duet.turns = Turns(std::move(link), agreed.begins,
                     fmt::format("--duet: '{}': the partner {}", address.text(), agreed.partner),
                     options.timeout, world);
  return duet;
}

}  // namespace gatherbench::bench
