//! Characters that are not drawn, and where they have a reason to stand.

/// The purpose of an invisible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invisible {
    /// Tag characters (U+E0000 block): ASCII that is never drawn.
    Tag,
    /// A choice between drawings of the character before it.
    Selector,
    /// Orders to draw the text in another order than it is written in.
    Override,
    /// Marks of direction, which text from right to left needs.
    Direction,
    /// Zero-width spaces, joiners and fillers.
    ZeroWidth,
    /// A place where a word may be broken.
    SoftHyphen,
}

pub(super) fn invisible(c: char) -> Option<Invisible> {
    Some(match c as u32 {
        0xAD => Invisible::SoftHyphen,
        0xE0000..=0xE007F => Invisible::Tag,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF | 0x180B..=0x180D | 0x180F => Invisible::Selector,
        0x202D | 0x202E => Invisible::Override,
        0x061C | 0x200E | 0x200F | 0x202A..=0x202C | 0x2066..=0x2069 => Invisible::Direction,
        0x034F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180E | 0x3164 | 0xFEFF | 0xFFA0 => {
            Invisible::ZeroWidth
        }
        0x200B..=0x200D | 0x2060..=0x2065 | 0x206A..=0x206F | 0xFFF0..=0xFFFB => Invisible::ZeroWidth,
        0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0080..=0xE0FFF => Invisible::ZeroWidth,
        _ => return None,
    })
}

/// Returns true when a joiner, a zero-width space or a selector has work to do between these two characters.
pub(super) fn has_work(c: char, before: Option<char>, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{200D}' => is_joined(before) || (ends_picture(before) && after.is_some_and(is_picture)),
        '\u{200C}' => is_joined(before),
        '\u{200B}' => is_unspaced(before),
        '\u{FE0E}' | '\u{FE0F}' => {
            is_picture(before) || (is_key(before) && after == Some(KEYCAP)) || is_ideograph(before)
        }
        '\u{FE00}'..='\u{FE0D}' => is_ideograph(before) || has_variants(before),
        '\u{E0100}'..='\u{E01EF}' => is_ideograph(before),
        '\u{180B}'..='\u{180D}' | '\u{180F}' => matches!(before, '\u{1820}'..='\u{18AA}'),
        _ => false,
    }
}

const KEYCAP: char = '\u{20E3}';

fn is_key(c: char) -> bool {
    c.is_ascii_digit() || c == '#' || c == '*'
}

pub(super) fn is_picture(c: char) -> bool {
    matches!(c, '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | '〰' | '〽' | '㊗' | '㊙' | 'Ⓜ')
        || matches!(c as u32, 0x2190..=0x21FF | 0x2300..=0x23FF | 0x25A0..=0x27BF)
        || matches!(c as u32, 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x1F000..=0x1F12F | 0x1F170..=0x1FAFF)
}

/// A picture may end in its selector, or in the tags that name a region's flag.
fn ends_picture(c: char) -> bool {
    is_picture(c) || c == '\u{FE0F}' || c == TAG_END
}

pub(super) const TAG_END: char = '\u{E007F}';

/// Scripts in which a joiner changes how the letters are drawn: Arabic, Syriac, the scripts of India,
/// Myanmar, Khmer, Mongolian.
fn is_joined(c: char) -> bool {
    matches!(c as u32, 0x0620..=0x08FF | 0x0900..=0x0DFF | 0x1000..=0x109F | 0x1780..=0x17B3)
        || matches!(c as u32, 0x17B6..=0x17FF | 0x1820..=0x18AA | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC)
}

/// Scripts without spaces, in which a zero-width space marks the end of a word.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32, 0x0E00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17B3 | 0x17B6..=0x17FF)
}

fn is_ideograph(c: char) -> bool {
    matches!(c as u32, 0x3001..=0x3002 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF)
        || matches!(c as u32, 0x20000..=0x323AF)
}

fn has_variants(c: char) -> bool {
    matches!(c as u32, 0x1000..=0x109F | 0x2200..=0x22FF | 0x2A00..=0x2AFF | 0xA840..=0xA87F)
}

pub(super) fn is_right_to_left(c: char) -> bool {
    matches!(c as u32, 0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC | 0x10800..=0x10FFF)
}
