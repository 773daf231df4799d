// Any bytes at all, as a learner's CUDA file: `run`, `trace` and `check` take them, or say what is
// wrong, and never end by a signal. See docs/fuzzing.md.
#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classroom/screening.hpp"
#include "cli/app.hpp"
#include "exercise/check.hpp"
#include "exercise/exercise.hpp"
#include "report/check_report.hpp"
#include "run/kernel_source.hpp"
#include "run/prepared_kernel.hpp"
#include "source/kernel.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "text_mutator.hpp"
#include "trace/thread_story.hpp"
#include "trace/who_loads.hpp"
#include "view/highlight.hpp"
#include "view/terminal_text.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto cuda_words = std::to_array<std::string_view>({"__global__",
                                                             "__device__",
                                                             "__shared__",
                                                             "__host__",
                                                             "__constant__",
                                                             "__restrict__",
                                                             "__launch_bounds__",
                                                             "__syncthreads()",
                                                             "__syncwarp()",
                                                             "__shfl_sync",
                                                             "__ldg",
                                                             "extern",
                                                             "\"C\"",
                                                             "static",
                                                             "const",
                                                             "constexpr",
                                                             "volatile",
                                                             "inline",
                                                             "template",
                                                             "typename",
                                                             "class",
                                                             "struct",
                                                             "union",
                                                             "enum",
                                                             "namespace",
                                                             "using",
                                                             "typedef",
                                                             "operator",
                                                             "auto",
                                                             "void",
                                                             "bool",
                                                             "char",
                                                             "short",
                                                             "int",
                                                             "long",
                                                             "unsigned",
                                                             "size_t",
                                                             "float",
                                                             "double",
                                                             "float4",
                                                             "int2",
                                                             "dim3",
                                                             "half",
                                                             "Float",
                                                             "if",
                                                             "else",
                                                             "for",
                                                             "while",
                                                             "do",
                                                             "switch",
                                                             "case",
                                                             "default",
                                                             "break",
                                                             "continue",
                                                             "return",
                                                             "goto",
                                                             "sizeof",
                                                             "alignas",
                                                             "static_cast<int>",
                                                             "reinterpret_cast<float4*>",
                                                             "threadIdx.x",
                                                             "threadIdx.z",
                                                             "blockIdx.y",
                                                             "blockDim.x",
                                                             "gridDim",
                                                             "A",
                                                             "B",
                                                             "C",
                                                             "M",
                                                             "N",
                                                             "K",
                                                             "#define",
                                                             "#include",
                                                             "#if",
                                                             "#endif",
                                                             "#pragma unroll",
                                                             "asm",
                                                             "printf",
                                                             "atomicAdd",
                                                             "assert",
                                                             "==",
                                                             "<=",
                                                             "->",
                                                             "::",
                                                             "<<",
                                                             "+=",
                                                             "&&",
                                                             "++",
                                                             "...",
                                                             "[&]",
                                                             "nullptr",
                                                             "new",
                                                             "main",
                                                             "1.0f",
                                                             "0.0",
                                                             "min",
                                                             "std::max"});

constexpr Problem problem{33, 17, 9};

// A kernel of the course by the name that the text has, with its launch and its exercise; each text
// is also the answer to some exercise.
struct Launched {
  KernelSource kernel;
  const Exercise* exercise = nullptr;
};

Launched launched(const std::vector<source::Function>& functions, std::size_t choice) {
  Launched result{.exercise = &exercises()[choice % exercises().size()]};
  result.kernel.shape = {.block = {8, 8}, .tile_rows = 8, .tile_columns = 8};
  for (const Exercise& exercise : exercises()) {
    for (const source::Function& function : functions) {
      if (function.name != exercise.kernel.name) continue;
      result.kernel = kernel_source(exercise.kernel, exercise.terms.settings, problem);
      result.kernel.shape.stream_k.reset();  // for which the commands here have no option
      result.exercise = &exercise;
    }
  }
  return result;
}

template <typename Work>
void refuse_or(const Work& work) try {
  work();
} catch (const Error&) {
}

// What reads the text of a kernel after it has run: the trace here has no accesses.
void tell(const std::string& source, const std::string& name, const LaunchShape& shape) {
  source::shared_arrays(source, name);
  with_counted_functions(kernel_lines(source, name), source, {1, 20, 1'000'000});
  Trace trace;
  trace.name = name;
  trace.kernel.file_name = "kernel.cu";
  trace.kernel.source = source;
  trace.problem = problem;
  trace.block = {0, 0, 0};
  trace.kernel.shape = shape;
  trace.launch = launch_for(shape, problem);
  trace.matrices = {
      {"A", problem.m, problem.k}, {"B", problem.k, problem.n}, {"C", problem.m, problem.n}};
  trace.arguments = KernelSource().arguments;
  refuse_or([&] { thread_story(trace, {.number = 5, .step = 0, .iterations = 3}); });
  refuse_or([&] { who_loads(trace, 0); });
}

// All that reads the text itself.
void read(const std::string& source, const std::vector<source::Function>& functions,
          const Launched& launched) {
  source::without_host_functions(source);
  screened(source);
  highlight_source(source);
  exercise_of(source, "kernel.cu");
  untouched_gaps(*launched.exercise, source);
  if (const std::string& name = launched.kernel.name_expression; !name.empty()) {
    return tell(source, name, launched.kernel.shape);
  }
  for (const source::Function& function : functions) {
    if (function.is_kernel) tell(source, function.name, launched.kernel.shape);
  }
}

