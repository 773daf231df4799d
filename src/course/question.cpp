#include "course/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "course/lesson.hpp"
#include "course/lesson_run.hpp"
#include "gemm/matrices.hpp"
#include "run/stream_k_schedule.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr double lanes = 32;  // of a warp

void add_launch(Values& values, const LaunchShape& shape, const Problem& problem) {
  const simt::Launch launch = launch_for(shape, problem);
  const auto blocks = static_cast<double>(launch.grid.count());
  const auto threads = static_cast<double>(launch.block.count());
  const double warps = std::ceil(threads / lanes);
  values["tile_rows"] = shape.tile_rows;
  values["tile_columns"] = shape.tile_columns;
  values["tile_depth"] = shape.tile_depth;
  values["threads"] = threads;
  values["warps"] = warps;
  values["blocks"] = blocks;
  values["grid_x"] = launch.grid.x;
  values["grid_y"] = launch.grid.y;
  values["warps_total"] = blocks * warps;
  values["steps"] = std::ceil(1.0 * problem.k / shape.tile_depth);
  if (!shape.stream_k) return;
  const StreamKSchedule schedule(shape, problem);
  values["tiles"] = static_cast<double>(schedule.tiles());
  values["whole_waves"] = static_cast<double>(schedule.whole_waves());
  values["tiles_shared"] = static_cast<double>(schedule.tiles_shared());
  values["partial_pieces"] = static_cast<double>(schedule.partial_pieces());
  values["partial_floats"] = static_cast<double>(schedule.workspace_floats());
}

void add_counters(Values& values, const simt::Counters& c) {
  const auto add = [&](std::string name, std::uint64_t count) {
    values[std::move(name)] = static_cast<double>(count);
  };
  add("global_load_requests", c.global_load_requests);
  add("global_load_sectors", c.global_load_sectors);
  add("global_load_bytes", c.global_load_bytes);
  add("global_load_wavefronts", c.global_load_wavefronts);
  add("global_store_requests", c.global_store_requests);
  add("global_store_sectors", c.global_store_sectors);
  add("global_store_bytes", c.global_store_bytes);
  add("shared_load_requests", c.shared_load_requests);
  add("shared_load_bytes", c.shared_load_bytes);
  add("shared_load_wavefronts", c.shared_load_wavefronts);
  add("shared_load_conflicts", c.shared_load_conflicts);
  add("shared_load_bytes", c.shared_load_bytes);
  add("shared_store_requests", c.shared_store_requests);
  add("shared_store_wavefronts", c.shared_store_wavefronts);
  add("shared_store_conflicts", c.shared_store_conflicts);
  add("shared_store_bytes", c.shared_store_bytes);
  add("ptx_shared_load_requests", c.ptx.shared_load_requests);
  add("ptx_shared_load_wavefronts", c.ptx.shared_load_wavefronts);
  add("ptx_shared_load_conflicts", c.ptx.shared_load_conflicts);
  add("atomic_requests", c.atomic_requests);
  add("atomic_operations", c.atomic_operations);
  add("ffma", c.ffma);
  add("tensor_multiply_adds", c.tensor_multiply_adds);
  add("warp_instructions", c.warp_instructions());
  using Kind = simt::InstructionKind;
  for (const Kind kind : {Kind::ffma, Kind::floating_point, Kind::integer, Kind::move, Kind::memory,
                          Kind::control, Kind::synchronisation, Kind::exchange, Kind::tensor}) {
    add(fmt::format("{}_instructions", name_of(kind)),
        c.instructions[static_cast<std::size_t>(kind)]);
  }
  add("barriers", c.barriers);
}

// The first line of the asm statement that the line is in; the line itself if it is in none. NVRTC
// counts an asm statement at the line of its last operand, clang at its first.
int first_line_of_asm(int number, const std::vector<SourceLine>& excerpt) {
  for (auto line = excerpt.rbegin(); line != excerpt.rend(); ++line) {
    if (line->number > number) continue;
    if (line->number < number && line->text.find(';') != line->text.npos &&
        line->text.find("asm") == line->text.npos)
      break;
    if (line->text.find("asm") != line->text.npos) return line->number;
  }
  return number;
}

