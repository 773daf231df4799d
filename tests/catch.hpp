// Catch2 2.13 (Debian 12) and 3 (Ubuntu 24.04) under one include, and a way to skip that both have.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // which 2.13 has without a name before it
#else
#include <catch2/catch.hpp>
#endif

#include <cstdio>

// Ends the test case as skipped; CTest reports it so because of the line it prints.
#define SKIP_BECAUSE(reason)                                   \
  do {                                                         \
    std::printf("SKIPPED: %s\n", std::string(reason).c_str()); \
    SUCCEED(reason);                                           \
    return;                                                    \
  } while (false)
