"""For Classroom 50: grades the student's checkout, and writes result.json from JUnit's XML.

Copy it, with the other files of its folder, to CLASSROOM/autograders/ASSIGNMENT of the teacher's repository.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

here = pathlib.Path(__file__).resolve().parent
subprocess.run(["sudo", "bash", str(here / "setup.sh")], check=True, stdout=sys.stderr)
command = "gemm-tutor check . --exercise @EXERCISES@@OPTIONS@ --seed @SEED@ --format junit"
ran = subprocess.run(command.split(), stdout=subprocess.PIPE)
if ran.returncode not in (0, 1):  # 0: all is solved; 1: something is not; negative: a signal
    sys.exit(f"gemm-tutor ended with {ran.returncode}")


def points(element, name):
    return int(element.find(f"properties/property[@name='{name}']").get("value"))


tests = []
for suite in xml.fromstring(ran.stdout):
    for case in suite.iter("testcase"):
        score, most = points(case, "points"), points(case, "max_points")
        passed = case.find("failure") is None and case.find("skipped") is None
        name = f"{suite.get('name')}: {case.get('name')}"
        tests.append({"test-name": name, "passed": passed, "score": score, "max-score": most})

now = datetime.datetime.now(datetime.timezone.utc)
result = {
    "schema": "classroom50/result/v1",
    "classroom": os.environ["CLASSROOM"],
    "assignment": os.environ["ASSIGNMENT"],
    "submission": os.environ["SUBMISSION_TAG"],
    "commit": os.environ["COMMIT_URL"],
    "release": os.environ["RELEASE_URL"],
    "review": os.environ.get("REVIEW_URL") or os.environ["COMMIT_URL"],
    "datetime": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
    "score": sum(test["score"] for test in tests),
    "max-score": sum(test["max-score"] for test in tests),
    "tests": tests,
}
pathlib.Path("result.json").write_text(json.dumps(result, indent=2) + "\n")
