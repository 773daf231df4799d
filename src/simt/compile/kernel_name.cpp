#include "simt/compile/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "simt/compiler.hpp"

namespace gemm_tutor::simt {
namespace {

std::string demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : mangled;
}

// Returns the index of the last opening parenthesis, or the end.
std::size_t parameters_begin(std::string_view name) {
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return at;
  }
  return name.size();
}

}  // namespace

std::string readable_name(const std::string& mangled) {
  std::string name = demangled(mangled);
  if (name == mangled) return name;
  constexpr std::string_view result = "void ", unnamed = "(anonymous namespace)::";
  if (name.starts_with(result)) name.erase(0, result.size());
  name.resize(parameters_begin(name));
  for (std::size_t at; (at = name.find(unnamed)) != name.npos;) name.erase(at, unnamed.size());
  return name;
}

std::vector<std::string> parameter_types(const std::string& mangled) {
  const std::string name = demangled(mangled);
  std::vector<std::string> types;
  int depth = 0;
  std::string type;
  for (std::size_t at = parameters_begin(name); at < name.size(); ++at) {
    const char c = name[at];
    const bool opens = c == '(' || c == '<' || c == '[';
    const bool closes = c == ')' || c == '>' || c == ']';
    if (closes) --depth;
    const bool ends = depth == 0 || (depth == 1 && c == ',');
    if (ends && !type.empty()) types.push_back(std::exchange(type, ""));
    const bool separates = ends || (type.empty() && c == ' ');
    if (!separates) type += c;
    if (opens) ++depth;
  }
  return types;
}

}  // namespace gemm_tutor::simt
