// A sample of what a test could go through: lessons, exercises, wrong kernels, sizes. It is the
// same in each run. Where GEMM_TUTOR_TEST_ALL is set, as by .ci/nightly, it is all of them.
#pragma once

#include <cstdlib>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace gemm_tutor {

inline bool takes_all() { return std::getenv("GEMM_TUTOR_TEST_ALL") != nullptr; }

// The place of the first of `count` things, of each `step`-th after it, and of the last.
inline std::vector<std::size_t> sampled_places(std::size_t count, std::size_t step) {
  if (takes_all()) step = 1;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < count; place += step) places.push_back(place);
  if (count > 0 && places.back() != count - 1) places.push_back(count - 1);
  return places;
}

// The things at those places of a list, which stay where they are.
template <typename T>
std::vector<std::reference_wrapper<const T>> sample_of(std::span<const T> list, std::size_t step) {
  std::vector<std::reference_wrapper<const T>> sample;
  for (const std::size_t place : sampled_places(list.size(), step)) sample.push_back(list[place]);
  return sample;
}
template <typename T>
std::vector<std::reference_wrapper<const T>> sample_of(const std::vector<T>& list,
                                                       std::size_t step) {
  return sample_of(std::span<const T>(list), step);
}

// Of a list that is made for the test alone.
template <typename T>
std::vector<T> sample_of(std::vector<T>&& list, std::size_t step) {
  std::vector<T> sample;
  for (const std::size_t place : sampled_places(list.size(), step)) {
    sample.push_back(std::move(list[place]));
  }
  return sample;
}

}  // namespace gemm_tutor
