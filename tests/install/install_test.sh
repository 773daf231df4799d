#!/usr/bin/env bash
# Installs a build below a new prefix and uses it as someone would who has nothing else of gemm-tutor:
# install_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build_dir" --prefix "$prefix" >"$work/log"

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

for file in bin/gemm-tutor share/doc/gemm-tutor/{README.md,CHANGELOG.md,LICENSE,NOTICE,docs/teaching.md}; do
  [[ -f $prefix/$file ]] || fail "$file was not installed"
done
for file in bash-completion/completions/gemm-tutor zsh/site-functions/_gemm-tutor \
  fish/vendor_completions.d/gemm-tutor.fish; do
  cmp "$source_dir/share/$file" "$prefix/share/$file" || fail "share/$file was not installed"
done
page=share/man/man1/gemm-tutor.1 # where there is help2man
[[ ! -f $build_dir/$page || -f $prefix/$page ]] || fail "$page was not installed"
for directory in "$source_dir" "$build_dir"; do
  if grep -qaF -- "$directory" "$prefix/bin/gemm-tutor"; then fail "the program has $directory in it"; fi
done

mkdir "$work/empty" "$work/home"
cd "$work/empty"
PATH=$prefix/bin:$PATH
export HOME=$work/home XDG_STATE_HOME=$work/home/state XDG_CACHE_HOME=$work/home/cache LC_ALL=C.UTF-8
gemm-tutor --version
bash "$prefix/share/bash-completion/completions/gemm-tutor" gemm-tutor lesson shared- | grep -q '^shared-memory-tile' ||
  fail 'bash completes no lesson'
gemm-tutor lesson 3 --size 64 --backend emulator | grep -q '✓ all 4,096 elements' || fail 'lesson 3 says something else'
gemm-tutor exercise start 3 >/dev/null
[[ -f 03-shared-memory-tile.cu ]] || fail 'exercise start wrote no file'
status=0
gemm-tutor check --backend emulator >"$work/check" || status=$?
[[ $status -eq 1 ]] || fail "check ended with $status: $(cat "$work/check")"
gemm-tutor compare 1 2 --size 64 --backend emulator --html ladder.html >/dev/null
grep -q '</html>' ladder.html || fail 'compare wrote no page'
