//! Exact terms of a request (an address, a number, a code, a date), and the search for them in a text in some
//! other spelling. Never by its beginning: `TKT-100` is not in `TKT-1000`, `conf` not in `conf.bak`.

mod moment;

use std::ops::Range;

use moment::{ClockTime, Date, clocks, dates};

use super::network::{normalise_url, octets};
use super::rule::{compact, continues_word};
use super::same::find_spellings;
use super::{CONFIDENT, Identifier, IdentifierKind, identifiers, mentions, readings};

/// Digits of a number that names something by itself.
const NUMBER_DIGITS_MIN: usize = 3;
/// Letters and digits of a code that names something by itself.
const CODE_CHARS_MIN: usize = 4;
/// Capitals that are a code and no acronym.
const CAPITALS_MIN: usize = 5;
/// Things that are counted or measured, not named.
const UNITS: &str =
    "km kg mg ml cm mm g h m k min s st nd rd th gb mb tb mhz ghz kw kwh x % am pm yrs hrs usd eur";
/// The first group of a UUID stands for it in everyday use, as the first seven digits of a hash do.
const UUID_GROUP_CHARS: usize = 8;
const HASH_START_CHARS: usize = 7;

/// Something that a request names exactly.
#[derive(Clone, Debug)]
pub struct ExactTerm {
    /// The place in the request.
    pub span: Range<usize>,
    form: Form,
}

#[derive(Clone)]
enum Form {
    /// A number or address that is known by its own rules.
    Known(Identifier),
    Mail {
        local: String,
        domain: String,
    },
    Handle(String),
    /// A web address, a path, a file.
    Place(String),
    Host([u8; 4]),
    Day(Date),
    Time(ClockTime),
    /// Digits without leading zeros.
    Number(String),
    /// A small number that only its label makes a name: "room 12".
    Labelled {
        label: String,
        digits: String,
    },
    /// Letters and digits in capitals, in each of the ways in which it is written.
    Code(Vec<String>),
}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The value stays out: this may end up in a log.
        f.write_str(match self {
            Form::Known(_) => "known",
            Form::Mail { .. } => "mail",
            Form::Handle(_) => "handle",
            Form::Place(_) => "place",
            Form::Host(_) => "host",
            Form::Day(_) => "day",
            Form::Time(_) => "time",
            Form::Number(_) => "number",
            Form::Labelled { .. } => "labelled",
            Form::Code(_) => "code",
        })
    }
}

/// Returns the terms that a request names exactly, in its order.
pub fn wanted(request: &str) -> Vec<ExactTerm> {
    let mut found = Vec::new();
    for one in identifiers(request) {
        found.extend(from_identifier(&one).map(|form| ExactTerm { span: one.span.clone(), form }));
    }
    let mut add = |span: Range<usize>, form: Form| {
        let free = |other: &ExactTerm| span.end <= other.span.start || other.span.end <= span.start;
        if found.iter().all(free) {
            found.push(ExactTerm { span, form });
        }
    };
    dates(request).into_iter().for_each(|(span, date)| add(span, Form::Day(date)));
    clocks(request).into_iter().for_each(|(span, clock)| add(span, Form::Time(clock)));
    let tokens = tokens(request);
    for (at, (span, token)) in tokens.iter().enumerate() {
        let labelled = || labelled(at.checked_sub(1).map(|before| tokens[before].1)?, token);
        if let Some(form) = from_token(token).or_else(labelled) {
            add(span.clone(), form);
        }
    }
    found.sort_by_key(|one| one.span.start);
    // Beside a number, a word such as `case_id` only says what is numbered.
    if found.iter().any(|one| !one.is_label() && !one.is_moment()) {
        found.retain(|one| !one.is_label());
    }
    found
}

/// Words before a small number that make it a name.
const LABELS: &str = "id no nr number ticket order case room invoice customer user account employee patient client bus gate \
    seat unit lot row level floor phase chapter version release build locker desk table apartment flat house issue task \
    zimmer nummer rechnung chambre";

