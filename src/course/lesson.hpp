// A lesson and its kernels, as data: what course/lesson_folder.hpp reads from a lesson's folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/exercise_terms.hpp"
#include "course/lesson_number.hpp"
#include "course/question.hpp"
#include "course/settings.hpp"
#include "gemm/problem.hpp"
#include "model/gpu_spec.hpp"
#include "run/cpu_run.hpp"
#include "run/kernel_source.hpp"
#include "run/launch_shape.hpp"

namespace gemm_tutor {

struct RunOptions;

// A name in a formula that is none of the settings.
struct FormulaSymbol {
  std::string name;   // "P"
  std::string words;  // what it counts: "parts of tiles that …"
  std::string value;  // an expression over the values before a run
};

// Floats that all threads together load from and store to global memory, by the kernel's text:
// expressions over the values before a run (course/question.hpp), which are shown as they are
// written. Both are empty for a kernel without a formula.
struct TrafficFormula {
  std::string loads;              // "M·N·K·(1/BM + 1/BN)"
  std::string stores;             // "M·N"
  bool whole_tiles_only = false;  // exact only where M and N are multiples of the tile
  std::optional<FormulaSymbol> symbol = std::nullopt;
};

// What a line of a kernel is about, for someone who reads it the first time.
struct Note {
  std::string code;  // a piece of the line, found once in the kernel's excerpt
  std::string text;  // one sentence
};

// What is drawn of a kernel, with a sentence before it.
struct KernelDrawing {
  enum class Of {
    // By the course alone, of a trace after the run: the requests of one line by the first warp,
    // the addresses of thread 1, who loads the block's tile of A.
    requests,
    thread,
    tile,
    // What the lesson is about, by its settings and the problem (documents/concept_diagrams.hpp).
    tiles,
    outer,
    timeline,
    shares,
    rates,
    // The same, by what the emulator recorded of a block: who owns which element.
    elements,
    owners,
    warps,
    lanes
  };
  Of of = Of::requests;
  std::string line = {};  // of requests: a piece of it, found once in the kernel's excerpt
  std::string text = {};
  std::string stages = {}, depth = {};  // expressions: of timeline its buffers, and of a step
  // Expression of i and j: of outer, when a thread adds to sum[i][j], from 0 on.
  std::string order = {};
  char matrix = 'C';                    // of warps and lanes

  bool is_concept() const { return of >= Of::tiles; }
};

// A template parameter that is true for some problems: for example, such a problem is computed
// without checks at the edges.
struct Flag {
  std::string name;
  std::string holds;  // an expression over M, N, K and the settings; true where it is not 0
};

struct Kernel {
  std::string name;   // of the function in the lesson's kernel file
  std::string title;  // one line: what is special about it; empty for a lesson's only kernel
  Settings settings;  // the template's parameters with their defaults
  std::function<LaunchShape(const Settings&)> shape;  // null for what is not CUDA C++
  TrafficFormula traffic;
  std::vector<Flag> flags;  // the template's last parameters, after the settings
  // A kernel of the same file, with the same template arguments and parameters, that is launched
  // after this one where blocks share tiles, to add up what they left in the workspace. Both have
  // one more parameter for that: float* partial. Empty for none.
  std::string second_pass = {};
  // What a GPU must have: 80 for cp.async; 0 for any.
  int compute_capability = 0;
  // The settings for a GPU and a problem where the user gives none; null: `settings`, always.
  std::function<Settings(const GpuSpec&, const Problem&)> choose = nullptr;
  CpuFunction<float> cpu = nullptr;
  CpuFunction<CountedFloat> cpu_counted = nullptr;  // the same code, counting its loads and stores

  // What `gemm-tutor tune` may try: each valid on that GPU, for any problem. Null where there is
  // nothing to search.
  std::function<std::vector<Settings>(const GpuSpec&, const Problem&)> configurations = nullptr;

  bool from_library = false;  // cuBLAS's: called, not compiled; it has no formula and no shape

  std::vector<Argument> arguments = usual_arguments;  // alpha and beta with their values
  std::optional<InitialC> c_before = std::nullopt;    // else as update_of() says
  Transposed transposed = {};

  std::vector<Note> notes;
  std::vector<KernelDrawing> drawings;
  std::vector<Question> questions;

  bool is_cuda() const { return cpu == nullptr && !from_library; }
  // "shared_memory_tile<32, 32, 32>", as it computes `problem`.
  std::string name_expression(const Settings& values, const Problem& problem) const;
  // The same of the second pass; empty where there is none.
  std::string second_name_expression(const Settings& values, const Problem& problem) const;
};

// The instance of a kernel, or of one like it, that computes `problem`: without the text and the
// file's name.
KernelSource kernel_source(const Kernel& kernel, const Settings& settings, const Problem& problem);

// What the kernel's settings are for that GPU and problem where neither the user nor a search on
// this machine gives any.
Settings untuned_settings(const Kernel& kernel, const GpuSpec& gpu, const Problem& problem);

// The same where only the user gives none: what `gemm-tutor tune` stored comes first.
Settings effective_settings(const Kernel& kernel, const GpuSpec& gpu, const Problem& problem);

// The same on the machine and at the size of `options`. Throws as choose_target() does for a kernel
// that chooses its settings.
Settings effective_settings(const Kernel& kernel, const RunOptions& options);

struct Lesson {
  LessonNumber number;
  std::string slug;             // "shared-memory-tile"
  std::string title;            // from lesson.md's heading
  std::string text;             // lesson.md
  std::string source_file;      // "lessons/03-shared-memory-tile/kernel.cu"
  std::string source;           // its contents
  std::vector<Kernel> kernels;  // the first is the lesson's own
  // The lesson whose kernel it changes, and what has changed, in one sentence.
  // Reports compare a lesson with that one. Nothing for a lesson that is compared with no other.
  std::optional<LessonNumber> changes = std::nullopt;
  std::string change;
  std::string exercise = {};  // exercise.cu: what a learner completes; empty for none
  std::optional<ExerciseTerms> exercise_terms = std::nullopt;  // what is asked of it
  std::optional<Problem> page_size = std::nullopt;  // of its page and questions; else the usual one
  bool of_course = false;  // of a teacher's own course, which --course names
};

// The instance of one of its kernels that computes `problem`.
KernelSource kernel_source(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                           const Problem& problem);

// All lessons, by number: the program's own, and those added.
const std::vector<Lesson>& lessons();

// Adds a lesson of a teacher's course. Lessons found before may have moved: to be called before
// anything else asks for them. Throws Error (usage) when its number or slug is another's.
void add_lesson(Lesson lesson);

// The lesson whose kernel this lesson changes. Null for none.
const Lesson* changed_lesson(const Lesson& lesson);

// Its neighbours by number. Null for none.
const Lesson* lesson_before(const Lesson& lesson);
const Lesson* lesson_after(const Lesson& lesson);

// By number or slug. Throws Error (usage) that names the nearest; of those in CUDA C++ alone where
// no other will do.
enum class Nearest { any, in_cuda };
const Lesson& find_lesson(std::string_view number_or_slug, Nearest which = Nearest::any);

// By name; the lesson's own when `name` is empty. Throws Error (usage) that lists those there are.
const Kernel& find_kernel(const Lesson& lesson, std::string_view name);

}  // namespace gemm_tutor
