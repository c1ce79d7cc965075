//! Options of passes.

/// An option in a pass's declaration.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Name, with underscores; pipelines may also write hyphens.
    pub name: &'static str,
    /// What it does, with its unit.
    pub summary: &'static str,
    /// What it is: `integer`, `string` and the like.
    pub kind: &'static str,
    /// The text of its value where it is not given.
    pub default: fn() -> String,
}

/// An option was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option '{option}': {message}")]
pub struct OptionError {
    /// Which.
    pub option: String,
    /// Why.
    pub message: String,
}

/// Options as written: names and texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawOptions(pub Vec<(String, String)>);

impl RawOptions {
    /// The text of an option; the last one wins.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(n, _)| n.replace('-', "_") == name).map(|(_, text)| &**text)
    }
}

/// A type that an option can have.
pub trait OptionValue: Sized {
    /// Reads it; the error says what was expected ("an integer").
    fn parse_option(text: &str) -> Result<Self, &'static str>;

    /// What such an option is called in lists of options.
    const KIND: &'static str;

    /// The text that is read as this value.
    fn show_option(&self) -> String;
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl OptionValue for $ty {
            fn parse_option(text: &str) -> Result<Self, &'static str> {
                text.parse().map_err(|_| "an integer in range")
            }

            const KIND: &'static str = "integer";

            fn show_option(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
integers!(u32, u64, i64, usize);

impl OptionValue for f64 {
    fn parse_option(text: &str) -> Result<Self, &'static str> {
        text.parse().map_err(|_| "a number")
    }

    const KIND: &'static str = "number";

    fn show_option(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for bool {
    fn parse_option(text: &str) -> Result<Self, &'static str> {
        match text {
            "true" | "1" | "" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err("true or false"),
        }
    }

    const KIND: &'static str = "bool";

    fn show_option(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for String {
    fn parse_option(text: &str) -> Result<Self, &'static str> {
        Ok(text.to_owned())
    }

    const KIND: &'static str = "string";

    fn show_option(&self) -> String {
        self.clone()
    }
}

impl<T: OptionValue> OptionValue for Vec<T> {
    fn parse_option(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        text.split(',').map(T::parse_option).collect()
    }

    const KIND: &'static str = "list";

    fn show_option(&self) -> String {
        self.iter().map(T::show_option).collect::<Vec<_>>().join(",")
    }
}

impl<T: OptionValue> OptionValue for Option<T> {
    fn parse_option(text: &str) -> Result<Self, &'static str> {
        T::parse_option(text).map(Some)
    }

    const KIND: &'static str = T::KIND;

    fn show_option(&self) -> String {
        self.as_ref().map_or_else(String::new, T::show_option)
    }
}
