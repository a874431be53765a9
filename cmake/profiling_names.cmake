# gatherbench_pmpi: the objects of gatherbench_mpi, which call MPI by PMPI's names there. What a preloaded
# library does itself, no other one then takes for the program's, and no source is compiled twice.
# Its objects have to hold code: names cannot be changed in what a link-time optimiser reads alone.
target_compile_options(gatherbench_mpi PRIVATE
  $<IF:$<CXX_COMPILER_ID:GNU>,-ffat-lto-objects,-fno-lto>)
set(profiling_archive ${CMAKE_BINARY_DIR}/libgatherbench_pmpi.a)
add_custom_command(OUTPUT ${profiling_archive}
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/profiling_names.sh
    ${CMAKE_NM} ${CMAKE_OBJCOPY} $<TARGET_FILE:gatherbench_mpi> ${profiling_archive}
  DEPENDS gatherbench_mpi ${PROJECT_SOURCE_DIR}/cmake/profiling_names.sh
  COMMENT "Naming MPI's functions PMPI_ in libgatherbench_pmpi.a"
  VERBATIM)
add_custom_target(profiling_archive DEPENDS ${profiling_archive})
add_library(gatherbench_pmpi INTERFACE)
add_dependencies(gatherbench_pmpi profiling_archive)
target_link_libraries(gatherbench_pmpi INTERFACE ${profiling_archive} gatherbench_core MPI::MPI_CXX)
