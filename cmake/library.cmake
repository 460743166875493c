# SPDX-License-Identifier: MIT
# The installed library: every layer in one file, once shared (backhaul) and once static (backhaul_static). The layers
# stay separate static targets for the tests and the benchmarks, which look inside them.
set(BH_LAYERS "")
foreach(layer IN ITEMS bh_vdom bh_render bh_wire bh_web bh_hub bh_server)
  if(TARGET ${layer})
    list(APPEND BH_LAYERS ${layer})
  endif()
endforeach()

foreach(kind IN ITEMS SHARED STATIC)
  set(target backhaul)
  if(kind STREQUAL "STATIC")
    set(target backhaul_static)
  endif()
  if(TARGET ${target})
    continue()
  endif()
  add_library(${target} ${kind})
  foreach(layer IN LISTS BH_LAYERS)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${layer}>)
  endforeach()
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE
    PkgConfig::LWS PkgConfig::UV PkgConfig::CJSON Threads::Threads m)
  if(TARGET mimalloc)
    target_link_libraries(${target} PRIVATE mimalloc)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME backhaul LINKER_LANGUAGE C)
endforeach()

# Until 1.0 a minor release may change the interface, so the minor version is part of the soname.
set_target_properties(backhaul PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/backhaul.map)
  target_link_options(backhaul PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/backhaul.map)
  set_target_properties(backhaul PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/backhaul.map)
endif()
if(NOT BH_SANITIZE)
  target_link_options(backhaul PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(backhaul_static PROPERTIES EXPORT_NAME static)

add_library(backhaul::backhaul ALIAS backhaul)
add_library(backhaul::static ALIAS backhaul_static)
