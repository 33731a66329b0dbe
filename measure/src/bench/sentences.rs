//! Everyday sentences, made from a seed: the same on every machine, as many as wanted, and with words whose
//! frequencies fall off as they do in life, so that some words of a question are common and most are rare.

use super::random::Random;

const TEMPLATES: [&str; 24] = [
    "{name} told me that the {thing} in {town} is {quality} this {month}.",
    "I promised {name} to bring the {thing} back before {day}.",
    "My {relation} {name} moved to {town} and works for {firm} now.",
    "We had {food} with {name} on {day} and talked about {topic}.",
    "The doctor at {town} wrote {number} milligrams of {remedy} on my list.",
    "I do not like {food}, but {name} cooks it every {day}.",
    "The meeting about {topic} with {firm} was moved to {day} at {hour}.",
    "Order {number} from {firm} arrived {quality}, so I asked for a refund.",
    "{name} is learning {hobby} and wants to show us in {month}.",
    "My {relation} is allergic to {food}; we keep {remedy} in the {thing}.",
    "The password hint for {firm} is the {thing} that {name} gave me.",
    "On {day} I ran {number} kilometres near {town} and felt {quality}.",
    "{name} prefers short answers about {topic} and long ones about {hobby}.",
    "We are saving for a {thing}; {firm} asks {number} euros a month.",
    "The flight to {town} leaves at {hour} on {day}, seat {number}.",
    "I started {hobby} again because {name} said that it helps with {topic}.",
    "Please remind me to call {name} about the {thing} in {month}.",
    "Our landlord {name} raised the rent to {number} from {month}.",
    "The {thing} that {name} lent me is {quality} and must be repaired in {town}.",
    "{firm} hired {name}, who used to teach {hobby} in {town}.",
    "For {day} we need {food}, two candles and the {thing} of my {relation}.",
    "{name} and my {relation} disagree about {topic}, as always in {month}.",
    "I parked on level {number} next to {firm}, by the {quality} {thing}.",
    "My goal for {month} is {hobby} at {hour}, with {name}, without excuses.",
];

const QUESTIONS: [&str; 8] = [
    "What did {name} say about the {thing}?",
    "Where does my {relation} {name} work?",
    "When is the meeting about {topic} with {firm}?",
    "Who cooks {food} on {day}?",
    "Which {remedy} did the doctor in {town} write down?",
    "What do I owe {firm} for the {thing}?",
    "How did {hobby} with {name} go in {month}?",
    "Did {name} move to {town}?",
];

const RELATIONS: &str = "sister brother mother father daughter son cousin aunt uncle neighbour colleague boss \
    grandmother grandfather partner friend niece nephew godmother flatmate";
const THINGS: &str = "bicycle ladder guitar blender tent printer sofa lamp kettle backpack camera keyboard drill \
    oven mirror wardrobe piano telescope suitcase umbrella boiler fridge heater bookshelf carpet clock curtain desk \
    engine fence garage hammer jacket kayak locker mattress notebook paddle quilt radio saddle toaster violin \
    wheelbarrow wallet passport scooter helmet router monitor projector balcony cellar shed roof window";
const QUALITIES: &str = "broken spotless heavy noisy late cheap expensive wonderful cold dusty tired strong anxious \
    calm fragile rusty bright lost crowded quiet slow perfect useless warm";
const FOODS: &str = "lentils mushrooms peanuts salmon risotto dumplings pancakes olives shrimp pumpkin cherries yoghurt \
    walnuts gnocchi spinach aubergine couscous hummus noodles trout apricots cheese celery strawberries waffles kimchi \
    tofu rhubarb mustard polenta";
const TOPICS: &str = "budget insurance holidays school taxes climate football housing retirement marketing hiring \
    pricing security privacy translation logistics heating gardening elections sleep stress inheritance childcare \
    traffic noise recycling invoices onboarding testing photography";
const REMEDIES: &str = "ibuprofen metformin paracetamol insulin magnesium iron melatonin cortisone antihistamine \
    aspirin vitamin omeprazole salbutamol zinc";
const HOBBIES: &str = "chess climbing pottery sailing knitting boxing dancing archery fencing astronomy woodwork \
    calligraphy juggling rowing karate painting singing yoga beekeeping baking origami skiing diving cycling";
const MONTHS: &str = "January February March April May June July August September October November December spring summer \
    autumn winter";
