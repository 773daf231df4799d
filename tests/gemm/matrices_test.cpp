#include "gemm/matrices.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

std::vector<float> random_values(std::int64_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<float> values(count);
  fill_random(values, seed, stream);
  return values;
}

// The error that check_size() throws.
Error size_error(const Problem& problem, std::int64_t available) {
  try {
    check_size(problem, available);
  } catch (const Error& error) {
    return error;
  }
  return {ExitStatus::ok, "no error", ""};
}

constexpr std::int64_t endless_memory = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("the bits are mixed as in SplitMix64") {
  // The first number of splitmix64.c from the state 1234567.
  STATIC_REQUIRE(mix_bits(1234567 + 0x9e3779b97f4a7c15) == 6457827717110365317);
}

TEST_CASE("random values are the same on every machine") {
  // Worked out apart from this program, as integers of 2^-23.
  struct Known {
    std::uint64_t seed, stream;
    std::int64_t index;
    float value;
  };
  for (const Known& known :
       {Known{1, 0, 0, 669790}, Known{1, 0, 1, 7260255}, Known{1, 0, 2, 7140922},
        Known{1, 0, 99'999, 5264913}, Known{1, 1, 0, 3772771}, Known{1, 1, 1, -4384891},
        Known{7, 0, 1, -836154}, Known{7, 0, 99'999, -2643577}}) {
    const std::vector<float> values = random_values(100'000, known.seed, known.stream);
    CHECK(values[known.index] == known.value * 0x1p-23f);
  }
}

TEST_CASE("a random value depends on its place alone, not on which thread made it") {
  constexpr std::int64_t count = 300'001;  // several threads' parts, the last not full
  const std::vector<float> all = random_values(count, 3, 0);
  const RandomSequence sequence(3, 0);
  bool same = true;
  for (std::int64_t i = 0; i < count; ++i) {
    // The upper 24 bits, from 0, less 2^23 where the first is set: two's complement by hand.
    const double upper = static_cast<double>(sequence[i] >> 40);
    same = same && all[i] == (upper < 0x1p23 ? upper : upper - 0x1p24) * 0x1p-23;
  }
  CHECK(same);
  for (const std::int64_t part : {1, 7, 65'536, 65'537, 200'000}) {
    const std::vector<float> start = random_values(part, 3, 0);
    CHECK(std::equal(start.begin(), start.end(), all.begin()));
  }
}

TEST_CASE("random values are uniform from -1 to just under 1") {
  constexpr int count = 1'000'000;
  const std::vector<float> values = random_values(count, 1, 0);
  std::vector<int> histogram(16);
  double sum = 0, next_product = 0;
  for (int i = 0; i < count; ++i) {
    const float value = values[i];
    REQUIRE((value >= -1 && value < 1));
    ++histogram[static_cast<int>((value + 1) * 8)];
    sum += value;
    next_product += value * values[(i + 1) % count];
  }
  // Six standard deviations of each: of a mean, sqrt(1/3); of a product of two, 1/3.
  CHECK(std::abs(sum) < 6 * std::sqrt(count / 3.0));
  CHECK(std::abs(next_product) < 6 * std::sqrt(1.0 * count) / 3);
  for (const int n : histogram) CHECK(std::abs(n - count / 16) < 6 * std::sqrt(count / 16.0));
}

TEST_CASE("other seeds and streams give other values") {
  const std::vector<float> values = random_values(100, 1, 0);
  for (const auto& other : {random_values(100, 2, 0), random_values(100, 1, 1),
                            random_values(100, 0, 1), random_values(100, 0, 0)}) {
    int equal = 0;
    for (int i = 0; i < 100; ++i) equal += other[i] == values[i];
    CHECK(equal == 0);
  }
}

TEST_CASE("poison is known by its bits, and is no other NaN") {
  std::vector<float> values(100'000, 1.0f);
  CHECK(std::none_of(values.begin(), values.end(), is_poison));
  poison(values);
  CHECK(std::all_of(values.begin(), values.end(), is_poison));
  CHECK(std::isnan(values.front()));
  CHECK_FALSE(is_poison(std::numeric_limits<float>::quiet_NaN()));
  CHECK_FALSE(is_poison(std::bit_cast<float>(0x7fffffffu)));  // the NaN of a GPU's arithmetic
  CHECK_FALSE(is_poison(std::bit_cast<float>(0xffc00000u)));  // and of x86's
}

TEST_CASE("the matrices of a problem") {
  const Matrices matrices = make_matrices({3, 5, 7}, 11);
  CHECK(matrices.problem == Problem{3, 5, 7});
  CHECK(matrices.a == random_values(21, 11, 0));
  CHECK(matrices.b == random_values(35, 11, 1));
  CHECK(matrices.c.size() == 15);
  CHECK(std::all_of(matrices.c.begin(), matrices.c.end(), is_poison));
}

TEST_CASE("C before a kernel that may read it") {
  const Matrices zero = make_matrices({3, 5, 7}, 11, nullptr, {.c = InitialC::zero});
  CHECK(zero.c == std::vector<float>(15));
  CHECK(zero.c_before == zero.c);
  const Matrices random = make_matrices({3, 5, 7}, 11, nullptr, {.c = InitialC::random});
  CHECK(random.c == random_values(15, 11, 3));
  CHECK(random.c_before == random.c);
  CHECK(random.a == zero.a);
  CHECK(make_matrices({3, 5, 7}, 11).c_before.empty());
}

TEST_CASE("making matrices counts to the last element, and can be stopped") {
  Activity activity;
  make_matrices({300, 400, 500}, 1, &activity);
  CHECK(activity.state().what == "making random matrices");
  CHECK(activity.state().all == 300 * 500 + 500 * 400 + 300 * 400);
  CHECK(activity.state().done == activity.state().all);
  activity.stop();
  CHECK_THROWS_AS(make_matrices({300, 400, 500}, 1, &activity), Interrupted);
}

TEST_CASE("the sizes of a problem do not overflow") {
  constexpr int most = std::numeric_limits<int>::max();
  const Problem largest{most, most, most};
  const double one = 2147483647.0;
  CHECK(largest.bytes() == 12 * one * one);
  CHECK(largest.flops() == 2 * one * one * one);
  CHECK(largest.c_elements() == 4611686014132420609);
  CHECK(Problem{2, 3, 5}.bytes() == 4 * (10 + 15 + 6));
  CHECK(Problem{2, 3, 5}.multiply_adds() == 30);
}

TEST_CASE("matrices that do not fit in memory: how much is needed and how much there is") {
  const Error too_large = size_error({99'999, 99'999, 99'999}, std::int64_t{20} << 30);
  CHECK(too_large.status() == ExitStatus::unavailable);
  CHECK(too_large.what() ==
        std::string("the matrices of a 99,999×99,999×99,999 product need 111.8 GiB of memory; "
                    "20 GiB is available"));
  CHECK(too_large.help() == "Choose a smaller --size.");

  constexpr int most = std::numeric_limits<int>::max();
  CHECK(size_error({most, most, most}, endless_memory).status() == ExitStatus::unavailable);
  CHECK_THROWS_AS(make_matrices({most, most, most}, 1), Error);
}

TEST_CASE("the limit of memory is exact") {
  CHECK(size_error({2, 3, 5}, 124).status() == ExitStatus::ok);
  CHECK(size_error({2, 3, 5}, 123).status() == ExitStatus::unavailable);
}

TEST_CASE("a matrix that an int cannot index") {
  CHECK(size_error({46'340, 46'340, 46'340}, endless_memory).status() == ExitStatus::ok);
  CHECK(size_error({2147483647, 1, 1}, endless_memory).status() == ExitStatus::ok);
  struct Case {
    Problem problem;
    std::string matrix;
  };
  for (const Case& too_large :
       {Case{{46'341, 1, 46'341}, "matrix A"}, Case{{1, 46'341, 46'341}, "matrix B"},
        Case{{46'341, 46'341, 1}, "matrix C"}}) {
    const Error error = size_error(too_large.problem, endless_memory);
    CHECK(error.status() == ExitStatus::usage);
    CHECK(error.what() == too_large.matrix +
                              " has 46,341×46,341 = 2,147,488,281 elements, more than a kernel's "
                              "int can index");
    CHECK(error.help().find("46,340") != std::string::npos);
  }
  // Where both limits are exceeded, memory is what is missing.
  const Problem both{100'000, 100'000, 100'000};
  CHECK(size_error(both, std::int64_t{111} << 30).status() == ExitStatus::unavailable);
  CHECK(size_error(both, std::int64_t{112} << 30).status() == ExitStatus::usage);
}

TEST_CASE("the memory available is some, and no more than there is") {
  const std::int64_t available = available_memory();
  CHECK(available > 0);
  CHECK(available <= std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
}

TEST_CASE("operands that are stored transposed are read row by row") {
  Matrices stored = make_matrices({2, 3, 4}, 1);
  const RowMajorOperands usual(stored, {});
  CHECK(usual.a().data() == stored.a.data());
  CHECK(usual.b().data() == stored.b.data());
  const RowMajorOperands both(stored, {.a = true, .b = true});
  for (int k = 0; k < 4; ++k) {
    for (int row = 0; row < 2; ++row) CHECK(both.a()[row * 4 + k] == stored.a[k * 2 + row]);
    for (int column = 0; column < 3; ++column) {
      CHECK(both.b()[k * 3 + column] == stored.b[column * 4 + k]);
    }
  }
}
