// A lesson and its kernels as data, which course/lesson_folder.hpp reads from a lesson's folder.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "course/exercise_terms.hpp"
#include "course/question.hpp"
#include "course/settings.hpp"
#include "gemm/problem.hpp"
#include "run/cpu_run.hpp"
#include "run/kernel_source.hpp"
#include "run/launch_shape.hpp"
#include "simt/gpu_spec.hpp"
#include "source/excerpt.hpp"

namespace gemm_tutor {

struct RunOptions;

// A name in a formula that is not a setting.
struct FormulaSymbol {
  std::string name;   // "P"
  std::string words;  // what it counts: "parts of tiles that …"
  std::string value;  // an expression over the values before a run
};

// Formulas for the floats that all threads together load from and store to global memory. They are
// expressions over the values before a run (course/question.hpp), and are shown as they are
// written. Both are empty for a kernel without formulas.
struct TrafficFormula {
  std::string loads;              // "M·N·K·(1/BM + 1/BN)"
  std::string stores;             // "M·N"
  bool whole_tiles_only = false;  // exact only if M and N are multiples of the tile
  std::optional<FormulaSymbol> symbol = std::nullopt;
};

// An explanation of one of the kernel's lines.
struct Note {
  std::string code;  // a piece of the line, which is exactly once in the kernel's excerpt
  std::string text;  // one sentence
};

// A drawing for a kernel, with a sentence before it.
struct KernelDrawing {
  enum class Of {
    // Made from a trace after the run, only in the walkthrough: one line's requests by the first
    // warp, thread 1's addresses, and which threads load the block's tile of A.
    requests,
    thread,
    tile,
    // Made from the settings and the problem (report/concept_diagrams.hpp).
    tiles,
    outer,
    timeline,
    shares,
    rates,
    // Made from the recording of a block: which thread owns which element.
    elements,
    owners,
    warps,
    lanes
  };
  Of of = Of::requests;
  std::string line = {};  // for requests: a piece of the line, exactly once in the kernel's excerpt
  std::string text = {};
  std::string stages = {}, depth = {};  // for timeline: expressions of buffers and a step's depth
  // For outer: an expression of i and j, when a thread adds to sum[i][j], from 0.
  std::string order = {};
  char matrix = 'C';  // for warps and lanes

  bool is_concept() const { return of >= Of::tiles; }
};

// A bool template parameter that is true for some problems, for example those that need no checks
// at the edges.
struct Flag {
  std::string name;
  std::string holds;  // an expression over M, N, K and the settings; true if it is not 0
};

struct Kernel {
  std::string name;      // what the course calls it
  std::string function;  // in the kernel file: another kernel's name, if it is a variant of that
  std::string title;     // one line that says what is special; empty for a lesson's only kernel
  Settings settings;     // the template parameters with their defaults
  std::function<LaunchShape(const Settings&)> shape;  // null unless it is CUDA C++
  TrafficFormula traffic;
  std::vector<Flag> flags;  // the template's last parameters, after the settings
  // The second kernel of the file, which adds the parts of shared tiles in the workspace. It has
  // the same template arguments and parameters as the first. Both have the additional parameter
  // float* partial. Empty if there is none.
  std::string second_pass = {};
  // Kernels of the file that are launched before, with the same template arguments and parameters.
  // All have the additional parameter of this name, `workspace_floats` floats (an expression of M,
  // N and K).
  struct Earlier {
    std::string function;
    LaunchShape shape;
  };
  std::vector<Earlier> before = {};
  std::string workspace = {}, workspace_floats = {};
  // The GPU's minimum: 80 for asynchronous copies; 0 for any.
  int compute_capability = 0;
  // Chooses the settings for a GPU and a problem if the user gives none. If null, `settings` is
  // used.
  std::function<Settings(const simt::GpuSpec&, const Problem&)> choose = nullptr;
  CpuFunction<float> cpu = nullptr;
  CpuFunction<CountedFloat> cpu_counted = nullptr;  // the same code, counting its loads and stores

  // Returns the settings that `gemm-tutor tune` may try. Each is valid on that GPU for any problem.
  // Null if there is nothing to search.
  std::function<std::vector<Settings>(const simt::GpuSpec&, const Problem&)> configurations =
      nullptr;

  bool from_library = false;  // cuBLAS: called, not compiled; it has no formula and no shape

  std::vector<Argument> arguments = usual_arguments;  // with the values of alpha and beta
  std::optional<InitialC> c_before = std::nullopt;    // by default as in update_of()
  Transposed transposed = {};
  std::optional<Precision> precision = std::nullopt;  // by which its result is judged

  std::vector<Note> notes;
  std::vector<KernelDrawing> drawings;
  std::vector<Question> questions;

