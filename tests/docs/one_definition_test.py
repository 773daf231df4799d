#!/usr/bin/env python3
"""Two types of one name in one namespace are undefined behaviour that no compiler reports: the linker keeps one of the
two versions of std::vector<T>::push_back. This looks for the second definition: one_definition_test.py ROOT
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

# Types begin their line, because clang-format does not indent what is in a namespace.
TYPE = re.compile(r"(?:struct|class|enum class) (\w+)(?!\w|::)[^;({]*(?:\{.*)?$")
NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*\{$")
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|' r"'(?:\\.|[^'\\])'|//.*")


def types_of(text):
    """The full names of the types outside of unnamed namespaces."""
    namespaces, depth = [], 0
    for line in RAW_STRING.sub("", text).split("\n"):
        line = LITERAL.sub(" ", line).rstrip()
        if found := NAMESPACE.match(line):
            namespaces.append((found[1], depth))
        if (found := TYPE.match(line)) and all(name for name, _ in namespaces):
            yield "::".join([name for name, _ in namespaces] + [found[1]])
        depth += line.count("{") - line.count("}")
        while namespaces and namespaces[-1][1] >= depth:
            namespaces.pop()


def defined_twice(texts):
    files = defaultdict(set)
    for file, text in texts.items():
        for name in types_of(text):
            files[name].add(file)
    return {name: sorted(where) for name, where in files.items() if len(where) > 1}


one = "namespace a::b {\nnamespace {\nstruct Own {};\n}  // namespace\nstruct Term {\n  int a;\n};\nclass Other;\n}\n"
other = "namespace a::b {\nstruct Term {};\nclass Other {};\nstruct Own {};\nclass Other::Part {};\n}\n"
assert defined_twice({"one": one, "other": other}) == {"a::b::Term": ["one", "other"]}

root = Path(sys.argv[1])
texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
         for folder in ("src", "tests") for path in sorted((root / folder).rglob("*.[ch]pp"))}
twice = defined_twice(texts)
for name, where in twice.items():
    print(f"{name} is defined in {' and in '.join(where)}")
sys.exit(1 if twice else 0)
