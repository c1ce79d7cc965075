#!/usr/bin/env python3
"""Runs PolyBench/C 4.2.1 with its kernels as `kernels` regions, and says how they were parallelised.

usage: polybench.py FOLDER_OF_POLYBENCH GPUC [--size MINI|SMALL|MEDIUM] [--clauses none] [--vla] [--float] [--auto] [--choice] [--device cuda] [NAME...]

Between `#pragma scop` and `#pragma endscop` of each program's kernel function stands one compute region, with a data
clause for every array parameter. Each program is compiled by gpuc and by gcc, run (by gpuc on its simulator), and its
arrays are compared, within a part in a thousand (fused multiplications round otherwise); as many elements may be off
as of `gcc -Ofast`, which is none but in gramschmidt, whose input is no basis. The main nest is the kernel that takes
most time by the model. Prints a line for each program and a summary.

With `--auto` there is no directive: what `gpuc --auto` finds runs on the device whatever it is worth (`GPUC_AUTO=all`), and the program is
built once more with the LARGE data set, and runs for some seconds, to say where it decides to run the nests of its kernel.

With `--choice` results are not looked at: each program runs as it is compiled and by the same plan without its steps of locality, and the
line has the times of both by the H100's model. Steps without a condition stay, on which the others stand.

With `--device cuda` programs run on the GPU, and times are its own: of all kernels by events, which is without the gaps between them, and of the
kernel function by the host's clock, with transfers (the shortest of some runs).
"""
import argparse
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile


def with_region(text, clauses, vla):
    """The program with its scop as a compute region."""
    head = re.search(r"void\s+kernel_\w+\s*\((.*?)\)\s*\n?\{", text, re.S).group(1)
    arrays = re.findall(r"POLYBENCH_[1-5]D\s*\(([^()]*)\)", head)
    data = []
    for array in arrays:
        words = [word.strip() for word in array.split(",")]
        # Rows are as long as they are declared.
        data.append(f"{words[0]}[0:{words[1 + (len(words) - 1) // 2 * vla]}]")
    pragma = "#pragma acc kernels" + (f" copy({', '.join(data)})" if clauses else "")
    start, end = text.index("#pragma scop"), text.index("#pragma endscop")
    body = text[start + len("#pragma scop"):end]
    return text[:start] + pragma + "\n{" + body + "}\n" + text[end + len("#pragma endscop"):]


def numbers(dump):
    """The numbers of a dump of arrays."""
    words = re.sub(r"==BEGIN.*|==END.*|begin dump:.*|end   dump:.*", "", dump).split()
    return [float(word) for word in words if re.match(r"^-?(\d|nan|inf)", word)]


def shapes(host):
    """How the host launches each kernel: on one thread, in one block, or with a grid for its sizes."""
    found = {}
    for name, layout in re.findall(r'__gpuc_run\w*\([^"]*"([^"]+)", "([^"]*)"', host):
        sizes = layout.split(",")[:6]
        grid = "grid" if sizes[:3] != ["1"] * 3 else "one block" if sizes[3:] != ["1"] * 3 else "one thread"
        found[name] = grid
    return found


def kernels(report):
    """Kernels of a run: time by the model, name, launches, sectors a request of the dearest line."""
    found = []
    parts = re.split(r"^(\w+) \([^\n]*\): ([\d,]+) launch", report, flags=re.M)[1:]
    for name, launches, part in zip(parts[::3], parts[1::3], parts[2::3]):
        time = re.search(r"([\d.,]+) (ns|us|ms|s) on", part)
        unit = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
        weight = float(time.group(1).replace(",", "")) * unit[time.group(2)] if time else 0.0
        sectors = re.search(r"([\d.]+) sectors a request", part)
        found.append((weight, name, int(launches.replace(",", "")), float(sectors.group(1)) if sectors else 0.0))
    return sorted(found, reverse=True)


def are_close(a, b):
    """Dumps have two digits behind the point."""
    return abs(a - b) <= 1e-3 * max(1e-2, abs(b)) + 0.011 or a != a and b != b


def run(command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, **kwargs)


