//! The names of directives and clauses, with the sections of the specification that define them.

macro_rules! directives {
    ($($name:ident $spelling:literal $section:literal;)*) => {
        /// The directives of OpenACC 3.3 for C.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the directive of its name")]
        pub enum DirectiveKind { $($name),* }

        impl DirectiveKind {
            /// All of them.
            pub const ALL: &'static [DirectiveKind] = &[$(DirectiveKind::$name),*];

            /// As a pragma writes it.
            pub fn spelling(self) -> &'static str {
                match self { $(DirectiveKind::$name => $spelling),* }
            }

            /// The section of OpenACC 3.3 that defines it.
            pub fn section(self) -> &'static str {
                match self { $(DirectiveKind::$name => $section),* }
            }
        }
    };
}

directives! {
    Parallel "parallel" "2.5.1";
    Serial "serial" "2.5.2";
    Kernels "kernels" "2.5.3";
    Data "data" "2.6.5";
    EnterData "enter data" "2.6.6";
    ExitData "exit data" "2.6.6";
    HostData "host_data" "2.8";
    Loop "loop" "2.9";
    Cache "cache" "2.10";
    ParallelLoop "parallel loop" "2.11";
    SerialLoop "serial loop" "2.11";
    KernelsLoop "kernels loop" "2.11";
    Atomic "atomic" "2.12";
    Declare "declare" "2.13";
    Init "init" "2.14.1";
    Shutdown "shutdown" "2.14.2";
    Set "set" "2.14.3";
    Update "update" "2.14.4";
    Routine "routine" "2.15.1";
    Wait "wait" "2.16.3";
}

impl DirectiveKind {
    /// Whether it starts a region of device code.
    pub fn is_compute(self) -> bool {
        use DirectiveKind::{Kernels, KernelsLoop, Parallel, ParallelLoop, Serial, SerialLoop};
        matches!(self, Parallel | Serial | Kernels | ParallelLoop | SerialLoop | KernelsLoop)
    }

    /// Whether it applies to the loop behind it.
    pub fn is_loop(self) -> bool {
        use DirectiveKind::{KernelsLoop, Loop, ParallelLoop, SerialLoop};
        matches!(self, Loop | ParallelLoop | SerialLoop | KernelsLoop)
    }

    /// Whether a device type is what it is about, rather than what some of its clauses are for.
    pub fn is_about_devices(self) -> bool {
        matches!(self, DirectiveKind::Init | DirectiveKind::Shutdown | DirectiveKind::Set)
    }

    /// Whether a statement belongs to it.
    pub fn has_body(self) -> bool {
        use DirectiveKind::{Atomic, Data, HostData};
        self.is_compute() || self.is_loop() || matches!(self, Data | HostData | Atomic)
    }
}

macro_rules! clauses {
    ($($name:ident $section:literal $($spelling:literal)+;)*) => {
        /// The clauses of OpenACC 3.3 for C; alternative spellings are one clause.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the clause of its name")]
        pub enum ClauseName { $($name),* }

        impl ClauseName {
            /// All of them.
            pub const ALL: &'static [ClauseName] = &[$(ClauseName::$name),*];

            /// The usual spelling.
            pub fn spelling(self) -> &'static str {
                match self { $(ClauseName::$name => [$($spelling),+][0]),* }
            }

            /// The section of OpenACC 3.3 that defines it.
            pub fn section(self) -> &'static str {
                match self { $(ClauseName::$name => $section),* }
            }

            /// The clause of that spelling.
            pub fn find(spelling: &str) -> Option<ClauseName> {
                match spelling {
                    $($($spelling)|+ => Some(ClauseName::$name),)*
                    _ => None,
                }
            }
        }
    };
}

impl ClauseName {
    /// Whether its values are numbers of processors.
    pub fn is_size(self) -> bool {
        use ClauseName::{Gang, NumGangs, NumWorkers, Vector, VectorLength, Worker};
        matches!(self, NumGangs | NumWorkers | VectorLength | Gang | Worker | Vector)
    }
}

clauses! {
    If "2.5.6" "if";
    SelfClause "2.5.7" "self";
    Async "2.16.1" "async";
    Wait "2.16.2" "wait";
    NumGangs "2.5.10" "num_gangs";
    NumWorkers "2.5.11" "num_workers";
    VectorLength "2.5.12" "vector_length";
    Private "2.5.13" "private";
    FirstPrivate "2.5.14" "firstprivate";
    Reduction "2.5.15" "reduction";
    Default "2.5.16" "default";
    DeviceType "2.4" "device_type" "dtype";
    DevicePtr "2.7" "deviceptr";
    Present "2.7" "present";
    Copy "2.7" "copy" "pcopy" "present_or_copy";
    CopyIn "2.7" "copyin" "pcopyin" "present_or_copyin";
    CopyOut "2.7" "copyout" "pcopyout" "present_or_copyout";
    Create "2.7" "create" "pcreate" "present_or_create";
    NoCreate "2.7" "no_create";
    Const "Tian et al. 2015, 6" "const";
    Delete "2.7" "delete";
    Attach "2.7" "attach";
    Detach "2.7" "detach";
    Finalize "2.6.6" "finalize";
    UseDevice "2.8.1" "use_device";
    IfPresent "2.8.3" "if_present";
    Collapse "2.9.1" "collapse";
    Gang "2.9.2" "gang";
    Worker "2.9.3" "worker";
    Vector "2.9.4" "vector";
    Seq "2.9.5" "seq";
    Independent "2.9.6" "independent";
    Auto "2.9.7" "auto";
    Tile "2.9.8" "tile";
    Read "2.12" "read";
    Write "2.12" "write";
    Update "2.12" "update";
    Capture "2.12" "capture";
    DeviceResident "2.13.1" "device_resident";
    Link "2.13.3" "link";
    DeviceNum "2.14" "device_num";
    DefaultAsync "2.14.3" "default_async";
    Host "2.14.4" "host";
    Device "2.14.4" "device";
    Bind "2.15.1" "bind";
    NoHost "2.15.1" "nohost";
}
