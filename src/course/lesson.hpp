// A lesson and its kernels, as data. A lesson is a folder of lessons/: its lesson.cpp makes one of
// these, and the build embeds the folder's other files.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "course/question.hpp"
#include "gemm/problem.hpp"
#include "gemm/verification.hpp"
#include "model/gpu_spec.hpp"
#include "model/launch.hpp"

namespace gemm_tutor {

// A template parameter of a kernel and its value: BM = 32.
struct Setting {
  std::string name;
  int value = 0;

  bool operator==(const Setting&) const = default;
};

// In the order of the template's parameters.
class Settings {
 public:
  Settings() = default;
  Settings(std::initializer_list<Setting> settings) : settings_(settings) {}
  explicit Settings(std::vector<Setting> settings) : settings_(std::move(settings)) {}

  int operator[](std::string_view name) const;  // throws std::out_of_range for an unknown name
  int value_or(std::string_view name, int otherwise) const;  // for an unknown name, `otherwise`
  bool contains(std::string_view name) const;
  void set(std::string_view name, int value);  // the name must be there
  auto begin() const { return settings_.begin(); }
  auto end() const { return settings_.end(); }
  bool empty() const { return settings_.empty(); }
  bool operator==(const Settings&) const = default;

 private:
  std::vector<Setting> settings_;
};

// Sets what "BM=64" says. Throws Error (usage), listing the names there are, for an unknown name, a
// value that is no whole number, and one below 1.
void apply_setting(Settings& settings, std::string_view assignment);

// A name in a formula that is none of the settings.
struct FormulaSymbol {
  std::string name;   // "P"
  std::string words;  // what it counts: "parts of tiles that …"
  std::function<double(const Problem&, const Settings&)> value;
};

// Floats that all threads together load from and store to global memory, by the kernel's text.
struct TrafficFormula {
  std::string loads;   // in symbols: "M·N·K·(1/BM + 1/BN)"
  std::string stores;  // "M·N"
  std::function<double(const Problem&, const Settings&)> load_floats;
  std::function<double(const Problem&, const Settings&)> store_floats;
  bool whole_tiles_only = false;  // exact only where M and N are multiples of the tile
  std::optional<FormulaSymbol> symbol = std::nullopt;
};

class CountedFloat;

template <typename Float>
using CpuFunction = void (*)(const Float* A, const Float* B, Float* C, int M, int N, int K);

// A fixed number of blocks that share the tiles of C: course/stream_k_schedule.hpp has the schedule.
struct StreamK {
  int blocks = 1;
  int group_rows = 1;  // so many rows of tiles are walked column by column, then the next ones
};

// How a kernel is launched, whatever the problem: the threads of a block and the tile of C it
// computes.
struct LaunchShape {
  Dim3 block;                      // threads
  int tile_rows = 1;               // BM
  int tile_columns = 1;            // BN
  int tile_depth = 1;              // BK: the step along K
  bool grid_x_along_rows = false;  // blockIdx.x counts tiles along M (the slow way); else along N
  std::int64_t static_shared_floats = 0;  // what the kernel declares
  std::uint32_t dynamic_shared_bytes = 0;
  std::optional<StreamK> stream_k = std::nullopt;  // else each block has a tile of its own
};

// One block a tile: ceil(N / tile_columns) x ceil(M / tile_rows), x along N unless the shape says
// M; or the blocks that share the tiles, in a row. Throws Error (usage) when M, N or K rounded up
// to whole tiles is more than an int holds, which is as far as a kernel's indices go.
Launch launch_for(const LaunchShape& shape, const Problem& problem);

// The part of C that one block of a grid of one block a tile computes.
Region block_region(const LaunchShape& shape, const Problem& problem, const Dim3& block);

// The parts of C that a block of either grid computes, or helps to compute, in the order in which
// it comes to them: none where there are more blocks than work.
std::vector<Region> block_regions(const LaunchShape& shape, const Problem& problem,
                                  const Dim3& block);

// C is whole tiles, whatever is left of K: that is not loaded twice.
bool has_whole_tiles(const LaunchShape& shape, const Problem& problem);

// M, N and K are multiples of the tile.
bool fits_tile(const LaunchShape& shape, const Problem& problem);

// What a line of a kernel is about, for someone who reads it the first time.
struct Note {
  std::string code;  // a piece of the line, found once in the kernel's excerpt
  std::string text;  // one sentence
};

struct Kernel {
  std::string name;   // of the function in the lesson's kernel file
  std::string title;  // one line: what is special about it; empty for a lesson's only kernel
  Settings settings;  // the template's parameters with their defaults
  std::function<LaunchShape(const Settings&)> shape;  // null for what is not CUDA C++
  TrafficFormula traffic;
  // The template's last parameter, after the settings, says that M, N and K are multiples of the
  // tile: such a problem is computed without a look at the edges.
  bool has_whole_variant = false;
  // Further last template arguments, behind those: {"true", "false"}. Null for none.
  std::function<std::vector<std::string>(const Settings&, const Problem&)> variant = nullptr;
  // A kernel of the same file, with the same template arguments and parameters, that is launched
  // behind this one where blocks share tiles, to add up what they left in the workspace. Both have
  // a last parameter more for that: float* partial. Empty for none.
  std::string second_pass = {};
  // That a GPU must have: 80 for cp.async; 0 for any.
  int compute_capability = 0;
  // The settings for a GPU and a problem where the user gives none; null: `settings`, always.
  std::function<Settings(const GpuSpec&, const Problem&)> choose = nullptr;
  CpuFunction<float> cpu = nullptr;
  CpuFunction<CountedFloat> cpu_counted = nullptr;  // the same code, counting its loads and stores

