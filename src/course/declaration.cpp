#include "course/declaration.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "course/expression.hpp"
#include "course/kernel_run.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr const char* see_teaching = "docs/teaching.md has every key, with an example.";

// A place in the file, for what is wrong there.
struct Place {
  std::string file;
  unsigned line = 0;

  Error error(const std::string& what, std::string help = see_teaching) const {
    return {ExitStatus::usage, fmt::format("{}:{}: {}", file, line, what), std::move(help)};
  }
};

// One table, read key by key. Whatever is read is checked to be of its kind; finish() finds the
// keys that nobody asked for.
class Table {
 public:
  Table(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  Place place() const { return {file_, table_.source().begin.line}; }
  Place place(std::string_view key) const {
    const toml::node* node = table_.get(key);
    return node ? Place{file_, node->source().begin.line} : place();
  }

  bool has(std::string_view key) { return known(key) != nullptr; }

  std::string text(std::string_view key) {
    const toml::node* node = required(key);
    if (const auto value = node->value_exact<std::string>(); value && !trimmed(*value).empty()) {
      return std::string(trimmed(*value));
    }
    throw place(key).error(fmt::format("'{}' must be a text, in quotes", key));
  }

  std::string text_or(std::string_view key, std::string otherwise) {
    return known(key) ? text(key) : std::move(otherwise);
  }

  std::int64_t whole_number_or(std::string_view key, std::int64_t otherwise) {
    const toml::node* node = known(key);
    if (!node) return otherwise;
    const auto value = node->value_exact<std::int64_t>();
    if (value && *value >= 0 && *value <= std::numeric_limits<int>::max()) return *value;
    throw place(key).error(fmt::format("'{}' must be a whole number from 0", key));
  }

  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> result;
    for (const toml::node& node : list(key)) {
      const auto value = node.value_exact<std::string>();
      if (!value || trimmed(*value).empty()) {
        throw place(key).error(fmt::format("'{}' must be a list of texts, in quotes", key));
      }
      result.emplace_back(trimmed(*value));
    }
    return result;
  }

  // Numbers, or expressions in quotes.
  std::vector<std::string> expressions(std::string_view key) {
    std::vector<std::string> result;
    for (const toml::node& node : list(key)) {
      if (const auto number = node.value_exact<std::int64_t>()) {
        result.push_back(std::to_string(*number));
      } else if (const auto value = node.value_exact<std::string>()) {
        result.push_back(*value);
      } else {
        throw place(key).error(
            fmt::format("'{}' must be a list of whole numbers, or of expressions in quotes", key));
      }
    }
    return result;
  }

  // Null where it is not there.
  const toml::table* table(std::string_view key) {
    const toml::node* node = known(key);
    if (!node || node->is_table()) return node ? node->as_table() : nullptr;
    throw place(key).error(fmt::format("'{}' must be a table", key));
  }

  std::vector<const toml::table*> tables(std::string_view key) {
    std::vector<const toml::table*> result;
    if (!known(key)) return result;
    for (const toml::node& node : list(key)) {
      if (!node.is_table()) {
        throw place(key).error(fmt::format("'{}' must be written as [[{}.{}]]", key, name_, key));
      }
      result.push_back(node.as_table());
    }
    return result;
  }

  void finish() const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::ranges::count(asked_for_, name) > 0) continue;
      const std::string near = near_name(name, asked_for_);
      const std::string where = name_.empty() ? "at the top of the file" : "in [" + name_ + "]";
      throw Place{file_, node.source().begin.line}.error(
          fmt::format("there is no key '{}' {}", name, where),
          near.empty() ? fmt::format("There are: {}.", join(asked_for_))
                       : fmt::format("Did you mean '{}'?", near));
    }
  }

 private:
  const toml::node* known(std::string_view key) {
    asked_for_.emplace_back(key);
    return table_.get(key);
  }

  const toml::node* required(std::string_view key) {
    if (const toml::node* node = known(key)) return node;
    throw place().error(name_.empty() ? fmt::format("'{}' is missing", key)
                                      : fmt::format("'{}' is missing in [{}]", key, name_));
  }

  const toml::array& list(std::string_view key) {
    const toml::node* node = required(key);
    if (const toml::array* array = node->as_array(); array && !array->empty()) return *array;
    throw place(key).error(fmt::format("'{}' must be a list, in [ ], of at least one", key));
  }

  const toml::table& table_;
  std::string file_, name_;
  std::vector<std::string> asked_for_;
};

