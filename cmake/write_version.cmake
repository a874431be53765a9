# Writes HEADER from VERSION, COMPILER, FLAGS and the commit of SOURCE_DIR.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
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
