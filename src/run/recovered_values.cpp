#include "run/recovered_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gemm/matrices.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// A matrix, row by row. Missing elements are NaN.
struct Values {
  int rows = 0, columns = 0;
  std::vector<double> all =
      std::vector<double>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));

  double& at(int row, int column) { return all[index(row, column)]; }
  double at(int row, int column) const { return all[index(row, column)]; }
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

Values transposed(const Values& a) {
  Values result{a.columns, a.rows};
  for (int row = 0; row < a.rows; ++row) {
    for (int column = 0; column < a.columns; ++column) result.at(column, row) = a.at(row, column);
  }
  return result;
}

Values product(const Values& a, const Values& b) {
  Values result{a.rows, b.columns};
  for (int row = 0; row < a.rows; ++row) {
    for (int k = 0; k < a.columns; ++k) {
      for (int column = 0; column < b.columns; ++column)
        result.at(row, column) += a.at(row, k) * b.at(k, column);
    }
  }
  return result;
}

// The X for which X·b is nearest to `d`, by the normal equations and Cholesky's factors.
Values quotient(const Values& d, const Values& b) {
  const Values across = transposed(b);
  Values l = product(b, across), x = product(d, across);
  const int n = b.rows;
  for (int column = 0; column < n; ++column) {
    for (int row = column; row < n; ++row) {
      double sum = l.at(row, column);
      for (int k = 0; k < column; ++k) sum -= l.at(row, k) * l.at(column, k);
      l.at(row, column) = row == column ? std::sqrt(sum) : sum / l.at(column, column);
    }
  }
  for (int row = 0; row < x.rows; ++row) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) x.at(row, i) -= l.at(i, k) * x.at(row, k);
      x.at(row, i) /= l.at(i, i);
    }
    for (int i = n; i-- > 0;) {
      for (int k = i + 1; k < n; ++k) x.at(row, i) -= l.at(k, i) * x.at(row, k);
      x.at(row, i) /= l.at(i, i);
    }
  }
  return x;
}

// True if each element of `d` is that of a·b, within the error bound of FP32.
bool is_product(const Values& a, const Values& b, const Values& d) {
  const double bound = 2 * a.columns * std::ldexp(1.0, -24);
  for (int row = 0; row < d.rows; ++row) {
    for (int column = 0; column < d.columns; ++column) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < a.columns; ++k) {
        const double one = a.at(row, k) * b.at(k, column);
        sum += one;
        magnitude += std::abs(one);
      }
      if (!(std::abs(sum - d.at(row, column)) <= bound * magnitude + bound)) return false;
    }
  }
  return true;
}

// Of values in [-1, 1), and of sums of some hundred products of these: two different ones are
// nearer than this once in a thousand times.
constexpr double tolerance = 1e-3;

bool is_same(double a, double b) { return std::abs(a - b) <= tolerance; }

// --- Elements that are in the place of others

// In each group of so many rows and columns: where the value of each element belongs, row by row.
struct Moved {
  struct Place {
    int row = 0, column = 0;
    bool operator==(const Place&) const = default;
  };
  static constexpr Place nowhere = {-1, -1};

  int rows = 1, columns = 1;
  std::vector<Place> from = {};

  Place place(int row, int column) const {
    return from[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                static_cast<std::size_t>(column)];
  }
};

bool is_value_of(const Values& is, const Values& should_be, int row, int column, const Moved& moved,
                 const Moved::Place& from) {
  const double value = is.at(row, column);
  if (from == Moved::nowhere) return std::isnan(value) || std::abs(value) <= tolerance;
  const int at_row = row - row % moved.rows + from.row;
  const int at_column = column - column % moved.columns + from.column;
  if (at_row >= is.rows || at_column >= is.columns) return std::abs(value) <= tolerance;
  return is_same(value, should_be.at(at_row, at_column));
}

// The elements of the first group by their values, to find those with a value.
using ByValue = std::vector<std::pair<double, Moved::Place>>;

