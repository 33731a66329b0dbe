//! English.

mod fact;
mod request;

use super::Language;
use super::rules::*;

pub(super) static RULES: LanguageRules = LanguageRules {
    language: Language::English,
    stop_words: "a about after all also am an and any are as at be because been before being but by can could d did do \
            does doing don for from had has have having he her here hers him his how i if in into is it its just ll \
            m me my no not now of on or our ours out over re s shall she should so some such t than that the their \
            theirs them then there these they this those to too up us ve very was we were what when where which \
            while who whom whose why will with would you your yours",
    request: request::REQUEST,
    clause: ClauseWords {
        regular_verbs: "accept achieve act adapt add admire adopt advise agree aim allow answer appear apply appreciate approve \
            argue arrange arrive ask assist attend avoid bake ban battle belong believe bike blog boil book borrow \
            bowl box brew broadcast browse calculate call camp cancel care carry celebrate change charge chair check \
            claim clean climb close coach code collaborate collect combine comment commute communicate compete \
            complain complete compose conduct confirm connect consider consult consume contact contain contribute \
            control convert cook coordinate cope copy count cover craft create crochet curate cycle dance date \
            debate decide decline decorate defend deliver demand deny depend describe deserve design develop die \
            dine direct disable discover discuss dislike dive donate doubt draft dream dress earn edit \
            elect embrace employ encourage enjoy enrol enroll enter establish examine exercise exist expand expect \
            experience explain explore export express face fail farm fast fear feature file film finish finalize \
            fish fix focus follow fold foster found fund gain garden gather golf grill graduate guide handle happen \
            hate head heal help hike hire hope host hunt identify ignore illustrate import improve include increase \
            inherit inject insist inspect install intend interview introduce invest investigate invite issue jog \
            join judge juggle jump kayak kick kiss knit knock lack last launch laugh learn lease lecture lift like \
            limit list listen live load lock look love maintain manage manufacture march mark marry master matter \
            measure meditate mend mentor mention migrate mind minister miss mix model monitor move narrate need \
            negotiate neglect note notice obey observe obtain occupy offer open operate oppose order organise \
            organize outsource oversee owe own pack paint park participate party pass pay perform phone photograph \
            pick pilot plan plant play pledge post pour practise practice praise pray preach prefer prepare \
            prescribe present preside prevent produce program promise promote pronounce protect prove provide \
            publish pull pump purchase push qualify question race raise reach react read realise realize receive \
            recite recognise recommend record recover recycle reduce refer refuse regard register regret rehearse \
            reject relate relax release relocate rely remain remember remind remove renew renovate rent repair \
            repeat replace reply report represent request require rescue research reserve reside resign resist \
            respect rest restore restrict retire return reuse reveal review roast row rule sail sample sanction save \
            schedule score search seem select separate serve settle share shave ship shop skate sketch ski skip \
            smile smoke sneeze snowboard solve sort specialise specialize sponsor start state stay step stop store \
            struggle study stutter subscribe succeed suffer suggest supervise supply support suppose surf surround \
            survive suspect switch tackle talk target taste tend test thank tour trace track trade train transfer \
            translate travel treat trust try tutor turn type update upgrade use value view visit volunteer vote wait \
            walk want warn wash watch water weigh welcome whistle wish wonder work worry wrestle write",
        verbs: "ate eats eat became become becomes began begins begin bought buys buy brought brings bring built builds \
            build caught catches came comes come cost costs cut cuts did does do drank drinks drink drove drives \
            drive fell falls felt feels feel fought flew flies fly forgot forgets forget found finds find gave gives \
            give got gets get goes went go grew grows grow had has have heard hears hear held holds hold hit hurt \
            hurts kept keeps keep knew knows know laid led left leaves leave lent let lets lies lost loses lose made \
            makes make meant means met meets meet paid quits rode rides ride rose rises ran runs run said says say \
            sang sings sing sat sits saw sees see sent sends send sold sells sell shot slept sleeps spent spends \
            spend spoke speaks speak stood stands stuck swam swims taught teaches teach thinks thought think threw \
            told tells tell took takes take understood understands wakes woke wears wore wear won wins wrote writes \
            swears swore draws drew draw breeds bred bind bound chose chooses choose deals dealt digs dug feeds fed \
            feed freezes froze hangs hung hides hid hosts leads lead quit sets set shakes shook \
            shines shone shoots shrinks splits split spreads spread steals stole sticks strikes struck withdrew \
            withdraws overcame overcomes undergoes underwent prefers preferred",
        bare_verbs: "eat become begin buy bring build come cut drink drive feel find fly forget get give go grow have hear \
            hold keep know leave lose make meet ride run say see sell send sing speak spend take teach tell think \
            wear do",
        auxiliaries: "am is are was were be been has have had does do did will would can could should may might must cannot \
            isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't can't couldn't \
            shouldn't i'm i've i'd i'll he's she's it's we're we've they're they've you're",
        modals: "will would can could should may might must cannot won't wouldn't can't couldn't shouldn't to do does did \
            don't doesn't didn't let lets i'll i'd",
        actors: "i we he she they you user",
        determiners: "the a an my our his her their your its this that these those some any no each every both",
        adverbs: "now also currently still only just never often usually recently then always sometimes already really \
            mainly mostly actually even later soon again finally occasionally rarely regularly probably previously \
            formerly no longer",
        openers: "if when whenever unless because although though since while whether that as before after until",
        pointers: "there this it them that these those one so thus therefore hence which",
        persons: "he she they",
        persons_own: "his her their",
        coordinators: "and but plus yet",
        alternatives: "or",
        each: "both each",
        of_one,
        relatives: "who which whose where whom",
        tails: "because although though whereas while since",
        prepositions: "in at to for with from by of on as about into",
        abbreviations: "mr mrs ms dr prof st no vs etc e.g i.e approx dept inc ltd co jr sr",
        regular_forms,
        neutral_joints: &[("but", ", and"), ("yet", ", and")],
    },
    intent: IntentPhrases {
        // "Me" is not here: "tell me" says nothing of whose.
        own: "i|my|mine|myself",
        shared: "we|our|ours|us|my team|my team s",
        company: "the company|our company|my company|company wide|the organisation|the organization",
        documents: "the docs|our docs|the documentation|our documentation|the handbook|our handbook|the wiki|our wiki|\
            the manual",
        open: "what do you know about|what do you remember about|what do you know of",
    },
    pointer: PointerRules {
        words: &[
            ("he", Stand::Word("someone")),
            ("she", Stand::Word("someone")),
            ("it", Stand::Word("something")),
            ("they", Stand::Word("some people")),
            ("him", Stand::Word("someone")),
            ("her", Stand::Alone { next: AFTER_WHOM, alone: "someone", before: "someone's" }),
            ("them", Stand::Word("some people")),
            ("his", Stand::Word("someone's")),
            ("hers", Stand::Word("someone's")),
            ("its", Stand::Word("something's")),
            ("their", Stand::Word("some people's")),
            ("that", Stand::Alone { next: AFTER_THAT, alone: "something", before: "a" }),
            ("this", Stand::Alone { next: AFTER_THAT, alone: "something", before: "a" }),
            ("those", Stand::Alone { next: AFTER_THAT, alone: "some things", before: "some" }),
            ("these", Stand::Alone { next: AFTER_THAT, alone: "some things", before: "some" }),
            ("there", Stand::Unless { next: "is are was were s", word: "somewhere" }),
            ("same", Stand::Unknown),
        ],
        contractions: &[("re", "are"), ("ve", "have")],
        relatives: "who whom that which",
    },
    fact: fact::FACT,
    noun: fact::NOUN,
    condense: CondenseRules {
        numbers: "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
            seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand \
            million billion dozen twice half",
        times: "yesterday today tomorrow tonight ago weekend weekends week weeks month months year years decade decades \
            monday tuesday wednesday thursday friday saturday sunday january february april june july august \
            september october november december",
        leaning: "it it's that that's this these those they he she you you're yes no if",
        leaning_values: "it that this these those them you your how there",
        decisions: r"(?:i|we)(?:'ve| have)? (?:finally |just |now )?(?:decided|agreed|settled on|made up (?:my|our) minds?|chose|went with)|we(?:'ll| will| shall) go with|the decision is|decision:",
        habits: r"\b(?:i|we|my \w+|our \w+)\b.{0,60}\b(?:usually|always|every (?:day|morning|evening|night|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|each (?:day|morning|evening|week|month|year)|(?:once|twice|three times) a (?:day|week|month|year))\b",
        refusals: r"(?:(?:well|hm+|oh|actually|sorry|thanks)[, ]+(?:but )?)?(?:no[,.!;:–—]|no thanks?\b|nope\b|nah\b|rather not\b|not (?:that|this)\b|please don't\b|let's not\b|let us not\b|i(?:'d| would) rather\b|i don't (?:want|like|think so)\b|we don't want\b|that (?:won't|doesn't) work\b)",
        negations: r"(?:not|rather than|instead of|no longer|decided against|ruled out|dropped|don't want|do not want)",
        contrasts: "but",
        proposals: r"(?:i(?:'d| would)? (?:suggest|recommend|propose|go with|take|pick|choose)|let(?:'s| us)|(?:we|you) (?:could|should)|(?:how|what) about|why not|shall we|my suggestion)",
    },
    people: PeopleWords {
        roles: "contractor plumber electrician landlord landlady tenant dentist doctor lawyer solicitor accountant \
            teacher tutor trainer coach barber hairdresser mechanic gardener cleaner nurse therapist vet baker \
            butcher chef cook driver builder carpenter painter roofer architect engineer designer developer \
            recruiter consultant agent broker banker pastor priest rabbi imam nanny babysitter neighbour neighbor \
            janitor caretaker guard receptionist waiter waitress bartender photographer journalist editor professor \
            student intern salesman supplier vendor courier postman pharmacist surgeon physio physiotherapist \
            psychologist translator handyman locksmith tailor musician drummer guitarist guide instructor pilot \
            colleague boss manager client customer friend roommate flatmate",
        determiners: "the a an my our",
        copulas: "is was",
        origins: "from at",
        role_ends: "who that which from at of in and is was has with on for to",
        remark_ends: "who that which from at of in",
    },
    topic: TopicWords {
        stop: "a an the and or of in on at to for from by with without about as is are was were be been am do does did \
            not no never has have had i me my mine we us our you your he him his she her they them their it its this \
            that these those there here any all some every each who whom whose which what when where why how if than \
            then so but just only also still now current currently previous former new old first last more most very \
            really can could will would should may might must shall let s t",
        general: "record records information info data detail details account accounts status statuses profile history \
            note notes entry entries fact facts memory memories thing things stuff everything anything something \
            item items file files user users owner type kind usage use using used ownership owning situation level \
            primary main general related regarding concerning number numbers id ids code codes name names method \
            line current preference preferences lifestyle choice",
        roles: "patient patients customer customers client clients user users employee employees engineer engineers \
            student students vendor vendors contractor contractors athlete athletes resident residents subscriber \
            subscribers member members colleague colleagues friend friends professor doctor teacher manager boss \
            neighbour neighbor person people guy man woman lady developer developers team teams company supplier \
            reviewer tenant guest staff agent branch office department mr mrs ms dr prof",
        circumstances: "during after before while until because despite without when since",
        remarks: "the a an on in at from with of by this that who",
        predicates: "is was isn't wasn't has had hasn't hadn't does did doesn't didn't will would won't can could can't couldn't used never",
        joints: "to in at from with for of on by",
        numbered: "project plan phase version room team model release building block unit class group step stage operation \
            mission chapter part volume series season gate platform terminal line",
        things: THINGS,
    },
};

