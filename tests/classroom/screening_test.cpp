#include "classroom/screening.hpp"

#include <fmt/format.h>

#include <string>

#include "catch.hpp"
#include "classroom/submissions.hpp"
#include "support/text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;
using namespace std::string_literals;

namespace {

std::string text_of(std::string_view source) {
  const Screened result = screened(source);
  CHECK(result.refusal == "");
  return result.source;
}

}  // namespace

TEST_CASE("a submission that includes the toolkit's own headers is not refused") {
  const std::string source =
      "#include <cuda_runtime.h>\n  #  include <cuda/std/cstdint>\n%:include <mma.h>\n"
      "#include <cooperative_groups/memcpy_async.h>\n"
      "#define TILE 32\n#define SUM(a, b) a + b\n#define TEXT(x) #x\n#pragma unroll\n"
      "__global__ void k(float* C) { C[1'000] = 0x1p-3f + .5e+3f + 'a' + L'\\''; /**/ }\n"
      "const char* text = \"// no comment, \\\" no end\";\n";
  const Screened result = screened(source);
  CHECK(result.refusal == "");
  CHECK(contains(result.source, "\"// no comment, \\\" no end\";\n"));
  CHECK(split_lines(result.source).size() == split_lines(source).size());
}

TEST_CASE("comments become blanks, and lines keep their numbers") {
  CHECK(text_of("a // b\nc") == "a     \nc");
  CHECK(text_of("a /* b\n c */ d\ne") == "a     \n      d\ne");
  CHECK(text_of("a // b \\\n still b\nc") == "a              \n\nc");
  CHECK(text_of("int lo\\\nng\\\n er;\nnext") == "int long er;\n\n\nnext");
  CHECK(text_of("// no splice: \\ \nint a;").ends_with("\nint a;"));
  CHECK(text_of("\xef\xbb\xbf"
                "a\r\nb\f\r\n") == "a\nb \n");
  CHECK(text_of("// \xe9t\xe9, in Latin 1\nint a;") == "                  \nint a;");
  CHECK(text_of("// asm(\"\") #include \"x\" R\"( ?\?= \\ '\na").ends_with("\na"));
}

TEST_CASE("what includes anything else is refused, with its line") {
  const std::string sources[] = {
      "#include \"/etc/passwd\"",
      "#include </etc/passwd>",
      "#include <../../../../etc/passwd>",
      "#include <cuda/../../../../etc/passwd>",
      "#include \"../x.h\"",
      "#include NAME",
      "#include",
      "#include <>",
      "#include <passwd",
      "#include <a b>",
      "#include <a//b>",
      "#include <a\"b>",
      "  #\t include\t\"x\"",
      "# /* */ include /* */ \"x\"",
      "#inc\\\nlude \"x\"",
      "#include \\\n \"x\"",
      "#\\\n\\\ninclude \"x\"",
      "%:include \"x\"",
      "%\\\n:include \"x\"",
      "%: include_next \"x\"",
      "#include_next <../x>",
      "#import \"x\"",
      "#embed \"x\"",
      "#embed </x>",
      "/* */ /* \n */ #include \"x\"",
      "char c = '\"'; /*\"*/\n#include \"x\" // \"",
      "\"//\"; /*'*/ \n#include \"x\" //'",
      "int n = 1'0; /*'*/\n#include \"x\"",
      "/\\\n* */\n#include \"x\"",
      "// not \\\\\n\n#include \"x\"",
      "#if 0\n#endif\n#include \"x\"",
      "const char* s = \"#include \\\"x\\\"\";",
  };
  for (const std::string& source : sources) {
    INFO(source);
    const Screened result = screened(source);
    CHECK(result.source == "");
    CHECK(contains(result.refusal, "line "));
    CHECK_FALSE(contains(result.refusal, "\n"));
  }
  CHECK(screened("\n\n#include \"/etc/passwd\"").refusal ==
        "line 3 includes \"/etc/passwd\": a submission may include only the toolkit's own headers, "
        "in < >");
  CHECK(screened("a\\\nb\n/*\n*/#include X").refusal ==
        "line 4 includes X: a submission may include only the toolkit's own headers, in < >");
}

TEST_CASE("an asynchronous copy, which has no word in C++, is not refused") {
  for (const std::string source :
       {"asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4, %2;\" ::\"r\"(to), \"l\"(from));",
        "asm volatile (\n\"cp.async.wait_group %0;\"\n::\"n\"(groups));",
        "asm(\"cp.async.commit_group;\");",
        "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");",
        "asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" ::\"r\"(barrier) : \"memory\");",
        "asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \"\n"
        "             \"[%0], [%1], %2, [%3];\" ::\"r\"(to), \"l\"(from), \"r\"(4), \"r\"(b));",
        "asm volatile(\n\"{\\n\"\n\"\\t.reg .pred p;\\n\"\n"
        "\"mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\\n\"\n"
        "\"selp.b32 %0, 1, 0, p;\\n\"\n\"}\\n\"\n: \"=r\"(done) : \"r\"(b), \"r\"(1));"}) {
    INFO(source);
    CHECK(screened(source).refusal.empty());
  }
}

