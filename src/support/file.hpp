// Reads and writes whole files. Writing is atomic: a reader sees the old file or the new one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gemm_tutor {

// Returns nothing if the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

// The same, but also returns nothing for what is not a regular file: reading a pipe could block.
std::optional<std::string> read_ordinary_file(const std::filesystem::path& path);

// Writes to a temporary file in the same directory, then renames it to `path`. Creates missing
// directories. On failure, or if `path` is a read-only file, returns false with the reason in
// `error`, and leaves no temporary file.
bool write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           std::error_code& error);
bool write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// Writes the whole text to a file descriptor, and continues after interrupts. Returns false, with
// errno set, on failure.
bool write_all(int file, std::string_view text);

// Follows symbolic links and returns the last one's target, which need not exist. Returns `path` if
// it is not a link.
std::filesystem::path without_links(std::filesystem::path path);

// Renames a file, link or directory by a suffix: to "name.old" for ".old", or to "name.old-2" and
// so on if that exists. Returns the new path. On failure it is empty, with the reason in `error`.
std::filesystem::path move_aside(const std::filesystem::path& path, std::string_view suffix,
                                 std::error_code& error);

// $XDG_CACHE_HOME/gemm-tutor, or ~/.cache/gemm-tutor; empty when neither variable is set.
std::filesystem::path cache_directory();

// $XDG_DATA_HOME/gemm-tutor, or ~/.local/share/gemm-tutor; empty when neither variable is set.
std::filesystem::path data_directory();

// $XDG_STATE_HOME/gemm-tutor, or ~/.local/state/gemm-tutor; empty when neither variable is set.
std::filesystem::path state_directory();

}  // namespace gemm_tutor
