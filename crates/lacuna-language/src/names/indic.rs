//! Devanagari, whose consonants carry a vowel unless a sign says otherwise, and Thai, which writes some vowels before
//! the consonant that they follow.

use super::spell::extend;

const VIRAMA: char = '\u{94d}';
const NUKTA: char = '\u{93c}';

fn devanagari_consonant(c: char) -> Option<&'static str> {
    const LETTERS: [&str; 37] = [
        "k", "kh", "g", "gh", "n", "ch", "chh", "j", "jh", "n", "t", "th", "d", "dh", "n", "t", "th", "d",
        "dh", "n", "n", "p", "ph", "b", "bh", "m", "y", "r", "r", "l", "l", "l", "v", "sh", "sh", "s", "h",
    ];
    let at = u32::from(c).checked_sub(0x915)?;
    LETTERS.get(usize::try_from(at).ok()?).copied()
}

fn devanagari_vowel(c: char) -> Option<&'static str> {
    Some(match c {
        'अ' => "a",
        'आ' | 'ा' => "a",
        'इ' | 'ई' | 'ि' | 'ी' => "i",
        'उ' | 'ऊ' | 'ु' | 'ू' => "u",
        'ऋ' | 'ृ' => "ri",
        'ए' | 'े' => "e",
        'ऐ' | 'ै' => "ai",
        'ओ' | 'ो' | 'ऑ' | 'ॉ' => "o",
        'औ' | 'ौ' => "au",
        _ => return None,
    })
}

/// The readings of a Devanagari word: the silent vowel of the last consonant is dropped, those within may be.
pub(super) fn devanagari(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().filter(|c| *c != NUKTA).collect();
    let mut readings = vec![String::new()];
    for (at, c) in chars.iter().enumerate() {
        if let Some(vowel) = devanagari_vowel(*c) {
            readings = extend(&readings, [vowel].into_iter());
        } else if matches!(c, 'ं' | 'ँ') {
            readings = extend(&readings, ["n", "m", "ng"].into_iter());
        } else if let Some(consonant) = devanagari_consonant(*c) {
            readings = extend(&readings, [consonant].into_iter());
            let next = chars.get(at + 1);
            let silent = next.is_none_or(|next| *next == VIRAMA || is_sign(*next));
            if !silent {
                let within = at > 0;
                readings = extend(&readings, ["a", ""].into_iter().take(if within { 2 } else { 1 }));
            }
        }
    }
    readings
}

/// A vowel sign, which takes the place of the vowel that a consonant carries.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{93e}'..='\u{94c}')
}

/// The sounds of a Thai consonant before a vowel and at the end of a syllable.
fn thai_consonant(c: char) -> Option<(&'static str, &'static str)> {
    Some(match c {
        'ก' => ("k", "k"),
        'ข' | 'ฃ' | 'ค' | 'ฅ' | 'ฆ' => ("kh", "k"),
        'ง' => ("ng", "ng"),
        'จ' => ("ch", "t"),
        'ฉ' | 'ช' | 'ฌ' => ("ch", "t"),
        'ซ' | 'ศ' | 'ษ' | 'ส' => ("s", "t"),
        'ญ' => ("y", "n"),
        'ฎ' | 'ด' => ("d", "t"),
        'ฏ' | 'ต' => ("t", "t"),
        'ฐ' | 'ฑ' | 'ฒ' | 'ถ' | 'ท' | 'ธ' => ("th", "t"),
        'ณ' | 'น' => ("n", "n"),
        'บ' => ("b", "p"),
        'ป' => ("p", "p"),
        'ผ' | 'พ' | 'ภ' => ("ph", "p"),
        'ฝ' | 'ฟ' => ("f", "p"),
        'ม' => ("m", "m"),
        'ย' => ("y", "i"),
        'ร' => ("r", "n"),
        'ล' | 'ฬ' => ("l", "n"),
        'ว' => ("w", "o"),
        'ห' | 'ฮ' => ("h", ""),
        'อ' => ("", ""),
        _ => return None,
    })
}

fn thai_vowel(c: char) -> Option<&'static str> {
    Some(match c {
        'ะ' | 'ั' | 'า' => "a",
        'ำ' => "am",
        'ิ' | 'ี' => "i",
        'ึ' | 'ื' => "ue",
        'ุ' | 'ู' => "u",
        _ => return None,
    })
}

/// Vowels that are written before the consonant that they follow.
fn thai_leading(c: char) -> Option<&'static str> {
    Some(match c {
        'เ' => "e",
        'แ' => "ae",
        'โ' => "o",
        'ใ' | 'ไ' => "ai",
        _ => return None,
    })
}

/// The readings of a Thai word. A consonant without a vowel takes the next one as its end with an "o" between, or an "a"
/// before the next syllable.
pub(super) fn thai(word: &str) -> Vec<String> {
    // Silenced letters go with the mark that silences them, tone marks go without a trace.
    let mut chars: Vec<char> = Vec::new();
    for c in word.chars() {
        match c {
            '\u{e4c}' => while chars.pop().is_some_and(|c| thai_consonant(c).is_none()) {},
            '\u{e47}'..='\u{e4b}' | '\u{e4d}' | '\u{e4e}' => {}
            c => chars.push(c),
        }
    }
    let mut readings = vec![String::new()];
    let mut at = 0;
    while at < chars.len() {
        at = thai_syllable(&chars, at, &mut readings);
    }
    readings
}

/// Reads one syllable, and says where the next begins.
fn thai_syllable(chars: &[char], at: usize, readings: &mut Vec<String>) -> usize {
    let lead = thai_leading(chars[at]);
    let first = at + usize::from(lead.is_some());
    let Some((onset, _)) = chars.get(first).copied().and_then(thai_consonant) else { return first + 1 };
    let consonant = |at: usize| chars.get(at).copied().and_then(thai_consonant);
    let vowel = |at: usize| chars.get(at).copied().and_then(thai_vowel);
    // A second consonant of the same onset: krit, phra, pla.
    let cluster = consonant(first + 1)
        .filter(|_| matches!(chars.get(first + 1), Some('ร' | 'ล' | 'ว')))
        .filter(|_| vowel(first + 2).is_some() || lead.is_some());
    let next = first + 1 + usize::from(cluster.is_some());
    let onset = format!("{onset}{}", cluster.map_or("", |(sound, _)| sound));
    let (nucleus, end): (&[&str], usize) = match (lead, vowel(next)) {
        (Some(lead), Some(_)) => (&[lead], next + 1),
        (Some(lead), None) => (&[lead], next),
        (None, Some(vowel)) => (&[vowel], next + 1),
        (None, None) if consonant(next).is_some() && vowel(next + 1).is_none() => (&["o", "a"], next),
        (None, None) if consonant(next).is_some() => (&["a", "o", ""], next),
        (None, None) => (&["o", ""], next),
    };
    *readings = extend(readings, [onset.as_str()].into_iter());
    *readings = extend(readings, nucleus.iter().copied());
    // A consonant ends the syllable if it has no vowel of its own.
    let Some((onset, coda)) = consonant(end).filter(|_| vowel(end + 1).is_none()) else { return end };
    *readings = extend(readings, [coda, onset].into_iter());
    end + 1
}
