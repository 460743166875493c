# SPDX-License-Identifier: MIT
add_library(bh_test_loopback STATIC
  ${CMAKE_CURRENT_LIST_DIR}/../support/loopback.c
  ${CMAKE_CURRENT_LIST_DIR}/../support/exec_manual.c
  ${CMAKE_CURRENT_LIST_DIR}/../support/v1_client.c)
bh_target(bh_test_loopback)
target_include_directories(bh_test_loopback PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(bh_test_loopback PUBLIC bh_hub PRIVATE PkgConfig::CMOCKA)

bh_test(NAME hub_mbox SOURCES hub_mbox.c LIBS bh_hub LABELS unit thread)
bh_test(NAME hub_modes SOURCES hub_modes.c LIBS bh_test_loopback bh_hub LABELS unit thread)
foreach(topic IN ITEMS events flow resume page stop)
  bh_test(NAME hub_${topic} SOURCES hub_${topic}.c LIBS bh_test_loopback bh_hub LABELS unit thread MODES)
endforeach()
