#include "course/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "course/expression.hpp"
#include "course/question.hpp"
#include "gemm/problem.hpp"
#include "source/excerpt.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

void check_unique(const std::vector<Kernel>& kernels, const FilePlace& place) {
  std::vector<std::string> names, questions;
  for (const Kernel& kernel : kernels) {
    if (std::ranges::count(names, kernel.name) > 0) {
      throw place.error(fmt::format("there is a kernel '{}' already", kernel.name));
    }
    names.push_back(kernel.name);
    for (const Question& question : kernel.questions) {
      if (std::ranges::count(questions, question.id) > 0) {
        throw place.error(fmt::format("there is a question '{}' already", question.id));
      }
      questions.push_back(question.id);
    }
  }
}

std::string add_named_lesson(Declaration& declaration, TomlTable& table, const char* key) {
  if (!table.has(key)) return {};
  const std::string name = table.expression(key, "a lesson's number or name");
  declaration.named_lessons.push_back({key, name, table.place(key)});
  return name;
}

}  // namespace

Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel, const std::string& source,
                             const std::vector<Lesson>& earlier, bool is_checked) {
  const toml::table root = parse_toml(text, file_name);
  TomlTable table(root, file_name, "", FilePlace().page, is_checked);
  Declaration result;
  result.title = table.text_or("title", "");
  const std::string changes = add_named_lesson(result, table, "changes");
  result.changed = changes.empty() ? nullptr : lesson_in(earlier, changes);
  result.change = table.text_or("change", "");
  if (table.has("page_size")) {
    result.page_size = size_of(table.text("page_size"), table.place("page_size"));
  }
  for (TomlTable& declared : table.one_or_several("kernel")) {
    result.kernels.push_back(read_kernel(declared, source, result.changed, result.kernels));
    for (TomlTable& question : declared.tables("questions")) {
      add_named_lesson(result, question, "recalls");
    }
    check_unique(result.kernels, declared.place());
  }
  if (!result.kernels.empty()) kernel = &result.kernels.front();
  if (const std::optional<TomlTable> declared = table.table("exercise")) {
    if (!kernel || !kernel->shape) {
      throw declared->place().error("an exercise needs a kernel, and [kernel] is missing");
    }
    result.exercise = read_exercise(*declared, *kernel);
  }
  table.finish();
  return result;
}

namespace {

// Of a size that is checked.
Problem problem_of(const std::string& text, const FilePlace& place) {
  const Problem problem = size_of(text, place);
  constexpr double most = 0x1p26;  // about 1 s for the emulator's slowest kernels
  if (problem.multiply_adds() <= most) return problem;
  throw place.error(fmt::format("the size {} is too large for a check", text),
                    "M·N·K may be 2^26 at most: 400x400x400, say.");
}

ExerciseKind kind_of(TomlTable& table) {
  const std::map<std::string, ExerciseKind> kinds = {{"gaps", ExerciseKind::gaps},
                                                     {"bug", ExerciseKind::bug},
                                                     {"faster", ExerciseKind::faster},
                                                     {"write", ExerciseKind::write}};
  const std::string name = table.text_or("kind", "gaps");
  if (const auto found = kinds.find(name); found != kinds.end()) return found->second;
  throw table.place("kind").error(
      fmt::format("'kind' must be \"gaps\", \"bug\", \"faster\" or \"write\", not \"{}\"", name));
}

Goal read_goal(TomlTable& table, const Kernel& kernel) {
  Goal goal;
  goal.name = table.text("name");
  goal.unit = table.text("unit");
  goal.count = table.text("count");
  const auto is_given = [&](Goal::Bound bound) { return table.has(key_of(bound)); };
  constexpr std::array bounds = {Goal::Bound::at_most, Goal::Bound::at_least, Goal::Bound::exactly};
  if (std::ranges::count_if(bounds, is_given) != 1) {
    throw table.place().error("a goal needs one of 'at_most', 'at_least' and 'exactly'");
  }
  goal.bound = *std::ranges::find_if(bounds, is_given);
  const std::string_view limit = key_of(goal.bound);
  goal.limit = table.text(limit);
  goal.is_central = table.is_set("central");
  goal.problem = problem_of(table.text("size"), table.place("size"));
  if (!table.is_checked()) {
    check_names(goal.count, values_countable(kernel, kernel.settings, goal.problem),
                table.place("count"));
    const Values before = values_before(kernel, kernel.settings, goal.problem);
    table.place(limit).check([&] { return evaluated(goal.limit, before); });
  }
  table.finish();
  return goal;
}

OtherWay read_other_way(TomlTable& table) {
  OtherWay way{table.text("text"), {}};
  for (TomlTable& change : table.tables("changes")) {
    way.changes.push_back({change.text("code"), change.text("becomes")});
    change.finish();
  }
  table.finish();
  return way;
}

}  // namespace

