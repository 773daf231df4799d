#include "support/fields.hpp"

#include <fmt/format.h>

#include <charconv>

namespace gemm_tutor {

std::string encode_fields(const Fields& fields) {
  std::string bytes;
  for (const std::string& field : fields) bytes += fmt::format("{}:", field.size()) + field;
  return bytes;
}

std::optional<Fields> decode_fields(std::string_view bytes) {
  Fields fields;
  while (!bytes.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
    bytes.remove_prefix(end - bytes.data());
    if (error != std::errc() || !bytes.starts_with(':') || bytes.size() - 1 < size) return {};
    fields.emplace_back(bytes.substr(1, size));
    bytes.remove_prefix(1 + size);
  }
  return fields;
}

}  // namespace gemm_tutor
