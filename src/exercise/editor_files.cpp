#include "exercise/editor_files.hpp"

#include <fmt/format.h>

#include <vector>

#include "simt/compiler.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

// The text that identifies this program's files: a comment in one, the headers' path in the other.
constexpr const char* own_mark = "gemm-tutor";

constexpr const char* clangd_text =
    "# Written by 'gemm-tutor exercise start', with compile_flags.txt: so clangd, and the editors "
    "that\n"
    "# use it, can read kernels where there is no CUDA Toolkit.\n"
    "If:\n"
    "  PathMatch: .*\\.cu\n"
    "CompileFlags:\n"
    "  CompilationDatabase: .\n"
    "Diagnostics:\n"
    "  UnusedIncludes: None\n"
    "  ClangTidy:\n"
    "    Remove: '*'\n";

// True if the learner has written or changed the file.
bool is_of_learner(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return false;
  return read_ordinary_file(file).value_or("").find(own_mark) == std::string::npos;
}

}  // namespace

std::string write_editor_files(const fs::path& folder) {
  const fs::path data = data_directory();
  const fs::path headers = data / "headers";
  const std::string cannot = "The files that make an editor read kernels cannot be written.";
  const std::vector<std::string> options =
      data.empty() ? std::vector<std::string>() : simt::clangd_options(headers);
  if (options.empty()) return cannot;
  const std::pair<const char*, std::string> files[] = {
      {".clangd", clangd_text}, {"compile_flags.txt", join(options, "\n") + "\n"}};
  std::vector<std::string> kept;
  for (const auto& [name, text] : files) {
    if (is_of_learner(folder / name)) {
      kept.emplace_back(name);
    } else if (!write_file_atomically(folder / name, text)) {
      return cannot;
    }
  }
  if (kept.empty()) return "";
  return fmt::format("Your own {} is left as it is: an editor may not know CUDA here.",
                     join(kept, " and "));
}

}  // namespace gemm_tutor