ByValue by_value(const Values& should_be, int rows, int columns) {
  ByValue result;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      result.push_back({should_be.at(row, column), {row, column}});
  }
  std::ranges::sort(result, {}, &ByValue::value_type::first);
  return result;
}

// For groups of this size; nothing if one of their elements holds the value of none.
std::optional<Moved> moved_in(const Values& is, const Values& should_be, int rows, int columns) {
  Moved moved{rows, columns};
  const ByValue candidates = by_value(should_be, rows, columns);
  bool is_moved = false;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const auto fits = [&](const Moved::Place& from) {
        int samples = 3;  // the whole is compared below
        for (int r = row; r < is.rows; r += rows) {
          for (int c = column; c < is.columns && samples > 0; c += columns, --samples)
            if (!is_value_of(is, should_be, r, c, moved, from)) return false;
        }
        return true;
      };
      Moved::Place from{row, column};
      if (!fits(from)) {
        // Of several, the nearest.
        const double value = is.at(row, column);
        const auto least = std::ranges::lower_bound(candidates, value - tolerance, {},
                                                    &ByValue::value_type::first);
        double nearest = 2 * tolerance;
        from = Moved::nowhere;
        for (auto next = least; next != candidates.end() && next->first <= value + tolerance;
             ++next) {
          const double distance = std::abs(next->first - value);
          if (distance >= nearest || !fits(next->second)) continue;
          nearest = distance;
          from = next->second;
        }
        if (from == Moved::nowhere && !fits(from)) return {};
      }
      is_moved = is_moved || from != Moved::Place{row, column};
      moved.from.push_back(from);
    }
  }
  const bool is_empty = std::ranges::count(moved.from, Moved::nowhere) == rows * columns;
  if (!is_moved || is_empty) return {};
  for (int row = 0; row < is.rows; ++row) {
    for (int column = 0; column < is.columns; ++column) {
      const Moved::Place from = moved.place(row % rows, column % columns);
      if (!is_value_of(is, should_be, row, column, moved, from)) return {};
    }
  }
  return moved;
}

// In the smallest groups for which it holds.
std::optional<Moved> moved_values(const Values& is, const Values& should_be,
                                  const SourceNumbers& numbers) {
  constexpr int largest = 128;
  std::vector<int> sides = {1};
  for (const int side : numbers.sides) {
    if (side > 1 && side <= largest) sides.push_back(side);
  }
  std::vector<std::pair<int, int>> groups;
  for (const int rows : sides) {
    for (const int columns : sides) {
      if (rows * columns > 1) groups.emplace_back(rows, columns);
    }
  }
  std::ranges::stable_sort(groups, {}, [](const auto& one) { return one.first * one.second; });
  for (const auto& [rows, columns] : groups) {
    // What holds for one group alone is no rule.
    if ((is.rows / rows) * (is.columns / columns) < 2) continue;
    if (auto moved = moved_in(is, should_be, rows, columns)) return moved;
  }
  return {};
}

// The row or the column that is there for row i and column j, as a text: "j", "i ^ 1", "3".
std::optional<std::string> index_text(const Moved& moved, bool is_row) {
  const int size = is_row ? moved.rows : moved.columns;
  const auto holds = [&](const auto& expected) {
    for (int i = 0; i < moved.rows; ++i) {
      for (int j = 0; j < moved.columns; ++j) {
        const Moved::Place from = moved.place(i, j);
        if ((is_row ? from.row : from.column) != expected(i, j)) return false;
      }
    }
    return true;
  };
  const auto own = [&](int i, int j) { return is_row ? i : j; };
  const char* name = is_row ? "i" : "j";
  if (holds(own)) return name;
  if (holds([&](int i, int j) { return is_row ? j : i; })) return is_row ? "j" : "i";
  const Moved::Place first = moved.place(0, 0);
  const int by = is_row ? first.row : first.column;
  if (holds([&](int, int) { return by; })) return std::to_string(by);
  if (holds([&](int i, int j) { return size - 1 - own(i, j); }))
    return fmt::format("{} - {}", size - 1, name);
  if (holds([&](int i, int j) { return own(i, j) ^ by; })) return fmt::format("{} ^ {}", name, by);
  if (holds([&](int i, int j) { return (own(i, j) + by) % size; }))
    return fmt::format("({} + {}) % {}", name, by, size);
  return {};
}