const DAYS: &str = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Christmas Easter payday";
const HOURS: &str = "seven eight nine ten eleven noon one two three four five six midnight";

const SYLLABLES: [&str; 40] = [
    "ma", "ri", "lo", "ka", "ven", "tor", "el", "sa", "ni", "bru", "dor", "fi", "ga", "hel", "is", "jo",
    "ker", "lan", "mor", "nu", "os", "pel", "qui", "ros", "sten", "tal", "ur", "vi", "wen", "xa", "yor",
    "zel", "an", "ber", "cor", "dal", "em", "far", "gil", "hum",
];
const TOWN_ENDINGS: [&str; 5] = ["ham", "burg", "ville", "stad", "ford"];
const FIRM_ENDINGS: [&str; 4] = ["tec", "works", "mart", "bank"];
/// Different names, towns and firms.
const NAMES: usize = 6_000;
const TOWNS: usize = 3_000;
const FIRMS: usize = 2_000;
const NUMBER_MAX: usize = 5_000;
/// Every so many memories say more than fits into a gist, as some do in life.
const LONG_EVERY: usize = 10;
const LONG_SENTENCES: usize = 5;

/// The text of the `number`-th memory.
pub(super) fn memory(seed: u64, number: usize) -> String {
    let mut random = Random::new(seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let sentences = if number.is_multiple_of(LONG_EVERY) { LONG_SENTENCES } else { 1 };
    let parts: Vec<_> = (0..sentences).map(|_| filled(random.pick(&TEMPLATES), &mut random)).collect();
    parts.join(" ")
}

/// The text of the `number`-th question.
pub(super) fn question(seed: u64, number: usize) -> String {
    let mut random = Random::new(!seed ^ (number as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
    filled(random.pick(&QUESTIONS), &mut random)
}

fn filled(template: &str, random: &mut Random) -> String {
    let mut text = String::with_capacity(2 * template.len());
    let mut rest = template;
    while let Some((before, (slot, after))) =
        rest.split_once('{').and_then(|(before, tail)| Some((before, tail.split_once('}')?)))
    {
        text.push_str(before);
        text.push_str(&filler(slot, random));
        rest = after;
    }
    text.push_str(rest);
    text
}

fn filler(slot: &str, random: &mut Random) -> String {
    match slot {
        "name" => coined(random.falling(NAMES), ""),
        "town" => pick_coined(TOWNS, &TOWN_ENDINGS, random),
        "firm" => pick_coined(FIRMS, &FIRM_ENDINGS, random),
        "number" => random.below(NUMBER_MAX).to_string(),
        "relation" => word(RELATIONS, random),
        "thing" => word(THINGS, random),
        "quality" => word(QUALITIES, random),
        "food" => word(FOODS, random),
        "topic" => word(TOPICS, random),
        "remedy" => word(REMEDIES, random),
        "hobby" => word(HOBBIES, random),
        "month" => word(MONTHS, random),
        "day" => word(DAYS, random),
        "hour" => word(HOURS, random),
        other => unreachable!("no filler for {other}"),
    }
}

fn word(list: &str, random: &mut Random) -> String {
    let words: Vec<_> = list.split_whitespace().collect();
    words[random.falling(words.len())].to_owned()
}

fn pick_coined(count: usize, endings: &[&str], random: &mut Random) -> String {
    let number = random.falling(count);
    coined(number, endings[number % endings.len()])
}

/// The `number`-th name of our own making: two or three syllables and an ending.
fn coined(number: usize, ending: &str) -> String {
    let syllable = |place: u32| SYLLABLES[number / SYLLABLES.len().pow(place) % SYLLABLES.len()];
    let third = if number >= SYLLABLES.len().pow(2) { syllable(2) } else { "" };
    let name = [syllable(0), syllable(1), third, ending].concat();
    name[..1].to_uppercase() + &name[1..]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn sentences_are_the_same_every_time_and_mostly_different_from_each_other() {
        let made: Vec<_> = (0..2_000).map(|number| memory(1, number)).collect();
        assert_eq!(made, (0..2_000).map(|number| memory(1, number)).collect::<Vec<_>>());
        assert!(made.iter().collect::<HashSet<_>>().len() > 1_900);
        assert!(made.iter().all(|text| !text.contains(['{', '}'])));
        assert!((0..200).map(|number| question(1, number)).all(|text| !text.contains('{')));
    }
}
