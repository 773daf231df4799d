// Add a mistake as a line in one of the tables.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "exercise/evidence.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

struct Place {
  std::int64_t row = 0, column = 0;
};

std::string name_of(const Place& place) {
  return fmt::format("C[{}][{}]", place.row, place.column);
}

std::string name_of(const WrongElement& element) {
  return name_of(Place{element.row, element.column});
}

// How one matrix's rows, or columns, are divided among blocks and threads.
struct Division {
  std::int64_t tile = 1, thread_tile = 1;

  std::int64_t threads() const { return tile / thread_tile; }
  std::int64_t tile_begin(std::int64_t index) const { return index - index % tile; }
};

Division rows_of(const Evidence& evidence) {
  return {evidence.shape.tile_rows, thread_tile_of(evidence.shape).rows};
}

Division columns_of(const Evidence& evidence) {
  return {evidence.shape.tile_columns, thread_tile_of(evidence.shape).columns};
}

// True if the sample has the right value of one of those elements.
class References {
 public:
  explicit References(const Evidence& evidence) : evidence_(evidence), bound_(evidence.problem.k) {}

  bool has(const Place& place) const {
    const Problem& problem = evidence_.problem;
    return place.row >= 0 && place.row < problem.m && place.column >= 0 && place.column < problem.n;
  }

  bool is_right_at(const Place& place, float value) const {
    const Problem& problem = evidence_.problem;
    return has(place) && is_right_at(place.row * problem.n + place.column, value);
  }

  bool is_right_at(std::int64_t index, float value) const {
    if (index < 0 || index >= std::ssize(evidence_.references.products)) return false;
    return std::abs(value - evidence_.references.products[index]) <=
           bound_(evidence_.references.absolute_products[index]);
  }

  // All there are, but no more than `most`.
  std::vector<std::int64_t> find(float value, std::size_t most) const {
    std::vector<std::int64_t> found;
    const auto all = std::ssize(evidence_.references.products);
    for (std::int64_t i = 0; i < all && found.size() < most; ++i) {
      if (is_right_at(i, value)) found.push_back(i);
    }
    return found;
  }

  // The only one in the row or the column of the sample; else the only one there is.
  std::optional<Place> source_of(const WrongElement& sample) const {
    std::vector<Place> near;
    for (std::int64_t column = 0; column < evidence_.problem.n; ++column) {
      if (is_right_at({sample.row, column}, sample.value)) near.push_back({sample.row, column});
    }
    for (std::int64_t row = 0; row < evidence_.problem.m; ++row) {
      if (is_right_at({row, sample.column}, sample.value)) near.push_back({row, sample.column});
    }
    if (!near.empty()) return near.size() == 1 ? std::optional(near.front()) : std::nullopt;
    const std::vector<std::int64_t> anywhere = find(sample.value, 2);
    return anywhere.size() == 1 ? std::optional(place(anywhere.front())) : std::nullopt;
  }

  // True if each has the right value of some element.
  bool have_all(const std::vector<WrongElement>& elements) const {
    std::vector<std::pair<double, double>> ranges;  // of the values that are right somewhere
    for (std::size_t i = 0; i < evidence_.references.products.size(); ++i) {
      const double product = evidence_.references.products[i];
      const double bound = bound_(evidence_.references.absolute_products[i]);
      ranges.emplace_back(product - bound, product + bound);
    }
    std::ranges::sort(ranges);
    std::vector<double> ends;  // the largest up to there
    for (double end = ranges.front().second; const auto& range : ranges)
      ends.push_back(end = std::max(end, range.second));
    return std::ranges::all_of(elements, [&](const WrongElement& element) {
      const auto after = std::ranges::upper_bound(ranges, static_cast<double>(element.value), {},
                                                  &std::pair<double, double>::first);
      return after != ranges.begin() && element.value <= ends[after - ranges.begin() - 1];
    });
  }

  Place place(std::int64_t index) const {
    return {index / evidence_.problem.n, index % evidence_.problem.n};
  }

 private:
  const Evidence& evidence_;
  ErrorBound bound_;
};

// A mistake in an index that is possible for rows and for columns.
struct AxisMistake {
  std::int64_t (*source)(const Division& of, std::int64_t index);
  const char* rule;  // of the place, with "row" or "column" for {}
};

const AxisMistake axis_mistakes[] = {
    {[](const Division&, std::int64_t i) { return i; }, ""},
    {[](const Division& of, std::int64_t i) { return i % of.tile; },
     "each {} were that of the first tile"},
    {[](const Division& of, std::int64_t i) { return of.tile_begin(i) + i % of.thread_tile; },
     "all threads of a block had the same {}s"},
    {[](const Division& of, std::int64_t i) { return i - i % of.thread_tile; },
     "all {}s of a thread were its first one"},
    {[](const Division& of, std::int64_t i) {
       const std::int64_t within = i % of.tile;
       return of.tile_begin(i) + within / of.thread_tile + within % of.thread_tile;
     },
     "a thread's {}s began at its index in the block"},
    {[](const Division& of, std::int64_t i) {
       const std::int64_t within = i % of.tile;
       return of.tile_begin(i) + within / of.thread_tile + within % of.thread_tile * of.threads();
     },
     "each thread's {}s, which lie side by side, lay apart"},
    {[](const Division& of, std::int64_t i) {
       const std::int64_t within = i % of.tile;
       return of.tile_begin(i) + within % of.threads() * of.thread_tile + within / of.threads();
     },
     "each thread's {}s, which lie apart, lay side by side"},
    {[](const Division& of, std::int64_t i) {
       return of.tile_begin(i) + (i % of.tile + of.tile / 2) % of.tile;
     },
     "the halves of each tile's {}s were exchanged"},
    {[](const Division& of, std::int64_t i) {
       const std::int64_t within = i % of.thread_tile;
       return i - within + of.thread_tile - 1 - within;
     },
     "each thread's {}s were in the opposite order"},
};