Problem size_of(const std::string& text, const FilePlace& place) {
  if (const auto problem = problem_in(text)) return *problem;
  throw place.error(fmt::format("'{}' is no size", text),
                    "Give M = N = K as in \"64\", or M, N and K as in \"67x45x33\".");
}

ExerciseTerms read_exercise(TomlTable table, Kernel kernel) {
  ExerciseTerms terms;
  terms.kind = kind_of(table);
  terms.settings = kernel.settings = with_values(table, kernel.settings, kernel.name);
  table.place("values").unless_checked([&] { return kernel.shape(terms.settings); });
  terms.task = table.text("task");
  for (const std::string& size : table.texts("sizes")) {
    terms.sizes.push_back(problem_of(size, table.place("sizes")));
  }
  if (table.has("timed_at"))
    terms.timed_at = size_of(table.text("timed_at"), table.place("timed_at"));
  if (table.has("hints")) terms.hints = table.texts("hints");
  for (TomlTable& way : table.tables("other_ways")) {
    terms.other_ways.push_back(read_other_way(way));
  }
  for (TomlTable& goal : table.tables("goals")) terms.goals.push_back(read_goal(goal, kernel));
  terms.is_ladder = table.is_set("ladder");
  terms.has_library = table.is_set("library");
  terms.essentials = essential_goals(terms);
  table.finish();
  return terms;
}

namespace {

// Throws for wrong expressions in a text that `fill_in` evaluates.
template <typename Action>
void check_braces(const FilePlace& place, Action fill_in) {
  place.unless_checked([&] {
    try {
      fill_in();
    } catch (const DivisionByZero&) {  // it may have a value at other sizes
    } catch (const std::logic_error& error) {
      throw Error(ExitStatus::usage, error.what(),
                  "An expression in a text is in braces, as in \"{BM·BK} floats\".");
    }
  });
}

// What a file's expressions may name; nothing if it is known to have no mistake.
Values names_before(const TomlTable& table, const Kernel& kernel, const Problem& problem) {
  return table.is_checked() ? Values() : values_before(kernel, kernel.settings, problem);
}

// --- Its name and its template's parameters

bool is_name(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, is_word_character);
}

// "tile" and BM, BN of "tile<BM, BN>".
struct EntryName {
  std::string name;
  std::vector<std::string> parameters;
};

EntryName entry_name(const std::string& entry, const FilePlace& place) {
  const std::size_t open = entry.find('<');
  EntryName result{std::string(trimmed(entry.substr(0, open))), {}};
  if (open == entry.npos) return result;
  if (!entry.ends_with('>')) throw place.error("'entry' has a < without its > at the end");
  const std::string inside = entry.substr(open + 1, entry.size() - open - 2);
  for (const std::string& part : split(inside, ',')) {
    result.parameters.emplace_back(trimmed(part));
    if (is_name(result.parameters.back())) continue;
    throw place.error(fmt::format("'{}' in 'entry' is not the name of a template parameter",
                                  result.parameters.back()),
                      "Name each in 'entry', and give its number in 'values': entry = \"tile<BM>\" "
                      "and values = { BM = 32 }.");
  }
  return result;
}

std::map<std::string, int> values_in(std::optional<TomlTable> table) {
  std::map<std::string, int> result;
  if (!table) return result;
  for (const std::string& name : table->keys()) result[name] = table->whole_number(name, 1);
  return result;
}

