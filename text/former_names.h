// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/input_error.h"

// Names on the command line that were others before. The former ones work for one more release,
// stand in no --help, and the program tells what they are called now.
namespace gatherbench::text {

struct FormerName {
  std::string_view formerly;
  std::string_view now;
};

/// The name of today: `name` itself unless it is a former one, which is then remembered.
std::string_view current_name(std::span<const FormerName> table, std::string_view name);

/// A line for each former name that was used in this process: "--delay is called --wait now; ...".
/// For standard error, once, by one rank.
std::vector<std::string> former_name_notices();

/// Lets an application of CLI11 take former options too, on the command line and in a --config
/// file, and hides them from --help. Call when it has its options. An option that is given by both
/// names is an InputError from the application's parse().
template <typename App>
void accept_former_options(App& app, std::span<const FormerName> table) {
  for (const FormerName& row : table) {
    auto* const option = app.get_option(std::string(row.now));
    const auto pass_on = [option, table, formerly = row.formerly](const std::string& value) {
      const std::string now(current_name(table, formerly));
      if (option->count() > 0) {
        throw bad_value(formerly, value,
                        fmt::format("is given beside {}, its name now; legal: {}", now, now));
      }
      option->add_result(value);
      option->run_callback();
    };
    app.template add_option_function<std::string>(std::string(row.formerly), pass_on)->group("");
  }
}

}  // namespace gatherbench::text
