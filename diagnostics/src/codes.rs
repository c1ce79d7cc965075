//! Stable codes of messages, with what there is to say about each.
//!
//! A code is the name of a family of messages: it stays when their words change, and is never used
//! again for another. `gpuc --explain CODE` prints the explanation. Whoever adds a code adds its row
//! here, and gives it to the messages by [`crate::Diagnostic::code`].

use crate::did_you_mean;

/// What a code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// The name of its constant.
    pub constant: &'static str,
    /// The family of messages, in a few words.
    pub title: &'static str,
    /// What is wrong or was decided, why, and what to do, with an example.
    pub text: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $text:literal;)+) => {
        $(
            #[doc = $title]
            pub const $name: &str = $code;
        )+

        /// Every code, in order.
        pub const ALL: &[Explanation] =
            &[$(Explanation { code: $code, constant: stringify!($name), title: $title, text: $text }),+];
    };
}

codes! {
    UNKNOWN_DIRECTIVE = "GPUC0001", "Unknown directive",
"The first words behind `#pragma acc` are no directive of OpenACC.

    #pragma acc paralel loop        // error: did you mean `parallel`?
    #pragma acc copy(a) parallel    // error: a clause in front of the directive

Write the directive first, spelled as in OpenACC 3.3, and its clauses behind it.";

    UNKNOWN_CLAUSE = "GPUC0002", "Unknown clause",
"A word behind a directive is no clause of OpenACC.

    #pragma acc parallel loop copi(a)    // error: did you mean `copy`?

Clauses of other compilers and of other directive families are not taken.";

    CLAUSE_NOT_ALLOWED = "GPUC0003", "Clause of another directive",
"The clause exists, but not on this directive: OpenACC lists the clauses of each directive in the
section of the specification that defines it.

    #pragma acc update copyin(a)    // error: `update` has `self`, `host` and `device`

Combined directives (`parallel loop`) take the clauses of both.";

    NOT_SUPPORTED = "GPUC0004", "Directive or clause that gpuc does not support",
"OpenACC 3.3 has it, this version of gpuc does not. It is refused, because a program that leaves it
out means something else.

    #pragma acc parallel loop private(v.a)    // error: a member cannot have private copies of its own

The message says how the program does the same: here `private(v)`, or a variable that is a copy of the
member.";

    DEVICE_CODE = "GPUC0005", "Code that cannot run on the device",
"A compute region, or a function that it calls, holds something that there is no device code for:
a jump out of the region, inline assembly, a call through a pointer, `long double`, an object whose
size is not constant, a builtin that only the host compiler knows, an expression or a chain of `else if`
that is too deep.

    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        a[i] = table[i % 2](i);    // error: calls through function pointers

Move it out of the region, or write what it does in plain C on scalars and arrays.";

    NOT_CANONICAL = "GPUC0006", "Loop whose rounds cannot be counted beforehand",
"A loop with a directive is dealt out to threads, so the number of its rounds must be known when it
starts: one variable that a constant is added to in each round, and a comparison with a bound that
the loop does not change.

    #pragma acc parallel loop
    for (node *p = list; p; p = p->next)    // error
        p->value = 0;

    #pragma acc parallel loop
    for (int i = 0; i < n; i++)             // good
        values[i] = 0;

`break`, `return` and changes of the variable in the body also make it uncountable.";

    MISSING_SHAPE = "GPUC0007", "Pointer without a length in a data clause",
"A pointer does not say how much it points to, and a data clause moves exactly that.

    void f(int n, float *x)
    {
        #pragma acc data copy(x)         // error: `x` is a pointer
        #pragma acc data copy(x[0:n])    // good: n elements from x[0] on
    }

Arrays of known size need no section, nor does a parameter that is declared as one: `float x[n]`.";

    POINTER_NOT_MAPPED = "GPUC0008", "Pointer in no data clause",
"Of a pointer that no data clause names, as much is moved as the loops touch, which the host computes
before the launch from bounds and subscripts. Where these depend on what only the device knows, the data
must be on the device when the region starts, by `enter data` or a `data` construct of a caller. If they
are not, the program ends with a message.

    #pragma acc parallel loop                    // remark: `x` must be present
    for (int i = 0; i < n; i++)
        x[index[i]] = 0;

Name it, as in `copyout(x[0:n])`, to have it moved here, or in `present(x)` to say that it is there.";

    NOT_IN_DATA_CLAUSE = "GPUC0009", "Variable in no data clause under default(none)",
"`default(none)` asks that every variable of a region stands in a data clause or is private.

    #pragma acc parallel loop default(none) copy(a[0:n])    // error for `b` below
    for (int i = 0; i < n; i++)
        a[i] = b[i];";

    LOOP_CARRIED = "GPUC0010", "Dependence between the iterations of a loop",
"A loop of a `kernels` region, or one with `auto`, stays sequential because an iteration may use what
another one writes. The lines below the remark name the two accesses and their distance.

    #pragma acc kernels
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + b[i];    // reads what the iteration before has written

Where the dependence is real, restructure the loop, or make it a reduction. Where it is not, because
indices never meet, say so: `#pragma acc loop independent`.";

    NOT_INDEPENDENT = "GPUC0011", "Loop declared independent that is not",
"`independent` and the loops of `parallel` are the program's promise that iterations do not touch each
other's data. Here that is proven wrong; the loop runs in parallel as it was told to, and gives
results that depend on the order of threads.

    #pragma acc parallel loop      // warning
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1];

