//! Token counts, as the tokenizer of current large models counts them (o200k).

use std::sync::Arc;

use lacuna_types::token_count::TokenCounter;

/// Bytes that are counted at a time: enough for an accurate count, and few enough that no text makes the
/// tokenizer's patterns run away.
const PART_BYTES_MAX: usize = 4 << 10;

/// Returns a function that counts tokens. The first count unpacks the tokenizer.
pub fn token_counter() -> TokenCounter {
    Arc::new(|text| parts(text).map(count).sum())
}

fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// The text in parts, each ending before white space if it has any.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(part_end(rest));
        rest = after;
        Some(part)
    })
}

fn part_end(text: &str) -> usize {
    if text.len() <= PART_BYTES_MAX {
        return text.len();
    }
    let head = &text[..text.floor_char_boundary(PART_BYTES_MAX)];
    let space = head.rfind(char::is_whitespace).filter(|at| *at > 0);
    space.unwrap_or(head.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_as_the_tokenizer_does() {
        let counter = token_counter();
        for (text, tokens) in [("", 0), ("hello world", 2), ("Anna likes tea.", 4)] {
            assert_eq!(counter(text), tokens, "{text}");
        }
        assert!(counter("<|endoftext|>") > 1, "what looks like a control token is text like any other");
    }

    #[test]
    fn a_long_text_is_counted_in_parts_that_join_to_it() {
        let spaced = "The harbour master drinks smoked tea. ".repeat(400);
        let unspaced = "ä".repeat(10_000);
        for text in [&spaced, &unspaced] {
            assert_eq!(parts(text).collect::<String>(), **text);
            assert!(parts(text).all(|part| part.len() <= PART_BYTES_MAX));
        }
        assert_eq!(token_counter()(&spaced), count(&spaced));
    }
}
