#!/usr/bin/env python3
"""Holds what gpuc expects of kernels, from their loops alone, against the simulator's time.

usage: forecasts.py FOLDER_OF_POLYBENCH GPUC [--size MEDIUM] [--plans NAME,NAME...]

Kernels: each PolyBench/C 4.2.1 program is compiled with `--auto` and run on the simulator's H100; of every kernel that ran, the line has the time by
the simulator's counters and by `--emit=forecast` for the sizes of the data set, and whether the host was expected to start it. Plans: programs named by
`--plans` are tuned, and each candidate that `gpuc tune` runs is a pair of what was expected and what was measured. The summaries have Spearman's rank
correlation and the mean factor between the two, either way round.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile


def ranks(values):
    """The rank of each value; equal ones share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for index in order[at:end]:
            out[index] = (at + end - 1) / 2
        at = end
    return out


def spearman(pairs):
    """Spearman's rank correlation; `nan` of fewer than three pairs."""
    if len(pairs) < 3:
        return math.nan
    a, b = ranks([pair[0] for pair in pairs]), ranks([pair[1] for pair in pairs])
    mean = (len(pairs) - 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    size = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return product / size if size else math.nan


def factor(pairs):
    """The geometric mean of what one is the other's multiple."""
    return math.exp(sum(abs(math.log(a / b)) for a, b in pairs) / max(len(pairs), 1))


def sizes(source, data_set):
    """The sizes of a data set, as `--sizes` takes them."""
    header = source.with_suffix(".h").read_text()
    part = re.search(rf"ifdef {data_set}_DATASET(.*?)endif", header, re.S).group(1)
    return ",".join(f"{name.lower()}={number}" for name, number in re.findall(r"define (\w+) (\d+)", part))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("gpuc")
    parser.add_argument("--size", default="MEDIUM")
    parser.add_argument("--plans", default="")
    options = parser.parse_args()
    utilities = options.folder / "utilities"
    environment = dict(os.environ, GPUC_DEVICE="sim", GPUC_SIM_DEVICE="h100", GPUC_AUTO="all", GPUC_QUIET="1")
    kernels, plans = [], []
    sources = sorted(path for path in options.folder.rglob("*.c") if path.with_suffix(".h").exists() and path.parent != utilities)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for source in sources:
            base = [options.gpuc, "--auto", "--arch=sm_90", "-O2", f"-D{options.size}_DATASET", "-DPOLYBENCH_USE_C99_PROTO",
                    "-I", utilities, "-I", source.parent]
            base += [f"--sizes={sizes(source, options.size)}"]
            printed = subprocess.run([*base, "--emit=forecast", source], capture_output=True, text=True, check=True).stdout
            expected = {}
            for line in printed.splitlines()[1:]:
                words = line.split()
                expected[words[1]] = float(words[5]), words[6] == "chosen"
            report = work / "report.json"
            subprocess.run([*base, source, utilities / "polybench.c", "-o", work / "program", "-lm"], check=True)
            subprocess.run([work / "program"], env=dict(environment, GPUC_REPORT="json", GPUC_REPORT_FILE=report),
                           check=True, capture_output=True)
            for kernel in json.loads(report.read_text())["kernels"]:
                name = kernel.get("kernel") or kernel.get("name")
                us = kernel["seconds"] * 1e6 / kernel.get("launches", 1)
                guess, chosen = expected[name]
                kernels.append((us, guess))
                print(f"{name:44} {us:10.1f} {guess:10.1f} {guess / us:6.2f}" + ("" if chosen else "  not expected to run"), flush=True)
            if source.stem not in options.plans.split(","):
                continue
            helper = work / "polybench.o"
            subprocess.run([options.gpuc, "-O2", "-c", utilities / "polybench.c", "-I", utilities, "-o", helper], check=True)
            tuned = subprocess.run([base[0], "tune", *base[1:], "--device=sim", f"--tuning={work / 'record'}", source, helper, "-lm"],
                                   env=environment, capture_output=True, text=True)
            own = {}
            for name, guess, us in re.findall(r"(\S+): candidate \d+, ([\d.]+) us expected, ([\d.]+) us", tuned.stdout):
                own.setdefault(name, []).append((float(us), float(guess)))
            for name, pairs in own.items():
                plans += pairs
                print(f"plans of {name:35} {len(pairs)} plans, rank correlation {spearman(pairs):.2f}, factor {factor(pairs):.2f}", flush=True)
    print(f"{len(kernels)} kernels: rank correlation {spearman(kernels):.3f}, factor {factor(kernels):.2f}")
    if plans:
        print(f"{len(plans)} plans: rank correlation {spearman(plans):.3f}, factor {factor(plans):.2f}")


if __name__ == "__main__":
    main()