fn labelled(before: &str, token: &str) -> Option<Form> {
    let label = before.trim_end_matches(['.', '#', ':']).to_lowercase();
    let known = label.ends_with("_id") || LABELS.split_whitespace().any(|known| known == label);
    let digits = token.trim_start_matches('#');
    let number = !digits.is_empty()
        && digits.len() < NUMBER_DIGITS_MIN
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    (known && number).then(|| Form::Labelled { label, digits: trimmed(digits).to_owned() })
}

impl ExactTerm {
    /// Returns true when the text holds it, in any spelling.
    pub fn is_in(&self, text: &str) -> bool {
        match &self.form {
            Form::Known(identifier) => mentions(text, identifier),
            Form::Mail { local, domain } => mails(text).iter().any(|(other, tag, at)| {
                let tagged = local.split_once('+');
                let same = tagged
                    .map_or(other == local, |(name, wanted)| other == name && tag.as_deref() == Some(wanted));
                same && at == domain
            }),
            Form::Handle(name) => has_handle(text, name),
            Form::Place(place) => {
                tokens(text).iter().any(|(_, token)| !token.contains('@') && is_place(token, place))
            }
            Form::Host(host) => tokens(text).iter().any(|(_, token)| octets(token) == Some(*host)),
            Form::Day(date) => dates(text).iter().any(|(_, other)| other.may_be(date)),
            Form::Time(clock) => clocks(text).iter().any(|(_, other)| other == clock),
            Form::Number(digits) => has_number(text, digits),
            Form::Labelled { label, digits } => has_labelled(text, label, digits),
            Form::Code(codes) => codes.iter().any(|code| has_code(text, code)),
        }
    }

    /// Returns true when only a longer name in the text begins or ends with it, at a mark that parts names: `kelp7` in
    /// `kelp7-2031`. That is another name, unless everything else speaks for it.
    pub fn is_part_in(&self, text: &str) -> bool {
        let Form::Code(codes) = &self.form else { return false };
        let spelt = |token: &str, code: &String| {
            let parts: Vec<String> = token.split(['-', '_', '.', '/', ':']).map(compact).collect();
            parts.len() > 1 && (parts.first() == Some(code) || parts.last() == Some(code))
        };
        tokens(text).iter().any(|(_, token)| codes.iter().any(|code| spelt(token, code)))
    }

    fn is_label(&self) -> bool {
        matches!(&self.form, Form::Code(codes) if codes.iter().all(|code| !code.contains(|c: char| c.is_ascii_digit())))
    }

    /// Returns true for a date or a time.
    pub fn is_moment(&self) -> bool {
        matches!(self.form, Form::Day(_) | Form::Time(_))
    }
}

fn from_identifier(one: &Identifier) -> Option<Form> {
    use IdentifierKind::{Address, BirthDate, Email, Handle, Ip, Phone, Url};
    match one.kind {
        Email => one
            .canonical
            .split_once('@')
            .map(|(local, domain)| Form::Mail { local: local.to_owned(), domain: domain.to_owned() }),
        Handle => Some(Form::Handle(one.canonical.trim_start_matches('@').to_owned())),
        Url => Some(Form::Place(place(&one.canonical))),
        Ip => octets(&one.canonical).map(Form::Host),
        Phone | Address if one.confidence >= CONFIDENT => Some(Form::Known(one.clone())),
        Phone | Address | BirthDate => None,
        _ => None,
    }
}

/// The words of a text with what belongs to them, without the marks around them.
fn tokens(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut tokens = Vec::new();
    let mut from = 0;
    for part in text.split_whitespace() {
        let start = from + text[from..].find(part).unwrap_or(0);
        from = start + part.len();
        let lead =
            part.len() - part.trim_start_matches(['"', '\'', '(', '[', '<', '«', '“', '„', '‘', '`']).len();
        let body = &part[lead..];
        let body = body.trim_end_matches([
            '"', '\'', ')', ']', '>', '»', '”', '’', '`', '.', ',', ';', ':', '!', '?', '…',
        ]);
        let body = body.strip_suffix("'s").or(body.strip_suffix("’s")).unwrap_or(body);
        if !body.is_empty() {
            tokens.push((start + lead..start + lead + body.len(), body));
        }
    }
    tokens
}