// One of the places that wrote to index row * stride + column by mistake, where a right kernel
// writes to index row * N + column.
using Sources = std::vector<Place> (*)(const Evidence& evidence, const Place& place);

struct PlaneMistake {
  Sources sources;
  const char* rule;
};

// By rows, or by columns: at index column * stride + row.
std::vector<Place> stored(const Evidence& evidence, const Place& place, std::int64_t stride,
                          bool by_columns) {
  const Problem& problem = evidence.problem;
  const std::int64_t at = place.row * problem.n + place.column;
  const std::int64_t outer_count = by_columns ? problem.n : problem.m;
  const std::int64_t inner_count = by_columns ? problem.m : problem.n;
  std::vector<Place> sources;
  for (std::int64_t outer = std::min(at / stride, outer_count - 1); outer >= 0; --outer) {
    const std::int64_t inner = at - outer * stride;
    if (inner >= inner_count) break;
    sources.push_back(by_columns ? Place{inner, outer} : Place{outer, inner});
  }
  return sources;
}

std::vector<Place> only(std::int64_t row, std::int64_t column) { return {{row, column}}; }

const PlaneMistake plane_mistakes[] = {
    {[](const Evidence&, const Place& at) { return only(at.column, at.row); },
     "the rows and columns of C were exchanged"},
    {[](const Evidence& e, const Place& at) {
       const Division rows = rows_of(e), columns = columns_of(e);
       return only(rows.tile_begin(at.row) + at.column % columns.tile,
                   columns.tile_begin(at.column) + at.row % rows.tile);
     },
     "rows and columns were exchanged within each block's tile"},
    {[](const Evidence& e, const Place& at) {
       const Division rows = rows_of(e), columns = columns_of(e);
       const std::int64_t tm = rows.thread_tile, tn = columns.thread_tile;
       return only(rows.tile_begin(at.row) + at.column % columns.tile / tn * tm + at.row % tm,
                   columns.tile_begin(at.column) + at.row % rows.tile / tm * tn + at.column % tn);
     },
     "the threads' places in a tile were exchanged, across for down"},
    {[](const Evidence& e, const Place& at) {
       const std::int64_t tm = rows_of(e).thread_tile, tn = columns_of(e).thread_tile;
       return only(at.row - at.row % tm + at.column % tn, at.column - at.column % tn + at.row % tm);
     },
     "rows and columns were exchanged within each thread's elements"},
    {[](const Evidence& e, const Place& at) {
       const Division rows = rows_of(e), columns = columns_of(e);
       return only(at.column / columns.tile * rows.tile + at.row % rows.tile,
                   at.row / rows.tile * columns.tile + at.column % columns.tile);
     },
     "the tiles' rows and columns were exchanged"},
    {[](const Evidence& e, const Place& at) { return stored(e, at, e.problem.m, true); },
     "it were at index column·M + row, not row·N + column"},
    {[](const Evidence& e, const Place& at) { return stored(e, at, e.problem.n, true); },
     "it were at index column·N + row, not row·N + column"},
    {[](const Evidence& e, const Place& at) { return stored(e, at, e.problem.m, false); },
     "it were at index row·M + column, not row·N + column"},
    {[](const Evidence& e, const Place& at) { return stored(e, at, e.problem.k, false); },
     "it were at index row·K + column, not row·N + column"},
    {[](const Evidence& e, const Place& at) { return stored(e, at, e.problem.k, true); },
     "it were at index column·K + row, not row·N + column"},
};

std::string belongs_to(const WrongElement& sample, const Place& source) {
  return fmt::format("{} holds what belongs to {}", name_of(sample), name_of(source));
}

std::string plane_mistake(const Evidence& evidence) {
  const References references(evidence);
  for (const PlaneMistake& mistake : plane_mistakes) {
    const auto source_of = [&](const WrongElement& sample) -> std::optional<Place> {
      for (const Place& source : mistake.sources(evidence, {sample.row, sample.column})) {
        if (references.is_right_at(source, sample.value)) return source;
      }
      return {};
    };
    const bool explains_all = evidence.every([&](const WrongElement& element) {
      return source_of(element).has_value() ||
             (element.value == 0 &&
              std::ranges::none_of(mistake.sources(evidence, {element.row, element.column}),
                                   [&](const Place& source) { return references.has(source); }));
    });
    if (!explains_all) continue;
    for (const WrongElement& sample : evidence.samples) {
      if (const auto source = source_of(sample))
        return fmt::format("{}, as if {}.", belongs_to(sample, *source), mistake.rule);
    }
  }
  return "";
}