// Returns the settings with those numbers that the table, which is `key` of the kernel's, has.
Settings with_numbers(const std::optional<TomlTable>& table, Settings settings,
                      std::string_view key, std::string_view kernel_name) {
  for (const auto& [name, value] : values_in(table)) {
    if (!settings.contains(name)) {
      throw table->place(name).error(
          fmt::format("'{}' of '{}' is not a setting of {}", name, key, kernel_name));
    }
    settings.set(name, value);
  }
  return settings;
}

std::map<std::string, std::string> flags_in(std::optional<TomlTable> table) {
  std::map<std::string, std::string> result;
  if (!table) return result;
  for (const std::string& name : table->keys()) result[name] = table->text(name);
  return result;
}

// Settings and flags are the template's parameters, in that order.
void read_parameters(TomlTable& table, Kernel& kernel) {
  const EntryName entry = entry_name(table.text("entry"), table.place("entry"));
  const FilePlace place = table.place("entry");
  std::map<std::string, int> values = values_in(table.table("values"));
  std::map<std::string, std::string> flags = flags_in(table.table("flags"));
  std::vector<Setting> settings;
  for (const std::string& name : entry.parameters) {
    if (const auto value = values.find(name); value != values.end()) {
      if (!kernel.flags.empty()) throw place.error("the flags must come last in 'entry'");
      settings.push_back({name, value->second});
      values.erase(value);
    } else if (const auto flag = flags.find(name); flag != flags.end()) {
      kernel.flags.push_back({name, flag->second});
      flags.erase(flag);
    } else {
      throw place.error(
          fmt::format("'{}' of 'entry' is not among 'values', or is there twice", name));
    }
  }
  if (!values.empty()) {
    throw place.error(
        fmt::format("'{}' of 'values' is not a parameter of 'entry'", values.begin()->first));
  }
  if (!flags.empty()) {
    throw place.error(
        fmt::format("'{}' of 'flags' is not a parameter of 'entry'", flags.begin()->first));
  }
  kernel.name = kernel.function = entry.name;
  kernel.settings = Settings(std::move(settings));
  const Values known = values_of(kernel.settings, {1, 1, 1});
  for (const Flag& flag : kernel.flags) check_names(flag.holds, known, table.place("flags"));
}

// --- Its launch

std::vector<std::string> extents(TomlTable& table, std::string_view key, std::size_t least,
                                 std::size_t most) {
  const std::vector<std::string> list = table.expressions(key);
  if (list.size() >= least && list.size() <= most) return list;
  throw table.place(key).error(
      fmt::format("'{}' must have {} or {} entries, not {}", key, least, most, list.size()));
}

bool grid_x_along_rows(TomlTable& table) {
  const std::string value = table.text_or("grid_x", "n");
  if (value == "n" || value == "m") return value == "m";
  throw table.place("grid_x").error(
      fmt::format("'grid_x' must be \"n\" or \"m\", not \"{}\"", value));
}

std::vector<Constraint> constraints_in(TomlTable& table, const LaunchRule& rule,
                                       const Settings& settings) {
  std::vector<Constraint> result;
  for (auto& [place, text, declared] : table.texts_or_tables("constraints")) {
    Constraint constraint{.holds = text};
    if (declared) {
      constraint.holds = declared->text("holds");
      constraint.text = declared->text_or("text", "");
      constraint.help = declared->text_or("help", "");
      declared->finish();
    }
    place.unless_checked([&] { rule.check(constraint, settings); });
    check_braces(place, [&] { rule.text_of(constraint, settings); });
    result.push_back(std::move(constraint));
  }
  return result;
}

void read_stream_k(TomlTable& table, LaunchRule& rule, Kernel& kernel) {
  std::optional<TomlTable> declared = table.table("stream_k");
  if (!declared) return;
  rule.stream_k_blocks = declared->expression("blocks");
  rule.stream_k_group_rows = declared->expression("group_rows");
  kernel.second_pass = declared->text("second_pass");
  declared->finish();
}

