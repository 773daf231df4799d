#include "report/code_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "report/source.hpp"
#include "support/difference.hpp"
#include "support/text.hpp"
#include "view/highlight.hpp"
#include "view/markdown.hpp"

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

namespace {

const Span removed_mark = {"- ", Style::removed}, added_mark = {"+ ", Style::added};

// One side of the change.
struct Side {
  explicit Side(const std::vector<SourceLine>& source) : lines(source) {
    for (const SourceLine& line : lines) texts.push_back(printable(line.text));
    tokens = highlight(texts);
  }

  std::string number(std::optional<std::size_t> line) const {
    return line ? fmt::format("{:>3}", lines[*line].number) : "   ";
  }

  const std::vector<SourceLine>& lines;
  std::vector<std::string> texts;
  std::vector<Line> tokens;  // with styles that are set when they are shown
};

std::vector<std::string> words_in(const Line& tokens) {
  std::vector<std::string> words;
  for (const Span& token : tokens) words.push_back(token.text);
  return words;
}

// Bytes, without the spaces between the words.
std::size_t length(const std::string& word) { return trimmed(word).empty() ? 0 : word.size(); }

std::size_t length(const std::vector<std::string>& words) {
  return std::accumulate(
      words.begin(), words.end(), std::size_t{0},
      [](std::size_t sum, const std::string& word) { return sum + length(word); });
}

// The bytes that two lines have in common, if they are most of the longer line; otherwise 0.
int likeness(const Line& before, const Line& now) {
  const std::vector<std::string> old_words = words_in(before), new_words = words_in(now);
  std::size_t same = 0;
  for (const Edit& edit : difference(old_words, new_words)) {
    if (edit.before && edit.now) same += length(old_words[*edit.before]);
  }
  const bool is_most = 5 * same >= 3 * std::max(length(old_words), length(new_words));
  return is_most ? static_cast<int>(same) : 0;
}

void set_style(Line& line, Style style) {
  for (Span& token : line) token.style = style;
}

// The differences, without indentation.
void emphasise_difference(Line& before, Line& now) {
  const auto is_space = [](const Span& token) { return trimmed(token.text).empty(); };
  const auto old_code = std::ranges::find_if_not(before, is_space);
  const auto new_code = std::ranges::find_if_not(now, is_space);
  const std::vector<std::string> old_words = words_in({old_code, before.end()});
  const std::vector<std::string> new_words = words_in({new_code, now.end()});
  for (const Edit& edit : difference(old_words, new_words)) {
    if (edit.before && edit.now) continue;
    if (edit.before) old_code[*edit.before].style = Style::removed_word;
    if (edit.now) new_code[*edit.now].style = Style::added_word;
  }
}

using EditIterator = std::vector<Edit>::const_iterator;

bool is_same(const Edit& edit) { return edit.before && edit.now; }

// What is left out before the next line.
struct Gap {
  std::ptrdiff_t same = 0, gone = 0, added = 0;

  std::string text() const {
    std::vector<std::string> parts;
    const auto add = [&](std::ptrdiff_t count, const std::string& what) {
      if (count == 0) return;
      const std::string noun = !parts.empty() ? "" : count == 1 ? " line" : " lines";
      parts.push_back(fmt::format("{}{} {}", count, noun, what));
    };
    add(same, "as before");
    add(gone, "gone");
    add(added, "new");
    return parts.empty() ? "" : "… " + join(parts, ", ");
  }
};

class ChangeView {
 public:
  ChangeView(const std::vector<SourceLine>& before, const std::vector<SourceLine>& now,
             const std::vector<Note>& notes, const ChangeFolds& folds)
      : before_(before),
        now_(now),
        notes_(notes),
        folds_(folds),
        edits_(difference(before_.texts, now_.texts)) {}

  Listing listing() {
    for (auto at = edits_.cbegin(); at != edits_.cend();) {
      const auto first_same = std::find_if(at, edits_.cend(), is_same);
      add_changed(at, first_same);
      at = std::find_if_not(first_same, edits_.cend(), is_same);
      add_unchanged(first_same, at);
    }
    if (const std::string rest = gap_.text(); !rest.empty()) {
      listing_.lines.push_back({.number = before_.number({}) + " " + now_.number({}), .gap = rest});
    }
    return std::move(listing_);
  }

