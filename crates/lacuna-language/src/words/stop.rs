//! Words that say too little to search by. Short lists: what is merely frequent, BM25 discounts by itself.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::Language;

/// By the language's code.
static SETS: LazyLock<Vec<HashSet<&'static str>>> = LazyLock::new(|| {
    Language::ALL.iter().map(|&language| list(language).split_whitespace().collect()).collect()
});

pub(super) fn is_stop_word(language: Language, word: &str) -> bool {
    SETS[usize::from(language.code())].contains(word)
}

/// Every list is in lower case, with the pieces that apostrophes leave behind.
fn list(language: Language) -> &'static str {
    match language {
        Language::English => ENGLISH,
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
        Language::Italian => ITALIAN,
        Language::Portuguese => PORTUGUESE,
        Language::Dutch => DUTCH,
        Language::Russian => RUSSIAN,
        Language::Swedish => SWEDISH,
        Language::Norwegian | Language::Danish => DANO_NORWEGIAN,
        Language::Finnish => FINNISH,
        _ => "",
    }
}

const ENGLISH: &str = "a about after all also am an and any are as at be because been before being but by can \
    could d did do does doing don for from had has have having he her here hers him his how i if in into is it \
    its just ll m me my no not now of on or our ours out over re s shall she should so some such t than that \
    the their theirs them then there these they this those to too up us ve very was we were what when where \
    which while who whom whose why will with would you your yours";

const GERMAN: &str = "aber als also am an auch auf aus bei bin bis bist da dann das dass dein deine dem den der \
    des dich die dir doch du durch ein eine einem einen einer eines er es euch euer für gegen hab habe haben hat \
    hatte hatten hier ich ihm ihn ihnen ihr ihre im in ist ja kann kein keine können man mein meine mich mir mit \
    nach nicht noch nun nur ob oder ohne s sehr sein seine sich sie sind so um und uns unser unter vom von vor \
    war waren warum was weil wenn wer werden wie wir wird wo wurde würde zu zum zur über";

const FRENCH: &str = "a ai as au aux avec c ce ces cet cette d dans de des du elle elles en est et eu il ils j \
    je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas pour qu que \
    quel quelle qui quoi s sa se ses si son sont sur t ta te tes toi ton tu un une vos votre vous y à été être";

const SPANISH: &str = "a al algo ante antes como con contra cual cuando cuándo cómo de del desde donde dónde el \
    ella ellas ellos en entre era es esa ese eso esta este esto está están fue ha han hasta hay la las le les lo \
    los me mi mis mucho muy más mí nada ni no nos nosotros o os para pero por porque que quien quién qué se ser \
    si sin sobre son soy su sus sí también tan te tengo ti tiene tu tus tú un una uno unos y ya yo él";

const ITALIAN: &str = "a ad agli ai al alla alle allo anche c che chi ci col come con cosa d da dagli dai dal \
    dalla dalle de degli dei del dell della delle dello di dove e ed era gli ha hai hanno ho i il in io l la le \
    lei li lo loro lui m ma mi mia mie miei mio ne negli nei nel nella nelle noi non nostro o per perché più \
    quale quando quello questa questo s se sei si sia siamo sono su sua sue sugli sui sul sulla suo t ti tra tu \
    tua tuo un una uno v vi voi è";

const PORTUGUESE: &str = "a ao aos as até com como d da das de dela dele do dos e ela elas ele eles em entre era \
    essa esse esta este está estão eu foi foram há isso isto já lhe mais mas me mesmo meu meus minha muito na \
    nas nem no nos nossa nosso não nós o os ou para pela pelo por porque qual quando que quem se sem ser seu seus \
    sou sua suas são só também te tem tenho teu tu tua um uma você vocês à às é";

const DUTCH: &str = "aan al als bij ben bent bij daar dan dat de der deze die dit doch door dus een en er ge geen \
    had hadden heb hebben heeft hem het hier hij hoe hun ik in is ja je jij kan kon kunnen maar me meer met mij \
    mijn moet na naar niet nog nu of om omdat ons onze ook op over s t te tegen toch toen tot u uit uw van veel \
    voor waar waarom wanneer waren was wat we wel werd wie wij wil worden wordt zal ze zei zelf zich zij zijn zo";

const RUSSIAN: &str = "а без бы был была были было быть в вам вас ваш во вот все всё вы где да для до его ее её \
    если есть еще ещё же за и из или им их к как кто когда ли мне меня мой моя мы на над нам нас наш не него нее \
    нет ни них но ну о об он она они оно от по под при с свой себя со так там тебе тебя то того тоже только ты у \
    уже чем что чтобы это этот эта эти я";

const SWEDISH: &str = "alla att av blev bli blir de dem den denna deras dess det detta dig din dina ditt du där då \
    efter ej eller en er ett från för ha hade han hans har henne hennes hon honom hur här i inte jag ju kan kunde \
    man med men mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina \
    sitt ska skulle som så till under upp ut utan vad var varför vara vem vi vid vilken är över";

const DANO_NORWEGIAN: &str = "af alle at av ble blev blir bliver da de deg dei dem den denne der deres det dette \
    dig din dine ditt du eg ei eller en er et etter ett for fordi fra få før ha hade han hans har havde hendes \
    henne hennes her ho hos hun hva hvad hvem hver hvis hvor hvordan hvorfor i ikke ikkje ja jeg kan kom kunne \
    man med meg men mig min mine mit mitt mot mye når nå nei nej ned noe noen nogle og også om op opp os oss over \
    på seg selv si sig sin sine sit sitt skal skulle som så til ud under ut var ved vi vil ville være vår";

const FINNISH: &str = "ei eivät en että ja jos jotka joka jonka kanssa koska kuin kuka kun kyllä me mikä mitä \
    missä minkä minun minut minä mutta myös ne niin nyt olen oli olla olet on ovat se sen siitä siinä sinun sinä \
    sitä tai te tämä tässä vaan vai vain voi";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_belong_to_their_language() {
        assert!(is_stop_word(Language::English, "the"));
        assert!(!is_stop_word(Language::German, "the"));
        assert!(is_stop_word(Language::German, "für"));
        assert!(!is_stop_word(Language::Other, "the"));
    }
}