std::string rule_of(const AxisMistake& of_rows, const AxisMistake& of_columns) {
  std::vector<std::string> rules;
  if (*of_rows.rule) rules.push_back(fmt::format(fmt::runtime(of_rows.rule), "row"));
  if (*of_columns.rule) rules.push_back(fmt::format(fmt::runtime(of_columns.rule), "column"));
  return join(rules, ", and ");
}

std::string axis_mistake(const Evidence& evidence) {
  const References references(evidence);
  const Division rows = rows_of(evidence), columns = columns_of(evidence);
  for (const AxisMistake& of_rows : axis_mistakes) {
    for (const AxisMistake& of_columns : axis_mistakes) {
      const auto source_of = [&](const WrongElement& sample) {
        return Place{of_rows.source(rows, sample.row), of_columns.source(columns, sample.column)};
      };
      const auto holds = [&](const WrongElement& sample) {
        return references.is_right_at(source_of(sample), sample.value);
      };
      const bool explains_all = evidence.every([&](const WrongElement& element) {
        return holds(element) || (element.value == 0 && !references.has(source_of(element)));
      });
      const auto sample_at = std::ranges::find_if(evidence.samples, holds);
      if (!explains_all || sample_at == evidence.samples.end()) continue;
      const WrongElement& sample = *sample_at;
      return fmt::format("{}, as if {}.", belongs_to(sample, source_of(sample)),
                         rule_of(of_rows, of_columns));
    }
  }
  return "";
}

std::string distance(std::int64_t by, const char* one, const char* forwards,
                     const char* backwards) {
  return fmt::format("{} {}{} {}", std::abs(by), one, std::abs(by) == 1 ? "" : "s",
                     by > 0 ? forwards : backwards);
}

std::string distance(const WrongElement& to, const Place& from) {
  const std::int64_t down = from.row - to.row, right = from.column - to.column;
  std::vector<std::string> parts;
  if (down != 0) parts.push_back(distance(down, "row", "further down", "further up"));
  if (right != 0) parts.push_back(distance(right, "column", "further right", "further left"));
  return join(parts, " and ");
}

constexpr std::ptrdiff_t enough_samples = 4;  // that agree by chance hardly ever

// By the sample that is nearest to its value's place: others may be in the next row.
std::string displacement_text(const Evidence& evidence, const References& references,
                              std::int64_t by) {
  const auto source_of = [&](const WrongElement& sample) {
    return references.place(sample.row * std::int64_t{evidence.problem.n} + sample.column + by);
  };
  const auto way = [&](const WrongElement& sample) {
    const Place from = source_of(sample);
    return std::abs(from.row - sample.row) + std::abs(from.column - sample.column);
  };
  const WrongElement& nearest = *std::ranges::min_element(evidence.samples, {}, way);
  const Place from = source_of(nearest);
  return fmt::format("{}, and so do the others: each has the value of the element {}.",
                     belongs_to(nearest, from), distance(nearest, from));
}

// The same number of elements too early or too late, for all.
std::string displacement(const Evidence& evidence) {
  if (std::ssize(evidence.samples) < enough_samples) return "";
  constexpr std::size_t most_candidates = 64;
  const References references(evidence);
  const auto index = [&](const WrongElement& sample) {
    return sample.row * std::int64_t{evidence.problem.n} + sample.column;
  };
  for (const WrongElement* sample : {&evidence.samples.front(), &evidence.samples.back()}) {
    for (const std::int64_t source : references.find(sample->value, most_candidates)) {
      const std::int64_t by = source - index(*sample);
      // A place before or beyond all of C may hold anything.
      const auto holds = [&](const WrongElement& other) {
        const std::int64_t from = index(other) + by;
        return from < 0 || from >= evidence.problem.c_elements() ||
               references.is_right_at(from, other.value);
      };
      if (!evidence.every(holds)) continue;
      return displacement_text(evidence, references, by);
    }
  }
  return "";
}

std::string any_place(const Evidence& evidence) {
  if (std::ssize(evidence.samples) < enough_samples) return "";
  const References references(evidence);
  std::vector<std::string> examples;
  for (const WrongElement& sample : evidence.samples) {
    const std::optional<Place> source = references.source_of(sample);
    if (source) examples.push_back(belongs_to(sample, *source));
  }
  if (examples.size() < 2 || !references.have_all(evidence.elements)) return "";
  return fmt::format("{}, and {}: the sums are right, but not where they belong.", examples[0],
                     examples[1]);
}

}  // namespace

std::string known_misplacement(const Evidence& evidence) {
  std::string sentence = plane_mistake(evidence);
  return sentence.empty() ? axis_mistake(evidence) : sentence;
}

std::string other_misplacement(const Evidence& evidence) {
  std::string sentence = displacement(evidence);
  return sentence.empty() ? any_place(evidence) : sentence;
}

}  // namespace gemm_tutor
