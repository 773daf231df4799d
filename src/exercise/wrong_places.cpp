#include "exercise/wrong_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "exercise/evidence.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Marks = std::vector<bool>;

// Words for some of the elements.
struct Form {
  std::string text;
  std::function<bool(int row, int column)> holds;
};

// By chance, a mistake may leave one in some thousand elements right. So a row or a tile counts as
// wrong if nearly all of it is. The description is still exact: see fits().
constexpr double nearly_all = 0.95;

bool is_share(double share, std::int64_t count, std::int64_t all) {
  return static_cast<double>(count) >= share * static_cast<double>(all);
}

bool nearly(std::int64_t count, std::int64_t all) { return is_share(nearly_all, count, all); }

// A row and a column of something: elements, or tiles.
struct Grid {
  int rows = 0, columns = 0;
};

int tiles(int extent, int tile) { return extent / tile + (extent % tile != 0); }

// For the elements of C, the elements of a tile, and the tiles: the diagonal and both sides of it.
struct Pattern {
  const char* elements;
  const char* tiles;
  bool (*holds)(int i, int j);
  bool in_tiles = true;  // also searched within tiles
};
constexpr Pattern patterns[] = {
    {"the diagonal", "the tiles on the diagonal", [](int i, int j) { return i == j; }},
    {"all but the diagonal", "all tiles but those on the diagonal",
     [](int i, int j) { return i != j; }},
    {"all above the diagonal", "the tiles above the diagonal", [](int i, int j) { return i < j; }},
    {"all below the diagonal", "the tiles below the diagonal", [](int i, int j) { return i > j; }},
    {"the diagonal and all above it", "the tiles on and above the diagonal",
     [](int i, int j) { return i <= j; }},
    {"the diagonal and all below it", "the tiles on and below the diagonal",
     [](int i, int j) { return i >= j; }},
    {"every second element, as on a chessboard, from C[0][0]",
     "every second tile, as on a chessboard, from the first",
     [](int i, int j) { return (i + j) % 2 == 0; }, false},
    {"every second element, as on a chessboard, from C[0][1]",
     "every second tile, as on a chessboard, from the one right of the first",
     [](int i, int j) { return (i + j) % 2 == 1; }, false},
};

class Describer {
 public:
  explicit Describer(const WrongPlaces& places)
      : places_(places),
        problem_(places.problem),
        tile_rows_(places.shape.tile_rows),
        tile_columns_(places.shape.tile_columns),
        thread_tile_(thread_tile_of(places.shape)),
        in_row_(problem_.m),
        in_column_(problem_.n) {
    for (int row = 0; row < problem_.m; ++row) {
      for (int column = 0; column < problem_.n; ++column) {
        if (!places.is_wrong(row, column)) continue;
        ++wrong_;
        ++in_row_[row];
        ++in_column_[column];
      }
    }
  }

  std::string describe() const {
    if (wrong_ == 1 && problem_.c_elements() > 1) return the_only_one();
    std::vector<Form> forms;
    const bool telling = add_forms(forms);
    if (const Form* form = best_within(forms, 0)) return form->text;
    if (const Form* form = best_within(forms, wrong_ / 20)) {
      return form->text + exception(*right_within(*form, wrong_ / 20));
    }
    if (!telling && right_within(product(), 0)) return product().text;
    return scattered();
  }

 private:
  std::string the_only_one() const {
    const auto row = std::ranges::find(in_row_, 1) - in_row_.begin();
    const auto column = std::ranges::find(in_column_, 1) - in_column_.begin();
    return fmt::format("C[{}][{}] alone", row, column);
  }

  // The most precise first. True if the product is among them.
  bool add_forms(std::vector<Form>& forms) const {
    const auto [rows, columns] = described_product();
    const bool telling = rows.telling && columns.telling;
    if (telling) forms.push_back(product());
    for (const double share : {1.0, nearly_all}) {
      if (auto form = rows_and_columns(share)) forms.push_back(*form);
    }
    add_patterns(forms);
    add_patterns_of_tiles(forms);
    if (auto form = whole_tiles()) forms.push_back(*form);
    if (auto form = same_of_every_tile()) forms.push_back(*form);
    forms.push_back(run_of_elements());
    return telling;
  }

  // The form with the fewest right elements, of several the first.
  const Form* best_within(const std::vector<Form>& forms, std::int64_t allowed) const {
    const Form* best = nullptr;
    for (const Form& form : forms) {
      const std::optional<std::int64_t> right = right_within(form, allowed);
      if (!right) continue;
      best = &form;
      if (*right == 0) break;
      allowed = *right - 1;
    }
    return best;
  }

