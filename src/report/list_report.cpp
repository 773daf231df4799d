#include "report/list_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/json.hpp"
#include "report/layout.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::vector<std::string> kernel_names(const Lesson& lesson) {
  std::vector<std::string> names;
  for (const Kernel& kernel : lesson.kernels) names.push_back(kernel.name);
  return names;
}

}  // namespace

std::string list_text(const std::vector<Lesson>& lessons, const Terminal& terminal) {
  std::size_t slug_columns = 0;
  for (const Lesson& lesson : lessons) slug_columns = std::max(slug_columns, lesson.slug.size());

  Page page(terminal);
  for (const Lesson& lesson : lessons) {
    const std::string name =
        fmt::format("{:>3}  {:<{}}  ", lesson.number, lesson.slug, slug_columns);
    const Line below = {{std::string(name.size(), ' ')}};
    page.row({{name, Style::code}}, below, {{lesson.title}});
    page.row(below, below, {{join(kernel_names(lesson), " · "), Style::dim}});
  }
  page.section("Next");
  page.text({{lessons.empty() ? "gemm-tutor device"
                              : fmt::format("gemm-tutor lesson {}", lessons.front().number)}});
  return page.str();
}

std::string list_json(const std::vector<Lesson>& lessons) {
  Json json;
  json["lessons"] = Json::array();
  for (const Lesson& lesson : lessons) {
    json["lessons"].push_back({{"number", lesson.number},
                               {"slug", lesson.slug},
                               {"title", lesson.title},
                               {"kernels", kernel_names(lesson)}});
  }
  return to_text(json);
}

}  // namespace gemm_tutor