fn from_token(token: &str) -> Option<Form> {
    let bare = token.trim_start_matches('#');
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    if let Some(host) = octets(bare) {
        return Some(Form::Host(host));
    }
    if looks_like_place(bare) {
        return Some(Form::Place(place(bare)));
    }
    if bare.contains(['/', '\\', '@']) {
        return None;
    }
    if letters == 0 && digits > 0 {
        return number(token, bare, digits);
    }
    let code = compact(bare);
    let joined = bare.contains('_') || (bare.contains('-') && !bare.contains(char::is_lowercase));
    let shouted = letters >= CAPITALS_MIN && digits == 0 && bare.chars().all(char::is_uppercase);
    let tagged = token.starts_with('#') && letters > 1;
    let mixed = digits > 0 && code.chars().count() >= CODE_CHARS_MIN && !is_measure(bare);
    (joined || shouted || tagged || mixed).then(|| Form::Code(ways(code)))
}

/// A number names something, unless it is a year or small.
fn number(token: &str, bare: &str, digits: usize) -> Option<Form> {
    let plain: String = bare.chars().filter(char::is_ascii_digit).collect();
    let year =
        digits == 4 && bare.len() == 4 && (bare.starts_with("19") || bare.starts_with("20")) && token == bare;
    let amount = token.starts_with(['$', '€', '£', '+'])
        || token.ends_with('%')
        || token.contains([',', '$', '€', '£']);
    if digits < NUMBER_DIGITS_MIN || year || amount {
        return None;
    }
    if bare.len() > plain.len() {
        return Some(Form::Code(ways(plain)));
    }
    Some(Form::Number(trimmed(&plain).to_owned()))
}

fn trimmed(digits: &str) -> &str {
    digits.trim_start_matches('0')
}

/// "500mg", "4th": a count, and what is counted.
fn is_measure(token: &str) -> bool {
    let unit = token.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-'));
    unit.len() < token.len() && UNITS.split(' ').any(|known| known.eq_ignore_ascii_case(unit))
}

/// A bank's code names its head office with and without three X.
fn ways(code: String) -> Vec<String> {
    let bank = |code: &str| {
        code.len() >= 8 && code.is_char_boundary(6) && code[..6].chars().all(|c| c.is_ascii_uppercase())
    };
    let other = match code.strip_suffix("XXX") {
        Some(head) if head.len() == 8 && bank(head) => Some(head.to_owned()),
        None if code.len() == 8 && bank(&code) => Some(format!("{code}XXX")),
        _ => None,
    };
    std::iter::once(code).chain(other).collect()
}

fn looks_like_place(token: &str) -> bool {
    let separators = token.chars().filter(|c| matches!(c, '/' | '\\')).count();
    let rooted = token.starts_with(['/', '~']) || token.contains('\\') || token.get(1..3) == Some(":/");
    let name = token.rsplit(['/', '\\']).next().unwrap_or(token);
    let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let letters = token.contains(char::is_alphabetic);
    letters
        && (separators >= 2
            || (separators == 1 && (rooted || extension))
            || (separators == 0 && extension && name.len() > 4 && !name.contains('@')))
}

