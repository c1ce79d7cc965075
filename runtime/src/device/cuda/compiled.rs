//! What the driver's compiler makes of PTX, kept on disk from one run of a program to the next.
//!
//! The driver has a cache of its own for single texts, not for what is linked of several; this one has both, and is
//! shared by all processes of the user. Whatever fails on the way through it is done again without.

use gpuc_cache::{Cache, Key};

use crate::device::DeviceError;

/// PTX texts with the names of their sources.
pub(super) type Texts<'t> = [(&'t str, &'t str)];

/// What turns PTX into code of the device.
pub(super) trait Compiler {
    /// What is loaded.
    type Module;
    /// The code, to load now and later.
    fn compile(&self, texts: &Texts<'_>) -> Result<Vec<u8>, DeviceError>;
    /// Loads code.
    fn load(&self, code: &[u8]) -> Result<Self::Module, DeviceError>;
    /// Compiles and loads, with all there is to say of errors.
    fn load_texts(&self, texts: &Texts<'_>) -> Result<Self::Module, DeviceError>;
    /// What code is for besides its texts: the driver and the architecture.
    fn target(&self) -> String;
}

/// Loads texts, compiling them where the cache has not what they have become.
pub(super) fn load<C: Compiler>(
    compiler: &C,
    cache: Option<&Cache>,
    texts: &Texts<'_>,
) -> Result<C::Module, DeviceError> {
    let Some(cache) = cache else { return compiler.load_texts(texts) };
    let target = compiler.target();
    // Names of sources come out in errors alone.
    let parts = texts.iter().map(|(ptx, _)| ptx.as_bytes());
    let key = Key::of([target.as_bytes()].into_iter().chain(parts));
    if let Some(module) = cache.get(key).and_then(|code| compiler.load(&code).ok()) {
        return Ok(module);
    }
    let made = compiler.compile(texts).and_then(|code| Ok((compiler.load(&code)?, code)));
    match made {
        Ok((module, code)) => {
            // A disk that is full or cannot be written costs time at the next run, no more.
            let _ = cache.put(key, &code);
            Ok(module)
        }
        Err(_) => compiler.load_texts(texts),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Compiles a text to its capitals, and notes what it is asked.
    struct Fake {
        target: &'static str,
        asked: RefCell<Vec<&'static str>>,
    }

    impl Fake {
        fn asked(&self) -> Vec<&'static str> {
            std::mem::take(&mut self.asked.borrow_mut())
        }
    }

    impl Compiler for Fake {
        type Module = String;

        fn compile(&self, texts: &Texts<'_>) -> Result<Vec<u8>, DeviceError> {
            self.asked.borrow_mut().push("compile");
            let text: String = texts.iter().map(|(ptx, _)| ptx.to_uppercase()).collect();
            match text.contains("BAD") {
                true => Err(DeviceError::Invalid("no code".to_owned())),
                false => Ok(text.into_bytes()),
            }
        }

        fn load(&self, code: &[u8]) -> Result<String, DeviceError> {
            self.asked.borrow_mut().push("load");
            let text = String::from_utf8_lossy(code).into_owned();
            match text.is_ascii() {
                true => Ok(text),
                false => Err(DeviceError::Invalid("no code of this device".to_owned())),
            }
        }

        fn load_texts(&self, texts: &Texts<'_>) -> Result<String, DeviceError> {
            self.asked.borrow_mut().push("texts");
            match texts[0].0 {
                "bad" => Err(DeviceError::Invalid("line 1".to_owned())),
                text => Ok(text.to_owned()),
            }
        }

        fn target(&self) -> String {
            self.target.to_owned()
        }
    }

    fn fake(target: &'static str) -> Fake {
        Fake { target, asked: RefCell::default() }
    }

    #[test]
    fn texts_are_compiled_once_for_each_target() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned(), 1 << 20);
        let run = |fake: &Fake, texts: &Texts<'_>| {
            let module = load(fake, Some(&cache), texts).map_err(|error| error.to_string());
            (module, fake.asked().join(" "))
        };
        let (old, new) = (fake("sm_80"), fake("sm_90"));
        let once = |text: &str, asked: &str| (Ok(text.to_owned()), asked.to_owned());
        assert_eq!(run(&old, &[("a", "a.c")]), once("A", "compile load"));
        assert_eq!(run(&old, &[("a", "b.c")]), once("A", "load"), "whatever its name");
        assert_eq!(run(&new, &[("a", "a.c")]), once("A", "compile load"));
        assert_eq!(run(&old, &[("a", "a.c"), ("b", "b.c")]), once("AB", "compile load"));
        assert_eq!(run(&old, &[("ab", "a.c")]), once("AB", "compile load"), "another text");
        // What goes wrong is said by the way without a cache.
        let (module, asked) = run(&old, &[("bad", "a.c")]);
        assert!(module.unwrap_err().contains("line 1"));
        assert_eq!(asked, "compile texts");
    }

    #[test]
    fn code_that_the_device_does_not_take_and_changed_entries_are_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned(), 1 << 20);
        let fake = fake("sm_80");
        cache.put(Key::of([&b"sm_80"[..], b"a"]), "\u{e4}".as_bytes()).unwrap();
        let module = load(&fake, Some(&cache), &[("a", "a.c")]);
        assert_eq!(
            (module.unwrap().as_str(), fake.asked().join(" ").as_str()),
            ("A", "load compile load")
        );
        for entry in folder.path().read_dir().unwrap() {
            std::fs::write(entry.unwrap().path(), "nonsense").unwrap();
        }
        load(&fake, Some(&cache), &[("a", "a.c")]).unwrap();
        assert_eq!(fake.asked(), ["compile", "load"]);
        load(&fake, None, &[("a", "a.c")]).unwrap();
        assert_eq!(fake.asked(), ["texts"]);
        // A folder that cannot be made stops nobody.
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let nowhere = Cache::new(file.join("cache"), 1 << 20);
        assert_eq!(load(&fake, Some(&nowhere), &[("a", "a.c")]).unwrap(), "A");
    }
}
