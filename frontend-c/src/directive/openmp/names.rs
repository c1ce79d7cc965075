//! The names of directives and clauses, with the sections of the specification that define them and what
//! is done with them.

pub use crate::directive::support::Support;

/// A directive, single or combined.
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    /// Its words.
    pub words: &'static str,
    /// The section of OpenMP 5.2 that defines it.
    pub section: &'static str,
    /// What is done with it.
    pub support: Support,
    /// Whether a statement belongs to it.
    pub has_body: bool,
}

macro_rules! forms {
    ($($words:literal $section:literal $support:ident $body:literal;)*) => {
        &[$(Form { words: $words, section: $section, support: Support::$support, has_body: $body }),*]
    };
}

/// The directives of OpenMP 5.2 for C that stand in, at or around device code.
pub const FORMS: &[Form] = forms! {
    "target" "13.8" Yes true;
    "target data" "13.5" Yes true;
    "target enter data" "13.6" Yes false;
    "target exit data" "13.7" Yes false;
    "target update" "13.9" Yes false;
    "declare target" "7.8.1" InPart false;
    "begin declare target" "7.8.2" InPart false;
    "end declare target" "7.8.2" Yes false;
    "declare mapper" "5.8.8" InPart false;
    "requires" "8.2" InPart false;
    "target parallel" "17" InPart true;
    "target parallel for" "17" Yes true;
    "target parallel for simd" "17" Yes true;
    "target parallel loop" "17" Yes true;
    "target simd" "17" Yes true;
    "target loop" "17" Yes true;
    "target teams" "17" Yes true;
    "target teams distribute" "17" Yes true;
    "target teams distribute simd" "17" Yes true;
    "target teams distribute parallel for" "17" Yes true;
    "target teams distribute parallel for simd" "17" Yes true;
    "target teams loop" "17" Yes true;
    "teams" "10.2" InPart true;
    "teams distribute" "17" InPart true;
    "teams distribute simd" "17" InPart true;
    "teams distribute parallel for" "17" InPart true;
    "teams distribute parallel for simd" "17" InPart true;
    "teams loop" "17" InPart true;
    "distribute" "11.6" Yes true;
    "distribute simd" "17" Yes true;
    "distribute parallel for" "17" Yes true;
    "distribute parallel for simd" "17" Yes true;
    "parallel" "10.1" InPart true;
    "parallel for" "17" Yes true;
    "parallel for simd" "17" Yes true;
    "parallel loop" "17" Yes true;
    "parallel sections" "17" Yes true;
    "parallel master" "17" InPart true;
    "parallel master taskloop" "17" InPart true;
    "parallel master taskloop simd" "17" InPart true;
    "parallel masked" "17" InPart true;
    "parallel masked taskloop" "17" InPart true;
    "parallel masked taskloop simd" "17" InPart true;
    "for" "11.5" Yes true;
    "for simd" "17" Yes true;
    "loop" "11.7" Yes true;
    "simd" "10.4" Yes true;
    "single" "11.1" Yes true;
    "master" "10.5" Yes true;
    "master taskloop" "17" InPart true;
    "master taskloop simd" "17" InPart true;
    "masked" "10.5" InPart true;
    "masked taskloop" "17" InPart true;
    "masked taskloop simd" "17" InPart true;
    "scope" "11.2" Yes true;
    "sections" "11.3" Yes true;
    "section" "11.3" Yes true;
    "critical" "15.2" Yes true;
    "barrier" "15.3.1" Yes false;
    "atomic" "15.8.4" InPart true;
    "flush" "15.8.5" Hint false;
    "ordered" "15.10" Yes true;
    "task" "12.5" Yes true;
    "taskloop" "12.6" InPart true;
    "taskloop simd" "17" InPart true;
    "taskgroup" "15.4" Yes true;
    "taskwait" "15.5" Yes false;
    "taskyield" "12.7" Yes false;
    "cancel" "16.1" Hint false;
    "cancellation point" "16.2" Hint false;
    "allocate" "6.5" Hint false;
    "assume" "8.3" Hint true;
    "nothing" "8.4" Yes false;
    "error" "8.5" Yes false;
    "dispatch" "7.6" InPart true;
    "interop" "14.1" No false;
    "depobj" "15.9.4" No false;
    "declare reduction" "5.5.11" InPart false;
    "scan" "5.6" InPart false;
    "unroll" "9.2" InPart true;
    "tile" "9.1" InPart true;
    "reverse" "6.0 §11.5" Yes true;
    "interchange" "6.0 §11.4" InPart true;
    "groupprivate" "6.0 §7.13" InPart false;
};

