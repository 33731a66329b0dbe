//! The arithmetic by which numbers check themselves. All take letters and digits only, in capitals.

/// The values of the decimal digits, ignoring everything else.
pub(super) fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> + Clone + '_ {
    text.chars().filter_map(|c| c.to_digit(10))
}

/// The sum of the digits, each times its weight; the shorter of both decides the length.
pub(super) fn weighted(text: &str, weights: &[u32]) -> u32 {
    digits(text).zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// The digit at a place, or a value that equals no digit.
pub(super) fn digit_at(text: &str, place: usize) -> u32 {
    text.as_bytes().get(place).filter(|byte| byte.is_ascii_digit()).map_or(99, |byte| u32::from(byte - b'0'))
}

/// The number that a part of the text spells, or none.
pub(super) fn number(text: &str, from: usize, to: usize) -> Option<u64> {
    text.get(from..to)?.parse().ok()
}

/// Returns true when nearly every character is the same: test values and placeholders that pass many checksums.
pub(super) fn monotonous(text: &str) -> bool {
    let bytes = text.as_bytes();
    let most = bytes.iter().map(|byte| bytes.iter().filter(|other| *other == byte).count()).max();
    most.is_some_and(|most| most + 1 >= bytes.len())
}

/// Doubles every second digit from the right: cards, many national numbers.
pub(super) fn luhn(text: &str) -> bool {
    luhn_sum(digits(text)).is_multiple_of(10) && !text.is_empty()
}

fn luhn_sum(digits: impl DoubleEndedIterator<Item = u32>) -> u32 {
    digits.rev().enumerate().map(|(place, digit)| if place % 2 == 1 { cross(digit * 2) } else { digit }).sum()
}

/// The sum of the digits of a number below one hundred.
pub(super) fn cross(number: u32) -> u32 {
    number / 10 + number % 10
}

/// ISO 7064 mod 97-10 with letters as 10..35: IBAN.
pub(super) fn mod97(text: &str) -> u32 {
    text.chars().filter_map(|c| c.to_digit(36)).fold(0, |rest, value| {
        let shift = if value > 9 { 100 } else { 10 };
        (rest * shift + value) % 97
    })
}

/// ISO 7064 mod 11,10: German tax and VAT numbers.
pub(super) fn iso7064_11_10(text: &str) -> bool {
    let mut product = 10;
    let mut all = digits(text);
    let Some(last) = all.next_back() else { return false };
    for digit in all {
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        product = sum * 2 % 11;
    }
    (11 - product) % 10 == last
}

/// The dihedral group's multiplication, row by row.
const DIHEDRAL: [[u8; 10]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
    [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
    [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
    [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
    [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
    [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
    [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
    [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
];
const PERMUTATION: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/// Verhoeff's scheme: Aadhaar.
pub(super) fn verhoeff(text: &str) -> bool {
    let mut check = 0;
    for (place, digit) in digits(text).rev().enumerate() {
        let mut moved = digit as u8;
        for _ in 0..place % 8 {
            moved = PERMUTATION[usize::from(moved)];
        }
        check = DIHEDRAL[usize::from(check)][usize::from(moved)];
    }
    check == 0 && !text.is_empty()
}

/// Weights 7, 3, 1 over letters as 10..35: machine-readable travel documents.
pub(super) fn travel_document(body: &str) -> u32 {
    let weights = [7, 3, 1].iter().cycle();
    body.chars()
        .filter_map(|c| c.to_digit(36))
        .zip(weights)
        .map(|(value, weight)| value * weight)
        .sum::<u32>()
        % 10
}

/// Returns true when the month has such a day (29 February always does).
pub(super) fn day_exists(day: u64, month: u64) -> bool {
    let last = match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

/// Returns true when `YYMMDD` at a place is a date; the century decides about 29 February.
pub(super) fn short_date(text: &str, at: usize) -> bool {
    let (month, day) = (number(text, at + 2, at + 4), number(text, at + 4, at + 6));
    month.zip(day).is_some_and(|(month, day)| day_exists(day, month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_values_check() {
        assert!(luhn("79927398713") && !luhn("79927398714") && !luhn(""));
        assert!(verhoeff("2363") && !verhoeff("2364") && !verhoeff(""));
        assert_eq!(mod97("3214282912345698765432161182"), 1);
        assert!(iso7064_11_10("07945") && !iso7064_11_10("07946"));
        assert_eq!(travel_document("520727"), 3);
    }

    #[test]
    fn every_single_wrong_digit_is_seen() {
        for (right, check) in
            [("79927398713", luhn as fn(&str) -> bool), ("2363", verhoeff), ("07945", iso7064_11_10)]
        {
            for place in 0..right.len() {
                for digit in '0'..='9' {
                    let mut wrong: Vec<char> = right.chars().collect();
                    wrong[place] = digit;
                    let wrong: String = wrong.into_iter().collect();
                    assert_eq!(check(&wrong), wrong == right, "{wrong}");
                }
            }
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        assert!(short_date("000229", 0) && !short_date("001301", 0) && !short_date("990431", 0));
        assert!(!short_date("9901", 0));
    }
}