// --- The kernel

bool is_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// "tile" and BM, BN of "tile<BM, BN>".
struct EntryName {
  std::string name;
  std::vector<std::string> parameters;
};

EntryName entry_name(const std::string& entry, const Place& place) {
  const std::size_t open = entry.find('<');
  EntryName result{std::string(trimmed(entry.substr(0, open))), {}};
  if (open == entry.npos) return result;
  if (!entry.ends_with('>')) throw place.error("'entry' has a < without its > at the end");
  const std::string inside = entry.substr(open + 1, entry.size() - open - 2);
  for (const std::string& part : split(inside, ',')) {
    result.parameters.emplace_back(trimmed(part));
    if (is_name(result.parameters.back())) continue;
    throw place.error(
        fmt::format("'{}' in 'entry' is no name of a template parameter", result.parameters.back()),
        "Name each in 'entry', and give its number in 'values': entry = \"tile<BM>\" "
        "and values = { BM = 32 }.");
  }
  return result;
}

std::map<std::string, int> values_of(const toml::table& table, const std::string& file) {
  std::map<std::string, int> result;
  for (const auto& [key, node] : table) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 1 || *value > std::numeric_limits<int>::max()) {
      throw Place{file, node.source().begin.line}.error(
          fmt::format("'{}' in 'values' must be a whole number from 1", key.str()));
    }
    result[std::string(key.str())] = static_cast<int>(*value);
  }
  return result;
}

Settings settings_of(const EntryName& entry, std::map<std::string, int> values,
                     const Place& place) {
  std::vector<Setting> settings;
  for (const std::string& name : entry.parameters) {
    const auto found = values.find(name);
    if (found == values.end()) {
      throw place.error(
          fmt::format("'{}' of 'entry' is not among 'values', or stands there twice", name));
    }
    settings.push_back({name, found->second});
    values.erase(found);
  }
  if (!values.empty()) {
    throw place.error(
        fmt::format("'{}' of 'values' is no parameter of 'entry'", values.begin()->first));
  }
  return Settings(std::move(settings));
}

Values values_of(const Settings& settings) {
  Values values;
  for (const auto& [name, value] : settings) values[name] = value;
  return values;
}

int whole_value(const std::string& expression, const Settings& settings, const Place& place) {
  double value = 0;
  try {
    value = Expression::parse(expression).value(values_of(settings));
  } catch (const Error& error) {
    throw place.error(error.what(), error.help());
  }
  if (value >= 1 && value <= std::numeric_limits<int>::max() && value == std::floor(value)) {
    return static_cast<int>(value);
  }
  throw place.error(fmt::format("{} = {} is no whole number from 1", expression, value));
}

// How the launch follows from the settings.
struct DeclaredShape {
  std::vector<std::string> block, tile;
  Place block_place, tile_place;
  bool grid_x_along_rows = false;
  std::uint32_t dynamic_shared_bytes = 0;

  LaunchShape operator()(const Settings& settings) const {
    const auto value = [&](const std::vector<std::string>& list, std::size_t i, const Place& at) {
      return i < list.size() ? whole_value(list[i], settings, at) : 1;
    };
    LaunchShape shape;
    shape.block = {static_cast<std::uint32_t>(value(block, 0, block_place)),
                   static_cast<std::uint32_t>(value(block, 1, block_place))};
    shape.tile_rows = value(tile, 0, tile_place);
    shape.tile_columns = value(tile, 1, tile_place);
    shape.tile_depth = value(tile, 2, tile_place);
    shape.grid_x_along_rows = grid_x_along_rows;
    shape.dynamic_shared_bytes = dynamic_shared_bytes;
    return shape;
  }
};

