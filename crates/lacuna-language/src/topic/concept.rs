//! Everyday things that are said in many words: who asks to forget "where I live" means "I moved to Oslo".
//!
//! A concept has names, by which people ask about it, and signs: the verbs that state it and its commonest
//! values. Only a name reaches further than its own letters: who asks to forget "my car" means the Volvo, who
//! asks to forget "the Volvo" means no other car. A word may belong to several concepts.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Concepts as a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Concepts(u64);

impl Concepts {
    pub const NONE: Self = Self(0);

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn meets(self, other: Self) -> bool {
        !self.and(other).is_empty()
    }
}

/// The things that a word calls by their name, and those that it speaks of.
#[derive(Clone, Copy, Default)]
struct Senses {
    calls: Concepts,
    speaks: Concepts,
}

/// The concepts that a word of a request calls by their name: "vehicle", but not "Tesla".
pub fn called(stem: &str) -> Concepts {
    senses(stem).calls
}

/// The concepts that a word of a text speaks of.
pub fn spoken(stem: &str) -> Concepts {
    senses(stem).speaks
}

fn senses(stem: &str) -> Senses {
    static TABLE: LazyLock<HashMap<String, Senses>> = LazyLock::new(|| {
        let mut table: HashMap<String, Senses> = HashMap::new();
        for (bit, (names, signs)) in CONCEPTS.iter().enumerate() {
            let concept = Concepts(1 << bit);
            for name in names.split_whitespace() {
                let senses = table.entry(super::word::stem(name)).or_default();
                senses.calls = senses.calls.or(concept);
                senses.speaks = senses.speaks.or(concept);
            }
            for sign in signs.split_whitespace() {
                let senses = table.entry(super::word::stem(sign)).or_default();
                senses.speaks = senses.speaks.or(concept);
            }
        }
        table
    });
    TABLE.get(stem).copied().unwrap_or_default()
}

