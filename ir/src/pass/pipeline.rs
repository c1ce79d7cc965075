//! Pipelines and their textual form.

use std::fmt;

use gpuc_diagnostics::did_you_mean;

use super::{Pass, PassInfo, RawOptions};

/// Known passes and named pipelines.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    passes: Vec<&'static PassInfo>,
    /// Named pipelines: a name and the text it stands for.
    pipelines: Vec<(&'static str, &'static str)>,
}

impl Registry {
    /// Knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds passes.
    pub fn add(&mut self, passes: &[&'static PassInfo]) -> &mut Self {
        self.passes.extend(passes);
        self
    }

    /// Adds a named pipeline, given by its text (the part inside the outermost anchor).
    pub fn add_pipeline(&mut self, name: &'static str, text: &'static str) -> &mut Self {
        self.pipelines.push((name, text));
        self
    }

    /// The passes, in order of registration.
    pub fn passes(&self) -> &[&'static PassInfo] {
        &self.passes
    }

    /// The named pipelines.
    pub fn pipelines(&self) -> &[(&'static str, &'static str)] {
        &self.pipelines
    }

    /// A pass by name.
    pub fn pass(&self, name: &str) -> Option<&'static PassInfo> {
        self.passes.iter().copied().find(|pass| pass.name == name)
    }
}

/// One step of a pipeline.
pub enum Step {
    /// A pass, with its options as written.
    Pass(&'static PassInfo, RawOptions, Box<dyn Pass>),
    /// A pipeline run on each operation of its anchor's name directly inside.
    Nested(Pipeline),
}

/// Whether a pipeline on operations of this name takes passes of every kind: one that runs on
/// another kind then runs on every such operation inside, however deep. A module holds everything,
/// so that flags need no nesting; a pipeline that nests says what it means.
pub fn nests_implicitly(anchor: &str) -> bool {
    matches!(anchor, "builtin.module" | "any")
}

/// Passes to run on one kind of operation.
#[derive(Debug)]
pub struct Pipeline {
    /// Name of the operation (`builtin.module`, `any`).
    pub anchor: String,
    /// What to run, in order.
    pub steps: Vec<Step>,
}

/// A pipeline's text was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParsePipelineError {
    /// What is wrong.
    pub message: String,
    /// Byte offset in the text.
    pub offset: usize,
}

impl Pipeline {
    /// An empty pipeline for operations named `anchor`.
    pub fn new(anchor: impl Into<String>) -> Self {
        Pipeline { anchor: anchor.into(), steps: Vec::new() }
    }

    /// Adds a pass with default options.
    pub fn add(&mut self, info: &'static PassInfo) -> &mut Self {
        self.add_with(info, &[])
    }

    /// Adds a pass with options.
    ///
    /// # Panics
    /// If an option is unknown or malformed; for texts of users use [`Pipeline::parse`].
    pub fn add_with(&mut self, info: &'static PassInfo, options: &[(&str, &str)]) -> &mut Self {
        let raw = RawOptions(
            options.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect(),
        );
        let pass = (info.make)(&raw).unwrap_or_else(|error| panic!("{}: {error}", info.name));
        self.steps.push(Step::Pass(info, raw, pass));
        self
    }

    /// Adds a nested pipeline.
    pub fn nest(&mut self, nested: Pipeline) -> &mut Self {
        self.steps.push(Step::Nested(nested));
        self
    }

    /// Every pass, those of nested pipelines where these stand.
    pub fn passes(&self) -> Box<dyn Iterator<Item = &'static PassInfo> + '_> {
        Box::new(self.steps.iter().flat_map(|step| match step {
            Step::Pass(info, ..) => Box::new(std::iter::once(*info)) as Box<dyn Iterator<Item = _>>,
            Step::Nested(nested) => nested.passes(),
        }))
    }

    /// Reads `anchor(pass{option=value},...)`.
    pub fn parse(text: &str, registry: &Registry) -> Result<Pipeline, ParsePipelineError> {
        let mut reader = Reader { text, at: 0, registry };
        reader.space();
        let start = reader.at;
        let anchor = reader.name();
        if !reader.eat('(') {
            return Err(reader.error(
                start,
                "expected pass pipeline to be wrapped with the anchor operation type, e.g. \
                 'builtin.module(...)'",
            ));
        }
        let mut pipeline = Pipeline::new(anchor);
        reader.steps(&mut pipeline)?;
        reader.space();
        if reader.at != text.len() {
            return Err(reader.error(reader.at, "expected end of the pipeline"));
        }
        Ok(pipeline)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    registry: &'a Registry,
}

impl Reader<'_> {
    fn error(&self, offset: usize, message: impl Into<String>) -> ParsePipelineError {
        ParsePipelineError { message: message.into(), offset }
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        self.space();
        let hit = self.text[self.at..].starts_with(c);
        if hit {
            self.at += c.len_utf8();
        }
        hit
    }

