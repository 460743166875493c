# SPDX-License-Identifier: MIT
# The client's modules as they are served: without full-line comments, indentation, blank lines and
# the spaces around = => { } , : ? && || . Nothing is renamed, lines stay lines. The sources keep
# clear of such spaces inside strings; web/test/size.test.js proves that nothing else changed.
#   bh_strip_js(text_variable)          in place
#   cmake -DIN=web/bh.js -DOUT=bh.js -P cmake/strip_js.cmake
function(bh_strip_js variable)
  set(text "\n${${variable}}")
  string(REGEX REPLACE "\n[ \t]*//[^\n]*" "\n" text "${text}")
  string(REGEX REPLACE "\n[ \t\n]+" "\n" text "${text}")
  string(REGEX REPLACE " ?(=>|=|[{},:?]|&&|[|][|]) ?" "\\1" text "${text}")
  string(REGEX REPLACE "^\n" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ "${IN}" text)
  bh_strip_js(text)
  file(WRITE "${OUT}" "${text}")
endif()