def decisions(options, source, include, folder):
    """Where the nests of the kernel of a program with large data run that it starts in some seconds."""
    program = folder + "/large"
    rest = [str(options.folder / "utilities/polybench.c"), "-lm"]
    run([options.gpuc, "--auto", "-w", *include, "-DLARGE_DATASET", str(source), *rest, "-o", program])
    environment = dict(os.environ, GPUC_DEVICE="sim", GPUC_NOTIFY="1")
    process = subprocess.Popen([program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        said = process.communicate(timeout=options.seconds)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[1]
    nests = dict(re.findall(r"(\d+): this nest of `kernel_\w+` runs on the (\w+)", said))
    places = list(nests.values())
    return places.count("device"), places.count("host")


LOCALITY = re.compile(r"\s+(?:(?:persist|tile|stage|block|march|coarsen|share)\b|spread\b.* where )")


def on_gpu(program):
    """Time of a program's kernels on the GPU, in us, by events, and of its kernel function by the host's clock; None where it does not run."""
    walls = []
    for _ in range(3):
        ran = run([program], env=dict(os.environ, GPUC_DEVICE="cuda", GPUC_REQUIRE_GPU="1"))
        if ran.returncode:
            return None, None
        walls.append(1e6 * float(ran.stdout.split()[0]))
    timed = run([program], env=dict(os.environ, GPUC_DEVICE="cuda", GPUC_TIME="1")).stderr
    launches = re.findall(r"kernel launched .*\n.*\n\s+device time\(us\): total=([\d,]+)", timed)
    return sum(float(total.replace(",", "")) for total in launches), min(walls)


def choice(options, source, include, folder):
    """Times of a program by the model, in us: as chosen, and without steps of locality; None where one does not run."""
    program, model = folder + "/chosen", ["-w", "--arch=sm_90"]
    defines = [f"-D{options.size}_DATASET", "-DPOLYBENCH_TIME"] + ["-DDATA_TYPE_IS_FLOAT"] * options.float
    run(["gcc", "-O2", "-c", "-DPOLYBENCH_TIME", *include, str(options.folder / "utilities/polybench.c"), "-o", folder + "/polybench.o"])
    plan = run([options.gpuc, *model, "--emit=plan", *include, *defines, str(source)]).stdout
    plain = pathlib.Path(folder) / "plain.plan"
    plain.write_text("".join(line for line in plan.splitlines(True) if not LOCALITY.match(line)))
    times = []
    for by in [[], [f"--plan={plain}"]]:
        run([options.gpuc, *model, *by, "-c", *include, *defines, str(source), "-o", program + ".o"])
        built = run([options.gpuc, program + ".o", folder + "/polybench.o", "-lm", "-o", program])
        if options.device == "cuda":
            time, wall = on_gpu(program) if built.returncode == 0 else (None, None)
            times += [time, wall]
            continue
        environment = dict(os.environ, GPUC_DEVICE="sim", GPUC_SIM_DEVICE="h100", GPUC_REPORT="1")
        ran = built.returncode == 0 and run([program], env=environment)
        found = kernels(ran.stderr.partition("gpuc report:")[2]) if ran and ran.returncode == 0 else []
        times.append(sum(kernel[0] for kernel in found) if found else None)
        pathlib.Path(program + ".o").unlink(missing_ok=True)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("gpuc")
    parser.add_argument("--size", default="MINI")
    parser.add_argument("--clauses", default="copy")
    parser.add_argument("--vla", action="store_true", help="arrays of variable size (POLYBENCH_USE_C99_PROTO)")
    parser.add_argument("--float", action="store_true", help="-DDATA_TYPE_IS_FLOAT")
    parser.add_argument("--auto", action="store_true", help="no directive: --auto")
    parser.add_argument("--choice", action="store_true", help="times by the model, with steps of locality and without")
    parser.add_argument("--device", default="sim", choices=["sim", "cuda"])
    parser.add_argument("--seconds", type=int, default=30, help="how long a program with large data may run")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    listed = (options.folder / "utilities/benchmark_list").read_text().split()
    total = dict.fromkeys(["right", "one thread", "one block", "grid", "?", "large on the device"], 0)
    slowest, ratios = (0, ""), []
    for relative in listed:
        source = options.folder / relative
        if options.names and source.stem not in options.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            changed = pathlib.Path(folder) / source.name
            text = source.read_text()
            changed.write_text(text if options.auto else with_region(text, options.clauses == "copy", options.vla))
            include = ["-I", str(options.folder / "utilities"), "-I", str(source.parent)]
            if options.choice:
                if options.device == "cuda":
                    chosen, wall, plain, plain_wall = choice(options, changed, include, folder)
                    print(f"{source.stem:16} {chosen or 0:10.0f} us, without {plain or 0:10.0f} us; "
                          f"with transfers {wall or 0:10.0f} us, without {plain_wall or 0:10.0f} us", flush=True)
                    ratios += [plain / chosen] if chosen and plain else []
                    continue
                chosen, plain = choice(options, changed, include, folder)
                ratios += [plain / chosen] if chosen and plain else []
                print(f"{source.stem:16} {chosen or 0:10.1f} us, without {plain or 0:10.1f} us", flush=True)
                continue
            defines = [f"-D{options.size}_DATASET", "-DPOLYBENCH_DUMP_ARRAYS"]
            defines += ["-DPOLYBENCH_USE_C99_PROTO"] * options.vla + ["-DDATA_TYPE_IS_FLOAT"] * options.float
            rest = [str(options.folder / "utilities/polybench.c"), "-lm"]
            host = run(["gcc", "-O2", "-w", *include, *defines, str(source), *rest, "-o", folder + "/host"])
            if host.returncode:
                print(source.stem, "gcc:", host.stderr[:200])
                continue
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            auto = ["--auto"] * options.auto
            ptx = run([options.gpuc, *auto, "--timing", "--emit=host-c", *include, *defines, str(changed), "-o", folder + "/p.c"])
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = 1000 * (after.ru_utime - before.ru_utime)
            slowest = max(slowest, (took, source.stem))
            built = run([options.gpuc, *auto, "-w", *include, *defines, str(changed), *rest, "-o", folder + "/device"])
            if built.returncode:
                print(f"{source.stem:16} does not compile: {(ptx.stderr + built.stderr).strip()[:300]}")
                continue
            want = numbers(run([folder + "/host"]).stderr)
            run(["gcc", "-Ofast", "-march=native", "-w", *include, *defines, str(source), *rest, "-o", folder + "/host"])
            fast = numbers(run([folder + "/host"]).stderr)
            environment = dict(os.environ, GPUC_DEVICE=options.device, GPUC_REPORT="1", GPUC_QUIET="1", GPUC_AUTO="all")
            ran = run([folder + "/device"], env=environment)
            dump, _, report = ran.stderr.partition("gpuc report:")
            got = numbers(dump)
            off = sum(not are_close(a, b) for a, b in zip(got, want))
            noise = sum(not are_close(a, b) for a, b in zip(fast, want))
            close = len(got) == len(want) and off <= 1.1 * noise
            right = ran.returncode == 0 and close and len(want) > 0
            found = kernels(report)
            how = "none"
            if found:
                how = shapes(pathlib.Path(folder + "/p.c").read_text()).get(found[0][1], "?")
                total[how] += 1
            total["right"] += right
            launches = sum(kernel[2] for kernel in found)
            sectors = found[0][3] if found else 0
            large = ""
            if options.auto:
                device, host = decisions(options, source, include, folder)
                total["large on the device"] += device > 0
                large = f" large: {device} nests on the device, {host} on the host"
            print(f"{source.stem:16} {'right' if right else 'WRONG':6} {how:11} {len(found):3} kernels {launches:6} launches "
                  f"{sectors:5.2f} sectors/request {took:5.0f} ms" + large
                  + ("" if right else " " + ran.stderr[-300:].replace("\n", " ") if ran.returncode else ""), flush=True)
    if options.choice:
        mean = math.exp(sum(map(math.log, ratios)) / max(1, len(ratios)))
        return print(f"{len(ratios)} programs, geometric mean {mean:.2f}, least {min(ratios, default=0):.2f}")
    print(total, f"slowest to compile: {slowest[1]}, {slowest[0]:.0f} ms")


main()
