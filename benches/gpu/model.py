"""Compares the simulator's model of time with what a GPU takes, kernel by kernel.

    model.py ptx     --ptx FOLDER [--nvcc NVCC]              PTX of every kernel
    model.py measure --ptx FOLDER --measured FILE.json       on a GPU: times by events, clocks
    model.py price   --ptx FOLDER --measured FILE.json --binaries FOLDER --output FILE.json
                     [--device h100] [--only REGEX]          by gpuc-sim, and the comparison

Kernels: chains of one instruction (chains.py), questions to the memory system (memory.cu), the
ladders (../ladders) and what a programmer writes without tricks (../peers/plain.cu). A time is the
median of launches between events after a warm-up, launches queued behind one another, so that it
includes what a launch in a queue costs, as the model's does; short ones are queued behind a kernel
that holds the device until all are there, so that the host's pace is not measured. `price` needs no GPU: it may be
repeated on any machine. The model gets the registers that the driver told; no other figure passes
from the measurement to the model. Needs Python 3 with numpy.
"""

import argparse
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chains  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = {
    "memory": os.path.join(HERE, "memory.cu"),
    "copy": os.path.join(HERE, "..", "ladders", "copy.cu"),
    "reduce": os.path.join(HERE, "..", "ladders", "reduce.cu"),
    "sgemm": os.path.join(HERE, "..", "ladders", "sgemm.cu"),
    "plain": os.path.join(HERE, "..", "peers", "plain.cu"),
}
PTX_VERSION = "8.0"  # what drivers from 525 on take; nothing here needs more
CLOCK = 1.98e9  # at most
HOST = 12e-6  # seconds that the host takes for a launch, at most
LEAST = 10  # launches of a measurement
ENOUGH = 0.05  # seconds of a measurement, if that many launches take less
SMS = 132

# `arguments` are ("zero", bytes), ("bytes", key of DATA), ("u32", n) or ("f32", x); `work` has what a rate is
# made of: {"bytes": n} moved, {"ops": n} of a chain in one block's thread, or nothing.
Case = namedtuple("Case", "name group module kernel grid block arguments work")


def random_bytes():
    return np.random.default_rng(1).integers(0, 256, 1 << 24, np.uint8)


def sparse(rows=1 << 18, each=16):
    """Rows of a sparse matrix with `each` entries near the diagonal."""
    start = (np.arange(rows + 1) * each).astype(np.uint32)
    random = np.random.default_rng(2)
    column = (np.repeat(np.arange(rows), each) + random.integers(-2000, 2000, rows * each)) % rows
    return start, column.astype(np.uint32)


def bodies(count=16384):
    """Bodies of seven floats each, none of them zero: divisions of zero take longer than others."""
    return np.random.default_rng(3).uniform(0.5, 1.5, 7 * count).astype(np.float32)


DATA = {"random": random_bytes, "bodies": bodies, "start": lambda: sparse()[0], "column": lambda: sparse()[1]}


