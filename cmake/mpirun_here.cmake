# Writes bin/mpirun_here, which runs a program with the build's own MPI on this machine. The flags
# are those of agsweep's launchers: as openmpi_as_root and so on, they go into the script.
function(write_mpirun_here)
  set(flags ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../jobs/agsweep/launchers/flags.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${flags})
  file(STRINGS ${flags} rows REGEX "^[^#]")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^([a-z]+) +([a-z_]+) +([^ ]+)$" matched "${row}")
    if(NOT matched)
      message(FATAL_ERROR "${flags}: '${row}' is not: launcher, when, flag")
    endif()
    string(JOIN " " ${CMAKE_MATCH_1}_${CMAKE_MATCH_2}
      ${${CMAKE_MATCH_1}_${CMAKE_MATCH_2}} ${CMAKE_MATCH_3})
  endforeach()
  set(arguments ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/mpirun_here_arguments.sh)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arguments})
  file(READ ${arguments} mpirun_here_arguments)
  set(script mpirun_here.sh.in)
  if(GATHERBENCH_SIMGRID)
    set(script smpirun_here.sh.in)
  endif()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${script}
    ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpirun_here
    @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                           WORLD_READ WORLD_EXECUTE)
endfunction()
write_mpirun_here()
