//! Texts that are shaped like instructions to an assistant.
