// What the parameters of a user's kernel may be: the lists of arguments to try.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/arguments.hpp"
#include "source/host_launch.hpp"

namespace gemm_tutor {

using Arguments = std::vector<Argument>;

struct KernelParameter {
  enum class Kind { pointer, integer, floating, other };
  std::string name;  // in the kernel; empty if not known
  Kind kind = Kind::other;
  bool is_flag = false;   // a bool
  bool is_const = false;  // points to constant data
};

// `function` is the kernel's definition, or null.
std::vector<KernelParameter> parameters_of(const Signature& signature,
                                           const source::Function* function);

// "out", "d_C": the name of what a kernel writes.
bool is_like_output(const std::string& name);

// "B_T", "bt", "B_transposed".
bool is_like_transposed(const std::string& name);

// Returns the size of the list if none has that role.
std::size_t index_of(Role role, const Arguments& arguments);

// Returns an expression over the names of passed variables as one over M, N and K. Nothing if a
// name is neither, unless `other` is given for such names. A variable that is passed as several
// sizes is the first of `preferred` among them.
std::optional<std::string> in_sizes(const std::string& expression, const source::HostLaunch& launch,
                                    const Arguments& arguments, std::array<Role, 3> preferred,
                                    bool is_square = false,
                                    const std::optional<std::string>& other = {});

// True if a grid needs a value that is neither passed to the kernel nor a size, such as a parameter
// of the function that launches it.
bool has_other_names(const std::string& expression, const source::HostLaunch& launch);

// All lists of arguments that may be right, the likeliest first.
class ArgumentLists {
 public:
  // `launch` may be null. `has_k`: host code has a variable K.
  ArgumentLists(const Signature& signature, const std::vector<KernelParameter>& parameters,
                const source::HostLaunch* launch, bool has_k = false);

  bool names_say_all() const { return by_name_.has_value(); }

  // The arguments as the names of parameters say, also where these are no letters: "numARows".
  std::optional<Arguments> likely_by_name() const;

  // The arguments as the names of the launch's variables say. A number is passed as it is.
  std::optional<Arguments> passed() const;

  // True for a launch that passes under each name what that says, and numbers or expressions
  // besides. With others in place of these, a kernel might be right that is wrong as it is
  // launched.
  bool is_as_named(const Arguments& list) const;

  // Those that are passed, if these are the right ones in another order, against the names of
  // parameters, or with N twice where host code has a K, or with other strides. The product of
  // column-major matrices is no mistake.
  std::optional<Arguments> passed_otherwise(const Arguments& right) const;

  std::vector<Arguments> all() const;

  // How many parameters are sizes, without those that are passed a small number.
  std::size_t sizes() const;

  // The product of column-major matrices with these names: its C is the row-major transpose of B·A.
  // A stride is that of the other matrix.
  Arguments column_major(Arguments list) const;

 private:
  bool is_like_c_before(std::size_t i) const;
  bool is_like_result(std::size_t i) const;
  void find_read_c();
  bool is_against_names(const Arguments& list) const;
  bool has_other_strides(const Arguments& list, const Arguments& right) const;
  bool leaves_out_a_size(const Arguments& list) const;
  bool is_named_as(std::size_t i, Role role) const;
  bool is_free(std::size_t i) const;
  void read_allocations();
  std::optional<Role> allocated_role(const std::string& name) const;
  std::optional<Role> named_role(const std::string& name) const;
  std::optional<Role> role_of(std::size_t i, const std::string& name) const;
  const source::PassedArgument& passed_argument(std::size_t i) const;
  bool may_be_number(std::size_t i) const;
  bool is_small_number(std::size_t i) const;
  void classify(std::size_t i);
  bool is_along_z(std::size_t i) const;
  Argument scale(std::size_t i);
  std::vector<std::pair<int, std::array<Role, 3>>> pointer_orders() const;
  std::optional<Role> likely_role(std::size_t i) const;
  void add_sizes(std::vector<std::pair<int, Arguments>>& found, const Arguments& list,
                 std::size_t next, int cost) const;
  int cost_of_sizes(const Arguments& list) const;

  const std::vector<KernelParameter>& parameters_;
  const source::HostLaunch* launch_;
  bool has_k_;                                 // host code has a variable K
  std::map<std::string, Role> of_allocation_;  // sizes that are not what their names say
  std::optional<Arguments> by_name_;
  Arguments base_;  // with the roles that are certain
  std::vector<std::size_t> pointers_, sizes_;
  std::optional<std::size_t> read_c_, written_c_;  // if these are two parameters
};

}  // namespace gemm_tutor
