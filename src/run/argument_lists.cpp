#include "run/argument_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Kind = KernelParameter::Kind;

// Of the host's struct for A, B or C: "B.width", which is N.
std::optional<std::string> size_in_struct(const std::string& word) {
  const std::size_t dot = word.find_first_of(".-");
  if (dot == word.npos) return {};
  std::string before = word.substr(0, dot);
  if (lower_case(before).starts_with("dim"))  // "dimsA.x"
    before = std::string(1, before.back());
  const auto matrix = role_of_name(before);
  const std::string member = word.substr(word.find_last_of(".>") + 1);
  if (const auto size = role_of_name(member); size && is_size(*size))
    return std::string(name_of(*size));
  if (!matrix || !is_matrix(*matrix)) return {};
  const auto size = size_of_member(*matrix, member);
  return size ? std::optional<std::string>(name_of(*size)) : std::nullopt;
}

// Without sizes, as in structs, B·A is not a product of column-major matrices.
bool has_sizes(const Arguments& list) {
  return std::ranges::any_of(list, [](const Argument& one) { return is_size(one.role); });
}

}  // namespace

std::vector<KernelParameter> parameters_of(const Signature& signature,
                                           const source::Function* function) {
  std::vector<KernelParameter> result;
  for (std::size_t i = 0; i < signature.bytes.size(); ++i) {
    KernelParameter one;
    const std::string ptx = i < signature.ptx.size() ? signature.ptx[i] : "";
    std::string type = i < signature.types.size() ? signature.types[i] : "";
    if (type.empty() && function && i < function->parameters.size()) {
      type = source::text_of(function->parameters[i].tokens);  // of extern "C"
    }
    if (i < signature.names.size()) one.name = signature.names[i];
    one.is_const = type.find("const") != type.npos;
    one.is_flag = type.starts_with("bool");
    const bool is_matrix = i < signature.members.size() && is_matrix_struct(signature.members[i]);
    if (is_half(type)) {
      one.kind = Kind::floating;
    } else if (ptx.empty()) {
      one.kind = is_matrix ? Kind::pointer : Kind::other;
    } else if (ptx == "f32" || ptx == "f64") {
      one.kind = Kind::floating;
    } else {
      const bool is_pointer = type.find('*') != type.npos || (type.empty() && ptx == "u64");
      one.kind = is_pointer ? Kind::pointer : Kind::integer;
    }
    result.push_back(std::move(one));
  }
  return result;
}

std::size_t index_of(Role role, const Arguments& arguments) {
  return static_cast<std::size_t>(std::ranges::find(arguments, role, &Argument::role) -
                                  arguments.begin());
}

bool is_like_output(const std::string& name) {
  const std::string lower = lower_case(name);
  const auto is_in = [&](std::string_view word) { return lower.find(word) != lower.npos; };
  return is_in("out") || is_in("res") || is_in("dst") || role_of_name(name) == Role::c ||
         lower == "p" || lower == "d_p" || lower == "pd" || lower == "p_d" || lower == "y" ||
         lower == "o";
}

bool is_like_transposed(const std::string& name) {
  const std::string lower = lower_case(name);
  return lower == "at" || lower == "bt" || lower.ends_with("_t") ||
         lower.find("trans") != lower.npos;
}

