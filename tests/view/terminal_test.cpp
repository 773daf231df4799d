#include <stdlib.h>

#include <optional>
#include <string>

#include "catch.hpp"
#include "view/style.hpp"

using namespace gemm_tutor;

namespace {

// Sets a variable, and puts it back as it was.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

constexpr int closed = 1000;  // no such descriptor, so no terminal

}  // namespace

TEST_CASE("what is no terminal has no colour and 80 columns, unless colour is asked for") {
  CHECK_FALSE(detect_terminal(closed, ColorChoice::automatic).color);
  CHECK(detect_terminal(closed, ColorChoice::automatic).width == 80);
  const Variable no_color("NO_COLOR", "1");
  CHECK(detect_terminal(closed, ColorChoice::always).color);
  CHECK_FALSE(detect_terminal(closed, ColorChoice::never).color);
}

TEST_CASE("UTF-8 is what the first locale variable that is set says") {
  const Variable all("LC_ALL", "");
  const Variable ctype("LC_CTYPE", "");
  const Variable lang("LANG", "de_DE.UTF-8");
  CHECK(detect_terminal(closed, ColorChoice::never).unicode);
  {
    const Variable override("LC_ALL", "C");
    CHECK_FALSE(detect_terminal(closed, ColorChoice::never).unicode);
  }
  {
    const Variable override("LC_CTYPE", "en_US.utf8");
    CHECK(detect_terminal(closed, ColorChoice::never).unicode);
  }
  const Variable none("LANG", "");
  CHECK_FALSE(detect_terminal(closed, ColorChoice::never).unicode);
}
