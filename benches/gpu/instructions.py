"""Compares the simulator with a GPU, instruction by instruction and bit for bit.

    instructions.py BINARIES [--output FILE.json] [--only REGEX] [--only-sim] [--ptxas PTXAS]
                    [--arch sm_90] [--folder FOLDER] [--processes N]

BINARIES is a folder with gpuc-sim (target/release). Each form of forms.py (opcode, types and
modifiers) becomes a kernel in which each thread computes one element; operands are edge values in
all pairs and seeded random bits. The kernels run on the simulator and through CUDA's driver, and
what they have written is compared: equal in every bit or, for approximate functions, within a
stated distance. The machine needs Python 3 with numpy, and CUDA's driver for the
GPU's part.

--only-sim runs the simulator's part; --ptxas asks an assembler whether it takes each form. The
folder keeps PTX, operands and results of both sides; beside the JSON an .npz has the operands and
both results where bits differ. Exits with 1 where a form differs.
"""

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forms as table  # noqa: E402
from driver import Driver, Refused  # noqa: E402

BLOCK = 128
BLOCKS = 32
COUNT = BLOCK * BLOCKS
SLOT = 8  # bytes of an operand or result in memory, whatever its type
SCRATCH = 32  # bytes of global memory that a thread has for itself
TOGETHER = 48  # kernels of a module
KEPT = 256  # differing elements that are kept
SHOWN = 3  # differing elements that are told

HEADER = ".version 8.6\n.target {arch}\n.address_size 64\n"

KERNEL = """
.visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 scratch)
{{
    .reg .b64 %i, %o, %g, %wide;
    .reg .b32 %s, %sw, %sb, %lane, %thread, %element, %block, %word;
{declared}
    .shared .align 64 .b8 memory[{shared}];
    mov.u32 %thread, %tid.x;
    mov.u32 %block, %ctaid.x;
    mad.lo.u32 %element, %block, {block}, %thread;
    mov.u32 %lane, %laneid;
    mov.u32 %sb, memory;
    shl.b32 %s, %thread, 5;
    and.b32 %sw, %s, 0xfffffc00;
    add.u32 %s, %s, %sb;
    add.u32 %sw, %sw, %sb;
    ld.param.u64 %g, [scratch];
    cvta.to.global.u64 %g, %g;
    mul.wide.u32 %wide, %element, {scratch};
    add.u64 %g, %g, %wide;
    ld.param.u64 %i, [in];
    cvta.to.global.u64 %i, %i;
    mul.wide.u32 %wide, %element, {slot};
    add.u64 %i, %i, %wide;
    ld.param.u64 %o, [out];
    cvta.to.global.u64 %o, %o;
    add.u64 %o, %o, %wide;
{loads}
    {{
        {body}
    }}
{stores}
    ret;
}}
"""


def base(kind):
    """The number format of a type of forms.py: what it is without what its values are restricted to."""
    return {"pred": "b32", "pos": "b32", "small": "b32", "lane": "b32", "angle": "f32", "fp8i": "b32"}.get(kind, kind.rstrip("in"))


def width(kind):
    """Bytes of a register of this type."""
    name = base(kind)
    if name.endswith("x2"):
        return 4
    return max(2, int(re.search(r"\d+$", name).group()) // 8)


def kernel(name, form):
    """The PTX of a form's kernel."""
    declared, loads, stores = [], [], []
    for letter, kinds in (("a", form.inputs), ("d", form.outputs)):
        for index, kind in enumerate(kinds):
            register = f"%{letter}{index}"
            declared.append(f"    .reg .{'pred' if kind == 'pred' else f'b{8 * width(kind)}'} {register};")
            at = index * COUNT * SLOT
            if kind == "pred":
                if letter == "a":
                    loads.append(f"    ld.global.b32 %word, [%i+{at}];\n    setp.ne.u32 {register}, %word, 0;")
                else:
                    stores.append(f"    selp.u32 %word, 1, 0, {register};\n    st.global.b32 [%o+{at}], %word;")
            elif letter == "a":
                loads.append(f"    ld.global.b{8 * width(kind)} {register}, [%i+{at}];")
            else:
                stores.append(f"    st.global.b{8 * width(kind)} [%o+{at}], {register};")
    return KERNEL.format(
        name=name,
        declared="\n".join(declared),
        loads="\n".join(loads),
        stores="\n".join(stores),
        body=form.body.replace("; ", ";\n        "),
        shared=BLOCK * 32,
        block=BLOCK,
        scratch=SCRATCH,
        slot=SLOT,
    )


# Operands


FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}