const THINGS: &[(Thing, Words, Words)] = &[
    (
        Thing::Home,
        "live living residence reside home hometown city town address relocation location move",
        "lives lived resides residing resident moved relocated relocate settled based apartment flat \
                neighbourhood neighborhood returned emigrated immigrated district downtown suburb",
    ),
    (
        Thing::Work,
        "work job jobs career employer employment workplace company occupation profession position role",
        "works worked working employed employee employs hired hire joined join joining quit resigned \
                promoted promotion started startup founder founded freelance freelancer engineer developer teacher \
                teach nurse lawyer accountant consultant director intern internship interviewed interview left \
                retired industry firm colleague",
    ),
    (
        Thing::Food,
        "diet dietary diets food foods eating nutrition",
        "eat eats ate meal meals vegan vegetarian veganism vegetarianism meat fish gluten halal kosher \
                fasting consume cuisine",
    ),
    (
        Thing::Marriage,
        "marital marriage relationship spouse partner",
        "married marry wife husband divorce divorced divorcing single engaged engagement fiance fiancee \
                fiancé fiancée widowed widow widower separated girlfriend boyfriend wedding dating",
    ),
    (
        Thing::Vehicle,
        "car cars vehicle vehicles transport transportation commute driving",
        "drive drives drove driver truck pickup van motorcycle motorbike scooter bike bikes cycling transit \
                lease leasing leased automobile",
    ),
    (Thing::Pet, "pet pets animal", "dog dogs puppy cat cats kitten rabbit hamster parrot horse adopted"),
    (
        Thing::Language,
        "language languages tongue",
        "speak speaks speaking spoke fluent fluently bilingual native english german french spanish italian \
                portuguese mandarin chinese japanese korean russian arabic hindi dutch swedish danish norwegian \
                polish turkish greek hebrew",
    ),
    (
        Thing::Programming,
        "programming language languages coding",
        "programmer program code codes backend frontend framework compiler script scripts",
    ),
    (Thing::Allergy, "allergy allergies allergic intolerance", "intolerant"),
    (
        Thing::Health,
        "health medical condition illness disease diagnosis",
        "diagnosed sick ill therapy treatment medication medicine prescribed prescription prescribe drug \
                dose tablets surgery hospital clinic symptoms diabetes asthma cancer depression anxiety",
    ),
    (
        Thing::Medicine,
        "medication medications medicine prescription prescriptions drugs pills",
        "prescribed prescribe takes dose mg tablets antibiotic antibiotics",
    ),
    (Thing::Income, "salary income pay wage wages compensation earnings", "earn earns earning earned bonus"),
    (
        Thing::Payment,
        "payment payments billing",
        "pay pays paying paid card credit debit invoice billed wire transfer cash cheque",
    ),
    (
        Thing::Subscription,
        "subscription subscriptions plan membership tier",
        "subscribed subscribe subscriber upgraded upgrade cancelled canceled renewal premium \
                trial",
    ),
    (
        Thing::Superior,
        "reporting manager supervisor boss hierarchy",
        "reports report reported manages managed",
    ),
    (Thing::Politics, "political politics party", "vote votes voted voter conservative liberal socialist"),
    (
        Thing::Religion,
        "religion religious faith",
        "church mosque synagogue temple christian catholic protestant muslim jewish hindu buddhist atheist \
                agnostic converted pray prays",
    ),
    (Thing::Phone, "phone phones smartphone mobile device", ""),
    (Thing::Computer, "computer computers laptop laptops workstation hardware device", "desktop pc monitor"),
    (Thing::Messages, "communication messaging chat", "communicate communicates communicating message email"),
    (
        Thing::Hobby,
        "hobby hobbies pastime leisure sport sports",
        "plays play playing chess tennis football soccer guitar piano violin painting hiking climbing \
                running cycling swimming gardening cooking photography knitting gaming",
    ),
    (
        Thing::Education,
        "education educational degree school university studies schooling",
        "doctorate master masters bachelor college studied study graduated graduate student diploma major \
                advisor advised thesis",
    ),
    (
        Thing::Family,
        "family relatives parents",
        "mother father mom mum dad sister brother siblings son daughter child children kids baby \
                grandmother grandfather aunt uncle cousin",
    ),
    (
        Thing::Housing,
        "property house housing rent estate",
        "rental rents rented landlord tenant mortgage owns owned bought sold purchased",
    ),
    (
        Thing::Drink,
        "drink drinks drinking beverage beverages",
        "drank coffee tea espresso latte beer wine alcohol alcoholic sober juice soda",
    ),
    (
        Thing::Smoking,
        "smoking tobacco",
        "smoke smokes smoker smoked cigarettes cigarette vape vaping nicotine",
    ),
    (Thing::Sleep, "sleep sleeping bedtime", "sleeps slept wake wakes insomnia nap"),
    (
        Thing::Fitness,
        "fitness exercise workout training",
        "gym exercises trains yoga pilates marathon runs running weights lifting",
    ),
    (Thing::Birth, "birthday age birth birthdate", "born aged turned"),
    (
        Thing::Travel,
        "travel trip trips holiday holidays vacation",
        "travels travelled flight flights flew hotel visited visits tour journey itinerary booked",
    ),
    (
        Thing::Meeting,
        "meeting meetings appointment appointments schedule calendar attendance",
        "scheduled event events conference attend attended attends",
    ),
    (
        Thing::Arts,
        "music films movies books reading genre",
        "song songs band album listens listening concert film movie series book novel author reads podcast",
    ),
    (
        Thing::Colour,
        "color colour colors colours",
        "red blue green yellow black white purple orange pink brown grey gray",
    ),
    (
        Thing::Password,
        "password passwords credentials login",
        "passphrase passcode pin credential token secret",
    ),
    (Thing::Mail, "email mail contact", "inbox mailbox e-mail"),
    (Thing::Insurance, "insurance", "insured insurer policy premium coverage covered"),
    (Thing::Bank, "bank banking account", "savings checking deposit banker iban"),
    (Thing::Debt, "debt debts loan loans", "owes owe owed borrowed mortgage repay repays lender"),
];

