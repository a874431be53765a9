# MPI, CLI11, fmt, JSON, GoogleTest. What is installed is used; what is absent is fetched, except MPI.
set(MPI_CXX_SKIP_MPICXX TRUE CACHE BOOL "Leave out MPI's removed C++ bindings")
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
# SimGrid's SMPI runs all ranks as simulated ones in one process: some files of runtime/mpi/ have two versions,
# *_mpi.cpp and *_simgrid.cpp, and programs are libraries that smpirun loads.
if("simgrid" IN_LIST MPI_CXX_LIB_NAMES)
  set(GATHERBENCH_SIMGRID ON)
else()
  set(GATHERBENCH_SIMGRID OFF)
endif()
# Programs of MPI's standard ABI run with any library that has it. The wrapper says -DMPI_ABI, which
# FindMPI drops.
if("mpi_abi" IN_LIST MPI_CXX_LIB_NAMES)
  set(GATHERBENCH_MPI_ABI ON)
  set_property(TARGET MPI::MPI_CXX APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS MPI_ABI)
  # The wrapper's own folder must not come before that of the library which is to run.
  get_target_property(mpi_link_options MPI::MPI_CXX INTERFACE_LINK_OPTIONS)
  if(mpi_link_options)
    set(comma "(,|[$]<COMMA>)")
    string(REGEX REPLACE "-Wl${comma}-rpath(=| -Wl)?${comma}?[^ >;]*" ""
      mpi_link_options "${mpi_link_options}")
    set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_LINK_OPTIONS "${mpi_link_options}")
  endif()
else()
  set(GATHERBENCH_MPI_ABI OFF)
endif()
include(cmake/launcher.cmake)

# An installed package, of the lowest version that is tested or newer (tools/test_bounds.sh), or else
# the release's sources; these need the network once.
include(FetchContent)
# As an installed package's, their headers are system headers: neither warned about nor linted.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25)
  set(fetched_as SYSTEM)
endif()
macro(gatherbench_require name lowest repository tag)
  find_package(${name} ${lowest} QUIET)
  if(NOT ${name}_FOUND)
    message(STATUS "${name} ${lowest} or newer is not installed: fetching ${repository} ${tag}")
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON
      ${fetched_as})
    FetchContent_MakeAvailable(${name})
  endif()
endmacro()
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib is not installed; legal: zlib1g-dev, zlib-devel or ZLIB_ROOT=PREFIX")
endif()
set(INSTALL_GTEST OFF)  # it is for the build, not for our `install`
set(JSON_Install OFF)  # our libraries' headers do not include it
set(JSON_BuildTests OFF)
set(FMT_INSTALL ON)  # what links the installed library needs it
# clang 22 refuses consteval functions of 10.2.1, which was fetched before.
gatherbench_require(fmt 8.1 https://github.com/fmtlib/fmt.git 12.1.0)
gatherbench_require(CLI11 2.0 https://github.com/CLIUtils/CLI11.git v2.4.2)
# Of schedules in files. No build does without: one without file:PATH would be another program.
gatherbench_require(nlohmann_json 3.10 https://github.com/nlohmann/json.git v3.11.3)
if(GATHERBENCH_TESTS)
  gatherbench_require(GTest 1.12 https://github.com/google/googletest.git v1.14.0)
  if(NOT TARGET GTest::gmock)
    message(FATAL_ERROR "GoogleTest is installed without GoogleMock: install it (libgmock-dev), or "
      "configure with -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON to fetch both")
  endif()
endif()
