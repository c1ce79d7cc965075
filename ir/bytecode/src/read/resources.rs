//! Resources: what a text has in its metadata.

use gpuc_ir::Ident;
use gpuc_ir::context::ExternalResource;

use super::{Reader, entry, expect_end};
use crate::bytes::{Cursor, Damage, Result};
use crate::resource;

/// A resource: its key, and where and as what its value stands.
struct Resource<'f> {
    key: Ident,
    kind: u8,
    contents: Cursor<'f>,
}

impl<'f> Reader<'_, 'f> {
    pub(super) fn read_resources(
        &mut self,
        mut sizes: Cursor<'f>,
        mut contents: Cursor<'f>,
    ) -> Result<()> {
        for _ in 0..sizes.count()? {
            let group = self.string(&mut sizes)?;
            for _ in 0..sizes.count()? {
                let resource = self.one_resource(&mut sizes, &mut contents)?;
                self.external_resource(group, resource)?;
            }
        }
        while !sizes.is_empty() {
            let at = sizes.at();
            let dialect = sizes.number()?;
            let dialect = entry(at, &self.dialects, dialect, "dialect")?;
            if self.ir.ctx.str(dialect) != "builtin" {
                let message = format!(
                    "unexpected 'resource' section for dialect '{}'",
                    self.ir.ctx.str(dialect)
                );
                return Err(Damage::new(at, message));
            }
            for _ in 0..sizes.count()? {
                let resource = self.one_resource(&mut sizes, &mut contents)?;
                self.resources.push(resource.key);
                // Without bytes it is a declaration.
                if !resource.contents.is_empty() {
                    self.blob(resource)?;
                }
            }
        }
        expect_end(&contents)
    }

    fn one_resource(
        &mut self,
        sizes: &mut Cursor<'f>,
        contents: &mut Cursor<'f>,
    ) -> Result<Resource<'f>> {
        let key = self.string(sizes)?;
        let size = sizes.number()?;
        let kind = sizes.byte()?;
        Ok(Resource { key, kind, contents: contents.part(size)? })
    }

    fn external_resource(&mut self, group: Ident, resource: Resource<'f>) -> Result<()> {
        let mut contents = resource.contents;
        let (value, quoted) = match resource.kind {
            resource::STRING => {
                let text = self.string(&mut contents)?;
                (self.ir.ctx.str(text).to_owned(), true)
            }
            resource::BOOL => ((contents.byte()? != 0).to_string(), false),
            resource::BLOB => (format!("0x{}", blob_digits(&mut contents)?), true),
            kind => return contents.fail(format!("there are no resources of the kind {kind}")),
        };
        expect_end(&contents)?;
        let ctx = &mut self.ir.ctx;
        let (group, key) = (ctx.str(group).to_owned(), ctx.str(resource.key).to_owned());
        ctx.add_external_resource(ExternalResource { group, key, value, quoted });
        Ok(())
    }

    fn blob(&mut self, resource: Resource<'f>) -> Result<()> {
        let mut contents = resource.contents;
        if resource.kind != resource::BLOB {
            return contents.fail("the bytes of dense elements are no blob");
        }
        let digits = blob_digits(&mut contents)?;
        expect_end(&contents)?;
        let key = self.ir.ctx.str(resource.key).to_owned();
        self.ir.ctx.add_blob(&key, digits);
        Ok(())
    }

    /// The key of a dense resource by its number.
    pub(crate) fn resource(&mut self, cursor: &mut Cursor<'f>) -> Result<Ident> {
        let at = cursor.at();
        let number = cursor.number()?;
        entry(at, &self.resources, number, "resource")
    }
}

/// Bytes, with the four of their alignment in front, as digits: how a text has them.
fn blob_digits(cursor: &mut Cursor<'_>) -> Result<String> {
    let at = cursor.at();
    let (alignment, size) = (cursor.number()?, cursor.number()?);
    let Ok(word) = u32::try_from(alignment) else {
        return Err(Damage::new(at, format!("an alignment of {alignment} is too great")));
    };
    cursor.align(alignment)?;
    let bytes = word.to_le_bytes().into_iter().chain(cursor.bytes(size)?.iter().copied());
    Ok(bytes.map(|byte| format!("{byte:02X}")).collect())
}
