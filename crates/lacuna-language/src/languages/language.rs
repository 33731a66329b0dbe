use rust_stemmers::{Algorithm, Stemmer};
use whatlang::{Detector, Lang};

/// Below this many letters a detector guesses; a hint or English serves better.
const DETECTION_LETTERS_MIN: usize = 24;
/// Detection reads no more than this of a long text, in bytes.
const DETECTION_BYTES_MAX: usize = 600;

/// Declares the languages that are stemmed: their byte at rest, their detector and their stemmer.
macro_rules! languages {
    ($($name:ident = $code:literal $lang:ident $algorithm:ident),+ $(,)?) => {
        /// A language whose words are reduced to stems; `Other` words are kept whole.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub enum Language { #[default] Other, $($name),+ }

        impl Language {
            /// Every language that is known, and [`Self::Other`].
            pub const ALL: &'static [Self] = &[Self::Other, $(Self::$name),+];

            /// The byte under which this value is stored. Frozen: never reuse or renumber one.
            pub fn code(self) -> u8 {
                match self { Self::Other => 0, $(Self::$name => $code),+ }
            }

            fn of(lang: Lang) -> Self {
                match lang { $(Lang::$lang => Self::$name,)+ _ => Self::Other }
            }

            fn stemmer(self) -> Option<Stemmer> {
                match self {
                    Self::Other => None,
                    $(Self::$name => Some(Stemmer::create(Algorithm::$algorithm))),+
                }
            }
        }

        const DETECTED: &[Lang] = &[$(Lang::$lang),+];
    };
}

languages! {
    English = 1 Eng English,
    German = 2 Deu German,
    French = 3 Fra French,
    Spanish = 4 Spa Spanish,
    Italian = 5 Ita Italian,
    Portuguese = 6 Por Portuguese,
    Dutch = 7 Nld Dutch,
    Russian = 8 Rus Russian,
    Swedish = 9 Swe Swedish,
    Norwegian = 10 Nob Norwegian,
    Danish = 11 Dan Danish,
    Finnish = 12 Fin Finnish,
    Hungarian = 13 Hun Hungarian,
    Romanian = 14 Ron Romanian,
    Turkish = 15 Tur Turkish,
    Arabic = 16 Ara Arabic,
    Greek = 17 Ell Greek,
    Tamil = 18 Tam Tamil,
}

impl Language {
    /// The language of a stored code.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|language| language.code() == code)
    }

    /// The language of a text: detected when the text is long enough to tell, else the hint, else English.
    pub fn detect(text: &str, hint: Option<Self>) -> Self {
        let fallback = hint.unwrap_or(Self::English);
        if text.chars().filter(|c| c.is_alphabetic()).take(DETECTION_LETTERS_MIN).count()
            < DETECTION_LETTERS_MIN
        {
            return fallback;
        }
        let end = text.floor_char_boundary(DETECTION_BYTES_MAX);
        match whatlang::detect(&text[..end]) {
            // A script of its own settles it, and a language that we do not stem must not be stemmed as another.
            Some(info) if info.is_reliable() => Self::of(info.lang()),
            _ => Detector::with_allowlist(DETECTED.to_vec())
                .detect(&text[..end])
                .filter(whatlang::Info::is_reliable)
                .map_or(fallback, |info| Self::of(info.lang())),
        }
    }

    /// The stems of words; the words themselves where the language has no stemmer.
    pub fn stem(self, words: &[String]) -> Vec<String> {
        let Some(stemmer) = self.stemmer() else { return words.to_vec() };
        words.iter().map(|word| stemmer.stem(word).into_owned()).collect()
    }
}
