# Everything from the distribution and the CUDA Toolkit; nothing vendored, nothing downloaded.
# scripts/bootstrap installs what Debian 12 and Ubuntu 24.04 package.

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

# Headers only: NVRTC, the driver and cuBLAS are loaded when they are first used.
find_package(CUDAToolkit)
if(NOT CUDAToolkit_FOUND)
  message(FATAL_ERROR
    "The CUDA Toolkit is missing: gemm-tutor compiles its kernels with NVRTC, which is part of it.\n"
    "Install version 12.4 to 13 from https://developer.nvidia.com/cuda-downloads (no GPU or driver is "
    "needed), or set CUDAToolkit_ROOT to where it is.")
endif()
if(CUDAToolkit_VERSION VERSION_LESS 12.4)
  message(FATAL_ERROR "The CUDA Toolkit in ${CUDAToolkit_LIBRARY_DIR} is ${CUDAToolkit_VERSION}: "
    "gemm-tutor needs 12.4 or newer.")
endif()

if(BUILD_TESTING)
  find_package(Catch2 REQUIRED)  # 2.13 or 3
  include(Catch)
  pkg_check_modules(vterm IMPORTED_TARGET vterm)  # a terminal in memory
endif()