std::optional<std::string> in_sizes(const std::string& expression, const source::HostLaunch& launch,
                                    const Arguments& arguments, std::array<Role, 3> preferred,
                                    bool is_square, const std::optional<std::string>& other) {
  const std::vector<source::Token> tokens = source::tokens_of(expression);
  std::string text;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    std::string word(tokens[at].text);
    std::size_t end = at + 1;
    if (tokens[at].is_name()) {
      while (end + 1 < tokens.size() && (tokens[end].is(".") || tokens[end].is("->"))) {
        word += std::string(tokens[end].text) + std::string(tokens[end + 1].text);
        end += 2;
      }
      const bool is_function = end < tokens.size() && tokens[end].is("(");
      if (!is_function && word != "SMs") {
        std::optional<std::string> value;
        int rank = 4;
        for (std::size_t i = 0; i < arguments.size() && i < launch.arguments.size(); ++i) {
          if (launch.arguments[i].name != word) continue;
          const Role role = arguments[i].role;
          if (role == Role::number) value = value.value_or(arguments[i].number);
          if (!is_size(role)) continue;
          if (is_square) value = std::string(name_of(preferred[0])), rank = 0;
          const auto place =
              static_cast<int>(std::ranges::find(preferred, role) - preferred.begin());
          if (place < rank) value = std::string(name_of(role)), rank = place;
        }
        if (!value) value = size_in_struct(word);
        const auto size = likely_size(word);
        if (!value && size) value = std::string(name_of(*size));
        if (!value) value = other;
        if (!value) return {};
        word = *value;
      }
    }
    if (tokens[at].after_blank && !text.empty()) text += ' ';
    text += word;
    at = end - 1;
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

bool has_other_names(const std::string& expression, const source::HostLaunch& launch) {
  Arguments any;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) any.push_back({Role::n});
  return !in_sizes(expression, launch, any, {Role::n, Role::m, Role::k});
}

ArgumentLists::ArgumentLists(const Signature& signature,
                             const std::vector<KernelParameter>& parameters,
                             const source::HostLaunch* launch, bool has_k)
    : parameters_(parameters), launch_(launch), has_k_(has_k) {
  if (launch_ && launch_->arguments.size() != parameters_.size()) launch_ = nullptr;
  read_allocations();
  by_name_ = arguments_by_name(signature);
  for (std::size_t i = 0; by_name_ && i < by_name_->size(); ++i) {
    if (const auto role = allocated_role(parameters_[i].name)) (*by_name_)[i] = {*role};
  }
  base_.resize(parameters_.size());
  const bool has_sizes = std::ranges::all_of(std::array{Role::m, Role::n, Role::k}, [&](Role size) {
    return std::ranges::any_of(parameters_,
                               [&](const auto& one) { return role_of_name(one.name) == size; });
  });
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    // Beside the sizes, a struct of numbers is no problem's but a tile's.
    if (launch_ && has_sizes && !launch_->arguments[i].members.empty())
      base_[i] = {Role::members, launch_->arguments[i].members};
    else if (const auto members = members_by_name(signature, i))
      base_[i] = *members;
    else
      classify(i);
  }
  find_read_c();
}

// "c_in", "before", "C_old"; a bias is none.
bool ArgumentLists::is_like_c_before(std::size_t i) const {
  for (const std::string& name : {parameters_[i].name, passed_argument(i).name}) {
    const std::string lower = lower_case(name);
    const auto role = role_of_name(name);
    if (role == Role::c || role == Role::read_c || lower.starts_with("c_") ||
        lower.find("cin") != lower.npos || lower.find("before") != lower.npos ||
        lower.find("old") != lower.npos)
      return true;
  }
  return false;
}

// "D", "d_out": a result beside a C.
bool ArgumentLists::is_like_result(std::size_t i) const {
  static const std::set<std::string, std::less<>> words = {"d", "out", "output", "result"};
  std::string name = lower_case(parameters_[i].name);
  for (const std::string_view mark : {"d_", "mat_", "mat"}) {
    if (name.starts_with(mark)) name.erase(0, mark.size());
  }
  return words.contains(name);
}

// Of two parameters for C, the one that the kernel does not write is what C held before. Its type
// or their names say which that is: "const float* C, float* out", "float* C, float* D".
void ArgumentLists::find_read_c() {
  if (pointers_.size() != 4) return;
  std::vector<std::size_t> both;
  for (const std::size_t i : pointers_) {
    const auto role = role_of_name(parameters_[i].name);
    if (role != Role::a && role != Role::b) both.push_back(i);
  }
  if (both.size() != 2) return;
  const bool types_say = parameters_[both[0]].is_const != parameters_[both[1]].is_const;
  const auto is_written = [&](std::size_t i) {
    return types_say ? !parameters_[i].is_const : is_like_result(i);
  };
  if (is_written(both[0])) std::swap(both[0], both[1]);
  const std::size_t read = both[0], written = both[1];
  if (!is_written(written) || !is_like_c_before(read)) return;
  read_c_ = read;
  written_c_ = written;
  base_[read] = {Role::read_c};
  std::erase(pointers_, read);
}

