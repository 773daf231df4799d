#include "simt/gpu_spec.hpp"

#include <string>

#include "catch.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

struct Case {
  const char* gpu;
  std::uint32_t threads;
  int registers;
  int static_shared;
  std::uint32_t dynamic_shared;
  int blocks;
  double occupancy;
  const char* limited_by;
};

Occupancy occupancy_of(const Case& c) {
  return occupancy(find_gpu(c.gpu),
                   {.registers_per_thread = c.registers, .static_shared_bytes = c.static_shared},
                   {.block = {c.threads}, .dynamic_shared_bytes = c.dynamic_shared});
}

std::string refusal(const Launch& launch, const KernelResources& kernel = {},
                    const char* gpu = "h200") {
  try {
    check_launch(find_gpu(gpu), kernel, launch);
    return "";
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    CHECK_FALSE(error.help().empty());
    return error.what();
  }
}

}  // namespace

TEST_CASE("occupancy worked by hand") {
  // Registers: a warp gets 32 x registers, rounded up to 256, from its quarter's 16,384.
  // Shared memory: a block's own, plus 1 KiB from compute capability 8.0.
  constexpr int KiB = 1024;
  const std::vector<Case> cases = {
      // 2048/256 = 8; registers 16384/1024 = 16 warps a quarter = 8 blocks; shared 228/9 = 25.
      {"h200", 256, 32, 8 * KiB, 0, 8, 1.0, "threads"},
      // 2048/1024 = 2; registers 16384/1024*4 = 64 warps = 2 blocks.
      {"h200", 1024, 32, 8 * KiB, 0, 2, 1.0, "threads"},
      // 38 registers: 1,280 a warp, 12 warps a quarter, 48 on an SM: one block of 32 warps.
      {"h200", 1024, 38, 8 * KiB, 0, 1, 0.5, "registers"},
      // 128 registers: 4 warps a quarter, 16 on an SM: two blocks of 8.
      {"h200", 256, 128, 0, 0, 2, 0.25, "registers"},
      // 33 registers round up to 40: 12 warps a quarter, 48 on an SM: six blocks of 8.
      {"h200", 256, 33, 0, 0, 6, 0.75, "registers"},
      // 228/41 = 5 blocks of 4 warps.
      {"h200", 128, 32, 40 * KiB, 0, 5, 20.0 / 64, "shared memory"},
      // 64 KiB of dynamic shared memory, which has to be asked for: 228/65 = 3 blocks of 8 warps.
      {"h200", 256, 32, 0, 64 * KiB, 3, 24.0 / 64, "shared memory"},
      // The most there is: one block.
      {"h200", 256, 32, 0, 227 * KiB, 1, 8.0 / 64, "shared memory"},
      // One warp a block: 32 blocks of the 64 warps there could be.
      {"h200", 32, 16, 0, 0, 32, 0.5, "blocks"},
      // A block that is no whole number of warps occupies its last one wholly: 2048/64 = 32 of 2.
      {"h200", 33, 16, 0, 0, 32, 1.0, "threads"},
      // 164/17 = 9 blocks of 4 warps.
      {"a100", 128, 32, 16 * KiB, 0, 9, 36.0 / 64, "shared memory"},
      {"a100", 256, 32, 0, 0, 8, 1.0, "threads"},
      // 1024 threads on an SM, 16 blocks, 64 KiB and nothing of it reserved.
      {"t4", 1024, 32, 0, 0, 1, 1.0, "threads"},
      {"t4", 32, 32, 0, 0, 16, 0.5, "blocks"},
      {"t4", 64, 32, 16 * KiB, 0, 4, 8.0 / 32, "shared memory"},
      {"t4", 256, 128, 0, 0, 2, 16.0 / 32, "registers"},
      // 1536 threads on an SM: a block of 1,024 leaves a third of it empty.
      {"rtx3090", 1024, 32, 0, 0, 1, 32.0 / 48, "threads"},
      {"rtx3090", 64, 32, 0, 0, 16, 32.0 / 48, "blocks"},
      // 24 blocks where Ampere has 16.
      {"rtx4090", 64, 32, 0, 0, 24, 1.0, "threads"},
      {"rtx4090", 32, 32, 0, 0, 24, 0.5, "blocks"},
      // 100/33 = 3 blocks of 8 warps.
      {"rtx4090", 256, 32, 32 * KiB, 0, 3, 24.0 / 48, "shared memory"},
  };
  for (const Case& c : cases) {
    INFO(c.gpu << " " << c.threads << " threads " << c.registers << " registers "
               << c.static_shared + c.dynamic_shared << " bytes");
    const Occupancy result = occupancy_of(c);
    CHECK(result.blocks_per_multiprocessor == c.blocks);
    CHECK(result.occupancy == c.occupancy);
    CHECK(result.limited_by == c.limited_by);
  }
}