// An integer expression of M, N and K.
std::string extent_by_size(TomlTable& table, std::string_view key) {
  const std::string text = table.expression(key);
  constexpr Problem any_size{1024, 1024, 1024};
  if (grid_extent(text, any_size, 0)) return text;
  throw table.place(key).error(
      fmt::format("'{}' is not a whole number made of M, N and K, as in \"(N + 63) / 64\"", key));
}

void read_earlier(TomlTable& table, Kernel& kernel) {
  for (TomlTable& declared : table.tables("before")) {
    LaunchShape shape;
    shape.block = {static_cast<std::uint32_t>(declared.whole_number_or("block", 256))};
    shape.tile_rows = shape.tile_columns = shape.tile_depth = 0;
    shape.grid = {extent_by_size(declared, "grid_x"),
                  declared.has("grid_y") ? extent_by_size(declared, "grid_y") : "1", "1"};
    kernel.before.push_back({declared.text("kernel"), shape});
    declared.finish();
  }
  if (kernel.before.empty()) return;
  kernel.workspace = table.text("workspace");
  kernel.workspace_floats = extent_by_size(table, "workspace_floats");
}

// Checks each part separately, so that an error names its line.
void check_launch(TomlTable& table, const LaunchRule& rule, const Settings& settings) {
  const auto check_all = [&](std::string_view key, const std::vector<std::string>& expressions) {
    for (const std::string& expression : expressions) {
      table.place(key).check([&] { return rule.extent(expression, settings); });
    }
  };
  check_all("block", rule.block);
  check_all("tile", rule.tile);
  check_all("grid_z", {rule.grid_z});
  check_names(rule.shared_floats, values_of(settings), table.place("shared_floats"));
  const FilePlace shared = table.place("shared");
  check_names(rule.dynamic_shared_bytes, values_of(settings), shared);
  if (evaluated(rule.dynamic_shared_bytes, values_of(settings)) < 0)
    throw shared.error(
        "'shared' must be a whole number from 0, or an expression with such a value");
  if (!rule.stream_k_blocks.empty()) {
    check_all("stream_k", {rule.stream_k_blocks, rule.stream_k_group_rows});
  }
}

// `less_shared`: other settings, of which the first is taken that fits the shared memory of a block
// of the GPU, where those of `values` do not.
void read_less_shared(TomlTable& table, const LaunchRule& rule, Kernel& kernel) {
  std::vector<Settings> choices = {kernel.settings};
  for (TomlTable& others : table.tables("less_shared")) {
    choices.push_back(with_numbers(others, kernel.settings, "less_shared", kernel.name));
    others.place().unless_checked([&] { return kernel.shape(choices.back()); });
  }
  if (choices.size() == 1) return;
  if (!table.has("shared")) throw table.place("less_shared").error("'less_shared' needs 'shared'");
  kernel.choose = [choices, bytes = rule.dynamic_shared_bytes](const simt::GpuSpec& gpu,
                                                               const Problem&) {
    const auto found = std::ranges::find_if(choices, [&](const Settings& settings) {
      return evaluated(bytes, values_of(settings)) <= gpu.shared_bytes_per_block_optin;
    });
    return found == choices.end() ? choices.front() : *found;
  };
}

void read_launch(TomlTable& table, Kernel& kernel) {
  LaunchRule rule;
  rule.block = extents(table, "block", 1, 2);
  rule.tile = extents(table, "tile", 2, 3);
  rule.grid_x_along_rows = grid_x_along_rows(table);
  if (table.has("grid_z")) rule.grid_z = table.expression("grid_z");
  if (table.has("shared")) rule.dynamic_shared_bytes = table.expression("shared");
  if (table.has("shared_floats")) rule.shared_floats = table.expression("shared_floats");
  read_stream_k(table, rule, kernel);
  read_earlier(table, kernel);
  if (!table.is_checked()) check_launch(table, rule, kernel.settings);
  rule.constraints = constraints_in(table, rule, kernel.settings);
  kernel.compute_capability = table.whole_number_or("compute_capability", 0);
  kernel.shape = rule;
  read_less_shared(table, rule, kernel);
}

// --- What it computes

