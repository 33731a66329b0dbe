//! Shapes of streets with house numbers, in eight languages: kinds of streets, where the number stands, and the units
//! behind it.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;

use crate::compiled::{self, ScreenedRegex, on_clean_stack};

/// Names begin with a capital; small words may stand between.
const NAME: &str = r"\p{Lu}[\p{L}'’.-]*";
/// A name as people type it in a hurry.
const SMALL_NAME: &str = r"\p{Ll}[\p{L}'’-]{2,}";
const JOINED: &str = r"(?:(?:de|du|des|de la|de los|de las|del|della|delle|dello|dei|degli|dell['’]|di|da|do|dos|das|la|le|les|l['’]|d['’]|van|van de|van den|der|den|e) ?)*";
/// Boundaries of ASCII, because those of Unicode keep the fast engines from being used.
const END: &str = r"(?-u:\b)";

/// Kinds behind an English name.
const ENGLISH: &str = "Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Close|Way|Place|Pl|Square|Sq|Terrace|Crescent|Cres|Gardens|Grove|Hill|Row|Mews|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Trail|Walk|Quay|Wharf|Parade|Green|Park|Rise|Vale|View|Cottages|Yard|Ridge|Croft|Meadow|Meadows|Embankment|Loop|Alley|Esplanade|Villas|Buildings|House|Heights|Mansions|Turnpike|Brae|Wynd|Fold|Drove|Dene|Copse|Paddock|Causeway|Promenade";
/// Kinds that need no capital, where somebody lives and no distance is meant.
const SMALL_ENGLISH: &str =
    "street|road|avenue|lane|close|crescent|drive|terrace|grove|gardens|mews|court|boulevard";
/// Kinds at the end of a German or Dutch name.
const GERMANIC: &str = "straße|strasse|Straße|Strasse|str.|Str.|weg|Weg|platz|Platz|allee|Allee|gasse|Gasse|ring|Ring|damm|Damm|ufer|Ufer|steig|stieg|pfad|graben|zeile|chaussee|Chaussee|promenade|stiege|kamp|twiete|leite|halde|wiese|wiesen|gärten|siedlung|brücke|straat|Straat|laan|Laan|gracht|kade|plein|Plein|singel|Singel|steeg|dijk|dreef|plantsoen|baan|brink|hof|park|markt|Markt|wal";
const SMALL_GERMANIC: &str = "straße|strasse|str.|gasse|allee|straat|laan|gracht|plein|singel";
/// Beginnings of German and Dutch streets that are called after a place beside them, and of those called after an idea.
const BESIDE: &str = "Am|An der|An den|Auf dem|Auf der|Im|In der|In den|Zum|Zur|Unter den|Hinter dem|Hinter der|Vor dem|Alter|Alte|Op de|Aan de|Aan het|Achter de";
const DEDICATED: &str =
    "Straße der|Straße des|Strasse der|Strasse des|Platz der|Platz des|Allee der|Allee des";
