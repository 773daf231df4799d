#include "source/device_code.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "source/declarations.hpp"
#include "source/definitions.hpp"

namespace gemm_tutor::source {
namespace {

using DeclarationKind = Declaration::Kind;

std::string_view last_part(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

// --- The names of declarations

// Adds the names of "int *a = f(x), b[2]": each is the last before its value or its extents.
void add_declarators(std::vector<std::string_view>& names, Tokens tokens) {
  for (Tokens one : split(tokens, ",")) {
    const auto ends = [](const Token& token) {
      return token.is("=") || token.is("[") || token.is("{") || token.is("(") || token.is(":");
    };
    one = one.first(static_cast<std::size_t>(std::ranges::find_if(one, ends) - one.begin()));
    for (auto token = one.rbegin(); token != one.rend(); ++token) {
      if (!token->is_name()) continue;
      names.push_back(token->text);
      break;
    }
  }
}

// "Tile" of "struct alignas(16) Tile : Base".
std::string_view name_of_type(Tokens head) {
  std::string_view name;
  for (std::size_t at = 1; at < head.size(); ++at) {
    if (head[at].is(":") || head[at].is("<") || head[at].is(";")) break;
    if (head[at].is("(") || head[at].is("[")) {
      at = closing(head, at);
      name = {};
    } else if (head[at].is_name() && !head[at].is("final") && !head[at].is("class")) {
      name = head[at].text;
    }
  }
  return name;
}

std::vector<std::string_view> names_of(const Declaration& one) {
  std::vector<std::string_view> names;
  const Tokens after_body =
      one.body.empty()
          ? Tokens()
          : one.tokens.subspan(static_cast<std::size_t>(&one.body.back() + 1 - one.tokens.data()));
  switch (one.kind) {
    case DeclarationKind::type: {
      names.push_back(name_of_type(one.head));
      const bool is_enum = !one.head.empty() && one.head[0].is("enum");
      if (is_enum && one.body.size() > 2) {
        for (const Tokens value : split(one.body.subspan(1, one.body.size() - 2), ",")) {
          if (!value.empty()) names.push_back(value[0].text);
        }
      }
      add_declarators(names, after_body);
      break;
    }
    case DeclarationKind::alias: {
      if (one.head.size() > 2 && one.head[0].is("using") && one.head[2].is("=")) {
        names.push_back(one.head[1].text);
        break;
      }
      for (std::size_t at = 1; at < one.head.size(); ++at) {  // typedef void (*Function)(int)
        if (one.head[at].is("*") && one.head[at - 1].is("(") && at + 1 < one.head.size()) {
          names.push_back(one.head[at + 1].text);
        }
        if (one.head[at - 1].is("struct")) names.push_back(one.head[at].text);
      }
      add_declarators(names, one.head);
      if (const std::size_t close = find(one.head, "}"); close < one.head.size()) {
        add_declarators(names, one.head.subspan(close));
      }
      break;
    }
    case DeclarationKind::variable:
      add_declarators(names, one.head);
      add_declarators(names, after_body);
      break;
    default:
      break;
  }
  std::erase(names, "");
  return names;
}

// --- What is needed

struct Item {
  std::size_t file = 0;
  Declaration declaration;
  int parent = -1;                      // the type that it is a member of
  std::vector<std::string> names = {};  // by which code uses it
  Tokens needs = {};                    // code that it needs if it is kept
  bool is_host = false;                 // never kept: a function or a variable for the host
  bool is_device = false;               // marked for the device
  bool goes_with_parent = false;        // a member that is kept with its type
  bool is_kept = false;
};

class Reduction {
 public:
  explicit Reduction(const std::vector<std::string_view>& texts) {
    std::vector<Tokens> directives;
    for (const std::string_view text : texts) {
      const File& file = files_.emplace_back(text);
      directives.insert(directives.end(), file.directives.begin(), file.directives.end());
    }
    device_ = device_words(directives);
    for (const Tokens line : directives) {
      if (line.size() > 3 && line[1].is("define"))
        macros_[std::string(line[2].text)].push_back(line.subspan(3));
    }
    for (std::size_t file = 0; file < files_.size(); ++file) add_file(file);
    leave_out_overloads();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      for (const std::string& name : items_[i].names) by_name_[name].push_back(i);
    }
  }

  // Keeps all code for the device, or, for `only_named`, what is needed for the code `entry`.
  void keep(const std::vector<Token>& entry, bool only_named) {
    for (const Tokens tokens : unread_) need(tokens);
    need(entry);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      const bool is_instance = item.declaration.kind == DeclarationKind::instance;
      const bool is_wanted = item.is_device && (!only_named || item.names.empty());
      if (item.parent < 0 && is_wanted && !is_instance) keep(i);
    }
    work();
    keep_instances();
    keep_assertions();
  }