// Elements that are all as far from where they belong, and make a rectangle: "rows 0 to 63 of
// columns 64 to 127", and where they belong.
std::optional<std::pair<std::string, std::string>> rectangle_text(const Moved& moved) {
  int first_row = moved.rows, first_column = moved.columns, last_row = -1, last_column = -1;
  int count = 0, down = 0, across = 0;
  for (int i = 0; i < moved.rows; ++i) {
    for (int j = 0; j < moved.columns; ++j) {
      const Moved::Place from = moved.place(i, j);
      if (from == Moved::Place{i, j}) continue;
      if (count++ == 0) down = from.row - i, across = from.column - j;
      if (from == Moved::nowhere || from.row - i != down || from.column - j != across) return {};
      first_row = std::min(first_row, i), last_row = std::max(last_row, i);
      first_column = std::min(first_column, j), last_column = std::max(last_column, j);
    }
  }
  constexpr int least = 4;  // fewer are said one by one
  if (count < least || count != (last_row - first_row + 1) * (last_column - first_column + 1))
    return {};
  const auto text = [&](int by_rows, int by_columns) {
    const std::string rows = range_text("row", first_row + by_rows, last_row + by_rows);
    const std::string columns =
        range_text("column", first_column + by_columns, last_column + by_columns);
    const bool has_all_rows = last_row - first_row + 1 == moved.rows;
    const bool has_all_columns = last_column - first_column + 1 == moved.columns;
    return has_all_rows ? columns : has_all_columns ? rows : rows + " of " + columns;
  };
  return std::pair{text(0, 0), text(down, across)};
}

// In each group of A, B or C.
std::string moved_text(const Moved& moved, const char* matrix, bool is_read) {
  const auto of_place = [&](const std::string& row, const std::string& column) {
    return moved.rows == 1      ? "column " + column
           : moved.columns == 1 ? "row " + row
                                : fmt::format("row {}, column {}", row, column);
  };
  const std::string group = moved.rows == 1 ? fmt::format("{} columns", moved.columns)
                            : moved.columns == 1
                                ? fmt::format("{} rows", moved.rows)
                                : fmt::format("{}×{} elements", moved.rows, moved.columns);
  const auto is_there = [&](const std::string& place, const std::string& from) {
    if (from.empty()) return fmt::format("{} is {}", place, is_read ? "taken as 0" : "missing");
    return is_read ? fmt::format("{} is read in place of {}", from, place)
                   : fmt::format("{} holds what belongs to {}", place, from);
  };
  const std::string begin = fmt::format("In each {} of {}, ", group, matrix);
  const auto row = index_text(moved, true), column = index_text(moved, false);
  const int elements = moved.rows * moved.columns;
  if (row && column && elements > 2)
    return begin + is_there(of_place("i", "j"), of_place(*row, *column));
  if (const auto text = rectangle_text(moved)) {
    const auto& [place, from] = *text;
    return begin + (is_read ? fmt::format("{} are read in place of {}", from, place)
                            : fmt::format("{} hold what belongs to {}", place, from));
  }
  std::vector<std::string> parts;
  for (int i = 0; i < moved.rows; ++i) {
    for (int j = 0; j < moved.columns; ++j) {
      const Moved::Place from = moved.place(i, j);
      if (from == Moved::Place{i, j}) continue;
      parts.push_back(is_there(of_place(std::to_string(i), std::to_string(j)),
                               from == Moved::nowhere ? ""
                                                      : of_place(std::to_string(from.row),
                                                                 std::to_string(from.column))));
    }
  }
  constexpr std::size_t most = 3;
  const std::size_t moved_elements = parts.size();
  if (parts.size() > most) {
    parts.resize(2);
    return fmt::format("{}{} of {} are wrong: {}, …", begin, moved_elements, elements,
                       join(parts, ", "));
  }
  return begin + join(parts, ", and ");
}

