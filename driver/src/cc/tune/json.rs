//! Reading JSON: as much as it takes for the reports that programs write.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// `null`, `true`, `false`.
    Word,
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, its members in order.
    Object(Vec<(String, Json)>),
}

/// Objects in objects, at most.
const DEEPEST: usize = 32;

impl Json {
    /// The value of a text; `None` where it is not JSON.
    pub(super) fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.blank();
        (reader.at == text.len()).then_some(value)
    }

    /// A member of an object.
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => {
                members.iter().find(|(n, _)| n == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// A text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Json::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The elements of an array; none of another value.
    pub(super) fn elements(&self) -> &[Json] {
        match self {
            Json::Array(elements) => elements,
            _ => &[],
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > DEEPEST {
            return None;
        }
        if ["null", "true", "false"].iter().any(|word| self.eat(word)) {
            return Some(Json::Word);
        }
        if self.eat("[") {
            let mut elements = Vec::new();
            while !self.eat("]") {
                if !elements.is_empty() && !self.eat(",") {
                    return None;
                }
                elements.push(self.value(depth + 1)?);
            }
            return Some(Json::Array(elements));
        }
        if self.eat("{") {
            let mut members: Vec<(String, Json)> = Vec::new();
            while !self.eat("}") {
                if !members.is_empty() && !self.eat(",") {
                    return None;
                }
                let name = self.string()?;
                if !self.eat(":") {
                    return None;
                }
                members.push((name, self.value(depth + 1)?));
            }
            return Some(Json::Object(members));
        }
        self.blank();
        if self.rest().starts_with('"') {
            return self.string().map(Json::Text);
        }
        let length = self.rest().find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let length = length.unwrap_or(self.rest().len());
        let number = self.rest()[..length].parse().ok()?;
        self.at += length;
        Some(Json::Number(number))
    }

    fn string(&mut self) -> Option<String> {
        if !self.eat("\"") {
            return None;
        }
        let mut text = String::new();
        loop {
            let c = self.rest().chars().next()?;
            self.at += c.len_utf8();
            match c {
                '"' => return Some(text),
                '\\' => {
                    let escaped = self.rest().chars().next()?;
                    self.at += escaped.len_utf8();
                    text.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'u' => {
                            let code = u32::from_str_radix(self.rest().get(..4)?, 16).ok()?;
                            self.at += 4;
                            char::from_u32(code)?
                        }
                        other => other,
                    });
                }
                other => text.push(other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_what_is_none_is_not() {
        let value = Json::parse(r#" {"a": [1, -2.5e-1, "x\u0041\"" , null], "b": {}} "#).unwrap();
        let list = value.get("a").unwrap().elements();
        assert_eq!(list[0].number(), Some(1.0));
        assert_eq!(list[1].number(), Some(-0.25));
        assert_eq!(list[2].text(), Some("xA\""));
        assert_eq!(list[3], Json::Word);
        assert_eq!(value.get("b"), Some(&Json::Object(Vec::new())));
        for wrong in
            ["", "{", "[1 2]", "{\"a\" 1}", "\"", "1 2", "nul", "\"\\u00", &"[".repeat(100)]
        {
            assert_eq!(Json::parse(wrong), None, "{wrong}");
        }
    }
}
