// A CUDA kernel's source, with all that is needed to compile and launch it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/matrices.hpp"
#include "gemm/scalar.hpp"
#include "run/arguments.hpp"
#include "run/launch_shape.hpp"
#include "source/included_files.hpp"
#include "source/kernel.hpp"

namespace gemm_tutor {

// How the launch of a user's kernel was found.
struct FoundLaunch {
  std::string command;             // with all options: "gemm-tutor run v2.cu --block 32x32 …"
  std::vector<std::string> notes;  // sentences: what was read where, guessed or tried
  std::string note_of_unknown;     // likewise, if nothing else says what is wrong
  std::string reading;  // what a right result is: "A·Bᵀ"; empty for A·B of the matrices as named
  bool is_guess = false;  // the launch, or a part of it, was tried and not read
  // A wrong kernel of matrices that are stored column by column: A and B are exchanged.
  bool is_column_major = false;
  bool takes_one_size = false;  // so that it multiplies square matrices
  // The size, if the kernel has it in constants M, N and K, or in one of them.
  std::optional<Problem> only_size = std::nullopt;
  // What is wrong in host code's launch ("launch"), or in what the kernel assumes of addresses
  // ("address"): a sentence without a full stop, and the options of a right run; empty if nothing
  // is known to be.
  std::string mistake, right_options;
  std::string kind_of_mistake = "launch";

  bool operator==(const FoundLaunch&) const = default;
};

// A kernel of the same file that is launched before the main one, with the same arguments: it
// brings A and B into another form, in the workspace. Its shape has a grid, and no tile.
struct EarlierLaunch {
  std::string name_expression;
  LaunchShape shape;
};

struct KernelSource {
  std::string source;
  std::string file_name;               // as shown to the user
  std::string name_expression;         // "v2<32>", "ns::kernel"; empty for the file's only kernel
  std::string second_name_expression;  // of the second pass; empty for none
  std::vector<EarlierLaunch> before = {};
  // The floats that earlier launches and the main one share, an expression as of a grid. (Those
  // that a second pass reads follow from the schedule.)
  std::string workspace_floats = "0";
  std::vector<std::string> include_directories;
  // The user's files that it includes, directly or not, in order of inclusion.
  std::vector<IncludedFile> included = {};
  // The kernel whose branch of #if is compiled, as in with_branch_of_kernel(); empty for none.
  std::string branch_of = {};
  LaunchShape shape;
  int compute_capability = 0;  // the GPU's minimum: 80 for asynchronous copies; 0 for any
  bool is_cached = true;       // its compiled form is kept
  bool for_gpu = true;         // false if only for the emulator, which has no limit of registers
  // If empty, they follow from the parameters' names: see resolve() of run/arguments.hpp.
  std::vector<Argument> arguments = usual_arguments;
  Scales scales = {};                               // alpha and beta
  std::optional<InitialC> c_before = std::nullopt;  // by default as in update_of()
  Transposed transposed = {};
  std::optional<Precision> precision = std::nullopt;  // by default that of its types
  FoundLaunch found = {};                             // empty if the user gave the whole launch
};

// Returns the text of the file, then those of the files that it includes.
std::vector<std::string_view> texts_of(const KernelSource& kernel);

// Those of the kernel that `name_expression` names.
std::vector<source::SharedArray> shared_arrays_of(const KernelSource& kernel);

// Returns the kernel with the text and the name of the file that defines it, whose lines a report
// shows: the file itself or one that it includes. `name` is as code would write it, "v2<32>".
KernelSource in_its_file(KernelSource kernel, std::string_view name);

inline constexpr const char* give_a_kernel =
    "Give a CUDA C++ file with a kernel in it, as in 'gemm-tutor run kernel.cu'.";

// Reads a user's file and removes the UTF-8 byte order mark. Throws Error (usage), with that help,
// if the file does not exist, cannot be read, is not text, or is larger than 1 MiB. Also reads the
// user's files that it includes; `folders` are those of -I. Throws Error (usage) if one of these is
// not a folder.
KernelSource read_kernel_file(const std::filesystem::path& path,
                              const std::string& help = give_a_kernel,
                              const std::vector<std::string>& folders = {});

}  // namespace gemm_tutor
