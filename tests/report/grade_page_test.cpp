#include "report/grade_report.hpp"

#include "report/sample_gradebook.hpp"
#include "view/html_checks.hpp"
#include "view/html_page.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

TEST_CASE("a page of HTML holds nothing that is not escaped, and needs no other file") {
  SampleGradebook sample({"<script>alert('1')</script>", "a&b\"c"}, 2);
  sample.book.notes = {"<b>: for no exercise that is graded"};
  const std::string html = html_page(grade_document(sample.book, false));
  check_stands_alone(html);
  for (const char* part : {"<b>", "<c>", "alert('"}) {
    INFO(part);
    CHECK_FALSE(contains(html, part));
  }
  CHECK(contains(html, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
  CHECK(contains(html, "a&amp;b&quot;c"));
  CHECK(contains(html, "&lt;b&gt;: for no exercise"));
  CHECK_FALSE(contains(html, "seconds"));
  CHECK(contains(html_page(grade_document(sample.book, true)), "<td class=\"right\">1.50 s</td>"));
}
