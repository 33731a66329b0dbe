//! Statements about somebody's present place: true for an hour, and not kept afterwards.

use std::sync::OnceLock;

use crate::compiled::{self, ScreenedRegex, ScreenedSet};

/// Returns true for a text about somebody's present place rather than something that lasts.
pub fn routine_location(text: &str) -> bool {
    let lasts = || lasting().is_some_and(|pattern| pattern.is_match(text));
    let moves = || moving().is_some_and(|set| set.is_match(text));
    momentary().is_some_and(|set| set.is_match(text)) || (moves() && !lasts())
}

/// Words that make a place lasting or put it at another time: habits, spans of years, plans.
fn lasting() -> Option<&'static ScreenedRegex> {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const WORDS: &str = concat!(
        r"(?i)\b(?:every|always|usually|often|regularly|each|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|used to|most (?:days|mornings)|years?|last|next|tomorrow|yesterday|ago|this (?:week|weekend|month|year)",
        r"|jeden|jede|immer|meistens|regelmäßig|oft|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|seit",
        r"|tous les|toutes les|chaque|toujours|souvent|depuis|d'habitude|todos los|todas las|cada|siempre|normalmente|suele|desde hace)\b"
    );
    PATTERN.get_or_init(|| compiled::regex(WORDS).ok()).as_ref()
}

const EN_PLACE: &str = "gym|office|work|home|dentist(?:'s)?|doctor(?:'s)?|hospital|clinic|airport|(?:train |bus |subway )?station|supermarket|shops?|store|mall|bank|pharmacy|library|park|pool|beach|bar|pub|caf[eé]|coffee shop|restaurant|cinema|movies|theat(?:re|er)|hotel|hairdresser(?:'s)?|barber(?:'s)?|salon|church|stadium|vet|garage|car wash|bus|train|tube|plane|car|queue|meeting|conference|party|wedding|concert|playground|post office|bus stop|gate|lobby";
const DE_PLACE: &str = "Fitnessstudio|Fitness-?Studio|Büro|Arbeit|Hause|Zahnarzt|Arzt|Krankenhaus|Klinik|Flughafen|Bahnhof|Supermarkt|Bank|Apotheke|Bibliothek|Park|Schwimmbad|Strand|Café|Restaurant|Kino|Theater|Hotel|Friseur|Kirche|Stadion|Tierarzt|Zug|Bus|Bahn|Auto|Meeting|Stau|Post|Kneipe|Sport|Training|Einkaufen";
const FR_PLACE: &str = "salle de sport|gym|bureau|travail|maison|dentiste|médecin|docteur|hôpital|clinique|aéroport|gare|supermarché|banque|pharmacie|bibliothèque|parc|piscine|plage|café|restaurant|cinéma|théâtre|hôtel|coiffeur|église|stade|train|bus|métro|voiture|réunion|poste|bar|courses";
const ES_PLACE: &str = "gimnasio|oficina|trabajo|casa|dentista|médico|doctor|hospital|clínica|aeropuerto|estación|supermercado|banco|farmacia|biblioteca|parque|piscina|playa|café|cafetería|restaurante|cine|teatro|hotel|peluquería|iglesia|estadio|tren|autobús|metro|coche|reunión|correos|bar|tienda|compra";

