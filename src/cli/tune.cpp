#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/progress_line.hpp"
#include "cli/stop_signals.hpp"
#include "course/tuning_file.hpp"
#include "gemm/matrices.hpp"
#include "report/tune_report.hpp"
#include "run/target.hpp"
#include "simt/compiler.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"
#include "tune/tuning.hpp"
#include "view/output.hpp"
#include "view/terminal_text.hpp"

namespace gemm_tutor::cli {
namespace {

constexpr int default_tuning_size = 4096;
constexpr int usual_configurations = 40, most_configurations = 1'000'000;

struct TuneOptions {
  SizeOptions size{.fallback = default_tuning_size};
  std::string budget = "120", configurations = std::to_string(usual_configurations);
  std::optional<std::string> gpu;
  bool forget = false;
  FormatOption format;

  void add_to(CLI::App& app) {
    size.add_to(app);
    add_option(app, "--budget", budget, "SECONDS",
               "how long to check and measure, in seconds (default: 120)");
    add_option(app, "--configurations", configurations, "N",
               "how many configurations to try, at most (default: 40)");
    add_option(
        app, "--gpu", gpu, "GPU",
        "another GPU, such as h200: tiles are ranked by estimated times, not measured (default: "
        "this machine's, else h200)");
    add_flag(app, "--forget", forget, "remove what was found for this GPU, or for --gpu");
    format.add_to(app);
  }
};

double seconds_since_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Target target_of(const TuneOptions& options) {
  RunOptions run;
  if (options.gpu) run.gpu = RunSettings{.gpu = options.gpu}.gpus().front();
  return choose_target(run);
}

TuningFileChange store_winner(const Tuning& tuning) {
  const Candidate* winner = tuning.result.winner();
  if (!winner) return {};
  const StoredTuning stored{.settings = winner->settings,
                            .problem = tuning.problem,
                            .median_ms = winner->median_ms(),
                            .percent_of_cublas = winner->percent_of_cublas(),
                            .date = tuning.date,
                            .version = GEMM_TUTOR_VERSION};
  return store_tuning(tuning_path(), tuning.gpu.full_name, tuning.tunable.kernel->name, stored);
}

Outcome forget(const TuneOptions& options) {
  const Target target = target_of(options);
  if (!target.on_gpu && !options.gpu) {
    throw Error(ExitStatus::unavailable, "--forget: there is no GPU here, so it must be named",
                "Name it, as in 'gemm-tutor tune --forget --gpu h200'.");
  }
  const TuningFileChange change = forget_tunings(tuning_path(), target.gpu.full_name);
  if (change.done) return {change.words + "\n"};
  std::string words = change.words;
  if (words.ends_with('.')) words.pop_back();
  throw Error(ExitStatus::unavailable, "--forget: nothing is removed: " + words,
              "Make it a file that this program can read and write, or delete it: only what 'tune' "
              "found is kept there.");
}

// Estimates are made from machine code.
void require_assembler() {
  const simt::CompilerStatus compiler = simt::compiler_status();
  if (compiler.has_assembler) return;
  throw Error(ExitStatus::unavailable,
              fmt::format("nothing can be estimated: {} makes no machine code", compiler.name),
              "NVRTC makes it; 'gemm-tutor device' says whether this machine has it.");
}

// What is to be tuned, and where; nothing of it is done yet.
Tuning planned(const TuneOptions& options, const Problem& problem, double budget) {
  Tuning tuning{.tunable = find_tunable(lessons()), .problem = problem};
  tuning.budget = budget;
  check_size(problem);
  const Target target = target_of(options);
  tuning.gpu = target.gpu;
  tuning.measured = target.on_gpu;
  tuning.date = today();
  const Kernel& kernel = *tuning.tunable.kernel;
  simt::require_capability(tuning.gpu, kernel.compute_capability, kernel.name);
  simt::require_compiler();
  if (!tuning.measured) require_assembler();
  return tuning;
}

// Until it is done, or a signal comes. Of the configurations it tries the first `most`, which are
// those that are likely to be fast.
void tune(Tuning& tuning, std::size_t most, Activity& activity) try {
  ProgressLine line(activity);
  const LessonKernel& tunable = tuning.tunable;
  const Problem& problem = tuning.problem;
  const simt::GpuSpec& gpu = tuning.gpu;
  SearchRequest request{.configurations = tunable.kernel->configurations(gpu, problem),
                        .own = untuned_settings(*tunable.kernel, gpu, problem),
                        .budget = tuning.budget,
                        .threads = core_count(),
                        .seconds = seconds_since_start,
                        .progress = [&](int done, int all, const Candidate* best) {
                          line.set_where(tune_progress_text(tuning, done, all, best));
                        }};
  request.configurations.resize(std::min(request.configurations.size(), most));
  tuning.result = search(request,
                         tuning.measured ? trials_on_gpu(tunable, gpu, problem, &activity)
                                         : estimates_of(tunable, gpu, problem),
                         &activity);
  if (tuning.measured) tuning.stored = store_winner(tuning);
  line.set_where("counting what the best do");
  tuning.counted = count_best(tuning, &activity);
} catch (const Interrupted&) {  // what is known until then, and stored, stays
  tuning.result.interrupted = true;
}

Outcome run_tune(const TuneOptions& options, const GeneralOptions& general) {
  const Problem problem = options.size.problem();
  const auto budget =
      static_cast<double>(whole_number("--budget", options.budget, 1, most_seconds));
  const auto most = static_cast<std::size_t>(
      whole_number("--configurations", options.configurations, 1, most_configurations));
  const Format format = options.format.format();
  const Terminal terminal = general.terminal();
  if (options.forget) return forget(options);
  Tuning tuning = planned(options, problem, budget);
  const StopSignals signals;
  {
    Activity activity;
    const StopWatch watch(signals, activity);
    tune(tuning, most, activity);
  }
  std::string report =
      format == Format::json ? tune_json(tuning) : terminal_text(tune_document(tuning), terminal);
  if (signals.came() != 0) {
    write_all(stdout, report);
    end_by(signals.came());
  }
  const bool failed = tuning.measured && !tuning.result.winner();
  return {std::move(report), failed ? ExitStatus::wrong_result : ExitStatus::ok};
}

}  // namespace

Command add_tune(CLI::App& parent) {
  return add_command(
      parent, "tune", "The fastest tiles for your own GPU: a search", run_tune,
      {.about = "Searches the tile sizes of the last lesson's kernel among those that fit the GPU, "
                "measures them, best estimate first, shows why the fastest is faster, and keeps "
                "it: the lesson then uses it on this GPU. Without a GPU, or for another one, they "
                "are ranked by their estimated times, and nothing is kept. Ctrl-C ends the search "
                "early with what it has found.",
       .examples = {{"gemm-tutor tune --size 1024 --budget 5",
                     "five seconds of search for that size"},
                    {"gemm-tutor tune --gpu a100 --size 1024",
                     "which are fastest on an A100, by estimate"}},
       .statuses = {.done = "done",
                    .wrong = "on the GPU no candidate gave a right result",
                    .unavailable = "this machine cannot do it: no CUDA compiler, too little "
                                   "memory, or nothing to --forget",
                    .compile_error = "the kernel does not compile"}});
}

}  // namespace gemm_tutor::cli
