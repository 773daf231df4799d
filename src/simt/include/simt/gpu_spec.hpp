// A GPU: how kernels are launched, the kinds of its instructions, its limits, and what fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::simt {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// Returns the index of a thread in a block, or of a block in a grid, from its number. x varies
// fastest.
Dim3 place_in(const Dim3& all, std::uint64_t number);

// As in CUDA's <<<grid, block, shared>>>.
struct Launch {
  Dim3 grid{};
  Dim3 block{};
  std::uint32_t dynamic_shared_bytes = 0;

  bool operator==(const Launch&) const = default;
};

// By what instructions are counted. PTX has no kinds from shared_load to atomic, and no unknown.
enum class InstructionKind {
  ffma,            // only FFMA, fma.rn.f32 in PTX: the useful work
  floating_point,  // other arithmetic, comparisons and selections: FP32, FP64, special functions
  integer,         // arithmetic, logic, comparisons, selections: addresses and loop counters
  move,            // moves, conversions, reads of special registers, constants and parameters
  memory,          // only of PTX: loads, stores and asynchronous copies
  shared_load,
  shared_store,
  global_load,
  global_store,
  local_load,
  local_store,
  copy,             // from global to shared memory, without registers
  atomic,           // also reductions in memory
  control,          // branches and returns
  synchronisation,  // barriers, fences, waits for asynchronous copies
  exchange,         // shuffles and votes between the lanes of a warp
  tensor,           // products of matrices on tensor cores
  unknown
};

inline constexpr std::size_t instruction_kinds = 18;

std::string_view name_of(InstructionKind kind);  // "shared_load": in JSON

// What a tensor instruction multiplies and, where there are two, what it adds in. `fp16_fp32` is
// FP16 or BF16 with sums in FP32.
enum class Product : std::uint8_t { none, fp16, fp16_fp32, tf32, int8, fp8, fp8_fp32, fp64 };

struct GpuDetails;  // rates, latencies and sources, for simt alone

struct GpuSpec {
  std::string name;       // as find_gpu() takes it: "h200", or a file's path
  std::string full_name;  // "NVIDIA H200"
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  double clock_ghz = 0;                   // the boost clock, from which the peak is computed
  int fp32_lanes_per_multiprocessor = 0;  // FFMAs that an SM starts per cycle
  double memory_bandwidth = 0;            // bytes per second
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 65536;
  int registers_per_block = 65536;
  int shared_bytes_per_multiprocessor = 0;
  int shared_bytes_per_block = 49152;       // without opting in
  int shared_bytes_per_block_optin = 0;     // with cudaFuncAttributeMaxDynamicSharedMemorySize
  int reserved_shared_bytes_per_block = 0;  // shared memory that the system uses per block
  std::shared_ptr<const GpuDetails> details;

  std::string architecture() const;  // "sm_90"
  // FP32 FLOP/s; an FFMA counts as two. With a product, that of its tensor cores for matrices that
  // are not sparse; 0 if it is not known.
  double peak_flops(Product product = Product::none) const;
  int compute_capability() const { return 10 * compute_major + compute_minor; }  // 90 for 9.0
};

// Returns a number of a GPU's file by its key there (docs/gpus.md): "l2_bytes". Throws
// std::out_of_range for another key.
double number_of(const GpuSpec& gpu, std::string_view key);

// Finds a GPU by its name, without regard to case. If the name has a slash or ends in .toml,
// reads that file. Throws Error (usage) with the nearest name, or with the file and its line.
GpuSpec find_gpu(std::string_view name);

// Returns the known GPU with that name of the driver, or null.
const GpuSpec* known_by_driver_name(std::string_view driver_name);

// Sets the details of a GPU that a driver describes, which does not say them, to those of the known
// GPU that is most similar: the one of the same name, otherwise one of the same or the next older
// compute capability with the nearest number of multiprocessors.
void set_details(GpuSpec& gpu);

// Throws Error (usage) if the GPU's compute capability is lower than `capability` (80 for 8.0),
// which `what` needs. The message has all three.
void require_capability(const GpuSpec& gpu, int capability, std::string_view what);

// What a kernel needs of a multiprocessor.
struct KernelResources {
  int registers_per_thread = 0;  // 0 if not known: only NVIDIA's assembler decides it
  int static_shared_bytes = 0;
  int local_bytes_per_thread = 0;  // stack frame: arrays and spills that are not in registers
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;

  bool operator==(const KernelResources&) const = default;
};

// How many blocks of a kernel fit on a multiprocessor, and which resource is the limit.
struct Occupancy {
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;    // resident warps divided by the maximum, 0 to 1
  std::string limited_by;  // "threads", "registers", "shared memory" or "blocks"
  bool exact = true;       // false if the registers are not known: then this is an upper bound
};

// Throws the errors of check_launch().
Occupancy occupancy(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch);

// Throws Error (usage) if `launch` cannot run on `gpu`: no threads, too many threads per block, too
// much shared memory, too many registers, or too large a grid.
void check_launch(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch);

}  // namespace gemm_tutor::simt