Use `#pragma acc loop seq`, or a `reduction` or `atomic` where several iterations add to one place.";

    SERIAL_KERNEL = "GPUC0012", "Region without a parallel loop",
"No loop of the region is parallel: one thread of the device computes it, which is slow. It is a `serial`
construct, or the remarks on its loops say what prevents more.

    #pragma acc serial copy(a[0:n])    // remark
    for (int i = 1; i < n; i++)
        a[i] += a[i - 1];

A region of little work between others may be right so: its data stay on the device.";

    BAD_OPTION = "GPUC0013", "Option that does not exist, or a value that it does not take",
"Options with two dashes are gpuc's own and must be spelled as `gpuc --help` has them. Others are the
host compiler's.

    gpuc --emti=ptx a.c      // error: did you mean `--emit`?
    gpuc --arch=sm_9 a.c     // error: unknown compute capability

Of the options that other compilers have for directives, those that mean something here are taken in
their spelling; the others are refused by name.

    gpuc -gpu=cc90 a.c               // --arch=sm_90
    gpuc -gpu=managed a.c     // error";

    MEANING_OPTION = "GPUC0014", "Option that changes what C means on the host only",
"Host program and kernels share their data, so both must agree on the sizes of types, the layout of
structures and the values of constants. gpuc's device code is that of 64-bit Linux as GCC and Clang
have it by default; the options that it follows beside are given to both sides.

    gpuc -m32 a.c         // error if a.c has directives
    gpuc -ftrapv -c a.c    // error if a.c has directives

A host compiler whose types have other sizes is refused likewise. Files without directives may be
compiled with any option.";

    OUTPUT_IS_INPUT = "GPUC0015", "Output over an input",
"`-o`, or `-MF`, names one of the inputs, perhaps by another path or a link. Nothing is written.

    gpuc -c a.c -o a.c    // error";

    STATIC_RUNTIME = "GPUC0016", "Static linking of a program that offloads",
"A program that offloads loads the driver of the GPU when it runs, by `dlopen`, which `-static` forbids.
gpuc's own runtime library is linked statically in any case, so that the program starts where gpuc is
not installed.

    gpuc -static a.c                            // error if a.c has directives

Single libraries can be linked statically:

    gpuc a.c -Wl,-Bstatic -lfoo -Wl,-Bdynamic";

    OTHER_FAMILY = "GPUC0017", "Directive of a family that is not offloaded",
"The directive is for a device, but of a family that this version of gpuc does not compile. The host
compiler gets it as it is.

    #pragma omp target teams distribute parallel for    // warning
    #pragma acc parallel loop                           // the same in OpenACC";

    EMPTY_REGION = "GPUC0018", "Region or file without kernels",
"No kernel is made of a region in which there is nothing to compute; `-Minfo` says so at its directive.

    #pragma acc parallel loop    // remark: there is nothing to compute here
    for (int i = 0; i < n; i++)
        ;

Where PTX is asked for, and the file has no region that leaves a kernel, it is a warning: a module
without kernels is printed. Compiling and linking such a file is fine.";

    MISSING_FILE = "GPUC0019", "Input that cannot be read",
"An input of the command line is missing, or is a folder. Paths are those of the current folder; in a
response file (`@FILE`) too.

    gpuc -c missing.c    // error: there is no such file";

    NOT_C = "GPUC0020", "Input in a language that is not offloaded",
"gpuc compiles directives in C. C++ goes to the host compiler, which leaves out or refuses the
directives. Move the loops into functions of a C file, declared `extern \"C\"` in C++.

    gpuc -c a.cpp    // warning";

    MISSING_COMPILER = "GPUC0021", "Host compiler or runtime library that cannot be found",
"gpuc uses the system's C compiler to preprocess, for the host program, and to link, and links the
program with its runtime library.

    GPUC_CC=no-such-compiler gpuc -c a.c       // error
    GPUC_CC=gcc-13 gpuc a.c                    // another compiler
    GPUC_CC=\"ccache gcc\" gpuc a.c            // one with a word in front
    GPUC_RUNTIME_DIR=/opt/gpuc/lib/gpuc gpuc a.c    // where libgpuc_runtime.a is

