//! The scripts that names are read from.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NameScript {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Hangul,
    Kana,
    Han,
    Other,
}

impl NameScript {
    /// True when words stand together without spaces, or with particles at their end.
    pub(super) fn is_unspaced(self) -> bool {
        matches!(self, Self::Thai | Self::Hangul | Self::Kana | Self::Han)
    }

    /// True when most vowels are not written.
    pub(super) fn is_abjad(self) -> bool {
        matches!(self, Self::Hebrew | Self::Arabic)
    }

    pub(super) fn has_case(self) -> bool {
        matches!(self, Self::Latin | Self::Cyrillic | Self::Greek)
    }
}

/// The script of a word: that of its first letter, but Han wherever a Han character stands among kana.
pub(super) fn of(word: &str) -> NameScript {
    let mut scripts = word.chars().map(of_char).filter(|script| *script != NameScript::Other);
    let first = scripts.next().unwrap_or(NameScript::Other);
    if first == NameScript::Kana && scripts.any(|script| script == NameScript::Han) {
        NameScript::Han
    } else {
        first
    }
}

pub(super) fn of_char(c: char) -> NameScript {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{ff21}'..='\u{ff5a}' => {
            NameScript::Latin
        }
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => NameScript::Greek,
        '\u{400}'..='\u{52f}' => NameScript::Cyrillic,
        '\u{590}'..='\u{5ff}' => NameScript::Hebrew,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => NameScript::Arabic,
        '\u{900}'..='\u{97f}' => NameScript::Devanagari,
        '\u{e00}'..='\u{e7f}' => NameScript::Thai,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}' => NameScript::Hangul,
        '\u{3041}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}' => NameScript::Kana,
        '\u{3005}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}' => {
            NameScript::Han
        }
        _ => NameScript::Other,
    }
}
