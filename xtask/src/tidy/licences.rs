//! Licence expressions (SPDX) against a list of licences that are allowed.

/// Tells whether a choice that the expression offers needs allowed licences only. An expression that cannot be read
/// allows nothing.
pub(super) fn allows(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    reader.either() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Reader<'_> {
    fn either(&mut self) -> Option<bool> {
        let mut holds = self.both()?;
        while self.take("OR") {
            holds |= self.both()?;
        }
        Some(holds)
    }

    fn both(&mut self) -> Option<bool> {
        let mut holds = self.licence()?;
        while self.take("AND") {
            holds &= self.licence()?;
        }
        Some(holds)
    }

    fn licence(&mut self) -> Option<bool> {
        if self.take("(") {
            let holds = self.either()?;
            return self.take(")").then_some(holds);
        }
        let mut name = self.next()?.to_owned();
        if self.take("WITH") {
            name = format!("{name} WITH {}", self.next()?);
        }
        Some(self.allowed.contains(&name))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn next(&mut self) -> Option<&str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_weighed_against_the_list() {
        let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"].map(String::from);
        let cases = [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("MIT/GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("GPL-3.0 OR MIT AND Apache-2.0", true),
            ("(GPL-3.0 OR MIT) AND Apache-2.0", true),
            ("(GPL-3.0 OR MIT) AND ISC", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT WITH LLVM-exception", false),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT Apache-2.0", false),
            ("", false),
        ];
        for (expression, holds) in cases {
            assert_eq!(allows(expression, &allowed), holds, "{expression}");
        }
    }
}
