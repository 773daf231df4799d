// Whole files, read and written. Writing is atomic: a reader sees the old file or the new one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor {

// Empty when the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

// Writes to a temporary file beside `path`, then renames it. Creates the directories it needs.
// False, with nothing left behind, when that is not possible.
bool write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// $XDG_CACHE_HOME/gemm-tutor, or ~/.cache/gemm-tutor; empty when neither variable is set.
std::filesystem::path cache_directory();

}  // namespace gemm_tutor
