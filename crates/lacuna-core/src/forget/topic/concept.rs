//! Everyday things that are said in many words: who asks to forget "where I live" means "I moved to Oslo".
//!
//! A concept is a list of words that speak of it: what people call it, the verbs that state it, and its
//! commonest values. A word may belong to several. The lists are short on purpose: they tell what a statement
//! is about, not what it says.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Concepts as a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Concepts(u64);

impl Concepts {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        !self.and(other).is_empty()
    }
}

/// The concepts that a stem belongs to.
pub(crate) fn concepts_of(stem: &str) -> Concepts {
    static TABLE: LazyLock<HashMap<String, Concepts>> = LazyLock::new(|| {
        let mut table: HashMap<String, Concepts> = HashMap::new();
        for (bit, words) in CONCEPTS.iter().enumerate() {
            for word in words.split_whitespace() {
                let entry = table.entry(super::word::stem(word)).or_default();
                *entry = entry.or(Concepts(1 << bit));
            }
        }
        table
    });
    TABLE.get(stem).copied().unwrap_or_default()
}

/// The concepts of a word as it is written.
#[cfg(test)]
pub(crate) fn concepts(word: &str) -> Concepts {
    concepts_of(&super::word::stem(&word.to_lowercase()))
}

/// Their order is only in memory; nothing is stored by it.
const CONCEPTS: &[&str] = &[
    // Where somebody lives.
    "live lives lived living reside resides residing residence resident residency home hometown city town address \
     moved move relocated relocate relocation settled based apartment flat neighbourhood neighborhood returned \
     emigrated immigrated district wohne wohnt wohnen wohnort wohnung umgezogen gezogen zuhause adresse habite habiter \
     domicile déménagé ville vivo vive vivir domicilio mudé ciudad abito residenza moro",
    // Whom somebody works for, and as what.
    "work works worked working workplace job jobs career employer employment employed employee employs company \
     occupation profession position role hired hire joined join joining quit resigned promoted promotion started \
     startup founder founded freelance freelancer engineer developer teacher teach nurse lawyer accountant consultant \
     manager director intern internship interviewed interview departed left retired industry firm office boss \
     colleague salary arbeite arbeitet arbeit beruf arbeitgeber firma stelle travaille travail emploi employeur métier \
     trabajo trabaja empleo empleador empresa lavoro",
    // What somebody eats.
    "diet dietary diets eat eats eating ate food foods meal meals nutrition vegan vegetarian veganism pescatarian \
     pescetarian flexitarian omnivore carnivore keto ketogenic paleo mediterranean meat fish gluten halal kosher fasting \
     consume consumes cuisine ernährung essen isst vegetarisch régime manger mange dieta comer alimentación",
    // Married or not.
    "married marry marital marriage spouse wife husband divorce divorced divorcing single engaged engagement fiance \
     fiancee fiancé fiancée widowed widow widower separated partner girlfriend boyfriend wedding relationship dating \
     verheiratet ehe ehefrau ehemann geschieden scheidung ledig verlobt marié mariée mariage épouse mari divorcé \
     casado casada matrimonio esposa esposo divorciado",
    // Driving and getting about.
    "car cars vehicle vehicles drive drives driving drove driver truck pickup van motorcycle motorbike scooter bicycle \
     bike bikes cycling commute commutes commuting transit transport transportation lease leasing leased automobile \
     sedan suv tesla toyota honda subaru ford bmw audi volkswagen vw mercedes volvo mazda nissan hyundai kia renault \
     peugeot fiat skoda porsche chevrolet jeep lexus auto wagen fahre fährt voiture conduis coche conduzco conduce",
    // Animals at home.
    "pet pets dog dogs puppy cat cats kitten rabbit hamster parrot horse retriever collie terrier poodle labrador \
     beagle bulldog spaniel shepherd dachshund siamese adopted vet hund katze haustier chien chat animal perro gato \
     mascota",
    // Languages that are spoken.
    "language languages speak speaks speaking spoke fluent fluently bilingual native tongue english german french \
     spanish italian portuguese mandarin chinese japanese korean russian arabic hindi dutch swedish danish norwegian \
     polish turkish greek hebrew sprache sprachen spreche spricht langue langues parle idioma idiomas habla",
    // Programming.
    "programming programmer program code coding codes language languages python rust java javascript typescript golang \
     kotlin swift ruby php scala haskell perl backend frontend microservices services framework library compiler script \
     scripts writes rebuilt",
    // What one cannot bear.
    "allergy allergies allergic anaphylaxis anaphylactic intolerance intolerant epipen peanut shellfish pollen allergie \
     allergisch alergia alérgico",
    // Health in general.
    "health medical condition diagnosis diagnosed disease illness sick ill therapy treatment medication medicine \
     prescribed prescription prescribe drug dose mg tablets surgery hospital clinic doctor symptoms diabetes insulin \
     asthma cancer depression anxiety gesundheit krankheit arzt santé maladie salud enfermedad",
    // Money that comes in.
    "salary income pay paid pays wage wages earn earns earning earned bonus compensation gehalt verdiene verdient \
     einkommen salaire gagne sueldo salario gana",
    // How one pays.
    "payment payments pay pays paying paid card credit debit invoice billing billed wire transfer paypal cash cheque \
     check bank zahlung paiement pago",
    // What one has subscribed to.
    "subscription subscriptions subscribed subscribe subscriber plan plans tier membership member upgraded downgraded \
     upgrade downgrade cancelled canceled cancellation renewal enterprise premium pro free trial abo abonnement \
     suscripción",
    // To whom one answers, and whom one leads.
    "reporting reports report reported manager supervisor boss lead leads leader manages managed cto ceo cfo vp head \
     direct reorg hierarchy chef vorgesetzter",
    // Politics.
    "political politics party vote votes voted voter registered registration register democrat republican libertarian \
     independent green labour conservative liberal socialist politik partei wahl politique política",
    // Faith.
    "religion religious faith church mosque synagogue temple christian catholic protestant muslim jewish hindu buddhist \
     atheist agnostic converted pray religión glaube",
    // Browsers and search.
    "browser browsers chrome firefox safari edge brave opera vivaldi browsing",
    // Telephones.
    "phone phones smartphone mobile iphone android samsung galaxy pixel xiaomi device devices handy téléphone teléfono",
    // Computers and what runs on them.
    "computer computers laptop laptops workstation desktop pc mac macbook os operating system macos windows linux ubuntu \
     debian fedora thinkpad hardware monitor keyboard device devices",
    // How a team talks.
    "communication communicate communicates communicating messaging message chat slack discord teams zoom telegram \
     whatsapp signal email tool tools platform",
    // Free time.
    "hobby hobbies pastime leisure plays play playing sport sports chess tennis football soccer guitar piano cello \
     violin painting hiking climbing running cycling swimming gardening cooking reading photography knitting gaming \
     freizeit loisir afición",
    // Where one studied.
    "education educational degree phd doctorate master masters bachelor university college school studied study studies \
     graduated graduate graduating student diploma major advisor advised thesis studium schule études estudios",
    // Family.
    "family mother father mom mum dad parents sister brother siblings son daughter child children kids baby grandmother \
     grandfather aunt uncle cousin familie famille familia",
    // What one owns that does not move.
    "property house home real estate rental rents rent rented landlord tenant mortgage own owns owned owner bought sold \
     purchased sell wohnung miete maison loyer casa alquiler",
    // What somebody is like.
    "temperament personality character introvert introverted extrovert extroverted shy quiet outgoing social sociable \
     gathering gatherings meetup meetups host hosts hosting party parties organizing organising crowds",
    // What one drinks.
    "drink drinks drinking drank beverage coffee tea espresso latte beer wine alcohol alcoholic sober juice water soda \
     kaffee tee trinke trinkt café boire bois bebe bebida",
    // Smoking.
    "smoke smokes smoking smoker smoked cigarettes cigarette tobacco vape vaping nicotine raucht rauchen fume",
    // Sleep and the day.
    "sleep sleeps sleeping bedtime wake wakes insomnia nap morning routine schlaf sommeil sueño",
    // Sport of the body.
    "fitness gym workout exercise exercises training trains crossfit yoga pilates marathon runs running weights lifting",
    // Birthdays and age.
    "birthday born birth age aged old dob geburtstag alter anniversaire âge cumpleaños edad",
    // Ways to reach somebody.
    "contact phone telephone number mobile email mail address handle kontakt nummer numéro número",
    // Names.
    "name named called nickname surname calls alias heiße heißt appelle llamo",
    // Travel.
    "travel travels travelled trip trips holiday holidays vacation flight flights flew hotel visited visit visits tour \
     journey itinerary booked reise urlaub voyage viaje vacaciones",
    // Meetings and dates in the diary.
    "meeting meetings appointment appointments scheduled schedule calendar event events conference session deadline \
     attend attended attendance termin rendezvous cita",
    // Music, films and books.
    "music song songs band album listens listening concert film films movie movies series book books novel genre author \
     read reads reading podcast musik musique música",
    // What one likes and does not.
    "preference preferences preferred prefer prefers favorite favourite like likes love loves enjoy enjoys dislike hates \
     lieblings préféré favorito",
    // Colours.
    "color colour colors colours red blue green yellow black white purple orange teal pink brown grey gray farbe couleur",
    // Editors and tools of the trade.
    "editor editors ide vim neovim emacs vscode intellij sublime terminal shell",
    // Secrets and ways in.
    "password passwords passphrase passcode pin credential credentials login token key secret access passwort",
    // Housing with others.
    "roommate roommates flatmate housemate cohabits alone lives spouse",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_concepts_than_bits() {
        assert!(CONCEPTS.len() <= 64);
    }

    #[test]
    fn what_it_is_called_meets_what_is_said() {
        for (called, said) in [
            ("residence", "moved"),
            ("employer", "joined"),
            ("dietary", "vegan"),
            ("marital", "divorced"),
            ("vehicle", "drives"),
            ("pets", "kitten"),
            ("Wohnort", "wohne"),
            ("salary", "earns"),
        ] {
            assert!(concepts(called).meets(concepts(said)), "{called} {said}");
        }
        assert!(!concepts("residence").meets(concepts("vegan")));
        assert!(concepts("gargoyle").is_empty());
    }
}
