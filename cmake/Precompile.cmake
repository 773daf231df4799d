# Precompiles the headers that most files include, once for all components and once, with Catch2 and JSON, for all
# tests. Components may also compile several files at a time (Components.cmake). Not with ccache, unless
# CCACHE_SLOPPINESS=pch_defines,time_macros, because otherwise it does not cache files with precompiled headers.

set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
endif()
option(GEMM_TUTOR_PRECOMPILE "Compile common headers once, and the files of some components together" ${precompile})

set(common_headers
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits>
  <map> <memory> <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread> <utility>
  <vector> <fmt/format.h>)

# A library that has only the precompiled headers, which other targets use.
function(add_precompiled_headers name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS;OPTIONS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE gemm_tutor_options fmt::fmt ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${common_headers} ${ARG_HEADERS})
endfunction()

# precompile_headers(TARGET source|text|tests): uses the common headers of that kind (Components.cmake).
function(precompile_headers target kind)
  if(NOT GEMM_TUTOR_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET precompiled_${kind} AND kind STREQUAL "tests")
    add_precompiled_headers(precompiled_tests LINK Catch2::Catch2 nlohmann_json::nlohmann_json
      HEADERS <nlohmann/json.hpp> ${PROJECT_SOURCE_DIR}/tests/catch.hpp OPTIONS ${optimisation_of_tests})
    set_target_properties(precompiled_tests PROPERTIES GEMM_TUTOR_IS_TEST ON)
  elseif(NOT TARGET precompiled_${kind})
    add_precompiled_headers(precompiled_${kind} OPTIONS ${optimisation_of_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM precompiled_${kind})
endfunction()
