//! What a unit has said of codelets, groups and calls so far.

use crate::source::Span;
use crate::tree::{DeclId, DirectiveId, ExprId};

use super::line::{ArgumentList, Line};

/// When the arguments of a codelet move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    /// At every call.
    AtCall,
    /// Brought in at the first call.
    AtFirstCall,
    /// Only by directives of their own.
    Manual,
    /// At the call, where no directive of their own does it.
    Auto,
}

/// A codelet.
#[derive(Clone, Debug)]
pub(super) struct Codelet {
    pub label: String,
    pub group: Option<String>,
    /// Its function, once it is declared.
    pub function: Option<DeclId>,
    /// What its directive says.
    pub line: Line,
    /// The number of the queue of its asynchronous calls and transfers.
    pub queue: i128,
    /// Whether it has a target that is a device.
    pub on_device: bool,
    /// Whether it is a `region`, which nobody calls.
    pub is_region: bool,
}

impl Codelet {
    /// By whose name data stays on the device.
    pub fn owner(&self) -> String {
        self.group.clone().unwrap_or_else(|| self.label.clone())
    }
}

/// A group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub name: String,
    pub transfer: Option<Transfer>,
    pub on_device: bool,
}

/// A call that is sent to the device.
#[derive(Clone, Debug)]
pub(super) struct Callsite {
    pub codelet: usize,
    pub directive: DirectiveId,
    /// The function that the call stands in.
    pub within: Option<DeclId>,
    pub at: Span,
    pub arguments: Vec<ExprId>,
    pub line: Line,
}

/// What a directive about data does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// `allocate`.
    Allocate,
    /// `free`.
    Free,
    /// `advancedload`.
    Load,
    /// `delegatedstore`.
    Store,
}

/// A directive about data, to be understood when the unit has been read: the calls that it belongs to may follow.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub moves: Moves,
    pub directive: DirectiveId,
    pub within: Option<DeclId>,
    pub at: Span,
    /// The codelets that it may be about.
    pub codelets: Vec<usize>,
    pub line: Line,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    pub(super) codelets: Vec<Codelet>,
    pub(super) groups: Vec<Group>,
    /// Arguments that are one, of codelets of a group.
    pub(super) maps: Vec<(Option<String>, ArgumentList)>,
    /// Groups in which arguments of these names are one.
    pub(super) by_name: Vec<(Option<String>, ArgumentList)>,
    pub(super) callsites: Vec<Callsite>,
    pub(super) moves: Vec<Move>,
    /// The codelet that the next function is.
    pub(super) next: Option<usize>,
    /// The `grid blocksize` that stands ahead of a declaration, for the loop behind it.
    pub(super) block: Option<(u32, u32, Span)>,
    /// The `resident` directive that the next declaration is for.
    pub(super) resident: Option<Span>,
}

impl Labels {
    /// The codelet of a label in a group.
    pub(super) fn codelet(&self, group: Option<&str>, label: &str) -> Option<usize> {
        let of_group = |codelet: &Codelet| group.is_none() || codelet.group.as_deref() == group;
        self.codelets.iter().position(|codelet| codelet.label == label && of_group(codelet))
    }

    /// The codelets that a directive with these labels is about.
    pub(super) fn named(&self, group: Option<&str>, label: Option<&str>) -> Vec<usize> {
        let all = self.codelets.iter().enumerate();
        let named = all.filter(|(_, codelet)| match (group, label) {
            (group, Some(label)) => {
                codelet.label == label && (group.is_none() || codelet.group.as_deref() == group)
            }
            (Some(group), None) => codelet.group.as_deref() == Some(group),
            (None, None) => false,
        });
        named.map(|(number, _)| number).collect()
    }
}