  // The number of right elements in the form; nothing if it does not contain all wrong ones, or has
  // too many right ones.
  std::optional<std::int64_t> right_within(const Form& form, std::int64_t allowed) const {
    std::int64_t right = 0;
    for (int row = 0; row < problem_.m; ++row) {
      for (int column = 0; column < problem_.n; ++column) {
        const bool wrong = places_.is_wrong(row, column);
        if (wrong == form.holds(row, column)) continue;
        if (wrong || ++right > allowed) return {};
      }
    }
    return right;
  }

  static std::string exception(std::int64_t right) {
    if (right == 0) return "";
    if (right == 1) return ", but for one element";
    return fmt::format(", but for {} elements", with_thousands(right));
  }

  Axis row_axis() const { return {"row", problem_.m, tile_rows_, thread_tile_.rows}; }
  Axis column_axis() const { return {"column", problem_.n, tile_columns_, thread_tile_.columns}; }

  static Marks marks_where_any(const std::vector<std::int64_t>& counts) {
    Marks marks;
    for (const std::int64_t count : counts) marks.push_back(count > 0);
    return marks;
  }

  static Marks marks_where(const std::vector<std::int64_t>& counts, double share, int all) {
    Marks marks;
    for (const std::int64_t count : counts) marks.push_back(is_share(share, count, all));
    return marks;
  }

  std::pair<AxisText, AxisText> described_product() const {
    return {describe_axis(row_axis(), marks_where_any(in_row_)),
            describe_axis(column_axis(), marks_where_any(in_column_))};
  }

  Form product() const {
    const auto [rows, columns] = described_product();
    Marks row_marks = marks_where_any(in_row_), column_marks = marks_where_any(in_column_);
    return {product_text(rows, columns), [row_marks, column_marks](int row, int column) {
              return row_marks[row] && column_marks[column];
            }};
  }

  // The intersection of those rows and columns.
  std::string product_text(const AxisText& rows, const AxisText& columns) const {
    if (rows.all && columns.all) return "all of C";
    if (rows.all) return columns.text();
    if (columns.all) return rows.text();
    if (rows.beyond_last_tile && columns.beyond_last_tile) {
      return fmt::format("{} of {}, the corner beyond the last whole tiles", rows.phrase,
                         columns.phrase);
    }
    if (!rows.stretch || !columns.stretch) {
      return fmt::format("{}, in {}", rows.phrase, columns.phrase);
    }
    const Stretch& r = *rows.stretch;
    const Stretch& c = *columns.stretch;
    if (r.period == tile_rows_ && c.period == tile_columns_) return part_of_tiles(r, c);
    if (r.period > 0 || c.period > 0) {
      return fmt::format("{}, in {}", from_offset(rows), from_offset(columns));
    }
    if (r.end - r.begin == 1 && c.end - c.begin == 1)
      return fmt::format("C[{}][{}]", r.begin, c.begin);
    const bool one_tile = r.begin % tile_rows_ == 0 && c.begin % tile_columns_ == 0 &&
                          r.end == std::min(problem_.m, r.begin + tile_rows_) &&
                          c.end == std::min(problem_.n, c.begin + tile_columns_);
    if (one_tile && r.begin == 0 && c.begin == 0) return "the first tile";
    if (one_tile) return fmt::format("the tile of {} and {}", rows.phrase, columns.phrase);
    return fmt::format("{} of {}", rows.phrase, columns.phrase);
  }

  // "every second row from row 1"
  static std::string from_offset(const AxisText& text) {
    if (text.clause.starts_with(", from ")) return text.phrase + text.clause.substr(1);
    return text.phrase;
  }

  std::string every_tile() const {
    return fmt::format("of every tile of {}×{}", tile_rows_, tile_columns_);
  }

  std::string part_of_tiles(const Stretch& rows, const Stretch& columns) const {
    const std::string vertical = half(rows, tile_rows_, "upper", "lower");
    const std::string horizontal = half(columns, tile_columns_, "left", "right");
    if (!vertical.empty() && !horizontal.empty()) {
      return fmt::format("the {} {} quarter {}", vertical, horizontal, every_tile());
    }
    return fmt::format("{} of {} {}", range_text("row", rows.begin, rows.end - 1),
                       range_text("column", columns.begin, columns.end - 1), every_tile());
  }

  static std::string half(const Stretch& stretch, int tile, const char* first, const char* second) {
    if (tile % 2 != 0 || stretch.end - stretch.begin != tile / 2) return "";
    return stretch.begin == 0 ? first : stretch.end == tile ? second : "";
  }

