"""How near kernels from plain loops come to what the GPU can do: cuBLAS's product, and a copy's bandwidth.

Usage: ceilings.py GPUC [OUTPUT.json] [--small]

Compiles ceilings.c with GPUC, runs it on the GPU and takes the kernels' times from the table of GPUC_TIME=1, which
are by events. The peers are PyTorch's (cuBLAS with TF32 off; a copy from device to device), by events too. Both are
the shortest of some launches. Needs PyTorch; without it our times stand alone. With --small, sizes for a try.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

TIMES = 12
HERE = os.path.dirname(os.path.abspath(__file__))


def ours(program, name, n):
    """Shortest time of a kernel, in seconds, and the words of the check."""
    environment = dict(os.environ, GPUC_TIME="1", GPUC_DEVICE=os.environ.get("GPUC_DEVICE", "cuda"))
    command = [program, name, str(n), str(TIMES)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    found = re.search(r"kernel launched .*\n.*\n\s+device time\(us\):.* min=([\d,]+)", done.stderr)
    if done.returncode or not found:
        return None, (done.stdout + done.stderr)[-500:]
    return 1e-6 * int(found[1].replace(",", "")), done.stdout.strip()


def peers(sizes):
    """Shortest times of cuBLAS's product by size, and of a copy of a GiB, in seconds; empty without PyTorch."""
    try:
        import torch
    except ImportError:
        return {}, None
    torch.backends.cuda.matmul.allow_tf32 = False

    def shortest(work):
        times = []
        for _ in range(TIMES + 3):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            work()
            end.record()
            end.synchronize()
            times.append(1e-3 * start.elapsed_time(end))
        return min(times[3:])

    products = {}
    for n in sizes:
        a, b = (torch.rand(n, n, device="cuda") - 0.5 for _ in range(2))
        c = torch.empty_like(a)
        products[n] = shortest(lambda: torch.mm(a, b, out=c))
    x = torch.rand(1 << 28, device="cuda")
    y = torch.empty_like(x)
    return products, shortest(lambda: y.copy_(x))


def main():
    arguments = [a for a in sys.argv[1:] if a != "--small"]
    small = len(arguments) < len(sys.argv[1:])
    gpuc, output = arguments[0], arguments[1] if len(arguments) > 1 else None
    products = [128, 200] if small else [1024, 1536, 2048, 3072, 4096, 4097, 6144, 8192]
    wide, square = (1 << 12, 200) if small else (1 << 28, 16384)
    moving = {"axpy": (wide, 12 * wide), "transpose": (square, 8 * square**2), "sum": (wide, 4 * wide), "jacobi": (square, 8 * square**2)}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "ceilings")
        command = [gpuc, "--arch=sm_90", "-O2", os.path.join(HERE, "ceilings.c"), "-o", program, "-lm"]
        subprocess.run(command, check=True)
        cublas, copy = peers(products)
        for n in products:
            time, words = ours(program, "sgemm", n)
            rows.append({"kernel": "sgemm", "n": n, "seconds": time, "peer": cublas.get(n), "said": words})
            rate = 2e-12 * n**3
            if time:
                ratio = f"{cublas[n] / time:6.1%} of cuBLAS ({rate / cublas[n]:.1f})" if n in cublas else ""
                print(f"sgemm {n:6} {1e6 * time:9.0f} us {rate / time:6.1f} TFLOP/s {ratio} {words}", flush=True)
            else:
                print("sgemm", n, words, flush=True)
        if copy:
            print(f"copy, device to device: {8e-9 * (1 << 28) / copy:.0f} GB/s")
        for name, (n, size) in moving.items():
            time, words = ours(program, name, n)
            rows.append({"kernel": name, "n": n, "seconds": time, "bytes": size, "copy": copy, "said": words})
            if time:
                ratio = f"{size / time / (8 * (1 << 28) / copy):6.1%} of a copy" if copy else ""
                print(f"{name:9} {n} {1e6 * time:9.0f} us {1e-9 * size / time:6.0f} GB/s {ratio} {words}", flush=True)
            else:
                print(name, n, words, flush=True)
    if output:
        with open(output, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


main()
