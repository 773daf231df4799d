#include "cli/app.hpp"

int main(int argc, char** argv) { return gemm_tutor::cli::run(argc, argv); }
