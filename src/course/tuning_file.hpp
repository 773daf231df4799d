// The file with the fastest settings that `gemm-tutor tune` found, by GPU, kernel and size class.
// It is in the directory of the progress file. Reading it never fails: a file or an entry that
// cannot be used is ignored, with a note.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "course/lesson.hpp"
#include "gemm/problem.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

// Classes of similar problems, for which the same tiles are best.
struct SizeClass {
  // The power of two that is nearest, by ratio, to the cube root of M·N·K.
  std::int64_t size = 1;
  bool aligned = true;  // N is a multiple of 4: rows of B and C are aligned to 16 bytes

  bool operator==(const SizeClass&) const = default;
};

SizeClass size_class(const Problem& problem);

// The name in a file: "2048", "2048-unaligned".
std::string key_of(const SizeClass& size);

// "sizes near 2,048 with N a multiple of 4".
std::string words_for(const SizeClass& size);

struct StoredTuning {
  Settings settings;
  Problem problem;  // the measured problem
  double median_ms = 0;
  std::optional<double> percent_of_cublas;
  std::string date;     // "2026-11-21"
  std::string version;  // the program's version

  bool operator==(const StoredTuning&) const = default;
};

// By the GPU's full name, the kernel's name and the size class's key.
using Tunings = std::map<std::string, std::map<std::string, std::map<std::string, StoredTuning>>>;

// Returns $XDG_STATE_HOME/gemm-tutor/tuning.json, or the same in ~/.local/state. Empty if neither
// XDG_STATE_HOME nor HOME is set.
std::filesystem::path tuning_path();

struct TuningFile {
  Tunings tunings;  // the entries that could be read
  // One sentence if the file exists and cannot be used; otherwise empty.
  std::string note;
  bool damaged = false;  // or from a newer version: it must not be overwritten
  // One sentence that names the entries that cannot be read; otherwise empty.
  std::string skipped = {};
};

// Reads the file and changes nothing. Does not throw.
TuningFile read_tunings(const std::filesystem::path& path);

// The stored settings for a kernel, a GPU and a problem's size class.
struct StoredChoice {
  std::optional<StoredTuning> tuning;
  // Sentences that say why an existing file is not used (it is damaged, has only other GPUs, or has
  // settings that the kernel does not accept) and which entries cannot be read. May be empty.
  std::string note;
};

// Returns the stored settings, in the kernel's order, if the kernel and the GPU accept them. They
// are the defaults of a kernel that can be tuned. Does not throw.
StoredChoice stored_settings(const Kernel& kernel, const simt::GpuSpec& gpu,
                             const Problem& problem);
StoredChoice stored_settings(const Kernel& kernel, const simt::GpuSpec& gpu, const Problem& problem,
                             const std::filesystem::path& path);

// Returns a text for a run with `settings`. It says that they are the stored ones, with date and
// size, or why the stored ones are not used, and which entries cannot be read. May be empty.
std::string tuning_words(const Kernel& kernel, const Settings& settings, const simt::GpuSpec& gpu,
                         const Problem& problem);
std::string tuning_words(const Kernel& kernel, const Settings& settings, const simt::GpuSpec& gpu,
                         const Problem& problem, const std::filesystem::path& path);

// The result of a change to the file, with one or two sentences for the user.
struct TuningFileChange {
  bool done = false;
  std::string words;
};

// Stores `tuning`, and replaces the entry of the same GPU, kernel and size class. All other entries
// are kept. If the file, or a part of it, cannot be read, it is renamed first, and `words` tells
// the new name. Does not throw.
TuningFileChange store_tuning(const std::filesystem::path& path, const std::string& gpu_full_name,
                              const std::string& kernel, const StoredTuning& tuning);

// Removes all entries of that GPU.
TuningFileChange forget_tunings(const std::filesystem::path& path,
                                const std::string& gpu_full_name);

}  // namespace gemm_tutor
