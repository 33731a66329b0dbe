//! Hangul in Latin letters, syllable by syllable, and the spellings that families use.

use super::spell::extend;

const INITIALS: [&str; 19] =
    ["g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h"];
const VOWELS: [&str; 21] = [
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi",
    "yu", "eu", "ui", "i",
];
const FINALS: [&str; 28] = [
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t",
    "ng", "t", "t", "k", "t", "p", "t",
];
/// Family names that are seldom written by rule.
const FAMILIES: &[(char, &str)] = &[
    ('김', "kim/gim"),
    ('이', "lee/yi/i/rhee"),
    ('박', "park/bak/pak"),
    ('최', "choi/choe"),
    ('정', "jung/jeong/chung"),
    ('강', "kang/gang"),
    ('조', "cho/jo"),
    ('윤', "yoon/yun"),
    ('장', "jang/chang"),
    ('임', "lim/im"),
    ('오', "oh/o"),
    ('서', "seo/suh"),
    ('신', "shin/sin"),
    ('권', "kwon/gwon"),
    ('안', "ahn/an"),
    ('류', "ryu/yoo"),
    ('유', "yoo/yu"),
    ('고', "ko/go"),
    ('문', "moon/mun"),
    ('백', "baek/paik"),
    ('허', "heo/hur"),
    ('노', "noh/no/roh"),
    ('심', "shim/sim"),
    ('주', "joo/ju"),
    ('우', "woo/u"),
    ('구', "koo/gu"),
    ('배', "bae/pae"),
    ('전', "jeon/chun"),
    ('곽', "kwak/gwak"),
];

pub(super) fn read(word: &str) -> Vec<String> {
    let mut readings = vec![String::new()];
    let several = word.chars().count() > 1;
    for (at, c) in word.chars().enumerate() {
        let family = FAMILIES.iter().find(|(name, _)| at == 0 && several && *name == c);
        readings = match family {
            Some((_, ways)) => extend(&readings, ways.split('/')),
            None => extend(&readings, [syllable(c).as_str()].into_iter()),
        };
    }
    readings
}

fn syllable(c: char) -> String {
    let Some(at) =
        u32::from(c).checked_sub(0xac00).and_then(|at| usize::try_from(at).ok()).filter(|at| *at < 11_172)
    else {
        return String::new();
    };
    format!("{}{}{}", INITIALS[at / 588], VOWELS[at % 588 / 28], FINALS[at % 28])
}

/// Beyond what every script forgives: voiced or not, l or r, and the vowels that are written in many ways.
pub(super) fn loosen(loose: &str) -> String {
    const SOUNDS: &[(&str, &str)] = &[
        ("vu", "u"),
        ("eo", "o"),
        ("eu", "u"),
        ("ae", "e"),
        ("oe", "o"),
        ("g", "k"),
        ("d", "t"),
        ("b", "p"),
        ("j", "c"),
        ("l", "r"),
        ("oh", "o"),
    ];
    SOUNDS.iter().fold(loose.to_owned(), |loose, (written, sound)| loose.replace(written, sound))
}
