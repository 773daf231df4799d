#include "gemm/verification.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "gemm/matrices.hpp"
#include "gemm/reference.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

namespace gemm_tutor {
namespace {

constexpr int rows_at_once = 32;      // use a piece of B while it is in the cache
constexpr int columns_at_once = 256;  // the sums of 32 rows fit into the L2 cache
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t row_stream = 2;  // of random numbers; A and B have 0 and 1

// The rows of all regions, numbered region by region.
class RegionRows {
 public:
  explicit RegionRows(std::vector<Region> regions) : regions_(std::move(regions)) {
    for (const Region& region : regions_) {
      count_ += region.rows();
      ends_.push_back(count_);
      elements_ += region.elements();
      widest_ = std::max(widest_, region.columns());
    }
  }

  std::int64_t count() const { return count_; }
  std::int64_t elements() const { return elements_; }
  int widest() const { return widest_; }

  Strip operator[](std::int64_t number) const {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), number);
    const Region& region = regions_[end - ends_.begin()];
    return {static_cast<int>(region.row_end - (*end - number)), region.column_begin,
            region.column_end};
  }

 private:
  std::vector<Region> regions_;
  std::vector<std::int64_t> ends_;
  std::int64_t count_ = 0, elements_ = 0;
  int widest_ = 0;
};

// Chooses `chosen` of `count` rows: one random row from each of `chosen` equal ranges.
class RowSample {
 public:
  RowSample(std::int64_t count, std::int64_t chosen, std::uint64_t seed)
      : count_(count), chosen_(chosen), random_(seed, row_stream) {}

  std::int64_t size() const { return chosen_; }

  std::int64_t operator[](std::int64_t index) const {
    const std::int64_t begin = index * count_ / chosen_, end = (index + 1) * count_ / chosen_;
    return begin + static_cast<std::int64_t>(random_[index] % (end - begin));
  }

 private:
  std::int64_t count_, chosen_;
  RandomSequence random_;
};

RowSample sample_rows(const RegionRows& rows, int k, const VerificationLimits& limits) {
  const double all = static_cast<double>(rows.elements()) * k;
  const double share = std::min(1.0, limits.multiply_adds / all);
  const auto chosen = static_cast<std::int64_t>(share * static_cast<double>(rows.count()));
  return {rows.count(), std::max<std::int64_t>(1, chosen), limits.seed};
}

// The results of one thread.
struct Tally {
  std::int64_t checked = 0, wrong = 0, unwritten = 0;
  double worst = 0;
  std::int64_t first_wrong = std::numeric_limits<std::int64_t>::max();  // index into C

  void add_wrong(std::int64_t index) {
    ++wrong;
    first_wrong = std::min(first_wrong, index);
  }

  Tally& operator+=(const Tally& other) {
    checked += other.checked;
    wrong += other.wrong;
    unwritten += other.unwritten;
    worst = std::max(worst, other.worst);
    first_wrong = std::min(first_wrong, other.first_wrong);
    return *this;
  }
};

class Verifier {
 public:
  Verifier(const Problem& problem, std::span<const float> a, std::span<const float> b,
           std::span<const float> c, const Scaling& scaling, Activity& activity)
      : problem_(problem),
        reference_(problem, a, b),
        c_(c),
        scaling_(scaling),
        bound_(problem.k, scaling),
        activity_(activity) {}

  Tally find_unwritten(const RegionRows& rows) const {
    const std::int64_t items = ceil_divide(rows.count(), rows_at_once);
    return tally("looking for what was not written", items, [&](std::int64_t item, Tally& found) {
      const std::int64_t begin = item * rows_at_once;
      const std::int64_t end = std::min(rows.count(), begin + rows_at_once);
      for (std::int64_t row = begin; row < end; ++row) find_unwritten(rows[row], found);
    });
  }

  Tally compare(const RegionRows& rows, const RowSample& sample) const {
    const std::int64_t panels = ceil_divide(rows.widest(), columns_at_once);
    const std::int64_t items = ceil_divide(sample.size(), rows_at_once) * panels;
    return tally("checking the result", items, [&](std::int64_t item, Tally& found) {
      const std::int64_t begin = item / panels * rows_at_once;
      const std::int64_t end = std::min(sample.size(), begin + rows_at_once);
      std::vector<Strip> strips;
      for (std::int64_t i = begin; i < end; ++i) {
        strips.push_back(panel(rows[sample[i]], item % panels));
      }
      compare(strips, found);
    });
  }

