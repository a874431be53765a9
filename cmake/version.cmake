# gatherbench_version.h says which sources a result came from. The commit is looked up at every
# build, not only when CMake runs, and the header is rewritten only when it changed.
set(version_header ${CMAKE_BINARY_DIR}/generated/gatherbench_version.h)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" build_flags)
add_custom_target(write_version_header
  COMMAND ${CMAKE_COMMAND}
    -DHEADER=${version_header} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DFLAGS=${build_flags}"
    -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${version_header}
  COMMENT "Looking up the commit")
add_library(gatherbench_version INTERFACE)
target_include_directories(gatherbench_version INTERFACE ${CMAKE_BINARY_DIR}/generated)
add_dependencies(gatherbench_version write_version_header)
