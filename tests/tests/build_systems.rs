//! gpuc as the compiler of build systems: Meson, autoconf and automake, libtool, pkg-config, CMake with Ninja; and behind
//! what stands in front of compilers: ccache, distcc, bear. What is not installed is named as skipped. CMake's modules of
//! OpenACC and OpenMP are tested in `drop_in`.

use gpuc_tests::project::{Project, gpuc, has};

/// A library with a region, and a program that calls it and says what came of it.
const LIBRARY: &str = "\
#include \"scale.h\"
double scale(int n, double *x, double by)
{
    double sum = 0;
    #pragma acc parallel loop copy(x[0:n]) reduction(+:sum)
    for (int i = 0; i < n; i++) {
        x[i] *= by;
        sum += x[i];
    }
    return sum;
}
";
const HEADER: &str = "double scale(int n, double *x, double by);\n";
const PROGRAM: &str = "\
#include <stdio.h>
#include \"scale.h\"
int main(void)
{
    double x[101];
    for (int i = 0; i < 101; i++)
        x[i] = i;
#ifdef _OPENACC
    printf(\"%d %g\\n\", _OPENACC, scale(101, x, 2));
#endif
    return 0;
}
";
/// What the program prints.
const SAID: &str = "202211 10100\n";

/// The program with the files of a build system beside its sources; `None` where a tool is missing, which is said.
fn project(tools: &[&str], files: &[(&str, &str)]) -> Option<Project> {
    let sources = [("scale.c", LIBRARY), ("scale.h", HEADER), ("main.c", PROGRAM)];
    let all = sources.iter().chain(files).copied();
    tools.iter().all(|tool| has(tool)).then(|| Project::new(all))
}

#[test]
fn meson_takes_it_for_the_compiler_behind_it() {
    const BUILD: &str = "\
project('scale', 'c', default_options: ['warning_level=3', 'c_std=gnu11', 'buildtype=debugoptimized'])
cc = meson.get_compiler('c')
assert(cc.get_id() in ['gcc', 'clang'], cc.get_id())
assert(cc.has_header('openacc.h') and cc.has_function('printf', prefix: '#include <stdio.h>'))
library = shared_library('scale', 'scale.c')
executable('program', 'main.c', link_with: library)
";
    let Some(project) = project(&["meson", "ninja"], &[("meson.build", BUILD)]) else {
        return;
    };
    project.shell("meson setup build && ninja -C build");
    assert_eq!(project.shell("build/program"), SAID);
    // Nothing is made again that has not changed.
    assert!(project.shell("ninja -C build").contains("no work to do"));
}

#[test]
fn cmake_with_ninja_and_response_files() {
    const LISTS: &str = "\
cmake_minimum_required(VERSION 3.16)
project(scale C)
set(CMAKE_NINJA_FORCE_RESPONSE_FILE 1)
set(CMAKE_EXPORT_COMPILE_COMMANDS 1)
include(CheckCSourceCompiles)
check_c_source_compiles(\"int main(void) { return 0; }\" WORKS)
if(NOT WORKS)
  message(FATAL_ERROR \"it compiles nothing\")
endif()
add_library(scale STATIC scale.c)
add_executable(program main.c)
target_link_libraries(program scale m)
";
    let Some(project) = project(&["cmake", "ninja"], &[("CMakeLists.txt", LISTS)]) else {
        return;
    };
    project.shell("cmake -G Ninja -B build . && ninja -C build");
    assert_eq!(project.shell("build/program"), SAID);
    let commands = std::fs::read_to_string(project.path().join("build/compile_commands.json"));
    assert!(commands.is_ok_and(|text| text.contains("scale.c")));
    // The header is known by the dependency file that gpuc has written.
    project.shell("touch scale.h");
    assert!(project.shell("ninja -C build -v").contains("scale.c"));
}

#[test]
fn autoconf_and_automake_configure_it() {
    const CONFIGURE: &str = "\
AC_INIT([scale], [1])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AM_PROG_AR
AC_PROG_RANLIB
AC_CHECK_HEADERS([openacc.h])
AC_CHECK_SIZEOF([long])
AC_SEARCH_LIBS([sqrt], [m])
AS_IF([test \"$ac_cv_sizeof_long\" != 8], [AC_MSG_ERROR([of long])])
AS_IF([test \"$ac_cv_header_openacc_h\" != yes], [AC_MSG_ERROR([no openacc.h])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
";
    const MAKE: &str = "\
noinst_LIBRARIES = libscale.a
libscale_a_SOURCES = scale.c scale.h
bin_PROGRAMS = program
program_SOURCES = main.c
program_LDADD = libscale.a
";
    let files = [("configure.ac", CONFIGURE), ("Makefile.am", MAKE)];
    let Some(project) = project(&["autoconf", "automake", "make"], &files) else { return };
    project.shell("aclocal && autoconf && automake --add-missing");
    let said = project.shell(
        "mkdir out && cd out && ../configure --prefix=$PWD/installed && make && make install",
    );
    // It is known as a compiler of GNU's kind, which has -g and dependency files.
    for line in ["supports GNU C... yes", "accepts -g... yes", "dependency style of"] {
        assert!(said.contains(line), "no `{line}` in\n{said}");
    }
    assert_eq!(project.shell("out/installed/bin/program"), SAID);
}

#[test]
fn pkg_config_says_what_to_link() {
    const PACKAGE: &str = "\
Name: scale
Description: scales
Version: 1
Cflags: -I${pcfiledir} -DSCALE=1
Libs: -L${pcfiledir} -lscale -Wl,-rpath,${pcfiledir}
";
    let Some(project) = project(&["pkg-config"], &[("scale.pc", PACKAGE)]) else { return };
    project.shell("$CC -fPIC -shared scale.c -o libscale.so");
    let script = "mkdir use && cd use && export PKG_CONFIG_PATH=$(cd .. && pwd) && $CC ../main.c $(pkg-config --cflags --libs scale) -o program";
    project.shell(script);
    assert_eq!(project.shell("use/program"), SAID);
}

#[test]
fn libtool_makes_both_kinds_of_libraries() {
    const CONFIGURE: &str = "\
AC_INIT([scale], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AM_PROG_AR
LT_INIT
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
";
    const MAKE: &str = "\
lib_LTLIBRARIES = libscale.la
libscale_la_SOURCES = scale.c scale.h
bin_PROGRAMS = program
program_SOURCES = main.c
program_LDADD = libscale.la
";
    let files = [("configure.ac", CONFIGURE), ("Makefile.am", MAKE)];
    let tools = ["autoconf", "automake", "libtoolize", "make"];
    let Some(project) = project(&tools, &files) else { return };
    project.shell("libtoolize && aclocal && autoconf && automake --add-missing");
    project.shell(
        "mkdir out && cd out && ../configure --prefix=$PWD/installed && make && make install",
    );
    for at in ["out", "out/installed/bin"] {
        assert_eq!(project.shell(&format!("{at}/program")), SAID);
    }
    let libraries = project.shell("ls out/installed/lib");
    for name in ["libscale.a", "libscale.so"] {
        assert!(libraries.lines().any(|line| line == name), "{libraries}");
    }
}

/// The second time nothing is compiled: what gpuc writes depends on what ccache looks at, and on nothing else.
#[test]
fn ccache_finds_what_was_compiled() {
    let Some(project) = project(&["ccache"], &[]) else { return };
    let compile = "export CCACHE_DIR=$PWD/cache; for name in scale main; do ccache $CC -O1 -g -c $name.c; done";
    project.shell(compile);
    project.shell("mv scale.o first.o");
    project.shell(compile);
    project.shell("cmp scale.o first.o && $CC scale.o main.o -o program");
    assert_eq!(project.shell("./program"), SAID);
    let statistics = project.shell("CCACHE_DIR=$PWD/cache ccache --print-stats");
    let count = |name: &str| {
        let line = statistics.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|number| number.trim().parse::<u32>().ok())
    };
    assert_eq!(count("direct_cache_hit"), Some(2), "{statistics}");
    // Another directive is another object.
    project.shell(
        "sed -i s/parallel/serial/ scale.c; sed -i 's/serial loop/serial loop seq/' scale.c",
    );
    project.shell(compile);
    assert_eq!(project.shell("if cmp -s scale.o first.o; then echo same; fi"), "");
}

/// What distcc sends away is preprocessed: directives and the place where they stood survive it.
#[test]
fn distcc_sends_it_away() {
    let Some(project) = project(&["distcc", "distccd"], &[]) else { return };
    // A server that takes one of the free ports; it works for nobody else, and ends with the script.
    let script = "\
export DISTCC_DIR=$PWD/state DISTCC_FALLBACK=0
mkdir state
user=$(id -un)
if [ \"$user\" = root ]; then user=nobody; fi
port=$((20000 + $$ % 20000))
distccd --daemon --no-detach --user $user --port $port --listen 127.0.0.1 --allow 127.0.0.1 --jobs 1 \
    --enable-tcp-insecure --log-file=$PWD/log >server 2>&1 &
trap \"kill $!\" EXIT
sleep 1
if ! kill -0 $!; then
    echo skipped: $(tail -1 server)
    exit 0
fi
DISTCC_HOSTS=127.0.0.1:$port distcc $CC -O1 -g -c scale.c
$CC main.c scale.o -o program";
    let said = project.shell(script);
    if said.starts_with("skipped") {
        eprintln!("{said}");
        return;
    }
    assert_eq!(project.shell("./program"), SAID);
    let sources = project.shell("readelf --debug-dump=info scale.o | grep DW_AT_name | head -1");
    assert!(sources.trim().ends_with("scale.c"), "{sources}");
}

/// With gpuc among the compilers that it looks for (`docs/editors.md`), bear writes down the user's command, once a file.
#[test]
fn bear_writes_down_the_users_commands() {
    let Some(project) = project(&["bear"], &[]) else { return };
    let configuration = format!(
        "{{\"compilation\": {{\"compilers_to_recognize\": [{{\"executable\": \"{}\", \
         \"flags_to_add\": [], \"flags_to_remove\": []}}], \"compilers_to_exclude\": []}}}}",
        gpuc().display()
    );
    std::fs::write(project.path().join("bear.json"), configuration).unwrap();
    project.shell(
        "bear --config bear.json -- sh -c '$CC -c scale.c && $CC main.c scale.o -o program'",
    );
    let commands = project.shell("cat compile_commands.json");
    let files: Vec<&str> = commands.lines().filter(|line| line.contains("\"file\"")).collect();
    assert_eq!(files.len(), 2, "{commands}");
    for name in ["scale.c", "main.c"] {
        assert!(files.iter().any(|line| line.contains(name)), "{commands}");
    }
    let ours = gpuc().display().to_string();
    assert_eq!(commands.matches(&format!("\"{ours}\"")).count(), 2, "{commands}");
}
