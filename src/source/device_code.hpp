// Reduces a user's files to the code for the device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::source {

// Returns the texts of files, of which the first includes the others, without declarations that no
// code for the device needs: functions for the host, and variables, types, aliases and instances of
// templates that no kernel and no device function names, directly or not. `entry` is the wanted
// kernel's name, "kernel<Tile, 8>", whose arguments are needed, too. Keeps the number of lines and
// the directives, except includes and pragmas inside of what it removes. A file whose braces do not
// match stays as it is.
std::vector<std::string> device_code(const std::vector<std::string_view>& texts,
                                     std::string_view entry);

// The same, but keeps only what the kernel `entry` needs.
std::vector<std::string> code_of_kernel(const std::vector<std::string_view>& texts,
                                        std::string_view entry);

}  // namespace gemm_tutor::source
