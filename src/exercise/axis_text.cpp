#include "exercise/axis_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Marks = std::vector<bool>;

std::string range_text(const Axis& axis, int begin, int end) {
  if (end - begin == 1) return fmt::format("{} {}", axis.one, begin);
  if (end - begin == 2) return fmt::format("{}s {} and {}", axis.one, begin, end - 1);
  return fmt::format("{}s {} to {}", axis.one, begin, end - 1);
}

std::string ordinal(int number) {
  if (number == 2) return "second";
  if (number == 3) return "third";
  const int tens = number % 100;
  const char* ending = tens >= 11 && tens <= 13 ? "th"
                       : number % 10 == 1       ? "st"
                       : number % 10 == 2       ? "nd"
                       : number % 10 == 3       ? "rd"
                                                : "th";
  return fmt::format("{}{}", number, ending);
}

std::string tile_text(const Axis& axis, int period) {
  if (period == axis.tile) return fmt::format("tile of {}", period);
  if (period == axis.thread_tile) return fmt::format("{}, as many as a thread has", period);
  return fmt::format("{}", period);
}

// The range of true values in [0, size), if there is exactly one.
std::optional<Stretch> only_stretch(const Marks& marked, int size) {
  const auto end_of_marks = marked.begin() + size;
  const auto begin = std::find(marked.begin(), end_of_marks, true);
  const auto end = std::find(begin, end_of_marks, false);
  if (begin == end || std::find(end, end_of_marks, true) != end_of_marks) return {};
  return Stretch{static_cast<int>(begin - marked.begin()), static_cast<int>(end - marked.begin())};
}

bool is_periodic(const Marks& marked, int period) {
  return std::equal(marked.begin() + period, marked.end(), marked.begin());
}

// The smallest period that occurs at least twice; otherwise a thread's or a block's period that has
// begun a second time.
std::optional<Stretch> periodic_stretch(const Axis& axis, const Marks& marked) {
  const auto stretch_of = [&](int period) -> std::optional<Stretch> {
    if (!is_periodic(marked, period)) return {};
    std::optional<Stretch> stretch = only_stretch(marked, period);
    if (stretch) stretch->period = period;
    return stretch;
  };
  for (int period = 2; period <= axis.size / 2; ++period) {
    if (const auto stretch = stretch_of(period)) return stretch;
  }
  for (const int period : {axis.thread_tile, axis.tile}) {
    if (period < 2 || period >= axis.size) continue;
    if (const auto stretch = stretch_of(period)) return stretch;
  }
  return {};
}

AxisText describe_range(const Axis& axis, const Stretch& range) {
  AxisText text;
  text.stretch = range;
  text.phrase = range_text(axis, range.begin, range.end);
  const int whole = axis.size / axis.tile * axis.tile;  // where the last whole tile ends
  const bool to_the_end = range.end == axis.size, one = range.end - range.begin == 1;
  if (to_the_end && range.begin == whole && whole > 0) {
    text.beyond_last_tile = true;
    text.clause = fmt::format(", which {} beyond the last whole tile", one ? "is" : "are");
  } else if (one) {
    text.clause = to_the_end ? ", the last" : "";
  } else if (axis.tile > 1 && to_the_end && range.begin == axis.tile) {
    text.clause = axis.size == 2 * axis.tile ? ", the last tile's" : ", all but the first tile's";
  } else if (axis.tile > 1 && range.begin == 0 && range.end == whole) {
    text.clause = whole == axis.tile ? ", the only whole tile's" : ", all whole tiles'";
  } else if (axis.tile > 1 && to_the_end && range.begin == axis.size - axis.tile &&
             range.begin == whole - axis.tile) {
    text.clause = ", the last tile's";
  } else if (axis.tile > 1 && range.begin == 0 && range.end == axis.tile) {
    text.clause = ", the first tile's";
  }
  return text;
}

AxisText describe_periodic(const Axis& axis, const Stretch& stretch) {
  AxisText text;
  text.stretch = stretch;
  if (stretch.end - stretch.begin == 1) {
    text.phrase = fmt::format("every {} {}", ordinal(stretch.period), axis.one);
    text.clause = fmt::format(", from {} {}", axis.one, stretch.begin);
  } else {
    text.phrase = fmt::format("{} of every {}", range_text(axis, stretch.begin, stretch.end),
                              tile_text(axis, stretch.period));
  }
  return text;
}

AxisText describe_others(const Axis& axis, const Marks& marked, int count) {
  AxisText text;
  if (count == axis.size - 1) {
    const auto left_out = std::find(marked.begin(), marked.end(), false) - marked.begin();
    text.phrase = fmt::format("all {}s but {} {}", axis.one, axis.one, left_out);
  } else if (count <= 3) {
    std::vector<std::string> numbers;
    for (int i = 0; i < axis.size; ++i) {
      if (marked[i]) numbers.push_back(std::to_string(i));
    }
    text.phrase = fmt::format("{}s {}", axis.one, listed(std::move(numbers)));
  } else {
    text.phrase =
        fmt::format("{} of the {} {}s", with_thousands(count), with_thousands(axis.size), axis.one);
    text.telling = false;
  }
  return text;
}

}  // namespace

std::string listed(std::vector<std::string> words) {
  if (words.size() == 1) return words.front();
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} and {}", join(words), last);
}

AxisText describe_axis(const Axis& axis, const std::vector<bool>& marked) {
  const auto count = static_cast<int>(std::ranges::count(marked, true));
  if (count == axis.size) {
    AxisText text;
    text.all = true;
    text.phrase = fmt::format("all {}s", axis.one);
    return text;
  }
  const std::optional<Stretch> range = only_stretch(marked, axis.size);
  const bool all_but_one = axis.size > 3 && count == axis.size - 1;
  if (all_but_one && !(range && range->begin == 0 && axis.size % axis.tile == 1)) {
    return describe_others(axis, marked, count);
  }
  if (range) return describe_range(axis, *range);
  if (const auto stretch = periodic_stretch(axis, marked)) return describe_periodic(axis, *stretch);
  return describe_others(axis, marked, count);
}

}  // namespace gemm_tutor
