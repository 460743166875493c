# SPDX-License-Identifier: MIT
# The two codecs. Pure but for cJSON, which stays behind the gate in wire_reactpy_decode.c.
add_library(bh_wire STATIC
  ${CMAKE_CURRENT_LIST_DIR}/utf8.c
  ${CMAKE_CURRENT_LIST_DIR}/json_gate.c
  ${CMAKE_CURRENT_LIST_DIR}/wire_v1_encode.c
  ${CMAKE_CURRENT_LIST_DIR}/wire_v1_decode.c
  ${CMAKE_CURRENT_LIST_DIR}/wire_reactpy_model.c
  ${CMAKE_CURRENT_LIST_DIR}/wire_reactpy_encode.c
  ${CMAKE_CURRENT_LIST_DIR}/wire_reactpy_decode.c
  ${CMAKE_CURRENT_LIST_DIR}/wire_ws.c)
bh_target(bh_wire)
target_link_libraries(bh_wire PUBLIC bh_vdom PRIVATE PkgConfig::CJSON m)
