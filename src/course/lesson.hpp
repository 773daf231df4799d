// A lesson and its kernels, as data. A lesson is a folder of lessons/: its lesson.cpp makes one of
// these, and the build embeds the folder's other files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/problem.hpp"
#include "model/launch.hpp"

namespace gemm_tutor {

// A template parameter of a kernel and its value: BM = 32.
struct Setting {
  std::string name;
  int value = 0;
};

// In the order of the template's parameters.
class Settings {
 public:
  Settings() = default;
  Settings(std::initializer_list<Setting> settings) : settings_(settings) {}

  int operator[](std::string_view name) const;  // throws std::out_of_range for an unknown name
  bool contains(std::string_view name) const;
  void set(std::string_view name, int value);  // the name must be there
  auto begin() const { return settings_.begin(); }
  auto end() const { return settings_.end(); }
  bool empty() const { return settings_.empty(); }

 private:
  std::vector<Setting> settings_;
};

// Floats that all threads together load from and store to global memory, by the kernel's text.
struct TrafficFormula {
  std::string loads;   // in symbols: "M·N·K·(1/BM + 1/BN)"
  std::string stores;  // "M·N"
  std::function<double(const Problem&, const Settings&)> load_floats;
  std::function<double(const Problem&, const Settings&)> store_floats;
};

using CpuFunction = void (*)(const float* A, const float* B, float* C, int M, int N, int K);

struct Kernel {
  std::string name;   // of the function in the lesson's kernel file
  std::string title;  // one line: what is special about it; empty for a lesson's only kernel
  Settings settings;
  // How a learner would launch it; null for a kernel that runs on the CPU.
  std::function<Launch(const Problem&, const Settings&)> launch;
  TrafficFormula traffic;
  // A size is a multiple of the tile, so that the formula holds exactly.
  std::function<bool(const Problem&, const Settings&)> fits_tile;
  CpuFunction cpu = nullptr;

  bool on_gpu() const { return cpu == nullptr; }
};

struct Lesson {
  int number = 0;
  std::string slug;                        // "shared-memory-tile"
  std::string title;                       // from lesson.md's heading
  std::string text;                        // lesson.md
  std::string source_file;                 // "lessons/03-shared-memory-tile/kernel.cu"
  std::string source;                      // its contents
  std::vector<Kernel> kernels;             // the first is the lesson's own
  std::string change;  // one sentence: what changed since the lesson before; empty for none
};

// All lessons, by number. Built once.
const std::vector<Lesson>& lessons();

// By number or slug. Throws Error (usage) that names the nearest.
const Lesson& find_lesson(std::string_view number_or_slug);

// By name; the lesson's own when `name` is empty. Throws Error (usage) that lists those there are.
const Kernel& find_kernel(const Lesson& lesson, std::string_view name);

}  // namespace gemm_tutor
