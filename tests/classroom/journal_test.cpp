#include "classroom/gradebook.hpp"

#include "catch.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

TEST_CASE("a journal keeps marks until it is removed") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "below" / "grading.jsonl";
  {
    Journal journal(path, false);
    CHECK(journal.size() == 0);
    journal.add("anna", {{50, 25, 25}, "", "", 7, 0.5});
    journal.add("bob", no_mark("compile", "line 3: wrong"));
    journal.note_folder("/tmp/left");
    CHECK_THROWS_AS(Journal(path, false), Error);  // another is at it
  }
  {
    const Journal journal(path, false);
    CHECK(journal.size() == 2);
    CHECK(journal.find("anna")->points.total() == 100);
    CHECK(journal.find("bob")->reason == "line 3: wrong");
    CHECK_FALSE(journal.find("chris"));
    CHECK(journal.folders_left() == std::vector<std::string>{"/tmp/left"});
  }
  {
    Journal fresh(path, true);
    CHECK(fresh.size() == 0);
    CHECK(fresh.folders_left().size() == 1);
  }
  Journal journal(path, false);
  CHECK(journal.size() == 0);
  journal.remove();
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("damaged lines of a journal are as if they were not there") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "grading.jsonl";
  {
    Journal journal(path, false);
    journal.add("anna", no_mark("compile", "first"));
    journal.add("bob", no_mark("compile", "second"));
  }
  std::string text = *read_file(path);
  text.resize(text.size() - 7);
  REQUIRE(write_file_atomically(path,
                                "\xff\n[]\n{\"key\": 3}\n{\"key\": \"x\", \"mark\": 3}\n" + text));
  {
    Journal journal(path, false);
    CHECK(journal.size() == 1);
    CHECK(journal.find("anna"));
    journal.add("chris", no_mark("compile", "third"));
  }
  CHECK(Journal(path, false).size() == 2);
}

TEST_CASE("without a path, or a place to write, nothing is kept and nothing fails") {
  for (const char* path : {"", "/proc/no/such/folder/x.jsonl"}) {
    Journal journal(path, false);
    journal.add("anna", no_mark("compile", "first"));
    CHECK(journal.size() == 0);
    journal.remove();
  }
}