def decoded(bits, kind):
    """The values of bit patterns of a floating-point format, as f64."""
    exponent, mantissa = FLOATS[kind]
    if kind == "f64":
        return bits.astype(np.uint64).view(np.float64)
    if kind == "f32":
        with np.errstate(all="ignore"):
            return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    if kind == "f16":
        return bits.astype(np.uint16).view(np.float16).astype(np.float64)
    return decoded(bits << np.uint64(16), "f32")


def encoded(values, kind):
    """Bit patterns near these values, as u64; bf16 is truncated."""
    with np.errstate(all="ignore"):
        if kind == "f64":
            return np.asarray(values, np.float64).view(np.uint64)
        if kind == "f16":
            return np.asarray(values).astype(np.float16).view(np.uint16).astype(np.uint64)
        words = np.asarray(values).astype(np.float32).view(np.uint32).astype(np.uint64)
        return words if kind == "f32" else words >> np.uint64(16)


def float_edges(kind):
    exponent, mantissa = FLOATS[kind]
    one = ((1 << (exponent - 1)) - 1) << mantissa
    infinity = ((1 << exponent) - 1) << mantissa
    quiet = 1 << (mantissa - 1)
    bits = [0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, (1 << mantissa) + 1, infinity - 1, infinity, infinity + 1]
    bits += [infinity + quiet, infinity + quiet + 5, infinity + (1 << mantissa) - 1, one, one - 1, one + 1, quiet]
    values = [0.5, 1.5, 2.0, 2.5, 3.0, 3.5, 0.25, 0.75, 1 / 3, 3.14159265, 10.0, 127.0, 127.5, 128.0, 128.5, 255.0, 255.5, 256.0]
    values += [448.0, 464.0, 480.0, 57344.0, 61440.0, 32767.0, 32767.5, 32768.0, 65504.0, 65520.0, 65535.0, 65535.5, 65536.0]
    values += [2.0**k for k in (-1, -8, -14, -15, -24, -25, -26, -126, -127, -133, -134, -149, -150, 15, 16, 24, 31, 32, 52, 53, 63, 64, 126, 127)]
    values += [2.0**31 - 128, 2.0**31 - 1, 2.0**32 - 256, 2.0**32 - 1, 2.0**63 - 1024, 2.0**64 - 2048, 4294967296.5, 3.4028234e38, 3.40282357e38]
    words = np.concatenate([np.array(bits, np.uint64), encoded(np.array(values), kind)])
    return np.unique(np.concatenate([words, words | np.uint64(1 << (exponent + mantissa))]))


def integer_edges(size):
    values = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000]
    values += [(1 << (size - 1)) - 1, 1 << (size - 1), (1 << (size - 1)) + 1, (1 << size) - 1, (1 << size) - 2, (1 << size) - 128]
    values += [0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x80008000, 0x7FFF7FFF, 0x80FF7F01, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 24) - 1, 1 << 23]
    values += [-values[i] for i in range(1, 20)]
    return np.unique(np.array([value & ((1 << size) - 1) for value in values], np.uint64))


def random_floats(random, kind, count):
    """Uniform bits, values around one, and halves and quarters up to 2^20, in equal parts."""
    exponent, mantissa = FLOATS[kind]
    whole = random.integers(0, 1 << 63, count, np.uint64, endpoint=True) * np.uint64(2) + random.integers(0, 2, count, np.uint64)
    whole &= np.uint64((1 << (1 + exponent + mantissa)) - 1)
    near = encoded(random.standard_normal(count) * np.exp2(random.integers(-4, 5, count)), kind)
    halves = encoded(random.integers(-(1 << 20), 1 << 20, count) / np.exp2(random.integers(0, 20, count)).round(), kind)
    choice = random.integers(0, 3, count)
    return np.where(choice == 0, whole, np.where(choice == 1, near, halves))