// The number of the line that has `code`.
int line_of(std::string_view code, const std::vector<SourceLine>& excerpt) {
  const auto has_code = [&](const SourceLine& line) {
    return line.text.find(code) != line.text.npos;
  };
  if (std::ranges::count_if(excerpt, has_code) != 1) {
    throw std::logic_error(
        fmt::format("a question's line '{}' is not in one line of the kernel", code));
  }
  return std::ranges::find_if(excerpt, has_code)->number;
}

simt::Counters counters_of_line(int number, const KernelRun& run) {
  const auto& lines = run.emulation->lines;
  const auto found = std::ranges::find(lines, number, &simt::LineCounters::line);
  return found == lines.end() ? simt::Counters{} : found->counters;
}

// Counts of a whole run, and of no line.
struct CountOfRun {
  const char* name;
  std::uint64_t simt::Result::*count;
};
constexpr CountOfRun counts_of_run[] = {
    {"busiest_block_instructions", &simt::Result::most_instructions_of_block},
    {"busiest_warp_multiply_adds", &simt::Result::most_multiply_adds_of_warp},
    {"copied_bytes_in_flight", &simt::Result::copied_bytes_in_flight},
    {"loaded_bytes_in_flight", &simt::Result::loaded_bytes_in_flight},
    {"fragment_bytes_in_flight", &simt::Result::fragment_bytes_in_flight},
    {"idle_barriers", &simt::Result::idle_barriers}};
constexpr std::array of_machine_code = {"register_bank_conflicts", "registers_per_thread"};

void add_emulated(Values& values, const simt::Counters& counters, const KernelRun& run) {
  add_counters(values, counters);
  if (run.emulation && run.emulation->total.machine_instructions() > 0) {
    values["register_bank_conflicts"] = static_cast<double>(counters.register_bank_conflicts);
  }
  const Types& types = run.update.types;
  values["load_floats"] = static_cast<double>(counters.global_load_bytes) / bytes_of(types.a);
  values["store_floats"] = static_cast<double>(counters.global_store_bytes) / bytes_of(types.c);
}

void add_library(Values& values, const Problem& problem) {
  constexpr int least = 2, most = 64;  // enough elements to distinguish the orders
  const CallOrder order =
      call_order(std::clamp(std::min({problem.m, problem.n, problem.k}), least, most));
  values["a_floats"] = static_cast<double>(problem.a_elements());
  values["b_floats"] = static_cast<double>(problem.b_elements());
  values["c_floats"] = static_cast<double>(problem.c_elements());
  values["passed_a_first"] = order.passed_a_first;
  values["a_times_b"] = order.a_times_b;
  values["b_times_a"] = order.b_times_a;
  values["a_times_b_transposed"] = order.a_times_b_transposed;
}

// The number of decimals in the shortest text of the number: 2 for 1.33.
int decimals_of(double number) {
  const std::string text = fmt::format("{}", number);
  const std::size_t point = text.find('.');
  const bool plain = text.find('e') == text.npos && point != text.npos;
  return plain ? static_cast<int>(text.size() - point - 1) : 0;
}

bool is_count(double number, double count) {
  if (nearly_equal(number, count)) return true;
  const double scale = std::pow(10.0, decimals_of(number));
  return scale > 1 && nearly_equal(number, std::round(count * scale) / scale);
}

// The declared reply to a wrong answer; else whether it is too large.
std::string reply_to(double number, double count, const Question& question, const Values& before) {
  for (const Reply& reply : question.replies) {
    if (reply.answer.empty() || is_count(number, evaluated(reply.answer, before))) {
      return filled_in(reply.text, before);
    }
  }
  return number < count ? "It is more than that." : "It is less than that.";
}

void check_number(Checked& checked, const Question& question, const Answer& answer,
                  const Values& before, const Values& counted, bool exact) {
  const double count = evaluated(question.count, counted);
  const double worked_out = evaluated(question.work, before);
  checked.counted = quantity_text(count, question.unit);
  if (answer.number) {
    checked.right =
        is_count(*answer.number, count) || (!exact && is_count(*answer.number, worked_out));
    if (!checked.right) checked.reply = reply_to(*answer.number, count, question, before);
  }
  const std::string arithmetic = arithmetic_text(question.work, before);
  if (nearly_equal(worked_out, count)) {
    checked.arithmetic = arithmetic;
  } else {
    checked.why = fmt::format(
        "At this size, or with these settings, the answer differs: usually it would be {}.",
        arithmetic);
  }
}