/// One spelling of an address or path: no scheme, `www.`, drive, root or last slash, and one kind of slash.
fn place(raw: &str) -> String {
    let slashed: String = raw.replace('\\', "/").to_lowercase();
    let url = normalise_url(&slashed);
    let bare =
        url.split_once(":/").filter(|(drive, _)| drive.len() == 1).map_or(url.as_str(), |(_, path)| path);
    let bare = bare.trim_start_matches(['/', '~', '.']);
    bare.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

fn is_place(token: &str, wanted: &str) -> bool {
    token.contains(['.', '/', '\\']) && place(token) == *wanted
}

/// The mail addresses of a text: name, tag after the plus, domain.
fn mails(text: &str) -> Vec<(String, Option<String>, String)> {
    let mails = readings(text).into_iter().filter(|one| one.kind == IdentifierKind::Email);
    let parts = mails.filter_map(|one| {
        let (local, domain) = one.canonical.split_once('@')?;
        let (name, tag) =
            local.split_once('+').map_or((local, None), |(name, tag)| (name, Some(tag.to_owned())));
        Some((name.to_owned(), tag, domain.to_owned()))
    });
    parts.collect()
}

/// `@name` anywhere, and the bare name where it is no ordinary word.
fn has_handle(text: &str, name: &str) -> bool {
    let telling = name.contains(|c: char| !c.is_alphabetic());
    tokens(text).iter().any(|(_, token)| {
        let marked = token.starts_with('@');
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_lowercase();
        (marked || telling) && bare == name
    })
}

fn has_number(text: &str, digits: &str) -> bool {
    let alone = runs(text, |c| c.is_ascii_digit())
        .into_iter()
        .any(|span| trimmed(&text[span.clone()]) == digits && stands_alone(text, &span));
    alone || find_spellings(text, digits).iter().any(|span| stands_alone(text, span))
}

/// Returns true when digits are a number of their own and no group of a longer one, such as a phone number.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).count();
    let is_longer = |one: &Identifier| {
        let holds = one.span.start <= span.start && span.end <= one.span.end;
        holds && one.confidence >= CONFIDENT && digits(&text[one.span.clone()]) > digits(&text[span.clone()])
    };
    bounded(text, span) && !identifiers(text).iter().any(is_longer)
}

/// The number behind its label, with or without "no." between them.
fn has_labelled(text: &str, label: &str, digits: &str) -> bool {
    let tokens = tokens(text);
    tokens.iter().enumerate().any(|(at, (span, token))| {
        let number = token.trim_start_matches('#');
        let before = tokens[at.saturating_sub(2)..at].iter().any(|(_, word)| word.to_lowercase() == label);
        before && !number.is_empty() && trimmed(number) == digits && bounded(text, span)
    })
}

fn has_code(text: &str, code: &str) -> bool {
    find_spellings(text, code).iter().any(|span| bounded(text, span)) || stands_for(text, code)
}

/// Neither side goes on as the same name: no letter, digit, or mark that joins it to one.
fn bounded(text: &str, span: &Range<usize>) -> bool {
    let joins = |c: char| matches!(c, '-' | '_' | '/' | '.' | '@' | '\\' | '+');
    let mut before = text[..span.start].chars().rev();
    let mut after = text[span.end..].chars();
    let free = |first: Option<char>, second: Option<char>| match first {
        None => true,
        Some(c) if continues_word(c) => false,
        Some(c) if joins(c) => !second.is_some_and(continues_word),
        Some(_) => true,
    };
    free(before.next(), before.next()) && free(after.next(), after.next())
}

/// Returns true when the beginning of a UUID or a hash stands for one in the text.
fn stands_for(text: &str, code: &str) -> bool {
    let hex = |c: char| c.is_ascii_hexdigit();
    if code.len() < HASH_START_CHARS || !code.chars().all(hex) {
        return false;
    }
    runs(text, |c| c.is_ascii_hexdigit() || c == '-').into_iter().any(|span| {
        let whole = compact(&text[span]);
        let uuid = whole.len() == 32 && code.len() == UUID_GROUP_CHARS;
        (uuid || matches!(whole.len(), 40 | 64)) && whole.starts_with(code)
    })
}

