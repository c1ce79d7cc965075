"""The body of suite.sh: runs the examples with gpuc on a GPU and writes what they say as JSON.

Usage: suite.py GPUC EXAMPLES OUTPUT.json
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

# Beside the default sizes: large enough to keep a GPU busy, small enough for the host's check.
LARGE = {
    "vecadd": ["20000003"],
    "saxpy": ["20000003"],
    "sgemm": ["1025", "1025", "1025"],
    "matvec": ["4099", "8191"],
    "transpose": ["4099", "8191"],
    "jacobi2d": ["2049", "2047", "200"],
    "conv3d": ["255", "257", "259"],
    "reduction": ["20000003"],
    "black-scholes": ["4000037"],
    "spmv": ["1000003"],
    "histogram": ["20000003"],
    "mandelbrot": ["2049", "1537", "500"],
    "nbody": ["8191", "3"],
}
SECONDS = 300
ROUNDS = 3
RESULT = re.compile(
    r"^(?P<name>.+?): (?P<sizes>.+) (?P<verdict>verified|WRONG) "
    r"\((?P<measure>.+) (?P<error>\S+) (?:<=|>) (?P<tolerance>\S+)\), "
    r"device (?P<device>\S+) s, host (?P<host>\S+) s$"
)


def run(command, **settings):
    """Status, output and errors of a command; a status of None where it cannot run or end."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=SECONDS, **settings
        )
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", f"did not end within {SECONDS} s"
    except OSError as error:
        return None, "", str(error)


def machine():
    """What the driver says about the first GPU; empty strings where it says nothing."""
    fields = ["name", "driver_version", "compute_cap", "memory.total", "clocks.max.sm"]
    query = ["nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader", "--id=0"]
    status, output, _ = run(query)
    values = [value.strip() for value in output.split(",")] if status == 0 else []
    return dict(zip(fields, values + [""] * (len(fields) - len(values))))


def results(output):
    """The lines of an example's report, by name, with the figures as numbers."""
    found = {}
    for line in output.splitlines():
        match = RESULT.match(line)
        if match:
            entry = match.groupdict()
            for key in ("error", "tolerance", "device", "host"):
                entry[key] = float(entry[key])
            found[entry.pop("name")] = entry
    return found


def options_of(source):
    """The options that the example's head says it is compiled with."""
    with open(source, encoding="utf-8") as file:
        head = file.read().partition("*/")[0]
    return re.findall(r"gpuc run (-f\w+|--auto)", head)[:1]


def measure(gpuc, source, sizes, folder):
    """Compiles and runs one example, several times; the shortest device time counts."""
    program = os.path.join(folder, "program")
    options = options_of(source)
    start = time.monotonic()
    status, _, errors = run([gpuc, *options, source, "-O2", "-o", program, "-lm"])
    compiled = time.monotonic() - start
    entry = {"arguments": sizes, "compile_seconds": round(compiled, 4), "results": {}}
    if status != 0:
        return {**entry, "failure": f"compilation failed ({status}): {errors.strip()[-2000:]}"}
    # Once through `gpuc run`, which refuses any other device, then the program by itself.
    first = [gpuc, "run", "--device=cuda", "--require-gpu", *options, source, "--", *sizes]
    environment = {**os.environ, "GPUC_DEVICE": "cuda", "GPUC_REQUIRE_GPU": "1", "GPUC_AUTO": "all"}
    for command in [first] + [[program, *sizes]] * ROUNDS:
        status, output, errors = run(command, env=environment)
        if status != 0:
            text = (output + errors).strip()[-2000:]
            return {**entry, "failure": f"ended with status {status}: {text}"}
        lines = results(output)
        if not lines:
            return {**entry, "failure": f"no result in the output: {output.strip()[-500:]}"}
        said = [line for line in errors.splitlines() if line.startswith("gpuc: device ")]
        if not said:
            return {**entry, "failure": "nothing ran on the device: the times are the host's"}
        entry.setdefault("device_line", said[:1])
        for name, result in lines.items():
            best = entry["results"].setdefault(name, result)
            best["device"] = min(best["device"], result["device"])
            best["host"] = min(best["host"], result["host"])
            if result["verdict"] != "verified":
                return {**entry, "failure": f"{name} is wrong"}
    return entry


def main():
    gpuc, examples, output = sys.argv[1:]
    status, version, errors = run([gpuc, "--version"])
    if status != 0:
        sys.exit(f"suite: {gpuc} does not run: {errors.strip()}")
    report = {"schema": 1, "gpuc": version.strip(), "machine": machine(), "examples": {}}
    failures = 0
    sources = sorted(name for name in os.listdir(examples) if name.endswith(".c"))
    for source in sources:
        name = source[: -len(".c")]
        runs = [[]] + ([LARGE[name]] if name in LARGE else [])
        report["examples"][name] = []
        for sizes in runs:
            with tempfile.TemporaryDirectory() as folder:
                entry = measure(gpuc, os.path.join(examples, source), sizes, folder)
            report["examples"][name].append(entry)
            label = " ".join([name, *sizes])
            if "failure" in entry:
                failures += 1
                print(f"{label}: FAILED: {entry['failure']}", flush=True)
            for what, result in entry["results"].items():
                ratio = result["host"] / result["device"] if result["device"] > 0 else 0.0
                print(
                    f"{what}: {result['sizes']} {result['verdict']}, device {result['device']:.6f}"
                    f" s, host {result['host']:.6f} s, {ratio:.1f} times",
                    flush=True,
                )
    report["failures"] = failures
    partial = output + ".part"
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(partial, output)
    print(f"{len(sources)} examples, {failures} failures, written to {output}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
