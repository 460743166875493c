# SPDX-License-Identifier: MIT
bh_test(NAME front_config SOURCES front_config.c LIBS bh_server LABELS unit)
bh_test(NAME front_parts SOURCES front_parts.c LIBS bh_server LABELS unit)
bh_test(NAME front_pages SOURCES front_pages.c LIBS bh_server LABELS unit)
bh_test(NAME front_life SOURCES front_life.c LIBS bh_server LABELS unit thread MODES)
