//! Parts that are cut out of a text before it is kept: account numbers to their end, addresses to their town.

use std::ops::Range;

use super::address::addresses;
use super::fold::plain_text;
use super::rule::{lower, told};
use super::same::find_spellings;
use super::{CONFIDENT, Family, Identifier, IdentifierKind, identifiers};

/// The mark in place of the cut part of an account number.
const MASK: &str = "****";
/// The mark in place of a street with its house number.
const STREET: &str = "[street address]";
/// The characters of an account number that stay.
const LAST_CHARS: usize = 4;
/// Of a number shorter than this even fewer stay.
const SHORT_CHARS: usize = 8;
const LAST_CHARS_OF_SHORT: usize = 2;

/// Words that make a national number part of somebody's finances.
const FINANCES: &[&str] = &[
    "bank*",
    "account*",
    "loan*",
    "credit*",
    "mortgage*",
    "tax*",
    "salary",
    "payroll",
    "irs",
    "payment*",
    "invoice*",
    "refund*",
    "wage*",
    "konto*",
    "kredit*",
    "steuer*",
    "gehalt",
    "darlehen",
    "banque",
    "compte",
    "prêt",
    "impôt*",
    "salaire",
    "banco",
    "cuenta",
    "préstamo",
    "impuesto*",
    "nómina",
    "hipoteca",
];

/// Something that was cut: what it was and where it stood in the original, never its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdentifierCut {
    /// The kind of the identifier.
    pub kind: IdentifierKind,
    /// The place in the text.
    pub span: Range<usize>,
}

/// Cuts cards, IBANs, bank accounts, and national numbers in a financial context to their last characters.
pub fn cut_accounts(text: &str) -> (String, Vec<IdentifierCut>) {
    let accounts: Vec<Identifier> = identifiers(text)
        .into_iter()
        .filter(|one| one.confidence >= CONFIDENT && is_account(text, one))
        .collect();
    let mut cuts: Vec<(IdentifierCut, String)> = Vec::new();
    for account in &accounts {
        let again = find_spellings(text, &account.canonical);
        // The same number elsewhere goes too, whether or not anything there says what it is.
        for span in again.into_iter().chain([account.span.clone()]) {
            cuts.push((IdentifierCut { kind: account.kind, span }, masked(&account.canonical)));
        }
    }
    replace(text, cuts)
}

/// Cuts numbers that a state gives to a person to their last characters: passports, tax and insurance numbers.
pub fn cut_national_numbers(text: &str) -> (String, Vec<IdentifierCut>) {
    let national = |one: &Identifier| one.confidence >= CONFIDENT && one.kind.family() == Family::National;
    let cuts = identifiers(text).into_iter().filter(national).flat_map(|number| {
        let mask = masked(&number.canonical);
        let again = find_spellings(text, &number.canonical);
        let places = again.into_iter().chain([number.span.clone()]);
        places.map(|span| (IdentifierCut { kind: number.kind, span }, mask.clone())).collect::<Vec<_>>()
    });
    replace(text, cuts.collect())
}

/// Generalises street addresses: "[street address], Norwich" keeps the sentence whole in any language.
pub fn cut_addresses(text: &str) -> (String, Vec<IdentifierCut>) {
    let folded = plain_text(text);
    let plain = folded.as_ref().map_or(text, |folded| folded.text());
    let cuts = addresses(plain).into_iter().map(|address| {
        let words = match address.town {
            Some(town) => {
                format!("{STREET}{}{}", joint(&plain[address.street.end..town.start]), &plain[town])
            }
            None => STREET.to_owned(),
        };
        let span = folded.as_ref().map_or(address.span.clone(), |folded| folded.original(&address.span));
        (IdentifierCut { kind: IdentifierKind::Address, span }, words)
    });
    replace(text, cuts.collect())
}

/// The words between a street and its town: a preposition stays, a postcode goes.
fn joint(between: &str) -> &str {
    let preposition =
        !between.starts_with([',', '\n', '.']) && between.trim().chars().all(char::is_alphabetic);
    if preposition && !between.trim().is_empty() { between } else { ", " }
}

fn is_account(text: &str, one: &Identifier) -> bool {
    use IdentifierKind::{BankAccount, Card, Iban};
    match one.kind {
        Card | Iban | BankAccount => true,
        kind => kind.family() == Family::National && told(&lower(text), &one.span, FINANCES),
    }
}

fn masked(canonical: &str) -> String {
    let chars = canonical.chars().count();
    let kept = if chars < SHORT_CHARS { LAST_CHARS_OF_SHORT } else { LAST_CHARS };
    let end: String = canonical.chars().skip(chars.saturating_sub(kept)).collect();
    format!("{MASK}{end}")
}

