// A table of a TOML file, read key by key, so that each mistake in it is an error with its line.
#pragma once

#include <toml++/toml.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/file_place.hpp"

namespace gemm_tutor {

// Throws Error (usage) for invalid TOML.
toml::table parse_toml(std::string_view text, const std::string& file);

// Every function with a key throws Error (usage), with the line, where the value is not of the kind
// that it returns. Those without "_or" want the key to be there.
class TomlTable {
 public:
  // `name` is what is in brackets above it: "kernel"; empty for the whole file. `page` describes
  // such files. It refers to `table`.
  TomlTable(const toml::table& table, std::string file, std::string name = "",
            std::string_view page = FilePlace().page);

  FilePlace place() const;
  FilePlace place(std::string_view key) const;  // the table's own where it has no such key

  bool has(std::string_view key);
  std::vector<std::string> keys() const;  // in the order of the alphabet

  std::string text(std::string_view key);  // not empty, without blanks around it
  std::string text_or(std::string_view key, std::string otherwise);
  int whole_number(std::string_view key, int least);
  int whole_number_or(std::string_view key, int otherwise);  // from 0
  double number(std::string_view key, double least, double most);
  bool is_set(std::string_view key);  // true, or false where it is not there
  // A text, or a whole number; `kind` is what the key must have, for its error.
  std::string expression(std::string_view key,
                         std::string_view kind = "a whole number, or an expression in quotes");
  std::vector<std::string> texts(std::string_view key);  // one at least
  std::vector<std::string> expressions(std::string_view key);
  std::optional<TomlTable> table(std::string_view key);
  std::vector<TomlTable> tables(std::string_view key);  // none where there is no such key
  // One table, written [key], or several, each written [[key]].
  std::vector<TomlTable> one_or_several(std::string_view key);

  struct TextOrTable;
  std::vector<TextOrTable> texts_or_tables(
      std::string_view key);  // none where there is no such key

  // Throws Error (usage) for a key that no function above was called for.
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
  std::vector<std::string> asked_for_;
};

// A text, or a table that says more.
struct TomlTable::TextOrTable {
  FilePlace place;
  std::string text;  // empty for a table
  std::optional<TomlTable> table;
};

}  // namespace gemm_tutor