  std::string text(std::size_t file) const {
    const File& of = files_[file];
    std::string result(of.text);
    std::vector<std::pair<std::size_t, std::size_t>> removed;  // offsets
    for (const Item& item : items_) {
      const bool with_parent = item.parent >= 0 && !items_[item.parent].is_kept;
      if (item.file != file || item.is_kept || with_parent) continue;
      const Tokens tokens = item.declaration.tokens;
      removed.emplace_back(tokens.front().at, tokens.back().end());
    }
    for (const auto& [begin, end] : removed) {
      for (std::size_t at = begin; at < end; ++at) {
        if (result[at] != '\n') result[at] = ' ';
      }
    }
    for (const Tokens line : of.directives) {
      const std::size_t begin = line.front().at, length = line.back().end() - begin;
      const auto after =
          std::ranges::upper_bound(removed, begin, {}, [](const auto& r) { return r.first; });
      const bool is_inside = after != removed.begin() && begin < std::prev(after)->second;
      const bool is_of_code = line.size() > 1 && (line[1].is("pragma") || line[1].is("include"));
      if (is_of_code && is_inside) continue;
      result.replace(begin, length, of.text.substr(begin, length));
    }
    declare_namespaces(file, result);
    return result;
  }

 private:
  // A kernel is named without its parameters. So only the first definition of a name stays, with
  // the declarations and overloads that have as many parameters.
  void leave_out_overloads() {
    const auto parameters_of = [](const Item& item) {
      const Tokens head = item.declaration.head;
      const std::size_t open = item.declaration.parameters + 1;
      return split(head.subspan(open, closing(head, open - 1) - open), ",").size();
    };
    const auto is_kernel = [](const Item& item) {
      return item.declaration.kind == DeclarationKind::function && item.parent < 0 &&
             !item.names.empty() && has(item.declaration.head, "__global__");
    };
    std::map<std::string, std::size_t> first;  // by its scope and name
    const auto name_of = [](const Item& item) {
      return item.declaration.scope + "::" + item.names.front();
    };
    for (const Item& item : items_) {
      if (is_kernel(item) && !item.declaration.body.empty())
        first.try_emplace(name_of(item), parameters_of(item));
    }
    for (Item& item : items_) {
      const auto defined = is_kernel(item) ? first.find(name_of(item)) : first.end();
      if (defined == first.end() || defined->second == parameters_of(item)) continue;
      item.is_host = true;
      item.is_device = false;
    }
  }

  void add_file(std::size_t file) {
    const auto declarations = declarations_in(files_[file].code);
    if (!declarations) {
      unread_.push_back(files_[file].code);
      return;
    }
    for (const Declaration& one : *declarations) add(file, one, -1);
  }

  bool is_constant(const Declaration& one) const {
    static const Words words = {"constexpr", "consteval"};
    return has_any(one.head, words);
  }

