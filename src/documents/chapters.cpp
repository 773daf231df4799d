#include "documents/chapters.hpp"

#include <algorithm>
#include <utility>

#include "documents/machine_chapter.hpp"
#include "documents/profiler_chapter.hpp"
#include "run/target.hpp"
#include "view/markdown_reader.hpp"

namespace gemm_tutor {

const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> all = {
      {"machine", machine_chapter},
      {"profiler", [](const simt::GpuSpec&) { return profiler_chapter(); }},
  };
  return all;
}

const Chapter* find_chapter(std::string_view name) {
  const auto found = std::ranges::find(chapters(), name, &Chapter::name);
  return found == chapters().end() ? nullptr : &*found;
}

std::string title_of(const Chapter& chapter) {
  return chapter.document(simt::find_gpu(default_gpu)).title;
}

Document chapter_document(std::string_view markdown) {
  Parts parts = read_markdown(markdown);
  Document document{.title = plain_text(std::get<Heading>(parts.front().content).text)};
  parts.erase(parts.begin());
  document.parts = {Prose{std::move(parts)}};
  return document;
}

}  // namespace gemm_tutor