void read_scale(TomlTable& table, Role role, Kernel& kernel) {
  constexpr double most = 1000;
  const std::string_view key = name_of(role);
  if (!table.has(key)) return;
  kernel.arguments.push_back({role, fmt::format("{}", table.number(key, -most, most))});
}

std::optional<InitialC> c_before_in(TomlTable& table) {
  if (!table.has("c")) return {};
  const std::string value = table.text("c");
  for (const auto& [c, name] : initial_c_names) {
    if (value == name) return c;
  }
  throw table.place("c").error(
      fmt::format("'c' must be \"poison\", \"zero\" or \"random\", not \"{}\"", value));
}

Transposed transposed_in(TomlTable& table) {
  Transposed transposed;
  if (!table.has("transposed")) return transposed;
  for (const std::string& name : table.texts("transposed")) {
    if (name != "A" && name != "B") {
      throw table.place("transposed")
          .error(fmt::format("'transposed' may have \"A\" and \"B\", not \"{}\"", name));
    }
    (name == "A" ? transposed.a : transposed.b) = true;
  }
  return transposed;
}

void read_operation(TomlTable& table, Kernel& kernel) {
  read_scale(table, Role::alpha, kernel);
  read_scale(table, Role::beta, kernel);
  kernel.c_before = c_before_in(table);
  kernel.transposed = transposed_in(table);
  if (!table.has("precision")) return;
  kernel.precision = precision_named(table.text("precision"));
  if (!kernel.precision)
    throw table.place("precision").error("'precision' must be one of " + join(precision_names()));
}

// --- Its formula

void read_formula(TomlTable& table, Kernel& kernel) {
  if (!table.has("loads") && !table.has("stores")) return;
  TrafficFormula& formula = kernel.traffic;
  formula.loads = table.text("loads");
  formula.stores = table.text("stores");
  formula.whole_tiles_only = kernel.shape && !table.is_set("exact_at_edges");
  const Values values = names_before(table, kernel, {1, 1, 1});
  Values with_symbol = values;
  if (std::optional<TomlTable> symbol = table.table("symbol")) {
    formula.symbol = {symbol->text("name"), symbol->text("words"), symbol->text("value")};
    check_names(formula.symbol->value, values, symbol->place("value"));
    with_symbol[formula.symbol->name] = 0;
    symbol->finish();
  }
  check_names(formula.loads, with_symbol, table.place("loads"));
  check_names(formula.stores, with_symbol, table.place("stores"));
}

// --- Its notes and questions

// Throws if the piece of code is not in exactly one line of the excerpt.
void check_code(const std::string& code, const std::vector<SourceLine>& excerpt,
                const FilePlace& place) {
  const auto lines = std::ranges::count_if(
      excerpt, [&](const SourceLine& line) { return line.text.find(code) != line.text.npos; });
  if (excerpt.empty() || lines == 1) return;
  throw place.error(fmt::format("'{}' is in {} lines of the kernel, and must be in one", code,
                                lines == 0 ? "no" : std::to_string(lines)));
}

std::vector<Note> notes_in(TomlTable& table, const std::vector<SourceLine>& excerpt) {
  std::vector<Note> notes;
  for (TomlTable& note : table.tables("notes")) {
    notes.push_back({note.text("code"), note.text("text")});
    check_code(notes.back().code, excerpt, note.place("code"));
    note.finish();
  }
  return notes;
}

KernelDrawing::Of drawn_thing(TomlTable& table) {
  using Of = KernelDrawing::Of;
  const std::map<std::string, Of> things = {
      {"requests", Of::requests}, {"thread", Of::thread}, {"tile", Of::tile},
      {"tiles", Of::tiles},       {"outer", Of::outer},   {"timeline", Of::timeline},
      {"shares", Of::shares},     {"rates", Of::rates},   {"elements", Of::elements},
      {"owners", Of::owners},     {"warps", Of::warps},   {"lanes", Of::lanes}};
  const std::string name = table.text("of");
  if (const auto found = things.find(name); found != things.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, thing] : things) names.push_back(known);
  throw table.place("of").error(
      fmt::format("'of' must be one of {}, not \"{}\"", join(names), name));
}