gpuc carries its runtime library. It is used from `lib/gpuc` beside the `bin` of the compiler, and
where there is no such folder it is written into the user's cache first: `gpuc --print-config` says
where.";

    ASSUMED_APART = "GPUC0022", "Pointers that may reach the same memory",
"The loop is parallel if the two share no memory, which the compiler cannot know of pointers. Two
versions are made; which one runs is decided by where the pointers point when the program runs.

    void add(int n, float *a, const float *b) {
        #pragma acc kernels present(a, b)
        for (int i = 0; i < n; i++)
            a[i] += b[i];       // remark: parallel if a and b do not overlap
    }

Declare both pointers `restrict`, if they never overlap, and only the parallel version is made.";

    ROWS = "GPUC0023", "Array of one dimension used as one of rows",
"Subscripts like `a[i * n + j]` are taken apart into rows and columns, which shows that different rows
do not meet. That holds only while `j` stays within a row.

    #pragma acc kernels copy(a[0:m * n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++)
            a[i * n + j] = 0;    // rows of n if k <= n

Where that is not known, two versions are made, and the condition is looked at when the region
starts; or the loops stay sequential. `j < n` in the loop makes it known.";

    LOST_SCALAR = "GPUC0024", "Scalar whose new value would be lost",
"The scalars of a `parallel` construct, and those of independent loops, are private (OpenACC 3.3 §2.6.2):
what the device leaves in them does not come back. A program that reads such a variable afterwards would
go on with another value than it has without the directive.

    double last = 0;
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++)
        last = a[i];               // error: printf reads it
    printf(\"%g\", last);

So it is where a loop of the host brings the construct again, and it goes on with what it has left in the
variable, or where it has left a pointer.

What iterations combine, as in `s += a[i]`, becomes a reduction by itself. Else a clause must say what is
meant: `reduction`, `private` or `firstprivate` where nothing of the device's is wanted, `copy` on a
construct of one gang.";

    PLAN_TEXT = "GPUC0025", "File of plans that cannot be read",
"A file of plans (`--plan=FILE`) is text: its first line names the format, each construct has a line with
what the plan belongs to, and one step a line behind it. Steps stand in the order in which the compiler
takes them, each once.

    gpuc plan 1
    kernel scale:3 nest 5f0e52d1ab8d6b0e target sm_75
      paralel i                 # error: did you mean `parallel`?

    gpuc --plan=scale.plan -c a.c

`gpuc --emit=plan FILE.c` prints the plan that the compiler chooses: begin with that one and change it.
With `-Wno-error=plan` the program is compiled without the plan.";

    PLAN_KEY = "GPUC0026", "Plan for something else",
"A plan belongs to one construct (function and line), to its nest as it stands when the plan begins (a
hash of it) and to one target. Where one of them is another, the plan is refused: nobody knows whether its
steps still mean what they meant.

    kernel scale:3 nest 5f0e52d1ab8d6b0e target sm_75      # error for another target:
    gpuc --plan=scale.plan --arch=sm_90 -c a.c

Print the plan anew with `gpuc --emit=plan`, and take over what you had changed. With `-Wno-error=plan` the
construct is compiled without the plan.";

    PLAN_STEP = "GPUC0027", "Step of a plan that is refused",
"A step of a plan is checked like one that the compiler takes by itself. It is refused where a dependence
forbids it, a limit of the device is passed, it names a loop that is not there (or not any more: a step
before it took it), or nothing in the construct is of its kind.

    permute i, j to j, i        # error: a dependence would be turned round
    tile i by 512, j by 512, l by 16, threads 16 by 16   # error: it needs 65792 bytes, and there are 49152
    gpuc --plan=edited.plan -c a.c

The message has the rule, the places, and two iterations that would be exchanged. Nothing is repaired in
silence; with `-Wno-error=plan` the construct is compiled without the plan.";

    TUNING = "GPUC0028", "Damaged record of tuning",
"A record of tuning (`--tuning=FILE`) has a first line with its version and one line for each configuration
that `gpuc tune` measured. A line that cannot be read, or a plan in it that cannot be followed, is left out
with this warning: the construct is compiled as without the record.

    gpuc --tuning=damaged.tuning -c a.c

Run `gpuc tune` again; it writes the file anew, in one piece.";

    SEQUENTIAL_LOOP = "GPUC0029", "Loop that runs sequentially although it was to be parallel",
"A clause divides the loop among processors, or a `parallel` or `kernels` construct is there to compute in
parallel; but a dependence, which the lines below the warning name, keeps the iterations in order.

    #pragma acc kernels loop gang copy(a[0:n])    // warning
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + 1;

Take the dependence away, say `independent` where there is none, or `seq` where order is meant. What runs in
order on purpose stands in a `serial` construct.