// The last rows or columns of C, or both, if these are missing and the rest is right.
std::optional<std::string> missing_text(const Values& c, const Values& right) {
  const auto is_missing = [&](int row, int column) {
    const double value = c.at(row, column);
    return std::isnan(value) || value == 0;
  };
  int rows = c.rows, columns = c.columns;  // that are there
  const auto misses_row = [&](int row) {
    for (int column = 0; column < c.columns; ++column)
      if (!is_missing(row, column)) return false;
    return true;
  };
  const auto misses_column = [&](int column) {
    for (int row = 0; row < rows; ++row)
      if (!is_missing(row, column)) return false;
    return true;
  };
  while (rows > 0 && misses_row(rows - 1)) --rows;
  while (columns > 0 && misses_column(columns - 1)) --columns;
  if (rows == 0 || (rows == c.rows && columns == c.columns)) return {};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      if (!is_same(c.at(row, column), right.at(row, column))) return {};
  }
  const std::string from_row = fmt::format("row {} of {}", rows, c.rows);
  const std::string from_column = fmt::format("column {} of {}", columns, c.columns);
  const bool has_rows = rows < c.rows, has_columns = columns < c.columns;
  return fmt::format("C's last {} are missing, from {}, and the rest is right",
                     has_rows && has_columns ? "rows and columns"
                     : has_rows              ? "rows"
                                             : "columns",
                     has_rows && has_columns ? from_row + " and " + from_column
                     : has_rows              ? from_row
                                             : from_column);
}

// Sums that go on from one element to another: some hold their own and all that another holds,
// which is as many places before them, row by row.
std::optional<std::string> carried_text(const Values& c, const Values& right) {
  const auto size = static_cast<int>(c.all.size());
  const auto is_right = [&](int i) { return is_same(c.all[i], right.all[i]); };
  int first = 0;
  while (first < size && is_right(first)) ++first;
  if (first == size) return {};
  for (int by = 1; by <= first; ++by) {
    const auto is_carried = [&](int i) {
      return i >= by && is_same(c.all[i], right.all[i] + c.all[i - by]);
    };
    if (!is_carried(first)) continue;
    int count = 0;
    const auto is_explained = [&](int i) {
      if (is_right(i)) return true;
      ++count;
      return is_carried(i);
    };
    bool is_true = true;
    for (int i = first; i < size && is_true; ++i) is_true = is_explained(i);
    constexpr int least = 4;  // one may fit by chance
    if (!is_true || count < least) continue;
    const int row = first / c.columns, column = first % c.columns, from = first - by;
    return fmt::format(
        "{} of C's {} elements hold another element's value added to their own sum, as if a sum "
        "went on from one element to the next: row {}, column {} has that of row {}, column {}",
        with_thousands(count), with_thousands(size), row, column, from / c.columns,
        from % c.columns);
  }
  return {};
}

// The same of tiles, as of a block that computes several of them.
std::optional<std::string> carried_tiles_text(const Values& c, const Values& right,
                                              const SourceNumbers& numbers) {
  std::vector<std::pair<int, int>> tiles;
  constexpr int least = 8, largest = 128;
  for (const int rows : numbers.sides) {
    for (const int columns : numbers.sides) {
      const bool is_tile = std::min(rows, columns) >= least && std::max(rows, columns) <= largest;
      if (is_tile && c.rows % rows == 0 && c.columns % columns == 0)
        tiles.emplace_back(rows, columns);
    }
  }
  // Of the kernel's own constants first, then the largest.
  const auto is_named = [&](int side) {
    return std::ranges::count(numbers.names, side, &std::pair<std::string, int>::second) > 0;
  };
  std::ranges::stable_sort(tiles, std::greater(), [&](auto tile) {
    const auto& [rows, columns] = tile;
    return std::pair(is_named(rows) && is_named(columns), rows * columns);
  });
  for (const auto& [rows, columns] : tiles) {
    const int across = c.columns / columns, count = c.rows / rows * across;
    // True if the tile holds its own sums, with those of the other one if there is one.
    const auto holds = [&, rows = rows, columns = columns](int tile, int other) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          const auto index = [&](int of) {
            return c.index(of / across * rows + row, of % across * columns + column);
          };
          const double added = other < 0 ? 0 : c.all[index(other)];
          if (!is_same(c.all[index(tile)], right.all[index(tile)] + added)) return false;
        }
      }
      return true;
    };
    int carried = 0, last = 0, of_last = 0;
    bool is_true = true;
    for (int tile = 0; tile < count && is_true; ++tile) {
      if (holds(tile, -1)) continue;
      int other = 0;
      while (other < count && (other == tile || !holds(tile, other))) ++other;
      is_true = other < count;
      ++carried, last = tile, of_last = other;
    }
    if (!is_true || carried == 0) continue;
    const auto place = [&, rows = rows, columns = columns](int tile) {
      return fmt::format("row {}, column {}", tile / across * rows, tile % across * columns);
    };
    return fmt::format(
        "{} of C's {} tiles of {}×{} elements hold another tile's sums added to their own, as if a "
        "block's sums went on from one tile to the next: the tile at {} has those of the one at {}",
        carried, count, rows, columns, place(last), place(of_last));
  }
  return {};
}