/// Being at an everyday place, or on the way to anywhere.
fn moving() -> Option<&'static ScreenedSet> {
    static SET: OnceLock<Option<ScreenedSet>> = OnceLock::new();
    let build = || {
        let english = r"(?i)\b(?:i am|i['’]?m|we are|we['’]re|(?:the )?user(?: is|'s)|s?he(?: is|['’]s)|they(?: are|['’]re)|\p{L}+ is)";
        compiled::regex_set(&[
            format!(r"{english} (?:\w+ly |just |now |still |already |back |sitting |waiting |stuck |over |out )*(?:at|in|on|inside) (?:(?:the|a|an|my|our|his|her|their|this) )?(?:\w+ )?(?:{EN_PLACE})\b"),
            format!(r"(?i)(?:^|[.!?,;:] ?|{english} (?:\w+ )?)on (?:my|our|his|her|their|the) way (?:to|home|back)\b"),
            format!(r"{english} (?:\w+ly |just |now )*(?:heading|headed|driving|walking|cycling|commuting|going|off|returning) (?:over |out |back )?(?:home|to (?:(?:the|my|a|our) )?(?:{EN_PLACE}))\b"),
            format!(r"(?i)\bjust (?:arrived|landed|checked in|reached|got) ?(?:home|(?:at|in|to)? ?(?:(?:the|my|a|our) )?(?:{EN_PLACE}))\b"),
            r"(?i)\ben route (?:to|vers|a)\b|\bstuck in traffic\b".to_owned(),
            format!(r"(?i)\b(?:ich bin|bin|wir sind|er ist|sie ist|der nutzer ist|die nutzerin ist|sitze|stehe|warte) (?:gerade |jetzt |noch |schon |eben |momentan )*(?:im|in der|in|am|auf der|auf dem|bei der|beim|bei|zu|vor dem|an der) (?:\p{{L}}+ )?(?:{DE_PLACE})\b"),
            r"(?i)\b(?:auf dem weg|unterwegs|gerade angekommen|fahre (?:gerade|jetzt)|gehe (?:gerade|jetzt)) ?(?:zum|zur|nach|in|im|am|ins)?\b".to_owned(),
            format!(r"(?i)\b(?:je suis|on est|nous sommes|il est|elle est|l'utilisat\w+ est) (?:actuellement |en ce moment |déjà |encore |juste )*(?:au|à la|à l['’]|chez le|chez la|chez|dans le|dans la|dans l['’]|à|en) ?(?:{FR_PLACE})\b"),
            r"(?i)\b(?:en route pour|sur le chemin|en chemin (?:vers|pour)|je viens d['’]arriver|je vais (?:au|à la|chez) .{1,30}maintenant)\b".to_owned(),
            format!(r"(?i)\b(?:estoy|estamos|está|el usuario está|la usuaria está|sigo) (?:ahora |ya |todavía |justo )*(?:en el|en la|en|a la|de) (?:{ES_PLACE})\b"),
            r"(?i)\b(?:de camino|camino) (?:al|a la|a|hacia)\b|\b(?:acabo|acabamos|acaba) de llegar\b|\bvoy (?:ahora )?(?:al|a la|hacia|de camino)\b".to_owned(),
        ])
        .ok()
    };
    SET.get_or_init(build).as_ref()
}

/// Being anywhere, with a word that says "now".
fn momentary() -> Option<&'static ScreenedSet> {
    static SET: OnceLock<Option<ScreenedSet>> = OnceLock::new();
    let build = || {
        compiled::regex_set(&[
            r"(?i)\b(?:am|i['’]?m|is|are|we['’]re|['’]s) (?:sitting |waiting |standing )?(?:at|in|near|outside) [^.!?]{2,40}\b(?:right now|at the moment|just now|as we speak)\b",
            r"(?i)\b(?:am|i['’]?m|is|are|we['’]re|['’]s) (?:right now|at the moment|just now) (?:at|in|near|outside)\b",
            r"(?i)\b(?:bin|ist|sind|sitze|stehe) (?:gerade|im moment|momentan|jetzt gerade|jetzt) (?:im|in|am|beim|bei|auf|an|vor)\b",
            r"(?i)\b(?:suis|est|sommes) (?:en ce moment|actuellement|là maintenant) (?:au|à|chez|dans|en|devant)\b|\b(?:suis|est|sommes) (?:au|à|chez|dans|en) [^.!?]{2,40} en ce moment\b",
            r"(?i)\b(?:estoy|está|estamos) (?:ahora mismo|en este momento|ahora) en\b|\b(?:estoy|está|estamos) en [^.!?]{2,40} (?:ahora mismo|en este momento)\b",
        ])
        .ok()
    };
    SET.get_or_init(build).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(lasting().is_some() && moving().is_some() && momentary().is_some());
    }

    #[test]
    fn where_somebody_is_just_now_is_routine() {
        for text in [
            "I'm at the gym",
            "user is at the office right now",
            "The user is at the gym.",
            "on my way to the dentist",
            "We're just waiting at the train station",
            "She is currently at work",
            "I'm heading home",
            "just arrived at the airport",
            "I'm in Lisbon right now",
            "stuck in traffic",
            "Ich bin gerade im Büro",
            "Bin beim Zahnarzt",
            "Ich bin auf dem Weg zum Bahnhof",
            "Je suis à la salle de sport",
            "Je suis chez le dentiste",
            "en route pour la gare",
            "Estoy en el gimnasio",
            "voy de camino al dentista",
            "Estoy ahora mismo en Sevilla",
        ] {
            assert!(routine_location(text), "{text}");
        }
    }

    #[test]
    fn what_lasts_is_not_routine() {
        for text in [
            "I live near the gym",
            "I work at the office on King Street",
            "The gym costs 30 a month",
            "I'm at the gym every Monday",
            "User usually is at the office on Tuesdays",
            "She is good at work",
            "My dentist is Dr Lee",
            "I love going to the beach",
            "Ich wohne in der Nähe vom Bahnhof",
            "Ich bin jeden Montag im Büro",
            "J'habite près de la gare",
            "Je suis tous les lundis au bureau",
            "Vivo cerca del gimnasio",
            "Trabajo en el hospital",
            "He is in a band",
            "",
        ] {
            assert!(!routine_location(text), "{text}");
        }
    }
}
