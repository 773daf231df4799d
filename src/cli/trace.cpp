#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/own_kernel.hpp"
#include "cli/progress_line.hpp"
#include "course/lesson_run.hpp"
#include "report/picture_svg.hpp"
#include "report/thread_report.hpp"
#include "report/trace_page.hpp"
#include "report/trace_report.hpp"
#include "trace/selection.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

struct TraceCommandOptions {
  std::string subject;  // a lesson or a file
  std::optional<std::string> kernel, line, warp, thread, step, svg, html;
  bool tiles = false;
  std::vector<std::string> blocks;  // of --block: 1,2 is one of the grid, 32x8 its threads
  OwnKernelOptions own;
  SettingOptions set;
  SizeOptions size;
  RunSettings run;
  FormatOption format;

  void add_to(CLI::App& app) {
    add_argument(app, "L|FILE.cu", subject,
                 "a lesson by number or name, or a CUDA C++ file as for 'run'");
    add_option(app, "--kernel", kernel, "KERNEL",
               "one of the lesson's kernels, as 'list' names them (default: its first)");
    add_option(app, "--block", blocks, "X,Y|X[xY]",
               "the block to look at, such as 1,2 (default: 0,0); and for a file, with an x or one "
               "number, the threads of each: --block 32x8 --block 1,2");
    add_option(app, "--warp", warp, "W",
               "the warp to look at, by its number in the block (default: 0)");
    add_option(app, "--line", line, "N",
               "the line of the source (default: each that accesses memory)");
    add_option(
        app, "--step", step, "K",
        "how often the warp was there before (default: 0); with --thread and --tiles the step "
        "along K (default: the block's first), with --tiles also several, as in 0..3, or all");
    add_option(
        app, "--thread", thread, "T|X,Y",
        "one thread's own story, by its number in the block or its x and y (default: a warp's)");
    add_flag(app, "--tiles", tiles,
             "who loads what: the tiles of A, B and C by warp, or with --warp by lane");
    add_option(app, "--svg", svg, "FILE.svg", "write what is shown as a drawing too");
    add_option(app, "--html", html, "FILE.html", "write it as a page too, to look at in a browser");
    own.add_to(app);
    size.add_to(app);
    set.add_to(app);
    run.add_emulation_to(app);
    format.add_to(app);
  }
};

// Lessons' names have neither.
bool is_file(const std::string& subject) { return subject.find_first_of("./") != subject.npos; }

bool is_place(const std::string& block) { return block.find(',') != block.npos; }

// The value of --block that is a block of the grid.
simt::Dim3 place_of_block(const std::vector<std::string>& blocks) {
  const auto found = std::ranges::find_if(blocks, is_place);
  if (found == blocks.end()) return {0, 0, 0};
  const std::vector<std::string> parts = split(*found, ',');
  if (parts.size() != 2 || std::ranges::count(parts, "") > 0) {
    throw Error(ExitStatus::usage, fmt::format("--block '{}' has the wrong form", *found),
                "Give a block's place along x and y, as in --block 1,2.");
  }
  const auto index = [&](std::size_t i) {
    return static_cast<std::uint32_t>(
        whole_number(fmt::format("--block {}:", *found), parts[i], 0, largest_int));
  };
  return {index(0), index(1), 0};
}

// The value of --block that is the threads per block.
std::optional<std::string> threads_of_block(const std::vector<std::string>& blocks) {
  const auto found = std::ranges::find_if_not(blocks, is_place);
  return found == blocks.end() ? std::nullopt : std::optional(*found);
}

void check_blocks(const std::vector<std::string>& blocks) {
  const auto places = std::ranges::count_if(blocks, is_place);
  if (places <= 1 && std::ssize(blocks) - places <= 1) return;
  throw Error(ExitStatus::usage, "--block was given twice for the same",
              "Give it once as in 1,2 for a block of the grid, and for a file once as in 32x8 for "
              "the threads of each.");
}

// Only one picture can be requested.
void check_views(const TraceCommandOptions& options) {
  if (options.thread && options.tiles) {
    throw Error(ExitStatus::usage, "--thread and --tiles cannot go together",
                "Give --thread for one thread's own story, or --tiles for who loads what.");
  }
  if (options.line && (options.thread || options.tiles)) {
    throw Error(
        ExitStatus::usage,
        fmt::format("--line and {} cannot go together", options.thread ? "--thread" : "--tiles"),
        "Leave --line out: all lines are shown.");
  }
  if (options.thread && options.warp) {
    throw Error(ExitStatus::usage, "--thread and --warp cannot go together",
                "Leave --warp out: the thread is in one.");
  }
}

RunOptions run_options(const TraceCommandOptions& options, Activity& activity) {
  RunOptions result = options.run.run_options(options.size.problem());
  result.backend = Backend::emulator;
  result.trace = TraceRequest{.block = place_of_block(options.blocks)};
  result.activity = &activity;
  return result;
}

std::optional<int> warp_of(const TraceCommandOptions& options) {
  if (!options.warp) return {};
  return static_cast<int>(whole_number("--warp", *options.warp, 0, largest_int));
}

