// Bundles: the files that an autograder needs to check exercises with this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exercise/exercise.hpp"

namespace gemm_tutor {

struct BundleFile {
  std::string path;  // in the bundle's folder
  std::string contents;
  bool is_executable = false;
};

struct BundleRequest {
  std::vector<const Exercise*> exercises;  // at least one
  std::string hidden;                      // the value of check's --hide; may be empty
  std::filesystem::path archive;  // gemm-tutor-VERSION-linux-x86_64.tar.xz; empty for this program
  std::filesystem::path course;   // the value of --course; may be empty. Hidden files are left out
  std::uint64_t seed = 1;         // the value of check's --seed
};

// What Gradescope takes: setup.sh, run_autograder, and the program. In autograder.zip, too, which
// is what is uploaded. Both throw Error (usage) if a file of the request cannot be read.
std::vector<BundleFile> gradescope_bundle(const BundleRequest& request);

// A repository for students: the exercises as handed out, a workflow for GitHub Actions, and the
// program. autograder.py is for Classroom 50. Students can read the workflow, so that it takes the
// seed from a secret.
std::vector<BundleFile> github_bundle(const BundleRequest& request);

// Writes into a folder that does not exist or is empty. Throws Error (usage) for other folders, and
// Error (unavailable) if it cannot be written; then the folder is left empty.
void check_bundle_folder(const std::filesystem::path& folder);
void write_bundle(const std::filesystem::path& folder, const std::vector<BundleFile>& files);

}  // namespace gemm_tutor
