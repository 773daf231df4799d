// Runs the program as a shell does.
#pragma once

#include <string>

namespace gemm_tutor {

struct ProgramResult {
  int status = 0;
  std::string output, error;  // standard output and standard error
};

// gemm-tutor with `arguments` as typed in a shell, from the directory "/", in a UTF-8 locale, with
// a compile cache of the tests' own and the progress of someone who has not begun. `environment` as
// in "LANG=C NO_COLOR=1".
ProgramResult run_program(const std::string& arguments, const std::string& environment = "");

// What the completion of bash prints for words behind "gemm-tutor", as typed in a shell: a line
// "WORD\tSUMMARY" for each completion of the last word, which may be ''.
std::string completions(const std::string& words, const std::string& environment = "");

// Any shell command, in which $PROGRAM is gemm-tutor.
ProgramResult run_shell(const std::string& command, const std::string& environment = "");

// The shell finds a program of that name.
bool is_installed(const std::string& program);

}  // namespace gemm_tutor
