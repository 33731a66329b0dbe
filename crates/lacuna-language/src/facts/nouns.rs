//! The nouns that sentences are about: attributes, relations, regions, and how many values an attribute has.

use super::Arity;
use crate::languages::LANGUAGES;

/// Attributes that have one value at a time.
const SINGLE: &str = "\
    address|birthday|blood type|bank|diet|email|employer|home city|hometown|height|iban|job|last name|\
    license plate|name|native language|nickname|phone|pin|preferred language|salary|shoe size|surname|\
    timezone|username|weight|zip code|postcode|maiden name|middle name|first name|mother tongue|\
    passport number|wifi network|seat preference|pronouns|marital status|age|account number|city";

/// Attributes that have one value of each kind: a meeting has a day, a time and a place.
const SINGLE_OF_KIND: &str = "\
    budget|capacity|cost|date|deadline|fee|launch|limit|meeting|price|quota|rate|release|rent|subscription|\
    version|bedtime|standup|target";

/// Things of which there may be another tomorrow.
const EVENTS: &str = "\
    appointment|call|checkup|class|concert|delivery|dinner|exam|flight|interview|lesson|party|session|start|\
    time|train|trip|wedding|score";

/// Attributes that are one person or thing at a time as a rule, but not by nature.
const UNSURE: &str = "\
    boss|boyfriend|bike|car|computer|dentist|doctor|editor|fiance|girlfriend|gym|husband|landlord|laptop|\
    manager|partner|plan|school|spouse|therapist|university|wife|office|venue|location|room|goal|major|team|\
    project|browser|insurance";

/// Of these a person has one, or speaks as if.
const UNIQUE_RELATIONS: &str = "\
    mother|father|mom|mum|dad|wife|husband|partner|girlfriend|boyfriend|fiance|fiancee|spouse|boss|landlord|\
    team|company";

/// Of these a person may have several.
const OTHER_RELATIONS: &str = "\
    sister|brother|son|daughter|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandma|grandpa|\
    friend|manager|colleague|neighbour|neighbor|roommate|flatmate|dog|cat|doctor|dentist|therapist|teacher|\
    ex";

/// Countries, states and continents, in which a city may lie; without accents.
const REGIONS: &str = "\
    africa|alabama|alaska|america|argentina|arizona|arkansas|asia|australia|austria|bavaria|bayern|belgium|\
    bosnia|brazil|brittany|bulgaria|california|canada|chile|china|colombia|colorado|connecticut|croatia|\
    czech republic|czechia|delaware|denmark|deutschland|egypt|england|espana|estonia|europe|finland|florida|\
    france|frankreich|germany|ghana|great britain|greece|hawaii|hungary|iceland|idaho|illinois|india|\
    indiana|indonesia|iowa|ireland|israel|italia|italy|japan|kansas|kentucky|kenya|korea|latvia|lithuania|\
    louisiana|maine|malaysia|maryland|massachusetts|mexico|michigan|minnesota|missouri|montana|morocco|\
    nebraska|netherlands|nevada|new hampshire|new jersey|new mexico|new zealand|nigeria|north america|\
    north carolina|northern ireland|norway|ohio|oklahoma|ontario|oregon|osterreich|peru|philippines|poland|\
    portugal|provence|quebec|romania|scandinavia|schweiz|scotland|serbia|sicily|slovakia|slovenia|\
    south africa|south america|south korea|spain|suisse|sweden|switzerland|taiwan|tennessee|texas|thailand|\
    turkey|tuscany|uk|ukraine|united kingdom|united states|us|usa|utah|vermont|vietnam|virginia|wales|\
    wisconsin|wyoming";

/// Attributes whose value has a number in it.
const NUMBERED: &str = "\
    phone|pin|iban|account number|passport number|shoe size|height|weight|salary|age|zip code|postcode|\
    license plate";

/// Attributes whose value is a name.
const PROPER: &str = "\
    name|first name|last name|surname|nickname|maiden name|middle name|employer|bank|hometown|home city|\
    city|native language|mother tongue|preferred language|timezone|residence";

