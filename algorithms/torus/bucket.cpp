// SPDX-License-Identifier: BSD-3-Clause
//
// Bucket: a ring along one dimension of a torus after the other. In the ring of a dimension all
// that was gathered before from the same coordinate travels as one message. With several ports each
// block is cut into as many segments: port i begins with dimension i, the others follow in turn,
// and from as many ports on as there are dimensions they run the other way.
//
// Steps   sum of (side - 1)
// Cost    a link carries (p-1) c / ports bytes at most
// Limits  the product of the sides is p
// Memory  none beside the receive buffer
// Source  Barnett, Littlefield, Payne, van de Geijn 1993; with ports: Jain and Sabharwal 2010;
//         Sack and Gropp 2015
//
//   2 x 3, rank 0   {0} to 3, {3} from 3; {0 3} to 1, {2 5} from 2; {2 5} to 1, {1 4} from 2
#include <utility>
#include <vector>

#include "algorithms/shared/formulas.h"
#include "algorithms/torus/torus.h"

namespace gatherbench::algorithms {
namespace {

std::vector<PortStep> bucket_steps(const Torus& torus, int rank, int port) {
  const int dimensions = torus.dimensions();
  const int way = port < dimensions ? 1 : -1;
  std::vector<PortStep> steps;
  std::vector<int> column{rank};  // the ranks whose blocks were gathered before
  for (int i = 0; i < dimensions; ++i) {
    const int d = (port + i) % dimensions;
    const int own = torus.coordinate(rank, d);
    const auto column_at = [&](int coordinate) {
      std::vector<int> moved;
      moved.reserve(column.size());
      for (const int one : column) moved.push_back(torus.moved_to(one, d, coordinate));
      return moved;
    };
    std::vector<int> gathered = column;
    const int to = torus.moved_to(rank, d, own + way);
    const int from = torus.moved_to(rank, d, own - way);
    for (int t = 0; t + 1 < torus.side(d); ++t) {
      std::vector<int> sent = t == 0 ? column : steps.back().received;
      steps.push_back({to, std::move(sent), from, column_at(own - way * (t + 1))});
      const std::vector<int>& received = steps.back().received;
      gathered.insert(gathered.end(), received.begin(), received.end());
    }
    column = std::move(gathered);
  }
  return steps;
}

Schedule bucket_schedule(const Problem& problem) { return on_torus(problem, bucket_steps); }

}  // namespace

extern constinit const Algorithm bucket{
    .name = "bucket",
    .summary = "a ring along one dimension of a torus after the other",
    .source = "Barnett et al. 1993; Jain and Sabharwal 2010",
    .needs = Needs{"product of dims = p", why_not_on_torus},
    .parameters = {dims_parameter, ports_parameter},
    .cuts_blocks = true,
    .steps = Formula{"sum of (side-1)",
                     [](const Problem& problem) -> Amount {
                       const Torus torus(problem);
                       std::int64_t steps = 0;
                       for (int d = 0; d < torus.dimensions(); ++d) steps += torus.side(d) - 1;
                       return steps;
                     }},
    .messages = formulas::no_closed_form,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = bucket_schedule}};

}  // namespace gatherbench::algorithms
