#!/usr/bin/env python3
"""gpuc-opt judged by MLIR's own tests.

    python3 benches/peers/mlir_tests.py MLIR/test [files|chunks] [--tool target/release/gpuc-opt] [NAME...]

MLIR/test is the folder of that name in a source tree of MLIR 19 (`apt-get source llvm-toolchain-19`); mlir-opt-19 and
FileCheck-19 are Debian's (mlir-19-tools, llvm-19-tools). Counted are tests that mlir-opt-19 itself passes here:

files   whole files: each of their RUN lines, with gpuc-opt in mlir-opt's place
chunks  parts between `// -----`: those without foreign dialects that mlir-opt takes come back as it prints them, and those
        that it refuses in tests of messages are refused; those that do not are named, with their number in the file
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

FOLDERS = """IR Dialect/Affine Dialect/SCF Dialect/Arith Dialect/MemRef Dialect/GPU Dialect/Vector Dialect/Func
    Dialect/ControlFlow Dialect/Index Dialect/Math Dialect/Complex Dialect/Builtin Transforms Conversion Pass Analysis
    mlir-opt""".split()
# Chunks of these folders, of what is shared.
SHARED = re.compile(r"(?!Pass|Analysis|mlir-opt|Conversion)|Conversion/(Affine|SCFTo(GPU|ControlFlow)|VectorToSCF|GPUCommon|"
                    r"ArithTo|MathTo|MemRefToLLVM)")
FOREIGN = set("""tensor linalg tosa spirv llvm nvvm transform test shape async complex index bufferization sparse_tensor omp acc
    pdl pdl_interp emitc nvgpu amdgpu rocdl arm_sme arm_neon arm_sve ub quant irdl ml_program mesh x86vector amx polynomial dlti
    mpi xegpu vcix""".split())


def tests(root):
    for folder in FOLDERS:
        for where, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if name.endswith(".mlir"):
                    yield os.path.relpath(os.path.join(where, name), root)


def runs(text):
    lines, begun = [], ""
    for match in re.finditer(r"\bRUN:(.*)$", text, re.M):
        line = match.group(1).strip()
        begun += line.rstrip("\\") + " " if line.endswith("\\") else line
        if not line.endswith("\\"):
            lines.append(begun)
            begun = ""
    return lines


def passes(root, name, tool, folder):
    """Whether every RUN line of a file succeeds."""
    path = os.path.join(root, name)
    for number, line in enumerate(runs(read(path))):
        out = os.path.join(folder, f"{name.replace('/', '_')}.{os.path.basename(tool)}.{number}")
        line = line.replace("%s", path).replace("%S", os.path.dirname(path)).replace("%t", out).replace("%%", "%")
        for word, program in [("mlir-opt", tool), ("FileCheck", "FileCheck-19"), ("mlir-translate", "mlir-translate-19")]:
            line = re.sub(rf"(?<![\w./-]){word}(?![\w-])", program, line)
        line = re.sub(r"(?<![\w./-])not(?= )", "refused", line)
        script = "refused() { ! \"$@\"; }; ulimit -v 4000000; set -o pipefail; " + line
        try:
            done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=20, cwd=folder)
        except subprocess.TimeoutExpired:
            return False
        if done.returncode != 0:
            return False
    return True


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def opt(tool, text):
    command = [tool, "-", "--allow-unregistered-dialect"]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", timeout=20)
    except subprocess.TimeoutExpired:
        return None, "", "timeout"
    return done.returncode, done.stdout, done.stderr


def has_foreign(text):
    code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', re.sub("//.*", "", text))
    found = set(re.findall(r"(?:^|[\s=(])([a-z_]+)\.[a-z_]+", code)) | set(re.findall(r"[!#]([a-z_]+)[.<]", code))
    return bool(found & FOREIGN)


def judge_chunk(tool, text, tests_messages):
    """('round trip' or 'refused', whether it is as with mlir-opt), or None where the chunk says nothing."""
    if not text.strip() or has_foreign(text) or tests_messages and "expected-error" not in text:
        return None
    refused, printed, _ = opt("mlir-opt-19", text)
    if tests_messages:
        code, _, said = opt(tool, text)
        return ("refused", code not in (0, None) and "panicked" not in said) if refused else None
    if refused:
        return None
    code, ours, _ = opt(tool, text)
    if code != 0:
        return ("round trip", False)
    return ("round trip", opt("mlir-opt-19", ours)[1] == printed)


def count_files(root, tool, names):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        with_runs = [name for name in names if any("mlir-opt" in line for line in runs(read(os.path.join(root, name))))]
        valid = pool.map(lambda name: passes(root, name, "mlir-opt-19", folder), with_runs)
        valid = [name for name, passed in zip(with_runs, valid) if passed]
        passed = list(pool.map(lambda name: passes(root, name, tool, folder), valid))
    for name, good in zip(valid, passed):
        print("passed" if good else "failed", name)
    print(f"{sum(passed)} of {len(valid)} whole files pass")


def count_chunks(root, tool, names):
    jobs = []
    for name in filter(SHARED.match, names):
        text = read(os.path.join(root, name))
        lines = " ".join(runs(text))
        if "mlir-opt" in lines:
            chunks = re.split(r"^// -----.*$", text, flags=re.M)
            jobs += [(f"{name}#{number}", chunk, "verify-diagnostics" in lines) for number, chunk in enumerate(chunks)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(lambda job: judge_chunk(tool, *job[1:]), jobs))
    for (name, _, _), verdict in zip(jobs, judged):
        if verdict and not verdict[1]:
            print("failed", verdict[0], name)
    found = list(filter(None, judged))
    for kind in ["round trip", "refused"]:
        good = [is_good for of, is_good in found if of == kind]
        print(f"{kind}: {sum(good)} of {len(good)} chunks")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("what", choices=["files", "chunks"])
    parser.add_argument("--tool", default="target/release/gpuc-opt")
    parser.add_argument("names", nargs="*", help="parts of names of the files that count")
    given = parser.parse_intermixed_args()
    names = [name for name in tests(given.root) if not given.names or any(part in name for part in given.names)]
    if not names:
        sys.exit(f"no tests in {given.root}")
    count = count_files if given.what == "files" else count_chunks
    count(os.path.abspath(given.root), os.path.abspath(given.tool), names)


main()
