#include "documents/code_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "documents/change_view.hpp"
#include "documents/source.hpp"
#include "support/text.hpp"
#include "view/markdown_reader.hpp"

namespace gemm_tutor {
namespace {

// From the kernel's predecessor, with lines that are marked.
struct Difference {
  Predecessor before;
  Listing listing;
  bool is_short = false;  // shorter than the kernel
};

std::optional<Difference> difference_of(const Lesson& lesson, const Kernel& kernel) {
  const Predecessor before = predecessor(lesson, kernel);
  if (!before.kernel || kernel.from_library) return {};
  const std::vector<SourceLine> now = excerpt(lesson, kernel);
  Listing listing = change_listing(excerpt(*before.lesson, *before.kernel), now);
  const bool is_short = listing.is_change() && listing.lines.size() < now.size();
  return Difference{before, std::move(listing), is_short};
}

Definitions notes_of(const Kernel& kernel) {
  Definitions notes;
  for (const Note& note : kernel.notes) {
    notes.definitions.push_back({{{note.code, Style::code}}, first_paragraph(note.text)});
  }
  return notes;
}

Parts folded_kernel(const Lesson& lesson, const Kernel& kernel, std::set<int>& lines_shown) {
  Parts parts;
  const std::optional<Difference> difference = difference_of(lesson, kernel);
  if (difference && difference->is_short) {
    parts = {Paragraph{from_to(difference->before, kernel) + Line{{":"}}}, difference->listing};
    if (!kernel.notes.empty()) parts.add(notes_of(kernel));
  } else {
    parts = {kernel_listing(lesson, kernel)};
  }
  std::vector<SourceLine> functions = shown_code(lesson, kernel).functions;
  std::erase_if(functions,
                [&](const SourceLine& line) { return !lines_shown.insert(line.number).second; });
  parts.append(functions_listing(kernel, functions));
  return parts;
}

}  // namespace

Line from_to(const Predecessor& before, const Kernel& kernel) {
  return {{"From "},
          {before.kernel->name, Style::code},
          {fmt::format(" ({}) to ", before.lesson->name())},
          {kernel.name, Style::code}};
}

Parts changed_settings(const Settings& before, const Settings& now) {
  std::vector<std::string> changed, added;
  for (const auto& [name, value] : now) {
    if (!before.contains(name)) {
      added.push_back(fmt::format("{} {}", name, value));
    } else if (before[name] != value) {
      changed.push_back(fmt::format("{} {} → {}", name, before[name], value));
    }
  }
  std::vector<std::string> sentences;
  if (!changed.empty()) sentences.push_back(fmt::format("Settings: {}.", join(changed)));
  if (!added.empty()) sentences.push_back(fmt::format("New settings: {}.", join(added)));
  return sentences.empty() ? Parts() : Parts{Paragraph{{{join(sentences, " ")}}}};
}

Listing kernel_listing(const Lesson& lesson, const Kernel& kernel) {
  Listing listing = annotated_listing(excerpt(lesson, kernel), "", kernel.notes);
  if (kernel.cpu) listing.language = "cpp";
  return listing;
}

Section change_section(const Lesson& lesson, const Kernel& kernel, const Settings& settings) {
  Section section{"Change", "What changes"};
  const bool is_own = &kernel == &lesson.kernels.front();
  if (is_own && !lesson.change.empty()) {
    section.parts.add(Paragraph{first_paragraph(lesson.change)});
  }
  std::optional<Difference> difference = difference_of(lesson, kernel);
  if (!difference) return section;
  section.parts.append(changed_settings(difference->before.kernel->settings, settings));
  if (!difference->listing.is_change()) return section;  // the same code
  if (difference->is_short) {
    section.parts.add(Group{{facts({from_to(difference->before, kernel) + Line{{":"}}}),
                             std::move(difference->listing)}});
  } else {
    section.parts.add(
        for_pages(Group{{std::move(difference->listing)}, from_to(difference->before, kernel)}));
  }
  return section;
}

Parts earlier_functions(const ShownCode& code) {
  std::map<const Lesson*, std::set<std::string>> names;  // which are in the order of the lessons
  for (const EarlierFunction& function : code.earlier) {
    names[function.lesson].insert(function.name);
  }
  Line line;
  for (const auto& [lesson, of_lesson] : names) {
    line.push_back(
        {fmt::format("{}{} shows ", line.empty() ? "" : " ", capitalised(lesson->name()))});
    std::size_t left = of_lesson.size();
    for (const std::string& name : of_lesson) {
      line.push_back({name, Style::code});
      --left;
      line.push_back({left == 0 ? "." : left == 1 ? " and " : ", "});
    }
  }
  return line.empty() ? Parts() : Parts{Paragraph{std::move(line)}};
}

Parts functions_listing(const Kernel& kernel, const std::vector<SourceLine>& functions) {
  if (functions.empty()) return {};
  return {Paragraph{{{kernel.second_pass.empty()
                          ? "The functions that it uses:"
                          : "The functions that it uses, and the kernel of the second launch:"}}},
          Listing{.lines = listing_lines(functions)}};
}

Parts other_kernels(const Lesson& lesson, const Kernel& shown) {
  std::set<int> lines_shown;
  for (const SourceLine& line : shown_code(lesson, shown).functions)
    lines_shown.insert(line.number);
  Parts parts;
  for (const Kernel& kernel : lesson.kernels) {
    if (kernel.name == shown.name) continue;
    parts.add(Group{folded_kernel(lesson, kernel, lines_shown), kernel_line(kernel)});
  }
  return parts;
}

Line kernel_line(const Kernel& kernel) {
  Line line = {{kernel.name, Style::code}};
  return kernel.title.empty() ? line : line + Line{{": "}} + first_paragraph(kernel.title);
}

}  // namespace gemm_tutor