std::vector<std::string> extents(Table& table, std::string_view key, std::size_t least,
                                 std::size_t most) {
  const std::vector<std::string> list = table.expressions(key);
  if (list.size() >= least && list.size() <= most) return list;
  throw table.place(key).error(
      fmt::format("'{}' must have {} or {} entries, not {}", key, least, most, list.size()));
}

bool grid_x_along_rows(Table& table) {
  const std::string value = table.text_or("grid_x", "n");
  if (value == "n" || value == "m") return value == "m";
  throw table.place("grid_x").error(
      fmt::format("'grid_x' must be \"n\" or \"m\", not \"{}\"", value));
}

// Throws for an expression that is none, or has names that `values` have not.
void check_names(const std::string& expression, const Values& values, const Place& place) {
  try {
    Expression::parse(expression).substituted(values);
  } catch (const Error& error) {
    throw place.error(error.what(), error.help());
  }
}

// The same for one that has no value, as it divides by zero, say.
void check_value(const std::string& expression, const Values& values, const Place& place) {
  try {
    Expression::parse(expression).value(values);
  } catch (const Error& error) {
    throw place.error(error.what(), error.help());
  }
}

TrafficFormula formula_of(Table& table, const Kernel& kernel) {
  TrafficFormula formula;
  const bool has_loads = table.has("loads"), has_stores = table.has("stores");
  if (!has_loads && !has_stores) return formula;
  formula.whole_tiles_only = true;
  formula.loads = table.text("loads");
  formula.stores = table.text("stores");
  const Values values = values_before(kernel, kernel.settings, {1, 1, 1});
  const auto floats = [&](const std::string& expression, std::string_view key) {
    check_names(expression, values, table.place(key));
    return [launched = kernel, expression](const Problem& problem, const Settings& settings) {
      return Expression::parse(expression).value(values_before(launched, settings, problem));
    };
  };
  formula.load_floats = floats(formula.loads, "loads");
  formula.store_floats = floats(formula.stores, "stores");
  return formula;
}

Kernel read_kernel(Table table, const std::string& file) {
  const std::string entry_text = table.text("entry");
  const Place entry_place = table.place("entry");
  const EntryName entry = entry_name(entry_text, entry_place);
  const toml::table* values = table.table("values");

  Kernel kernel;
  kernel.name = entry.name;
  kernel.settings = settings_of(
      entry, values ? values_of(*values, file) : std::map<std::string, int>{}, entry_place);
  DeclaredShape shape;
  shape.block = extents(table, "block", 1, 2);
  shape.tile = extents(table, "tile", 2, 3);
  shape.block_place = table.place("block");
  shape.tile_place = table.place("tile");
  shape.grid_x_along_rows = grid_x_along_rows(table);
  shape.dynamic_shared_bytes = static_cast<std::uint32_t>(table.whole_number_or("shared", 0));
  shape(kernel.settings);  // what is wrong with it is said now
  kernel.shape = shape;
  kernel.traffic = formula_of(table, kernel);
  table.finish();
  return kernel;
}

// --- The exercise

// "64" or "67x45x33".
Problem problem_of(const std::string& text, const Place& place) {
  std::vector<int> extents;
  for (const std::string& part : split(text, 'x')) {
    int extent = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, extent);
    if (error == std::errc() && stop == end && extent >= 1) extents.push_back(extent);
  }
  const auto parts = static_cast<std::size_t>(std::ranges::count(text, 'x')) + 1;
  if (extents.size() != parts || (parts != 1 && parts != 3)) {
    throw place.error(fmt::format("'{}' is no size", text),
                      "Give M = N = K as in \"64\", or M, N and K as in \"67x45x33\".");
  }
  const Problem problem{extents.front(), extents[parts / 2], extents.back()};
  constexpr double most = 0x1p26;  // about a second's work for the emulator's slowest kernels
  if (problem.multiply_adds() <= most) return problem;
  throw place.error(fmt::format("the size {} is too large for a check", text),
                    "M·N·K may be 2^26 at most: 400x400x400, say.");
}