// --- Which columns of A are multiplied by which rows of B

constexpr double most_times = 4096;

// How often the product of A's column and B's row is added.
using Times = std::vector<std::vector<int>>;

// Nothing if a number is not whole.
std::optional<Times> whole_numbers(const Values& t) {
  Times result(static_cast<std::size_t>(t.rows));
  for (int row = 0; row < t.rows; ++row) {
    for (int column = 0; column < t.columns; ++column) {
      const double rounded = std::round(t.at(row, column));
      if (!(std::abs(t.at(row, column) - rounded) < 0.02) || std::abs(rounded) > most_times)
        return {};
      result[row].push_back(static_cast<int>(rounded));
    }
  }
  return result;
}

// The smallest group after which the numbers repeat; all of them if they do not.
std::size_t period_of(const std::vector<int>& numbers) {
  for (std::size_t period = 1; period < numbers.size(); ++period) {
    bool repeats = numbers.size() % period == 0;
    for (std::size_t i = period; i < numbers.size() && repeats; ++i)
      repeats = numbers[i] == numbers[i - period];
    if (repeats) return period;
  }
  return numbers.size();
}

// How often the product of each k is added, in words without a capital. Nothing if it is once for
// all, or if there are too many cases.
std::optional<std::string> repeated_text(const std::vector<int>& all) {
  const std::size_t period = period_of(all);
  const bool is_periodic = period < all.size() && period > 2;
  const std::vector<int> counts(all.begin(), is_periodic ? all.begin() + period : all.end());
  std::vector<std::pair<int, std::vector<int>>> sets;  // times, with the values of k
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const int count = counts[k];
    if (count == 1) continue;
    auto set = std::ranges::find(sets, count, &std::pair<int, std::vector<int>>::first);
    if (set == sets.end()) set = sets.insert(sets.end(), {count, {}});
    set->second.push_back(static_cast<int>(k));
  }
  constexpr std::size_t most = 3;
  if (sets.empty() || sets.size() > most) return {};
  std::vector<std::string> parts;
  for (const auto& [count, set] : sets) {
    const bool is_one = set.size() == 1;
    parts.push_back(fmt::format("{} of {}{} {} {}", is_one ? "the product" : "the products",
                                is_periodic ? "" : "k = ", set_text(set), is_one ? "is" : "are",
                                count == 0    ? "missing"
                                : count == 2  ? "added twice"
                                : count == -1 ? "subtracted"
                                              : fmt::format("added {} times", count)));
  }
  return (is_periodic ? fmt::format("of each {} values of k, ", period) : "") +
         join(parts, ", and ");
}

// Products at the same k, each some times.
std::optional<std::string> repeated_text(const Times& times) {
  std::vector<int> counts;
  for (std::size_t k = 0; k < times.size(); ++k) {
    for (std::size_t other = 0; other < times.size(); ++other) {
      if (other != k && times[k][other] != 0) return {};
    }
    counts.push_back(times[k][k]);
  }
  auto text = repeated_text(counts);
  return text ? std::optional(capitalised(std::move(*text))) : std::nullopt;
}

