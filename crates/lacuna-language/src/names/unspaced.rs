//! Names within runs of scripts that put no spaces between words.

use std::ops::Range;

use super::fold::{self, loosen};
use super::script::{NameScript, of_char};
use super::{PersonName, Sameness};
use super::{compare, han, kana};

/// The longest name in characters, by script.
const HAN_CHARS_MAX: usize = 6;
const HANGUL_CHARS_MAX: usize = 5;
const KANA_CHARS_MAX: usize = 12;
/// Longer runs are read as far as this, in characters.
const RUN_CHARS_MAX: usize = 2_000;

/// Characters that follow a Chinese or Japanese name without being a part of it.
const AFTER: &str = "的是在和说說去了也都与與跟有要想喜住来來吃买買叫给給对對把被让讓会會能可很就还還又将將从從到向为為等及或们們先女老教医醫总總君様氏さはがをにのとでもやへかよねだちくサ先生";
/// The commonest family names of one character.
const FAMILIES: &str =
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林罗羅郑鄭梁谢謝宋唐许許邓鄧韩韓冯馮曹彭曾萧蕭蔡潘";
/// Endings that Korean adds to a name.
const PARTICLES: &str = "은,는,이,가,을,를,의,에,에게,께,께서,와,과,도,만,랑,이랑,한테,씨,씨는,씨가,씨를,씨의,씨와,씨도,님,님은,님이,님을,님께,군,양,야,아,이는,이가,이를,이의,이와,로,으로,부터,까지,라고,이라고,입니다,예요,이에요,네,선생님,선생님은,선생님이,하고,보다,처럼";

/// The certainty with which a run of one of these scripts holds a name, and the place.
pub(super) fn find(name: &PersonName, run: &str) -> Option<(Sameness, Range<usize>)> {
    let places: Vec<usize> =
        run.char_indices().map(|(at, _)| at).take(RUN_CHARS_MAX).chain([run.len()]).collect();
    let script = of_char(run.chars().next()?);
    let native = name.words.iter().any(|word| word.script.is_unspaced() && shares(word.script, script));
    let own: String = name.words.iter().map(|word| han::plain(&word.native)).collect();
    let own_chars = own.chars().count();
    let mut best: Option<(Sameness, Range<usize>)> = None;
    for (at, start) in places[..places.len() - 1].iter().enumerate() {
        let lengths = if native { own_chars..=own_chars } else { 1..=longest(&run[*start..]) };
        if !native && !may_begin(name, &run[*start..]) {
            continue;
        }
        for end in lengths.filter_map(|length| places.get(at + length)) {
            let piece = &run[*start..*end];
            let same = if native {
                (han::plain(&fold::native(piece)) == own).then_some(Sameness::Same)
            } else {
                read(name, piece)
            };
            let Some(same) = same else { continue };
            let around = boundary(&run[..*start], piece, &run[*end..]);
            let surely = around.map(|around| around.min(same));
            if surely > best.as_ref().map(|(surely, _)| *surely) {
                best = surely.map(|surely| (surely, *start..*end));
            }
        }
    }
    best
}

/// Han and kana stand in one name; the other scripts keep to themselves.
fn shares(a: NameScript, b: NameScript) -> bool {
    let japanese = |script| matches!(script, NameScript::Han | NameScript::Kana);
    a == b || japanese(a) && japanese(b)
}

/// Returns true when a name may begin here, by the sound of the first character.
fn may_begin(name: &PersonName, rest: &str) -> bool {
    let Some(first) = rest.chars().next() else { return false };
    let letter =
        |reading: &str| name.loose.iter().any(|own| own.chars().next() == loosen(reading).chars().next());
    match of_char(first) {
        NameScript::Han => han::beginnings(first).iter().any(|begin| {
            let begin = loosen(begin);
            name.loose.iter().any(|own| own.starts_with(&begin))
        }),
        NameScript::Kana => kana::read(&rest[..first.len_utf8()]).iter().any(|reading| letter(reading)),
        _ => true,
    }
}

fn longest(piece: &str) -> usize {
    match piece.chars().next().map_or(NameScript::Other, of_char) {
        NameScript::Han => HAN_CHARS_MAX,
        NameScript::Hangul => HANGUL_CHARS_MAX,
        _ => KANA_CHARS_MAX,
    }
}

/// Returns true when a piece of a run sounds like the name.
fn read(name: &PersonName, piece: &str) -> Option<Sameness> {
    // One character is read like many others.
    piece.chars().nth(1)?;
    let same = compare::names(name, &PersonName::new(piece));
    (same != Sameness::Different).then_some(same)
}

/// The certainty that the characters around a piece give it as a name of its own.
fn boundary(before: &str, piece: &str, after: &str) -> Option<Sameness> {
    let script = piece.chars().next().map_or(NameScript::Other, of_char);
    let (last, next) = (before.chars().next_back(), after.chars().next());
    match script {
        NameScript::Hangul if last.is_some() => None,
        NameScript::Hangul if after.is_empty() || PARTICLES.split(',').any(|one| one == after) => {
            Some(Sameness::Same)
        }
        NameScript::Hangul => None,
        NameScript::Thai if before.is_empty() && after.is_empty() => Some(Sameness::Same),
        NameScript::Thai => Some(Sameness::Likely),
        NameScript::Kana => {
            // Kana of one kind that go on are one word; a particle is the other kind, or Han stands there.
            let goes_on = next.is_some_and(|c| same_kana(c, piece) && !AFTER.contains(c));
            let went_on = last.is_some_and(|c| same_kana(c, piece) && !AFTER.contains(c));
            (!goes_on && !went_on).then_some(Sameness::Same)
        }
        // A family name before it makes it a part of another name.
        _ if last.is_some_and(|c| FAMILIES.contains(c)) => Some(Sameness::Likely),
        _ if next.is_none_or(|c| AFTER.contains(c) || of_char(c) != NameScript::Han) => Some(Sameness::Same),
        _ => Some(Sameness::Likely),
    }
}

fn same_kana(c: char, piece: &str) -> bool {
    let katakana = |c: char| ('\u{30a0}'..='\u{30ff}').contains(&c);
    of_char(c) == NameScript::Kana
        && piece.chars().next_back().is_some_and(|last| katakana(last) == katakana(c))
}