std::int64_t step_of(const TraceCommandOptions& options) {
  return whole_number("--step", options.step.value_or("0"), 0,
                      std::numeric_limits<std::int64_t>::max());
}

// With --thread and --tiles.
std::int64_t step_along_k_of(const TraceCommandOptions& options, const Trace& trace) {
  return options.step ? step_of(options) : first_step(trace);
}

struct Steps {
  std::int64_t first = 0, last = 0;
};

// The several steps that --step names: "all", "4..7". Nothing for a single one.
std::optional<Steps> frames_of(const TraceCommandOptions& options) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max() - most_frames;
  constexpr std::string_view dots = "..";
  const std::string step = options.step.value_or("0");
  const std::size_t middle = step.find(dots);
  if (step != "all" && middle == step.npos) return {};
  if (!options.tiles) {
    throw Error(ExitStatus::usage, fmt::format("--step {} is for --tiles alone", step),
                "Give the number of one step, as in --step 0.");
  }
  if (options.svg) {
    throw Error(ExitStatus::usage, fmt::format("--step {} and --svg cannot go together", step),
                "Give the number of one step, as in --step 0: a drawing shows one.");
  }
  if (step == "all") return Steps{0, largest};
  const auto number = [&](const std::string& text) {
    return whole_number(fmt::format("--step {}:", step), text, 0, largest);
  };
  const Steps steps = {number(step.substr(0, middle)), number(step.substr(middle + dots.size()))};
  if (steps.first <= steps.last && steps.last - steps.first < most_frames) return steps;
  throw Error(ExitStatus::usage, fmt::format("--step {} has the wrong steps", step),
              fmt::format("Give the first and the last of at most {} steps, as in --step 0..3.",
                          most_frames));
}

// A thread by its number in the block ("18"), or by its place along x and y ("2,1").
int thread_of(const std::string& value, const Trace& trace) {
  const std::vector<std::string> parts = split(value, ',');
  std::vector<std::uint32_t> numbers;
  for (const std::string& part : parts) {
    numbers.push_back(static_cast<std::uint32_t>(whole_number("--thread", part, 0, largest_int)));
  }
  if (numbers.size() == 1) return static_cast<int>(numbers[0]);
  if (numbers.size() == 2) return thread_number(trace, {numbers[0], numbers[1], 0});
  throw Error(ExitStatus::usage, fmt::format("--thread '{}' has the wrong form", value),
              "Give its number in the block, as in --thread 18, or its x and y: --thread 2,1.");
}

Selection selection_of(const TraceCommandOptions& options) {
  Selection selection;
  selection.warp = warp_of(options).value_or(0);
  selection.step = static_cast<std::uint64_t>(step_of(options));
  if (options.line)
    selection.line = static_cast<int>(whole_number("--line", *options.line, 1, largest_int));
  return selection;
}

// What its page shows at first. With --thread and --tiles, --step is one along K.
TraceView view_of(const TraceCommandOptions& options, const Trace& trace) {
  TraceView view;
  if (!options.thread && !options.tiles) {
    view.selection = selection_of(options);
    view.step_along_k = first_step(trace);
  } else if (options.thread) {
    view.thread = thread_of(*options.thread, trace);
    view.step_along_k = step_along_k_of(options, trace);
    view.selection.warp = view.thread / 32;
  } else {
    const std::optional<Steps> frames = frames_of(options);
    view.step_along_k = frames ? frames->first : step_along_k_of(options, trace);
    view.selection.warp = warp_of(options).value_or(0);
  }
  return view;
}

Error of_no_use(const std::string& option, const char* whose, const std::string& help) {
  return {ExitStatus::usage, fmt::format("{} is not for a kernel {}", option, whose), help};
}

TracedKernel trace_file(const TraceCommandOptions& options, RunOptions run) {
  if (options.kernel) {
    throw of_no_use("--kernel", "of your own", "Name it with --entry.");
  }
  if (!options.set.assignments.empty()) {
    throw of_no_use("--set", "of your own", "Name the template's instance: --entry 'v2<32>'.");
  }
  OwnKernelOptions own = options.own;
  own.block = threads_of_block(options.blocks);
  const KernelSource kernel = own.kernel(options.subject, "trace", run);
  run.problem = options.size.problem_or_only(kernel.found.only_size);
  return traced(trace_kernel(kernel, run));
}

TracedKernel trace_lesson(const TraceCommandOptions& options, const RunOptions& run) {
  const Lesson& lesson = find_lesson(options.subject, Nearest::in_cuda);
  const Kernel& kernel = find_kernel(lesson, options.kernel.value_or(""));
  if (const auto threads = threads_of_block(options.blocks)) {
    throw Error(ExitStatus::usage,
                fmt::format("--block '{}' is not a block of a lesson's grid", *threads),
                "Give a block's place along x and y, as in --block 1,2.");
  }
  if (const std::string given = options.own.given(); !given.empty()) {
    throw of_no_use(given, "of a lesson", "Its settings are changed with --set.");
  }
  const LessonKernel of(lesson, kernel, options.set.settings(kernel, run));
  return traced(trace_kernel(lesson, kernel, of.settings, run), of);
}

