//! Sentences that state a fact, and their nouns.

use Arity::{Event, Many, One, OneOfKind, Unsure, Usual};
use Sense::{Became, Denied, Ended, Plain, Was};

use super::super::rules::*;

pub(super) const FACT: FactRules = FactRules {
    patterns: &[
        named(RESIDENCE, One, Plain, r"S (?:live|lives|living|reside|resides|residing|based) in (?P<v>.+)"),
        named(RESIDENCE, One, Was, r"S (?:lived|resided|grew up|was born|was raised) in (?P<v>.+)"),
        named(
            RESIDENCE,
            One,
            Became,
            r"S (?:move|moved|moving|relocate|relocated|relocating) (?:back |over )?(?:from (?P<f>.+?) )?to (?P<v>(?-i:[A-Z]).+)",
        ),
        named("employer", One, Plain, r"S (?:work|works|working|employed) (?:at|for|by) (?P<v>.+)"),
        named("employer", One, Was, r"S worked (?:at|for) (?P<v>.+)"),
        named(
            "employer",
            One,
            Became,
            r"S (?:(?:got|took|started) (?:an? )?(?:new )?(?:job|role|position|work|working) (?:at|with)) (?P<v>(?-i:[A-Z]).+)",
        ),
        named("employer", Unsure, Became, r"S joined (?P<v>(?-i:[A-Z]).+)"),
        named(
            "employer",
            One,
            Ended,
            r"S (?:left|quit|resigned from|got fired from|stopped working (?:at|for)) (?:my job at |the job at )?(?P<v>(?-i:[A-Z]).+)",
        ),
        named("job", One, Plain, r"S (?:work|works|working|employed) as (?P<v>.+)"),
        named("job", One, Was, r"S worked as (?P<v>.+)"),
        named("job", One, Became, r"S (?:got promoted|promoted) to (?P<v>.+)"),
        named(
            "diet",
            One,
            Plain,
            r"S (?:become |became |went |turned |gone |going |eat |eats )?(?:an? )?(?:strict |mostly )?(?P<v>(?:lacto-|ovo-)*vegetarian|(?:raw )?vegan|(?:pesca|pesce|pollo|flexi)tarian|fruitarian|omnivore|omnivorous|carnivore)$",
        ),
        named(
            "marital status",
            One,
            Plain,
            r"S (?:get |got |getting )?(?P<v>single|married|divorced|widowed|engaged|separated)(?: to [a-z]+| with [a-z]+)?$",
        ),
        named("age", One, Plain, r"S (?:turned )?(?P<v>\d{1,3})(?: years? old)?$"),
        named("name", One, Plain, r"S (?:called|named|go by|goes by) (?P<v>(?-i:[A-Z]).+)"),
        named(
            "salary",
            One,
            Plain,
            r"S (?:earn|earns|earning|make|makes|making) (?:about |around )?(?P<v>(?:[$€£] ?\d[\d,.]*k?|\d[\d,.]*k? (?:dollars|euros|pounds|usd|eur|gbp))(?: (?:a|an|per) (?:year|month|hour|week))?|\d[\d,.]*k? (?:a|an|per) (?:year|month|hour|week))$",
        ),
        named("address", One, Plain, r"S (?:live|lives|living) at (?P<v>\d.+)"),
        named("car", Unsure, Plain, r"S (?:drive|drives|driving) (?:an? )?(?P<v>(?-i:[A-Z]).+)"),
        named(
            "school",
            Unsure,
            Plain,
            r"S (?:study|studies|studying|go to school|goes to school) at (?P<v>.+)",
        ),
        named("language", Many, Plain, r"S (?:speak|speaks) (?P<v>.+)"),
        named("allergy", Many, Plain, r"S allergic to (?P<v>.+)"),
        named("likes", Many, Plain, r"S (?:like|likes|love|loves|enjoy|enjoys|adore|adores) (?P<v>.+)"),
        named(
            "likes",
            Many,
            Denied,
            r"S (?:hate|hates|dislike|dislikes|detest|detests|cannot stand) (?P<v>.+)",
        ),
        named("likes", Many, Ended, r"S (?:stopped|quit|gave up) (?:liking|enjoying) (?P<v>.+)"),
        named(
            "meeting",
            OneOfKind,
            Plain,
            r"S (?:meet|meets|meeting) (?:up )?(?:every|on|at|each|in) (?P<v>.+)",
        ),
        named(
            SWITCH,
            One,
            Became,
            r"S (?:switched|switch|changed|migrated|converted|moved) (?:[a-z ]+ )?from (?P<f>.+?) to (?P<v>.+)",
        ),
        FactPattern {
            attribute: Attribute::Count,
            arity: Unsure,
            sense: Plain,
            source: r"S (?:have|has|got) (?P<v>one|two|three|four|five|six|no|an?|\d+) (?P<a>kids?|child|children|sons?|daughters?|dogs?|cats?|pets?|siblings?|brothers?|sisters?|cars?|bikes?)$",
        },
        FactPattern {
            attribute: Attribute::Group,
            arity: Unsure,
            sense: Plain,
            source: r"S (?:use|uses|using) (?P<v>.+?) (?:as|for) (?:my |the |our |his |her |their )?(?P<a>.+)",
        },
        FactPattern {
            attribute: Attribute::Group,
            arity: One,
            sense: Plain,
            source: r"(?P<v>.+?) (?P<m>(?:is|are|was|were)(?: now| not| no longer| still)*) (?P<s>my|our|the user's|(?-i:[A-Z])[\w-]+'s) (?:new |all-time |absolute )?(?P<a>favou?rite .+)",
        },
    ],
    subject: r"(?P<s>i|we|the user|user|my [a-z]+(?: (?-i:[A-Z])[\w'-]*)?|(?-i:[A-Z][a-z][\w-]*)(?: (?-i:[A-Z][a-z][\w-]*))?)",
    around: r"(?P<m>(?:(?: |')(?:now|currently|still|actually|just|recently|also|already|finally|officially|have|has|had|am|is|are|was|were|be|been|s|not|no longer|never|do|does|did|will|would|might|may|could|should|must|used to|want|wants|like|hope|hopes|plan|plans|planning|intend|thinking|of|about|considering|going|to|really|always|mainly|mostly|probably|maybe|perhaps|possibly|previously|formerly|once|love|about|once|temporarily|happily|legally|permanently|again|both|recently|today|as of today))*)",
    prefers: &[r"S (?:prefer|prefers) (?P<v>.+?) (?:over|to|rather than|instead of) (?P<f>.+)"],
    possessives: &[concat!(
        r"(?P<s>my [a-z]+ (?-i:[A-Z])[\w-]*'s|my [a-z]+'s|my|our|the user's|user's|users|the|(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)?'s) ",
        r"(?:new |current )?(?P<a>[a-z][a-z0-9 '-]*?)",
        r"(?P<m>(?: (?:is|are|was|were|has|have|been|be|now|currently|still|actually|not|no longer|will|would|might|may be|could|should|used to|changed|moved|switched|rescheduled|postponed|set|scheduled|probably|maybe|always))+)",
        r"(?: (?:to|at|on|in|for|due|by|from))* (?P<v>.+)",
    )],
    time_tails: r"now|today|again|these days|nowadays|anymore|any more|yesterday|(?:since|for|last|this|in) .+",
    leads: "actually|update|also|so|well|now|currently|today|correction|fyi|note that|remember that|\
            please remember that|remember|maybe|perhaps|i think|probably|previously|formerly|in the past|\
            as of today|(?:since|until|till) (?:[a-z]+ )?(?:then|[a-z]+|[12]\\d\\d\\d)|from then on|from now on|hedged|if|when",
    value_tails: r"with|because|since|which|who|where|when|after|before|while|until|now|anymore|any more|currently|these days|at the moment|right now|again|instead|nowadays|for now|as of|so that|for (?:the past |the last |over |about )?(?:\d+|two|three|four|five|ten|a few|many|several) (?:years?|months?|weeks?)|last (?:week|month|year|spring|summer|autumn|fall|winter|monday|tuesday|quarter)|this (?:week|month|year|spring|summer)|recently|but|in (?:19|20)\d\d|rather than|not",
    articles: "the",
    small_words: "a an my",
    naming_words: "called",
    owner: "i|we|my|our|the user|user|users",
    nobody: "he|she|it|they|this|that|there|someone|everyone|people|who|what|you|these|those|one|nobody|anyone|but|\
            and|yes|no|which|his|her|their|your|its",
    joints: "and|but|so",
    subjects_again: "i|we|my|our|the user",
    verbs_again: "work|works|live|lives|drive|drives|speak|speaks",
    conditions: "if|when|once|unless|suppose|imagine|should|assuming",
    hearsay: "said|says|told|asked|wrote|thinks|claims|believes|dreamed|dreamt",
    hedges: "might|may|maybe|perhaps|possibly|probably|would|could|should|want|wants|hope|hopes|plan|plans|planning|\
            intend|thinking|considering|going|will|think|if|when|temporarily|must|like",
    past: "was|were|used|had|did|previously|formerly|once|past|until|till",
    changes: "now|longer|then|changed|moved|switched|rescheduled|postponed|finally|recently|correction|update|officially",
    negations: "not|never|no",
    lasting: "since|then",
    since_then: "since then|from then on",
    light: "do does any at all ever",
    hedging_phrases: " am moving| is moving| are moving| am relocating|temporarily|for the summer| might |next year|\
            next month|if i |not sure|i guess|someday|one day|at least|only on|only for| also |part-time|part time|\
            sometimes|weekends|occasionally| as well|second job|freelance|during |half the year|on the side",
    past_phrases: " until | years ago| back then| as a child| as a kid| in my youth| when i was ",
    moves: " moved to| changed to| rescheduled| postponed| promoted to| switched",
    change_endings: "anymore|any more| now|these days|nowadays| instead",
    contractions: &[
        ("I'm ", "I am "),
        ("i'm ", "i am "),
        ("I've ", "I have "),
        ("i've ", "i have "),
        ("I'd ", "I would "),
        ("I'll ", "I will "),
        ("We're ", "We are "),
        ("we're ", "we are "),
        ("We've ", "We have "),
        ("n't ", " not "),
        ("can not", "cannot"),
        ("That's ", "That is "),
        ("it's ", "it is "),
    ],
    copulas: "am|is|are|be|been|was|s",
    stating_phrases: "turned |got |went |became |become |eat|go by|goes by",
    favourites: &[("colour", "colour"), ("film", "film")],
};

