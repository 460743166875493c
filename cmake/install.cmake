# SPDX-License-Identifier: MIT
# Installation: the shared and the static library, the public headers, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)
set(bh_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/backhaul)

install(TARGETS backhaul EXPORT backhaul-shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS backhaul_static EXPORT backhaul-static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/backhaul DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

# Two files, because only a program that links the static library needs to find what is inside it.
foreach(kind IN ITEMS shared static)
  install(EXPORT backhaul-${kind} FILE backhaul-${kind}-targets.cmake NAMESPACE backhaul::
    DESTINATION ${bh_config_dir} COMPONENT development)
endforeach()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/backhaul-config.cmake.in
  ${PROJECT_BINARY_DIR}/backhaul-config.cmake INSTALL_DESTINATION ${bh_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/backhaul-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/backhaul-config.cmake ${PROJECT_BINARY_DIR}/backhaul-config-version.cmake
  DESTINATION ${bh_config_dir} COMPONENT development)

# Debian's mimalloc has no .pc file, so it cannot be named under Requires.private.
set(bh_pc_mimalloc "")
if(TARGET mimalloc)
  set(bh_pc_mimalloc "-lmimalloc")
endif()
# A prefix-relative file can be moved with its prefix; an absolute directory (as some packagers pass) stays absolute.
foreach(what IN ITEMS LIB INCLUDE)
  string(TOLOWER ${what} lower)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${what}DIR}")
    set(bh_pc_${lower}dir "${CMAKE_INSTALL_${what}DIR}")
  else()
    set(bh_pc_${lower}dir "\${prefix}/${CMAKE_INSTALL_${what}DIR}")
  endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/backhaul.pc.in ${PROJECT_BINARY_DIR}/backhaul.pc.pre @ONLY)
# The prefix is known only when installing (cmake --install --prefix), so it is filled in then.
install(CODE "
  file(READ \"${PROJECT_BINARY_DIR}/backhaul.pc.pre\" pc)
  string(REPLACE \"%PREFIX%\" \"\${CMAKE_INSTALL_PREFIX}\" pc \"\${pc}\")
  file(WRITE \"${PROJECT_BINARY_DIR}/backhaul.pc\" \"\${pc}\")"
  COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/backhaul.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