/// What a thing is called by those who ask about it, and the words that speak of it. Their order is only in memory;
/// nothing is stored by it.
const CONCEPTS: &[(&str, &str)] = &[
    (
        "live living residence reside home hometown city town address relocation location move wohnort wohnung \
         wohne zuhause adresse domicile habite ville domicilio vivo ciudad residenza",
        "lives lived resides residing resident moved relocated relocate settled based apartment flat neighbourhood \
         neighborhood returned emigrated immigrated district downtown suburb wohnt wohnen umgezogen gezogen habiter \
         déménagé vive vivir mudé abito moro",
    ),
    (
        "work job jobs career employer employment workplace company occupation profession position role arbeit beruf \
         arbeitgeber firma stelle travail emploi employeur métier trabajo empleo empleador empresa lavoro",
        "works worked working employed employee employs hired hire joined join joining quit resigned promoted promotion \
         started startup founder founded freelance freelancer engineer developer teacher teach nurse lawyer accountant \
         consultant director intern internship interviewed interview departed left retired industry firm colleague \
         arbeitet arbeite travaille trabaja",
    ),
    (
        "diet dietary diets food foods eating nutrition ernährung régime dieta alimentación",
        "eat eats ate meal meals vegan vegetarian veganism vegetarianism pescatarian pescetarian flexitarian omnivore \
         carnivore keto ketogenic paleo mediterranean meat fish gluten halal kosher fasting consume consumes cuisine \
         essen isst vegetarisch manger mange comer",
    ),
    (
        "marital marriage relationship spouse partner ehe mariage matrimonio",
        "married marry wife husband divorce divorced divorcing single engaged engagement fiance fiancee fiancé fiancée \
         widowed widow widower separated girlfriend boyfriend wedding dating verheiratet ehefrau ehemann geschieden \
         scheidung ledig verlobt marié mariée épouse mari divorcé casado casada esposa esposo divorciado",
    ),
    (
        "car cars vehicle vehicles transport transportation commute driving auto wagen voiture coche",
        "drive drives drove driver truck pickup van motorcycle motorbike scooter bicycle bike bikes cycling transit lease \
         leasing leased automobile sedan suv tesla toyota honda subaru ford bmw audi volkswagen vw mercedes volvo mazda \
         nissan hyundai kia renault peugeot fiat skoda porsche chevrolet jeep lexus fahre fährt conduis conduzco conduce",
    ),
    (
        "pet pets animal haustier mascota",
        "dog dogs puppy cat cats kitten rabbit hamster parrot horse retriever collie terrier poodle labrador beagle \
         bulldog spaniel shepherd dachshund siamese adopted hund katze chien chat perro gato",
    ),
    (
        "language languages tongue sprache sprachen langue langues idioma idiomas",
        "speak speaks speaking spoke fluent fluently bilingual native english german french spanish italian portuguese \
         mandarin chinese japanese korean russian arabic hindi dutch swedish danish norwegian polish turkish greek hebrew \
         spreche spricht parle habla",
    ),
    (
        "programming language languages coding stack",
        "programmer program code codes python rust java javascript typescript golang kotlin swift ruby php scala haskell \
         perl backend frontend microservices framework compiler script scripts rebuilt",
    ),
    (
        "allergy allergies allergic intolerance allergie alergia",
        "anaphylaxis anaphylactic intolerant epipen allergisch alérgico",
    ),
    (
        "health medical condition illness disease diagnosis gesundheit krankheit santé maladie salud enfermedad",
        "diagnosed sick ill therapy treatment medication medicine prescribed prescription prescribe drug dose tablets \
         surgery hospital clinic symptoms diabetes insulin asthma cancer depression anxiety",
    ),
    (
        "medication medications medicine prescription prescriptions drugs pills medikament médicament medicamento",
        "prescribed prescribe takes dose mg tablets insulin metformin ibuprofen aspirin antibiotic antibiotics",
    ),
    (
        "salary income pay wage wages compensation earnings gehalt einkommen salaire sueldo salario",
        "earn earns earning earned bonus verdiene verdient gagne gana",
    ),
    (
        "payment payments billing zahlung paiement pago",
        "pay pays paying paid card credit debit invoice billed wire transfer paypal cash cheque",
    ),
    (
        "subscription subscriptions plan membership tier abo abonnement suscripción",
        "subscribed subscribe subscriber upgraded downgraded upgrade downgrade cancelled canceled cancellation renewal \
         enterprise premium trial",
    ),
    (
        "reporting manager supervisor boss hierarchy vorgesetzter",
        "reports report reported manages managed cto ceo cfo vp reorg",
    ),
    (
        "political politics party politik partei politique política",
        "vote votes voted voter democrat republican libertarian independent labour conservative liberal socialist wahl",
    ),
    (
        "religion religious faith religión glaube",
        "church mosque synagogue temple christian catholic protestant muslim jewish hindu buddhist atheist agnostic \
         converted pray prays",
    ),
    ("browser browsers", "chrome firefox safari edge brave opera vivaldi browsing"),
    (
        "phone phones smartphone mobile device handy téléphone teléfono",
        "iphone android samsung galaxy pixel xiaomi",
    ),
    (
        "computer computers laptop laptops workstation os operating hardware device",
        "desktop pc mac macbook macos windows linux ubuntu debian fedora thinkpad monitor",
    ),
    (
        "communication messaging tool chat",
        "communicate communicates communicating message slack discord teams zoom telegram whatsapp signal email",
    ),
    (
        "hobby hobbies pastime leisure sport sports freizeit loisir afición",
        "plays play playing chess tennis football soccer guitar piano cello violin painting hiking climbing running \
         cycling swimming gardening cooking photography knitting gaming",
    ),
    (
        "education educational degree school university studies schooling studium études estudios",
        "phd doctorate master masters bachelor college studied study graduated graduate graduating student diploma major \
         advisor advised thesis schule",
    ),
    (
        "family relatives parents familie famille familia",
        "mother father mom mum dad sister brother siblings son daughter child children kids baby grandmother grandfather \
         aunt uncle cousin",
    ),
    (
        "property house housing rent estate miete maison loyer casa alquiler",
        "rental rents rented landlord tenant mortgage owns owned bought sold purchased",
    ),
    (
        "temperament personality character social",
        "introvert introverted extrovert extroverted shy quiet outgoing sociable gathering gatherings meetup meetups host \
         hosts hosting parties crowds",
    ),
    (
        "drink drinks drinking beverage beverages trinke boire bebida",
        "drank coffee tea espresso latte beer wine alcohol alcoholic sober juice soda kaffee tee trinkt bois bebe",
    ),
    (
        "smoking tobacco rauchen",
        "smoke smokes smoker smoked cigarettes cigarette vape vaping nicotine raucht fume",
    ),
    ("sleep sleeping bedtime schlaf sommeil sueño", "sleeps slept wake wakes insomnia nap"),
    (
        "fitness exercise workout training",
        "gym exercises trains crossfit yoga pilates marathon runs running weights lifting",
    ),
    (
        "birthday age birth birthdate geburtstag alter anniversaire âge cumpleaños edad",
        "born aged dob turned",
    ),
    (
        "travel trip trips holiday holidays vacation reise urlaub voyage viaje vacaciones",
        "travels travelled flight flights flew hotel visited visits tour journey itinerary booked",
    ),
    (
        "meeting meetings appointment appointments schedule calendar attendance termin rendezvous cita",
        "scheduled event events conference attend attended attends",
    ),
    (
        "music films movies books reading genre musik musique música",
        "song songs band album listens listening concert film movie series book novel author reads podcast",
    ),
    (
        "color colour colors colours farbe couleur",
        "red blue green yellow black white purple orange teal pink brown grey gray",
    ),
    ("editor editors ide", "vim neovim emacs vscode intellij sublime"),
    ("password passwords credentials login passwort", "passphrase passcode pin credential token secret"),
    ("email mail contact", "inbox mailbox e-mail"),
    ("insurance versicherung assurance seguro", "insured insurer policy premium coverage covered"),
    ("bank banking account", "savings checking deposit banker iban"),
    ("debt debts loan loans schulden dette deuda", "owes owe owed borrowed mortgage repay repays lender"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_concepts_than_bits() {
        assert!(CONCEPTS.len() <= 64);
    }

    #[test]
    fn what_a_thing_is_called_meets_what_is_said_of_it() {
        let stem = |word: &str| super::super::word::stem(&word.to_lowercase());
        for (name, sign) in [
            ("residence", "moved"),
            ("employer", "joined"),
            ("dietary", "vegan"),
            ("marital", "divorced"),
            ("vehicle", "drives"),
            ("pets", "kitten"),
            ("Wohnort", "wohne"),
            ("salary", "earns"),
        ] {
            assert!(called(&stem(name)).meets(spoken(&stem(sign))), "{name} {sign}");
        }
        assert!(!called("resid").meets(spoken("vegan")));
        assert!(called(&stem("coffee")).is_empty() && !spoken(&stem("coffee")).is_empty());
    }
}
