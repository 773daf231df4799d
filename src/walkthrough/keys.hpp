// What the keys mean. A key has one meaning on every page of the course.
#pragma once

#include <string>
#include <vector>

#include "view/document.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// Returns the key with its word: {'t', "trace", minor}.
KeyHelp key_help(char key, int minor = 0);

// The page about the keys: first those that work here, then the others, with where they are.
Parts key_parts(const std::vector<KeyHelp>& keys);

// "t (trace): after the lesson's questions." Empty for a character that is no key anywhere, or one
// of the view's.
std::string elsewhere_text(char key);

}  // namespace gemm_tutor
