#include "support/toml_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::optional<int> whole_number_of(const toml::node& node, int least) {
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value < least || *value > std::numeric_limits<int>::max()) return {};
  return static_cast<int>(*value);
}

// Returns nothing unless the value is a non-empty text.
std::string text_of(const toml::node& node) {
  return std::string(trimmed(node.value_exact<std::string>().value_or("")));
}

// Returns a text or a whole number as text; nothing for other values.
std::string expression_of(const toml::node& node) {
  const auto number = node.value_exact<std::int64_t>();
  return number ? std::to_string(*number) : text_of(node);
}

}  // namespace

Error FilePlace::error(const std::string& what) const {
  return error(what, fmt::format("{} has every key, with an example.", page));
}

Error FilePlace::error(const std::string& what, std::string help) const {
  return {ExitStatus::usage, fmt::format("{}:{}: {}", file, line, what), std::move(help)};
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  // The library reads a key such as a.b.c by recursion without a limit.
  constexpr int most_dots = 5000;
  if (std::ranges::count(text, '.') > most_dots) {
    throw FilePlace{file, 1}.error(
        fmt::format("the file has more than {} dots, so that a key could be nested too deeply",
                    with_thousands(most_dots)));
  }
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw FilePlace{file, error.source().begin.line}.error(
        fmt::format("no TOML: {}", error.description()), "The language is described at toml.io.");
  }
}

TomlTable::TomlTable(const toml::table& table, std::string file, std::string name,
                     std::string_view page, bool is_checked)
    : table_(&table),
      file_(std::move(file)),
      name_(std::move(name)),
      page_(page),
      is_checked_(is_checked) {}

FilePlace TomlTable::place_of(const toml::node& node) const {
  return {file_, node.source().begin.line, page_, is_checked_};
}

FilePlace TomlTable::place() const { return place_of(*table_); }

FilePlace TomlTable::place(std::string_view key) const {
  const toml::node* node = table_->get(key);
  return node ? place_of(*node) : place();
}

bool TomlTable::has(std::string_view key) { return known(key) != nullptr; }

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::string> result;
  for (const auto& [key, node] : *table_) result.emplace_back(key.str());
  return result;
}

std::string TomlTable::text(std::string_view key) {
  std::string result = text_of(*required(key));
  if (result.empty()) throw place(key).error(fmt::format("'{}' must be a text, in quotes", key));
  return result;
}

std::string TomlTable::text_or(std::string_view key, std::string otherwise) {
  return known(key) ? text(key) : std::move(otherwise);
}

int TomlTable::whole_number(std::string_view key, int least) {
  if (const auto value = whole_number_of(*required(key), least)) return *value;
  throw place(key).error(fmt::format("'{}' must be a whole number from {}", key, least));
}

int TomlTable::whole_number_or(std::string_view key, int otherwise) {
  return known(key) ? whole_number(key, 0) : otherwise;
}

double TomlTable::number(std::string_view key, double least, double most) {
  const auto value = required(key)->value<double>();  // also for a whole number
  if (value && *value >= least && *value <= most) return *value;
  throw place(key).error(fmt::format("'{}' must be a number from {} to {}", key, least, most));
}

bool TomlTable::is_set(std::string_view key) {
  const toml::node* node = known(key);
  if (!node) return false;
  if (const auto value = node->value_exact<bool>()) return *value;
  throw place(key).error(fmt::format("'{}' must be true or false", key));
}

std::string TomlTable::expression(std::string_view key, std::string_view kind) {
  std::string result = expression_of(*required(key));
  if (!result.empty()) return result;
  throw place(key).error(fmt::format("'{}' must be {}", key, kind));
}

std::vector<std::string> TomlTable::texts(std::string_view key) {
  std::vector<std::string> result;
  for (const toml::node& node : list(key)) {
    result.push_back(text_of(node));
    if (!result.back().empty()) continue;
    throw place(key).error(fmt::format("'{}' must be a list of texts, in quotes", key));
  }
  return result;
}

std::vector<std::string> TomlTable::expressions(std::string_view key) {
  std::vector<std::string> result;
  for (const toml::node& node : list(key)) {
    result.push_back(expression_of(node));
    if (!result.back().empty()) continue;
    throw place(key).error(
        fmt::format("'{}' must be a list of whole numbers, or of expressions in quotes", key));
  }
  return result;
}

std::optional<TomlTable> TomlTable::table(std::string_view key) {
  const toml::node* node = known(key);
  if (!node) return {};
  if (node->is_table()) return child(*node, key);
  throw place(key).error(fmt::format("'{}' must be a table", key));
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  std::vector<TomlTable> result;
  if (!known(key)) return result;
  for (const toml::node& node : list(key)) {
    if (!node.is_table()) {
      throw place(key).error(fmt::format("'{}' must be written as [[{}]]", key, full_name(key)));
    }
    result.push_back(child(node, key));
  }
  return result;
}

std::vector<TomlTable> TomlTable::one_or_several(std::string_view key) {
  const toml::node* node = known(key);
  if (node && node->is_table()) return {child(*node, key)};
  return tables(key);
}

std::vector<TomlTable::TextOrTable> TomlTable::texts_or_tables(std::string_view key) {
  std::vector<TextOrTable> result;
  if (!known(key)) return result;
  for (const toml::node& node : list(key)) {
    TextOrTable one{place_of(node), text_of(node), {}};
    if (node.is_table()) one.table = child(node, key);
    if (one.text.empty() && !one.table) {
      throw one.place.error(fmt::format("'{}' must be a list of texts or tables", key));
    }
    result.push_back(std::move(one));
  }
  return result;
}

void TomlTable::finish() const {
  if (is_checked_) return;
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (std::ranges::count(asked_for_, name) > 0) continue;
    const std::string near = near_name(name, asked_for_);
    const std::string where = name_.empty() ? "at the top of the file" : "in [" + name_ + "]";
    throw place_of(node).error(fmt::format("there is no key '{}' {}", name, where),
                               near.empty() ? fmt::format("There are: {}.", join(asked_for_))
                                            : fmt::format("Did you mean '{}'?", near));
  }
}

const toml::node* TomlTable::known(std::string_view key) {
  if (!is_checked_ && std::ranges::count(asked_for_, key) == 0) asked_for_.emplace_back(key);
  return table_->get(key);
}

const toml::node* TomlTable::required(std::string_view key) {
  if (const toml::node* node = known(key)) return node;
  throw place().error(name_.empty() ? fmt::format("'{}' is missing", key)
                                    : fmt::format("'{}' is missing in [{}]", key, name_));
}

const toml::array& TomlTable::list(std::string_view key) {
  const toml::node* node = required(key);
  if (const toml::array* array = node->as_array(); array && !array->empty()) return *array;
  throw place(key).error(fmt::format("'{}' must be a list, in [ ], of at least one", key));
}

std::string TomlTable::full_name(std::string_view key) const {
  return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
}

TomlTable TomlTable::child(const toml::node& node, std::string_view key) const {
  return {*node.as_table(), file_, full_name(key), page_, is_checked_};
}

}  // namespace gemm_tutor