void check_choice(Checked& checked, const Question& question, const Answer& answer,
                  const Values& before, const Values& counted) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Choice& choice = question.choices[i];
    if (evaluated(choice.holds, counted) == 0) continue;
    const bool chosen = answer.choice == i;
    if (checked.counted.empty() || chosen) checked.counted = filled_in(choice.text, before);
    checked.right = checked.right || chosen;
  }
  if (answer.choice && !checked.right) {
    checked.reply = filled_in(question.choices[*answer.choice].reply, before);
  }
  if (!checked.counted.empty()) return;
  checked.is_nothing = true;
  checked.counted = "none of these";
  checked.why = "At this size, or with these settings, the answer differs from the usual one.";
}

}  // namespace

Subject subject_of_questions(const Lesson& lesson, const Kernel& kernel, const Subject& chosen,
                             const std::function<Settings(const Problem&)>& usual_settings) {
  constexpr Problem usual_size{default_size, default_size, default_size};
  const bool is_usual =
      chosen.problem == usual_size && chosen.settings == usual_settings(usual_size);
  const bool is_asked = std::ranges::all_of(kernel.questions, [&](const Question& question) {
    if (question.needs.empty()) return true;
    const Problem problem = problem_of(question, kernel, chosen.settings, chosen.problem);
    return evaluated(question.needs, values_before(kernel, chosen.settings, problem)) != 0;
  });
  if (is_usual ? !lesson.page_size : is_asked) return chosen;
  const Problem problem = lesson.page_size.value_or(usual_size);
  return {problem, usual_settings(problem)};
}

Problem problem_of(const Question& question, const Kernel& kernel, const Settings& settings,
                   const Problem& problem) {
  if (!question.whole_tiles || !kernel.shape) return problem;
  return in_whole_tiles(kernel.shape(settings), problem);
}

Values values_before(const Kernel& kernel, const Settings& settings, const Problem& problem) {
  Values values = values_of(settings, problem);
  if (kernel.shape) add_launch(values, kernel.shape(settings), problem);
  if (const auto& symbol = kernel.traffic.symbol) {
    values[symbol->name] = evaluated(symbol->value, values);
  }
  return values;
}

Values values_countable(const Kernel& kernel, const Settings& settings, const Problem& problem) {
  Values values = values_before(kernel, settings, problem);
  add_emulated(values, {}, {});
  values["register_bank_conflicts"] = 0;
  values["blocks_total"] = 0;
  for (const char* name :
       {"shared_bytes", "registers_per_thread", "blocks_per_sm", "occupancy", "multiprocessors"}) {
    values[name] = 0;
  }
  for (const CountOfRun& one : counts_of_run) values[one.name] = 0;
  if (kernel.from_library) add_library(values, problem);
  return values;
}

std::string why_not_counted(std::string_view name, std::string_view compiler) {
  if (std::ranges::count(of_machine_code, name) == 0) return "";
  return fmt::format("{} is counted in machine code, which {} does not make", name, compiler);
}

namespace {

Values values_counted_in_lines(int first, int last, const Values& before, const KernelRun& run) {
  simt::Counters counted;
  for (int line = first; line <= last; ++line) counted += counters_of_line(line, run);
  Values values = values_counted(before, run);
  add_emulated(values, counted, run);
  values.erase("shared_bytes");
  for (const CountOfRun& one : counts_of_run) values.erase(one.name);
  return values;
}

}  // namespace

Values values_counted_in(int line, const Values& before, const KernelRun& run) {
  return values_counted_in_lines(line, line, before, run);
}

Values values_counted(const Question& question, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  if (!question.line.empty() && run.emulation) {
    const std::vector<SourceLine> lines = excerpt(*run.lesson, *run.kernel);
    const int line = line_of(question.line, lines);
    return values_counted_in_lines(first_line_of_asm(line, lines), line, before, run);
  }
  Values values = values_counted(before, run);
  if (run.kernel->from_library) add_library(values, run.problem);
  return values;
}