// Rows of C whose sums have each product as often.
struct Alike {
  std::vector<int> rows;
  std::vector<int> counts;  // for each k
};

// From what is read in place of A's rows; nothing if that is no whole multiple of A.
std::optional<std::vector<Alike>> alike_rows(const Values& is, const Values& a) {
  constexpr int unknown = std::numeric_limits<int>::max();
  constexpr double smallest = 10 * tolerance;
  std::vector<Alike> result;
  for (int row = 0; row < a.rows; ++row) {
    std::vector<int> counts;
    for (int k = 0; k < a.columns; ++k) {
      const double value = a.at(row, k), times = std::round(is.at(row, k) / value);
      const bool is_known = std::abs(value) >= smallest;
      if (is_known && !is_same(is.at(row, k), times * value)) return {};
      if (is_known && std::abs(times) > most_times) return {};
      counts.push_back(is_known ? static_cast<int>(times) : unknown);
    }
    const auto agrees = [&](const Alike& one) {
      return std::ranges::equal(
          one.counts, counts, [](int x, int y) { return x == y || x == unknown || y == unknown; });
    };
    auto same = std::ranges::find_if(result, agrees);
    if (same == result.end()) same = result.insert(result.end(), {{}, counts});
    same->rows.push_back(row);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (same->counts[k] == unknown) same->counts[k] = counts[k];
    }
  }
  // Where A is nearly 0 in all rows, as at the k before.
  for (Alike& one : result) {
    const auto known = std::ranges::find_if(one.counts, [](int x) { return x != unknown; });
    if (known == one.counts.end()) return {};
    int before = *known;
    for (int& count : one.counts) before = count = count == unknown ? before : count;
  }
  return result;
}

// `line` is "row" or "column".
std::optional<std::string> alike_text(const Values& is, const Values& a, const std::string& line) {
  const auto alike = alike_rows(is, a);
  constexpr std::size_t most = 4;
  if (!alike || alike->size() > most) return {};
  std::vector<std::string> parts;
  for (const Alike& one : *alike) {
    const auto text = repeated_text(one.counts);
    if (!text) continue;
    const bool is_one = one.rows.size() == 1;
    const std::string lines =
        fmt::format("C's {}{} {}", line, is_one ? "" : "s", set_text(one.rows));
    const int first = one.counts.front();
    const bool is_factor = std::ranges::count(one.counts, first) == std::ssize(one.counts);
    parts.push_back(!is_factor   ? fmt::format("in {} {}", lines, *text)
                    : first == 0 ? fmt::format("{} {} 0", lines, is_one ? "is" : "are")
                    : first == -1
                        ? fmt::format("{} {} the wrong sign", lines, is_one ? "has" : "have")
                        : fmt::format("{} {} exactly {} times {}", lines, is_one ? "is" : "are",
                                      first, first > 0 ? "too large" : "what is right"));
  }
  if (parts.empty()) return {};
  if (parts.front().starts_with("in")) parts.front().front() = 'I';
  return join(parts, ", and ");
}

// For each k, the other k whose column of A (or row of B) it has, or -1 if it has none; nothing if
// one has two, or if most have none.
std::optional<std::vector<int>> partners(const Times& times, bool of_a) {
  std::vector<int> result;
  for (std::size_t k = 0; k < times.size(); ++k) {
    int found = -1;
    for (std::size_t other = 0; other < times.size(); ++other) {
      const int count = of_a ? times[other][k] : times[k][other];
      if (count == 0) continue;
      if (count != 1 || found >= 0) return {};
      found = static_cast<int>(other);
    }
    result.push_back(found);
  }
  const bool has_few = 4 * std::ranges::count(result, -1) > 3 * std::ssize(result);
  return has_few ? std::nullopt : std::optional(std::move(result));
}