// The parsed request, checked before anything runs.
struct Shown {
  std::optional<Steps> frames;
  Selection selection;
  Format format = Format::text;
  Terminal terminal;
};

Shown shown_of(const TraceCommandOptions& options, const GeneralOptions& general) {
  Shown shown{frames_of(options), {}, options.format.format(), general.terminal()};
  if (!shown.frames) shown.selection = selection_of(options);
  check_writable("--svg", options.svg, "trace.svg");
  check_writable("--html", options.html, "trace.html");
  check_different({{"--svg", options.svg}, {"--html", options.html}});
  check_not_read({{"--svg", options.svg}, {"--html", options.html}},
                 is_file(options.subject) ? options.subject : "");
  return shown;
}

// These three return what is printed, and write the same as a drawing where one is asked for.
std::string show_thread(const TraceCommandOptions& options, const Trace& trace,
                        const Shown& shown) {
  const ThreadStory story = thread_story(trace, {.number = thread_of(*options.thread, trace),
                                                 .step = step_along_k_of(options, trace)});
  if (options.svg) write_output("--svg", *options.svg, thread_svg(trace, story));
  return shown.format == Format::json ? thread_json(story)
                                      : terminal_text(thread_document(story), shown.terminal);
}

std::string show_tiles(const TraceCommandOptions& options, const TracedKernel& traced,
                       const Shown& shown) {
  const Trace& trace = traced.trace;
  const std::optional<int> warp = warp_of(options);
  if (warp) check_warp(trace, *warp);
  if (shown.frames) {
    const std::vector<WhoLoads> who = who_loads(trace, shown.frames->first, shown.frames->last);
    return shown.format == Format::json
               ? frames_json(who)
               : terminal_text(frames_document(trace, traced.heading, who, warp), shown.terminal);
  }
  const WhoLoads who = who_loads(trace, step_along_k_of(options, trace));
  if (options.svg) write_output("--svg", *options.svg, who_loads_svg(who, warp));
  return shown.format == Format::json
             ? who_loads_json(who)
             : terminal_text(who_loads_document(trace, traced.heading, who, warp), shown.terminal);
}

std::string show_accesses(const TraceCommandOptions& options, const TracedKernel& traced,
                          const Shown& shown) {
  const Trace& trace = traced.trace;
  const std::vector<SelectedLine> lines = select(trace, shown.selection);
  const TraceReport report{trace, shown.selection, lines};
  if (options.svg)
    write_output("--svg", *options.svg, trace_svg(trace, traced.title, shown.selection, lines));
  return shown.format == Format::json
             ? trace_json(report, traced)
             : terminal_text(trace_document(report, traced), shown.terminal);
}

Outcome run_trace(const TraceCommandOptions& options, const GeneralOptions& general) {
  if (options.subject.empty()) {
    throw Error(ExitStatus::usage, "trace: which lesson or file?",
                "Give a lesson's number or name, as in 'gemm-tutor trace 3', or a CUDA C++ file.");
  }
  check_blocks(options.blocks);
  check_views(options);
  Activity activity;
  const RunOptions run = run_options(options, activity);
  const Shown shown = shown_of(options, general);
  const TracedKernel traced = [&] {
    const ProgressLine line(activity);
    return is_file(options.subject) ? trace_file(options, run) : trace_lesson(options, run);
  }();
  const Trace& trace = traced.trace;
  const std::string text = options.thread  ? show_thread(options, trace, shown)
                           : options.tiles ? show_tiles(options, traced, shown)
                                           : show_accesses(options, traced, shown);
  // After what throws for a missing step or thread.
  if (options.html) {
    write_output("--html", *options.html, trace_html(traced, view_of(options, trace)));
  }
  return {text, trace.findings.empty() ? ExitStatus::ok : ExitStatus::wrong_result};
}

}  // namespace

Command add_trace(CLI::App& parent) {
  return add_command(
      parent, "trace", "What a warp asks of memory: lanes, sectors, banks", run_trace,
      {.about = "Emulates one block and shows what a warp asks of memory in each line: which "
                "lane touches which address, sector and bank, why it costs what it does, and "
                "what would help. With --thread it shows one thread's own story, with --tiles "
                "who loads what. No result is checked here: 'lesson' and 'run' do that.",
       .examples = {{"gemm-tutor trace 1 --size 64",
                     "what makes the first kernel slow: a warp's lanes, far apart in memory"},
                    {"gemm-tutor trace 3 --thread 18",
                     "what one thread does in lesson 3, worked out"},
                    {"gemm-tutor trace 8 --tiles --html trace.html",
                     "who loads what in lesson 8, and the same as a page"}},
       .statuses = {.done = "nothing was found in the kernel; its result is not checked",
                    .wrong = "something was found in the kernel",
                    .unavailable = "this machine cannot do it: no CUDA compiler, too little "
                                   "memory, a file that cannot be written, or an instruction "
                                   "that the emulator does not know",
                    .compile_error = "the kernel does not compile"}});
}

}  // namespace gemm_tutor::cli
