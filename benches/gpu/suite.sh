#!/usr/bin/env bash
# Runs every example on a real GPU, checks and times it, and writes the results as JSON.
#
#   benches/gpu/suite.sh BINARIES [OUTPUT.json]
#
# BINARIES is a folder with the release build of gpuc and its run-time library (target/release).
# The machine needs bash, Python 3, a C compiler and an NVIDIA driver, but no Rust. Exits with 1
# if an example fails or is wrong; the JSON is written in any case.
set -u
export LC_ALL=C

usage() { echo "usage: $0 BINARIES [OUTPUT.json]" >&2; exit 2; }
[ $# -ge 1 ] && [ $# -le 2 ] || usage
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
binaries=$(cd "$1" 2>/dev/null && pwd) || { echo "$0: no folder '$1'" >&2; exit 2; }
output=${2:-gpu-results.json}
gpuc=$binaries/gpuc

[ -x "$gpuc" ] || { echo "$0: $gpuc is not there or cannot be run" >&2; exit 2; }
for tool in python3 "${CC:-cc}"; do
    command -v "$tool" >/dev/null || { echo "$0: $tool was not found" >&2; exit 2; }
done

exec python3 "$here/suite.py" "$gpuc" "$root/examples" "$output"