  void add(std::size_t file, const Declaration& one, int parent) {
    Item item{.file = file, .declaration = one, .parent = parent};
    item.needs = one.tokens;
    const bool is_namespace = one.kind == DeclarationKind::namespace_name;
    if (is_namespace && one.head.size() > 2 && one.head[0].is("namespace")) {
      aliases_.insert(one.head[1].text);
    }
    item.is_device = has_any(one.head, device_);
    for (const std::string_view name : names_of(one)) item.names.emplace_back(name);
    if (one.kind == DeclarationKind::function || one.kind == DeclarationKind::instance) {
      std::string name(last_part(function_name(one)));
      if (!name.empty() && !has(one.head.first(one.parameters), "operator")) {
        item.names.push_back(std::move(name));
      } else if (one.kind == DeclarationKind::instance) {
        item.names.emplace_back(name_of_instance(one));
      }
    }
    const bool is_member = parent >= 0;
    const bool has_default = has(one.head, "default") || has(one.head, "delete");
    const bool is_plain = !item.is_device && !is_constant(one);
    if (one.kind == DeclarationKind::function) {
      item.is_host = is_plain && !(is_member && has_default);
      // Operators have no name by which code uses them.
      if (!item.is_host && item.names.empty()) item.is_device = true;
      item.goes_with_parent = is_member;
    }
    if (one.kind == DeclarationKind::variable) {
      item.is_host = is_plain && !is_member && !has(one.head, "const");
      if (is_member) {
        item.is_host = one.head.front().is("friend");
        item.goes_with_parent = !has(one.head, "static");
      }
    }
    if (one.kind == DeclarationKind::type && is_member &&
        (item.names.empty() || item.names.size() > 1)) {
      item.goes_with_parent = true;
    }
    // Text that is cut off is kept whatever it names, and the compiler says what is wrong with it.
    const Token& last = one.tokens.back();
    if (!last.is(";") && !last.is("}") && !last.is(")") && !is_member) {
      item.names.clear();
      item.is_device = true;
      item.is_host = false;
    }
    const bool is_class =
        one.kind == DeclarationKind::type && !one.head[0].is("enum") && !one.body.empty();
    const auto number = static_cast<int>(items_.size());
    items_.push_back(std::move(item));
    if (!is_class || (is_member && items_[number].goes_with_parent)) return;
    const auto members = declarations_in(one.body.subspan(1, one.body.size() - 2), true);
    if (!members) return;
    items_[number].needs = one.head;
    for (const Declaration& member : *members) add(file, member, number);
  }

  // "template struct Tile<8>;"
  static std::string_view name_of_instance(const Declaration& one) {
    std::string_view name;
    for (const Token& token : one.head.subspan(1)) {
      if (token.is("<")) break;
      if (token.is_name()) name = token.text;
    }
    return name;
  }

  void need(Tokens tokens) {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (!tokens[at].is_name()) continue;
      const bool is_member = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->"));
      const bool is_of_std = at > 1 && tokens[at - 1].is("::") && tokens[at - 2].is("std");
      if (is_of_std) continue;
      std::string name(tokens[at].text);
      if ((is_member ? needed_members_ : needed_).insert(name).second) {
        names_to_follow_.emplace_back(std::move(name), is_member);
      }
    }
  }

  void work() {
    while (!names_to_follow_.empty()) {
      const auto [name, is_member] = std::move(names_to_follow_.front());
      names_to_follow_.pop_front();
      if (const auto macro = macros_.find(name); macro != macros_.end()) {
        for (const Tokens text : macro->second) need(text);
      }
      if (const auto items = by_name_.find(name); items != by_name_.end()) {
        for (const std::size_t i : items->second) {
          if (!is_member || items_[i].parent >= 0) keep_if_possible(i);
        }
      }
    }
  }

  void keep_if_possible(std::size_t i) {
    const Item& item = items_[i];
    if (item.is_host || item.declaration.kind == DeclarationKind::instance) return;
    if (item.parent < 0 || items_[item.parent].is_kept) keep(i);
  }

  void keep(std::size_t i) {
    if (std::exchange(items_[i].is_kept, true)) return;
    need(items_[i].needs);
    // Members follow their type.
    for (std::size_t member = i + 1; member < items_.size(); ++member) {
      if (items_[member].parent < static_cast<int>(i)) break;
      if (items_[member].parent > static_cast<int>(i) || items_[member].is_host) continue;
      const auto is_needed = [&](const std::string& name) {
        return needed_.contains(name) || needed_members_.contains(name);
      };
      if (items_[member].goes_with_parent || std::ranges::any_of(items_[member].names, is_needed)) {
        keep(member);
      }
    }
  }

