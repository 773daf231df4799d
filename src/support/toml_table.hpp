// Reads a table of a TOML file key by key. Every mistake is an error with its line.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.hpp"

namespace gemm_tutor {

// The place of an error in a file.
struct FilePlace {
  std::string file;
  unsigned line = 0;
  std::string_view page = "docs/teaching.md";  // the page that describes such files
  bool is_checked = false;                     // the file is known to have no mistake

  // Makes an Error (usage), "lesson.toml:7: …". The default help says that `page` describes every
  // key.
  Error error(const std::string& what) const;
  Error error(const std::string& what, std::string help) const;

  // Does what only finds mistakes, unless the file is known to have none.
  template <typename Action>
  void unless_checked(Action action) const {
    if (!is_checked) check(action);
  }

  // Returns what `action` returns. If it throws an Error, throws it again with this place.
  template <typename Action>
  auto check(Action action) const {
    try {
      return action();
    } catch (const Error& wrong) {
      throw error(wrong.what(), wrong.help());
    }
  }
};

// Throws Error (usage) for invalid TOML.
toml::table parse_toml(std::string_view text, const std::string& file);

// Every function with a key throws Error (usage), with the line, if the value has another type than
// the function returns. Functions without "_or" also throw if the key is missing.
class TomlTable {
 public:
  // `name` is the table's name, "kernel" for [kernel]; empty for the whole file. `page` describes
  // such files. The object refers to `table`, which must outlive it. If the file `is_checked`,
  // finish() does nothing.
  TomlTable(const toml::table& table, std::string file, std::string name = "",
            std::string_view page = FilePlace().page, bool is_checked = false);

  bool is_checked() const { return is_checked_; }
  FilePlace place() const;
  FilePlace place(std::string_view key) const;  // the table's place if it has no such key

  bool has(std::string_view key);
  std::vector<std::string> keys() const;  // in alphabetical order

  std::string text(std::string_view key);  // not empty, without blanks around it
  std::string text_or(std::string_view key, std::string otherwise);
  int whole_number(std::string_view key, int least);
  int whole_number_or(std::string_view key, int otherwise);  // at least 0
  double number(std::string_view key, double least, double most);
  bool is_set(std::string_view key);  // a boolean; false if the key is missing
  // A text or a whole number. The error for another value says that it must be `kind`.
  std::string expression(std::string_view key,
                         std::string_view kind = "a whole number, or an expression in quotes");
  std::vector<std::string> texts(std::string_view key);  // at least one
  std::vector<std::string> expressions(std::string_view key);
  std::optional<TomlTable> table(std::string_view key);
  std::vector<TomlTable> tables(std::string_view key);  // empty if there is no such key
  // One table, written [key], or several, each written [[key]].
  std::vector<TomlTable> one_or_several(std::string_view key);

  struct TextOrTable;
  std::vector<TextOrTable> texts_or_tables(std::string_view key);  // empty if there is no such key

  // Throws Error (usage) for a key of the table that no function above has read.
  void finish() const;

 private:
  const toml::node* known(std::string_view key);
  const toml::node* required(std::string_view key);
  const toml::array& list(std::string_view key);
  FilePlace place_of(const toml::node& node) const;
  std::string full_name(std::string_view key) const;
  TomlTable child(const toml::node& node, std::string_view key) const;

  const toml::table* table_;
  std::string file_, name_;
  std::string_view page_;
  bool is_checked_;
  std::vector<std::string> asked_for_;
};

// A text, or a table in its place.
struct TomlTable::TextOrTable {
  FilePlace place;
  std::string text;  // empty for a table
  std::optional<TomlTable> table;
};

}  // namespace gemm_tutor
