//! Sensitivity of a text in eight categories: listed words with weights, scaled by the person they are said of.

use std::ops::Range;

use super::lexicon::{ListedHit, WordTag};
use super::reading::{SentenceSubject, TextReading};
use super::words::{Case, WordGap, WrittenWord};
use super::{CONDITION, Judged, MEDICATION, Named, ORGANISATION, PERSON, PLACE};
use lacuna_types::Sensitivity;

/// Below this a reading is not worth telling.
pub(super) const CONFIDENCE_MIN: f32 = 0.3;
/// No sum of words is ever quite sure.
pub(super) const CONFIDENCE_MAX: f32 = 0.97;
/// A weight below this belongs to a word with other meanings.
const PLAIN_WEIGHT: f32 = 0.6;
/// Factor for a borrowed word among machines and markets.
const MACHINE_FACTOR: f32 = 0.3;
/// Factor for a pet's illness, as a sign of its owner's.
const ANIMAL_FACTOR: f32 = 0.4;
/// Factor for what is told, shown, studied or asked.
const FICTION_FACTOR: f32 = 0.5;
/// Factor for an event in a short note that names nobody, and the words of such a note.
const EVENT_FACTOR: f32 = 0.92;
const EVENT_WORDS_MAX: usize = 25;
/// Words below this weight may be names as well.
const NAME_WEIGHT: f32 = 0.8;
/// Weight of a part of the body beside trouble with it.
const INJURY_WEIGHT: f32 = 0.78;
/// Weight of a machine that takes the measure of a body.
const SCAN_WEIGHT: f32 = 0.8;
/// Weight of the owner's own specialist, or of a visit to one.
const VISIT_WEIGHT: f32 = 0.85;
/// Weight of a place of worship that somebody goes to again and again.
const WORSHIP_WEIGHT: f32 = 0.7;
/// Weight of "works at" for the category of work.
const EMPLOY_WEIGHT: f32 = 0.7;
/// Weight of an organisation for that category when it is named beside a person.
const ORGANISATION_WEIGHT: f32 = 0.2;

pub(super) fn sensitivity(reading: &TextReading<'_>, entities: &[Named]) -> Vec<Judged<Sensitivity>> {
    let persons: Vec<_> =
        entities.iter().filter(|named| named.entity.kind == PERSON).map(|named| named.span.clone()).collect();
    let mut found: Vec<Judged<Sensitivity>> = Vec::new();
    let mut before = SentenceSubject::Nobody;
    for sentence in &reading.sentences {
        let subject = reading.subject(sentence, &persons);
        // "My knee is bad. Surgery is on Monday.": the second sentence is still about its owner.
        let carried = if subject == SentenceSubject::Nobody && before == SentenceSubject::Owner {
            SentenceSubject::Pronoun
        } else {
            subject
        };
        before = if subject == SentenceSubject::Nobody { before } else { subject };
        for category in Sensitivity::ALL {
            let said_of = said_of(reading, sentence, carried, *category);
            let confidence = weigh(reading, sentence, *category, entities) * said_of;
            keep(&mut found, *category, confidence, reason(carried));
        }
    }
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    found
}

/// Factor for the weights of a category in a sentence: less for animals and for things that are told or studied.
fn said_of(
    reading: &TextReading<'_>,
    sentence: &Range<usize>,
    subject: SentenceSubject,
    category: Sensitivity,
) -> f32 {
    let protected =
        matches!(category, Sensitivity::Health | Sensitivity::PoliticalReligious | Sensitivity::Biometric);
    if category == Sensitivity::Health && is_about_animal(reading, sentence) {
        return ANIMAL_FACTOR;
    }
    if protected && reading.count(sentence.clone(), WordTag::Fiction) > 0 {
        return FICTION_FACTOR;
    }
    if protected && subject != SentenceSubject::Owner && is_asked(reading, sentence) {
        return FICTION_FACTOR;
    }
    let measured = category == Sensitivity::Biometric;
    if protected && !measured && subject == SentenceSubject::Nobody && is_an_event(reading, sentence) {
        return EVENT_FACTOR;
    }
    factor(subject, category)
}

