# Finds the launcher of this MPI, GATHERBENCH_MPIEXEC.
# FindMPI takes the first mpiexec on the PATH; the one beside the compiler wrapper belongs to it.
# Its name tells the launcher's, as mpicxx.mpich does, unless it has another one: Cray's wrapper is CC.
get_filename_component(mpi_bin "${MPI_CXX_COMPILER}" DIRECTORY)
get_filename_component(mpi_wrapper "${MPI_CXX_COMPILER}" NAME)
set(mpi_launcher mpiexec)
if(mpi_wrapper MATCHES "^mpi[^.]*(.*)$")
  set(mpi_launcher mpiexec${CMAKE_MATCH_1})
elseif(mpi_wrapper MATCHES "^smpi[^.]*(.*)$")
  set(mpi_launcher smpirun${CMAKE_MATCH_1})
endif()
find_program(GATHERBENCH_MPIEXEC NAMES ${mpi_launcher} mpiexec HINTS ${mpi_bin} NO_DEFAULT_PATH)
if(NOT GATHERBENCH_MPIEXEC AND MPIEXEC_EXECUTABLE)
  set(GATHERBENCH_MPIEXEC ${MPIEXEC_EXECUTABLE} CACHE FILEPATH "Launcher of this MPI" FORCE)
elseif(NOT GATHERBENCH_MPIEXEC)
  message(WARNING "There is no launcher of MPI beside ${MPI_CXX_COMPILER} or on the PATH: give one by "
    "-DGATHERBENCH_MPIEXEC=PATH, or MPIEXEC=PATH to mpirun_here")
  set(GATHERBENCH_MPIEXEC "" CACHE FILEPATH "Launcher of this MPI" FORCE)
endif()
