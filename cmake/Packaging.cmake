# The Debian package: `cpack --preset release` writes build/release/gemm-tutor_VERSION-1_ARCHITECTURE.deb.
# scripts/check-package builds, checks and tests it.

set(CPACK_PACKAGE_CONTACT "gemm-tutor developers <gemm-tutor@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "course on making a CUDA matrix multiply fast, with or without a GPU")
set(CPACK_PACKAGE_DESCRIPTION
"gemm-tutor teaches, on the command line, how a single-precision matrix
multiply is taken from a loop on the CPU to a fast CUDA kernel, one idea a
lesson. Kernels run on an NVIDIA GPU or on a built-in emulator, which counts
what they do to memory. There are exercises with checks and hints, a report on
kernels of one's own, and a way to grade a class's submissions.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packaging/DebianFiles.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# clang compiles kernels without NVRTC. The toolkit must have at least the version that the program needs.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS clang)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit (>= 12.4)")

include(CPack)
