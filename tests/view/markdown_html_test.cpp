#include "view/markdown_html.hpp"

#include "catch.hpp"
#include "html_checks.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

TEST_CASE("Markdown as HTML: headings below the page's, emphasis, lists, tables") {
  const std::string html = markdown_html(
      "# Part *here*\n\nOne *two* **three** `four < five`.\n\n## A heading\n\n- six\n- seven\n\n"
      "3. eight\n\n> nine\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n---\n");
  CHECK(html ==
        "<h2>Part <em>here</em></h2>\n<p>One <em>two</em> <strong>three</strong> <code>four &lt; "
        "five</code>.</p>\n"
        "<h2>A heading</h2>\n<ul>\n<li>six</li>\n<li>seven</li>\n</ul>\n"
        "<ol start=\"3\">\n<li>eight</li>\n</ol>\n<blockquote>\n<p>nine</p>\n</blockquote>\n"
        "<div class=\"scroll\"><table class=\"text\">\n<thead>\n<tr><th>a</th>"
        "<th class=\"right\">b</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td>"
        "<td class=\"right\">2</td></tr>\n</tbody>\n</table></div>\n<hr>\n");
}

TEST_CASE("Markdown as HTML: HTML is text, and a link leads to the web or nowhere") {
  const std::string html = markdown_html(
      "<b onclick=\"x\">bold</b> &lt;i&gt; &copy;\n\n<script>alert(1)</script>\n\n"
      "[web](https://example.org/?a=1&b=\"2\") [script](javascript:alert(1)) [file](/etc/passwd) "
      "[data](data:text/html,x) ![picture](https://example.org/p.png)\n");
  CHECK(contains(html, "&lt;b onclick=&quot;x&quot;&gt;bold&lt;/b&gt; &lt;i&gt; &copy;"));
  CHECK(contains(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK(contains(html, "<a href=\"https://example.org/?a=1&amp;b=&quot;2&quot;\">web</a>"));
  CHECK(contains(html, " script file data picture</p>"));
  CHECK(occurrences(html, "href=") == 1);
  CHECK(unbalanced_element(html) == "");
}

TEST_CASE("Markdown as HTML: code in colour, drawings as they are, formulas set") {
  const std::string html = markdown_html(
      "```cuda\nint x = 1 < 2;\n```\n\n    ┌─┐  a·b\n    └─┘\n\nthat is\n\n    M·N·(1/BM)   "
      "floats, M·K in "
      "all\n\n"
      "```\nM·N\n```\n\nThat is M·K +\nK·N.\n");
  CHECK(contains(html,
                 "<pre><span class=\"type\">int</span> x = <span class=\"literal\">1</span> &lt;"));
  CHECK(contains(html, "<pre>┌─┐  a·b\n└─┘</pre>"));
  CHECK(contains(html, "<div class=\"formula\"><math display=\"block\"><mi>M</mi>"));
  CHECK(contains(html, "</math><span>floats, <math><mi>M</mi>"));
  CHECK(contains(html, "<pre>M·N</pre>"));  // in a fence it is code
  CHECK(contains(html, "<p>That is <span class=\"kept\"><math><mi>M</mi>"));
  CHECK(unbalanced_element(html) == "");
}

TEST_CASE("Markdown as HTML: a paragraph alone") {
  CHECK(paragraph_html("`a` of M·N\nwords\n\nmore") ==
        "<code>a</code> of " + paragraph_html("M·N") + "\nwords");
  CHECK(paragraph_html("") == "");
}