std::optional<Arguments> ArgumentLists::likely_by_name() const {
  Arguments result = base_;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!is_free(i)) continue;
    const auto role = role_of(i, parameters_[i].name);
    if (is_along_z(i))
      result[i] = {Role::number, passed_argument(i).value.empty() ? "1" : passed_argument(i).value};
    else if (!role)
      return {};
    else
      result[i] = {*role};
  }
  return result;
}

std::optional<Arguments> ArgumentLists::passed() const {
  if (!launch_) return {};
  Arguments result = base_;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto role = role_of(i, passed_argument(i).name);
    if (role)
      result[i] = {*role};
    else if (is_free(i) && !passed_argument(i).value.empty())
      result[i] = {Role::number, passed_argument(i).value};
    else if (is_along_z(i))
      result[i] = {Role::number, "1"};
    else if (is_free(i) && launch_->arguments[i].expression.empty())
      return {};
    else if (is_free(i))
      result[i] = {Role::number};
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::string& expression = launch_->arguments[i].expression;
    if (!is_free(i) || role_of(i, passed_argument(i).name) || expression.empty()) continue;
    const auto text = in_sizes(expression, *launch_, result, {Role::m, Role::n, Role::k});
    if (!text) return {};
    const auto size = role_of_name(*text);  // "int lda = K;"
    result[i] = size && is_size(*size) ? Argument{*size} : Argument{Role::number, *text};
  }
  return result;
}

bool ArgumentLists::is_as_named(const Arguments& list) const {
  bool has_others = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!is_free(i)) continue;
    const auto role = role_of(i, parameters_[i].name);
    if (list[i].role == Role::number && !role)
      has_others = true;
    else if (role != list[i].role)
      return false;
  }
  return has_others;
}

std::optional<Arguments> ArgumentLists::passed_otherwise(const Arguments& right) const {
  const std::optional<Arguments> list = passed();
  if (!list || *list == right || (has_sizes(right) && *list == column_major(right))) return {};
  bool is_named = true, leaves_out_k = has_k_;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if ((*list)[i] == right[i])
      leaves_out_k = leaves_out_k && right[i].role != Role::k;
    else
      is_named = is_named && is_named_as(i, right[i].role);
    if ((*list)[i].role == Role::number && right[i].role != Role::number) return {};
  }
  const auto passes = [&](Role role) { return std::ranges::count(*list, Argument{role}) > 0; };
  leaves_out_k = leaves_out_k && passes(Role::m) && passes(Role::n);
  const bool is_order = std::ranges::is_permutation(*list, right);
  const bool is_mistake =
      (is_named && (is_order || leaves_out_k)) || has_other_strides(*list, right);
  return is_mistake ? list : std::nullopt;
}

