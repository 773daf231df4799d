// show_screens NAME prints the screens of that name; without a name, the names.
#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "screens.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Registry = std::map<std::string, void (*)(const Show&)>;

Registry& registry() {
  static Registry registered;
  return registered;
}

}  // namespace

Screens::Screens(const char* name, void (*show_all)(const Show& show)) {
  registry().emplace(name, show_all);
}

std::string section_of(const std::string& report, const std::string& word) {
  std::string section;
  bool is_inside = false;
  for (const std::string& line : split_lines(report)) {
    // What is in colour begins with an escape code, such as ESC[2m.
    const std::size_t first = line.starts_with('\033') ? line.find('m') + 1 : 0;
    const bool begins = line.size() > first && line[first] != ' ';
    if (begins) is_inside = line.substr(first).starts_with(word);
    if (is_inside) section += line + '\n';
  }
  if (section.empty()) return "(no section " + word + ")\n";
  return section.substr(0, section.find_last_not_of('\n') + 1) + '\n';
}

}  // namespace gemm_tutor

int main(int count, char** arguments) {
  using namespace gemm_tutor;
  if (count == 1) {
    for (const auto& [name, show_all] : registry()) fmt::print("{}\n", name);
    return 0;
  }
  const auto found = registry().find(arguments[1]);
  if (found == registry().end()) {
    fmt::print(stderr, "error: there are no screens '{}'\nhelp: show_screens lists the names.\n",
               arguments[1]);
    return 2;
  }
  bool is_first = true;
  found->second([&](const std::string& caption, const std::string& screen) {
    fmt::print("{}-- {} --\n{}", is_first ? "" : "\n", caption, screen);
    if (!screen.ends_with('\n')) fmt::print("\n");
    is_first = false;
  });
}