/// A clause.
#[derive(Debug, PartialEq, Eq)]
pub struct ClauseName {
    /// Its name.
    pub spelling: &'static str,
    /// The section of OpenMP 5.2 that defines it.
    pub section: &'static str,
    /// What is done with it.
    pub support: Support,
    /// The constructs that it may stand on, of which a combined one may have several.
    pub leaves: &'static [&'static str],
}

macro_rules! clauses {
    ($($spelling:literal $section:literal $support:ident [$($leaf:literal)*];)*) => {
        &[$(ClauseName {
            spelling: $spelling,
            section: $section,
            support: Support::$support,
            leaves: &[$($leaf),*],
        }),*]
    };
}

/// The clauses of those directives.
pub const CLAUSES: &[ClauseName] = clauses! {
    "map" "5.8.3" InPart ["target" "target data" "target enter data" "target exit data"];
    "defaultmap" "5.8.7" InPart ["target"];
    "default" "5.4.1" InPart ["teams" "parallel" "task" "taskloop"];
    "shared" "5.4.2" Yes ["target" "teams" "parallel" "task" "taskloop"];
    "private" "5.4.3" Yes ["target" "teams" "distribute" "parallel" "for" "simd" "loop" "scope" "sections" "single" "task" "taskloop"];
    "firstprivate" "5.4.4" InPart ["target" "teams" "distribute" "parallel" "for" "scope" "sections" "single" "task" "taskloop"];
    "lastprivate" "5.4.5" InPart ["distribute" "for" "simd" "loop" "sections" "taskloop"];
    "linear" "5.4.6" InPart ["for" "simd"];
    "induction" "6.0 §7.6.13" InPart ["for"];
    "is_device_ptr" "5.4.7" Yes ["target"];
    "use_device_ptr" "5.4.8" Yes ["target data"];
    "has_device_addr" "5.4.9" Yes ["target"];
    "use_device_addr" "5.4.10" Yes ["target data"];
    "reduction" "5.5.8" InPart ["teams" "parallel" "for" "simd" "loop" "sections" "scope" "taskloop"];
    "in_reduction" "5.5.10" InPart ["task" "taskloop" "target"];
    "task_reduction" "5.5.9" Yes ["taskgroup"];
    "allocate" "6.6" Hint ["target" "teams" "distribute" "parallel" "for" "single" "scope" "sections" "task" "taskloop" "taskgroup"];
    "uses_allocators" "6.8" Hint ["target"];
    "allocator" "6.4" Hint ["allocate"];
    "align" "6.3" Hint ["allocate"];
    "to" "5.9.1" Yes ["target update" "declare target"];
    "from" "5.9.2" Yes ["target update"];
    "enter" "5.8.4" Yes ["declare target"];
    "link" "5.8.5" Yes ["declare target"];
    "local" "7.8" Yes ["declare target"];
    "indirect" "7.8.3" No ["declare target" "begin declare target"];
    "device_type" "13.1" Yes ["declare target" "begin declare target" "groupprivate"];
    "collapse" "4.4.3" Yes ["distribute" "for" "simd" "loop" "taskloop"];
    "ordered" "4.4.4" Yes ["for"];
    "num_teams" "10.2.1" Yes ["teams"];
    "thread_limit" "13.3" Hint ["target" "teams"];
    "num_threads" "10.1.2" Hint ["parallel"];
    "proc_bind" "10.1.4" Hint ["parallel"];
    "safesync" "10.1.5" Hint ["parallel"];
    "schedule" "11.5.3" Yes ["for"];
    "dist_schedule" "11.6.1" Yes ["distribute"];
    "order" "10.3" Hint ["distribute" "for" "simd" "loop"];
    "bind" "11.7.1" Yes ["loop"];
    "simdlen" "10.4.2" Hint ["simd"];
    "safelen" "10.4.1" Hint ["simd"];
    "aligned" "5.11" Hint ["simd"];
    "nontemporal" "10.4.3" Hint ["simd"];
    "copyprivate" "5.7.2" Yes ["single"];
    "filter" "10.5.1" InPart ["masked"];
    "if" "3.4" InPart ["target" "target data" "target enter data" "target exit data" "target update" "parallel" "simd" "task" "taskloop" "cancel"];
    "device" "13.2" InPart ["target" "target data" "target enter data" "target exit data" "target update"];
    "nowait" "15.6" Hint ["target" "target data" "target enter data" "target exit data" "target update" "for" "scope" "sections" "single" "taskwait"];
    "depend" "15.9.5" InPart ["target" "target data" "target enter data" "target exit data" "target update" "task" "taskwait" "ordered"];
    "doacross" "15.9.6" Yes ["ordered"];
    "threads" "15.10.2" Yes ["ordered"];
    "simd" "15.10.2" Yes ["ordered"];
    "final" "12.3" Hint ["task" "taskloop"];
    "untied" "12.1" Hint ["task" "taskloop"];
    "mergeable" "12.2" Hint ["task" "taskloop"];
    "priority" "12.4" Hint ["task" "taskloop"];
    "affinity" "12.5.1" Hint ["task"];
    "detach" "12.5.2" No ["task"];
    "grainsize" "12.6.1" Hint ["taskloop"];
    "num_tasks" "12.6.2" Hint ["taskloop"];
    "nogroup" "15.7" Hint ["taskloop" "target data"];
    "inclusive" "5.6" Yes ["scan"];
    "exclusive" "5.6" Yes ["scan"];
    "sizes" "9.1.1" Hint ["tile"];
    "full" "9.2.1" Hint ["unroll"];
    "partial" "9.2.2" Hint ["unroll"];
    "at" "8.5.1" Yes ["error"];
    "message" "8.5.3" Yes ["error"];
    "severity" "8.5.2" Yes ["error"];
    "novariants" "7.6.1" Hint ["dispatch"];
    "nocontext" "7.6.2" Hint ["dispatch"];
    "holds" "8.3.1" Hint ["assume"];
    "absent" "8.3.1" Hint ["assume"];
    "contains" "8.3.1" Hint ["assume"];
    "no_openmp" "8.3.1" Hint ["assume"];
    "no_openmp_routines" "8.3.1" Hint ["assume"];
    "no_parallelism" "8.3.1" Hint ["assume"];
    "read" "15.8.4" Yes ["atomic"];
    "write" "15.8.4" Yes ["atomic"];
    "update" "15.8.4" Yes ["atomic"];
    "capture" "15.8.4" Yes ["atomic"];
    "compare" "15.8.4" Yes ["atomic"];
    "fail" "15.8.4" Hint ["atomic"];
    "weak" "15.8.4" Hint ["atomic"];
    "hint" "15.1" Hint ["atomic" "critical"];
    "seq_cst" "15.8.1" Hint ["atomic" "flush"];
    "acq_rel" "15.8.1" Hint ["atomic" "flush"];
    "acquire" "15.8.1" Hint ["atomic" "flush"];
    "release" "15.8.1" Hint ["atomic" "flush"];
    "relaxed" "15.8.1" Yes ["atomic"];
    "atomic_default_mem_order" "8.2" Hint ["requires"];
    "dynamic_allocators" "8.2" Hint ["requires"];
    "reverse_offload" "8.2" No ["requires"];
    "unified_address" "8.2" Yes ["requires"];
    "unified_shared_memory" "8.2" Yes ["requires"];
    "self_maps" "8.2" Yes ["requires"];
};

impl Form {
    /// The constructs that it is made of.
    pub fn leaves(&self) -> Vec<&'static str> {
        let single = ["data", "update"];
        if single.iter().any(|word| self.words.ends_with(word)) || self.words.contains("declare") {
            return vec![self.words];
        }
        self.words.split(' ').collect()
    }

    /// Whether it is combined of a construct of that name.
    pub fn has(&self, leaf: &str) -> bool {
        self.leaves().contains(&leaf)
    }

    /// Whether it is about the loop behind it.
    pub fn is_loop(&self) -> bool {
        ["distribute", "for", "simd", "loop", "sections", "taskloop", "reverse", "interchange"]
            .iter()
            .any(|leaf| self.has(leaf))
    }

    /// Whether it makes, or moves data to, a device region by itself.
    pub fn is_for_device(&self) -> bool {
        ["target", "mapper", "requires"].iter().any(|word| self.words.contains(word))
    }
}