  // What `gemm-tutor tune` may try: each valid on that GPU, for any problem. Null where there is
  // nothing to search.
  std::function<std::vector<Settings>(const GpuSpec&, const Problem&)> configurations = nullptr;

  bool from_library = false;  // cuBLAS's: called, not compiled; it has no formula and no shape

  std::vector<Note> notes;
  std::vector<Question> questions;

  bool is_cuda() const { return cpu == nullptr && !from_library; }
  // "shared_memory_tile<32, 32, 32>", as it computes `problem`.
  std::string name_expression(const Settings& values, const Problem& problem) const;
  // The same of the second pass; empty where there is none.
  std::string second_name_expression(const Settings& values, const Problem& problem) const;
};

// What the kernel's settings are for that GPU and problem where neither the user nor a search on
// this machine gives any.
Settings untuned_settings(const Kernel& kernel, const GpuSpec& gpu, const Problem& problem);

// The same where only the user gives none: what `gemm-tutor tune` stored comes first.
Settings effective_settings(const Kernel& kernel, const GpuSpec& gpu, const Problem& problem);

// Of Lesson::changes: it stands alone, and is compared with none.
inline constexpr int no_lesson = -2;

struct Lesson {
  int number = 0;
  std::string slug;             // "shared-memory-tile"
  std::string title;            // from lesson.md's heading
  std::string text;             // lesson.md
  std::string source_file;      // "lessons/03-shared-memory-tile/kernel.cu"
  std::string source;           // its contents
  std::vector<Kernel> kernels;  // the first is the lesson's own
  std::string change;           // one sentence: what changed since that lesson; empty for none
  // The number of the lesson whose kernel it changed; the one before unless given. Read it with
  // changed_lesson().
  int changes = -1;
  std::string exercise = {};  // exercise.cu: what a learner completes; empty for none
  std::string exercise_terms =
      {};  // what is asked of it, as a declaration, and the file that it is in
  std::string exercise_terms_file = {};
  bool of_course = false;  // of a teacher's own, which --course names
};

// All lessons, by number: the program's own, and those added.
const std::vector<Lesson>& lessons();

// Adds a lesson of a teacher's course. Lessons found before may have moved: to be called before
// anything else asks for them. Throws Error (usage) when its number or slug is another's.
void add_lesson(Lesson lesson);

// The lesson whose kernel this lesson changes. Everything compares a lesson with that one. Null for
// the first, and for a lesson that changes no other.
const Lesson* changed_lesson(const Lesson& lesson);

// By number or slug. Throws Error (usage) that names the nearest; of those in CUDA C++ alone where
// no other will do.
enum class Nearest { any, in_cuda };
const Lesson& find_lesson(std::string_view number_or_slug, Nearest which = Nearest::any);

// By name; the lesson's own when `name` is empty. Throws Error (usage) that lists those there are.
const Kernel& find_kernel(const Lesson& lesson, std::string_view name);

}  // namespace gemm_tutor