    fn name(&mut self) -> String {
        self.space();
        let rest = &self.text[self.at..];
        let end =
            rest.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    /// Steps up to and including the closing parenthesis.
    fn steps(&mut self, into: &mut Pipeline) -> Result<(), ParsePipelineError> {
        if self.eat(')') {
            return Ok(());
        }
        loop {
            self.space();
            let start = self.at;
            let name = self.name();
            if self.eat('(') {
                let mut nested = Pipeline::new(name);
                self.steps(&mut nested)?;
                into.steps.push(Step::Nested(nested));
            } else {
                self.pass(into, &name, start)?;
            }
            if self.eat(')') {
                return Ok(());
            }
            if !self.eat(',') {
                return Err(self.error(self.at, "expected ',' or ')' in pass pipeline"));
            }
        }
    }

    fn pass(
        &mut self,
        into: &mut Pipeline,
        name: &str,
        start: usize,
    ) -> Result<(), ParsePipelineError> {
        if let Some(&(_, text)) = self.registry.pipelines.iter().find(|p| p.0 == name) {
            let mut inner = Reader { text, at: 0, registry: self.registry };
            let closed = format!("{text})");
            inner.text = &closed;
            return inner.steps(into).map_err(|error| self.error(start, error.message));
        }
        let Some(info) = self.registry.pass(name) else {
            let mut message =
                format!("'{name}' does not refer to a registered pass or pass pipeline");
            if let Some(near) = did_you_mean(name, self.registry.passes.iter().map(|p| p.name)) {
                message += &format!("; did you mean '{near}'?");
            }
            return Err(self.error(start, message));
        };
        if let Some(anchor) = info.anchor
            && anchor != into.anchor
            && !nests_implicitly(&into.anchor)
        {
            let message = format!(
                "can't add pass '{name}' restricted to '{anchor}' on a pass manager intended to run \
                 on '{}', did you intend to nest?",
                into.anchor
            );
            return Err(self.error(start, message));
        }
        let options = if self.eat('{') { self.options()? } else { RawOptions::default() };
        for (option, _) in &options.0 {
            if !info.options.iter().any(|spec| spec.name == option.replace('-', "_")) {
                return Err(self.error(start, format!("no such option '{option}' of '{name}'")));
            }
        }
        let pass = (info.make)(&options).map_err(|e| self.error(start, format!("{name}: {e}")))?;
        into.steps.push(Step::Pass(info, options, pass));
        Ok(())
    }

    /// `a=1 b=x,y flag` up to and including the closing brace.
    fn options(&mut self) -> Result<RawOptions, ParsePipelineError> {
        let mut options = Vec::new();
        loop {
            if self.eat('}') {
                return Ok(RawOptions(options));
            }
            let start = self.at;
            let name = self.name();
            if name.is_empty() {
                return Err(self.error(start, "expected an option name"));
            }
            let value = if self.eat('=') {
                let rest = &self.text[self.at..];
                let end = rest.find([' ', '}']).unwrap_or(rest.len());
                self.at += end;
                rest[..end].to_owned()
            } else {
                String::new()
            };
            options.push((name, value));
        }
    }
}

/// The textual form, which [`Pipeline::parse`] reads.
impl Pipeline {
    /// The pipeline's text with every option of every pass, defaults included, as upstream dumps it.
    pub fn text_with_defaults(&self) -> String {
        let steps: Vec<String> = self
            .steps
            .iter()
            .map(|step| match step {
                Step::Nested(nested) => nested.text_with_defaults(),
                Step::Pass(info, given, _) => {
                    let mut options: Vec<(String, String)> = info
                        .options
                        .iter()
                        .map(|spec| {
                            let value =
                                given.get(spec.name).map_or_else(spec.default, str::to_owned);
                            let name = spec.name.replace('_', "-");
                            // A list without elements is not shown, but for the space in front.
                            let text = match spec.kind == "list" && value.is_empty() {
                                true => String::new(),
                                false => format!("{name}={value}"),
                            };
                            (name, text)
                        })
                        .collect();
                    options.sort();
                    let texts: Vec<String> = options.into_iter().map(|(_, text)| text).collect();
                    match texts.is_empty() {
                        true => info.name.to_owned(),
                        false => format!("{}{{{}}}", info.name, texts.join(" ")),
                    }
                }
            })
            .collect();
        format!("{}({})", self.anchor, steps.join(","))
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.anchor)?;
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match step {
                Step::Nested(nested) => write!(f, "{nested}")?,
                Step::Pass(info, options, _) => {
                    f.write_str(info.name)?;
                    let texts: Vec<_> =
                        options.0.iter().map(|(name, text)| format!("{name}={text}")).collect();
                    if !texts.is_empty() {
                        write!(f, "{{{}}}", texts.join(" "))?;
                    }
                }
            }
        }
        f.write_str(")")
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Pass(info, options, _) => write!(f, "{}{:?}", info.name, options.0),
            Step::Nested(nested) => nested.fmt(f),
        }
    }
}
