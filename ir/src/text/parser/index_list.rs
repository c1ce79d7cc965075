//! Lists that mix values and integers, `[%a, 4, %b]`, as subviews have them.

use smallvec::SmallVec;

use super::{Delimiter, OpParser, Unresolved};
use crate::attrs::Attr;
use crate::text::ParseResult;
use crate::types::DYNAMIC;

/// A list of values and integers: the integers with [`DYNAMIC`] where a value stands, and those
/// values.
#[derive(Clone, Debug, Default)]
pub struct IndexList {
    /// Integers.
    pub integers: SmallVec<[i64; 4]>,
    /// Values for each [`DYNAMIC`], in order.
    pub values: SmallVec<[Unresolved; 4]>,
}

impl OpParser<'_, '_> {
    /// Reads `[%a, 4, %b]`.
    pub fn parse_dynamic_index_list(&mut self, delimiter: Delimiter) -> ParseResult<IndexList> {
        let mut list = IndexList::default();
        self.delimited_list(delimiter, |p| {
            match p.parse_optional_operand()? {
                Some(value) => {
                    list.values.push(value);
                    list.integers.push(DYNAMIC);
                }
                None => match p.optional_integer()? {
                    Some(integer) => list.integers.push(integer),
                    None => return p.expected("SSA value or integer"),
                },
            }
            Ok(())
        })?;
        Ok(list)
    }

    /// The integers of a list as the attribute they are kept in.
    pub fn index_list_attr(&mut self, list: &IndexList) -> Attr {
        self.ir.ctx.i64_array_attr(&list.integers)
    }
}