  bool is_cuda() const { return cpu == nullptr && !from_library; }
  // "shared_memory_tile<32, 32, 32>", with the flags for `problem`.
  std::string name_expression(const Settings& values, const Problem& problem) const;
  // The same for the second pass; empty if there is none.
  std::string second_name_expression(const Settings& values, const Problem& problem) const;
};

// Returns the instance of the kernel for `problem`, without source and file name.
KernelSource kernel_source(const Kernel& kernel, const Settings& settings, const Problem& problem);

// Returns the kernel's default settings for that GPU and problem, without those that a search
// found.
Settings untuned_settings(const Kernel& kernel, const simt::GpuSpec& gpu, const Problem& problem);

// The same, but settings that `gemm-tutor tune` has stored come first.
Settings effective_settings(const Kernel& kernel, const simt::GpuSpec& gpu, const Problem& problem);

// The same for the target and the size of `options`. For a kernel that chooses its settings, throws
// what choose_target() throws.
Settings effective_settings(const Kernel& kernel, const RunOptions& options);

// A lesson, or a chapter beside the lessons, which has no number.
struct Lesson {
  std::optional<int> number;
  int place = 0;      // in the course: its number; a chapter's, that of the lesson that it changes
  std::string slug;   // "shared-memory-tile"
  std::string title;  // from lesson.md's heading
  std::string text;   // lesson.md, with references to recorded numbers: see lesson_text()
  std::string source_file;      // "lessons/03-shared-memory-tile/kernel.cu"
  std::string source;           // its contents
  std::vector<Kernel> kernels;  // the first is the lesson's main kernel
  // The slug of the lesson whose kernel it changes, and the change in one sentence. Reports compare
  // the two. Empty for a lesson that is not compared.
  std::string changes = {};
  std::string change;
  std::string exercise = {};  // exercise.cu; empty if there is none
  std::optional<ExerciseTerms> exercise_terms = std::nullopt;
  // If the exercise is about a kernel of its own: that kernel, and solution.cu.
  std::optional<Kernel> exercise_kernel = std::nullopt;
  std::string solution = {};
  std::optional<Problem> page_size =
      std::nullopt;        // size of its page and questions, if not default
  bool of_course = false;  // from a teacher's course (--course)

  std::string key() const;          // what one types: "3", "edges"
  std::string number_text() const;  // "3"; empty for a chapter
  std::string name() const;         // in a sentence: "lesson 3", "chapter edges"
  std::string file_stem() const;    // "03-shared-memory-tile", "edges"
};

// The lesson's text, with the recorded numbers that it refers to.
std::string lesson_text(const Lesson& lesson);

// A kernel of a lesson, with its settings. It refers to both, which must outlive it.
struct LessonKernel {
  LessonKernel(const Lesson& of, const Kernel& its, Settings with = {})
      : lesson(&of), kernel(&its), settings(std::move(with)) {}

  const Lesson* lesson;  // neither is null
  const Kernel* kernel;
  Settings settings;
};

// The part of the lesson's file that shows the kernel.
inline std::vector<SourceLine> excerpt(const Lesson& lesson, const Kernel& kernel) {
  return excerpt(lesson.source, kernel.function);
}

// Returns the instance of one of its kernels for `problem`.
KernelSource kernel_source(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                           const Problem& problem);

// All lessons, sorted by number, and then the chapters: the program's and the added ones.
const std::vector<Lesson>& lessons();
std::span<const Lesson> numbered_lessons();

// Adds a lesson of a teacher's course. This invalidates references to lessons, so it must be called
// before lessons() is used. Throws Error (usage) if another lesson has its number or slug.
void add_lesson(Lesson lesson);

// Returns the lesson whose kernel this lesson changes. May be null.
const Lesson* changed_lesson(const Lesson& lesson);

// Return the numbered lessons around it; around a chapter, the one that it changes and the next.
// May be null.
const Lesson* lesson_before(const Lesson& lesson);
const Lesson* lesson_after(const Lesson& lesson);

// Finds a lesson or a chapter by number or slug. Returns null if there is none.
const Lesson* lesson_in(std::span<const Lesson> all, std::string_view number_or_slug);

// The same among all. Throws Error (usage) with the nearest lesson; with
// Nearest::in_cuda, the nearest of those in CUDA C++.
enum class Nearest { any, in_cuda };
const Lesson& find_lesson(std::string_view number_or_slug, Nearest which = Nearest::any);

// Finds a kernel by name; the first one if `name` is empty. Throws Error (usage) with the lesson's
// kernels.
const Kernel& find_kernel(const Lesson& lesson, std::string_view name);

}  // namespace gemm_tutor
