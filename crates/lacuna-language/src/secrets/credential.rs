//! Facts that hand over a credential, in the words in which people say so.

use std::sync::OnceLock;

use crate::compiled::{self, ScreenedRegex};

/// Words that name a credential and nothing else.
const NAMES: &str = concat!(
    r"passwords?|pass ?words?|passwd|pwd|pass[ -]?codes?|pass[ -]?phrases?",
    r"|(?:api|access|secret|private|encryption|license|signing|ssh|account)[ _-]?keys?|apikeys?",
    r"|(?:client|shared|api|app|jwt|webhook)[ _-]?secrets?",
    r"|(?:access|auth|authentication|authori[sz]ation|bearer|refresh|api|session|oauth|login|security)[ _-]?tokens?",
    r"|(?:recovery|seed|secret|backup)[ -]?(?:phrases?|codes?|words?)",
    r"|(?:login|sign-?in|account|access|wi-?fi|admin|root|database|db|server)[ -](?:details|data|info)",
    r"|(?:2fa|otp|one-time|verification|security|door|gate|alarm|safe|unlock|entry|cvv)[ -](?:codes?|passwords?)",
    // German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Turkish, Russian, Chinese, Japanese.
    r"|pass?w[oö]rt(?:er)?|kennw[oö]rt(?:er)?|zugangsdaten|geheimzahl|zugangscode|api-?schlüssel",
    r"|mots? de passe|code secret|clé (?:api|secrète|privée)|jeton d['’]accès|identifiants",
    r"|contraseñas?|clave (?:de acceso|secreta|privada|api)|código secreto|credenciales",
    r"|parola d['’]ordine|codice segreto|chiave (?:api|segreta|privata)|credenziali",
    r"|senhas?|palavra-passe|chave (?:de api|secreta|privada)|credenciais",
    r"|wachtwoord(?:en)?|toegangscode|hasło|hasła|lösenord(?:et)?|şifre\w*|parola\w*|парол\w*",
);
/// Words that name other things too, unless their value follows at once.
const LOOSE_NAMES: &str = "secrets?|tokens?";
/// A pin may also be stuck into a map: its value has digits.
const PIN: &str = r"(?:(?:code|código|codice|kod) )?pin(?:[ -]?(?:codes?|numbers?|nummer))?";
/// Things that a credential opens.
const PURPOSE: &str =
    r"(?:\s+(?:for|to|of|on|at|für|zum|zu|vom|de|du|des|pour|per|del|di|do|da|voor|van)\s+[^.!?;:=]{1,40}?)?";
/// Words that join a name to its value: "is", "was", "has been changed to", a colon, an equals sign.
const JOINTS: &str = concat!(
    r"(?:\s*[:=]|\s+(?:(?:is|was|are|were|will be|has been|should be|remains)\b|(?:changed|set|reset|updated) to\b",
    r"|ist\b|lautet\b|lauten\b|sind\b|war\b|est\b|était\b|sont\b|es\b|era\b|son\b|è\b|sono\b|é\b|são\b",
    r"|jest\b|är\b|это\b))",
);
/// Scripts that put no spaces between words.
const UNSPACED: &str =
    "(?:密码|密碼|口令|令牌|密钥|パスワード|暗証番号|비밀번호)(?:是|为|為|は|는|은|:|：|=|\\s)";
/// People have credentials too, and they hang on walls.
const HONOURED: &str = concat!(
    r"(?:academic|teaching|professional|impressive|press|medical|strong|street|scientific|research|acting",
    r"|political|conservative|progressive|green|democratic|legal|nursing|educational|journalistic|impeccable)",
    r"\s+(?:\w+\s+)?credential",
);

/// Returns true for a fact about a credential, which is no knowledge about a person.
pub fn looks_like_credential(text: &str) -> bool {
    static PHRASES: OnceLock<Option<(ScreenedRegex, ScreenedRegex)>> = OnceLock::new();
    let phrases = PHRASES.get_or_init(|| {
        let named = format!(r"(?:^|[^\p{{L}}])(?:(?:{NAMES}){PURPOSE}|{LOOSE_NAMES}){JOINTS}|(?:^|[^\p{{L}}]){PIN}{PURPOSE}{JOINTS}[^0-9\n.!?]{{0,12}}[0-9]{{3}}");
        let handed_over = format!("(?i){named}|{UNSPACED}|credential|{GIVEN}");
        Some((compiled::regex(&handed_over).ok()?, compiled::regex(&format!("(?i){HONOURED}")).ok()?))
    });
    let Some((handed_over, honoured)) = phrases else { return true };
    handed_over.is_match(&honoured.replace_all(text, ""))
}

/// A value before its name, or without a joint.
const GIVEN: &str = concat!(
    r"(?:\bis|\buse|\buses|\busing)\s+(?:my|the|our|his|her|their|your|as)\s+(?:\w+\s+){0,2}(?:password|passcode|passphrase|api key|pin code)\b",
    r"|\blog(?:s|ged)? ?in (?:with|using) \S+\s*/\s*\S+",
);

#[cfg(test)]
mod tests {
    use super::looks_like_credential;

    #[test]
    fn credentials_are_recognised_in_many_phrasings() {
        let facts = [
            "The password is hunter2",
            "Her password for the router: sunflower",
            "wifi password = abc",
            "My API key is in the drawer",
            "api-key: 12",
            "The secret is 42",
            "the access token is tok",
            "token: abc",
            "the PIN is 4711",
            "His pin code was changed to 0815",
            "The root credentials are in the safe",
            "credential for staging",
            "sunflower is my password",
            "the alarm code is 1234",
            "Das Passwort ist Sonnenblume",
            "Das Passwort für das WLAN lautet Sonne",
            "Le mot de passe est tournesol",
            "La contraseña es girasol",
            "La password è girasole",
            "A senha é girassol",
            "Het wachtwoord is zonnebloem",
            "Пароль: подсолнух",
            "密码是123456",
            "パスワードはひまわり",
        ];
        facts.iter().for_each(|fact| assert!(looks_like_credential(fact), "{fact}"));
    }

    #[test]
    fn ordinary_facts_are_left_alone() {
        let facts = [
            "the secret to good bread is patience and salt",
            "She gave him a ring as a token of gratitude",
            "He likes to keep secrets",
            "Anna collects enamel pins",
            "She forgot her password again",
            "They talked about password managers",
            "Her academic credentials are impressive",
            "The key to the garden lies under the pot",
            "Anna's key lime pie is famous",
            "He plays the piano and is a passionate cook",
            "Er mag Kennzeichen aus Blech",
            "The pinnacle is far",
            "Top secret documents interest him",
            "He passed the wordy exam",
        ];
        facts.iter().for_each(|fact| assert!(!looks_like_credential(fact), "{fact}"));
    }
}
