# SPDX-License-Identifier: MIT
# bh_server: the front (libwebsockets, HTTP, command line). Included by server/CMakeLists.txt.
add_library(bh_server STATIC
  config.c http.c http_page.c http_static.c main.c metrics.c server.c server_listen.c server_lws.c
  server_tcp.c server_wheel.c signals.c stats.c ws.c ws_upgrade.c)
bh_target(bh_server)
target_compile_definitions(bh_server PRIVATE BH_DEFAULT_BACKHAUL=$<BOOL:${BACKHAUL_THREAD}>)
target_link_libraries(bh_server PUBLIC bh_hub bh_web PkgConfig::LWS PkgConfig::UV)
