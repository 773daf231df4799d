// An SVG file under way: texts and drawings below one another, from the top on.
#pragma once

#include <string>
#include <string_view>

#include "documents/drawing.hpp"

namespace gemm_tutor {

class SvgSheet {
 public:
  static constexpr int margin = 24;

  // Plain text, broken at the sheet's edge; `kind` is a class that picture.css knows.
  void text(std::string_view kind, const std::string& text);
  // Of a line of source, whose further lines begin under its own beginning, behind the number.
  void code(const std::string& number, const std::string& text);
  void drawing(const Drawing& drawing);
  void space(int height) { end_ += height; }
  int end() const { return end_; }

  // Anywhere, with its title above it; returns where it ends.
  int place(const std::string& title, const Drawing& drawing, int x, int y);

  // The whole file, in whose style the colours stand in place of their names, which not all that
  // shows SVG knows.
  std::string svg(const std::string& title, const std::string& description) const;

 private:
  void add(const Drawing& drawing, int x, int y);
  void add_text(std::string_view kind, const std::string& text, int x, int y);

  std::string body_;
  int end_ = margin;  // of what is there
  int right_ = margin + least_width;
  static constexpr int least_width = 832;
};

}  // namespace gemm_tutor
