#include "run/entry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simt/kernel_name.hpp"
#include "source/definitions.hpp"
#include "source/host_launch.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// "v2<32, float>": the arguments of a launch or the template's defaults, if the file has them; else
// such that a template of "int BM, typename T" may have.
std::string example_of(const source::Function& kernel, const std::vector<std::string_view>& texts) {
  if (kernel.template_parameters.empty()) return kernel.name;
  const std::vector<source::HostLaunch> launches = source::launches_in(texts, kernel.name);
  std::vector<std::string> arguments;
  for (const source::Parameter& parameter : kernel.of_template) {
    const std::size_t i = arguments.size();
    const std::string_view kind = parameter.tokens.front().text;
    const bool is_type = kind == "typename" || kind == "class";
    std::string argument = source::text_of(parameter.default_value);
    if (!launches.empty() && i < launches[0].template_arguments.size())
      argument = launches[0].template_arguments[i];
    arguments.push_back(!argument.empty() ? argument : is_type ? "float" : "32");
  }
  return fmt::format("{}<{}>", kernel.name, join(arguments));
}

// A kernel's definition in one of the user's files.
struct Defined {
  std::string name, template_parameters, example;
};

// Of the file, then of those that it includes, in their order.
std::vector<Defined> kernels_of(const KernelSource& kernel) {
  std::vector<Defined> kernels;
  const std::vector<std::string_view> texts = texts_of(kernel);
  for (const std::string_view text : texts) {
    const source::File file(text);
    for (const source::Function& one : file.functions) {
      if (!one.is_kernel) continue;
      kernels.push_back({one.name, one.template_parameters, example_of(one, texts)});
    }
  }
  return kernels;
}

// Help for a name that is none.
std::string existing_kernels(const KernelSource& kernel) {
  const std::string wanted = source::without_template_arguments(kernel.name_expression);
  std::vector<std::string> names, examples;
  for (const Defined& existing : kernels_of(kernel)) {
    if (existing.name == wanted && existing.example != existing.name) {
      return fmt::format("It is a template with <{}>: name an instance, such as --entry '{}'.",
                         existing.template_parameters, existing.example);
    }
    names.push_back(existing.name);
    examples.push_back(existing.example);
  }
  if (names.empty()) return "";
  const std::string all = fmt::format("The file's kernels: {}.", join(examples, "; "));
  const std::string near = near_name(wanted, names);
  if (near.empty()) return all;
  const auto place = std::ranges::find(names, near) - names.begin();
  return fmt::format("Did you mean --entry '{}'? {}", examples[place], all);
}

// Those compiled, and templates of which there is no instance, in the order of the files; then
// those of other files.
std::vector<std::string> choices(const KernelSource& kernel, const CompiledKernel& compiled) {
  std::vector<std::string> names, others;
  for (const auto& [mangled, resources] : compiled.kernels) {
    others.push_back(readable_name(mangled));
  }
  for (const Defined& text : kernels_of(kernel)) {
    const auto is_other = [&](const std::string& name) {
      return source::without_template_arguments(name) != text.name;
    };
    const auto same = std::stable_partition(others.begin(), others.end(), is_other);
    if (same == others.end() && !text.template_parameters.empty() &&
        !std::ranges::count(names, text.name, source::without_template_arguments)) {
      names.push_back(text.example);
    }
    names.insert(names.end(), same, others.end());
    others.erase(same, others.end());
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string only_kernel(const KernelSource& kernel, const CompiledKernel& compiled) {
  const std::vector<std::string> names = choices(kernel, compiled);
  const std::string& file = kernel.file_name;
  if (names.empty()) {
    throw Error(ExitStatus::usage, fmt::format("'{}' has no kernel", file),
                "A kernel is a function marked __global__: put one into the file.");
  }
  const std::string choose =
      fmt::format("Choose one with --entry, such as --entry '{}'.", names.front());
  if (names.size() > 1) {
    throw Error(ExitStatus::usage,
                fmt::format("'{}' has {} kernels: {}", file, names.size(), join(names, "; ")),
                choose);
  }
  if (compiled.lowered_name.empty()) {
    throw Error(ExitStatus::usage, fmt::format("the kernel of '{}' is a template", file),
                fmt::format("Name an instance with --entry, such as --entry '{}'.", names.front()));
  }
  return names.front();
}

CompiledKernel compile_named(const KernelSource& kernel, const CompileRequest& request) try {
  return compile(request);
} catch (const NoSuchKernel& error) {
  const std::string help = existing_kernels(kernel);
  if (help.empty()) throw;
  throw NoSuchKernel(ExitStatus::usage, error.what(), help);
}

}  // namespace

CompiledKernel compile_entry(const KernelSource& kernel, const GpuSpec& gpu) {
  return compile_named(kernel, {.source = kernel.source,
                                .file_name = kernel.file_name,
                                .architecture = gpu.architecture(),
                                .name_expression = kernel.name_expression,
                                .include_directories = kernel.include_directories,
                                .gpu = gpu.full_name,
                                .included = kernel.included});
}

std::string name_of(const KernelSource& kernel, const CompiledKernel& compiled) {
  return kernel.name_expression.empty() ? only_kernel(kernel, compiled) : kernel.name_expression;
}

}  // namespace gemm_tutor
