//! What is taken out of a text, by how far its source is trusted.
