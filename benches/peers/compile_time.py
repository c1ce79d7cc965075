"""CPU time of `gpuc -c` beside `gcc -fopenacc -c`, file by file.

    python3 benches/peers/compile_time.py gpuc FILE.c... [--runs 7] [--options=-O2] [--every 1]

Each number is the least of the runs, user and system time of the command with its children, taken in turn
so that the machine's load hits both. Files that one of the two refuses, and those without a directive, are left out.
"""

import argparse
import os
import statistics
import sys
import tempfile

GCC = ["gcc", "-w", "-fopenacc", "-foffload=nvptx-none", "-c"]


def cpu_time(command):
    """Seconds that a command takes; None where it fails."""
    child = os.posix_spawnp(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)],
    )
    _, status, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime if status == 0 else None


def least(commands, runs):
    """The least time of each command; None where one fails."""
    times = [[] for _ in commands]
    for _ in range(runs):
        for command, found in zip(commands, times):
            time = cpu_time(command)
            if time is None:
                return None
            found.append(time)
    return [min(found) for found in times]


def has_directive(path):
    with open(path, errors="replace") as file:
        return "#pragma acc" in file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gpuc")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--every", type=int, default=1, help="take every n-th file only")
    parser.add_argument("--options", default="-O2", help="for both, in one word")
    arguments = parser.parse_args()
    options = arguments.options.split()
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(arguments.files)[:: arguments.every]:
            if not has_directive(path):
                continue
            here = ["-I" + os.path.dirname(os.path.abspath(path)), "-o", folder + "/out.o", path]
            commands = [[arguments.gpuc, "-w", "-c", *options, *here], [*GCC, *options, *here]]
            times = least(commands, arguments.runs)
            if times is None:
                print(f"left out: {path}", file=sys.stderr)
                continue
            ours, theirs = (1000 * time for time in times)
            ratios.append(ours / theirs)
            print(f"{ours / theirs:6.2f} {ours:8.1f} ms {theirs:8.1f} ms  {path}", flush=True)
    if not ratios:
        sys.exit("no file that both take")
    print(
        f"{len(ratios)} files: median {statistics.median(ratios):.2f}, "
        f"from {min(ratios):.2f} to {max(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
