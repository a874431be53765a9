# Writes HEADER from VERSION, COMPILER, FLAGS and the commit of SOURCE_DIR.
# No commit is better than that of another repository: one around the sources, or one that variables
# name, as git sets them for its hooks.
execute_process(COMMAND git rev-parse --local-env-vars OUTPUT_VARIABLE variables ERROR_QUIET)
string(REGEX MATCHALL "GIT_[A-Z_]+" variables "${variables}")
foreach(variable IN LISTS variables)
  unset(ENV{${variable}})
endforeach()
# The checkout may belong to somebody else; git need not trust it more than this build does.
set(git git -c safe.directory=* -C ${SOURCE_DIR})
execute_process(COMMAND ${git} rev-parse --show-toplevel
  OUTPUT_VARIABLE checkout OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH "${SOURCE_DIR}" sources)
set(commit "")
if(checkout STREQUAL sources)
  execute_process(COMMAND ${git} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT [[
// Written by the build.
#pragma once

namespace gatherbench {
inline constexpr const char release[] = "@VERSION@";
inline constexpr const char version[] = "@VERSION@ (git @commit@)";
inline constexpr const char compiler[] = "@COMPILER@ @FLAGS@";
}  // namespace gatherbench
]])
