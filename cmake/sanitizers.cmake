# SPDX-License-Identifier: MIT
# BH_SANITIZE is applied to everything we build, tests included.
if(BH_SANITIZE)
  string(REPLACE ";" "," bh_sanitizers "${BH_SANITIZE}")
  add_compile_options(-fsanitize=${bh_sanitizers} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${bh_sanitizers})
  if(bh_sanitizers MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all)
    add_link_options(-fno-sanitize-recover=all)
  endif()
endif()
if(BH_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
# Fuzz targets steer by the coverage of what they call, so all of it is instrumented.
if(BH_BUILD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