def cases():
    def case(name, group, module, kernel, grid, block, arguments, **work):
        triple = lambda n: tuple(n) + (1,) * (3 - len(n)) if isinstance(n, (tuple, list)) else (n, 1, 1)
        return Case(name, group, module, kernel, triple(grid), triple(block), arguments, work)

    u32 = lambda n: ("u32", n)
    zero = lambda n: ("zero", n)
    for chain in chains.CHAINS:
        operands = [u32(3), u32(5)]
        slow = re.match("global_atomic|shared_atomic|int_div64|f64_(div|sqrt|rcp)", chain.name)
        trips = 128 if slow or chain.name.startswith("mma") else 1024
        arguments = [zero(2 << 20), u32(trips)] + operands
        yield case(f"latency {chain.name}", "latency", "chains", f"{chain.name}_1", 1, 32, arguments, ops=trips * chains.UNROLL * chain.count)
        if chain.name.startswith("global_atomic"):
            continue
        trips = 4 if re.match("mma|match", chain.name) else 16 if slow else 64
        arguments = [zero(2 << 20), u32(trips)] + operands
        yield case(f"throughput {chain.name}", "throughput", "chains", f"{chain.name}_4", SMS, 1024, arguments, ops=trips * chains.UNROLL * chain.count * 4)

    out = zero(4096)
    for width in (1, 2, 4, 8, 16):
        for elements in (1 << 24, 1 << 26):
            moved = elements * width
            yield case(f"copy {width} of {elements}", "copy", "copy", f"copy{width}", elements // 256, 256, [zero(moved), zero(moved)], bytes=2 * moved)
        elements = (1 << 28) // width if width >= 4 else 1 << 26
        yield case(f"read {width}", "read", "memory", f"read{width}", elements // 2048, 256, [zero(elements * width), out, u32(8)], bytes=elements * width)
        yield case(f"write {width}", "write", "memory", f"write{width}", elements // 256, 256, [zero(elements * width), u32(7)], bytes=elements * width)
    for block in (64, 128, 512, 1024):
        yield case(f"copy 4 by blocks of {block}", "copy", "copy", "copy4", (1 << 26) // block, block, [zero(1 << 28), zero(1 << 28)], bytes=1 << 29)
    for stride in (1, 2, 3, 4, 8, 16, 32):
        threads = 1 << 21
        yield case(f"strided {stride}", "strided", "memory", "strided", threads // 256, 256, [zero(4 * threads * 4 * stride), out, u32(stride), u32(4)], bytes=threads * 16)
    for mib in (1, 8, 24, 40):
        size = mib << 16
        rounds = 32
        yield case(f"l2 read {mib} MiB", "cache", "memory", "l2_read", 4 * SMS, 512, [zero(size * 16), out, u32(size), u32(rounds)], bytes=4 * SMS * 512 * 16 * rounds)
    for width in (4, 16):
        yield case(f"l1 read {width}", "cache", "memory", f"l1_read{width}", 2 * SMS, 1024, [zero(8192), out, u32(256)], bytes=2 * SMS * 1024 * width * 256)
    for width, stride, shift in ((4, 0, 0), (4, 1, 0), (4, 1, 1), (4, 1, 8), (4, 2, 0), (4, 3, 0), (4, 4, 0), (4, 8, 0), (4, 16, 0), (4, 32, 0), (8, 0, 0), (8, 1, 0), (8, 1, 1), (8, 2, 0), (16, 0, 0), (16, 1, 0), (16, 1, 1), (16, 2, 0)):
        yield case(f"l1 loads {width}, {stride} apart, from {shift}", "first level", "memory", f"l1_loads{width}", 2 * SMS, 1024, [zero(1 << 18), out, u32(stride), u32(shift), u32(64)])
    for width in (1, 2):
        for stride in (0, 1, 4):
            yield case(f"l1 loads {width}, {stride} apart, from 0", "first level", "memory", f"l1_loads{width}", 2 * SMS, 1024, [zero(1 << 18), out, u32(stride), u32(0), u32(64)])
    for width in (8, 16):
        for together, apart in ((1, 32), (2, 32), (4, 32), (8, 32), (32, 1), (1, 16), (1, 8), (1, 4), (1, 2), (2, 8), (4, 4)):
            yield case(f"shared wide {width}, {together} together, {apart} apart", "shared", "memory", f"shared_wide{width}", 2 * SMS, 1024, [out, u32(together), u32(apart), u32(64)])
    for row in (1, 2, 8, 32, 1000, 1024, 4096, 4128):
        yield case(f"write by columns of {row}", "scattered writes", "memory", "scattered_write", (1 << 24) // 256, 256, [zero(4 * (1 << 24) + 128 * row), u32(row), u32(7)], bytes=4 << 24)
    for width, each in ((4, 1), (4, 4), (16, 1), (16, 4)):
        for blocks in (1, 2, 4, 8):
            yield case(f"stream {width}, {each} each, {blocks} blocks", "stream", "memory", f"stream{width}_{each}", blocks * SMS, 256, [zero((1 << 28) + width * each * blocks * SMS * 256), out, u32((1 << 28) // width)], bytes=1 << 28)
    for words in (8, 32, 128, 256, 1024, 4096, 65536):
        yield case(f"red of {words} random words", "atomics", "memory", "red_random", 1024, 256, [zero(4 * words), u32(words - 1), u32(4)])
    for stride in (1, 2, 4, 8, 16, 32):
        yield case(f"shared read stride {stride}", "shared", "memory", "shared_read", 2 * SMS, 1024, [out, u32(stride), u32(128)])
        yield case(f"shared write stride {stride}", "shared", "memory", "shared_write", 2 * SMS, 1024, [out, u32(stride), u32(128)])
    for addresses in (1, 2, 8, 32, 1024):
        yield case(f"shared atomic {addresses}", "shared atomics", "memory", "shared_atomic", 2 * SMS, 1024, [out, u32(addresses), u32(32)])
        yield case(f"shared atomic float {addresses}", "shared atomics", "memory", "shared_atomic_float", 2 * SMS, 256, [out, u32(addresses), u32(4)])
    for addresses, apart in ((1, 1), (32, 1), (32, 32), (1024, 1), (1024, 32), (1 << 20, 1)):
        label = f"{addresses} words {apart} apart"
        size = addresses * apart
        sizes = [u32(addresses), u32(apart), u32(2)]
        yield case(f"red {label}", "atomics", "memory", "global_red", 1024, 256, [zero(4 * size)] + sizes)
        yield case(f"red float {label}", "atomics", "memory", "global_red_float", 1024, 256, [zero(4 * size)] + sizes)
        yield case(f"red double {label}", "atomics", "memory", "global_red_double", 1024, 256, [zero(8 * size)] + sizes)
        yield case(f"atom {label}", "atomics", "memory", "global_atom", 1024, 256, [zero(4 * size), out] + sizes)
    # So many lines of memory that the second level has forgotten the first when they come again.
    for lines, rounds, kernel, label in ((64, 4096, "chase", "l1"), (1 << 15, 4096, "chase_l2", "l2"), (1 << 22, 1 << 20, "chase_l2", "dram")):
        yield case(f"chase {label}", "chase", "memory", kernel, 1, 1, [zero(128 * lines), out, u32(lines), u32(rounds)], ops=rounds)
    for blocks in (1, SMS, 16 * SMS, 1 << 17):
        for threads in (32, 256, 1024):
            yield case(f"empty {blocks} of {threads}", "launch", "memory", "empty", blocks, threads, [out, u32(1)])
    for threads in (64, 128, 512):
        yield case(f"barriers of {threads}, one block", "barriers", "memory", "barriers", 1, threads, [out, u32(4096)], ops=4096)
    for threads in (32, 256, 1024):
        yield case(f"short blocks of {threads}", "launch", "memory", "shared_block", 1 << 17, threads, [out, u32(1)])
        yield case(f"barriers of {threads}, one block", "barriers", "memory", "barriers", 1, threads, [out, u32(4096)], ops=4096)
        yield case(f"barriers of {threads}", "barriers", "memory", "barriers", SMS * 2048 // max(threads, 64), threads, [out, u32(512)], ops=512)

    n = 4096
    matrix = zero(4 * n * n)
    ladder = [
        ("sgemm1_naive", 32, (32, 32)), ("sgemm2_coalesced", 32, 1024), ("sgemm3_shared", 32, 1024), ("sgemm4_column", 64, 512),
        ("sgemm5_square", 128, 256), ("sgemm6_vectorized", 128, 256), ("sgemm9_tuned", 128, 256), ("sgemm10_warp_tiles", 128, 128),
    ]
    for kernel, tile, block in ladder:
        yield case(kernel, "sgemm ladder", "sgemm", kernel, (n // tile, n // tile), block, [u32(n), u32(256), matrix, matrix, matrix], flops=2 * n * n * 256)
    elements = 32 << 20
    for kernel, each in (("reduce0_divergent", 256), ("reduce1_conflicts", 256), ("reduce2_halves", 256), ("reduce3_two_each", 512), ("reduce4_last_warp", 512), ("reduce5_unrolled", 512)):
        yield case(kernel, "reduce ladder", "reduce", kernel, elements // each, 256, [zero(4 * elements), zero(4 * elements // 256)], bytes=4 * elements)
    blocks, each = 1024, elements // 1024 // 256
    yield case("reduce7_shuffles", "reduce ladder", "reduce", "reduce7_shuffles", blocks, 256, [zero(4 * elements), zero(4 * blocks), u32(each)], bytes=4 * elements)

    f32 = lambda x: ("f32", x)
    for n in (1 << 20, 1 << 24):
        yield case(f"plain vecadd {n}", "plain", "plain", "vecadd", n // 256, 256, [u32(n)] + [zero(4 * n)] * 3, bytes=12 * n)
        yield case(f"plain saxpy {n}", "plain", "plain", "saxpy", n // 256, 256, [u32(n), f32(2.0)] + [zero(4 * n)] * 2, bytes=12 * n)
        yield case(f"plain sum_double {n}", "plain", "plain", "sum_double", 1024, 128, [u32(n), zero(8 * n), zero(8192)], bytes=8 * n)
        yield case(f"plain histogram {n}", "plain", "plain", "histogram", n // 256, 256, [u32(n), ("bytes", "random"), zero(1024)], bytes=n)
        yield case(f"plain histogram of zeros {n}", "plain", "plain", "histogram", n // 256, 256, [u32(n), zero(n), zero(1024)], bytes=n)
    for n in (512, 1024, 2048):
        yield case(f"plain sgemm {n}", "plain", "plain", "sgemm", (n // 32, n // 8), (32, 8), [u32(n), u32(n), u32(n), f32(1.0), zero(4 * n * n), zero(4 * n * n), f32(0.5), zero(4 * n * n)], flops=2 * n**3)
        yield case(f"plain matvec {4 * n}", "plain", "plain", "matvec", 4 * n, 128, [u32(4 * n), u32(4 * n), zero(64 * n * n), zero(16 * n), zero(16 * n)], bytes=64 * n * n)
        yield case(f"plain transpose {4 * n}", "plain", "plain", "transpose", (4 * n // 32, 4 * n // 8), (32, 8), [u32(4 * n), u32(4 * n), zero(64 * n * n), zero(64 * n * n)], bytes=128 * n * n)
        yield case(f"plain jacobi2d {2 * n}", "plain", "plain", "jacobi2d", (2 * n // 32, 2 * n // 8), (32, 8), [u32(2 * n), u32(2 * n), zero(32 * n * n), zero(32 * n * n)], bytes=64 * n * n)
    n = 248
    size = zero(4 * (n + 8) ** 3)
    yield case("plain conv3d 248", "plain", "plain", "conv3d", ((n + 127) // 128, n, n), 128, [u32(n)] * 3 + [f32(0.1)] * 3 + [size, size], bytes=12 * n**3)
    rows, each = 1 << 18, 16
    yield case("plain spmv", "plain", "plain", "spmv", rows // 128, 128, [u32(rows), ("bytes", "start"), ("bytes", "column"), zero(8 * rows * each), zero(8 * rows), zero(8 * rows)], bytes=rows * (12 * each + 20))
    for n in (4096, 16384):
        yield case(f"plain nbody {n}", "plain", "plain", "nbody", n // 128, 128, [u32(n), f32(0.01), f32(0.1), ("bytes", "bodies")], flops=20 * n * n)


def module_path(folder, module):
    return os.path.join(folder, f"{module}.ptx")


def make_ptx(folder, nvcc):
    os.makedirs(folder, exist_ok=True)
    with open(module_path(folder, "chains"), "w") as file:
        file.write(chains.module())
    for module, source in SOURCES.items():
        path = module_path(folder, module)
        subprocess.run([nvcc, "-O3", "-ptx", "-arch=sm_90", source, "-o", path], check=True)
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(re.sub(r"(?m)^\.version .*$", f".version {PTX_VERSION}", text, count=1))


# On a GPU


def registers_of(driver, function):
    value = ctypes.c_int()
    driver.call("cuFuncGetAttribute", ctypes.byref(value), 4, function)  # CU_FUNC_ATTRIBUTE_NUM_REGS
    return value.value


def measured_case(driver, case, function, data, hold):
    """Seconds of a launch, and what else the GPU tells of it. `hold` is the kernel that waits."""
    buffers, arguments = [], []
    for kind, value in case.arguments:
        if kind == "zero":
            buffer = driver.buffer(value, 0)
        elif kind == "bytes":
            if value not in data:
                data[value] = DATA[value]()
            buffer = driver.buffer(data[value].nbytes)
            driver.upload(buffer, data[value])
        else:
            arguments.append(ctypes.c_uint32(value) if kind == "u32" else ctypes.c_float(value))
            continue
        buffers.append(buffer)
        arguments.append(buffer)
    first, last = driver.event(), driver.event()

    def batch(launches, held=False):
        if held:
            driver.launch(hold, (1, 1, 1), (1, 1, 1), [ctypes.c_uint64(int(launches * HOST * CLOCK))])
        driver.record(first)
        for _ in range(launches):
            driver.launch(function, case.grid, case.block, arguments)
        driver.record(last)
        return driver.seconds(first, last) / launches

    batch(1)
    once = batch(2)
    # Short kernels in longer batches: events resolve half a microsecond.
    launches = max(1, min(100, int(0.002 / once)))
    count = max(LEAST, min(25, int(ENOUGH / (once * launches))))
    if once > 0.02:
        count = 3
    held = once < 4 * HOST
    times = [batch(launches, held) for _ in range(count)]
    entry = {"seconds": statistics.median(times), "least": min(times), "most": max(times), "batches": count, "batch": launches, "registers": registers_of(driver, function)}
    if case.module == "chains":
        clocks = np.zeros(case.grid[0], np.uint64)
        driver.download(clocks, buffers[0])
        entry["clocks"] = int(np.median(clocks))
    for buffer in buffers:
        driver.free(buffer)
    return entry


def measure(folder, output, only):
    from driver import Driver, Refused

    driver = Driver()
    modules, data, results = {}, {}, {}
    with open(module_path(folder, "memory")) as file:
        modules["memory"] = driver.load(file.read())
    hold = driver.function(modules["memory"], "hold")
    start = time.monotonic()
    for case in cases():
        if only and not re.search(only, case.name):
            continue
        try:
            if case.module not in modules:
                with open(module_path(folder, case.module)) as file:
                    modules[case.module] = driver.load(file.read())
            results[case.name] = measured_case(driver, case, driver.function(modules[case.module], case.kernel), data, hold)
        except Refused as error:
            results[case.name] = {"error": str(error)}
            print(f"{case.name}: {error}", flush=True)
            if "ILLEGAL" in str(error) or "LAUNCH_FAILED" in str(error):
                break
    query = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem"
    try:
        command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader", "--id=0"]
        said = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        said = ""
    with open(output, "w") as file:
        json.dump({"device": driver.name, "nvidia-smi": said, "seconds": round(time.monotonic() - start, 1), "cases": results}, file, indent=1)
    print(f"{driver.name}; {said}; {len(results)} kernels in {time.monotonic() - start:.1f} s")
    for name, entry in results.items():
        print(f"{name:40} {entry.get('seconds', 0) * 1e6:12.2f} us  {entry.get('clocks', '')}")


# By the model


def priced_case(case, folder, binaries, device, registers, data):
    command = [os.path.join(binaries, "gpuc-sim"), module_path(folder, case.module), case.kernel, "--device", device]
    command += ["--grid", ",".join(map(str, case.grid)), "--block", ",".join(map(str, case.block)), "--threads", "1"]
    command += ["--sampled", "--report=json", "--progress=no"]
    if registers:
        command += ["--registers", str(registers)]
    for kind, value in case.arguments:
        command.append({"zero": f"zero:{value}", "bytes": f"in:{data}/{value}"}.get(kind, f"{kind}:{value}"))
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["kernels"][0] | {"took": round(time.monotonic() - start, 2)}
    except (ValueError, KeyError, IndexError):
        return {"error": done.stderr.strip()[:300]}


def ranks(values):
    return np.argsort(np.argsort(values)).astype(float)


def spearman(a, b):
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1]) if len(a) > 2 else float("nan")


def constants(rows):
    """Clocks of an instruction, by the GPU's counter and by the model: from one to the next that depends on it,
    and of a multiprocessor for each warp where there are enough. This is where constants of `arch` come from."""
    found = {}
    for row in rows:
        kind, _, name = row["name"].partition(" ")
        if kind in ("latency", "throughput") and "ops" in row["work"]:
            warps = 32 if kind == "throughput" else 1  # a block of 1024 threads on each multiprocessor
            clocks = [row.get(key) for key in ("clocks", "clocks_by_model")]
            found.setdefault(name, {})[kind] = [(c or 0) / (row["work"]["ops"] * warps) for c in clocks]
    print(f"\n{'clocks of an instruction':30}{'latency':>10}{'model':>10}{'throughput':>12}{'model':>10}")
    for name, kinds in found.items():
        a, b = kinds.get("latency", [0, 0]), kinds.get("throughput", [0, 0])
        print(f"{name:30}{a[0]:10.2f}{a[1]:10.2f}{b[0]:12.3f}{b[1]:10.3f}")


def price(folder, measured_file, binaries, output, device, only):
    with open(measured_file) as file:
        measured = json.load(file)
    chosen = [case for case in cases() if not only or re.search(only, case.name)]
    with tempfile.TemporaryDirectory() as data:
        for name, make in DATA.items():
            make().tofile(os.path.join(data, name))

        def one(case):
            registers = measured["cases"].get(case.name, {}).get("registers")
            return priced_case(case, folder, binaries, device, registers, data)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            priced = list(pool.map(one, chosen))
    rows = []
    for case, model in zip(chosen, priced):
        real = measured["cases"].get(case.name, {})
        row = {"name": case.name, "group": case.group, "model": model.get("seconds"), "measured": real.get("seconds"), "bound": model.get("bound", model.get("error")), "shares": model.get("shares"), "took": model.get("took")}
        if case.module == "chains":
            row["clocks_by_model"] = model.get("metrics", {}).get("sm__cycles_elapsed.max")
        row |= {key: real[key] for key in ("clocks", "registers") if key in real} | {"work": case.work}
        rows.append(row)
    summary = {}
    for group in list(dict.fromkeys(row["group"] for row in rows)) + ["sgemm, reduce, copy and plain", "all"]:
        several = {"all": None, "sgemm, reduce, copy and plain": ("sgemm ladder", "reduce ladder", "copy", "plain")}.get(group, (group,))
        of = [row for row in rows if (several is None or row["group"] in several) and row["model"] and row["measured"]]
        if of:
            a, b = np.array([row["model"] for row in of]), np.array([row["measured"] for row in of])
            errors = np.abs(a / b - 1)
            summary[group] = {"kernels": len(of), "spearman": spearman(a, b), "median_error": float(np.median(errors)), "within_25": int((errors <= 0.25).sum())}
    with open(output, "w") as file:
        json.dump({"device": measured.get("device"), "summary": summary, "rows": rows}, file, indent=1)
    print(f"{'kernel':40}{'measured us':>14}{'model us':>14}{'ratio':>8}  bound by the model")
    for row in rows:
        a, b = (row["measured"] or 0) * 1e6, (row["model"] or 0) * 1e6
        print(f"{row['name']:40}{a:14.2f}{b:14.2f}{(b / a if a else 0):8.2f}  {(row['bound'] or '')[:60]}")
    constants(rows)
    print(f"\n{'group':34}{'kernels':>8}{'rho':>8}{'median error':>14}{'within 25 %':>13}")
    for group, entry in summary.items():
        print(f"{group:34}{entry['kernels']:8}{entry['spearman']:8.3f}{entry['median_error']:14.3f}{entry['within_25']:13}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["ptx", "measure", "price"])
    parser.add_argument("--ptx", required=True)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--measured")
    parser.add_argument("--binaries")
    parser.add_argument("--output")
    parser.add_argument("--device", default="h100")
    parser.add_argument("--only")
    given = parser.parse_args()
    if given.part == "ptx":
        make_ptx(given.ptx, given.nvcc)
    elif given.part == "measure":
        measure(given.ptx, given.measured, given.only)
    else:
        price(given.ptx, given.measured, given.binaries, given.output, given.device, given.only)


if __name__ == "__main__":
    main()