Loops of a `routine vector`, `worker` or `gang` of another file are executed by the lane that calls it: a
call does not bring the other lanes along. Define such a function in a header.";

    MOVED_IN_LOOP = "GPUC0030", "Data moved in every iteration of a loop of the host",
"The construct stands in a loop, and data that no clause names is moved to the device when it begins and
back when it ends: each time round. Moving takes longer than most loops compute.

    for (int step = 0; step < 100; step++) {
        #pragma acc parallel loop             // warning: `a` is moved 100 times
        for (int i = 0; i < 1000; i++)
            a[i] = a[i] * 0.5f + 1;
    }

A data construct around the loop, `#pragma acc data copy(a)`, moves it once. Where the host needs it each
time, a clause at the construct says so.";

    SMALL_REGION = "GPUC0031", "Region too small to pay",
"By the number of iterations, which the text has, the host computes the region in less time than its launch
alone takes, and its data has to be moved as well.

    #pragma acc parallel loop copy(a[0:10])    // warning
    for (int i = 0; i < 10; i++)
        a[i] += 1;

Leave the directive out. A small region between others, on data that is on the device already, is fine: it
saves moving them, and there is no warning.";

    VARIABLE_TWICE = "GPUC0032", "Variable in two data clauses of one directive",
"Each clause says what becomes of a variable's data; two say different things, and which holds depends on
the compiler: OpenACC 3.3 (§2.7) has none for that.

    #pragma acc parallel loop copyin(a[0:n]) copy(a[0:n])    // warning

Both are obeyed, one after the other, as other compilers do it and OpenACC's own validation suite expects it.
Write the clause that does both, here `copy`. `-Werror=variable-twice` makes it an error. Two sections of one
array may stand in different clauses: whether they are apart is the program's to know.";

    MISSING_CLAUSE = "GPUC0033", "Scalar of all iterations without a clause",
"The iterations of a loop that the program declares parallel change a scalar that they share. Where they
combine values in it, `reduction` says so; where each sets it before it looks at it, `private` does.

    double sum = 0;
    #pragma acc parallel loop copyin(a[0:n])    // warning
    for (int i = 0; i < n; i++)
        sum += a[i];

A sum that lacks its clause is compiled as one all the same, but other compilers lose what iterations add at
the same time. The threads of a combined OpenMP construct share a variable that is declared in front of it,
which gpuc makes each thread's own: declare it in the loop. The warning is one that editors can mend: they add
the clause. A variable in a data clause is memory, and GPUC0011 speaks of it.";
}

impl Explanation {
    /// What options call it: `-Wloop-carried`, `-Wno-loop-carried`, `-Werror=loop-carried`.
    pub fn name(&self) -> String {
        self.constant.to_ascii_lowercase().replace('_', "-")
    }
}

/// The place in [`ALL`] of a code, or of the name that options have for it.
pub fn index_of(code_or_name: &str) -> Option<usize> {
    ALL.iter().position(|known| known.code == code_or_name || known.name() == code_or_name)
}

/// All codes with their names and titles, one a line.
pub fn list() -> String {
    let width = ALL.iter().map(|known| known.name().len()).max().unwrap_or(0);
    let line =
        |known: &Explanation| format!("{}  {:width$}  {}\n", known.code, known.name(), known.title);
    ALL.iter().map(line).collect()
}

/// What there is to say about a code, or about the name that options have for it. `Err` has what may have been meant.
pub fn explain(code_or_name: &str) -> Result<&'static Explanation, Option<String>> {
    let [code, name] = [code_or_name.to_ascii_uppercase(), code_or_name.to_ascii_lowercase()];
    if let Some(found) = index_of(&code).or_else(|| index_of(&name)) {
        return Ok(&ALL[found]);
    }
    let names: Vec<String> = ALL.iter().map(Explanation::name).collect();
    let near = did_you_mean(&code, ALL.iter().map(|known| known.code));
    Err(near.or_else(|| did_you_mean(&name, names.iter().map(String::as_str))).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_numbered_and_explained() {
        for (i, known) in ALL.iter().enumerate() {
            assert_eq!(known.code, format!("GPUC{:04}", i + 1));
            assert!(!known.title.ends_with('.') && known.text.len() > 60, "{known:?}");
            assert!(known.text.lines().all(|line| line.len() <= 110), "{}", known.code);
            // `-Wno-` in front of it must not read as another option.
            assert!(!known.name().starts_with("no-"), "{}", known.code);
            assert_eq!(index_of(&known.name()), Some(i));
            assert_eq!(explain(&known.code.to_lowercase()), Ok(known));
            assert_eq!(explain(&known.name().to_uppercase()), Ok(known));
        }
        assert!(explain("GPUC9999").is_err());
    }
}
