//! What a text is about: sensitivity, privacy class, lane, salience, and the people, places and things it names.