// Throws if the kernel does not have what the drawing needs.
void check_drawing(const KernelDrawing& drawing, const Kernel& kernel, const FilePlace& place) {
  using Of = KernelDrawing::Of;
  if (place.is_checked) return;
  const bool has_thread_tile = kernel.settings.contains("TM") && kernel.settings.contains("TN");
  if (drawing.of == Of::outer && !has_thread_tile) {
    throw place.error("'of = \"outer\"' needs the settings TM and TN");
  }
  const bool shares = kernel.shape && kernel.shape(kernel.settings).stream_k;
  if (drawing.of == Of::shares && !shares) {
    throw place.error("'of = \"shares\"' needs a kernel with 'stream_k'");
  }
}

std::vector<KernelDrawing> drawings_in(TomlTable& table, const Kernel& kernel,
                                       const std::vector<SourceLine>& excerpt) {
  std::vector<KernelDrawing> drawings;
  const Values values = names_before(table, kernel, {1, 1, 1});
  Values with_indices = values;
  with_indices["i"] = with_indices["j"] = 0;
  for (TomlTable& drawing : table.tables("drawings")) {
    KernelDrawing& read = drawings.emplace_back();
    read.of = drawn_thing(drawing);
    check_drawing(read, kernel, drawing.place("of"));
    read.text = drawing.text("text");
    if (read.of == KernelDrawing::Of::requests) {
      read.line = drawing.text("line");
      check_code(read.line, excerpt, drawing.place("line"));
    }
    const std::string matrix = drawing.text_or("matrix", "C");
    read.matrix = matrix.front();
    if (matrix != "A" && matrix != "B" && matrix != "C") {
      throw drawing.place("matrix").error("'matrix' must be \"A\", \"B\" or \"C\"");
    }
    for (const auto& [key, expression] :
         {std::pair{"stages", &read.stages}, {"depth", &read.depth}}) {
      if (!drawing.has(key)) continue;
      *expression = drawing.text(key);
      check_names(*expression, values, drawing.place(key));
    }
    if (drawing.has("order")) {
      read.order = drawing.text("order");
      check_names(read.order, with_indices, drawing.place("order"));
    }
    drawing.finish();
  }
  return drawings;
}

// What the expressions of a question may name.
struct QuestionValues {
  Values before, countable;
};

// A text with expressions in braces.
std::string filled_text(TomlTable& table, std::string_view key, const Values& values) {
  const std::string text = table.text(key);
  check_braces(table.place(key), [&] { filled_in(text, values); });
  return text;
}

std::vector<Choice> choices_in(TomlTable& table, const QuestionValues& values) {
  std::vector<Choice> choices;
  for (TomlTable& choice : table.tables("choices")) {
    choices.push_back({filled_text(choice, "text", values.before), choice.text("holds"),
                       choice.has("reply") ? filled_text(choice, "reply", values.before) : ""});
    check_names(choices.back().holds, values.countable, choice.place("holds"));
    choice.finish();
  }
  if (choices.size() != 1) return choices;
  throw table.place("choices").error("a question needs two choices at least, or none");
}

std::vector<Reply> replies_in(TomlTable& table, const QuestionValues& values) {
  std::vector<Reply> replies;
  for (TomlTable& reply : table.tables("replies")) {
    replies.push_back({reply.text_or("answer", ""), filled_text(reply, "text", values.before)});
    const bool has_answer = reply.has("answer");  // else it is for everybody
    if (has_answer) check_names(replies.back().answer, values.before, reply.place("answer"));
    reply.finish();
  }
  return replies;
}

std::string question_id(TomlTable& table) {
  std::string id = table.text("id");
  if (id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == id.npos) return id;
  throw table.place("id").error(
      fmt::format("'{}' is not an 'id': small letters, digits and hyphens", id));
}

