# Installs a manual page for each program, made of what its --help prints: cmake --install runs this
# with `documented`, `folder` (where they are built), `version` and `destination`. A program that
# does not run here, such as one for simulated ranks, has no page, which is said.
function(ask out program) # [command]
  execute_process(COMMAND ${folder}/${program} ${ARGN} --help
    OUTPUT_VARIABLE text RESULT_VARIABLE code ERROR_QUIET TIMEOUT 60)
  if(NOT code EQUAL 0)
    set(text "")
  endif()
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# The list is not called `programs`: cmake --install --component programs would compare that name.
foreach(program IN LISTS documented)
  ask(help ${program})
  if(NOT help)
    message(WARNING "${program} --help does not run here: it gets no manual page")
    continue()
  endif()
  string(REGEX MATCH "^[^\n]*[^.\n]" summary "${help}")
  string(REGEX REPLACE "\n([A-Z][A-Za-z ]*):\n" "\n.fi\n.SH \\1\n.nf\n" page "${help}")
  if(help MATCHES "\nSubcommands:\n(.*)$")
    string(REGEX MATCHALL "(^|\n)  [a-z]+ " commands "${CMAKE_MATCH_1}")
    foreach(command IN LISTS commands)
      string(STRIP "${command}" command)
      ask(text ${program} ${command})
      string(APPEND page ".fi\n.SH ${program} ${command}\n.nf\n${text}")
    endforeach()
  endif()
  file(WRITE ${folder}/../man/${program}.1
    ".TH ${program} 1 \"\" \"gatherbench ${version}\"\n.SH NAME\n${program} \\- ${summary}\n"
    ".SH DESCRIPTION\n.nf\n${page}.fi\n")
  file(INSTALL ${folder}/../man/${program}.1 DESTINATION ${destination})
endforeach()