/// Kinds before a name in a Romance language, with the number behind.
const ROMANCE: &str = "calle|c/|avenida|avda.|avda|av.|plaza|pza.|pza|plazuela|paseo|pasaje|rambla|callejón|cuesta|gran vía|carrer|passeig|avinguda|plaça|camino|travesía|glorieta|carretera|ctra.|ctra|urbanización|ronda|via|viale|v.le|piazza|p.zza|piazzale|p.le|corso|c.so|largo|vicolo|contrada|strada|salita|borgo|lungomare|lungotevere|lungarno|lungopo|lungolago|fondamenta|località|frazione|traversa|rua|r.|travessa|praça|praceta|alameda|estrada|beco|bairro|quinta|calçada|ladeira|azinhaga|rodovia|rotunda|urbanização|rue|avenue|boulevard|chaussée|drève|chemin|allée|impasse|place|quai";
/// Kinds that are nothing else in any of the languages, so that the name behind them needs no capital.
const SMALL_ROMANCE: &str = "calle|avenida|avda.|avda|carrer|viale|piazza|rua|travessa|praceta";
/// Kinds before a French name, with the number before.
const FRENCH: &str = "rue|avenue|av.|boulevard|bd|bld|place|pl.|chemin|impasse|allée|allées|quai|cours|route|square|sentier|passage|ruelle|villa|faubourg|esplanade|promenade|hameau|clos|rond-point|résidence|cité|lotissement|lieu-dit|traverse|montée|venelle|voie|chaussée|drève";
const SMALL_FRENCH: &str = "rue|avenue|boulevard|bd|chemin|impasse|allée|quai|ruelle|sentier|venelle";
const POLISH: &str = "ul.|ulica|ulicy|ulicę|al.|aleja|alei|aleje|aleję|pl.|plac|placu|os.|osiedle|osiedlu|skwer|skwerze|rondo|bulwar|bulwarze|szosa|szosie|trakt|trakcie";
/// Words after which a Polish street needs no kind.
const POLISH_LEADS: &str = "na|przy|pod adresem";
const BOXES: &str = "P.O. Box|PO Box|P. O. Box|P O Box|Postfach|Postbus|Boîte postale|Apartado de correos|Casella postale|Caixa postal|Caixa Postal|Skrytka pocztowa";

/// A family of shapes: the words without which none of them is there, and the shapes.
struct StreetFamily {
    clues: fn() -> Vec<String>,
    pattern: fn() -> String,
}

const FAMILIES: [StreetFamily; 6] = [
    StreetFamily { clues: || led_by(' ', &[ENGLISH, SMALL_ENGLISH]), pattern: english },
    StreetFamily {
        clues: || led_by(' ', &[FRENCH]).into_iter().chain(led_by('\'', &[FRENCH])).collect(),
        pattern: french,
    },
    StreetFamily { clues: || led_by(' ', &[ROMANCE]), pattern: romance },
    StreetFamily { clues: || led_by(' ', &[POLISH, POLISH_LEADS, "Rynek"]), pattern: polish },
    StreetFamily {
        clues: || {
            ended(&[GERMANIC, SMALL_GERMANIC]).into_iter().chain(led_by(' ', &[BESIDE, DEDICATED])).collect()
        },
        pattern: german,
    },
    StreetFamily { clues: || led_by(' ', &[BOXES]), pattern: boxes },
];

/// Words with a character before them.
fn led_by(lead: char, lists: &[&str]) -> Vec<String> {
    lists.iter().flat_map(|list| list.split('|')).map(|word| format!("{lead}{word}")).collect()
}

/// Words with a space behind them, where a number follows.
fn ended(lists: &[&str]) -> Vec<String> {
    lists.iter().flat_map(|list| list.split('|')).map(|word| format!("{word} ")).collect()
}

/// The words of all families, and the family of each. One pass over a text tells which shapes it may have.
static CLUES: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let clues = FAMILIES.iter().enumerate();
    let clues = clues.flat_map(|(family, one)| (one.clues)().into_iter().map(move |clue| (clue, family)));
    let (words, families): (Vec<String>, Vec<usize>) = clues.unzip();
    let build = || AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
    Some((on_clean_stack(build)?, families))
});

/// Every street with its number, in the order of the text. Words that only lead to one are no part of it.
pub(super) fn streets(text: &str) -> Vec<Range<usize>> {
    // A house without a number says so.
    const NUMBERLESS: &[&str] = &["s/n", "snc", "s.n."];
    let numbered =
        text.bytes().any(|byte| byte.is_ascii_digit()) || NUMBERLESS.iter().any(|mark| text.contains(mark));
    let Some((clues, families)) = CLUES.as_ref().filter(|_| numbered) else { return Vec::new() };
    let mut told = [false; FAMILIES.len()];
    // A street may stand at the beginning.
    let spaced = format!(" {text}");
    for clue in clues.find_overlapping_iter(&spaced) {
        told[families[clue.pattern().as_usize()]] = true;
    }
    let mut found: Vec<Range<usize>> = (0..FAMILIES.len())
        .filter(|family| told[*family])
        .flat_map(|family| of_family(family, text))
        .collect();
    for street in &mut found {
        // A full stop behind a name ends the sentence.
        street.end = street.start + text[street.clone()].trim_end_matches('.').len();
    }
    found.sort_by_key(|street| (street.start, usize::MAX - street.end));
    let mut end = 0;
    found.retain(|street| {
        let free = street.start >= end;
        end = if free { street.end } else { end };
        free
    });
    found
}

