#include "support/fields.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

TEST_CASE("fields of any bytes come back as they were") {
  for (const Fields& fields :
       {Fields{}, Fields{""}, Fields{"a", "", "3:b", std::string("\0:", 2)}}) {
    CHECK(decode_fields(encode_fields(fields)) == fields);
  }
}

TEST_CASE("what is cut off or changed is no list of fields") {
  for (const char* text :
       {"1", "1:", "2:a", "x:a", ":", "1:ab", "-1:a", "99999999999999999999:a"}) {
    INFO(text);
    CHECK(!decode_fields(text));
  }
}
