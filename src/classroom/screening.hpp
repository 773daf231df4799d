// What is looked at before a submission is compiled. NVRTC reads any file that an #include names,
// and quotes it in its messages: so a submission may name the toolkit's own headers alone.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

struct Screened {
  // Why it is refused, in one line: "line 3 includes "/etc/passwd": …". Empty where it is not.
  std::string refusal;
  // What is compiled in its place. Comments are blanks here, and a line that is continued by a
  // backslash is one line, so that the compiler can see nothing that was not looked at; a line's
  // number is as it was.
  std::string source;
};

// Refused is, outside of comments, what includes other than by `#include <name>` with a name below
// the toolkit's folders, in any of the ways that the language has: #import, #embed, digraphs,
// trigraphs. So are __has_include and __has_embed; asm, but for asynchronous copies and the
// barriers that wait for them; #line and its short form, which give other files' names to lines;
// __DATE__ and __TIME__, with which a submission is not the same twice; raw strings, literals that
// do not end on their line, control characters, and bytes that are not UTF-8.
Screened screened(std::string_view source);

}  // namespace gemm_tutor
