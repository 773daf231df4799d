#include "gemm/matrices.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// Calls work(begin, end) for parts of [0, count) on all cores. The activity counts elements.
template <class Work>
void for_each_part(std::int64_t count, Activity& activity, const Work& work) {
  parallel_for_parts(count, [&](std::int64_t begin, std::int64_t end) {
    activity.check();
    work(begin, end);
    activity.advance(end - begin);
  });
}

// The upper 24 bits of a random number, which fit into a float's significand, as a number in
// [-1, 1).
float uniform(std::uint64_t random) {
  const auto bits = static_cast<std::int32_t>(static_cast<std::int64_t>(random) >> 40);
  return static_cast<float>(bits) * 0x1p-23f;
}

void fill_random(std::span<float> values, std::uint64_t seed, std::uint64_t stream,
                 Activity& activity, Scalar element = Scalar::f32) {
  const RandomSequence random(seed, stream);
  for_each_part(std::ssize(values), activity, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) values[i] = rounded(uniform(random[i]), element);
  });
}

// Whole numbers from -most (or 0, if they have no sign) to most, of which a share is not 0.
struct WholeNumbers {
  int most = 1;
  double share = 1;
};

// The largest of which a sum of K products is on average half of what is exact.
WholeNumbers whole_numbers(const PrecisionTerms& terms, int k) {
  const auto average = [](int most) { return most * (most + 1.0) / (2.0 * most + 1); };
  WholeNumbers result{terms.most_whole};
  const auto sum = [&] { return average(result.most) * average(result.most) * k; };
  while (result.most > 1 && sum() > terms.exact_to / 2) --result.most;
  result.share = std::min(1.0, terms.exact_to / 2 / sum());
  return result;
}

void fill_random(std::span<float> values, std::uint64_t seed, std::uint64_t stream,
                 Activity& activity, Scalar element, const WholeNumbers& numbers) {
  const RandomSequence random(seed, stream);
  const int least = element == Scalar::u8 ? 0 : -numbers.most;
  const auto count = static_cast<float>(numbers.most - least + 1);
  for_each_part(std::ssize(values), activity, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto low = static_cast<std::uint32_t>(random[i]);  // not the bits of the number
      const bool is_there = 0x1p-32 * low < numbers.share;
      const float number = std::floor((uniform(random[i]) + 1) / 2 * count);
      values[i] = is_there ? static_cast<float>(least) + number : 0;
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

Matrices make_matrices(const Problem& problem, std::uint64_t seed, Activity* activity,
                       const Update& update) {
  constexpr std::uint64_t c_stream = 3;  // A, B and the sampled rows have 0 to 2
  check_size(problem);
  Activity& watched = or_unwatched(activity);
  watched.begin("making random matrices",
                problem.a_elements() + problem.b_elements() + problem.c_elements());
  try {
    const Types& types = update.types;
    Matrices matrices{problem, types, std::vector<float>(problem.a_elements()),
                      std::vector<float>(problem.b_elements()),
                      std::vector<float>(problem.c_elements())};
    const PrecisionTerms& terms = terms_of(types.precision);
    const auto fill = [&](std::span<float> values, std::uint64_t stream, Scalar element) {
      if (terms.exact_to == 0) return fill_random(values, seed, stream, watched, element);
      const WholeNumbers numbers = whole_numbers(terms, problem.k);
      const bool is_dense = stream != 1;  // B alone has zeros
      fill_random(values, seed, stream, watched, element,
                  is_dense ? WholeNumbers{numbers.most} : numbers);
    };
    fill(matrices.a, 0, types.a);
    fill(matrices.b, 1, types.b);
    if (update.c == InitialC::poison) {
      poison(matrices.c, watched);
      return matrices;
    }
    if (update.c == InitialC::random) fill(matrices.c, c_stream, types.c);
    matrices.c_before = matrices.c;
    return matrices;
  } catch (const std::bad_alloc&) {  // this process may have a lower limit
    throw too_little_memory(problem, available_memory());
  }
}

}  // namespace gemm_tutor
