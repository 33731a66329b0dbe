//! The length of a text in tokens, by the tokenizer that the installation has.

use std::sync::Arc;

/// Counts the tokens of a text. The core has no tokenizer of its own; the binary brings one.
pub type TokenCounter = Arc<dyn Fn(&str) -> usize + Send + Sync>;

/// Characters of a Latin word that make about one token.
const CHARS_PER_TOKEN: usize = 4;

/// An estimate of the tokens of a text, from its words and signs alone.
pub fn estimate(text: &str) -> usize {
    let (mut tokens, mut word) = (0usize, 0usize);
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            word += 1;
            continue;
        }
        tokens += word.div_ceil(CHARS_PER_TOKEN) + usize::from(!character.is_whitespace());
        word = 0;
    }
    tokens + word.div_ceil(CHARS_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_counts_short_words_once_and_every_sign() {
        let cases =
            [("", 0), ("  \n", 0), ("tea", 1), ("No tea, please!", 6), ("übermut", 3), ("茶を飲む", 4)];
        for (text, tokens) in cases {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }
}