std::vector<Arguments> ArgumentLists::all() const {
  if (pointers_.size() != 3) {
    return by_name_ ? std::vector<Arguments>{*by_name_} : std::vector<Arguments>{};
  }
  std::vector<std::pair<int, Arguments>> found;
  for (const auto& [pointer_cost, order] : pointer_orders()) {
    Arguments list = base_;
    for (std::size_t i = 0; i < 3; ++i) list[pointers_[i]] = {order[i]};
    add_sizes(found, list, 0, pointer_cost);
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<Arguments> result;
  if (const auto named = by_name_ ? by_name_ : likely_by_name()) {
    result.push_back(*named);
    result.push_back(column_major(*named));
  }
  for (auto& [cost, list] : found) {
    if (by_name_ && is_against_names(list)) continue;
    if (!by_name_ && leaves_out_a_size(list)) continue;
    if (!std::ranges::count(result, list)) result.push_back(std::move(list));
  }
  return result;
}

std::size_t ArgumentLists::sizes() const {
  const auto is_size = [&](std::size_t i) { return !is_small_number(i) && !is_along_z(i); };
  return static_cast<std::size_t>(std::ranges::count_if(sizes_, is_size));
}

Arguments ArgumentLists::column_major(Arguments list) const {
  for (std::size_t i = 0; i < list.size(); ++i) {
    Role& role = list[i].role;
    const std::string& name = parameters_[i].name;
    const bool is_stride = is_size(role) && !role_of_name(name) && !name.empty();
    if (is_stride)
      role = lower_case(name).back() == 'b' ? Role::k : Role::n;
    else
      role = role == Role::a   ? Role::b
             : role == Role::b ? Role::a
             : role == Role::m ? Role::n
             : role == Role::n ? Role::m
                               : role;
  }
  return list;
}

// With A for B and the sizes of the names it is B·A, which such a kernel computes; and with M for
// both M and N a kernel with a wrong stride would be right.
bool ArgumentLists::is_against_names(const Arguments& list) const {
  if (!std::ranges::is_permutation(list, *by_name_)) return true;
  return std::ranges::equal(list, *by_name_, [](const Argument& one, const Argument& named) {
    return is_matrix(one.role) || one == named;
  });
}

// What is passed as M, N and K are these, so that host code has no square matrices in mind.
bool ArgumentLists::has_other_strides(const Arguments& list, const Arguments& right) const {
  std::set<Role> sizes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto role = role_of_name(parameters_[i].name);
    const bool is_stride = is_size(right[i].role) && !role;
    if (!is_stride && list[i] != right[i]) return false;
    if (role && is_size(*role)) sizes.insert(list[i].role);
  }
  return sizes.size() == 3;
}

// True for three sizes or more that leave out M, N or K, though the names of those that are the
// same do not say so: with N for both M and N, a kernel with a wrong stride would be right.
bool ArgumentLists::leaves_out_a_size(const Arguments& list) const {
  std::vector<std::size_t> sizes;
  std::set<Role> used;
  for (const std::size_t i : sizes_) {
    if (list[i].role == Role::number) continue;
    sizes.push_back(i);
    used.insert(list[i].role);
  }
  if (sizes.size() < 3 || used.size() == 3) return false;
  const auto is_same_variable = [&](std::size_t i, std::size_t j) {
    return !passed_argument(i).name.empty() && passed_argument(i).name == passed_argument(j).name;
  };
  return std::ranges::any_of(sizes, [&](std::size_t i) {
    return likely_role(i) != list[i].role && std::ranges::any_of(sizes, [&](std::size_t j) {
             return j != i && list[j].role == list[i].role && !is_same_variable(i, j);
           });
  });
}

// True if the kernel's name for a parameter says this role, or, for an input, says nothing.
bool ArgumentLists::is_named_as(std::size_t i, Role role) const {
  const auto named = role_of(i, parameters_[i].name);
  return named ? named == role : role == Role::a || role == Role::b;
}

bool ArgumentLists::is_free(std::size_t i) const {
  return std::ranges::count(pointers_, i) + std::ranges::count(sizes_, i) > 0;
}

// Where host code allocates m·n floats for A, n·k for B and m·k for C, n is K, and k is N. Which
// size each name is: of two matrices, the one that is not in the third. Nothing where names and
// allocations say the same.
void ArgumentLists::read_allocations() {
  if (!launch_) return;
  std::map<Role, std::set<std::string>> of_matrix;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const source::PassedArgument& one = launch_->arguments[i];
    auto role = role_of_name(parameters_[i].name);
    if (!role) role = role_of_name(one.name);
    if (parameters_[i].kind == Kind::pointer && role && is_matrix(*role))
      of_matrix[*role] = one.sizes;
  }
  std::map<std::string, Role> roles;
  bool is_as_named = true;
  for (const auto& [role, first, second, other] :
       {std::tuple{Role::m, Role::a, Role::c, Role::b},
        std::tuple{Role::n, Role::b, Role::c, Role::a},
        std::tuple{Role::k, Role::a, Role::b, Role::c}}) {
    std::string found;
    for (const source::PassedArgument& one : launch_->arguments) {
      const std::string& name = one.name;
      const bool is_of_both = of_matrix[first].contains(name) && of_matrix[second].contains(name) &&
                              !of_matrix[other].contains(name);
      if (!is_of_both || found == name) continue;
      if (!found.empty()) return;
      found = name;
    }
    const auto named = role_of_name(found);
    if (!named || !is_size(*named)) return;
    is_as_named = is_as_named && named == role;
    roles.emplace(lower_case(found), role);
  }
  if (!is_as_named) of_allocation_ = std::move(roles);
}