/// "Therapy got moved to Thursday": short, of nobody, and no general knowledge, so that it is the writer's own.
fn is_an_event(reading: &TextReading<'_>, sentence: &Range<usize>) -> bool {
    const GENERAL: &[WordTag] = &[
        WordTag::Machine,
        WordTag::Document,
        WordTag::Company,
        WordTag::Business,
        WordTag::Crowd,
        WordTag::Animal,
        WordTag::Say,
    ];
    let general = reading.hits_within(sentence.clone()).iter().any(|hit| GENERAL.contains(&hit.tag));
    // "Aspirin was invented in 1897": a thing at the head of a sentence is what the sentence is about.
    let head = reading.at(sentence.start).iter();
    let about_a_thing = head
        .map(|hit| hit.tag)
        .any(|tag| matches!(tag, WordTag::Condition | WordTag::Medication | WordTag::Belief));
    !general && !about_a_thing && reading.words.len() <= EVENT_WORDS_MAX
}

/// A question about others wants to know something, and tells nothing.
fn is_asked(reading: &TextReading<'_>, sentence: &Range<usize>) -> bool {
    let end = reading.words[sentence.end - 1].span.end;
    reading.text[end..].trim_start_matches(['"', '”', '»', ')', ' ']).starts_with('?')
}

/// "My dog has arthritis". Somebody who is allergic to cats is another matter.
fn is_about_animal(reading: &TextReading<'_>, sentence: &Range<usize>) -> bool {
    reading.hits_within(sentence.clone()).iter().any(|hit| {
        let owned = reading.ending_at(hit.words.start, &[WordTag::My, WordTag::They]).is_some();
        hit.tag == WordTag::Animal && (owned || !is_allergy(reading, sentence))
    })
}

fn is_allergy(reading: &TextReading<'_>, sentence: &Range<usize>) -> bool {
    let words = &reading.words[sentence.clone()];
    words.iter().any(|word| word.folded.starts_with("allerg") || word.folded.starts_with("alerg"))
}

fn keep(found: &mut Vec<Judged<Sensitivity>>, value: Sensitivity, confidence: f32, reason: &'static str) {
    if confidence < CONFIDENCE_MIN {
        return;
    }
    match found.iter_mut().find(|judged| judged.value == value) {
        Some(judged) if judged.confidence >= confidence => {}
        Some(judged) => *judged = Judged { value, confidence, reason },
        None => found.push(Judged { value, confidence, reason }),
    }
}

/// Factor for the weights of a sentence, by its subject. General knowledge is nobody's secret.
fn factor(subject: SentenceSubject, category: Sensitivity) -> f32 {
    match (subject, category) {
        (SentenceSubject::Owner | SentenceSubject::Person, _) => 1.0,
        (SentenceSubject::Pronoun, _) => 0.9,
        (
            SentenceSubject::Group,
            Sensitivity::Relationships | Sensitivity::Location | Sensitivity::Preferences,
        ) => 0.85,
        (SentenceSubject::Group, Sensitivity::Health | Sensitivity::PoliticalReligious) => 0.9,
        (SentenceSubject::Group, _) => 0.7,
        (SentenceSubject::Nobody, _) => 0.5,
    }
}

fn reason(subject: SentenceSubject) -> &'static str {
    match subject {
        SentenceSubject::Owner => "said of the owner",
        SentenceSubject::Person => "said of a named person",
        SentenceSubject::Pronoun => "said of somebody",
        SentenceSubject::Group => "said of a group",
        SentenceSubject::Nobody => "said of nobody",
    }
}

/// The weights of the category's words in one sentence, joined as independent hints.
fn weigh(
    reading: &TextReading<'_>,
    sentence: &Range<usize>,
    category: Sensitivity,
    entities: &[Named],
) -> f32 {
    let machines = reading.count(sentence.clone(), WordTag::Machine) > 0;
    // A name says nothing of its bearer, unless the word has hardly another meaning.
    let is_name = |span: &Range<usize>| {
        let named = |named: &&Named| named.entity.kind == PERSON && named.confidence >= super::SURE;
        entities
            .iter()
            .filter(named)
            .any(|named| named.span.start <= span.start && span.end <= named.span.end)
    };
    // Of several readings of the same words, the heaviest counts.
    let mut weights: Vec<(&Range<usize>, f32)> = Vec::new();
    for hit in reading.hits_within(sentence.clone()) {
        let Some(weight) = weight_of(reading, hit, category) else { continue };
        if weight < NAME_WEIGHT && hit.tag != WordTag::Specialist && is_name(&hit.span) {
            continue;
        }
        let weight = if machines { weight * borrowed(hit, category) } else { weight };
        match weights.iter_mut().find(|(span, _)| **span == hit.span) {
            Some((_, heaviest)) => *heaviest = heaviest.max(weight),
            None => weights.push((&hit.span, weight)),
        }
    }
    let mut doubt: f32 = weights.iter().map(|(_, weight)| 1.0 - weight).product();
    for extra in extras(reading, sentence, category, entities) {
        doubt *= 1.0 - extra;
    }
    (1.0 - doubt).min(CONFIDENCE_MAX)
}