ExerciseKind kind_of(Table& table) {
  const std::map<std::string, ExerciseKind> kinds = {
      {"gaps", ExerciseKind::gaps}, {"bug", ExerciseKind::bug}, {"faster", ExerciseKind::faster}};
  const std::string name = table.text_or("kind", "gaps");
  if (const auto found = kinds.find(name); found != kinds.end()) return found->second;
  throw table.place("kind").error(
      fmt::format("'kind' must be \"gaps\", \"bug\" or \"faster\", not \"{}\"", name));
}

Values countable(const Kernel& kernel, const Problem& problem) {
  KernelRun run;
  run.kernel = &kernel;
  run.settings = kernel.settings;
  run.problem = problem;
  run.emulation.emplace();
  return values_counted({}, run);
}

Goal read_goal(Table table, const Kernel& kernel) {
  Goal goal;
  goal.name = table.text("name");
  goal.unit = table.text("unit");
  goal.count = table.text("count");
  goal.exactly = table.has("exactly");
  if (const bool at_most = table.has("at_most"); goal.exactly == at_most) {
    throw table.place().error("a goal needs one of 'at_most' and 'exactly'");
  }
  const std::string_view limit = goal.exactly ? "exactly" : "at_most";
  goal.limit = table.text(limit);
  goal.problem = problem_of(table.text("size"), table.place("size"));
  goal.cause = table.text_or("cause", "");
  check_names(goal.count, countable(kernel, goal.problem), table.place("count"));
  check_value(goal.limit, values_before(kernel, kernel.settings, goal.problem), table.place(limit));
  table.finish();
  return goal;
}

// The kernel's settings, with the exercise's own in their place.
Settings read_settings(Table& table, const std::string& file, const Kernel& kernel) {
  Settings settings = kernel.settings;
  const toml::table* declared = table.table("values");
  if (!declared) return settings;
  for (const auto& [name, value] : values_of(*declared, file)) {
    if (!settings.contains(name)) {
      throw table.place("values").error(
          fmt::format("'{}' of 'values' is no setting of {}", name, kernel.name));
    }
    settings.set(name, value);
  }
  kernel.shape(settings);  // what is wrong with them is said now
  return settings;
}

ExerciseTerms read_exercise(Table table, const std::string& file, Kernel kernel) {
  ExerciseTerms terms;
  terms.kind = kind_of(table);
  terms.settings = kernel.settings = read_settings(table, file, kernel);
  terms.task = table.text("task");
  for (const std::string& size : table.texts("sizes")) {
    terms.sizes.push_back(problem_of(size, table.place("sizes")));
  }
  if (table.has("hints")) terms.hints = table.texts("hints");
  for (const toml::table* goal : table.tables("goals")) {
    terms.goals.push_back(read_goal({*goal, file, "exercise.goals"}, kernel));
  }
  table.finish();
  return terms;
}

toml::table parsed(std::string_view text, const std::string& file) {
  // The library reads a key such as a.b.c by recursion, and sets no limit to it.
  constexpr int most_dots = 5000;
  if (std::ranges::count(text, '.') > most_dots) {
    throw Place{file, 1}.error(
        fmt::format("the file has more than {} dots, so that a key could be nested too deeply",
                    with_thousands(most_dots)));
  }
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Place{file, error.source().begin.line}.error(
        fmt::format("no TOML: {}", error.description()), "The language is described at toml.io.");
  }
}

}  // namespace

Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel) {
  const toml::table root = parsed(text, file_name);
  Table table(root, file_name, "");
  Declaration result;
  result.title = table.text_or("title", "");
  if (const toml::table* declared = table.table("kernel")) {
    result.kernel = read_kernel({*declared, file_name, "kernel"}, file_name);
    kernel = &*result.kernel;
  }
  if (const toml::table* declared = table.table("exercise")) {
    if (!kernel) {
      throw table.place("exercise").error("an exercise needs a kernel, and [kernel] is missing");
    }
    result.exercise = read_exercise({*declared, file_name, "exercise"}, file_name, *kernel);
  }
  table.finish();
  return result;
}

}  // namespace gemm_tutor
