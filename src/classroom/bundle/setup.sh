#!/usr/bin/env bash
# Installs gemm-tutor, and a compiler for its kernels, on Debian or Ubuntu. Run as root.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=/opt/gemm-tutor

export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends clang xz-utils

rm -rf "$folder"
mkdir -p "$folder"
for archive in "$source"/gemm-tutor-*.tar.xz; do
  if [[ -f $archive ]]; then tar -xJf "$archive" -C "$folder" --strip-components=1 --no-same-owner; fi
done
for part in bin lib course; do
  if [[ -d $source/$part ]]; then cp -R "$source/$part" "$folder/"; fi
done
for program in "$folder/gemm-tutor" "$folder/bin/gemm-tutor"; do
  if [[ ! -f $program ]]; then continue; fi
  chmod +x "$program"
  rm -f /usr/local/bin/gemm-tutor
  if [[ -d $source/lib ]]; then # the libraries of a program that was copied, for it alone
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s/lib exec %s "$@"\n' "$folder" "$program" >/usr/local/bin/gemm-tutor
    chmod +x /usr/local/bin/gemm-tutor
  else
    ln -s "$program" /usr/local/bin/gemm-tutor
  fi
done

# A system on which nothing can be graded must not get as far as a student.
gemm-tutor --version || {
  echo "error: gemm-tutor does not start on this system" >&2
  echo "help: Make the bundle with --archive, whose program runs on older systems, too." >&2
  exit 1
}
trial=$(mktemp -d)
gemm-tutor solution @FIRST@@COURSE@ --anyway >"$trial/solution.cu"
XDG_STATE_HOME=$trial gemm-tutor check "$trial/solution.cu" --exercise @FIRST@@COURSE@ --format junit >"$trial/results.xml" || {
  cat "$trial/results.xml" >&2
  echo "error: gemm-tutor does not find its own solution of exercise @FIRST@ right on this system" >&2
  echo "help: 'gemm-tutor device' says which compiler it uses." >&2
  exit 1
}
rm -rf "$trial"
