# All dependencies are from the distribution. Nothing is vendored or downloaded. NVRTC, the driver and cuBLAS are loaded
# when they are first used, if they are there: the program is the same wherever it is built.
# scripts/bootstrap installs the packages of Debian 12 and Ubuntu 24.04.

include(CTest)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(md4c REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(Curses REQUIRED IMPORTED_TARGET formw ncursesw)
# It defines feature macros that are part of _GNU_SOURCE, which C++ compilers on Linux define by default. These are
# removed, so that files compiled together have one value of each.
get_target_property(curses_options PkgConfig::Curses INTERFACE_COMPILE_OPTIONS)
list(FILTER curses_options EXCLUDE REGEX "^-D_(DEFAULT|XOPEN)_SOURCE")
set_target_properties(PkgConfig::Curses PROPERTIES INTERFACE_COMPILE_OPTIONS "${curses_options}")

if(BUILD_TESTING)
  find_package(Catch2 REQUIRED)  # 2.13 or 3
  include(Catch)
  pkg_check_modules(vterm IMPORTED_TARGET vterm)  # a terminal in memory
  find_package(CUDAToolkit QUIET)  # its headers, with which declarations and calculations are compared
endif()