TEST_CASE("what could hide an include, or tell of other files, is refused") {
  struct {
    std::string source, said;
  } const cases[] = {
      {"?\?=include \"x\"", "line 1 has a trigraph"},
      {"// ?\?/\n#include \"x\"", "line 2 includes"},
      {"const char* s = \"?\?/\";", "line 1 has a trigraph"},
      {"auto s = R\"(\n/*)\";\n#include \"x\"\n//*/", "line 1 has a raw string"},
      {"auto s = u8R\"x(\n)x\";", "line 1 has a raw string"},
      {"auto s = R\\\n\"(\")\";", "line 1 has a raw string"},
      {"#if __has_include(\"/etc/passwd\")", "line 1 asks for a file with __has_include"},
      {"#if __has_in\\\nclude_next(<x>)", "line 1 asks for a file"},
      {"#if __has_embed(\"x\")", "line 1 asks for a file with __has_embed"},
      {"#pragma GCC dependency \"/etc/x\"", "line 1 has dependency"},
      {"\n_Pragma(\"clang dependency \\\"x\\\"\")", "line 2 has _Pragma"},
      {"%:pragma clang dependency \"/etc/x\"", "line 1 has dependency"},
      {"void f() { __nanosleep(1); }", "line 1 has __nanosleep"},
      {"\nasm(\".include \\\"x\\\"\");", "line 2 has inline assembly"},
      {"__asm__ volatile(\"\");", "line 1 has inline assembly"},
      {"as\\\nm(\"\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all; .include x;\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all;\" \"x\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all;\" X);", "line 1 has inline assembly"},
      {"asm(\"cp.async\\x22;\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all\\n.include x;\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all;\\n\" \".include \\\"x\\\";\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all; // \\\"x\");", "line 1 has inline assembly"},
      {"asm(\"cp.async.wait_all;\" X \"fence.sc;\");", "line 1 has inline assembly"},
      {"asm(\"{ .file 1 x; }\");", "line 1 has inline assembly"},
      {"asm(\"mbarrier.arrive.b64 _, [%0]; trap;\");", "line 1 has inline assembly"},
      {"asm(\"fence.sc;\\\\n\");", "line 1 has inline assembly"},
      {"asm(\"\\x66ence.sc;\");", "line 1 has inline assembly"},
      {"asm(\"cp.asyncs;\");", "line 1 has inline assembly"},
      {"asm(\";\");", "line 1 has inline assembly"},
      {"asm(\"\");", "line 1 has inline assembly"},
      {"asm(\"cp.async;", "line 1 has inline assembly"},
      {"asm", "line 1 has inline assembly"},
      {"#line 3 \"/etc/passwd\"", "line 1 gives itself another line's number"},
      {"# 3 \"/etc/passwd\"", "line 1 gives itself another line's number"},
      {"%:3 \"/etc/passwd\"", "line 1 gives itself another line's number"},
      {"const char* t = __TIME__;", "line 1 has __TIME__"},
      {"int a = 'x;\n", "line 1 has an unmatched '"},
      {"int a = \"x\n\";", "line 1 has an unmatched \""},
      {"int a; /* \n", "line 1 begins a comment that does not end"},
      {"int \\u0061;", "line 1 has a backslash"},
      {"int a;\x1b[31m", "line 1 has a control character"},
      {"int a;\rint b;", "line 1 has a control character"},
      {"int \xff;", "line 1 is no UTF-8"},
      {"int a;\0 int b;"s, "it is not text: it has a zero byte"},
      {"//\0"s, "it is not text: it has a zero byte"},
  };
  for (const auto& [source, said] : cases) {
    INFO(source);
    const Screened result = screened(source);
    CHECK(result.source == "");
    INFO(result.refusal);
    CHECK(result.refusal.starts_with(said));
  }
}

TEST_CASE("a refusal shows nothing that controls a terminal, and not much") {
  const std::string shown = screened("#include \"\x1b[2J" + std::string(1000, 'x') + "\"").refusal;
  CHECK(shown.size() < 250);
  CHECK_FALSE(contains(shown, "\x1b"));
}

TEST_CASE("text of any bytes gives an answer") {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i)
    bytes += "#%:\\\n\"'/*R(?=<>. a1\r\xc3\xa9"[(i * i + i / 7) % 22];
  for (std::size_t length = 0; length < 300; ++length) {
    const Screened result = screened(std::string_view(bytes).substr(length * 60, length));
    CHECK((result.refusal.empty() || result.source.empty()));
  }
}

TEST_CASE("a text of many directives is looked at in one pass") {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "#if\n";
  CHECK(screened(text).refusal.empty());
  CHECK(screened(text + "#include X").refusal.starts_with("line 300001 includes X"));
}

TEST_CASE("a text in one line has no marks that turn or hide what is around it") {
  CHECK(one_line("a\nb\x1b[0m") == "a\ufffdb\ufffd[0m");
  CHECK(one_line("a\u202eb\u200bc") == "a\ufffdb\ufffdc");
  CHECK(one_line("größer", 3) == "grö…");
  CHECK(one_line("größer", 6) == "größer");
  CHECK(one_line(std::string(5000, 'x')).size() == 203);
  CHECK(one_line("\U0001f600\U0001f600\U0001f600", 2) == "\U0001f600\U0001f600…");
}
