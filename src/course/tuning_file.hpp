// What `gemm-tutor tune` found fastest, kept for each GPU, kernel and size class. It lies beside
// the progress, and what reads it never fails because of it: a file or an entry that cannot be used
// is ignored, with a note.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "course/lesson.hpp"
#include "course/size_class.hpp"
#include "model/gpu_spec.hpp"

namespace gemm_tutor {

struct StoredTuning {
  Settings settings;
  Problem problem;  // that it was measured at
  double median_ms = 0;
  std::optional<double> percent_of_cublas;
  std::string date;     // "2026-11-21"
  std::string version;  // of the program that found it

  bool operator==(const StoredTuning&) const = default;
};

// By the GPU's full name, the kernel's name, and the key of the size class.
using Tunings = std::map<std::string, std::map<std::string, std::map<std::string, StoredTuning>>>;

// $XDG_STATE_HOME/gemm-tutor/tuning.json, or below ~/.local/state; empty when neither is set.
std::filesystem::path tuning_path();

struct TuningFile {
  Tunings tunings;  // those that could be read
  // One sentence where the file is there and cannot be used; empty: all is well, or there is none.
  std::string note;
  bool damaged = false;  // or of a newer version: not to be written over
  // One sentence that names the entries that cannot be read; empty where all can be.
  std::string skipped = {};
};

// Reads it, and neither writes nor moves anything. Does not throw.
TuningFile read_tunings(const std::filesystem::path& path);

// What is stored for a kernel on a GPU at a problem's size class.
struct StoredChoice {
  std::optional<StoredTuning> tuning;
  // Why nothing is used although a file is there: damaged, of another GPU alone, or settings that
  // the kernel does not have or refuses; and which entries cannot be read. Sentences, or empty.
  std::string note;
};

// Does not throw. The settings of the answer are the kernel's own, in its order, and it and the GPU
// take them. This is what chooses the settings of a kernel that can be tuned, where the user does
// not.
StoredChoice stored_settings(const Kernel& kernel, const GpuSpec& gpu, const Problem& problem);
StoredChoice stored_settings(const Kernel& kernel, const GpuSpec& gpu, const Problem& problem,
                             const std::filesystem::path& path);

// For someone who runs the kernel with `settings`: that they are the stored ones, with when and at
// what size they were found; or why what is stored is not used; and which entries of the file
// cannot be read. Empty where nothing of that is so.
std::string tuning_words(const Kernel& kernel, const Settings& settings, const GpuSpec& gpu,
                         const Problem& problem);
std::string tuning_words(const Kernel& kernel, const Settings& settings, const GpuSpec& gpu,
                         const Problem& problem, const std::filesystem::path& path);

// What became of the file, as one or two sentences for the user.
struct TuningFileChange {
  bool done = false;
  std::string words;
};

// Puts `tuning` in the place of what is there for the same GPU, kernel and size class. Everything
// else in the file is kept; a file that cannot be read, or not all of it, is moved aside first, and
// `words` say where. Does not throw.
TuningFileChange store_tuning(const std::filesystem::path& path, const std::string& gpu_full_name,
                              const std::string& kernel, const StoredTuning& tuning);

// Removes what is stored for that GPU, of every kernel and size.
TuningFileChange forget_tunings(const std::filesystem::path& path,
                                const std::string& gpu_full_name);

}  // namespace gemm_tutor
