// The options that commands share, and how their values are read: strictly, and with an error
// (usage) that names the option and the value.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/kernel_run.hpp"
#include "report/style.hpp"

namespace gemm_tutor::cli {

// "12" for --blocks; digits alone, so neither "1e3" nor "12 " nor "0x10".
std::int64_t whole_number(std::string_view option, std::string_view value, std::int64_t least,
                          std::int64_t most);

// --color, which the program and each of its commands take.
struct ColorOption {
  std::string name = "auto";

  void add_to(CLI::App& app);
  Terminal terminal() const;  // of standard output
};

enum class Format { text, json };

struct FormatOption {
  std::string name = "text";

  void add_to(CLI::App& app);
  Format format() const;
};

// --size, or --m, --n and --k: each 1024 where it is not given.
struct SizeOptions {
  std::optional<std::string> size, m, n, k;

  void add_to(CLI::App& app);
  Problem problem() const;
};

// --set, --backend, --gpu, --blocks and --seed: how a kernel is run.
struct RunSettings {
  std::vector<std::string> assignments;
  std::string backend_name = "auto", gpu, seed = "1";
  std::optional<std::string> blocks;

  void add_to(CLI::App& app);
  Settings settings(const Kernel& kernel) const;  // the kernel's own, with --set's values
  RunOptions run_options(const Problem& problem) const;
};

}  // namespace gemm_tutor::cli
