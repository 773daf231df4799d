#include "gemm/matrices.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "gemm/random.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// Calls work(begin, end) for parts of [0, count) on all cores. The activity counts elements.
template <class Work>
void for_each_part(std::int64_t count, Activity& activity, const Work& work) {
  constexpr std::int64_t part = 1 << 16;
  parallel_for((count + part - 1) / part, core_count(), [&](std::int64_t index, int) {
    activity.check();
    const std::int64_t begin = index * part, end = std::min(count, begin + part);
    work(begin, end);
    activity.advance(end - begin);
  });
}

void fill_random(std::span<float> values, std::uint64_t seed, std::uint64_t stream,
                 Activity& activity) {
  const RandomSequence random(seed, stream);
  for_each_part(std::ssize(values), activity, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      // The upper 24 bits, which fit into a float's significand, as a signed integer.
      const auto bits = static_cast<std::int32_t>(static_cast<std::int64_t>(random[i]) >> 40);
      values[i] = static_cast<float>(bits) * 0x1p-23f;
    }
  });
}

void poison(std::span<float> values, Activity& activity) {
  for_each_part(std::ssize(values), activity, [&](std::int64_t begin, std::int64_t end) {
    std::fill(values.begin() + begin, values.begin() + end, std::bit_cast<float>(poison_bits));
  });
}

std::string dimensions(const Problem& problem) {
  return fmt::format("{}×{}×{}", with_thousands(problem.m), with_thousands(problem.n),
                     with_thousands(problem.k));
}

Error too_little_memory(const Problem& problem, std::int64_t available) {
  return {ExitStatus::unavailable,
          fmt::format("the matrices of a {} product need {} of memory; {} is available",
                      dimensions(problem), human_bytes(problem.bytes()),
                      human_bytes(static_cast<double>(available))),
          "Choose a smaller --size."};
}

void check_indices(const char* name, int rows, int columns) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const std::int64_t elements = std::int64_t{rows} * columns;
  if (elements <= limit) return;
  throw Error(
      ExitStatus::usage,
      fmt::format("matrix {} has {}×{} = {} elements, more than a kernel's int can index", name,
                  with_thousands(rows), with_thousands(columns), with_thousands(elements)),
      fmt::format("Choose a smaller --size: each matrix can have {} elements, a square one "
                  "46,340 rows.",
                  with_thousands(limit)));
}

std::optional<std::int64_t> meminfo_available() {
  std::ifstream file("/proc/meminfo");
  std::int64_t kibibytes = 0;
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return {};
}

std::int64_t physical_memory() {
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
}

std::optional<std::int64_t> container_limit() {
  std::ifstream file("/sys/fs/cgroup/memory.max");  // cgroup v2: a number, or "max"
  std::int64_t bytes = 0;
  if (file >> bytes) return bytes;
  return {};
}

// Transposes a matrix with that number of rows and columns.
std::vector<float> turned(std::span<const float> matrix, int rows, int columns) {
  std::vector<float> result(matrix.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      result[column * rows + row] = matrix[row * columns + column];
    }
  }
  return result;
}

}  // namespace

void fill_random(std::span<float> values, std::uint64_t seed, std::uint64_t stream) {
  fill_random(values, seed, stream, or_unwatched(nullptr));
}

void poison(std::span<float> values) { poison(values, or_unwatched(nullptr)); }

std::int64_t available_memory() {
  const std::optional<std::int64_t> limit = container_limit();
  const std::int64_t available = meminfo_available().value_or(physical_memory());
  return limit ? std::min(*limit, available) : available;
}

void check_size(const Problem& problem, std::int64_t available) {
  if (problem.bytes() > static_cast<double>(available)) throw too_little_memory(problem, available);
  check_indices("A", problem.m, problem.k);
  check_indices("B", problem.k, problem.n);
  check_indices("C", problem.m, problem.n);
}

RowMajorOperands::RowMajorOperands(const Matrices& stored, const Transposed& transposed)
    : a_(stored.a), b_(stored.b) {
  const Problem& p = stored.problem;
  if (transposed.a) a_ = new_a_ = turned(stored.a, p.k, p.m);
  if (transposed.b) b_ = new_b_ = turned(stored.b, p.n, p.k);
}

Matrices make_matrices(const Problem& problem, std::uint64_t seed, Activity* activity, InitialC c) {
  constexpr std::uint64_t c_stream = 3;  // A, B and the sampled rows have 0 to 2
  check_size(problem);
  Activity& watched = or_unwatched(activity);
  watched.begin("making random matrices",
                problem.a_elements() + problem.b_elements() + problem.c_elements());
  try {
    Matrices matrices{problem, std::vector<float>(problem.a_elements()),
                      std::vector<float>(problem.b_elements()),
                      std::vector<float>(problem.c_elements())};
    fill_random(matrices.a, seed, 0, watched);
    fill_random(matrices.b, seed, 1, watched);
    if (c == InitialC::poison) {
      poison(matrices.c, watched);
      return matrices;
    }
    if (c == InitialC::random) fill_random(matrices.c, seed, c_stream, watched);
    matrices.c_before = matrices.c;
    return matrices;
  } catch (const std::bad_alloc&) {  // this process may have a lower limit
    throw too_little_memory(problem, available_memory());
  }
}

}  // namespace gemm_tutor