/// Factor for a word among machines and markets, which borrow such words.
fn borrowed(hit: &ListedHit, category: Sensitivity) -> f32 {
    let plain = hit.weight >= PLAIN_WEIGHT;
    match (category, hit.tag) {
        (_, WordTag::Condition | WordTag::Medication) => 1.0,
        (Sensitivity::Health | Sensitivity::Biometric | Sensitivity::PoliticalReligious, _) if !plain => {
            MACHINE_FACTOR
        }
        (Sensitivity::Health, _) => 2.0 * MACHINE_FACTOR,
        _ => 1.0,
    }
}

/// Weight of one listed word for a category.
fn weight_of(reading: &TextReading<'_>, hit: &ListedHit, category: Sensitivity) -> Option<f32> {
    let fits = match category {
        Sensitivity::Health if hit.tag == WordTag::Specialist => return specialist_weight(reading, hit),
        Sensitivity::Health => matches!(hit.tag, WordTag::Health | WordTag::Condition | WordTag::Medication),
        Sensitivity::Financial => hit.tag == WordTag::Financial,
        Sensitivity::Biometric => hit.tag == WordTag::Biometric,
        Sensitivity::Location => hit.tag == WordTag::Location,
        Sensitivity::PoliticalReligious => hit.tag == WordTag::Belief && is_belief(reading, hit),
        Sensitivity::Relationships => matches!(hit.tag, WordTag::Relationship | WordTag::Sexual),
        Sensitivity::Professional => hit.tag == WordTag::Professional,
        Sensitivity::Preferences => hit.tag == WordTag::Preference && is_preference(reading, hit),
    };
    if category == Sensitivity::Professional && hit.tag == WordTag::Employ {
        return Some(EMPLOY_WEIGHT * hit.weight);
    }
    fits.then_some(hit.weight)
}

/// The weight up to which the list names those whom everybody has: a doctor, a dentist.
const EVERYDAY_SPECIALIST: f32 = 0.6;

/// "my cardiologist" and "at the cardiologist's" speak of health, "she is a cardiologist" of work. To have a dentist says
/// nothing about anybody; to go there does.
fn specialist_weight(reading: &TextReading<'_>, hit: &ListedHit) -> Option<f32> {
    /// Words before what somebody is.
    const BEING: &[&str] = &[
        "am", "m", "re", "is", "was", "as", "become", "bin", "ist", "war", "als", "suis", "est", "comme",
        "soy", "es", "como", "sono", "come", "faccio", "fa", "sou", "e", "ben", "is", "jestem", "jest",
        "jako", "study", "studied",
    ];
    /// Words before whom somebody goes to.
    const VISITING: &[&str] = &[
        "at", "to", "see", "seeing", "saw", "with", "beim", "zum", "zur", "vom", "chez", "par", "al", "del",
        "con", "dal", "dall", "dalla", "allo", "no", "ao", "do", "de", "na", "pelo", "bij", "naar", "door",
        "van", "u", "do", "od",
    ];
    let from = hit.words.start.saturating_sub(3);
    let before = &reading.words[from..hit.words.start];
    let said = |list: &[&str]| before.iter().any(|word| list.contains(&word.folded.as_str()));
    // "The doctor told me", "le médecin m'a dit": advice to somebody.
    let after = hit.words.end..(hit.words.end + 4).min(reading.words.len());
    let advises = reading.words[after]
        .iter()
        .any(|word| matches!(word.folded.as_str(), "me" | "m" | "mir" | "mich" | "mi" | "mij" | "mnie"));
    // Closer than a visit: in "she is a cardiologist" she owns none.
    let owned = (hit.words.start.saturating_sub(2)..hit.words.start)
        .any(|at| reading.at(at).iter().any(|other| matches!(other.tag, WordTag::My | WordTag::They)));
    let is_everyday = reading
        .at(hit.words.start)
        .iter()
        .any(|other| other.tag == WordTag::Specialist && other.weight <= EVERYDAY_SPECIALIST);
    match (owned, said(BEING), said(VISITING) || advises) {
        (true, _, false) if is_everyday => None,
        (true, _, _) | (false, false, true) => Some(VISIT_WEIGHT),
        (false, true, _) => None,
        (false, false, false) => Some(hit.weight),
    }
}

