// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice/parse_algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "algorithms/choice/choice.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::algorithms {
namespace {

bool measured_by_loch(const Algorithm& algorithm) {
  constexpr std::array<std::string_view, 5> names{"ring", "neighbor_exchange", "recursive_doubling",
                                                  "bruck", "sparbit"};
  return gathers(algorithm) && std::ranges::find(names, algorithm.name) != names.end();
}

bool measured_by_proficz(const Algorithm& algorithm) {
  constexpr std::array<std::string_view, 5> names{"ring", "neighbor_exchange",
                                                  "linear_gather_bcast", "bdr", "bslb"};
  return gathers(algorithm) && std::ranges::find(names, algorithm.name) != names.end();
}

bool needs_nothing_named(const Algorithm& algorithm) {
  return !algorithm.is<Selects>() && !algorithm.is<FromFile>();
}

/// Returns whether it is one of the library's algorithms, called in another way than a program's
/// usual one.
bool calls_otherwise(const Algorithm& algorithm) {
  return algorithm.calls(LibraryCall::nonblocking) || algorithm.calls(LibraryCall::persistent);
}

bool is_in_all(const Algorithm& algorithm) {
  return needs_nothing_named(algorithm) && !calls_otherwise(algorithm);
}

/// Returns whether Loch left it out for this collective: Open MPI has no recursive doubling for
/// allgatherv, so he did not measure it (2.4.3, chapter 7).
bool not_measured_by_loch(const Algorithm& algorithm, const collectives::Collective& collective) {
  return collective.gathers() && collective.unequal_blocks &&
         algorithm.name == "recursive_doubling";
}

constexpr std::array table{
    AlgorithmSet{"loch2021",
                 "the five that Loch (2021) compares, for allgatherv without recursive doubling",
                 measured_by_loch, not_measured_by_loch},
    AlgorithmSet{"proficz2021", "the five that Proficz (2021) compares", measured_by_proficz},
    // Algorithms that predict arrivals need threads and a computation to watch, of the whole
    // launch.
    AlgorithmSet{"regular", "all that do not predict arrivals",
                 [](const Algorithm& algorithm) {
                   return !algorithm.is<ByArrivals>() && is_in_all(algorithm);
                 }},
    AlgorithmSet{"arrival_aware", "all that predict arrivals",
                 [](const Algorithm& algorithm) { return algorithm.is<ByArrivals>(); }},
    AlgorithmSet{
        "all",
        "all algorithms, without adaptive, which chooses among them, file, which needs a path, and "
        "native_nonblocking and native_persistent, which are native called in another way",
        is_in_all},
    AlgorithmSet{"linear-steps", "those whose number of steps grows linearly with the ranks",
                 [](const Algorithm& algorithm) { return algorithm.growth == Growth::linear; }},
    AlgorithmSet{
        "logarithmic-steps", "those whose number of steps grows logarithmically with the ranks",
        [](const Algorithm& algorithm) { return algorithm.growth == Growth::logarithmic; }},
    AlgorithmSet{"library", "the MPI library's own",
                 [](const Algorithm& algorithm) { return algorithm.calls(LibraryCall::native); }},
    AlgorithmSet{"library-calls",
                 "the MPI library's own, by its blocking, non-blocking and persistent call",
                 [](const Algorithm& algorithm) {
                   return algorithm.calls(LibraryCall::native) || calls_otherwise(algorithm);
                 }},
};

}  // namespace

std::span<const AlgorithmSet> algorithm_sets() { return table; }

std::vector<const Algorithm*> members(const AlgorithmSet& set,
                                      const collectives::Collective* collective) {
  std::vector<const Algorithm*> found = algorithms_of(collective);
  std::erase_if(found, [&](const Algorithm* one) {
    return !set.contains(*one) || (collective != nullptr && set.leaves_out != nullptr &&
                                   set.leaves_out(*one, *collective));
  });
  return found;
}

const AlgorithmSet* find_set(std::string_view name) {
  const auto* const set = std::ranges::find(table, name, &AlgorithmSet::name);
  return set == table.end() ? nullptr : set;
}

