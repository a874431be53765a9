// SPDX-License-Identifier: BSD-3-Clause
#include "bench/duet/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view greeting = "gatherbench duet 2";  // the number is the protocol's
constexpr std::int64_t max_cases = 1'000'000'000;

std::string value_in(const formats::Metadata& metadata, std::string_view key) {
  const auto entry =
      std::ranges::find_if(metadata, [&](const auto& each) { return each.first == key; });
  return entry == metadata.end() ? "nothing" : entry->second;
}

}  // namespace

std::string format_hello(const DuetHello& hello) {
  std::string text = fmt::format(
      "{}\nname={}\nnew_pair={}\nresumed_pair={}\nfinished={}\nseed_is_fixed={}\nseed={}\n",
      greeting, hello.name, hello.new_pair, hello.resumed_pair, hello.finished,
      hello.seed_is_fixed ? "yes" : "no", hello.seed);
  for (const auto& [key, value] : hello.must_agree) text += fmt::format("{}={}\n", key, value);
  return text + '\n';
}

DuetHello receive_hello(DuetLink& link, const Deadline& deadline) {
  const std::string first = link.receive_line(deadline);
  if (first != greeting) {
    throw text::InputError(
        fmt::format("--duet: what answers there says '{}', not '{}': it is no partner, or of "
                    "another version",
                    first, greeting));
  }
  DuetHello hello;
  const auto next = [&](std::string_view key) {
    const std::string line = link.receive_line(deadline);
    if (!line.starts_with(key) || line.substr(key.size(), 1) != "=") {
      throw text::InputError(
          fmt::format("--duet: the partner says '{}' instead of its {}", line, key));
    }
    return line.substr(key.size() + 1);
  };
  hello.name = next("name");
  hello.new_pair = next("new_pair");
  hello.resumed_pair = next("resumed_pair");
  hello.finished =
      static_cast<std::size_t>(text::parse_integer("--duet", next("finished"), 0, max_cases));
  hello.seed_is_fixed = next("seed_is_fixed") == "yes";
  hello.seed = next("seed");
  for (;;) {
    const std::string line = link.receive_line(deadline);
    if (line.empty()) return hello;
    const std::size_t equals = std::min(line.find('='), line.size() - 1);
    hello.must_agree.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
}

namespace {

text::InputError differs(std::string_view option_value, const std::string& what) {
  return text::bad_value("--duet", option_value, what);
}

void require_same_cases(std::string_view value, const DuetHello& own, const DuetHello& partner) {
  if (own.name == partner.name) {
    throw differs(value,
                  "the partner has the same name; legal: a name of its own for each of the two");
  }
  formats::Metadata all = own.must_agree;
  all.insert(all.end(), partner.must_agree.begin(), partner.must_agree.end());
  for (const auto& [key, unused] : all) {
    const std::string here = value_in(own.must_agree, key);
    const std::string there = value_in(partner.must_agree, key);
    if (here == there) continue;
    throw differs(value,
                  fmt::format("{} differs: '{}' here, '{}' of {}", key, here, there, partner.name));
  }
  if (own.seed_is_fixed && partner.seed_is_fixed && own.seed != partner.seed) {
    throw differs(value, fmt::format("seed differs: '{}' here, '{}' of {}", own.seed, partner.seed,
                                     partner.name));
  }
}

/// Throws InputError where --resume of the two jobs would go on with files of different duets.
void require_same_files(std::string_view value, const DuetHello& own, const DuetHello& partner) {
  if (!own.resumed_pair.empty() && !partner.resumed_pair.empty() &&
      own.resumed_pair != partner.resumed_pair) {
    throw differs(value,
                  fmt::format("--resume: the file here is of duet {}, that of {} is of duet {}",
                              own.resumed_pair, partner.name, partner.resumed_pair));
  }
  // A kill between the two appends leaves one file a case longer: that case is run again. More is
  // not ours to throw away.
  const auto [fewer, more] = std::minmax(own.finished, partner.finished);
  if (more - fewer > 1) {
    throw differs(value,
                  fmt::format("--resume: {} cases are finished here, {} of {}; the two files of a "
                              "duet are one case apart at most",
                              own.finished, partner.finished, partner.name));
  }
}

}  // namespace

DuetTerms agree(std::string_view value, const DuetHello& own, const DuetHello& partner) {
  require_same_cases(value, own, partner);
  require_same_files(value, own, partner);
  // A lot decides who begins, so that over several duets both sides bear what being first may cost.
  const bool begins = std::tie(own.new_pair, own.name) < std::tie(partner.new_pair, partner.name);
  std::string pair = own.resumed_pair.empty() ? partner.resumed_pair : own.resumed_pair;
  if (pair.empty()) pair = begins ? own.new_pair : partner.new_pair;
  const bool takes_own = own.seed_is_fixed || (begins && !partner.seed_is_fixed);
  return {partner.name, std::move(pair), begins, std::min(own.finished, partner.finished),
          takes_own ? own.seed : partner.seed};
}

}  // namespace gatherbench::bench