  WrongElement describe(std::int64_t index) const {
    const int row = static_cast<int>(index / problem_.n);
    const int column = static_cast<int>(index % problem_.n);
    const Strip strip{row, column, column + 1};
    const ReferenceSums sums = reference_.sums({&strip, 1});
    const RightValue right = right_value(index, sums, 0);
    return {row, column, c_[index], right.value, right.bound};
  }

 private:
  // The expected value of an element of C, and the error bound.
  struct RightValue {
    double value = 0, bound = 0;
  };

  // `at` is the element's index in `sums`.
  RightValue right_value(std::int64_t index, const ReferenceSums& sums, std::int64_t at) const {
    double value = scaling_.alpha * sums.products[at];
    double absolute = std::abs(scaling_.alpha) * sums.absolute_products[at];
    // What may be rounded to C's type: the sum, alpha times it, beta times c, and all together.
    const bool is_narrow = scaling_.stored == Scalar::f16 || scaling_.stored == Scalar::bf16;
    double rounded = is_narrow && scaling_.alpha != 1 ? std::abs(value) : 0;
    if (scaling_.beta != 0) {
      const double added = scaling_.beta * scaling_.c[index];
      if (is_narrow) rounded += std::abs(value) + std::abs(added);
      value += added;
      absolute += std::abs(added);
    }
    rounded += std::abs(value);
    return {value, bound_(absolute, rounded)};
  }

  // Calls work(item, tally) for every item, on all cores.
  template <class Work>
  Tally tally(const char* what, std::int64_t items, const Work& work) const {
    activity_.begin(what, items);
    std::vector<Tally> found(core_count());
    parallel_for(items, core_count(), [&](std::int64_t item, int worker) {
      activity_.check();
      Tally of_item;
      work(item, of_item);
      found[worker] += of_item;
      activity_.advance();
    });
    Tally all;
    for (const Tally& of_worker : found) all += of_worker;
    return all;
  }

  static Strip panel(const Strip& row, std::int64_t number) {
    const std::int64_t begin = row.column_begin + number * columns_at_once;
    const auto clamp = [&](std::int64_t column) {
      return static_cast<int>(std::min<std::int64_t>(column, row.column_end));
    };
    return {row.row, clamp(begin), clamp(begin + columns_at_once)};
  }

  std::int64_t index(const Strip& strip) const {
    return std::int64_t{strip.row} * problem_.n + strip.column_begin;
  }

  void find_unwritten(const Strip& strip, Tally& found) const {
    const std::int64_t begin = index(strip);
    for (std::int64_t i = begin; i < begin + strip.columns(); ++i) {
      if (!is_poison(c_[i])) continue;
      ++found.unwritten;
      ++found.checked;
      found.worst = infinity;
      found.add_wrong(i);
    }
  }

  double error_over_bound(std::int64_t i, const RightValue& right) const {
    const double ratio = std::abs(c_[i] - right.value) / right.bound;
    return std::isnan(ratio) ? infinity : ratio;
  }

  void compare(const std::vector<Strip>& strips, Tally& found) const {
    const ReferenceSums sums = reference_.sums(strips);
    std::int64_t at = 0;
    for (const Strip& strip : strips) {
      const std::int64_t begin = index(strip);
      for (std::int64_t i = begin; i < begin + strip.columns(); ++i, ++at) {
        if (is_poison(c_[i])) continue;  // already found
        ++found.checked;
        const double ratio = error_over_bound(i, right_value(i, sums, at));
        found.worst = std::max(found.worst, ratio);
        if (ratio > 1) found.add_wrong(i);
      }
    }
  }

  Problem problem_;
  Reference reference_;
  std::span<const float> c_;
  Scaling scaling_;
  ErrorBound bound_;
  Activity& activity_;
};

}  // namespace

ErrorBound::ErrorBound(int k, const Scaling& scaling) {
  const double alpha = scaling.alpha, beta = scaling.beta;
  const PrecisionTerms& terms = terms_of(scaling.precision);
  const bool is_product = alpha == 1 && beta == 0;
  const bool has_exact_sums = terms.exact_to > 0;
  // Where sums are exact, what is left is to scale, to add and to store.
  const double roundings = has_exact_sums ? 4 : 1.0 * k + (alpha != 1) + (beta != 0);
  const double growth =
      std::expm1(roundings * (std::log1p(terms.of_product) + 2 * std::log1p(0x1p-52)) +
                 2 * std::log1p(scaling.rounds_factors ? terms.of_factor : 0));
  const double underflows = is_product ? k : (2.0 * k + 2) * std::max(1.0, std::abs(alpha));
  relative_ = growth;
  absolute_ = (1 + growth) * underflows *
              (0x1p-150 + (scaling.rounds_factors ? 2 * terms.of_small_factor : 0));
  stored_ = scaling.stored == Scalar::f16          ? 0x1p-11
            : scaling.stored == Scalar::bf16       ? 0x1p-8
            : scaling.precision == Precision::fp64 ? 0x1p-24  // C is read as floats
                                                   : 0;
  if (scaling.stored == Scalar::f16) absolute_ += 0x1p-25;
  const bool are_whole = alpha == std::floor(alpha) && beta == std::floor(beta);
  exact_to_ = are_whole ? terms.exact_to : 0;
}