std::optional<Role> ArgumentLists::allocated_role(const std::string& name) const {
  const auto found = of_allocation_.find(lower_case(name));
  return found == of_allocation_.end() ? std::nullopt : std::optional(found->second);
}

// As role_of_name(), but for sizes as they are allocated.
std::optional<Role> ArgumentLists::named_role(const std::string& name) const {
  const auto role = allocated_role(name);
  return role ? role : role_of_name(name);
}

// The matrix, size or scale that a name says of a parameter.
std::optional<Role> ArgumentLists::role_of(std::size_t i, const std::string& name) const {
  const Kind kind = parameters_[i].kind;
  if (i == read_c_) return Role::read_c;
  if (i == written_c_) return Role::c;
  auto role = named_role(name);
  if (!role && kind == Kind::integer) role = likely_size(name);
  if (!role) return {};
  const bool fits = kind == Kind::pointer    ? is_matrix(*role)
                    : kind == Kind::integer  ? is_size(*role)
                    : kind == Kind::floating ? is_scale(*role)
                                             : false;
  return fits ? role : std::nullopt;
}

const source::PassedArgument& ArgumentLists::passed_argument(std::size_t i) const {
  static const source::PassedArgument none;
  return launch_ ? launch_->arguments[i] : none;
}

// It may be a number, such as a tile's side, or a size that the file happens to choose.
bool ArgumentLists::may_be_number(std::size_t i) const {
  const auto role = role_of_name(parameters_[i].name);
  const bool is_named_size = (role && is_size(*role)) || likely_size(parameters_[i].name);
  // Three variables are M, N and K, whatever host code sets them to.
  const bool is_one_of_three = sizes_.size() == 3 && !passed_argument(i).name.empty();
  return !passed_argument(i).value.empty() && !is_named_size && !is_one_of_three;
}

bool ArgumentLists::is_small_number(std::size_t i) const {
  return may_be_number(i) && passed_argument(i).value.size() <= 2;
}

void ArgumentLists::classify(std::size_t i) {
  const KernelParameter& one = parameters_[i];
  switch (one.kind) {
    case Kind::pointer:
      pointers_.push_back(i);
      return;
    case Kind::floating:
      base_[i] = scale(i);
      return;
    case Kind::integer: {
      const std::string& value = passed_argument(i).value;
      const auto role = role_of_name(one.name);
      if (role && is_scale(*role)) {
        base_[i] = {*role};
      } else if (one.is_flag || passed_argument(i).is_of_device) {
        base_[i] = {Role::number, value.empty() ? "0" : value};
      } else {
        sizes_.push_back(i);
      }
      return;
    }
    case Kind::other:
      return;
  }
}

// True for the number of blocks along z, unless it is a size.
bool ArgumentLists::is_along_z(std::size_t i) const {
  const std::string& name = passed_argument(i).name;
  return parameters_[i].kind == Kind::integer && !name.empty() && launch_->grid[2] == name &&
         !role_of(i, name) && !role_of(i, parameters_[i].name);
}

Argument ArgumentLists::scale(std::size_t i) {
  const auto role = role_of_name(parameters_[i].name);
  if (role && is_scale(*role)) return {*role};
  const auto is_used = [&](Role wanted) { return std::ranges::count(base_, Argument{wanted}) > 0; };
  // A literal 0 is where sums begin, for example, which no value of alpha may replace.
  const std::string& value = passed_argument(i).value;
  const bool is_zero = !value.empty() && std::strtod(value.c_str(), nullptr) == 0;
  if (!is_used(Role::alpha)) return is_zero ? Argument{Role::number, value} : Argument{Role::alpha};
  if (!is_used(Role::beta)) return {Role::beta};
  return {Role::number, value.empty() ? "1" : value};
}

