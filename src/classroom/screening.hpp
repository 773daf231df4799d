// Checks a submission's text before it is compiled. NVRTC reads any file that an #include names and
// quotes it in its messages, so a submission may include only the toolkit's headers.
#pragma once

#include <string>
#include <string_view>

namespace gemm_tutor {

struct Screened {
  // Why it is refused, in one line: "line 3 includes "/etc/passwd": …". Empty if it is accepted.
  std::string refusal;
  // The text to compile. Comments are replaced by blanks and continued lines are joined, so that
  // the compiler sees only what was checked. Line numbers do not change.
  std::string source;
};

// Outside of comments, these are refused:
// - every way to include a file except `#include <name>` with a name in the toolkit's folders, also
//   #import, #embed, digraphs and trigraphs;
// - __has_include and __has_embed;
// - asm, except for asynchronous copies, the barriers that wait for them, and tensor cores;
// - #line and its short form, because they change the file names of lines;
// - __DATE__ and __TIME__, because they change from run to run;
// - raw strings, literals that do not end on their line, control characters, bytes that are not
//   UTF-8.
Screened screened(std::string_view source);

}  // namespace gemm_tutor
