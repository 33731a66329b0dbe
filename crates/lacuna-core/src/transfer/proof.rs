//! Proofs of an export: each record with its metadata is signed as it is written. So an import knows the records that
//! this installation wrote from those that somebody edited or made up, one by one and before the file ends.

use lacuna_seal::{Signature, SigningKey, VerifyingKey};
use lacuna_types::Category;

const DOMAIN: &str = "lacuna export record 1";
/// The beginning of the last field of a record.
const FIELD: &str = ",\"proof\":\"";
const END: &str = "\"}";

/// Appends its proof to a record, which is a JSON object of at least one field.
pub(crate) fn prove(record: &mut Vec<u8>, category: Category, key: &SigningKey) {
    let signature = key.sign(DOMAIN, &[category.as_str().as_bytes(), record]);
    record.pop();
    record.extend_from_slice(format!("{FIELD}{signature}{END}").as_bytes());
}

/// Returns true when `key` signed this very text of a record, in this category.
pub(crate) fn is_proven(record: &str, category: Category, key: &VerifyingKey) -> bool {
    let Some((fields, proof)) = record.strip_suffix(END).and_then(|record| record.rsplit_once(FIELD)) else {
        return false;
    };
    let Ok(signature) = proof.parse::<Signature>() else { return false };
    let signed = format!("{fields}}}");
    key.verify(DOMAIN, &[category.as_str().as_bytes(), signed.as_bytes()], &signature).is_ok()
}

#[cfg(test)]
mod tests {
    use lacuna_seal::SeededEntropy;

    use super::*;

    #[test]
    fn a_record_is_proven_only_as_it_was_written() {
        let key = SigningKey::make(&SeededEntropy::new(3));
        let mut record = br#"{"content":"Tea.","source":{"trust":"low"}}"#.to_vec();
        prove(&mut record, Category::Preference, &key);
        let record = String::from_utf8(record).unwrap();
        let check = |record: &str, category| is_proven(record, category, &key.verifying_key());
        assert!(check(&record, Category::Preference));
        assert!(!check(&record, Category::Conversation));
        assert!(!check(&record.replace("low", "high"), Category::Preference));
        let more = record.replace(",\"proof\"", ",\"pinned\":true,\"proof\"");
        assert!(more.len() > record.len() && !check(&more, Category::Preference));
        assert!(!check(r#"{"content":"Tea."}"#, Category::Preference));
        let other = SigningKey::make(&SeededEntropy::new(4)).verifying_key();
        assert!(!is_proven(&record, Category::Preference, &other));
    }
}