Question read_question(TomlTable& table, const QuestionValues& values,
                       const std::vector<SourceLine>& excerpt) {
  Question question;
  question.id = question_id(table);
  question.ask = filled_text(table, "ask", values.before);
  question.choices = choices_in(table, values);
  if (question.choices.empty()) {
    question.unit = table.text("unit");
    question.work = table.text("work");
    question.count = table.text("count");
    check_names(question.work, values.before, table.place("work"));
    check_names(question.count, values.countable, table.place("count"));
    question.replies = replies_in(table, values);
  }
  question.why = filled_text(table, "why", values.before);
  question.line = table.text_or("line", "");
  if (!question.line.empty()) check_code(question.line, excerpt, table.place("line"));
  question.needs = table.text_or("needs", "");
  if (!question.needs.empty()) check_names(question.needs, values.before, table.place("needs"));
  question.whole_tiles = table.is_set("whole_tiles");
  question.after_run = table.is_set("after_run");
  if (table.has("recalls")) question.recalls = table.expression("recalls");
  table.finish();
  return question;
}

std::vector<Question> questions_in(TomlTable& table, const Kernel& kernel,
                                   const std::vector<SourceLine>& excerpt) {
  std::vector<TomlTable> declared = table.tables("questions");
  if (declared.empty()) return {};
  constexpr Problem any_size{1024, 1024, 1024};
  QuestionValues values{names_before(table, kernel, any_size), {}};
  if (!table.is_checked()) values.countable = values_countable(kernel, kernel.settings, any_size);
  std::vector<Question> questions;
  for (TomlTable& question : declared) {
    questions.push_back(read_question(question, values, excerpt));
  }
  return questions;
}

// --- What runs it

enum class RunsOn { gpu, cpu, library };

RunsOn runs_on(TomlTable& table) {
  const std::string value = table.text_or("runs_on", "gpu");
  if (value == "gpu") return RunsOn::gpu;
  if (value == "cpu") return RunsOn::cpu;
  if (value == "library") return RunsOn::library;
  throw table.place("runs_on").error(
      fmt::format("'runs_on' must be \"gpu\", \"cpu\" or \"library\", not \"{}\"", value));
}

Kernel declared_kernel(TomlTable& table) {
  Kernel kernel;
  read_parameters(table, kernel);
  const RunsOn where = runs_on(table);
  kernel.from_library = where == RunsOn::library;
  if (where == RunsOn::gpu) {
    read_launch(table, kernel);
    read_operation(table, kernel);
  }
  if (where != RunsOn::library) read_formula(table, kernel);
  return kernel;
}

// A kernel with the declaration of an earlier one of the lesson, or of one in the lesson that is
// changed. It may have other values, and if the lesson that is changed has it and the lesson has a
// `source` of its own, other code.
Kernel variant_of(TomlTable& table, const std::string& source, const Lesson* changed,
                  const std::vector<Kernel>& earlier) {
  const std::string of = table.text("of");
  const auto own = std::ranges::find(earlier, of, &Kernel::name);
  if (own == earlier.end() && !changed)
    throw table.place("of").error("'of' needs 'changes', the lesson of that kernel");
  Kernel kernel = own != earlier.end()
                      ? *own
                      : table.place("of").check([&] { return find_kernel(*changed, of); });
  kernel.name = table.text("name");
  if (!is_name(kernel.name) || kernel.name == of) {
    throw table.place("name").error("'name' must be a new name, of letters, digits and _");
  }
  if (own == earlier.end() && !source.empty()) {
    kernel.function = kernel.name;
    kernel.cpu = nullptr;  // which is other code
    kernel.cpu_counted = nullptr;
  }
  if (table.has("values")) {
    kernel.settings = with_values(table, kernel.settings, of);
    kernel.choose = nullptr;
    kernel.configurations = nullptr;
    if (kernel.shape)
      table.place("values").unless_checked([&] { return kernel.shape(kernel.settings); });
  }
  return kernel;
}

}  // namespace

void check_names(const std::string& expression, const Values& values, const FilePlace& place) {
  place.unless_checked([&] { Expression::parse(expression).substituted(values); });
}

Settings with_values(TomlTable& table, const Settings& settings, std::string_view kernel_name) {
  return with_numbers(table.table("values"), settings, "values", kernel_name);
}