/// Puts the new words in the place of the old ones; of overlapping cuts the first and longest holds.
fn replace(text: &str, mut cuts: Vec<(IdentifierCut, String)>) -> (String, Vec<IdentifierCut>) {
    cuts.sort_by_key(|(cut, _)| (cut.span.start, usize::MAX - cut.span.end));
    let mut result = String::with_capacity(text.len());
    let mut done: Vec<IdentifierCut> = Vec::new();
    let mut from = 0;
    for (cut, words) in cuts {
        if cut.span.start < from {
            continue;
        }
        result.push_str(&text[from..cut.span.start]);
        result.push_str(&words);
        from = cut.span.end;
        done.push(cut);
    }
    result.push_str(&text[from..]);
    (result, done)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accounts_keep_their_last_four() {
        for (text, cut) in [
            ("my card is 4539 1488 0343 6467, thanks", "my card is ****6467, thanks"),
            ("IBAN DE44 5001 0517 5407 3249 31 bei der Bank", "IBAN ****4931 bei der Bank"),
            ("account #1234567 at the bank", "account #****67 at the bank"),
            // Also when it could be dialled.
            ("account number 00200000000", "account number ****0000"),
            ("Kontonummer 0532013000", "Kontonummer ****3000"),
            ("compte n° 12345678901", "compte n° ****8901"),
            ("mi cuenta es 9876543210", "mi cuenta es ****3210"),
            ("tax return, SSN 536-22-8143", "tax return, SSN ****8143"),
            ("she has a Chase account", "she has a Chase account"),
            ("SSN 536-22-8143", "SSN 536-22-8143"),
            ("account opened on 12.05.2023", "account opened on 12.05.2023"),
            ("card 4539148803436467, again 4539-1488-0343-6467", "card ****6467, again ****6467"),
        ] {
            assert_eq!(cut_accounts(text).0, cut, "{text}");
        }
    }

    #[test]
    fn numbers_of_a_state_keep_their_last_four() {
        for (text, cut) in [
            ("SSN 536-22-8143", "SSN ****8143"),
            ("my library card is 21234001", "my library card is 21234001"),
            ("order 118-40922 is due on Friday", "order 118-40922 is due on Friday"),
        ] {
            assert_eq!(cut_national_numbers(text).0, cut, "{text}");
        }
    }

    #[test]
    fn the_same_number_goes_wherever_it_stands() {
        let far = "and then, after so many other things that nobody remembers what it was, ";
        let (cut, cuts) = cut_accounts(&format!("account 4817263, {far}{far} came 4817263 or 481-7263."));
        assert_eq!(cut, format!("account ****63, {far}{far} came ****63 or ****63."));
        assert_eq!(cuts.len(), 3);
    }

    #[test]
    fn addresses_become_their_town() {
        for (text, cut) in [
            ("Lives at 12 Rosewood Lane, Bristol BS3 4DT.", "Lives at [street address], Bristol."),
            ("Lives at 12 Rosewood Lane.", "Lives at [street address]."),
            ("Ich wohne in der Lindenstraße 12, 10969 Berlin.", "Ich wohne in der [street address], Berlin."),
            ("J'habite 14 rue de la Paix, 75002 Paris.", "J'habite [street address], Paris."),
            ("Vivo en Calle Mayor 21, 28013 Madrid", "Vivo en [street address], Madrid"),
            ("We live at 9 Mill Road in Cambridge.", "We live at [street address] in Cambridge."),
            ("Mieszkam przy ul. Lipowej 12/4 w Gdyni", "Mieszkam przy [street address] w Gdyni"),
            ("Moro na Rua das Flores, n.º 8, 3.º Esq, em Évora.", "Moro na [street address], em Évora."),
            ("Lives in Bristol", "Lives in Bristol"),
            // Years, and places that are open to everybody.
            ("During 1988 we lived abroad.", "During 1988 we lived abroad."),
            ("Im Herbst 1988 zogen wir um.", "Im Herbst 1988 zogen wir um."),
            ("The library at 7 Station Road opens at ten.", "The library at 7 Station Road opens at ten."),
            (
                "Die Apotheke in der Bergstraße 9 hat Notdienst.",
                "Die Apotheke in der Bergstraße 9 hat Notdienst.",
            ),
        ] {
            assert_eq!(cut_addresses(text).0, cut, "{text}");
        }
    }

    #[test]
    fn what_was_cut_names_places_in_the_original() {
        let text = "card 4539148803436467 and IBAN GB29NWBK60161331926819";
        let (_, cuts) = cut_accounts(text);
        let places: Vec<&str> = cuts.iter().map(|cut| &text[cut.span.clone()]).collect();
        assert_eq!(places, ["4539148803436467", "GB29NWBK60161331926819"]);
        assert!(!format!("{cuts:?}").contains("6467"));
    }

    fn luhn_digit(body: &str) -> char {
        let complete = |digit: &char| super::super::checksum::luhn(&format!("{body}{digit}"));
        ('0'..='9').find(complete).unwrap()
    }

    proptest! {
        #[test]
        fn no_long_run_of_an_account_remains(body in "4[0-9]{14}", separator in "[ -]?", before in "[a-z ]{0,20}", after in "[a-z .]{0,20}") {
            let digits = format!("{body}{}", luhn_digit(&body));
            prop_assume!(digits.chars().any(|c| c != '4'));
            let groups: Vec<&str> = (0..4).map(|group| &digits[group * 4..group * 4 + 4]).collect();
            let text = format!("{before} card {} {after}", groups.join(&separator));
            let (cut, done) = cut_accounts(&text);
            prop_assert_eq!(done.len(), 1);
            let longest = cut.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
            prop_assert!(longest <= Some(4));
            prop_assert_eq!(cut_accounts(&cut).0, cut.clone());
        }

        #[test]
        fn any_number_called_an_account_is_cut(digits in "[0-9]{5,17}") {
            let (cut, _) = cut_accounts(&format!("account number {digits}"));
            prop_assert!(cut.split(|c: char| !c.is_ascii_digit()).all(|run| run.len() < 5), "{}", cut);
        }

        #[test]
        fn cutting_twice_is_cutting_once(text in "[A-Za-z0-9@.,:/ +()-]{0,80}") {
            let once = cut_accounts(&text).0;
            prop_assert_eq!(cut_accounts(&once).0, once.clone());
            let once = cut_addresses(&text).0;
            prop_assert_eq!(cut_addresses(&once).0, once.clone());
        }
    }
}