  // Whole rows and whole columns: the right elements are a product of rows and columns.
  std::optional<Form> rows_and_columns(double share) const {
    const Marks rows = marks_where(in_row_, share, problem_.n);
    const Marks columns = marks_where(in_column_, share, problem_.m);
    const auto some = [](const Marks& marks) {
      const auto count = std::ranges::count(marks, true);
      return count > 0 && count < std::ssize(marks);
    };
    if (!some(rows) || !some(columns)) return {};
    return Form{rows_and_columns_text(rows, columns),
                [rows, columns](int row, int column) { return rows[row] || columns[column]; }};
  }

  std::string rows_and_columns_text(const Marks& rows, const Marks& columns) const {
    const AxisText of_rows = describe_axis(row_axis(), rows);
    const AxisText of_columns = describe_axis(column_axis(), columns);
    if (of_rows.beyond_last_tile && of_columns.beyond_last_tile) {
      return fmt::format("{} and {}, which are beyond the last whole tiles", of_rows.phrase,
                         of_columns.phrase);
    }
    const std::int64_t right = std::int64_t{std::ranges::count(rows, false)} *
                               std::int64_t{std::ranges::count(columns, false)};
    if (2 * right < problem_.c_elements()) {
      const AxisText right_rows = describe_axis(row_axis(), opposite(rows));
      const AxisText right_columns = describe_axis(column_axis(), opposite(columns));
      if (right_rows.telling && right_columns.telling) {
        return "all but " + product_text(right_rows, right_columns);
      }
    }
    return fmt::format("{} and {}", from_offset(of_rows), from_offset(of_columns));
  }

  static Marks opposite(Marks marks) {
    marks.flip();
    return marks;
  }

  Grid tile_grid() const {
    return {tiles(problem_.m, tile_rows_), tiles(problem_.n, tile_columns_)};
  }

  void add_patterns(std::vector<Form>& forms) const {
    if (problem_.m < 2 || problem_.n < 2) return;
    for (const Pattern& pattern : patterns) forms.push_back({pattern.elements, pattern.holds});
  }

  void add_patterns_of_tiles(std::vector<Form>& forms) const {
    const int rows = tile_rows_, columns = tile_columns_;
    const Grid grid = tile_grid();
    if (rows < 2 && columns < 2) return;
    for (const Pattern& pattern : patterns) {
      const auto holds = pattern.holds;
      if (grid.rows > 1 && grid.columns > 1) {
        forms.push_back({pattern.tiles,
                         [=](int row, int column) { return holds(row / rows, column / columns); }});
      }
      if (pattern.in_tiles && rows > 1 && columns > 1 &&
          std::int64_t{grid.rows} * grid.columns > 1) {
        forms.push_back({fmt::format("{} {}", pattern.elements, every_tile()),
                         [=](int row, int column) { return holds(row % rows, column % columns); }});
      }
    }
  }

  // The few whole tiles that are wrong, by their blocks' indices as the kernel has them.
  std::optional<Form> whole_tiles() const {
    constexpr std::size_t most_named = 3;
    const Grid grid = tile_grid();
    if (grid.rows * std::int64_t{grid.columns} < 2 || tile_rows_ * std::int64_t{tile_columns_} < 2)
      return {};
    Marks wrong;
    std::vector<std::string> blocks;
    std::int64_t count = 0;
    for (int down = 0; down < grid.rows; ++down) {
      for (int across = 0; across < grid.columns; ++across) {
        const bool is_wrong = is_tile_wrong(down, across);
        wrong.push_back(is_wrong);
        if (!is_wrong) continue;
        if (++count > static_cast<std::int64_t>(most_named)) continue;
        const bool x_down = places_.shape.grid_x_along_rows;
        blocks.push_back(fmt::format("({}, {})", x_down ? down : across, x_down ? across : down));
      }
    }
    if (count == 0) return {};
    const std::string text =
        count <= static_cast<std::int64_t>(most_named)
            ? fmt::format("all that block{} {} compute{}", count == 1 ? "" : "s", listed(blocks),
                          count == 1 ? "s" : "")
            : fmt::format("{} of the {} tiles, wholly", with_thousands(count),
                          with_thousands(std::ssize(wrong)));
    const int rows = tile_rows_, columns = tile_columns_;
    return Form{text, [=](int row, int column) {
                  return wrong[row / rows * std::int64_t{grid.columns} + column / columns];
                }};
  }