// "16 to 31" for neighbours that have neighbours as partners.
std::vector<std::string> runs_text(
    const std::vector<int>& partner, int period,
    const std::function<std::string(const std::string&, const std::string&)>& text) {
  std::vector<std::string> result;
  for (int k = 0; k < period; ++k) {
    const int first = partner[k], distance = first - k;
    if (distance == 0) continue;
    const auto goes_on = [&](int at, bool is_same) {
      const int other = partner[at];
      return other != at && (is_same ? other == first : first >= 0 && other - at == distance);
    };
    int end = k + 1;
    const bool is_same = end < period && goes_on(end, true);
    while (end < period && goes_on(end, is_same)) ++end;
    const auto range = [&](int begin) {
      return end - k == 1 ? std::to_string(begin)
                          : fmt::format("{} to {}", begin, begin + end - k - 1);
    };
    const std::string other = first < 0 ? "" : is_same ? std::to_string(first) : range(first);
    result.push_back(text(range(k), other));
    k = end - 1;
  }
  return result;
}

std::optional<std::string> pairs_text(const Times& times) {
  const auto of_a = partners(times, true), of_b = partners(times, false);
  if (!of_a && !of_b) return {};
  const std::vector<int>& partner = of_a ? *of_a : *of_b;
  std::vector<int> distances;
  for (std::size_t k = 0; k < partner.size(); ++k)
    distances.push_back(partner[k] - static_cast<int>(k));
  const auto period = static_cast<int>(period_of(distances));
  const std::string begin = period < static_cast<int>(times.size())
                                ? fmt::format("In each {} values of k, ", period)
                                : "";
  const std::vector<std::string> runs =
      runs_text(partner, period, [&](const std::string& at, const std::string& other) {
        if (other.empty())
          return fmt::format("nothing is read in place of {}'s {} {}", of_a ? "A" : "B",
                             of_a ? "columns" : "rows", at);
        const bool is_one = other.find(' ') == other.npos;
        const char* many = is_one ? "" : "s";
        const char* are = is_one ? "is" : "are";
        if (of_a && of_b)
          return fmt::format("B's row{0} {1} {2} multiplied by A's column{0} {3}", many, at, are,
                             other);
        return fmt::format("{}{} {} {} read in place of {}", of_a ? "A's column" : "B's row", many,
                           other, are, at);
      });
  if (runs.empty()) return {};
  constexpr std::size_t most = 3;
  if (runs.size() <= most) return begin + join(runs, ", and ");
  return fmt::format("{}{}, {}, …", begin, runs[0], runs[1]);
}

std::optional<std::string> times_text(const Values& t) {
  const auto times = whole_numbers(t);
  if (!times) return {};
  if (auto text = repeated_text(*times)) return text;
  return pairs_text(*times);
}

// --- All of it

// C, or what was added to it by this product; nothing if an element is not known or no number.
std::optional<Values> values_of_c(const ComputedC& wrong, const Matrices& matrices) {
  const auto& [m, n, k] = wrong.problem;
  Values c{m, n};
  std::ranges::fill(c.all, std::numeric_limits<double>::infinity());
  const double of_c = wrong.update.scale_of_c(), of_product = wrong.update.scale_of_product();
  if (of_product == 0 || (of_c != 0 && matrices.c_before.empty())) return {};
  for (const ComputedElement& one : wrong.elements) {
    const auto index = static_cast<std::size_t>(one.index);
    const bool is_unwritten = is_poison(one.value) ||
                              (!matrices.c_before.empty() && one.value == matrices.c_before[index]);
    if (std::isnan(one.value) && !is_unwritten) return {};
    const double before = of_c == 0 ? 0 : of_c * matrices.c_before[index];
    c.all[index] =
        is_unwritten ? std::numeric_limits<double>::quiet_NaN() : (one.value - before) / of_product;
  }
  const bool has_all = std::ranges::none_of(c.all, [](double one) { return std::isinf(one); });
  return has_all ? std::optional(std::move(c)) : std::nullopt;
}

Values values_of(std::span<const float> all, int rows, int columns) {
  Values result{rows, columns};
  std::ranges::copy(all, result.all.begin());
  return result;
}