Kernel read_kernel(TomlTable table, const std::string& source, const Lesson* changed,
                   const std::vector<Kernel>& earlier) {
  const bool is_variant = table.has("of");
  Kernel kernel = is_variant ? variant_of(table, source, changed, earlier) : declared_kernel(table);
  kernel.title = table.text_or("title", "");
  std::vector<SourceLine> lines;  // empty if nothing is to be looked for in them
  table.place(is_variant ? "name" : "entry").unless_checked([&] {
    lines = excerpt(source.empty() && changed ? changed->source : source, kernel.function);
  });
  kernel.notes = notes_in(table, lines);
  kernel.drawings = drawings_in(table, kernel, lines);
  kernel.questions = questions_in(table, kernel, lines);
  table.finish();
  return kernel;
}

namespace {

Error broken(const Settings& settings, const std::string& rule, const std::string& help) {
  const std::string another = "Change another setting with it, by a second --set.";
  return {ExitStatus::usage,
          settings.empty() ? rule : fmt::format("{}: {}", join(assignments(settings)), rule),
          help.empty() ? another : help};
}

// "BM is not a multiple of TM" of "BM % TM == 0".
std::string default_text(const std::string& holds, const Settings& settings) {
  constexpr std::string_view divides = " % ", without_rest = " == 0";
  const std::size_t middle = holds.find(divides);
  if (middle != holds.npos && holds.ends_with(without_rest)) {
    const std::string whole = holds.substr(0, middle);
    std::string part = holds.substr(middle + divides.size());
    part.resize(part.size() - without_rest.size());
    if (settings.contains(whole) && settings.contains(part)) {
      return fmt::format("{} is not a multiple of {}", whole, part);
    }
  }
  return holds + " does not hold";
}

std::int64_t size_in(const std::string& expression, const Settings& settings) {
  constexpr double most = 1e18;  // far more than there is, and less than an int64 holds
  return static_cast<std::int64_t>(
      std::clamp(evaluated(expression, values_of(settings)), 0.0, most));
}

}  // namespace

void LaunchRule::check(const Constraint& constraint, const Settings& settings) const {
  if (evaluated(constraint.holds, values_with_threads(settings)) != 0) return;
  throw broken(settings, text_of(constraint, settings), constraint.help);
}

std::string LaunchRule::text_of(const Constraint& constraint, const Settings& settings) const {
  if (constraint.text.empty()) return default_text(constraint.holds, settings);
  return filled_in(constraint.text, values_with_threads(settings));
}

Values LaunchRule::values_with_threads(const Settings& settings) const {
  Values values = values_of(settings);
  double threads = 1;
  for (const std::string& expression : block) threads *= evaluated(expression, values);
  values["threads"] = threads;
  return values;
}

int LaunchRule::extent(const std::string& expression, const Settings& settings) const {
  const double value = evaluated(expression, values_of(settings));
  if (value > std::numeric_limits<int>::max()) {
    throw broken(settings, expression + " is more than an int holds", "");
  }
  if (value >= 1 && value == std::floor(value)) return static_cast<int>(value);
  throw broken(settings,
               fmt::format("{} = {} is not a whole number from 1", expression, number_text(value)),
               "");
}

LaunchShape LaunchRule::operator()(const Settings& settings) const {
  for (const Constraint& constraint : constraints) check(constraint, settings);
  const auto value = [&](const std::vector<std::string>& list, std::size_t i) {
    return i < list.size() ? extent(list[i], settings) : 1;
  };
  LaunchShape shape;
  shape.block = {static_cast<std::uint32_t>(value(block, 0)),
                 static_cast<std::uint32_t>(value(block, 1))};
  shape.tile_rows = value(tile, 0);
  shape.tile_columns = value(tile, 1);
  shape.tile_depth = value(tile, 2);
  shape.grid_x_along_rows = grid_x_along_rows;
  shape.blocks_of_tile = static_cast<std::uint32_t>(extent(grid_z, settings));
  shape.static_shared_floats = size_in(shared_floats, settings);
  shape.dynamic_shared = std::to_string(size_in(dynamic_shared_bytes, settings));
  if (!stream_k_blocks.empty()) {
    shape.stream_k =
        StreamK{extent(stream_k_blocks, settings), extent(stream_k_group_rows, settings)};
  }
  return shape;
}

}  // namespace gemm_tutor