// What `check` does, but without the estimate: with the sanitizers, the larger size of a right
// kernel takes minutes.
void check(const std::string& source, const Exercise& exercise) {
  refuse_or([&] {
    const CheckReport report = check_exercise(exercise, source, "kernel.cu", {});
    terminal_text(check_document({.report = report}), {});
  });
}

// Never closed: NVRTC keeps the streams that it once saw, and flushes them as the process ends.
std::FILE* stream_into(std::string& text) {
  const auto append = [](void* to, const char* data, std::size_t size) {
    static_cast<std::string*>(to)->append(data, size);
    return static_cast<ssize_t>(size);
  };
  std::FILE* stream = fopencookie(&text, "w", {.write = append});
  if (!stream || std::setvbuf(stream, nullptr, _IONBF, 0) != 0) std::abort();
  return stream;
}

class CommandLine {
 public:
  // Nothing here is the user's: neither the progress nor the cache of compiled kernels.
  CommandLine() {
    std::string folder = (fs::temp_directory_path() / "kernel_fuzzer.XXXXXX").string();
    if (!mkdtemp(folder.data())) std::abort();
    folder_ = folder;
    for (const char* variable : {"XDG_CACHE_HOME", "XDG_STATE_HOME"}) {
      setenv(variable, folder.c_str(), 1);
    }
  }

  // All commands, or the next one in turn.
  void run(const std::string& source, const Launched& launched, bool all) {
    const std::string file = (folder_ / "kernel.cu").string();
    std::ofstream(file, std::ios::binary) << source;
    const LaunchShape& shape = launched.kernel.shape;
    std::vector<std::string> launch =
        split(fmt::format("--block {}x{} --tile {}x{} --grid-x {} --shared {} --m {} --n {} --k {} "
                          "--max-instructions 20000 --color always",
                          shape.block.x, shape.block.y, shape.tile_rows, shape.tile_columns,
                          shape.grid_x_along_rows ? 'm' : 'n', shape.dynamic_shared, problem.m,
                          problem.n, problem.k),
              ' ');
    if (const std::string& name = launched.kernel.name_expression; !name.empty()) {
      launch.insert(launch.end(), {"--entry", name});
    }
    const std::string page = (folder_ / "trace.html").string();
    const auto call_with_launch = [&](std::vector<std::string> command) {
      command.insert(command.end(), launch.begin(), launch.end());
      call(command);
    };
    const std::array<std::function<void()>, 4> commands = {
        [&] {
          call_with_launch({"gemm-tutor", "run", file, "--backend", "emulator"});
        },
        [&] {
          call_with_launch({"gemm-tutor", "trace", file, "--html", page});
        },
        [&] {
          call_with_launch({"gemm-tutor", "trace", file, "--thread", "5"});
        },
        [&] { check(source, *launched.exercise); }};
    for (std::size_t left = all ? commands.size() : 1; left > 0; --left) {
      commands[next_++ % commands.size()]();
    }
  }

 private:
  void call(const std::vector<std::string>& command) {
    std::vector<const char*> arguments;
    for (const std::string& argument : command) arguments.push_back(argument.c_str());
    report_.clear();
    said_.clear();
    swap_streams();  // what the command says would hide what libFuzzer says
    cli::run(static_cast<int>(arguments.size()), arguments.data());
    swap_streams();
    if (said_.find("internal error") == said_.npos) return;
    std::fputs(said_.c_str(), stderr);  // an exception that no code foresaw
    std::abort();
  }

  void swap_streams() {
    std::swap(stdout, stream_);
    std::swap(stderr, error_stream_);
  }

  fs::path folder_;
  std::size_t next_ = 0;
  std::string report_, said_;
  std::FILE* stream_ = stream_into(report_);
  std::FILE* error_stream_ = stream_into(said_);
};

bool replays = false;

// To compile takes up to a hundred times as long as to read. So every text is read, and as many of
// them are compiled as take up half of the time, each for one of the commands. A file that is
// replayed goes through all of them.
class Turn {
 public:
  bool is_due() const { return replays || running_ <= reading_; }

  template <typename Work>
  void read(const Work& work) {
    reading_ += time_of(work);
  }
  template <typename Work>
  void run(const Work& work) {
    running_ += time_of(work);
  }

 private:
  template <typename Work>
  static Clock::duration time_of(const Work& work) {
    const auto start = Clock::now();
    work();
    return Clock::now() - start;
  }

  Clock::duration reading_{}, running_{};
};

}  // namespace

const std::span<const std::string_view> fuzz::words = cuda_words;

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) replays = replays || fs::is_regular_file((*arguments)[i]);
  // A copy of this process in which a compiler crashes is no finding: the program says what became
  // of it.
  pthread_atfork(nullptr, nullptr, [] {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
      std::signal(signal, SIG_DFL);
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static CommandLine command_line;
  static Turn turn;
  const std::string source(reinterpret_cast<const char*>(data), size);
  Launched launch;
  turn.read([&] {
    const source::File file(source);
    launch = launched(file.functions, size);
    read(source, file.functions, launch);
  });
  if (turn.is_due()) turn.run([&] { command_line.run(source, launch, replays); });
  return 0;
}
