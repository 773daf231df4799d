#include "exercise/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exercise/evidence.hpp"
#include "exercise/wrong_places.hpp"
#include "gemm/matrices.hpp"
#include "gemm/reference.hpp"

namespace gemm_tutor {
namespace {

constexpr std::int64_t most_samples = 16;
constexpr std::uint64_t sample_stream = 3;  // of random numbers; others have 0 to 2

ReferenceSums all_sums(const Problem& problem, const Reference& reference, Activity& activity) {
  constexpr int rows_at_once = 32, columns_at_once = 256;  // which share a piece of B
  ReferenceSums all;
  all.products.resize(static_cast<std::size_t>(problem.c_elements()));
  all.absolute_products.resize(all.products.size());
  for (int row = 0; row < problem.m; row += rows_at_once) {
    activity.check();
    for (int column = 0; column < problem.n; column += columns_at_once) {
      std::vector<Strip> strips;
      for (int r = row; r < std::min(problem.m, row + rows_at_once); ++r) {
        strips.push_back({r, column, std::min(problem.n, column + columns_at_once)});
      }
      const ReferenceSums sums = reference.sums(strips);
      std::ptrdiff_t from = 0;
      for (const Strip& strip : strips) {
        const std::ptrdiff_t to = std::int64_t{strip.row} * problem.n + column;
        std::copy_n(sums.products.begin() + from, strip.columns(), all.products.begin() + to);
        std::copy_n(sums.absolute_products.begin() + from, strip.columns(),
                    all.absolute_products.begin() + to);
        from += strip.columns();
      }
    }
  }
  return all;
}

class Diagnosing {
 public:
  Diagnosing(const WrongProduct& product, Activity& activity)
      : product_(product),
        activity_(activity),
        problem_(product.problem),
        bound_(product.problem.k, product.scaling),
        sums_(all_sums(problem_, Reference(problem_, product.a, product.b), activity)) {
    scale_sums();
    places_.problem = problem_;
    places_.shape = product.shape;
    for (std::int64_t i = 0; i < problem_.c_elements(); ++i) {
      const ElementState state = state_of(i);
      places_.states.push_back(state);
      if (state == ElementState::wrong) wrong_written_.push_back(i);
      if (state == ElementState::wrong && std::isfinite(product.c[i])) wrong_finite_.push_back(i);
      if (state == ElementState::unwritten) unwritten_.push_back(i);
    }
  }

  Diagnosis diagnose(std::span<const WrongProduct> others) {
    Diagnosis diagnosis;
    diagnosis.problem = problem_;
    diagnosis.wrong = std::ssize(wrong_written_) + std::ssize(unwritten_);
    diagnosis.unwritten = std::ssize(unwritten_);
    if (diagnosis.wrong == 0) return diagnosis;
    diagnosis.first =
        describe(wrong_written_.empty() ? unwritten_.front() : wrong_written_.front());
    diagnosis.map = draw_wrong(places_);
    diagnosis.where = describe_places(places_);
    find_values(diagnosis, others);
    return diagnosis;
  }

  Evidence evidence() && {
    std::vector<WrongElement> elements;
    for (std::int64_t i = 0; i < problem_.c_elements(); ++i) {
      if (places_.states[i] != ElementState::unwritten) elements.push_back(describe(i));
    }
    return {problem_,   product_.shape, product_.a,          product_.b,
            product_.c, samples(),      std::move(elements), std::move(sums_)};
  }

 private:
  void scale_sums() {
    const Scaling& scaling = product_.scaling;
    for (std::size_t i = 0; i < sums_.products.size(); ++i) {
      const double added = scaling.beta == 0 ? 0 : scaling.beta * scaling.c[i];
      sums_.products[i] = scaling.alpha * sums_.products[i] + added;
      sums_.absolute_products[i] =
          std::abs(scaling.alpha) * sums_.absolute_products[i] + std::abs(added);
    }
  }

  ElementState state_of(std::int64_t i) const {
    if (is_poison(product_.c[i])) return ElementState::unwritten;
    const double error = std::abs(product_.c[i] - sums_.products[i]);
    return error <= bound_(sums_.absolute_products[i], sums_.products[i]) ? ElementState::right
                                                                          : ElementState::wrong;
  }

  WrongElement describe(std::int64_t i) const {
    return {static_cast<int>(i / problem_.n), static_cast<int>(i % problem_.n), product_.c[i],
            sums_.products[i], bound_(sums_.absolute_products[i], sums_.products[i])};
  }

  // Values read outside of A or B are NaN, which tell nothing more.
  bool is_mostly_finite() const {
    return 2 * std::ssize(wrong_finite_) >= std::ssize(wrong_written_);
  }

  // One random element from each of equal parts, so that the samples are independent of the tiles.
  std::vector<WrongElement> samples() const {
    const RandomSequence random(1, sample_stream);
    const std::vector<std::int64_t>& wrong = is_mostly_finite() ? wrong_finite_ : wrong_written_;
    const std::int64_t all = std::ssize(wrong), count = std::min(all, most_samples);
    std::vector<WrongElement> samples;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t begin = i * all / count, end = (i + 1) * all / count;
      const auto offset = static_cast<std::int64_t>(random[static_cast<std::uint64_t>(i)] %
                                                    static_cast<std::uint64_t>(end - begin));
      samples.push_back(describe(wrong[begin + offset]));
    }
    return samples;
  }

  // True if so many samples are unlikely to agree with a probe by chance. A bound is relative_bound
  // times the sum of absolute products, and results are spread over about that sum divided by √K.
  bool is_telling(std::int64_t samples) const {
    constexpr double probes = 200, hardly = 0.05;
    const double relative_bound = bound_(1);
    const double chance_of_one = std::min(1.0, relative_bound * std::sqrt(problem_.k));
    const std::int64_t agreeing = samples - samples / 10;
    return probes * std::pow(chance_of_one, static_cast<double>(agreeing)) < hardly;
  }

  void find_values(Diagnosis& diagnosis, std::span<const WrongProduct> others) {
    if (wrong_written_.size() < unwritten_.size()) return;  // too few to explain the result
    if (wrong_written_.empty()) return;
    Evidence evidence = std::move(*this).evidence();
    diagnosis.values = telling_value(evidence);
    if (!diagnosis.values.empty() || !product_.is_usual ||
        !is_telling(std::ssize(evidence.samples)))
      return;
    for (const WrongProduct& other : others) {
      evidence.others.push_back(Diagnosing(other, activity_).evidence());
      evidence.others.back().samples.clear();
    }
    diagnosis.values = mistaken_steps(evidence);
    for (const auto probe : {known_misplacement, mistaken_indices, other_misplacement}) {
      if (!diagnosis.values.empty()) return;
      diagnosis.values = probe(evidence);
    }
  }

  const WrongProduct& product_;
  Activity& activity_;
  const Problem& problem_;
  ErrorBound bound_;
  ReferenceSums sums_;
  WrongPlaces places_;
  std::vector<std::int64_t> wrong_written_, wrong_finite_, unwritten_;  // indices into C
};

}  // namespace

Diagnosis diagnose(const WrongProduct& product, Activity* activity,
                   std::span<const WrongProduct> others) {
  return Diagnosing(product, or_unwatched(activity)).diagnose(others);
}

}  // namespace gemm_tutor
