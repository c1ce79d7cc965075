//! The text of `--help`.

/// The text of `--help`.
pub const HELP: &str = "\
usage: gpuc [OPTIONS] FILE...              compile and link, like cc
       gpuc run [OPTIONS] FILE... [-- ARG...]   compile and run
       gpuc --emit=LEVEL FILE              print a level of the compiler

gpuc takes cc's options (-c -o -I -D -O -g -l -L ...) and hands on what it does not know.

Offloading:
  --arch=sm_XX          compute capability of the kernels (default sm_75; runs on later ones)
  --device=DEVICE       with run: auto (default), cuda, sim or host
  --require-gpu         with run: fail rather than use the simulator
  --emit=LEVEL          tokens, ast, source, affine, gpu, ptx-ir, ptx or host-c
  --report              with run: print counters and times of each kernel at exit
  --time                with run: print the timing table of each region at exit
  -ffp-contract=MODE    fast (default, but with -std=cXX) fuses multiply and add; off: never;
                        on, which is for fusing within an expression: never, too, as GCC before 14
  -Minfo[=accel]        print what was parallelised and how, by function and line
  --print-ir-after-all  print the IR behind every pass, to standard error
  --timing              print the time spent in each stage, to standard error
  --explain CODE        explain a message's code: gpuc --explain GPUC0004

Environment: GPUC_CC names the host compiler; GPUC_DEVICE, GPUC_REQUIRE_GPU and GPUC_REPORT do for a
compiled program what the options above do for gpuc run.
";