  // Of templates that are kept, if no host function has the same name.
  void keep_instances() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      if (item.declaration.kind != DeclarationKind::instance || item.parent >= 0) continue;
      const auto is_of = [&](const std::string& name) {
        const auto found = by_name_.find(name);
        return found != by_name_.end() &&
               std::ranges::any_of(found->second, [&](std::size_t other) {
                 return items_[other].is_kept &&
                        items_[other].declaration.kind != DeclarationKind::instance;
               });
      };
      if (std::ranges::any_of(item.names, is_of)) keep(i);
    }
    work();
  }

  // If everything that they name is kept.
  void keep_assertions() {
    for (Item& item : items_) {
      const DeclarationKind kind = item.declaration.kind;
      if (kind == DeclarationKind::namespace_name) item.is_kept = true;
      if (kind != DeclarationKind::assertion) continue;
      const auto is_left_out = [&](const Token& token) {
        const auto found = by_name_.find(std::string(token.text));
        return token.is("std") || (found != by_name_.end() &&
                                   std::ranges::none_of(found->second, [&](std::size_t other) {
                                     return items_[other].is_kept;
                                   }));
      };
      const bool has_parent = item.parent < 0 || items_[item.parent].is_kept;
      item.is_kept = has_parent && std::ranges::none_of(item.declaration.tokens, is_left_out);
    }
  }

  // "using namespace x" becomes "namespace x {} using namespace x", because the header that
  // declares it may be left out.
  void declare_namespaces(std::size_t file, std::string& text) const {
    std::vector<std::pair<std::size_t, std::string>> inserted;
    for (const Item& item : items_) {
      const Tokens tokens = item.declaration.tokens;
      if (item.file != file || item.declaration.kind != DeclarationKind::namespace_name ||
          item.parent >= 0) {
        continue;
      }
      const bool is_alias = tokens[0].is("namespace");
      const std::size_t equals = find(tokens, "=");
      if (is_alias && equals == tokens.size()) continue;
      Tokens name = tokens.subspan(is_alias ? equals + 1 : 2);
      if (!name.empty() && name.back().is(";")) name = name.first(name.size() - 1);
      if (!name.empty() && name.front().is("::")) name = name.subspan(1);
      if (name.empty() || aliases_.contains(name.front().text)) continue;
      if (!std::ranges::all_of(name, [](const Token& t) { return t.is_name() || t.is("::"); })) {
        continue;
      }
      if (!item.declaration.scope.empty()) continue;
      inserted.emplace_back(tokens.front().at, "namespace " + text_of(name) + " {} ");
    }
    for (auto one = inserted.rbegin(); one != inserted.rend(); ++one) {
      text.insert(one->first, one->second);
    }
  }

  std::deque<File> files_;  // a File must not move: tokens point into it
  Words device_, aliases_;  // words that mark device code; other names of namespaces
  std::map<std::string, std::vector<Tokens>, std::less<>> macros_;
  std::vector<Item> items_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_name_;
  std::vector<Tokens> unread_;                                // files whose braces do not match
  std::set<std::string> needed_, needed_members_;             // names; those after a "." or "->"
  std::deque<std::pair<std::string, bool>> names_to_follow_;  // true for a member's
};

std::vector<std::string> reduced(const std::vector<std::string_view>& texts, std::string_view code,
                                 bool only_named) {
  Reduction reduction(texts);
  reduction.keep(tokens_of(code), only_named);
  std::vector<std::string> result;
  for (std::size_t file = 0; file < texts.size(); ++file) result.push_back(reduction.text(file));
  return result;
}

}  // namespace

std::vector<std::string> device_code(const std::vector<std::string_view>& texts,
                                     std::string_view entry) {
  return reduced(texts, entry, false);
}

std::vector<std::string> code_of_kernel(const std::vector<std::string_view>& texts,
                                        std::string_view entry) {
  return reduced(texts, entry, true);
}

}  // namespace gemm_tutor::source