std::string set_descriptions(const collectives::Collective& collective) {
  std::string text;
  for (const AlgorithmSet& set : table) {
    if (members(set, &collective).empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", set.name, set.text);
  }
  return text;
}

namespace {

/// Returns what is wrong with a part that is no "key=value" of the algorithm's.
std::string no_parameter(const Algorithm& algorithm, std::string_view text) {
  if (algorithm.parameters.empty()) {
    return fmt::format("gives a parameter, but {} takes none", algorithm.name);
  }
  std::string legal;
  for (const Parameter& parameter : algorithm.parameters) {
    legal += fmt::format("{}{}:{}=...", legal.empty() ? "" : ", ", algorithm.name, parameter.name);
  }
  if (algorithm.parameters.size() == 1) {
    return fmt::format("has '{}', which is not {}, the one parameter that {} takes ({})", text,
                       legal, algorithm.name, algorithm.parameters[0].summary);
  }
  return fmt::format("has '{}', which is no parameter that {} takes; legal: {}", text,
                     algorithm.name, legal);
}

/// Reads one part, "key=value", of what follows the name.
void parse_parameter(std::string_view option, std::string_view item, std::string_view text,
                     Choice& choice) {
  const Parameters& parameters = choice.algorithm->parameters;
  const std::size_t equals = text.find('=');
  const Parameter* const found =
      std::ranges::find(parameters, text.substr(0, equals), &Parameter::name);
  if (found == parameters.end() || equals == std::string_view::npos) {
    throw text::bad_value(option, item, no_parameter(*choice.algorithm, text));
  }
  const std::string where = fmt::format("{} {}:{}", option, choice.algorithm->name, found->name);
  choice.parameters[static_cast<std::size_t>(found - parameters.begin())] =
      parse_value(where, *found, text.substr(equals + 1));
}

/// Lets messages of several runs of blocks be packed unless the user says how. Throws InputError if
/// the user says pipelined.
void settle_batch(std::string_view option, std::string_view item, bool says_how,
                  MessageForm& form) {
  if (form.batch == 0) return;
  if (!says_how) {
    form.noncontiguous = Noncontiguous::packed;
  } else if (form.noncontiguous == Noncontiguous::pipelined) {
    throw text::bad_value(option, item,
                          "contradicts itself: pipelined is one run of blocks a message; legal: "
                          "batch=K with packed or datatype");
  }
}

/// Reads what follows the name of an algorithm of ours: its parameters, and what its transfers
/// become.
void parse_variant(std::string_view option, std::string_view item, std::string_view variant,
                   Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  const std::string where = fmt::format("{} {}", option, item);
  std::vector<std::string_view> keys;
  MessageForm form;
  for (const std::string_view part : text::split(variant, ':')) {
    const std::string_view key = part.substr(0, part.find('='));
    if (std::ranges::find(keys, key) != keys.end()) {
      throw text::bad_value(option, item, fmt::format("gives {} twice", key));
    }
    keys.push_back(key);
    const bool of_messages = read_message_form(where, part, form);
    if (!of_messages && !read_via(where, part, choice.via)) {
      parse_parameter(option, item, part, choice);
      continue;
    }
    if (algorithm.schedules() == nullptr) {
      throw text::bad_value(option, item,
                            algorithm.is<Redirects>()
                                ? "has whole vectors as its messages"
                                : "moves its blocks by calls into the MPI library");
    }
    if (of_messages) choice.form = form;
  }
  const bool says_how = std::ranges::find(keys, "noncontiguous") != keys.end();
  if (choice.form) settle_batch(option, item, says_how, *choice.form);
}

/// Reads what stands between the '@' and the colon.
const NamedOrder* parse_order(std::string_view option, std::string_view item,
                              const Algorithm& algorithm, std::string_view name) {
  const NamedOrder* const order = find_order(name);
  if (order == nullptr) {
    std::vector<std::string_view> legal;
    for (const NamedOrder& one : named_orders()) legal.push_back(one.name);
    throw text::unknown_name(fmt::format("{} {}", option, item), "order of the ranks", name, legal);
  }
  if (!takes_order(algorithm)) {
    throw text::bad_value(
        option, item,
        fmt::format("gives an order of the ranks, but {} {}", algorithm.name,
                    algorithm.schedules() == nullptr ? "has no schedule of ours"
                    : !gathers(algorithm)            ? "is of no all-gather"
                                          : "finds its own from nodes, switches or arrivals"));
  }
  return order;
}

bool may_be_in_a_name(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/// Takes the path off "FOLDER/NAME.json:batch=4", leaves "NAME:batch=4", and returns "batch=4".
std::string parse_path(std::string_view option, std::string_view item, Choice& choice) {
  const std::string_view text = choice.variant;
  std::size_t end = text.size();
  for (std::size_t colon = 0; colon != std::string_view::npos;) {
    colon = text.substr(0, end).rfind(':');
    const std::string_view part = text.substr(colon + 1, end - colon - 1);
    if (!is_of_message_form(part)) break;
    if (colon != std::string_view::npos) end = colon;
  }
  choice.path = text.substr(0, end);
  const std::string forms(text.substr(std::min(end + 1, text.size())));
  const std::string name = std::filesystem::path(choice.path).stem().string();
  if (name.empty() || !std::ranges::all_of(name, may_be_in_a_name)) {
    throw text::bad_value(option, item,
                          "names no file that results can be called by; legal: file:PATH, with a "
                          "name of letters, digits, '_', '-' and '.'");
  }
  choice.variant.replace(0, end, name);
  return forms;
}

/// Reads what stands behind the algorithm's colon: an algorithm of the library, a policy, a path or
/// parameters.
void parse_behind_colon(std::string_view option, std::string_view item, std::string_view text,
                        Choice& choice) {
  text::require_one_line(option, item);
  const Algorithm& algorithm = *choice.algorithm;
  choice.variant = text;
  if (algorithm.calls(LibraryCall::native)) {
    if (!choice.variant.empty()) return;
    throw text::bad_value(option, item, "names no algorithm of the library after the colon");
  }
  if (algorithm.is<Selects>()) {
    if (!choice.policy().empty()) return;
    throw text::bad_value(
        option, item,
        fmt::format("names no policy; legal: {0}, {0}:{1}POLICY", algorithm.name, policy_key));
  }
  if (!algorithm.is<FromFile>()) {
    parse_variant(option, item, text, choice);
    return;
  }
  const std::string forms = parse_path(option, item, choice);
  if (!forms.empty()) parse_variant(option, item, forms, choice);
}

Choice parse_choice(std::string_view option, std::string_view item,
                    const collectives::Collective& collective, bool may_be_staged) {
  const std::size_t colon = item.find(':');
  const std::string_view whole_name = item.substr(0, colon);
  const std::size_t at = whole_name.find('@');
  const Algorithm* const algorithm = find_algorithm(whole_name.substr(0, at), collective);
  if (algorithm == nullptr) {
    throw text::unknown_name(option, fmt::format("algorithm of {}", collective.name), item,
                             legal_algorithm_names(&collective),
                             fmt::format("{} --list and --help", collective.executable));
  }
  Choice choice = choice_of(*algorithm);
  if (at != std::string_view::npos) {
    choice.order = parse_order(option, item, *algorithm, whole_name.substr(at + 1));
  }
  if (colon != std::string_view::npos) {
    std::string behind(item.substr(colon + 1));
    if (may_be_staged) choice.stage = take_stage(fmt::format("{} {}", option, item), behind);
    if (!behind.empty() || !choice.stage.on_host) {
      parse_behind_colon(option, item, behind, choice);
    }
  }
  return choice;
}

}  // namespace

std::vector<Choice> parse_algorithms(std::string_view option, std::string_view list,
                                     const collectives::Collective& collective,
                                     bool may_be_staged) {
  std::vector<Choice> chosen;
  const auto add = [&](Choice choice) {
    if (std::ranges::find(chosen, choice) != chosen.end()) return;
    for (const Choice& other : chosen) {
      if (choice.path.empty() || other.label() != choice.label()) continue;
      throw text::bad_value(option, fmt::format("{}:{}", choice.algorithm->name, choice.path),
                            fmt::format("is called {} in results, and so is {}; legal: files with "
                                        "different names",
                                        choice.label(), other.path));
    }
    chosen.push_back(std::move(choice));
  };
  for (const std::string_view item : text::split(list, ',')) {
    const AlgorithmSet* const set = find_set(item);
    const auto found =
        set == nullptr ? std::vector<const Algorithm*>() : members(*set, &collective);
    if (found.empty()) add(parse_choice(option, item, collective, may_be_staged));
    for (const Algorithm* const member : found) add(choice_of(*member));
  }
  return chosen;
}

std::vector<std::string_view> legal_algorithm_names(const collectives::Collective* collective) {
  std::vector<std::string_view> names;
  for (const AlgorithmSet& set : algorithm_sets()) {
    if (!members(set, collective).empty()) names.push_back(set.name);
  }
  for (const std::string_view name : algorithm_names(collective)) names.push_back(name);
  return names;
}

}  // namespace gatherbench::algorithms