/// The streets of one family.
fn of_family(family: usize, text: &str) -> Vec<Range<usize>> {
    static PATTERNS: [OnceLock<Option<ScreenedRegex>>; FAMILIES.len()] =
        [const { OnceLock::new() }; FAMILIES.len()];
    let build = || compiled::regex(&(FAMILIES[family].pattern)()).ok();
    let Some(pattern) = PATTERNS[family].get_or_init(build) else { return Vec::new() };
    let street = |hit: regex::Captures<'_>| match hit.name("hurried") {
        Some(hurried) => (!is_distance(hurried.as_str())).then(|| hurried.range()),
        None => hit.name("led").or(hit.get(0)).map(|street| street.range()),
    };
    pattern.captures_iter(text).filter_map(street).collect()
}

/// A pattern of any of the words of a list.
fn any(list: &str) -> String {
    let words: Vec<String> = list.split('|').map(regex::escape).collect();
    format!("(?:{})", words.join("|"))
}

/// "5 minutes down the road", "2 blocks off main street".
fn is_distance(street: &str) -> bool {
    const WORDS: &[&str] = &[
        "the", "a", "an", "on", "of", "off", "in", "at", "to", "from", "by", "down", "up", "along", "across",
        "and", "or", "for", "per", "miles", "mile", "minutes", "mins", "min", "minute", "hours", "hour",
        "blocks", "block", "doors", "houses", "streets", "yards", "meters", "metres", "km", "years",
        "months", "days",
    ];
    street.split_whitespace().any(|word| WORDS.contains(&word))
}

fn english() -> String {
    let number = r"\d{1,5}(?:[-/]\d{1,5})?[A-Za-z]?,?";
    let unit = r"(?:(?:Flat|Apartment|Apt\.?|Unit|Suite|Room) [0-9A-Za-z]{1,4},? )?";
    let home = r"(?i:lives?|lived|living|resides?|residing|stays?|staying|moved|moving|address|home|house|flat|place)";
    let (kind, small) = (any(ENGLISH), any(SMALL_ENGLISH));
    let word = format!(r"(?:{NAME}|\d{{1,3}}(?:st|nd|rd|th))");
    let whole = format!(
        r"{unit}{number} (?:(?:[NSEW]|North|South|East|West)\.? )?{word} (?:(?:{word}|of|the|and|upon) ){{0,4}}{kind}{END}|{unit}{number} {word} {kind}{END}"
    );
    format!(
        r"{whole}|{home}(?: (?:is|was|at|to|in|on|now|over))* (?P<hurried>{number} (?:{SMALL_NAME} ){{1,3}}{small}){END}"
    )
}

fn french() -> String {
    let number = r"\d{1,4}(?: ?(?:bis|ter|quater|[A-D]))?,?(?: (?:de la|du|de) | de l['’]| )";
    let (kind, small) = (any(FRENCH), any(SMALL_FRENCH));
    format!(
        r"{number}(?:(?i:{kind}) {JOINED}{NAME}(?:[ -]{JOINED}{NAME}){{0,4}}|(?i:{small}) {JOINED}{SMALL_NAME})"
    )
}