/// Words that follow "that" when it stands alone.
const AFTER_THAT: Words = "is was are were has had have will would can could should must might may did does do made makes means \
            meant works worked went goes came comes happened happens sounds sounded looks looked seems seemed takes \
            took gets got needs needed helps helped hurts hurt costs cost isn wasn didn doesn won s d ll";
/// Words that follow "her" when it is whom and not whose.
const AFTER_WHOM: Words = "yesterday today tomorrow again there here at in on to for and but or when while because that with about \
            from by if last this next later once twice too now then before after as a an the not how what why where \
            who until since often never always";

fn regular_forms(base: &str) -> Vec<String> {
    vec![third_person(base), past(base)]
}

/// Verbs whose past is their present: nobody can tell which of the two is meant.
const SAME_IN_PAST: &str = "read cut put set hit let quit split spread cost hurt shut cast bet";

/// The form of a verb for one, from that for several.
fn of_one(verb: &str) -> Option<String> {
    let is_in = |list: Words| list.split_whitespace().any(|listed| listed == verb);
    let clause = &RULES.clause;
    match verb {
        "are" => Some("is".to_owned()),
        "were" => Some("was".to_owned()),
        "have" => Some("has".to_owned()),
        _ if is_in(SAME_IN_PAST) => None,
        _ if is_in(clause.regular_verbs) || is_in(clause.bare_verbs) => Some(third_person(verb)),
        // A past form is the same for one and for several.
        _ => Some(verb.to_owned()),
    }
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