pub(super) const NOUN: NounRules = NounRules {
    attributes: &[
        (
            One,
            "address|birthday|blood type|bank|diet|email|home city|hometown|height|iban|job|last name|\
        license plate|name|native language|nickname|phone|pin|preferred language|salary|shoe size|surname|timezone|\
        username|weight|zip code|postcode|maiden name|middle name|first name|mother tongue|passport number|\
        wifi network|seat preference|pronouns|marital status|age|account number|city",
        ),
        (Usual, "employer"),
        (
            OneOfKind,
            "budget|capacity|cost|date|deadline|fee|launch|limit|meeting|price|quota|rate|release|rent|subscription|\
        version|bedtime|target",
        ),
        (
            Event,
            "appointment|call|checkup|class|concert|delivery|dinner|exam|flight|interview|lesson|party|session|start|\
        time|train|trip|wedding|score",
        ),
        (
            Unsure,
            "boss|boyfriend|bike|car|computer|dentist|doctor|editor|fiance|girlfriend|gym|husband|landlord|laptop|\
        manager|partner|plan|school|spouse|therapist|university|wife|office|venue|location|room|goal|major|team|\
        project|browser|insurance",
        ),
    ],
    synonyms: &[
        ("email", "e-mail|mail|email address|e-mail address|mail address"),
        (
            "phone",
            "phone number|mobile|mobile number|cell|cell number|telephone|telephone number|cell phone number|mobile phone number",
        ),
        ("birthday", "date of birth|birth date|birthdate|dob|bday"),
        ("timezone", "time zone"),
        ("address", "home address|postal address|mailing address"),
        ("job", "job title|occupation|profession|position"),
        ("employer", "company"),
        ("name", "full name"),
        ("salary", "income|pay|annual salary"),
        ("deadline", "due date"),
    ],
    spellings: &[("favorite", "favourite"), ("color", "colour")],
    numbered: "phone|pin|iban|account number|passport number|shoe size|height|weight|salary|age|zip code|postcode|\
        license plate",
    proper: "name|first name|last name|surname|nickname|maiden name|middle name|employer|bank|hometown|home city|city|\
        native language|mother tongue|preferred language|timezone|residence",
    unique_relations: "mother|father|mom|mum|dad|wife|husband|partner|girlfriend|boyfriend|fiance|fiancee|spouse|boss|landlord|\
        team|company",
    other_relations: "sister|brother|son|daughter|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandma|grandpa|friend|\
        manager|colleague|neighbour|neighbor|roommate|flatmate|dog|cat|doctor|dentist|therapist|teacher|ex",
    regions: "africa|alabama|alaska|america|argentina|arizona|arkansas|asia|australia|austria|bavaria|belgium|bosnia|\
        brazil|brittany|bulgaria|california|canada|chile|china|colombia|colorado|connecticut|croatia|czech republic|\
        czechia|delaware|denmark|egypt|england|estonia|europe|finland|florida|france|germany|ghana|great britain|\
        greece|hawaii|hungary|iceland|idaho|illinois|india|indiana|indonesia|iowa|ireland|israel|italy|japan|kansas|\
        kentucky|kenya|korea|latvia|lithuania|louisiana|maine|malaysia|maryland|massachusetts|mexico|michigan|\
        minnesota|missouri|montana|morocco|nebraska|netherlands|nevada|new hampshire|new jersey|new mexico|\
        new zealand|nigeria|north america|north carolina|northern ireland|norway|ohio|oklahoma|ontario|oregon|peru|\
        philippines|poland|portugal|provence|quebec|romania|scandinavia|scotland|serbia|sicily|slovakia|slovenia|\
        south africa|south america|south korea|spain|sweden|switzerland|taiwan|tennessee|texas|thailand|turkey|\
        tuscany|uk|ukraine|united kingdom|united states|us|usa|utah|vermont|vietnam|virginia|wales|wisconsin|wyoming",
    no_names: "peace|fear|hope|harmony|town|denial|poverty|luxury|home|night|school|church|hospital|work|sea|myself|weekends|\
        sales|marketing|engineering|design|hr|finance|product",
    fillers: "the a an of on at in s and",
    joints: "and or",
    days: "weekend tomorrow today",
    clock: "am pm oclock",
};