/// "left" and "Labour" are words of politics only with a capital or a neighbour that says so.
fn is_belief(reading: &TextReading<'_>, hit: &ListedHit) -> bool {
    let word = &reading.words[hit.words.start];
    let common = matches!(
        word.folded.as_str(),
        "left" | "labour" | "liberal" | "conservative" | "lent" | "vox" | "pis"
    );
    !common || word.is_capital() && !word.opens_sentence()
}

/// "like" and "love" are preferences when somebody does the liking: "I like", not "looks like" or "I'd like to".
fn is_preference(reading: &TextReading<'_>, hit: &ListedHit) -> bool {
    let at = hit.words.start;
    let verb = &reading.words[at];
    // "would love to" is politeness.
    let polite = at > 0 && matches!(reading.words[at - 1].folded.as_str(), "would" | "d");
    if polite && matches!(verb.folded.as_str(), "like" | "love") {
        return false;
    }
    if matches!(verb.folded.as_str(), "likes" | "loves" | "hates") && addresses(reading, hit.words.end) {
        return false;
    }
    if hit.weight >= PLAIN_WEIGHT {
        return true;
    }
    if !matches!(verb.folded.as_str(), "like" | "love" | "liked" | "loved") {
        return true;
    }
    let next = reading.words.get(at + 1).map(|word| word.folded.as_str()).unwrap_or_default();
    !matches!(next, "to" | "that" | "this" | "you" | "it" | "a" | "the")
        || next != "to" && subject_before(reading, at)
}

/// "loves you": said to somebody, of nobody's taste.
fn addresses(reading: &TextReading<'_>, at: usize) -> bool {
    reading
        .words
        .get(at)
        .is_some_and(|word| matches!(word.folded.as_str(), "you" | "me" | "him" | "her" | "us" | "it"))
}

/// "I like", "I really like", "we don't like".
fn subject_before(reading: &TextReading<'_>, verb: usize) -> bool {
    const ADVERBS: &[&str] =
        &["really", "also", "still", "do", "don", "t", "just", "always", "absolutely", "especially"];
    let mut at = verb;
    while at > 0 && verb - at < 3 && ADVERBS.contains(&reading.words[at - 1].folded.as_str()) {
        at -= 1;
    }
    at > 0
        && [WordTag::Me, WordTag::We, WordTag::They, WordTag::Given]
            .iter()
            .any(|tag| reading.has(at - 1, *tag))
}

/// Hints that are no listed words: who is named, where somebody lives, sums of money.
fn extras(
    reading: &TextReading<'_>,
    sentence: &Range<usize>,
    category: Sensitivity,
    entities: &[Named],
) -> Vec<f32> {
    let inside = |named: &&Named| reading.contains(sentence, &named.span);
    match category {
        Sensitivity::Health => {
            let endings = by_ending(entities, &inside).map(|named| named.confidence);
            endings.chain(injury(reading, sentence)).collect()
        }
        Sensitivity::Relationships => {
            let named = entities.iter().filter(inside).filter_map(relation_weight);
            named.chain(kin(reading, sentence)).collect()
        }
        Sensitivity::Biometric => measured(reading, sentence).into_iter().collect(),
        Sensitivity::PoliticalReligious => worship(reading, sentence).into_iter().collect(),
        Sensitivity::Professional => entities.iter().filter(inside).filter_map(work_weight).collect(),
        Sensitivity::Financial => sum_of_money(reading, sentence).into_iter().collect(),
        Sensitivity::Location => location_extras(reading, sentence, entities),
        Sensitivity::Preferences => liking(reading, sentence).into_iter().collect(),
    }
}

