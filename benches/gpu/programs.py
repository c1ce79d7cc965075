"""Compares the simulator's model of time with what a GPU takes, over whole programs with directives.

    programs.py measure --jobs JOBS.json --gpuc GPUC --measured FILE.json [--only REGEX]     on a GPU
    programs.py price   --jobs JOBS.json --gpuc GPUC --measured FILE.json --output FILE.json [--only REGEX]

JOBS.json is a list of {name, source, options, plan, sizes, times, poly}: a C file, options of the
compiler, a plan or null, arguments, how often the GPU runs it, and whether it is linked with PolyBench's
polybench.c (`--polybench FOLDER` of its utilities); paths are relative to `--root`. What is compared is
the device's time in kernels (GPUC_TIME=1; one launch between two events) with the model's. Of launches of
one shape the least time is taken, or the mean where there are several in a run. An event costs EVENT beyond
what a launch in a queue does, which the model has. `price` needs no GPU. Needs Python 3 with numpy.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from model import np, spearman

EVENT = 3e-6  # seconds; an empty kernel takes 5 to 6 between two events, and 2.5 in a queue
LOOP = """#include <stdlib.h>
int again(int, char **);
int main(int c, char **v) { int r = 0; const char *t = getenv("TIMES"); for (int i = 0; i < (t ? atoi(t) : 1); i++) r |= again(c, v); return r; }
"""
LAUNCHES = re.compile(
    r"(\d+): kernel launched (\d+) times?\n\s+grid: \[([^\]]*)\]\s+block: \[([^\]]*)\]\n"
    r"\s+device time\(us\): total=([\d,]+) max=[\d,]+ min=([\d,]+)"
)


class Builder:
    """Programs that run as often as TIMES says."""

    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.others = [self.host("loop", ["-x", "c", "-"], LOOP)]
        self.poly = []
        if given.polybench:
            self.poly = [self.host("polybench", ["-DPOLYBENCH_TIME", f"-I{given.polybench}", f"{given.polybench}/polybench.c"])]

    def host(self, name, what, text=None):
        path = os.path.join(self.folder, name + ".o")
        subprocess.run(["cc", "-O2", "-c", "-o", path, *what], input=text, text=True, check=True)
        return path

    def program(self, number, job):
        """The executable, or what the compiler says."""
        path = os.path.join(self.folder, str(number))
        plan = [f"--plan={job['plan']}"] if job["plan"] else []
        compiled = [self.given.gpuc, "--arch=sm_90", "-O2", "-w", "-Dmain=again", *job["options"], *plan, "-c", job["source"], "-o", path + ".o"]
        poly = self.poly if job.get("poly") or job.get("kind") == "poly" else []
        linked = [self.given.gpuc, path + ".o", *self.others, *poly, "-lm", "-o", path]
        for command in (compiled, linked):
            done = subprocess.run(command, capture_output=True, text=True, cwd=self.given.root)
            if done.returncode:
                return None, done.stderr[-300:]
        return path, ""


def launches(text):
    """Of what GPUC_TIME=1 prints: (grid, block), launches, all seconds and the least."""
    for match in LAUNCHES.finditer(text):
        total, least = (int(match[at].replace(",", "")) * 1e-6 for at in (5, 6))
        yield (match[3], match[4]), int(match[2]), total, least


def measured_program(builder, number, job, limit):
    path, why = builder.program(number, job)
    if not path:
        return {"rc": 1, "err": why, "times": job["times"]}
    variables = dict(os.environ, GPUC_DEVICE="cuda", GPUC_TIME="1", TIMES=str(job["times"]))
    try:
        done = subprocess.run([path, *job["sizes"]], capture_output=True, text=True, timeout=limit, env=variables)
    except subprocess.TimeoutExpired:
        return {"rc": 124, "err": "timeout", "times": job["times"]}
    return {"rc": done.returncode, "out": done.stdout[-400:], "err": done.stderr[-6000:], "times": job["times"]}


def priced_program(builder, number, job, limit, device):
    """What the simulator reports of each kernel, or {"error"}."""
    path, why = builder.program(number, job)
    if not path:
        return {"error": why}
    report = path + ".json"
    variables = dict(os.environ, GPUC_DEVICE="sim", GPUC_SIM_DEVICE=device, GPUC_REPORT="json", GPUC_REPORT_FILE=report)
    try:
        subprocess.run([path, *job["sizes"]], capture_output=True, timeout=limit, env=variables)
        with open(report) as file:
            kernels = json.load(file)["kernels"]
    except (subprocess.TimeoutExpired, OSError) as error:
        return {"error": type(error).__name__}
    finally:
        os.remove(path)
    keys = ("name", "launches", "grid", "block", "place", "seconds", "bound", "shares")
    return {"kernels": [{key: kernel.get(key) for key in keys} for kernel in kernels]}


def compared(name, measured, priced):
    """Seconds of a run in kernels, by the GPU and by the model."""
    gpu = model = count = 0
    for _, number, total, least in launches(measured["err"]):
        each = number / measured["times"]
        gpu += least if each == 1 else total / measured["times"]
        count += each
    for kernel in priced["kernels"]:
        model += kernel["seconds"] or 0
    same = count == sum(kernel["launches"] for kernel in priced["kernels"])
    return {"name": name, "measured": gpu, "model": model + EVENT * count, "launches": count, "same": same, "kernels": priced["kernels"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["measure", "price"])
    for name in ("jobs", "gpuc", "measured"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--output")
    parser.add_argument("--polybench")
    parser.add_argument("--root", default=".")
    parser.add_argument("--device", default="h100")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=40, help="seconds of a program")
    given = parser.parse_args()
    with open(given.jobs) as file:
        jobs = [(number, job) for number, job in enumerate(json.load(file)) if re.search(given.only, job["name"])]
    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(given, folder)
        if given.part == "measure":
            results = {job["name"]: measured_program(builder, number, job, given.limit) for number, job in jobs}
            with open(given.measured, "w") as file:
                json.dump(results, file, indent=0)
            return
        with open(given.measured) as file:
            measured = json.load(file)
        jobs = [(number, job) for number, job in jobs if measured.get(job["name"], {}).get("rc") == 0]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            priced = list(pool.map(lambda job: priced_program(builder, *job, given.limit, given.device), jobs))
    rows = []
    for (_, job), program in zip(jobs, priced):
        if "error" in program:
            print(f"{job['name']:60} {program['error'].strip()[:100]}")
            continue
        rows.append(compared(job["name"], measured[job["name"]], program))
        row = rows[-1]
        ratio = row["model"] / row["measured"]
        print(f"{row['name'][:60]:60}{row['measured'] * 1e6:12.0f}{row['model'] * 1e6:12.0f}{ratio:8.2f}{'' if row['same'] else '  other launches'}")
    with open(given.output, "w") as file:
        json.dump(rows, file, indent=1)
    rows = [row for row in rows if row["same"]]
    a, b = (np.array([row[key] for row in rows]) for key in ("model", "measured"))
    errors = np.abs(a / b - 1)
    print(f"{len(rows)} programs, rho {spearman(a, b):.3f}, median error {np.median(errors):.3f}, within 25 % {(errors <= 0.25).sum()}")


if __name__ == "__main__":
    main()