Values values_counted(const Values& before, const KernelRun& run) {
  Values values = before;
  if (run.emulation) {
    add_emulated(values, run.emulation->total, run);
    values["blocks_total"] = static_cast<double>(run.emulation->blocks_total);
    for (const auto& [name, count] : counts_of_run)
      values[name] = static_cast<double>((*run.emulation).*count);
  } else if (run.traffic.counted_loads && run.traffic.counted_stores) {
    values["load_floats"] = static_cast<double>(*run.traffic.counted_loads);
    values["store_floats"] = static_cast<double>(*run.traffic.counted_stores);
  }
  if (run.launch) {
    const simt::KernelResources& resources = run.launch->resources;
    const simt::Occupancy& occupancy = run.launch->occupancy;
    values["shared_bytes"] = resources.static_shared_bytes + 1.0 * run.launch->dynamic_shared_bytes;
    if (resources.registers_per_thread > 0) {  // else it is not known
      values["registers_per_thread"] = resources.registers_per_thread;
    }
    if (occupancy.exact) {
      values["blocks_per_sm"] = occupancy.blocks_per_multiprocessor;
      values["occupancy"] = occupancy.occupancy;
    }
  }
  if (run.gpu) values["multiprocessors"] = run.gpu->multiprocessors;
  return values;
}

std::string filled_in(std::string_view text, const Values& values) {
  const auto check_paired = [&](std::string_view part) {
    if (part.find_first_of("{}") == part.npos) return;
    throw std::logic_error(fmt::format("an unmatched brace: '{}'", text));
  };
  const std::string filled = with_references(text, [&](std::string_view expression) {
    check_paired(expression);
    return number_text(evaluated(expression, values));
  });
  check_paired(filled);
  return filled;
}

std::string quantity_text(double number, std::string_view unit) {
  if (number == 1 && unit.ends_with('s')) unit.remove_suffix(1);
  return fmt::format("{} {}", number_text(number), unit);
}

std::string arithmetic_text(const std::string& work, const Values& values) {
  const Expression expression = Expression::parse(work);
  std::vector<std::string> steps = {work, expression.substituted(values),
                                    number_text(expression.value(values))};
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return join(steps, " = ");
}

Checked check(const Question& question, const Answer& answer, const LessonRun& run) {
  const Values before = values_before(*run.kernel, run.settings, run.problem);
  const Values counted = values_counted(question, run);
  Checked checked;
  checked.why = filled_in(question.why, before);
  try {
    if (question.choices.empty()) {
      check_number(checked, question, answer, before, counted, run.traffic.count_is_exact);
    } else {
      check_choice(checked, question, answer, before, counted);
    }
  } catch (const DivisionByZero& error) {
    checked = {};
    checked.is_nothing = true;
    checked.counted = "nothing";
    checked.why = fmt::format(
        "At this size, or with these settings, there is nothing to count: {} is 0.", error.divisor);
  } catch (const NoValue& error) {
    const std::string why = why_not_counted(error.name, run.compiler);
    if (why.empty()) throw;
    checked = {};
    checked.is_nothing = true;
    checked.counted = "nothing";
    checked.why = fmt::format("{}. {}", why, who_makes_machine_code);
  }
  return checked;
}

namespace {

using Matrix = std::vector<float>;

// Where an element of a square matrix lies.
int by_rows(int row, int column, int size) { return row * size + column; }
int by_columns(int row, int column, int size) { return column * size + row; }

// An element of the product of two matrices that are stored in that way.
double element(const Matrix& left, const Matrix& right, int row, int column, int size,
               int (*place)(int, int, int)) {
  double sum = 0;
  for (int k = 0; k < size; ++k) {
    sum += double{left[place(row, k, size)]} * double{right[place(k, column, size)]};
  }
  return sum;
}

}  // namespace

CallOrder call_order(int size) {
  const Matrices matrices = make_matrices({size, size, size}, 1);
  const Matrix &a = matrices.a, &b = matrices.b;
  // An element written column-major at row 1 and column 0 is row-major at row 0 and column 1.
  return {.passed_a_first = element(a, b, 1, 0, size, by_columns),
          .a_times_b = element(a, b, 0, 1, size, by_rows),
          .b_times_a = element(b, a, 0, 1, size, by_rows),
          .a_times_b_transposed = element(a, b, 1, 0, size, by_rows)};
}

}  // namespace gemm_tutor