 private:
  // Lines that are gone, then lines that are new.
  void add_changed(EditIterator begin, EditIterator end) {
    const auto first_new = std::find_if(begin, end, [](const Edit& e) { return e.now; });
    style_changed(begin, first_new, end);
    if (first_new - begin > folds_.removed) {
      gap_.gone += first_new - begin;
    } else {
      for (auto edit = begin; edit != first_new; ++edit)
        add_line(*edit, before_, *edit->before, removed_mark);
    }
    for (auto edit = first_new; edit != end; ++edit) {
      if (end - first_new > folds_.added && !is_near_note(first_new, edit, end)) {
        ++gap_.added;
      } else {
        add_line(*edit, now_, *edit->now, added_mark);
      }
    }
  }

  bool is_near_note(EditIterator begin, EditIterator edit, EditIterator end) const {
    const auto from = edit - std::min<std::ptrdiff_t>(folds_.beside_notes, edit - begin);
    const auto to = edit + std::min<std::ptrdiff_t>(folds_.beside_notes + 1, end - edit);
    return std::any_of(from, to, [&](const Edit& near) { return !notes_of(*near.now).empty(); });
  }

  Parts notes_of(std::size_t line) const {
    Parts remarks;
    for (const Note& note : notes_) {
      if (now_.lines[line].text.find(note.code) == std::string::npos) continue;
      remarks.add(Remark{note.code, first_paragraph(note.text)});
    }
    return remarks;
  }

  void style_changed(EditIterator begin, EditIterator first_new, EditIterator end) {
    const auto old_line = [&](std::size_t i) -> Line& { return before_.tokens[*begin[i].before]; };
    const auto new_line = [&](std::size_t j) -> Line& { return now_.tokens[*first_new[j].now]; };
    const std::size_t removed = first_new - begin, added = end - first_new;
    for (std::size_t i = 0; i < removed; ++i) set_style(old_line(i), Style::removed);
    for (std::size_t j = 0; j < added; ++j) set_style(new_line(j), Style::added);
    const auto worth = [&](std::size_t i, std::size_t j) {
      return likeness(old_line(i), new_line(j));
    };
    for (const Match& match : best_alignment(removed, added, worth)) {
      emphasise_difference(old_line(match.before), new_line(match.now));
    }
  }

  void add_unchanged(EditIterator begin, EditIterator end) {
    if (end - begin <= folds_.unchanged) return add_same(begin, end);
    const auto fold = begin == edits_.cbegin() ? begin : begin + folds_.context;
    const auto fold_end = end == edits_.cend() ? end : end - folds_.context;
    add_same(begin, fold);
    gap_.same += fold_end - fold;
    add_same(fold_end, end);
  }

  void add_same(EditIterator begin, EditIterator end) {
    for (auto edit = begin; edit != end; ++edit) {
      set_style(now_.tokens[*edit->now], Style::dim);
      add_line(*edit, now_, *edit->now, {"  "});
    }
  }

  void add_line(const Edit& edit, const Side& side, std::size_t line, const Span& mark) {
    listing_.lines.push_back({.number = before_.number(edit.before) + " " + now_.number(edit.now),
                              .code = side.tokens[line],
                              .mark = mark,
                              .gap = std::exchange(gap_, {}).text()});
    if (edit.now && !edit.before) listing_.lines.back().below = notes_of(line);
  }

  Side before_, now_;
  const std::vector<Note>& notes_;
  ChangeFolds folds_;
  std::vector<Edit> edits_;
  Listing listing_;
  Gap gap_;
};

}  // namespace

Listing change_listing(const std::vector<SourceLine>& before, const std::vector<SourceLine>& now,
                       const std::vector<Note>& notes, const ChangeFolds& folds) {
  return ChangeView(before, now, notes, folds).listing();
}

}  // namespace gemm_tutor
