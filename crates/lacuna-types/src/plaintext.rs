//! Text that nobody but its owner may read.

use zeroize::Zeroizing;

/// Words of a memory, a draft or a turn, in the clear.
///
/// Texts leak by accident more often than by attack: a derived `Debug` that reaches a log line, a clone that outlives
/// the vault it came from. So the type can be neither printed, nor cloned, nor serialised, nor used as a `str` in
/// passing, and its bytes are zeroed on drop. [`Plaintext::expose`] is the one way to the words; a search for it, and
/// for [`Plaintext::duplicate`], finds every place that reads or copies them.
///
/// ```
/// use lacuna_types::Plaintext;
///
/// let text = Plaintext::from("The orchid wants water on Tuesdays.");
/// assert!(text.expose().contains("orchid"));
/// assert!(text == text.duplicate());
/// ```
///
/// It is not printed:
///
/// ```compile_fail,E0277
/// let text = lacuna_types::Plaintext::from("The orchid wants water on Tuesdays.");
/// println!("{text:?}");
/// ```
///
/// Nor cloned, and so nothing that holds it is cloned by accident:
///
/// ```compile_fail,E0277
/// fn copies(_: impl Clone) {}
/// copies(lacuna_types::Plaintext::from("The orchid wants water on Tuesdays."));
/// ```
#[derive(Default, PartialEq, Eq)]
pub struct Plaintext(Zeroizing<String>);

impl Plaintext {
    /// The words, to be read where they are needed and kept nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The words as the caller's own string, for a door that hands them to the owner. From here on nobody zeroes them.
    pub fn into_exposed(mut self) -> String {
        std::mem::take(&mut *self.0)
    }

    /// A second copy of the words. The name is loud on purpose: each copy is one more place in RAM.
    pub fn duplicate(&self) -> Self {
        Self::from(self.expose())
    }

    /// Returns the bytes that it takes in RAM, besides its own size.
    pub fn heap_bytes(&self) -> usize {
        self.0.capacity()
    }
}

impl From<String> for Plaintext {
    fn from(words: String) -> Self {
        Self(Zeroizing::new(words))
    }
}

impl From<&str> for Plaintext {
    fn from(words: &str) -> Self {
        Self::from(words.to_owned())
    }
}

impl From<Zeroizing<String>> for Plaintext {
    fn from(words: Zeroizing<String>) -> Self {
        Self(words)
    }
}