def single(kind, random, count):
    """Edge values and `count` random values of a type, as u64."""
    none = np.zeros(0, np.uint64)
    if kind == "pred":
        return none, random.integers(0, 2, count, np.uint64)
    if kind in ("pos", "small", "lane"):
        edges = np.arange(0, {"pos": 67, "small": 34, "lane": 32}[kind], dtype=np.uint64)
        if kind == "pos":
            edges = np.concatenate([edges, np.array([127, 128, 255, 256, 0x80000000, 0xFFFFFFFF], np.uint64)])
        return edges, random.choice(edges, count)
    if kind == "angle":
        return none, encoded(random.uniform(-2 * np.pi, 2 * np.pi, count), "f32")
    if kind == "fp8i":  # four numbers of magnitude below 16 in e4m3 and in e5m2
        return none, random.integers(0, 1 << 32, count, np.uint64) & np.uint64(0xBFBFBFBF)
    if kind[-1] in "in" and kind != "min":
        format_ = base(kind)
        one = format_.removesuffix("x2")
        parts = []
        for _ in range(2 if format_ != one else 1):
            values = random.integers(-8, 9, count) if kind[-1] == "i" else random.standard_normal(count)
            parts.append(encoded(values.astype(np.float64), one))
        return none, parts[0] if len(parts) == 1 else parts[0] | parts[1] << np.uint64(16)
    if kind.endswith("x2"):
        one = {"u16x2": "b16", "s16x2": "b16"}.get(kind, kind[:-2])
        edges, low = single(one, random, count)
        high = single(one, random, count)[1]
        take = random.integers(0, 2, count) == 0
        high = np.where(take, random.choice(edges, count), high)
        other = np.roll(edges, 7)
        return edges | other << np.uint64(16), low | high << np.uint64(16)
    if kind in FLOATS:
        return float_edges(kind), random_floats(random, kind, count)
    size = max(16, int(kind[1:]))
    uniform = random.integers(0, 1 << 63, count, np.uint64, endpoint=True) * np.uint64(2) + random.integers(0, 2, count, np.uint64)
    uniform >>= np.uint64(64 - size)
    return integer_edges(size), np.where(random.integers(0, 2, count) == 0, uniform, uniform >> random.integers(0, size, count).astype(np.uint64))