fn romance() -> String {
    let mark = r"(?i:n[ºo°]?\.?[ºo°]? ?|núm\.? ?|nr\.? ?|numero (?:civico )?|número |civico |porta |lote )";
    let number = format!(
        r"(?:,? {mark}?\d{{1,4}}(?:[-/ ]?[A-Za-z]{END}|/\d{{1,3}}){{0,1}}{END}|,? (?:s/n|snc|s\.n\.){END})"
    );
    let name =
        format!(r"{JOINED}(?:\d{{1,2}} (?:de )?)?{NAME}(?:[ -]{JOINED}(?:{NAME}|\d{{1,2}}(?: de)?)){{0,5}}");
    let (kind, small) = (any(ROMANCE), any(SMALL_ROMANCE));
    format!(
        r"(?i:{kind}) ?{name}{number}|(?i:{small}) {JOINED}{SMALL_NAME}(?: {SMALL_NAME}){{0,2}}{number}|\d{{1,4}}[A-Za-z]? (?:di|del|de la|de|da|do) (?i:{kind}) {name}"
    )
}

fn polish() -> String {
    let number = format!(
        r"(?:nr )?\d{{1,4}}[a-zA-Z]?(?:/\d{{1,4}}[a-zA-Z]?|,? (?:m\.|m|mieszkanie|mieszkania|lok\.|lokal) ?\d{{1,4}})?{END}"
    );
    let title = r"(?:gen\.|ks\.|św\.|płk\.|prof\.|dr\.|marsz\.|bp\.|kard\.|hetm\.|kpt\.|mjr\.|im\.|\d{1,2})";
    let (kind, lead) = (any(POLISH), any(POLISH_LEADS));
    format!(
        r"(?i:{kind}) ?(?:{title} )?(?:{NAME} ){{1,4}}{number}|(?:ul\.|ulica|ulicy) ?(?:{SMALL_NAME} ){{1,3}}{number}|Rynek {number}|{lead} (?P<led>(?:{title} )?(?:{NAME} ){{1,3}}{number})"
    )
}

fn german() -> String {
    let number = format!(
        r"(?:(?i:nr\.?|nummer|hausnummer|huisnummer) ?)?\d{{1,4}}(?: ?[a-z]{END}|[-/ ]?[IVX]{{1,4}}{END}|[-/]\d{{1,3}}){{0,2}}{END}"
    );
    let words = format!(r"(?:{NAME}[ -](?:(?:van|van de|van den|van der|ten|ter|von) )?)");
    let (kind, small) = (any(GERMANIC), any(SMALL_GERMANIC));
    let (beside, dedicated) = (any(BESIDE), any(DEDICATED));
    format!(
        r"(?:{words}{{0,3}}\p{{Lu}}\p{{L}}*{kind}|{words}{{1,3}}{kind}|(?:Ring|Damm|Singel|Markt|Plein|Weg|Platz)|{dedicated} (?:\d{{1,2}}\. )?{NAME}(?: {NAME})?|{beside} {NAME}|\p{{Ll}}\p{{L}}{{2,}}{small}) {number}"
    )
}

fn boxes() -> String {
    format!(r"{} \d{{1,6}}{END}", any(BOXES))
}