// The six orders of A, B and C, with how much each speaks against what names and types say.
std::vector<std::pair<int, std::array<Role, 3>>> ArgumentLists::pointer_orders() const {
  std::vector<std::pair<int, std::array<Role, 3>>> result;
  std::array<Role, 3> order = {Role::a, Role::b, Role::c};
  std::size_t outputs = 0;
  for (const std::size_t i : pointers_) outputs += !parameters_[i].is_const;
  do {
    int cost = 0;
    Role before = Role::a;
    for (std::size_t p = 0; p < 3; ++p) {
      const KernelParameter& one = parameters_[pointers_[p]];
      const auto named = role_of_name(one.name);
      const bool is_output = order[p] == Role::c;
      if (is_output && one.is_const) cost += 100;
      if (named && is_matrix(*named)) {
        cost += named != order[p] ? 2 : 0;
      } else if (is_output && outputs != 1 && !is_like_output(one.name) &&
                 !is_like_output(passed_argument(pointers_[p]).name)) {
        cost += p == 2 ? 1 : 2;
      } else if (!is_output && is_like_output(one.name)) {
        cost += 2;
      }
      if (!is_output && order[p] < before) ++cost;
      if (!is_output) before = order[p];
    }
    if (cost < 100) result.emplace_back(cost, order);
  } while (std::ranges::next_permutation(order).found);
  return result;
}

std::optional<Role> ArgumentLists::likely_role(std::size_t i) const {
  for (const std::string& name : {parameters_[i].name, passed_argument(i).name}) {
    const auto role = named_role(name);
    if (role && is_size(*role)) return role;
    if (const auto likely = likely_size(name)) return likely;
  }
  return {};
}

void ArgumentLists::add_sizes(std::vector<std::pair<int, Arguments>>& found, const Arguments& list,
                              std::size_t next, int cost) const {
  constexpr std::size_t most_lists = 3000;
  if (next == sizes_.size()) {
    if (found.size() < most_lists) found.emplace_back(cost + cost_of_sizes(list), list);
    return;
  }
  const std::size_t i = sizes_[next];
  if (is_along_z(i)) {  // as host code says, or one product of a batch
    for (const std::string& value : {passed_argument(i).value, std::string("1")}) {
      Arguments longer = list;
      longer[i] = {Role::number, value};
      if (!value.empty()) add_sizes(found, longer, next + 1, cost + (value == "1" ? 1 : 0));
    }
    return;
  }
  const auto likely = likely_role(i);
  // With more sizes than these, only some are free.
  const bool is_free = sizes_.size() <= 4 || next < 3 || !likely;
  const bool is_small = is_small_number(i);
  if (may_be_number(i)) {
    Arguments longer = list;
    longer[i] = {Role::number, passed_argument(i).value};
    add_sizes(found, longer, next + 1, cost + (is_small ? 0 : 1));
  }
  for (const Role role : {Role::m, Role::n, Role::k}) {
    if (!is_free && role != likely && cost == 0) continue;
    Arguments longer = list;
    longer[i] = {role};
    const bool is_unlikely = is_small || (likely && role != likely);
    add_sizes(found, longer, next + 1, cost + (is_unlikely ? 1 : 0));
  }
}

// Different parameters are different sizes, in the order M, N, K, as far as that is possible.
int ArgumentLists::cost_of_sizes(const Arguments& list) const {
  std::set<Role> used;
  int cost = 0;
  for (std::size_t n = 0; n < sizes_.size(); ++n) {
    const Role role = list[sizes_[n]].role;
    if (role == Role::number) continue;
    if (!used.insert(role).second && n < 3) cost += 2;
  }
  return cost;
}

}  // namespace gemm_tutor