/// Words after "live in", "work at" and "move to" that name no place and no employer.
const COMMON: &str = "\
    peace|fear|hope|harmony|town|denial|poverty|luxury|home|night|school|church|hospital|work|sea|myself|\
    weekends|slack|teams|zoom|linux|mac|macos|windows|ubuntu|python|rust|java|kubernetes|aws|azure|github|\
    gitlab|notion|spotify|android|iphone|ios|chrome|firefox|sales|marketing|engineering|design|hr|finance|\
    product|monday|tuesday|wednesday|thursday|friday";

/// Returns true if a list, whose entries are divided by `|`, holds a word.
pub(super) fn listed(list: &str, word: &str) -> bool {
    list.split('|').any(|listed| listed == word)
}

pub(super) fn is_relation(word: &str) -> bool {
    listed(UNIQUE_RELATIONS, word) || listed(OTHER_RELATIONS, word)
}

/// Returns true if a subject may be one of several: "my sister", but not "my sister Ana" or "my wife".
pub(super) fn is_one_of_several(subject: &str) -> bool {
    listed(OTHER_RELATIONS, subject)
}

pub(super) fn is_region(value: &str) -> bool {
    listed(REGIONS, value.trim_start_matches("the "))
}

/// One name for each attribute, however it is called.
pub(super) fn canonical(attribute: &str) -> String {
    let name =
        attribute.trim().trim_end_matches("'s").replace("favorite", "favourite").replace("color", "colour");
    let known = match name.as_str() {
        "e-mail" | "mail" | "email address" | "e-mail address" | "mail address" => "email",
        "phone number"
        | "mobile"
        | "mobile number"
        | "cell"
        | "cell number"
        | "telephone"
        | "telephone number"
        | "cell phone number"
        | "mobile phone number" => "phone",
        "date of birth" | "birth date" | "birthdate" | "dob" | "bday" => "birthday",
        "time zone" => "timezone",
        "home address" | "postal address" | "mailing address" => "address",
        "job title" | "occupation" | "profession" | "position" => "job",
        "company" => "employer",
        "full name" => "name",
        "income" | "pay" | "annual salary" => "salary",
        "due date" => "deadline",

        _ => name.as_str(),
    };
    known.to_owned()
}

/// Returns the arity of an attribute that a sentence names, if it is known.
pub(super) fn arity(attribute: &str) -> Option<Arity> {
    let head = attribute.split(" of ").next().unwrap_or(attribute).split(" for ").next().unwrap_or(attribute);
    let last = head.rsplit(' ').next().unwrap_or(head);
    let found = |list: &str| listed(list, head) || listed(list, last);
    if attribute.starts_with("favourite ") {
        Some(if last.ends_with('s') && !last.ends_with("ss") { Arity::Unsure } else { Arity::One })
    } else if found(SINGLE) {
        Some(Arity::One)
    } else if found(SINGLE_OF_KIND) {
        Some(Arity::OneOfKind)
    } else if found(EVENTS) {
        Some(Arity::Event)
    } else {
        found(UNSURE).then_some(Arity::Unsure)
    }
}

/// Narrows the arity of an attribute by the spelling of a value; `None` when it cannot be its value.
pub(super) fn arity_with(attribute: &str, written: &str, arity: Arity) -> Option<Arity> {
    let has_digit = written.contains(|c: char| c.is_ascii_digit());
    let last = attribute.rsplit(' ').next().unwrap_or(attribute);
    if listed(NUMBERED, attribute) || listed(NUMBERED, last) || last == "birthday" {
        return has_digit.then_some(arity);
    }
    match last {
        "email" => return written.contains('@').then_some(arity),
        "address" if !has_digit => return Some(Arity::Unsure),
        _ => {}
    }
    if arity == Arity::One && listed(PROPER, attribute) && !is_proper(written) {
        return Some(Arity::Unsure);
    }
    Some(arity)
}

/// Returns true if a value is written like a name or a number.
pub(super) fn is_proper(written: &str) -> bool {
    let bare = written.trim_start_matches(['"', '\'', '+', '#', '$', '€', '£']);
    let mut articles = LANGUAGES.iter().flat_map(|rules| rules.fact.articles.split_whitespace());
    let after = articles.find_map(|article| bare.strip_prefix(article)?.strip_prefix(' '));
    let bare = after.unwrap_or(bare);
    let first = bare.split([' ', ',']).next().unwrap_or(bare);
    bare.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        && !listed(COMMON, &first.to_lowercase())
}