/// The longest runs of such characters.
fn runs(text: &str, belongs: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| belongs(*c)) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + c.len_utf8(),
            _ => runs.push(at..at + c.len_utf8()),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(request: &str, text: &str) -> bool {
        let wanted = wanted(request);
        assert!(!wanted.is_empty(), "{request} names nothing");
        wanted.iter().any(|one| one.is_in(text))
    }

    #[test]
    fn spellings_of_what_was_named_are_found() {
        for (request, text) in [
            ("rosa@contoso.org", "Write to ROSA@Contoso.ORG."),
            ("rosa@contoso.org", "her list address is rosa+news@contoso.org"),
            ("rosa@contoso.org", "It was \"rosa\"@contoso.org who wrote"),
            ("@night_owl", "Night_Owl liked it"),
            ("@mira", "the post of @mira🌙 was kept"),
            ("night_owl", "by @night_owl"),
            ("10.7.0.9", "gateway 010.007.000.009 is up"),
            ("https://www.contoso.org/team/", "see contoso.org/team."),
            ("share\\plans\\q3.xlsx", "D:/share/plans/Q3.xlsx is final"),
            ("due 2031-07-04", "on 4 July 2031 we leave"),
            ("due 2031-07-04", "on 07/04/2031 we leave"),
            ("due 2031-07-04", "on 04.07.2031 we leave"),
            ("at 17:45", "be there at 5:45 pm"),
            ("at 9:05 AM", "be there at 09:05"),
            ("invoice 0004711", "invoice 4711 is paid"),
            ("key QR5T-88KM-ZZ10", "QR5T.88KM.ZZ10 expired"),
            ("key QR5T-88KM-ZZ10", "qr5t88kmzz10 expired"),
            ("colour #A1B2C3", "use a1b2c3 for links"),
            ("bank COBADEFF", "via COBADEFFXXX"),
            ("session 9f1c22ab", "9f1c22ab-7d10-4e55-8a3b-0c9d8e7f6a5b ended"),
            ("book 978-3-16-148410-0", "9783161484100 arrived"),
            ("row_17_a", "ROW_17_A is locked"),
            ("room 12", "Room 12 is cold"),
            ("room 12", "room no. 012 is cold"),
            ("case_id 31337", "case_id 31337 is open"),
            ("ring +49 30 9018 20", "030 901820 was busy"),
        ] {
            assert!(holds(request, text), "{request} in {text}");
        }
    }

    #[test]
    fn what_only_begins_or_ends_alike_is_something_else() {
        for (request, text) in [
            ("rosa@contoso.org", "rosa@contoso.org.uk wrote"),
            ("rosa@contoso.org", "rosa.diaz@contoso.org wrote"),
            ("rosa+news@contoso.org", "rosa@contoso.org wrote"),
            ("@mira", "the mira was bright"),
            ("10.7.0.9", "10.7.0.90"),
            ("contoso.org", "contoso.org.br is another's"),
            ("contoso.org", "rosa@contoso.org wrote"),
            ("/srv/app/run", "/srv/app/run.old is kept"),
            ("due 2031-07-04", "on 2031-07-05"),
            ("at 17:45", "at 5:45 am"),
            ("invoice 4711", "invoice 47110"),
            ("invoice 4711", "part X-4711"),
            ("job BX-20", "job BX-200"),
            ("run_2030", "run_2030_b"),
            ("commit 1a2b3c4d", "commit 1a2b3c4d5"),
            ("bank COBADEFF", "COBADEFFYYY"),
            ("room 12", "12 chairs are in the room"),
            ("room 12", "room 120"),
            ("case_id 31337", "case_id 4 is open"),
            ("number 0020", "You reach me on +44 20 7946 0018."),
            ("number 7946", "You reach me on +44 20 7946 0018."),
        ] {
            assert!(!holds(request, text), "{request} in {text}");
        }
    }

    #[test]
    fn a_longer_name_with_the_same_part_is_told_apart_from_the_name() {
        let kelp = &wanted("permit kelp7")[0];
        assert!(!kelp.is_in("kelp7-2031 was issued") && kelp.is_part_in("kelp7-2031 was issued"));
        assert!(!kelp.is_part_in("kelp70-2031 was issued") && !kelp.is_part_in("kelp7 was issued"));
    }

    #[test]
    fn ordinary_words_years_and_amounts_name_nothing() {
        for request in [
            "where I live",
            "my job in 2019",
            "the 4th floor",
            "500mg of it",
            "and/or",
            "10 km runs",
            "NATO",
            "$4,000",
            "part-time work",
            "e.g. this",
            "iPhone 15",
        ] {
            assert!(wanted(request).is_empty(), "{request}: {:?}", wanted(request));
        }
    }
}
