#include "view/html_page.hpp"

#include "catch.hpp"
#include "html_checks.hpp"
#include "view/markdown.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

std::string html_of(std::string_view markdown) { return parts_html(read_markdown(markdown)); }

}  // namespace

TEST_CASE("Markdown as HTML: headings below the page's, emphasis, lists, tables") {
  const std::string html = html_of(
      "# Part *here*\n\nOne *two* **three** `four < five`.\n\n## A heading\n\n- six\n- seven\n\n"
      "3. eight\n\n> nine\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n---\n");
  CHECK(html ==
        "<h2>Part <em>here</em></h2>\n<p>One <em>two</em> <strong>three</strong> <code>four &lt; "
        "five</code>.</p>\n"
        "<h2>A heading</h2>\n<ul>\n<li>six</li>\n<li>seven</li>\n</ul>\n"
        "<ol start=\"3\">\n<li>eight</li>\n</ol>\n<blockquote>\n<p>nine</p>\n</blockquote>\n"
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"text\">\n<thead>\n<tr><th>a</th>"
        "<th class=\"right\">b</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td>"
        "<td class=\"right\">2</td></tr>\n</tbody>\n</table></div>\n<hr>\n");
}

TEST_CASE("Markdown as HTML: HTML is text, and a link leads to the web or nowhere") {
  const std::string html = html_of(
      "<b onclick=\"x\">bold</b> &lt;i&gt; &copy;\n\n<script>alert(1)</script>\n\n"
      "[web](https://example.org/?a=1&b=\"2\") [script](javascript:alert(1)) [file](/etc/passwd) "
      "[data](data:text/html,x) ![picture](https://example.org/p.png)\n");
  CHECK(contains(html, "&lt;b onclick=&quot;x&quot;&gt;bold&lt;/b&gt; &lt;i&gt; &amp;copy;"));
  CHECK(contains(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK(contains(html, "<a href=\"https://example.org/?a=1&amp;b=&quot;2&quot;\">web</a>"));
  CHECK(contains(html, " script file data picture</p>"));
  CHECK(occurrences(html, "href=") == 1);
  CHECK(unbalanced_element(html) == "");
}

TEST_CASE("Markdown as HTML: code in colour, drawings and formulas as they are") {
  const std::string html = html_of(
      "```cuda\nint x = 1 < 2;\n```\n\n    ┌─┐  a·b\n    └─┘\n\nthat is\n\n    M·N·(1/BM)   "
      "floats, M·K in "
      "all\n\n"
      "```\nM·N\n```\n\nThat is M·K +\nK·N.\n");
  CHECK(contains(html,
                 "<pre><span class=\"type\">int</span> x = <span class=\"literal\">1</span> &lt;"));
  CHECK(contains(html, "<pre>┌─┐  a·b\n└─┘</pre>"));
  CHECK(contains(html, "<pre>M·N·(1/BM)   floats, M·K in all</pre>"));
  CHECK(contains(html, "<p>That is M·K + K·N.</p>"));
  CHECK(unbalanced_element(html) == "");
}

TEST_CASE("HTML: styles are classes or elements, and text that is kept together stays so") {
  CHECK(line_html({{"a < b", Style::bad}, {" of "}, {"x < y", Style::code}}) ==
        "<span class=\"bad\">a &lt; b</span> of <code>x &lt; y</code>");
  CHECK(line_html({{unbreakable("18 %")}}) == "18\u00a0%");
  CHECK(line_html({{unbreakable("a b"), Style::code}}) == "<code>a b</code>");  // to be copied
  CHECK(line_html({{"grid 64×64 · block 8"}}) == "grid 64×64 · block 8");       // no product
}

TEST_CASE("HTML: what is for terminals is left out, and answers can be hidden") {
  Document document{.label = "Lesson 1", .title = "A <title>", .right = {{"here"}}};
  document.parts = {for_terminals(Paragraph{{{"not here"}}}), for_pages(Paragraph{{{"shown"}}}),
                    as_answer(Paragraph{{{"answer"}}}), Section{"Empty"}};
  CHECK_FALSE(contains(html_page(document), "type=\"checkbox\""));
  document.without_answers = "Without";
  const std::string html = html_page(document);
  check_stands_alone(html);
  CHECK(contains(html, "<p class=\"number\">Lesson 1</p>\n<h1>A &lt;title&gt;</h1>"));
  CHECK(contains(html, "<p class=\"dim\">here</p>"));
  CHECK(contains(html, "<p>shown</p>\n<div class=\"after\">\n<p>answer</p>\n</div>\n"));
  CHECK(contains(html, "type=\"checkbox\""));
  for (const char* absent : {"not here", "<h2>Empty"}) CHECK_FALSE(contains(html, absent));
}

TEST_CASE("a bar is as long on a page as its share, and in Markdown") {
  const Table table{.columns = {{{{"a"}}}, {.width = 8, .is_bar = true}},
                    .rows = {{{{{"x"}}}, {{}, 0.5}}}};
  CHECK(contains(parts_html({table}),
                 "<td class=\"length\"><span style=\"width:50.0%\"></span></td>"));
  CHECK(contains(markdown_text({.parts = {table}}), "| x | ████ |\n"));
}

TEST_CASE("HTML: a table has names of its rows, classes of its columns, no bars and none empty") {
  const Table table{.columns = {{{{"a"}}},
                                {{{"b"}}, Align::right},
                                {{{"none"}}},
                                {.medium = Medium::terminal, .is_bar = true}},
                    .rows = {{{{{"x"}}}, {{{"7", Style::bad}}}, {}, {{}, 0.5}}}};
  const std::string html = parts_html({table});
  CHECK(contains(html, "<tr><th>a</th><th class=\"right\">b</th></tr>"));
  CHECK(
      contains(html, "<tr><th scope=\"row\" data-short>x</th><td class=\"right bad\">7</td></tr>"));
}

TEST_CASE("HTML: of a path no folder but one") {
  const std::string html = parts_html({Listing{.file = "/home/ada/03-tile/kernel.cu"}});
  CHECK(contains(html, "<code>03-tile/kernel.cu</code>"));
  CHECK_FALSE(contains(html, "ada"));
}