  bool is_tile_wrong(int down, int across) const {
    const int row_begin = down * tile_rows_, column_begin = across * tile_columns_;
    const int row_end = std::min(problem_.m, row_begin + tile_rows_);
    const int column_end = std::min(problem_.n, column_begin + tile_columns_);
    std::int64_t wrong = 0;
    for (int row = row_begin; row < row_end; ++row) {
      for (int column = column_begin; column < column_end; ++column) {
        wrong += places_.is_wrong(row, column);
      }
    }
    return nearly(wrong, std::int64_t{row_end - row_begin} * (column_end - column_begin));
  }

  std::optional<Form> same_of_every_tile() const {
    const int rows = std::min(tile_rows_, problem_.m);
    const int columns = std::min(tile_columns_, problem_.n);
    if (rows == problem_.m && columns == problem_.n) return {};
    const auto place = [=](int row, int column) {
      return row % rows * std::int64_t{columns} + column % columns;
    };
    std::vector<std::int64_t> all(std::int64_t{rows} * columns), wrong(all.size());
    for (int row = 0; row < problem_.m; ++row) {
      for (int column = 0; column < problem_.n; ++column) {
        ++all[place(row, column)];
        wrong[place(row, column)] += places_.is_wrong(row, column);
      }
    }
    Marks marks;
    for (std::size_t i = 0; i < all.size(); ++i) marks.push_back(nearly(wrong[i], all[i]));
    const auto count = std::ranges::count(marks, true);
    return Form{fmt::format("the same {} elements {}", with_thousands(count), every_tile()),
                [=](int row, int column) { return marks[place(row, column)]; }};
  }

  // From the first to the last wrong one, in memory order.
  Form run_of_elements() const {
    const auto is_wrong = [](ElementState state) { return state != ElementState::right; };
    const auto& states = places_.states;
    const std::int64_t first = std::ranges::find_if(states, is_wrong) - states.begin();
    const std::int64_t last =
        states.rend() - std::find_if(states.rbegin(), states.rend(), is_wrong) - 1;
    const std::int64_t n = problem_.n;
    const auto element = [&](std::int64_t at) { return fmt::format("C[{}][{}]", at / n, at % n); };
    const std::string from = first == 0 ? "the first" : element(first);
    const std::string to = last + 1 == std::ssize(states) ? "the last" : element(last);
    return {fmt::format("all elements from {} to {}, row by row", from, to),
            [=](int row, int column) {
              const std::int64_t at = row * n + column;
              return at >= first && at <= last;
            }};
  }

  // The smallest that contains all marked ones.
  static Marks hull(const Marks& marks) {
    Marks result(marks.size());
    const auto begin = std::ranges::find(marks, true) - marks.begin();
    const auto end = marks.rend() - std::find(marks.rbegin(), marks.rend(), true);
    std::fill(result.begin() + begin, result.begin() + end, true);
    return result;
  }

  std::string scattered() const {
    const Marks rows = hull(marks_where_any(in_row_)), columns = hull(marks_where_any(in_column_));
    const std::string text = fmt::format("{} of {} elements, scattered", with_thousands(wrong_),
                                         with_thousands(problem_.c_elements()));
    const bool nearly_everywhere = 2 * std::ranges::count(rows, true) > problem_.m &&
                                   2 * std::ranges::count(columns, true) > problem_.n;
    if (nearly_everywhere) return text;
    return text + " over " +
           product_text(describe_axis(row_axis(), rows), describe_axis(column_axis(), columns));
  }

  const WrongPlaces& places_;
  const Problem& problem_;
  int tile_rows_, tile_columns_;
  ThreadTile thread_tile_;
  std::int64_t wrong_ = 0;
  std::vector<std::int64_t> in_row_, in_column_;
};

}  // namespace

DownsampledGrid draw_wrong(const WrongPlaces& places) {
  return downsample({0, places.problem.m, 0, places.problem.n}, [&](const Region& cell) {
    std::int64_t wrong = 0, unwritten = 0;
    for (int row = cell.row_begin; row < cell.row_end; ++row) {
      for (int column = cell.column_begin; column < cell.column_end; ++column) {
        const ElementState state = places.states[std::int64_t{row} * places.problem.n + column];
        wrong += state != ElementState::right;
        unwritten += state == ElementState::unwritten;
      }
    }
    if (unwritten == cell.elements()) return '?';
    return wrong == 0 ? '.' : wrong == cell.elements() ? 'x' : '+';
  });
}

std::string describe_places(const WrongPlaces& places) { return Describer(places).describe(); }

namespace {

std::string range_text(const Axis& axis, int begin, int end) {
  if (end - begin == 2) return fmt::format("{}s {} and {}", axis.one, begin, end - 1);
  return gemm_tutor::range_text(axis.one, begin, end - 1);
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
