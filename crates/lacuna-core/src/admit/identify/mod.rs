//! Identifiers in a text: e-mail, phone, card, IBAN, national numbers, addresses; and how they are cut down.