Verification verify(const Problem& problem, std::span<const float> a, std::span<const float> b,
                    std::span<const float> c, const std::vector<Region>& regions,
                    const VerificationLimits& limits, Activity* activity, const Scaling& scaling) {
  const RegionRows rows(regions.empty() ? std::vector{Region{0, problem.m, 0, problem.n}}
                                        : regions);
  const Verifier verifier(problem, a, b, c, scaling, or_unwatched(activity));
  Tally found = verifier.find_unwritten(rows);
  found += verifier.compare(rows, sample_rows(rows, problem.k, limits));

  Verification result;
  result.passed = found.wrong == 0;
  result.elements_checked = found.checked;
  result.elements_total = problem.c_elements();
  result.worst_error_over_bound = found.worst;
  result.wrong_elements = found.wrong;
  result.unwritten_elements = found.unwritten;
  if (!result.passed) result.first_wrong = verifier.describe(found.first_wrong);
  return result;
}

namespace {

// An upper bound for the rounding errors of a sum of K squares in FP64, a root and a product.
double rounded_up(double norm, int k) { return norm * (1 + (k + 4) * 0x1p-52); }

double square(float value) { return static_cast<double>(value) * value; }

std::vector<double> norms_of_rows(std::span<const float> a, int rows, int columns) {
  std::vector<double> norms(static_cast<std::size_t>(rows));
  parallel_for(rows, core_count(), [&](std::int64_t row, int) {
    double sum = 0;
    for (const float value :
         a.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns))) {
      sum += square(value);
    }
    norms[static_cast<std::size_t>(row)] = rounded_up(std::sqrt(sum), columns);
  });
  return norms;
}

std::vector<double> norms_of_columns(std::span<const float> b, int rows, int columns) {
  const auto width = static_cast<std::size_t>(columns);
  std::vector<double> norms(width);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const float* values = b.data() + row * width;
    for (std::size_t column = 0; column < width; ++column) norms[column] += square(values[column]);
  }
  for (double& norm : norms) norm = rounded_up(std::sqrt(norm), rows);
  return norms;
}

}  // namespace

SameProduct::SameProduct(const Problem& problem, std::span<const float> a, std::span<const float> b,
                         std::vector<float> right)
    : problem_(problem),
      right_(std::move(right)),
      row_norms_(norms_of_rows(a, problem.m, problem.k)),
      column_norms_(norms_of_columns(b, problem.k, problem.n)) {}

std::optional<WrongElement> SameProduct::first_wrong(std::span<const float> c) const {
  const ErrorBound bound(problem_.k);
  const auto width = static_cast<std::size_t>(problem_.n);
  const auto limit = [&](std::size_t row, std::size_t column) {
    return 2 * bound(row_norms_[row] * column_norms_[column]);
  };
  const auto wrong = [&](std::size_t row, std::size_t column) {
    const std::size_t at = row * width + column;
    const double difference = std::abs(static_cast<double>(c[at]) - right_[at]);
    return !(difference <= limit(row, column));  // also true for NaN
  };
  std::atomic<std::int64_t> first = std::numeric_limits<std::int64_t>::max();
  parallel_for(problem_.m, core_count(), [&](std::int64_t row, int) {
    if (row > first / problem_.n) return;
    for (std::size_t column = 0; column < width; ++column) {
      if (!wrong(static_cast<std::size_t>(row), column)) continue;
      const std::int64_t at = row * problem_.n + static_cast<std::int64_t>(column);
      for (std::int64_t before = first; at < before && !first.compare_exchange_weak(before, at);) {
      }
      return;
    }
  });
  if (first == std::numeric_limits<std::int64_t>::max()) return {};
  const auto at = static_cast<std::size_t>(first.load());
  WrongElement element;
  element.row = static_cast<int>(at / width);
  element.column = static_cast<int>(at % width);
  element.value = c[at];
  element.reference = right_[at];
  element.bound = limit(at / width, at % width);
  return element;
}

}  // namespace gemm_tutor
