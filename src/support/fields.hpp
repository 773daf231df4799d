// Encodes a list of texts as one text, for a file or a pipe. The texts may have any bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

using Fields = std::vector<std::string>;

// Writes each field as its length, a colon and its bytes.
std::string encode_fields(const Fields& fields);

// Returns nothing if the text is not a result of encode_fields().
std::optional<Fields> decode_fields(std::string_view bytes);

}  // namespace gemm_tutor
