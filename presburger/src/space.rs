//! Which variables a set or a map speaks of.

use std::sync::Arc;

use crate::error::{Error, Result};

/// The tuple and the parameters of a set or a map. Cheap to clone.
///
/// A set has one tuple of dimensions. A map has two, and its dimensions are the input tuple followed by the output
/// tuple. Parameters are symbols whose value is unknown but the same everywhere; they are matched by name. The names
/// of dimensions only serve printing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Space {
    params: Arc<[Arc<str>]>,
    dims: Arc<[Arc<str>]>,
    inputs: Option<usize>,
}

fn names<S: AsRef<str>>(list: impl IntoIterator<Item = S>) -> Arc<[Arc<str>]> {
    list.into_iter().map(|name| Arc::from(name.as_ref())).collect()
}

impl Space {
    /// The space of sets with these parameters and dimensions.
    pub fn set<P: AsRef<str>, D: AsRef<str>>(
        params: impl IntoIterator<Item = P>,
        dims: impl IntoIterator<Item = D>,
    ) -> Self {
        Self { params: names(params), dims: names(dims), inputs: None }
    }

    /// The space of maps from one tuple to another.
    pub fn map<P: AsRef<str>, I: AsRef<str>, O: AsRef<str>>(
        params: impl IntoIterator<Item = P>,
        inputs: impl IntoIterator<Item = I>,
        outputs: impl IntoIterator<Item = O>,
    ) -> Self {
        let mut dims: Vec<Arc<str>> =
            inputs.into_iter().map(|name| Arc::from(name.as_ref())).collect();
        let count = dims.len();
        dims.extend(outputs.into_iter().map(|name| Arc::from(name.as_ref())));
        Self { params: names(params), dims: dims.into(), inputs: Some(count) }
    }

    /// The space of sets with `dims` dimensions named `i0`, `i1`, … and `params` parameters named `p0`, `p1`, ….
    pub fn anonymous(params: usize, dims: usize) -> Self {
        Self::set((0..params).map(|p| format!("p{p}")), (0..dims).map(|d| format!("i{d}")))
    }

    /// The number of parameters.
    pub fn params(&self) -> usize {
        self.params.len()
    }

    /// The number of dimensions; of a map, those of both tuples.
    pub fn dims(&self) -> usize {
        self.dims.len()
    }

    /// The number of dimensions of a map's input tuple; 0 for a set.
    pub fn inputs(&self) -> usize {
        self.inputs.unwrap_or(0)
    }

    /// The number of dimensions of a map's output tuple; all dimensions of a set.
    pub fn outputs(&self) -> usize {
        self.dims() - self.inputs()
    }

    /// Whether this is the space of maps.
    pub fn is_map(&self) -> bool {
        self.inputs.is_some()
    }

    /// The name of a parameter, or the empty text when there is no such parameter.
    pub fn param_name(&self, index: usize) -> &str {
        self.params.get(index).map_or("", |name| name)
    }

    /// The name of a dimension, or the empty text when there is no such dimension.
    pub fn dim_name(&self, index: usize) -> &str {
        self.dims.get(index).map_or("", |name| name)
    }

    /// Whether both have the same parameters and tuples of the same lengths.
    pub fn compatible(&self, other: &Self) -> bool {
        let same_params = Arc::ptr_eq(&self.params, &other.params) || self.params == other.params;
        same_params && self.dims() == other.dims() && self.inputs == other.inputs
    }

    pub(crate) fn expect(&self, other: &Self) -> Result<()> {
        if self.compatible(other) { Ok(()) } else { Err(Error::SpaceMismatch) }
    }

    /// The same parameters over the set of all dimensions of a map.
    pub(crate) fn flattened(&self) -> Self {
        Self { inputs: None, ..self.clone() }
    }

    /// The same parameters over other dimensions, taken from `self` by index.
    pub(crate) fn select(
        &self,
        dims: impl IntoIterator<Item = usize>,
        inputs: Option<usize>,
    ) -> Self {
        let dims = dims.into_iter().filter_map(|index| self.dims.get(index).cloned()).collect();
        Self { params: Arc::clone(&self.params), dims, inputs }
    }

    /// The map space from the tuple of one set space to the tuple of another.
    pub(crate) fn between(from: &Self, to: &Self) -> Result<Self> {
        if from.params != to.params {
            return Err(Error::SpaceMismatch);
        }
        let dims = from.dims.iter().chain(to.dims.iter()).cloned().collect();
        Ok(Self { params: Arc::clone(&from.params), dims, inputs: Some(from.dims()) })
    }

    /// The same parameters over the dimensions of another space.
    pub(crate) fn with_dims_of(&self, other: &Self) -> Self {
        Self { params: Arc::clone(&self.params), dims: Arc::clone(&other.dims), inputs: None }
    }

    /// The space with further dimensions at the end.
    pub(crate) fn extended(&self, extra: &[Arc<str>]) -> Self {
        let dims = self.dims.iter().chain(extra).cloned().collect();
        Self { dims, ..self.clone() }
    }
}
