# SPDX-License-Identifier: MIT
# bh_target(name): our warnings and includes on a target of ours. Third-party headers are SYSTEM.
include(CheckCCompilerFlag)
set(BH_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef
    -Wformat=2 -Wvla -Wnull-dereference -Wdouble-promotion -Wswitch-enum -Wimplicit-fallthrough)
# Instrumented frames are larger than those that are run.
if(NOT BH_SANITIZE)
  list(APPEND BH_WARNINGS -Wframe-larger-than=8192)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND BH_WARNINGS -Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wjump-misses-init
       -Wcast-align=strict)
elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
  list(APPEND BH_WARNINGS -Wthread-safety -Wmissing-variable-declarations -Wcomma)
endif()
function(bh_target target)
  target_compile_options(${target} PRIVATE ${BH_WARNINGS} $<$<BOOL:${BH_WERROR}>:-Werror>
    -fvisibility=hidden $<$<CONFIG:Release,RelWithDebInfo>:-fstack-protector-strong>)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE
    $<$<AND:$<CONFIG:Release,RelWithDebInfo>,$<NOT:$<BOOL:${BH_SANITIZE}>>>:_FORTIFY_SOURCE=2>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endfunction()
