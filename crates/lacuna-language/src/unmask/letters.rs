//! Letters that are drawn like Latin ones, and styled forms of ASCII.

use unicode_normalization::char::decompose_compatible;

/// The Latin letter that a letter of another alphabet looks like.
pub(super) fn look_alike(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    lower_look_alike(c).or_else(|| upper_look_alike(c))
}

fn lower_look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'ά' | 'ɑ' => 'a',
        'ь' | 'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ё' | 'ҽ' | 'є' | 'ε' | 'έ' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'н' | 'հ' => 'h',
        'і' | 'ї' | 'ι' | 'ί' | 'ɩ' | 'Ꭵ' => 'i',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'п' | 'η' | 'ή' | 'ո' => 'n',
        'о' | 'ο' | 'ό' | 'σ' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' | 'զ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ύ' | 'μ' | 'ս' => 'u',
        'ѵ' | 'ν' | 'ʋ' => 'v',
        'ԝ' | 'ѡ' | 'ш' | 'ω' | 'ώ' => 'w',
        'х' | 'ҳ' | 'χ' => 'x',
        'у' | 'ү' | 'γ' => 'y',
        _ => return None,
    })
}

fn upper_look_alike(c: char) -> Option<char> {
    Some(match c {
        'А' | 'Α' | 'Ꭺ' => 'A',
        'В' | 'Β' | 'Ᏼ' => 'B',
        'С' | 'Ϲ' | 'Ꮯ' => 'C',
        'Ԁ' | 'Ꭰ' => 'D',
        'Е' | 'Ё' | 'Ε' | 'Ꭼ' => 'E',
        'Ԍ' | 'Ꮐ' => 'G',
        'Н' | 'Η' | 'Ꮋ' => 'H',
        'І' | 'Ї' | 'Ι' => 'I',
        'Ј' | 'Ꭻ' => 'J',
        'К' | 'Κ' | 'Ꮶ' => 'K',
        'Լ' | 'Ꮮ' => 'L',
        'М' | 'Μ' | 'Ꮇ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' | 'Օ' => 'O',
        'Р' | 'Ρ' | 'Ꮲ' => 'P',
        'Ԛ' => 'Q',
        'Ꮢ' => 'R',
        'Ѕ' | 'Տ' | 'Ꮪ' => 'S',
        'Т' | 'Τ' | 'Ꭲ' => 'T',
        'Ս' => 'U',
        'Ѵ' | 'Ꮩ' => 'V',
        'Ԝ' | 'Ꮃ' => 'W',
        'Х' | 'Χ' => 'X',
        'У' | 'Ү' | 'Υ' => 'Y',
        'Ζ' | 'Ꮓ' => 'Z',
        _ => return None,
    })
}

/// The ASCII character of which this is a styled form: full-width, mathematical, circled, squared, small
/// capital.
pub(super) fn plain(c: char) -> Option<char> {
    match c as u32 {
        // Drawn as pictures, with a meaning of their own.
        0x24C2 | 0x1F170 | 0x1F171 | 0x1F17E | 0x1F17F => None,
        0xFF01..=0xFF5E => full_width(c),
        0x1F150..=0x1F169 => letter_after(c, 0x1F150),
        0x1F170..=0x1F189 => letter_after(c, 0x1F170),
        0x1D400..=0x1D7FF | 0x2102..=0x2138 | 0x213C..=0x2149 | 0x24B6..=0x24E9 | 0x1F130..=0x1F149 => {
            single_ascii(c)
        }
        0x0250..=0x02AF | 0x1D00..=0x1D7F | 0xA730..=0xA731 => small_capital(c),
        _ => None,
    }
}

/// Full-width forms, but not the punctuation that Chinese and Japanese are written with.
fn full_width(c: char) -> Option<char> {
    const PUNCTUATION: &str = "!(),:;?~";
    char::from_u32(c as u32 - 0xFEE0).filter(|ascii| !PUNCTUATION.contains(*ascii))
}

fn letter_after(c: char, first: u32) -> Option<char> {
    char::from_u32('A' as u32 + (c as u32 - first))
}

fn single_ascii(c: char) -> Option<char> {
    let (mut only, mut count) = (c, 0);
    decompose_compatible(c, |part| (only, count) = (part, count + 1));
    (count == 1 && only.is_ascii_alphanumeric()).then_some(only)
}

fn small_capital(c: char) -> Option<char> {
    const FORMS: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ";
    const LETTERS: &str = "abcdefghijklmnoprstuvwyz";
    FORMS.chars().zip(LETTERS.chars()).find_map(|(form, letter)| (form == c).then_some(letter))
}