/// "broke her arm", "hurt my back": a part of the body, and trouble with it.
fn injury(reading: &TextReading<'_>, sentence: &Range<usize>) -> Option<f32> {
    let says = |tag| reading.count(sentence.clone(), tag) > 0;
    (says(WordTag::Body) && says(WordTag::Trouble)).then_some(INJURY_WEIGHT)
}

/// "They scanned my son's face": a machine that takes the measure of a body.
fn measured(reading: &TextReading<'_>, sentence: &Range<usize>) -> Option<f32> {
    let says = |tag| reading.count(sentence.clone(), tag) > 0;
    (says(WordTag::Scan) && says(WordTag::Measured)).then_some(SCAN_WEIGHT)
}

/// "We go to church every Sunday": worship as a habit.
fn worship(reading: &TextReading<'_>, sentence: &Range<usize>) -> Option<f32> {
    let hits = reading.hits_within(sentence.clone());
    let place = hits.iter().any(|hit| hit.tag == WordTag::Belief && hit.weight < PLAIN_WEIGHT);
    let again = hits.iter().any(|hit| hit.tag == WordTag::Again);
    (place && again).then_some(WORSHIP_WEIGHT)
}

/// "I have three kids", "tengo dos hermanos": kin that are had rather than named.
fn kin(reading: &TextReading<'_>, sentence: &Range<usize>) -> Option<f32> {
    const HAVE: &[&str] = &[
        "have", "has", "had", "habe", "hat", "haben", "ai", "a", "avons", "tengo", "tiene", "tenemos", "ho",
        "ha", "abbiamo", "tenho", "tem", "temos", "heb", "heeft", "hebben", "mam", "ma", "mamy",
    ];
    let had = reading.hits_within(sentence.clone()).iter().any(|hit| {
        let from = hit.words.start.saturating_sub(3).max(sentence.start);
        let mut before = reading.words[from..hit.words.start].iter();
        hit.tag == WordTag::Family && before.any(|word| HAVE.contains(&word.folded.as_str()))
    });
    had.then_some(0.55)
}

fn by_ending<'e>(
    entities: &'e [Named],
    inside: &impl Fn(&&Named) -> bool,
) -> impl Iterator<Item = &'e Named> {
    entities.iter().filter(inside).filter(|named| {
        matches!(named.entity.kind.as_str(), CONDITION | MEDICATION) && named.reason == "medical ending"
    })
}

/// Family and partners are a relationship; friends less so, colleagues and tradesmen not at all.
fn relation_weight(named: &Named) -> Option<f32> {
    let relation = named.entity.relation.as_deref()?;
    const WORK: &[&str] = &[
        "colleague",
        "boss",
        "employee",
        "assistant",
        "intern",
        "client",
        "business partner",
        "mentor",
        "doctor",
        "dentist",
        "therapist",
        "lawyer",
        "accountant",
        "teacher",
        "nanny",
        "contractor",
        "trainer",
        "hairdresser",
        "landlord",
        "professor",
    ];
    match relation {
        "friend" | "friends" | "neighbour" | "roommate" => Some(0.55),
        other if WORK.contains(&other) => None,
        _ => Some(0.75),
    }
}

fn work_weight(named: &Named) -> Option<f32> {
    if named.entity.kind == ORGANISATION {
        return Some(ORGANISATION_WEIGHT);
    }
    let relation = named.entity.relation.as_deref()?;
    matches!(
        relation,
        "colleague" | "boss" | "employee" | "assistant" | "intern" | "client" | "business partner" | "mentor"
    )
    .then_some(0.65)
}

