# SPDX-License-Identifier: MIT
# Files into a C file, by CMake alone.
#   cmake -DOUT=embed_data.c -DDIR=web "-DFILES=bh.js;bh.css" -P embed.cmake
# Each becomes an entry of bh_embedded[] (server/embed.h); the ETag is the SHA-256 of its bytes.
if(NOT OUT OR NOT DIR OR NOT FILES)
  message(FATAL_ERROR "embed.cmake: OUT, DIR and FILES are needed")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/strip_js.cmake")
set(arrays "")
set(entries "")
set(n 0)
foreach(name IN LISTS FILES)
  if(name MATCHES "\\.js$")
    file(READ "${DIR}/${name}" text)
    bh_strip_js(text)
    string(HEX "${text}" hex)
    string(SHA256 digest "${text}")
  else()
    file(READ "${DIR}/${name}" hex HEX)
    file(SHA256 "${DIR}/${name}" digest)
  endif()
  string(SUBSTRING "${digest}" 0 16 digest)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char file_${n}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", file_${n}, ${size}, \"\\\"${digest}\\\"\"},\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE "${OUT}.new" "/* made by cmake/embed.cmake; do not edit */
#include \"server/embed.h\"

${arrays}
const bh_embed bh_embedded[] = {
${entries}};
const size_t bh_embedded_count = ${n};
")
file(COPY_FILE "${OUT}.new" "${OUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUT}.new")
file(TOUCH_NOCREATE "${OUT}")
