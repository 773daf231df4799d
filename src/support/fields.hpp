// A list of texts as one text, for a file or a pipe. The texts may hold any bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

using Fields = std::vector<std::string>;

// Each field as its length, a colon and its bytes.
std::string encode_fields(const Fields& fields);

// Nothing where the text is not what encode_fields() makes.
std::optional<Fields> decode_fields(std::string_view bytes);

}  // namespace gemm_tutor
