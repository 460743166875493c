# SPDX-License-Identifier: MIT
# The packages: libwebsockets, libuv, cJSON (pkg-config) and mimalloc (CMake package).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(LWS REQUIRED IMPORTED_TARGET libwebsockets>=4.1)
pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv>=1.44)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson>=1.7.15)
# Sanitizer builds use malloc: mimalloc would hide use-after-free from them.
if(NOT BH_SANITIZE)
  find_package(mimalloc REQUIRED)
endif()
