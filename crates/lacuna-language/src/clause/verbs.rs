//! The words by which the parts of a sentence are told: verbs, those who act, and words that point back.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Everyday verbs in their base form; their regular forms are made from it.
const REGULAR: &str = "\
    accept achieve act adapt add admire adopt advise agree aim allow answer appear apply appreciate approve argue arrange \
    arrive ask assist attend avoid bake ban battle belong believe bike blog boil book borrow bowl box brew broadcast \
    browse calculate call camp cancel care carry celebrate change charge chair check claim clean climb close coach code \
    collaborate collect combine comment commute communicate compete complain complete compose conduct confirm connect \
    consider consult consume contact contain contribute control convert cook coordinate cope copy count cover craft \
    create crochet curate cycle dance date debate decide decline decorate defend deliver demand deny depend describe \
    deserve design develop die dine direct disable discover discuss dislike dive donate doubt downgrade draft dream dress \
    earn edit elect embrace employ encourage enjoy enrol enroll enter establish examine exercise exist expand expect \
    experience explain explore export express face fail farm fast fear feature file film finish finalize fish fix focus \
    follow fold foster found fund gain garden gather golf grill graduate guide handle happen hate head heal help hike \
    hire hope host hunt identify ignore illustrate import improve include increase inherit inject insist inspect install \
    intend interview introduce invest investigate invite issue jog join judge juggle jump kayak kick kiss knit knock lack \
    last launch laugh learn lease lecture lift like limit list listen live load lock look love maintain manage manufacture \
    march mark marry master matter measure meditate mend mentor mention migrate mind minister miss mix model monitor move \
    narrate need negotiate neglect note notice obey observe obtain occupy offer open operate oppose order organise \
    organize outsource oversee owe own pack paint park participate party pass pay perform phone photograph pick pilot \
    plan plant play pledge post pour practise practice praise pray preach prefer prepare prescribe present preside \
    prevent produce program promise promote pronounce protect prove provide publish pull pump purchase push qualify \
    question race raise reach react read realise realize receive recite recognise recommend record recover recycle reduce \
    refer refuse regard register regret rehearse reject relate relax release relocate rely remain remember remind remove \
    renew renovate rent repair repeat replace reply report represent request require rescue research reserve reside \
    resign resist respect rest restore restrict retire return reuse reveal review roast row rule sail sample sanction \
    save schedule score search seem select separate serve settle share shave ship shop skate sketch ski skip smile smoke \
    sneeze snowboard solve sort specialise specialize sponsor start state stay step stop store struggle study stutter \
    subscribe succeed suffer suggest supervise supply support suppose surf surround survive suspect switch tackle talk \
    target taste tend test thank tour trace track trade train transfer translate travel treat trust try tutor turn type \
    update upgrade use value view visit volunteer vote wait walk want warn wash watch water weigh welcome whistle wish \
    wonder work worry wrestle write";

/// Forms that no rule makes.
const IRREGULAR: &str = "\
    ate eats eat became become becomes began begins begin bought buys buy brought brings bring built builds build \
    caught catches came comes come cost costs cut cuts did does do drank drinks drink drove drives drive fell falls \
    felt feels feel fought flew flies fly forgot forgets forget found finds find gave gives give got gets get goes \
    went go grew grows grow had has have heard hears hear held holds hold hit hurt hurts kept keeps keep knew knows \
    know laid led left leaves leave lent let lets lies lost loses lose made makes make meant means met meets meet \
    paid quits rode rides ride rose rises ran runs run said says say sang sings sing sat sits saw sees see sent \
    sends send sold sells sell shot slept sleeps spent spends spend spoke speaks speak stood stands stuck swam swims \
    taught teaches teach thinks thought think threw told tells tell took takes take understood understands wakes \
    woke wears wore wear won wins wrote writes swears swore sleeps draws drew draw breeds bred bind bound chose \
    chooses choose deals dealt digs dug feeds fed feed freezes froze hangs hung hides hid hosts leads lead quit rebuilt \
    rebuilds sets set shakes shook shines shone shoots shrinks spends splits split spreads spread steals stole sticks \
    strikes struck swims withdrew withdraws overcame overcomes undergoes underwent prefers preferred runs";

