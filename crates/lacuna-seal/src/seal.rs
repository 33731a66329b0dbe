//! Content: a memory's key seals and opens its fields.

use zeroize::Zeroizing;

use crate::context::SealContext;
use crate::entropy::Entropy;
use crate::envelope::{self, OpenError};
use crate::key::MemoryKey;

impl MemoryKey {
    /// Seals one field at one revision, under a content key of its own.
    pub fn seal(&self, context: &SealContext<'_>, plaintext: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
        envelope::seal(self.bytes(), &context.encode(), plaintext, entropy)
    }

    /// Opens one field at one revision.
    pub fn open(&self, context: &SealContext<'_>, envelope: &[u8]) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        let mut plaintext = Zeroizing::new(Vec::new());
        self.open_into(context, envelope, &mut plaintext)?;
        Ok(plaintext)
    }

    /// As [`open`](Self::open), into a buffer that serves many envelopes in turn: opening a vault needs one
    /// allocation and one wiping instead of thousands. On error the buffer is empty.
    pub fn open_into(
        &self,
        context: &SealContext<'_>,
        envelope: &[u8],
        plaintext: &mut Zeroizing<Vec<u8>>,
    ) -> Result<(), OpenError> {
        envelope::open_into(self.bytes(), &context.encode(), envelope, plaintext)
    }
}