TEST_CASE("where nobody knows the registers, an occupancy is the most there can be") {
  const GpuSpec gpu = find_gpu("h200");
  const Launch launch{.block = {1024}};
  const Occupancy most = occupancy(gpu, {}, launch);
  CHECK_FALSE(most.exact);
  CHECK(most.blocks_per_multiprocessor == 2);
  const Occupancy known = occupancy(gpu, {.registers_per_thread = 38}, launch);
  CHECK(known.exact);
  CHECK(known.blocks_per_multiprocessor == 1);
}

TEST_CASE("a launch at each limit is allowed") {
  CHECK(refusal({.grid = {2147483647, 65535, 65535}, .block = {32, 32}}) == "");
  CHECK(refusal({.block = {1024}}) == "");
  CHECK(refusal({.block = {1, 16, 64}}) == "");
  CHECK(refusal({.block = {256}}, {.static_shared_bytes = 49152}) == "");
  CHECK(refusal({.block = {256}, .dynamic_shared_bytes = 232448}) == "");
  CHECK(refusal({.block = {256}, .dynamic_shared_bytes = 232448 - 1024},
                {.static_shared_bytes = 1024}) == "");
  CHECK(refusal({.block = {1024}}, {.registers_per_thread = 64}) == "");
  CHECK(refusal({.block = {256}}, {.registers_per_thread = 255}) == "");
}

TEST_CASE("a launch over a limit is refused with its own numbers") {
  CHECK(refusal({.block = {64, 64}}) ==
        "a block of 64×64 = 4,096 threads is more than the 1,024 a block may have");
  CHECK(refusal({.block = {1025}}) ==
        "a block of 1025 threads is more than the 1,024 a block may have");
  // The product of these is 0 modulo 2^64.
  CHECK(refusal({.block = {1u << 31, 1u << 31, 4}}) ==
        "a block of 2147483648×2147483648×4 threads is more than the 1,024 a block may have");
  CHECK(refusal({.block = {0, 32}}) == "a block of 0×32 has no threads");
  CHECK(refusal({.block = {1, 1, 65}}) ==
        "a block of 1×1×65 is deeper than the 64 threads it may have along z");
  CHECK(refusal({.grid = {0, 3}, .block = {32}}) == "a grid of 0×3 has no blocks");
  CHECK(refusal({.grid = {1, 65536}, .block = {32}}) ==
        "a grid of 1×65536 blocks is over the limit: 2,147,483,647 along x, 65,535 along y and z");
  CHECK(refusal({.grid = {2147483648u}, .block = {32}}).find("over the limit") !=
        std::string::npos);
  CHECK(refusal({.block = {1024}}, {.registers_per_thread = 65}) ==
        "a block of 1,024 threads with 65 registers each needs more than the 65,536 registers a "
        "block may have");
}

TEST_CASE("shared memory over a limit is refused: 48 KiB declared, more only when asked for") {
  const char* message =
      "a block needs 64 KiB of shared memory; a block on the NVIDIA H200 may have 48 KiB (227 KiB "
      "if asked for when launched)";
  CHECK(refusal({.block = {256}}, {.static_shared_bytes = 65536}) == message);
  CHECK(refusal({.block = {256}, .dynamic_shared_bytes = 232449}) != "");
  CHECK(refusal({.block = {256}, .dynamic_shared_bytes = 232448}, {.static_shared_bytes = 4}) !=
        "");
  CHECK(refusal({.block = {256}, .dynamic_shared_bytes = 65536}, {}, "t4") == "");
  CHECK(refusal({.block = {256}, .dynamic_shared_bytes = 65537}, {}, "t4") != "");
  CHECK(refusal({.block = {256}, .dynamic_shared_bytes = UINT32_MAX}) != "");
}