const AUXILIARIES: &str = "am is are was were be been has have had does do did will would can could should may \
    might must cannot isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't can't \
    couldn't shouldn't i'm i've i'd i'll he's she's it's we're we've they're they've you're";

/// Verbs of other languages in the persons that speak of oneself and of a third.
const FOREIGN: &str = "\
    bin ist sind waren habe hat haben hatte wohne wohnt wohnen lebe lebt leben arbeite arbeitet arbeiten spiele \
    spielt spreche spricht fahre fährt esse isst trinke trinkt mag liebe liebt hasse hasst besitze besitzt studiere \
    studiert heiße heißt komme kommt gehe geht lerne lernt nehme nimmt trage trägt leide leidet verdiene verdient \
    suis est sont étais était ai ont avais avait habite habitons vis vit vivons travaille travaillons joue parle \
    conduis conduit mange bois boit aime déteste possède étudie m'appelle gagne prends prend souffre viens vient \
    soy es tengo tiene tienen tenía vivo vive viven vivimos trabajo trabaja trabajan trabajamos juego juega \
    hablo habla conduzco conduce como come bebo bebe odio odia estudio estudia llamo llama gano gana tomo toma sufro \
    sufre sono è abito abita vivo lavoro lavora gioco gioca parlo parla guido guida mangio mangia bevo beve amo ama \
    odio studio studia ho ha moro mora trabalho trabalha jogo joga falo fala dirijo dirige bebo gosto gosta";

/// Those who act, where no noun does.
const ACTORS: &str = "i we he she they you ich wir er sie je j' nous il elle ils elles on yo nosotros él ella ellos \
    ellas io noi lui lei loro eu nós ele ela eles elas user";
/// Words that begin a group of words around a noun.
const DETERMINERS: &str = "the a an my our his her their your its this that these those some any no each every both \
    mein meine meinen meinem meiner unser unsere sein seine ihr ihre der die das den dem ein eine einen einem mon ma \
    mes notre nos son sa ses le la les l' un une des mi mis nuestro nuestra su sus el los las una il lo gli um uma";
const ADVERBS: &str = "now also currently still only just never often usually recently then always sometimes already \
    really mainly mostly actually even later soon again finally occasionally rarely regularly probably previously \
    formerly no longer jetzt auch noch nur nie oft immer schon seitdem maintenant aussi encore toujours souvent ahora \
    también todavía siempre adesso anche ancora sempre agora também ainda";
/// Words after which what follows is no plain fact of its own.
const OPENERS: &str = "if when whenever unless because although though since while whether that as before after until \
    wenn weil dass ob obwohl als bevor nachdem si quand parce que lorsque cuando porque aunque se quando perché";
/// Verbs after which a bare verb is not said of the subject: "I want to move and work there".
const MODALS: &str = "will would can could should may might must cannot won't wouldn't can't couldn't shouldn't to do \
    does did don't doesn't didn't let lets i'll i'd";
/// Words that mean nothing without what stood before.
const POINTERS: &str = "there this it them that these those one so thus therefore hence which dort das dies daran \
    darüber dazu es là cela ça ce y lo eso esto ello allí ci ciò questo isso isto lá";
const PERSONS: &str = "he she they er sie il elle ils elles él ella ellos ellas lui lei ele ela eles elas";
const PERSONS_OWN: &str = "his her their sein seine ihr ihre";