def operands(kinds):
    """An array [operands, elements] of u64: edge values combined, then random ones."""
    random = np.random.default_rng(zlib.crc32(" ".join(kinds).encode()))
    drawn = [single(kind, random, COUNT) for kind in kinds]
    result = np.stack([values.copy() for _, values in drawn]) if drawn else np.zeros((0, COUNT), np.uint64)
    combined = 1
    for index, (edges, _) in enumerate(drawn):
        if not len(edges):
            continue
        half = COUNT // 2 if len(kinds) > 1 else min(len(edges), COUNT)
        if len(kinds) <= 2:
            chosen = edges[(np.arange(half) // combined) % len(edges)]
            combined *= len(edges)
            if combined > half > len(edges):  # not all pairs fit: those that do are drawn
                chosen = random.choice(edges, half)
        else:
            chosen = random.choice(edges, half)
        result[index, :half] = chosen
    if len(kinds) == 3 and len(set(kinds)) == 1 and kinds[0] in FLOATS:  # sums that cancel
        last = slice(COUNT - COUNT // 8, COUNT)
        with np.errstate(all="ignore"):
            product = decoded(result[0, last], kinds[0]) * decoded(result[1, last], kinds[0])
        result[2, last] = encoded(-product, kinds[0])
    return result


# Runs


class Work:
    """A folder with the modules, operands and results of all forms."""

    def __init__(self, folder, arch, only):
        self.folder, self.arch = folder, arch
        self.forms = [(family, form) for family, form in table.forms() if not only or re.search(only, form.name)]
        for name in ("ptx", "in", "sim", "gpu"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)

    def path(self, kind, name):
        return os.path.join(self.folder, kind, str(name))

    def text(self, indices):
        return HEADER.format(arch=self.arch) + "".join(kernel(f"f{i}", self.forms[i][1]) for i in indices)

    def groups(self):
        everything = range(len(self.forms))
        return [list(everything[i : i + TOGETHER]) for i in range(0, len(self.forms), TOGETHER)]

    def operands_of(self, index):
        """The file with a form's operands."""
        return self.path("in", "-".join(self.forms[index][1].inputs) or "none")

    def write(self):
        for index, (_, form) in enumerate(self.forms):
            with open(self.path("ptx", f"{index}.ptx"), "w") as file:
                file.write(self.text([index]))
            path = self.operands_of(index)
            if not os.path.exists(path):
                values = operands(form.inputs)
                (values if len(values) else np.zeros((1, COUNT), np.uint64)).tofile(path)

    def result(self, side, index):
        """What a side has written, [results, elements] of u64 cut to their types; None without any."""
        path = self.path(side, index)
        form = self.forms[index][1]
        size = len(form.outputs) * COUNT * SLOT
        if not os.path.exists(path) or os.path.getsize(path) != size:
            return None
        values = np.fromfile(path, np.uint64).reshape(len(form.outputs), COUNT)
        masks = np.array([(1 << (8 * width(kind))) - 1 for kind in form.outputs], np.uint64)
        return values & masks[:, None]


def simulate(work, binaries, index):
    """Runs a form on the simulator; what it says where it refuses."""
    form = work.forms[index][1]
    command = [os.path.join(binaries, "gpuc-sim"), work.path("ptx", f"{index}.ptx"), f"f{index}"]
    command += ["--grid", str(BLOCKS), "--block", str(BLOCK), "--threads", "1", "--time-limit", "20"]
    command += [f"in:{work.operands_of(index)}", f"out:{work.path('sim', index)}:{len(form.outputs) * COUNT * SLOT}", f"zero:{COUNT * SCRATCH}"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return None if done.returncode == 0 else (done.stderr.strip() or f"status {done.returncode}")


def run_group(driver, work, indices, say):
    """Runs forms of one module; halves of it where the module is refused."""
    try:
        module = driver.load(work.text(indices))
    except Refused as error:
        if len(indices) == 1:
            say(indices[0], f"refused: {error}")
            return
        middle = len(indices) // 2
        run_group(driver, work, indices[:middle], say)
        run_group(driver, work, indices[middle:], say)
        return
    for index in indices:
        operand = np.fromfile(work.operands_of(index), np.uint8)
        result = np.zeros(len(work.forms[index][1].outputs) * COUNT * SLOT, np.uint8)
        buffers = [driver.buffer(size, 0) for size in (operand.nbytes, result.nbytes, COUNT * SCRATCH)]
        driver.upload(buffers[0], operand)
        say(index, "started")
        driver.launch(driver.function(module, f"f{index}"), (BLOCKS, 1, 1), (BLOCK, 1, 1), buffers)
        driver.wait()
        driver.download(result, buffers[1])
        result.tofile(work.path("gpu", index))
        for buffer in buffers:
            driver.free(buffer)
        say(index, "done")
    driver.unload(module)


def gpu_process(work, groups, log):
    """One process of the GPU's part: a context of its own, a log that outlives it."""
    with open(log, "w", buffering=1) as file:

        def say(index, what):
            file.write(json.dumps([index, what]) + "\n")

        try:
            driver = Driver()
            say(-1, driver.name)
            for group in groups:
                run_group(driver, work, group, say)
        except Exception as error:  # a broken context ends this process; others go on
            say(-2, str(error))


def run_gpu(work, processes):
    """Runs everything on the GPU; returns what went wrong by form, and the device."""
    groups = work.groups()
    shares = [groups[i::processes] for i in range(processes)]
    said, device = {}, None
    context = multiprocessing.get_context("spawn")
    for attempt in range(6):
        running = []
        for number, share in enumerate(share for share in shares if share):
            log = work.path("gpu", f"log{attempt}.{number}")
            process = context.Process(target=gpu_process, args=(work, share, log))
            process.start()
            running.append((process, log))
        for process, log in running:
            process.join(80)
            if process.is_alive():
                process.kill()
            with open(log) as file:
                lines = [json.loads(line) for line in file]
            started = None
            for index, what in lines:
                if index == -1:
                    device = what
                elif index == -2:
                    said[started if started is not None else -1] = f"failed: {what}"
                else:
                    started = index if what == "started" else None
                    if what not in ("started", "done"):
                        said[index] = what
            if started is not None and started not in said:
                said[started] = "failed: did not end"
        left = [i for i in range(len(work.forms)) if i not in said and not os.path.exists(work.path("gpu", i))]
        if not left or device is None:
            break
        step = max(1, len(left) // (2 * processes))
        parts = [left[i : i + step] for i in range(0, len(left), step)]
        shares = [parts[i::processes] for i in range(processes)]
    return said, device


# Comparison


def ordered(bits, kind):
    """Numbers whose differences are distances in units of the last place."""
    size = 8 * width(kind)
    signed = bits.astype(np.int64) if size < 64 else bits.view(np.int64)
    sign = (bits >> np.uint64(size - 1)) & np.uint64(1)
    magnitude = signed & np.int64((1 << (size - 1)) - 1)
    return np.where(sign == 1, -magnitude, magnitude)


def parts(bits, kind):
    """The halves of packed numbers beside each other, and their format."""
    if kind.endswith("x2"):
        return np.concatenate([bits & np.uint64(0xFFFF), bits >> np.uint64(16)]), kind[:-2]
    return bits, kind


def distance(a, b, kind, measure):
    """The distance of two results, element by element; infinite where one alone is no number."""
    a, _ = parts(a, kind)
    b, kind = parts(b, kind)
    x, y = decoded(a, kind), decoded(b, kind)
    both = np.isnan(x) & np.isnan(y)
    one = np.isnan(x) != np.isnan(y)
    with np.errstate(all="ignore"):
        if measure == "ulp":
            far = np.abs((ordered(a, kind) - ordered(b, kind)).astype(np.float64))
        else:
            far = np.where(x == y, 0, np.abs(x - y))
    return np.where(both, 0, np.where(one, np.inf, far))


def compare(form, inputs, sim, gpu):
    """What differs in a form's results."""
    if form.tolerance is None:
        bad = (sim != gpu).any(axis=0)
        entry = {}
    else:
        measure, limit, *near = form.tolerance
        bad = np.zeros(COUNT, bool)
        worst = 0.0
        for row, kind in enumerate(form.outputs):
            far = distance(sim[row], gpu[row], base(kind), measure)
            if near:
                far[distance(sim[row], gpu[row], base(kind), "abs") <= near[0]] = 0
            bad |= (far > limit).reshape(-1, COUNT).any(axis=0)
            worst = max(worst, float(far.max()))
        entry = {"measure": measure, "limit": limit, "worst": worst, "same_bits": bool((sim == gpu).all()), "other_bits": int((sim != gpu).any(axis=0).sum())}
    entry["differing"] = int(bad.sum())
    where = np.nonzero(bad if form.tolerance is None or bad.any() else (sim != gpu).any(axis=0))[0]
    entry["first"] = [
        {"element": int(i), "inputs": [f"{v:#x}" for v in inputs[:, i]], "sim": [f"{v:#x}" for v in sim[:, i]], "gpu": [f"{v:#x}" for v in gpu[:, i]]}
        for i in where[:SHOWN]
    ]
    return entry


def assembled(work, ptxas, processes):
    """The forms that an assembler refuses, with what it says."""
    refused = {}

    def attempt(indices):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "m.ptx")
            with open(source, "w") as file:
                file.write(work.text(indices))
            command = [ptxas, f"-arch={work.arch}", source, "-o", os.path.join(folder, "m.cubin")]
            done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return
        if len(indices) == 1:
            refused[indices[0]] = done.stderr.strip().split("\n")[0]
            return
        middle = len(indices) // 2
        attempt(indices[:middle])
        attempt(indices[middle:])

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(attempt, work.groups()))
    return refused


def report(entries, seconds, device):
    count = lambda status: sum(entry["status"] == status for entry in entries)
    print(f"device: {device}; {len(entries)} forms of {COUNT} elements; seconds: {seconds}")
    statuses = ["equal", "near", "differs", "refused by the simulator", "refused by the GPU", "refused by both"]
    families = list(dict.fromkeys(entry["family"] for entry in entries))
    print(f"{'':14}" + "".join(f"{status:>26}" for status in statuses))
    for family in families + [None]:
        of = [entry for entry in entries if family is None or entry["family"] == family]
        row = "".join(f"{sum(entry['status'] == status for entry in of):26}" for status in statuses)
        print(f"{family or 'all':14}{row}")
    for entry in entries:
        if entry["status"] == "differs":
            one = entry["first"][0]
            print(f"DIFFERS {entry['name']}: {entry['differing']} of {COUNT}, {' '.join(one['inputs'])} -> sim {' '.join(one['sim'])} gpu {' '.join(one['gpu'])}")
        elif entry["status"] == "near" and not entry.get("same_bits"):
            print(f"near    {entry['name']}: at most {entry['worst']:g} {entry['measure']} (limit {entry['limit']:g}), other bits in {entry['other_bits']}")
        elif entry["status"].startswith("refused by the sim") or entry["status"] == "failed":
            print(f"{entry['status'].upper()} {entry['name']}: {entry['message'][:160]}")
    return count("differs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("--output", default="instructions.json")
    parser.add_argument("--only")
    parser.add_argument("--only-sim", action="store_true")
    parser.add_argument("--ptxas")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--folder")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()

    seconds = {}
    start = time.monotonic()

    def lap(name):
        nonlocal start
        seconds[name] = round(time.monotonic() - start, 1)
        start = time.monotonic()

    work = Work(given.folder or tempfile.mkdtemp(prefix="instructions."), given.arch, given.only)
    work.write()
    lap("write")
    refused_by_ptxas = assembled(work, given.ptxas, given.processes) if given.ptxas else {}
    for index, message in sorted(refused_by_ptxas.items()):
        print(f"PTXAS {work.forms[index][1].name}: {message}")
    lap("ptxas")
    with ThreadPoolExecutor(given.processes) as pool:
        refused = list(pool.map(lambda index: simulate(work, given.binaries, index), range(len(work.forms))))
    lap("simulator")
    said, device = ({}, None) if given.only_sim else run_gpu(work, min(8, given.processes))
    lap("gpu")

    entries, kept = [], {}
    for index, (family, form) in enumerate(work.forms):
        entry = {"name": form.name, "family": family, "body": form.body, "inputs": form.inputs, "outputs": form.outputs}
        sim, gpu = work.result("sim", index), work.result("gpu", index)
        if refused[index] and index in said:
            entry.update(status="refused by both", message=refused[index], gpu_message=said[index])
        elif refused[index]:
            entry.update(status="refused by the simulator", message=refused[index])
        elif given.only_sim:
            entry.update(status="simulated" if sim is not None else "failed", message="no result")
        elif index in said:
            entry.update(status="refused by the GPU" if said[index].startswith("refused") else "failed", message=said[index])
        elif gpu is None or sim is None:
            entry.update(status="failed", message="no result")
        else:
            inputs = np.fromfile(work.operands_of(index), np.uint64).reshape(-1, COUNT)
            entry.update(compare(form, inputs, sim, gpu))
            entry["status"] = "differs" if entry["differing"] else "equal" if form.tolerance is None else "near"
            if (sim != gpu).any():
                every = np.arange(COUNT) if entry["status"] == "near" else np.nonzero((sim != gpu).any(axis=0))[0][:KEPT]
                kept.update({f"{form.name}:{side}": values[:, every] for side, values in (("in", inputs), ("sim", sim), ("gpu", gpu))})
        entries.append(entry)
    lap("compare")
    with open(given.output, "w") as file:
        json.dump({"device": device, "elements": COUNT, "seconds": seconds, "problems": {str(k): v for k, v in said.items()}, "forms": entries}, file, indent=1)
    np.savez_compressed(os.path.splitext(given.output)[0] + ".npz", **kept)
    differing = report(entries, seconds, device)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
