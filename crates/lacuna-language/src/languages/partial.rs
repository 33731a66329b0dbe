//! Languages of which the rules know some lists only.

use super::Language;
use super::rules::*;

pub(super) static PARTIAL: &[LanguageRules] = &[
    LanguageRules {
        language: Language::Portuguese,
        stop_words: "a ao aos as até com como d da das de dela dele do dos e ela elas ele eles em entre era essa esse esta \
            este está estão eu foi foram há isso isto já lhe mais mas me mesmo meu meus minha muito na nas nem no \
            nos nossa nosso não nós o os ou para pela pelo por porque qual quando que quem se sem ser seu seus sou \
            sua suas são só também te tem tenho teu tu tua um uma você vocês à às é",
        clause: ClauseWords {
            verbs: "moro mora trabalho trabalha jogo joga falo fala dirijo dirige bebo gosto gosta",
            actors: "eu nós ele ela eles elas",
            determiners: "um uma",
            adverbs: "agora também ainda",
            openers: "se quando que",
            pointers: "isso isto lá",
            persons: "ele ela eles elas",
            coordinators: "e mas",
            tails: "porque",
            prepositions: "para de",
            ..ClauseWords::EMPTY
        },
        ..LanguageRules::EMPTY
    },
    LanguageRules {
        language: Language::Dutch,
        stop_words: "aan al als bij ben bent bij daar dan dat de der deze die dit doch door dus een en er ge geen had hadden \
            heb hebben heeft hem het hier hij hoe hun ik in is ja je jij kan kon kunnen maar me meer met mij mijn \
            moet na naar niet nog nu of om omdat ons onze ook op over s t te tegen toch toen tot u uit uw van veel \
            voor waar waarom wanneer waren was wat we wel werd wie wij wil worden wordt zal ze zei zelf zich zij \
            zijn zo",
        ..LanguageRules::EMPTY
    },
    LanguageRules {
        language: Language::Russian,
        stop_words: "а без бы был была были было быть в вам вас ваш во вот все всё вы где да для до его ее её если есть еще \
            ещё же за и из или им их к как кто когда ли мне меня мой моя мы на над нам нас наш не него нее нет ни \
            них но ну о об он она они оно от по под при с свой себя со так там тебе тебя то того тоже только ты у \
            уже чем что чтобы это этот эта эти я",
        ..LanguageRules::EMPTY
    },
    LanguageRules {
        language: Language::Swedish,
        stop_words: "alla att av blev bli blir de dem den denna deras dess det detta dig din dina ditt du där då efter ej \
            eller en er ett från för ha hade han hans har henne hennes hon honom hur här i inte jag ju kan kunde man \
            med men mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina \
            sitt ska skulle som så till under upp ut utan vad var varför vara vem vi vid vilken är över",
        ..LanguageRules::EMPTY
    },
    LanguageRules { language: Language::Norwegian, stop_words: DANO_NORWEGIAN, ..LanguageRules::EMPTY },
    LanguageRules { language: Language::Danish, stop_words: DANO_NORWEGIAN, ..LanguageRules::EMPTY },
    LanguageRules {
        language: Language::Finnish,
        stop_words: "ei eivät en että ja jos jotka joka jonka kanssa koska kuin kuka kun kyllä me mikä mitä missä minkä minun \
            minut minä mutta myös ne niin nyt olen oli olla olet on ovat se sen siitä siinä sinun sinä sitä tai te \
            tämä tässä vaan vai vain voi",
        ..LanguageRules::EMPTY
    },
];

const DANO_NORWEGIAN: Words = "af alle at av ble blev blir bliver da de deg dei dem den denne der deres det dette dig din dine ditt du \
            eg ei eller en er et etter ett for fordi fra få før ha hade han hans har havde hendes henne hennes her \
            ho hos hun hva hvad hvem hver hvis hvor hvordan hvorfor i ikke ikkje ja jeg kan kom kunne man med meg \
            men mig min mine mit mitt mot mye når nå nei nej ned noe noen nogle og også om op opp os oss over på seg \
            selv si sig sin sine sit sitt skal skulle som så til ud under ut var ved vi vil ville være vår";
