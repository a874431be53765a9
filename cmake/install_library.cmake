# Installs what a program that is no benchmark may use, as the CMake package gatherbench
# (docs/how-to/library.md). Includes are as in the sources: below include/gatherbench lie the rooms.
set(include_folder ${CMAKE_INSTALL_INCLUDEDIR}/gatherbench)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gatherbench)
target_include_directories(gatherbench_core INTERFACE $<INSTALL_INTERFACE:${include_folder}>)
foreach(library core mpi)
  target_compile_features(gatherbench_${library} PUBLIC cxx_std_20)
  set_target_properties(gatherbench_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()
foreach(room IN LISTS core_rooms ITEMS runtime/device runtime/mpi runtime/selection)
  get_filename_component(above ${room} DIRECTORY)
  install(DIRECTORY ${room} DESTINATION ${include_folder}/${above}
    FILES_MATCHING PATTERN *.h PATTERN *.inc PATTERN agformats EXCLUDE)
endforeach()
install(TARGETS gatherbench_core gatherbench_mpi EXPORT gatherbench
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT gatherbench NAMESPACE gatherbench:: FILE gatherbench-targets.cmake
  DESTINATION ${package_folder})

include(CMakePackageConfigHelpers)
configure_package_config_file(
  cmake/gatherbench-config.cmake.in ${CMAKE_BINARY_DIR}/generated/gatherbench-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/gatherbench-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/gatherbench-config.cmake
  ${CMAKE_BINARY_DIR}/generated/gatherbench-config-version.cmake DESTINATION ${package_folder})

set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up_to_prefix /prefix/${pkgconfig_folder} /prefix)
configure_file(cmake/gatherbench.pc.in ${CMAKE_BINARY_DIR}/generated/gatherbench.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/gatherbench.pc DESTINATION ${pkgconfig_folder})
if(TARGET gatherbench_c)
  configure_file(cmake/gatherbench-c.pc.in ${CMAKE_BINARY_DIR}/generated/gatherbench-c.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/generated/gatherbench-c.pc DESTINATION ${pkgconfig_folder})
  install(FILES runtime/c_interface/gatherbench.h runtime/c_interface/gatherbench.f90
    DESTINATION ${include_folder}/runtime/c_interface)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
