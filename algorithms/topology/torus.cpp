// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/torus.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <iterator>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::topology {
namespace {

constexpr std::int64_t most_hosts = 1 << 20;

}  // namespace

Torus::Torus(const std::vector<int>& sides) {
  int stride = 1;
  for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
    dimensions_.push_back({*side, stride, links_of_host_});
    stride *= *side;
    links_of_host_ += *side == 2 ? 1 : 2;
  }
  for (int host = 0; host < stride; ++host) host_names_.push_back(fmt::format("n{}", host));
}

Torus Torus::parse(std::string_view option, std::string_view text) {
  std::string_view list = text;
  list.remove_prefix(prefix.size());
  std::vector<int> sides;
  std::int64_t hosts = 1;
  for (const std::string_view part : text::split(list, 'x')) {
    std::int64_t side = 0;
    const auto [end, error] = std::from_chars(part.begin(), part.end(), side);
    if (error != std::errc{} || end != part.end() || side < 2) {
      throw text::bad_value(option, text,
                            fmt::format("has a side '{}'; legal: sides of 2 or more hosts each, as "
                                        "torus:4x4 or torus:4x4x2",
                                        part));
    }
    hosts = side > most_hosts ? most_hosts + 1 : hosts * side;
    if (hosts > most_hosts) {
      throw text::bad_value(option, text,
                            fmt::format("is too large; legal: up to {} hosts", most_hosts));
    }
    sides.push_back(static_cast<int>(side));
  }
  if (sides.size() < 2) {
    throw text::bad_value(option, text, "has one side; legal: two or more, as torus:4x4");
  }
  return Torus(sides);
}

std::optional<int> Torus::find_host(std::string_view name) const {
  if (!name.starts_with('n')) return std::nullopt;
  int host = -1;
  (void)std::from_chars(std::next(name.begin()), name.end(), host);
  if (host < 0 || host >= hosts() || host_name(host) != name) return std::nullopt;
  return host;
}

int Torus::neighbour(int host, const Dimension& along, int by) {
  const int from = coordinate(host, along);
  const int to = (from + by + along.side) % along.side;
  return host + (to - from) * along.stride;
}

Network::LinkEnds Torus::link_ends(int link) const {
  const int host = link / links_of_host_;
  const int of_host = link % links_of_host_;
  auto along = dimensions_.rbegin();
  while (along->first_link > of_host) ++along;
  const int by = of_host == along->first_link ? 1 : -1;
  return {host_name(host), host_name(neighbour(host, *along, by))};
}

void Torus::add_links(int from_host, int to_host, std::vector<int>& links) const {
  int at = from_host;
  for (const Dimension& along : dimensions_) {
    const int upwards =
        (coordinate(to_host, along) - coordinate(at, along) + along.side) % along.side;
    const bool is_up = upwards <= along.side - upwards;
    const int hops = is_up ? upwards : along.side - upwards;
    for (int i = 0; i < hops; ++i) {
      links.push_back(at * links_of_host_ + along.first_link + (is_up ? 0 : 1));
      at = neighbour(at, along, is_up ? 1 : -1);
    }
  }
}

void require_no_torus(std::string_view option, std::string_view text) {
  if (!text.starts_with(Torus::prefix)) return;
  throw text::bad_value(option, text,
                        "is a torus, for allgather_schedule; legal: the file of a switch tree");
}

}  // namespace gatherbench::topology
