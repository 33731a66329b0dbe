//! A text as its reader would see it: without invisible characters, with look-alikes folded, and the way back.