/// A sum of money: some with small change, more with thousands.
fn sum_of_money(reading: &TextReading<'_>, sentence: &Range<usize>) -> Option<f32> {
    const UNITS: &[&str] = &[
        "euro",
        "euros",
        "eur",
        "dollar",
        "dollars",
        "usd",
        "gbp",
        "pound",
        "pounds",
        "chf",
        "franken",
        "yen",
        "yuan",
        "rupees",
        "pln",
        "zl",
        "zloty",
        "kr",
        "kronor",
        "rub",
        "рублеи",
        "reais",
        "pesos",
        "lira",
        "tl",
        "k",
        "euroa",
        "quid",
        "bucks",
    ];
    let words = &reading.words[sentence.clone()];
    let sums = words.iter().enumerate().filter(|(_, word)| word.is_number()).filter_map(|(at, word)| {
        let sign = reading.text[..word.span.start].trim_end().ends_with(['$', '€', '£', '¥', '₹', '₽', '￥']);
        let signed = reading.text[word.span.end..]
            .trim_start()
            .starts_with(['$', '€', '£', '¥', '₹', '₽', '円', '元', '원']);
        let after = (at + 1..words.len()).find(|next| !is_thousands(&words[*next])).unwrap_or(words.len());
        let unit = words.get(after).is_some_and(|unit| UNITS.contains(&unit.folded.as_str()));
        let yen = words.get(at + 1).is_some_and(|unit| unit.text.starts_with(['円', '元', '원', '万', '만']));
        let thousands =
            word.folded.ends_with('k') || word.text.len() > 3 || words.get(at + 1).is_some_and(is_thousands);
        (sign || signed || unit || yen).then_some(if thousands { 0.55 } else { 0.35 })
    });
    sums.fold(None, |most: Option<f32>, sum| Some(most.map_or(sum, |most| most.max(sum))))
}

fn is_thousands(word: &WrittenWord<'_>) -> bool {
    word.is_number() && word.text.len() == 3
}

/// Weights of addresses, and of words for the place where somebody lives or is.
fn location_extras(reading: &TextReading<'_>, sentence: &Range<usize>, entities: &[Named]) -> Vec<f32> {
    let place =
        entities.iter().any(|named| named.entity.kind == PLACE && reading.contains(sentence, &named.span));
    let resides = reading
        .hits_within(sentence.clone())
        .iter()
        .any(|hit| hit.tag == WordTag::Reside && is_residence(reading, hit));
    let travels = reading.count(sentence.clone(), WordTag::Reside) > 0;
    let mut extras = Vec::new();
    match (place, resides, travels) {
        (true, true, _) => extras.push(0.8),
        (false, true, _) => extras.push(0.45),
        (true, false, true) => extras.push(0.4),
        (true, false, false) => extras.push(0.25),
        _ => {}
    }
    if has_street(reading, sentence) {
        extras.push(0.8);
    }
    extras
}

fn is_residence(reading: &TextReading<'_>, hit: &ListedHit) -> bool {
    const TRAVEL: &[&str] = &[
        "visit", "visited", "visiting", "trip", "travel", "flight", "fly", "flew", "flying", "go", "going",
        "went", "drive", "drove",
    ];
    let first = reading.words[hit.words.start].folded.as_str();
    !TRAVEL.contains(&first)
        && !first.starts_with("trave")
        && !first.starts_with("viaj")
        && !first.starts_with("reise")
}

/// "12 Elm Street", "Lindenstraße 7", "12 rue Lepic", "calle Mayor 3": a number close to a word of street.
fn has_street(reading: &TextReading<'_>, sentence: &Range<usize>) -> bool {
    const ENDINGS: &[&str] =
        &["strasse", "straat", "gasse", "allee", "platz", "weg", "gatan", "vagen", "laan"];
    const REACH: usize = 4;
    sentence.clone().any(|at| {
        let word = &reading.words[at];
        let street = reading.has(at, WordTag::PlaceWord) && word.folded.len() > 2
            || word.case == Case::Title
                && word.folded.len() > 6
                && ENDINGS.iter().any(|ending| word.folded.ends_with(ending));
        let from = at.saturating_sub(REACH).max(sentence.start);
        let to = (at + REACH).min(sentence.end);
        let named =
            (from..to).any(|near| near != at && reading.words[near].is_capital()) || word.is_capital();
        street && named && (from..to).any(|near| is_house_number(reading, near))
    })
}

fn is_house_number(reading: &TextReading<'_>, at: usize) -> bool {
    let word = &reading.words[at];
    word.is_number() && word.text.len() <= 5 && word.gap != WordGap::Colon
}

/// "I like tea": the plain verb with somebody before it.
fn liking(reading: &TextReading<'_>, sentence: &Range<usize>) -> Option<f32> {
    let liked = sentence.clone().any(|at| {
        let word = reading.words[at].folded.as_str();
        let next = reading.words.get(at + 1).map(|next| next.folded.as_str()).unwrap_or_default();
        let object =
            !matches!(next, "" | "you" | "it" | "that" | "this" | "u" | "ya" | "the" | "how" | "your");
        matches!(word, "like" | "love") && object && subject_before(reading, at)
    });
    liked.then_some(0.6)
}
