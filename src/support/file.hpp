// Whole files, read and written. Writing is atomic: a reader sees the old file or the new one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gemm_tutor {

// Empty when the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

// Empty where there is no ordinary file, too: a pipe would have to be waited for.
std::optional<std::string> read_ordinary_file(const std::filesystem::path& path);

// Writes to a temporary file beside `path`, then renames it. Creates the directories it needs.
// False, with nothing left over and the reason in `error`, when that is not possible, and where
// there is a file that may not be written.
bool write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           std::error_code& error);
bool write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// Writes all of the text to an open file, whatever interrupts it; false, with errno, where that
// fails.
bool write_all(int file, std::string_view text);

// The file that a link leads to, through further links, whether or not it is there; `path` where it
// is no link.
std::filesystem::path without_links(std::filesystem::path path);

// Renames the file, link or directory: to "name.old" for ".old", and to "name.old-2" and so on
// where that is taken. The new path; empty, with the reason in `error`, when that is not possible.
std::filesystem::path move_aside(const std::filesystem::path& path, std::string_view suffix,
                                 std::error_code& error);

// $XDG_CACHE_HOME/gemm-tutor, or ~/.cache/gemm-tutor; empty when neither variable is set.
std::filesystem::path cache_directory();

// $XDG_DATA_HOME/gemm-tutor, or ~/.local/share/gemm-tutor; empty when neither variable is set.
std::filesystem::path data_directory();

// $XDG_STATE_HOME/gemm-tutor, or ~/.local/state/gemm-tutor; empty when neither variable is set.
std::filesystem::path state_directory();

}  // namespace gemm_tutor