// Elements that hold the sum of another as well, as if two accumulators were one.
std::optional<std::string> two_sums_text(const Values& c, const Values& right) {
  constexpr double near = 1e-5;  // all sums are searched, of which many are nearer than 1e-3
  std::vector<std::pair<double, int>> sums;
  for (int i = 0; i < std::ssize(right.all); ++i) sums.emplace_back(right.all[i], i);
  std::ranges::sort(sums);
  std::optional<std::pair<int, int>> first;
  int count = 0;
  for (int i = 0; i < std::ssize(c.all); ++i) {
    const double more = c.all[i] - right.all[i];
    if (std::abs(more) <= near) continue;
    const auto other = std::ranges::lower_bound(sums, std::pair(more - near, 0));
    if (other == sums.end() || other->first > more + near) return {};
    if (!first) first = {i, other->second};
    ++count;
  }
  constexpr int least = 16;  // some may fit by chance
  if (count < least) return {};
  const auto [at, other] = *first;
  return fmt::format(
      "{} of C's {} elements hold two sums, as if two accumulators were one: row {}, column {} has "
      "that of row {}, column {} as well",
      with_thousands(count), with_thousands(std::ssize(c.all)), at / c.columns, at % c.columns,
      other / c.columns, other % c.columns);
}

std::optional<std::string> text_from_values(const Values& a, const Values& b, const Values& c,
                                            const SourceNumbers& numbers) {
  const bool is_complete = std::ranges::none_of(c.all, [](double one) { return std::isnan(one); });
  const bool is_solvable = is_complete && 4 * std::min(a.rows, b.columns) >= 5 * a.columns;
  if (is_solvable) {
    const Values as_a = quotient(c, b);
    const Values as_b = transposed(quotient(transposed(c), transposed(a)));
    const bool has_b = is_product(as_a, b, c), has_a = is_product(a, as_b, c);
    if (has_a && has_b) {
      const Values t = transposed(quotient(transposed(as_a), transposed(a)));
      if (auto text = times_text(t)) return text;
    }
    if (has_b) {
      if (auto text = alike_text(as_a, a, "row")) return text;
    }
    if (has_a) {
      if (auto text = alike_text(transposed(as_b), transposed(b), "column")) return text;
    }
    if (has_b) {
      if (const auto moved = moved_values(as_a, a, numbers)) return moved_text(*moved, "A", true);
    }
    if (has_a) {
      if (const auto moved = moved_values(as_b, b, numbers)) return moved_text(*moved, "B", true);
    }
  }
  const Values right = product(a, b);
  if (const auto moved = moved_values(c, right, numbers)) return moved_text(*moved, "C", false);
  if (auto text = missing_text(c, right)) return text;
  if (!is_complete) return {};
  auto text = carried_text(c, right);
  if (!text) text = carried_tiles_text(c, right, numbers);
  return text ? text : two_sums_text(c, right);
}

}  // namespace

std::optional<WrongKind> kind_from_values(const ComputedC& wrong, const SourceNumbers& numbers) {
  const auto& [m, n, k] = wrong.problem;
  if (wrong.is_right || wrong.problem.multiply_adds() > most_to_recover) return {};
  const Matrices matrices = make_matrices(wrong.problem, wrong.seed, nullptr, wrong.update);
  const auto c = values_of_c(wrong, matrices);
  if (!c) return {};
  const RowMajorOperands operands(matrices, wrong.transposed);
  const auto text =
      text_from_values(values_of(operands.a(), m, k), values_of(operands.b(), k, n), *c, numbers);
  return text ? std::optional(WrongKind{"values", *text}) : std::nullopt;
}

Problem problem_to_recover(int tile_rows, int tile_columns, int depth) {
  constexpr int most = 96;
  const int k = depth * std::max(2, std::min(3, most / depth));
  const int least = ceil_divide(5 * k, 4);
  const int m = rounded_up(least, tile_rows);
  int n = rounded_up(least, tile_columns);
  if (n == m) n += tile_columns;
  return {m, n, k};
}

}  // namespace gemm_tutor
