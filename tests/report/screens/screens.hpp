// Screens of documents that are filled in by hand, such as a run on a GPU that no test has: golden
// cases show them by `show_screens NAME`.
#pragma once

#include <functional>
#include <string>

#include "view/terminal_text.hpp"

namespace gemm_tutor {

// Prints a line of what is special about a screen, and below it the screen.
using Show = std::function<void(const std::string& caption, const std::string& screen)>;

// Screens of one name, which are registered before main().
class Screens {
 public:
  Screens(const char* name, void (*show_all)(const Show& show));
};

// As of a golden case's commands.
inline const Terminal golden_terminal{false, true, 80};

// The section of a report that begins with the word, such as "Work".
std::string section_of(const std::string& report, const std::string& word);

// Several of them, with an empty line between.
template <class... Words>
std::string sections(const std::string& report, const std::string& first, const Words&... words) {
  return (section_of(report, first) + ... + ('\n' + section_of(report, words)));
}

}  // namespace gemm_tutor