struct Words {
    verbs: HashSet<String>,
    /// Verb forms that are also what "to" is followed by.
    bare: HashSet<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut verbs: HashSet<String> =
        [IRREGULAR, AUXILIARIES, FOREIGN].iter().flat_map(|list| set(list)).collect();
    let mut bare = HashSet::new();
    for base in REGULAR.split_whitespace() {
        verbs.extend([base.to_owned(), third_person(base), past(base)]);
        bare.insert(base.to_owned());
    }
    let odd = "eat become begin buy bring build come cut drink drive feel find fly forget get give go grow have hear hold \
        keep know leave lose make meet ride run say see sell send sing speak spend take teach tell think wear do";
    bare.extend(set(odd));
    Words { verbs, bare }
});

fn set(list: &str) -> impl Iterator<Item = String> + '_ {
    list.split_whitespace().map(str::to_owned)
}

fn third_person(base: &str) -> String {
    match base.as_bytes() {
        [.., before, b'y'] if !b"aeiou".contains(before) => format!("{}ies", &base[..base.len() - 1]),
        [.., b's' | b'x' | b'z' | b'o'] | [.., b'c' | b's', b'h'] => format!("{base}es"),
        _ => format!("{base}s"),
    }
}

fn past(base: &str) -> String {
    match base.as_bytes() {
        [.., b'e'] => format!("{base}d"),
        [.., before, b'y'] if !b"aeiou".contains(before) => format!("{}ied", &base[..base.len() - 1]),
        [.., before, vowel, last]
            if is_vowel(vowel)
                && !is_vowel(before)
                && !b"aeiouwxy".contains(last)
                && base.bytes().filter(is_vowel).count() == 1 =>
        {
            format!("{base}{}ed", *last as char)
        }
        _ => format!("{base}ed"),
    }
}

fn is_vowel(byte: &u8) -> bool {
    b"aeiou".contains(byte)
}

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

pub(super) fn is_verb(word: &str) -> bool {
    let contracted = word.split_once('\'').map_or(word, |(_, verb)| verb);
    WORDS.verbs.contains(word) || WORDS.verbs.contains(contracted)
}

/// A form that may follow "to", and is said of the subject only where it stands alone.
pub(super) fn is_bare(word: &str) -> bool {
    WORDS.bare.contains(word)
}

pub(super) fn is_auxiliary(word: &str) -> bool {
    listed(AUXILIARIES, word)
}

pub(super) fn is_actor(word: &str) -> bool {
    listed(ACTORS, word)
}

pub(super) fn is_determiner(word: &str) -> bool {
    listed(DETERMINERS, word)
}

pub(super) fn is_adverb(word: &str) -> bool {
    listed(ADVERBS, word)
}

pub(super) fn is_opener(word: &str) -> bool {
    listed(OPENERS, word)
}

pub(super) fn is_modal(word: &str) -> bool {
    listed(MODALS, word)
}

pub(super) fn is_pointer(word: &str) -> bool {
    listed(POINTERS, word)
}

pub(super) fn is_person(word: &str) -> bool {
    listed(PERSONS, word)
}

pub(super) fn is_persons_own(word: &str) -> bool {
    listed(PERSONS_OWN, word)
}

pub(super) fn is_coordinator(word: &str) -> bool {
    listed("and but und aber sowie et mais y e pero ma mas plus yet", word)
}

/// Words that begin a remark about what stands before them.
pub(super) fn is_relative(word: &str) -> bool {
    listed("who which whose where whom", word)
}

/// Words that begin a reason or a circumstance at the end of a sentence.
pub(super) fn is_tail(word: &str) -> bool {
    listed("because although though whereas while since weil obwohl porque aunque perché parce", word)
}

pub(super) fn is_preposition(word: &str) -> bool {
    listed(
        "in at to for with from by of on as about into in bei mit von zu für à en de chez avec pour con para",
        word,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_made_from_the_base() {
        for form in
            ["lives", "lived", "studies", "studied", "teaches", "planned", "jogged", "speaks", "moved"]
        {
            assert!(is_verb(form), "{form}");
        }
        for noun in ["berlin", "keyboard", "mandarin", "dogs"] {
            assert!(!is_verb(noun), "{noun}");
        }
        assert!(is_bare("work") && !is_bare("works"));
    }
}