/// The length of the flat, floor, stairs and back building behind a street, in the languages that are read.
pub(super) fn unit_bytes(rest: &str) -> usize {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    let build = || {
        let named = r"(?i:apt|appt|apto|apartment|flat|unit|suite|ste|floor|room|wohnung|whg|stock|top|tür|stiege|hinterhaus|vorderhaus|seitenflügel|erdgeschoss|dachgeschoss|parterre|souterrain|piso|planta|puerta|pta|esc|escalera|portal|bajo|ático|entresuelo|étage|bât|bâtiment|appartement|esc|escalier|porte|bte|boîte|rdc|interno|int|scala|piano|palazzina|andar|esq|dto|dir|frente|bloco|lote|fração|r/c|bus|huis|hs|etage|mieszkanie|lok|klatka|piętro|m)";
        let ordinal = r"\d{1,2}(?:[.ºª°]|\.[ºª°]|st|nd|rd|th|e|er|ème)";
        let side = r"(?i:esq|dto|dir|izq|izda|dcha|izquierda|derecha|esquerdo|direito|piano|étage|stock|og|verdieping|floor|piso|andar|piętro|hoog|links|rechts)";
        let spelt = r"(?i:(?:first|second|third|fourth|fifth|top|ground)[ -]floor(?: flat)?|basement flat)";
        compiled::regex(&format!(
            r"^(?:,? (?:{named}\.?{END}\.?(?: ?[A-Za-z0-9]{{1,4}}{END})?|#[A-Za-z0-9-]{{1,5}}|{spelt}{END}|{ordinal} ?(?:(?:{named}|{side}){END}\.?|[A-Z]{END})(?: ?[A-Z]{END})?)){{1,3}}"
        ))
        .ok()
    };
    let pattern = PATTERN.get_or_init(build).as_ref();
    pattern.and_then(|pattern| pattern.find(rest)).map_or(0, |unit| unit.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streets_of_many_kinds_are_found_whole() {
        for (text, street) in [
            ("I live at 4 Prince of Orange Road now", "4 Prince of Orange Road"),
            ("my address is 12b harrow lane", "12b harrow lane"),
            ("J'habite au 7 de la rue des Tanneurs", "7 de la rue des Tanneurs"),
            ("On est au 9 bis, rue des glycines", "9 bis, rue des glycines"),
            ("J'habite 3 rue des Ormes.", "3 rue des Ormes"),
            ("Elle vit chaussée de Ninove 210", "chaussée de Ninove 210"),
            ("Vivo en la calle olmo 14", "calle olmo 14"),
            ("Vivo en Gran Vía de Colón 40", "Gran Vía de Colón 40"),
            ("Passeig de Sant Joan, núm. 22", "Passeig de Sant Joan, núm. 22"),
            ("Abito in via 4 Novembre 17", "via 4 Novembre 17"),
            ("Sto al 15 di via Mazzini", "15 di via Mazzini"),
            ("Lungotevere Testaccio 9", "Lungotevere Testaccio 9"),
            ("Moro na Ladeira da Glória 31", "Ladeira da Glória 31"),
            ("Mieszkam na ul. gen. Hallera 8/3", "ul. gen. Hallera 8/3"),
            ("Mieszkam przy 3 Maja 12", "3 Maja 12"),
            ("ulica polna 6", "ulica polna 6"),
            ("Ich wohne Straße der Einheit 5", "Straße der Einheit 5"),
            ("hausen in der buchenstraße 3", "buchenstraße 3"),
            ("Lindenstraße Nr. 12", "Lindenstraße Nr. 12"),
            ("Jan van Goyenstraat 12-2", "Jan van Goyenstraat 12-2"),
            ("Achter de Dom 14", "Achter de Dom 14"),
        ] {
            let found: Vec<&str> = streets(text).into_iter().map(|span| &text[span]).collect();
            assert_eq!(found, [street], "{text}");
        }
    }

    #[test]
    fn distances_and_lessons_are_no_streets() {
        for text in [
            "She lives 5 minutes down the road",
            "We moved 2 blocks off main street",
            "J'ai 5 cours de français par semaine",
            "I sent it via email 3 times",
            "calle abajo hay un bar",
            "Saímos à rua em 1998 e voltámos",
            "Er hat 3 Straßen weiter geparkt",
        ] {
            assert!(streets(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn units_behind_a_street_belong_to_it() {
        for (rest, unit) in [
            (", Apt 4B, Springfield", ", Apt 4B"),
            (", 3.º Esq, em Évora", ", 3.º Esq"),
            (", 2º izq., Madrid", ", 2º izq."),
            (", 4.º direito", ", 4.º direito"),
            (", second floor, in Leeds", ", second floor"),
            (", Stiege 2, Top 14, Wien", ", Stiege 2, Top 14"),
            (", scala B, interno 5", ", scala B, interno 5"),
            (", bte 3 à Liège", ", bte 3"),
            (" and a garden", ""),
        ] {
            assert_eq!(&rest[..unit_bytes(rest)], unit, "{rest}");
        }
    }
}
