//! German.

use Arity::One;
use Sense::{Became, Plain};

use super::Language;
use super::rules::*;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static RULES: LanguageRules = LanguageRules {
    language: Language::German,
    stop_words: "aber als also am an auch auf aus bei bin bis bist da dann das dass dein deine dem den der des dich die \
            dir doch du durch ein eine einem einen einer eines er es euch euer für gegen hab habe haben hat hatte \
            hatten hier ich ihm ihn ihnen ihr ihre im in ist ja kann kein keine können man mein meine mich mir mit \
            nach nicht noch nun nur ob oder ohne s sehr sein seine sich sie sind so um und uns unser unter vom von \
            vor war waren warum was weil wenn wer werden wie wir wird wo wurde würde zu zum zur über",
    request: REQUEST,
    clause: ClauseWords {
        verbs: "bin ist sind waren habe hat haben hatte wohne wohnt wohnen lebe lebt leben arbeite arbeitet arbeiten \
            spiele spielt spreche spricht fahre fährt esse isst trinke trinkt mag liebe liebt hasse hasst besitze \
            besitzt studiere studiert heiße heißt komme kommt gehe geht lerne lernt nehme nimmt trage trägt leide \
            leidet verdiene verdient",
        actors: "ich wir er sie",
        determiners: "mein meine meinen meinem meiner unser unsere sein seine ihr ihre der die das den dem ein eine einen \
            einem",
        adverbs: "jetzt auch noch nur nie oft immer schon seitdem",
        openers: "wenn weil dass ob obwohl als bevor nachdem",
        pointers: "dort das dies daran darüber dazu es",
        persons: "er sie",
        persons_own: "sein seine ihr ihre",
        coordinators: "und aber sowie",
        alternatives: "oder",
        tails: "weil obwohl",
        prepositions: "in bei mit von zu für",
        abbreviations: "nr bzw z.b ca",
        neutral_joints: &[("aber", "und")],
        ..ClauseWords::EMPTY
    },
    intent: IntentPhrases {
        own: "ich|mein|meine|meinen|meinem|meiner|meines",
        shared: "wir|unser|unsere|unseren|unserem|unserer|unseres|uns|mein team|meinem team",
        company: "die firma|der firma|unsere firma|unserer firma|das unternehmen|im unternehmen|dem unternehmen|\
            unser unternehmen",
        documents: "die doku|der doku|die dokumentation|der dokumentation|unserer dokumentation|das handbuch|im handbuch|\
            dem handbuch|die unterlagen|den unterlagen|im wiki",
        open: "was weisst du uber|was weisst du von",
    },
    pointer: PointerRules {
        words: &[
            ("er", Stand::Word("jemand")),
            ("sie", Stand::Number { verb: "sind", ending: "en", several: "einige", one: "jemand" }),
            ("es", Stand::Word("etwas")),
            ("ihn", Stand::Word("jemanden")),
            ("ihm", Stand::Word("jemandem")),
            ("ihr", Stand::Unknown),
            ("das", Stand::NotBeforeCapital("etwas")),
            ("dies", Stand::Word("etwas")),
            ("dort", Stand::Word("irgendwo")),
        ],
        relatives: "der die das den dem deren dessen",
        ..PointerRules::EMPTY
    },
    fact: FACT,
    noun: NOUN,
    condense: CondenseRules {
        numbers: "zwei drei vier funf sechs sieben acht neun zehn elf zwolf zwanzig dreissig hundert tausend dutzend \
            zweimal",
        times: "gestern heute morgen vorgestern ubermorgen wochenende woche wochen monat monate monaten jahr jahre \
            jahren montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar april mai juni juli \
            august september oktober november dezember",
        leaning: "das dies er sie wenn",
        decisions: r"(?:ich habe|wir haben) (?:uns |mich )?(?:[\wäöüß ]{0,40} )?(?:entschieden|beschlossen|vereinbart)",
        habits: r"\b(?:ich|wir|mein\w*|unser\w*)\b.{0,60}\b(?:immer|meistens|gewöhnlich|normalerweise|jeden (?:tag|morgen|abend|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|monat)|jede woche|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)\b",
        refusals: r"(?:(?:ach|hm+|also|danke)[, ]+(?:aber )?)?(?:nein\b|nee\b|lieber nicht\b|doch nicht\b|bitte nicht\b|bloß nicht\b|auf keinen fall\b|das will ich nicht\b|ich will (?:das )?nicht\b|das passt nicht\b)",
        negations: r"(?:nicht|keine[nm]?|statt|anstatt)",
        contrasts: "sondern",
        proposals: r"(?:ich (?:schlage|empfehle|würde)|wie wäre|lasst? uns|(?:wir|du|sie) könnte[nst]*|wir sollten|mein vorschlag)",
        ..CondenseRules::EMPTY
    },
    people: PeopleWords {
        roles: "handwerker klempner elektriker vermieter arzt anwalt lehrer nachbar",
        determiners: "der die ein mein unser",
        copulas: "ist war",
        origins: "von bei aus",
        ..PeopleWords::EMPTY
    },
    topic: TopicWords {
        stop: "der die das den dem des ein eine einen einem einer und oder von im ist sind war ich mein meine mich mir \
            du dein wir unser nicht kein keine über mit für auf",
        circumstances: "während nach vor weil",
        remarks: "der die das",
        predicates: "ist war hat hatte wird wurde",
        things: THINGS,
        ..TopicWords::EMPTY
    },
};

const THINGS: &[(Thing, Words, Words)] = &[
    (Thing::Home, "wohnort wohnung wohne zuhause adresse", "wohnt wohnen umgezogen gezogen"),
    (Thing::Work, "arbeit beruf arbeitgeber firma stelle", "arbeitet arbeite"),
    (Thing::Food, "ernährung", "essen isst vegetarisch"),
    (Thing::Marriage, "ehe", "verheiratet ehefrau ehemann geschieden scheidung ledig verlobt"),
    (Thing::Vehicle, "auto wagen", "fahre fährt"),
    (Thing::Pet, "haustier", "hund katze"),
    (Thing::Language, "sprache sprachen", "spreche spricht"),
    (Thing::Allergy, "allergie", "allergisch"),
    (Thing::Health, "gesundheit krankheit", ""),
    (Thing::Medicine, "medikament", ""),
    (Thing::Income, "gehalt einkommen", "verdiene verdient"),
    (Thing::Payment, "zahlung", ""),
    (Thing::Subscription, "abo abonnement", ""),
    (Thing::Superior, "vorgesetzter", ""),
    (Thing::Politics, "politik partei", "wahl"),
    (Thing::Religion, "glaube", ""),
    (Thing::Phone, "handy", ""),
    (Thing::Hobby, "freizeit", ""),
    (Thing::Education, "studium", "schule"),
    (Thing::Family, "familie", ""),
    (Thing::Housing, "miete", ""),
    (Thing::Drink, "trinke", "kaffee tee trinkt"),
    (Thing::Smoking, "rauchen", "raucht"),
    (Thing::Sleep, "schlaf", ""),
    (Thing::Birth, "geburtstag alter", ""),
    (Thing::Travel, "reise urlaub", ""),
    (Thing::Meeting, "termin", ""),
    (Thing::Arts, "musik", ""),
    (Thing::Colour, "farbe", ""),
    (Thing::Password, "passwort", ""),
    (Thing::Insurance, "versicherung", ""),
    (Thing::Debt, "schulden", ""),
];

const REQUEST: RequestRules = RequestRules {
    polite: "bitte,hallo,hey,hi,ok,okay,also,und,jetzt,ach,du,lacuna,sei so gut und,sei so nett und",
    closing: "bitte,danke,vielen dank,sofort,jetzt,fur immer,komplett,vollstandig,endgultig,wieder,aus deinem gedachtnis,\
        aus deinem speicher,aus dem gedachtnis",
    frames: &[
        (
            "vergiss,vergessen sie,vergiss bitte,vergessen sie bitte,losche,losche bitte,loesche,loesche bitte,loschen sie,\
             loschen sie bitte,entferne,entferne bitte,entfernen sie,streiche,streich,tilge,merke dir nicht,merk dir nicht,\
             ich will nicht dass du weisst,wirf weg",
            "",
        ),
        (
            "kannst du,kannst du bitte,konntest du,konntest du bitte,konnten sie,konnten sie bitte,konnen sie,wurdest du,\
             wurdest du bitte,wurden sie,wurden sie bitte,du sollst,du kannst,sie sollen,ich mochte dass du,\
             ich will dass du,ich mochte dass sie,ich bitte dich,ich will,ich mochte,bitte",
            "vergessen,vergisst,loschen,loschst,entfernen,entfernst,zu vergessen,zu loschen,geloscht haben,vergessen haben",
        ),
        (
            "ich will nicht dass du dich an,ich mochte nicht dass du dich an,ich mochte nicht dass sie sich an,\
             du sollst dich nicht an,du sollst dich nicht mehr an,erinnere dich nicht an,erinnere dich nicht mehr an",
            "erinnerst,erinnern",
        ),
        ("erinnere dich nicht an,erinnere dich nicht mehr an", ""),
        (
            "ich will nicht dass du dir,ich mochte nicht dass du dir,ich will nicht dass du,ich mochte nicht dass du",
            "merkst,behaltst,speicherst,weisst,kennst",
        ),
        ("", "vergessen,loschen"),
    ],
    remembers: "merke dir,merk dir,behalte,vergiss nicht,vergiss nie,vergiss niemals,losche nicht,erinnere dich an,\
        speichere",
    asks: "ich habe,ich hab,du hast,wir haben,weisst du,erinnerst du dich,hast du,kennst du,was weisst,was hast,wer ist,wer war,wie heisst,wo ist,wann war,\
        warum,wieso,sag mir,zeig mir,zeige mir,was ist,was sind,habe ich,soll ich",
    doubts: "vielleicht,eventuell,oder so,oder nicht,glaube ich,weiss nicht,ich weiss nicht,moglicherweise",
    keeps: "aber behalte,aber merke dir,aber merk dir,aber vergiss nicht,aber nicht,aber du darfst behalten,\
        aber du kannst behalten,aber behalt,und behalte,und merke dir,jedoch nicht,doch behalte,aber lass,\
        aber erinnere dich an,aber du darfst wissen,aber du darfst dir merken",
    excepts: "ausser,bis auf,mit ausnahme von,abgesehen von,ausgenommen",
    but: "ausser,aber",
    not: "nicht,kein,keine,nichts",
    several: "letzten paar,letzten zwei,letzten drei,letzten vier,letzten funf,paar,einige,einige der,manche",
    again: "und vergiss,und losche,aber vergiss,aber losche,und loesche,aber loesche",
    and: "und,sowie",
    only: "nur,bloss,lediglich",
    quantifiers: "alles,alle,jede,jeden,jedes,samtliche,sonst alles,alle meine,all meine,all",
    determiners: "der,die,das,den,dem,des,ein,eine,einen,einem,mein,meine,meinen,meinem,meiner,meines,unser,unsere,\
        unseren,unserem,unserer,dein,deine,deinen,deinem,deiner,diese,dieser,dieses,diesen,diesem,dass",
    records: "erinnerung,erinnerungen,information,informationen,daten,infos,info,angaben,eintrag,eintrage,notiz,notizen,\
        details,fakten,sachen,dinge,nachrichten,nachricht,datensatz,aufzeichnungen",
    relatives: "was,ich,du,wir,dir,mir,habe,hast,haben,weisst,gesagt,erzahlt,gespeichert,besprochen,gesprochen,geredet,\
        je,jemals,gerade,eben,mit,kennst,gemerkt,hatten",
    abouts: "uber,ueber,zu,zum,zur,von,vom,an,bezuglich,betreffend,hinsichtlich,rund um,mit bezug auf,in bezug auf,\
        die erwahnen,die nennen,in denen,was mit,mit",
    says: "ich gesagt habe,ich dir gesagt habe,ich dir erzahlt habe,ich erzahlt habe,wir besprochen haben,\
        wir gesprochen haben,ich sagte,gesagt habe,erzahlt habe,ich habe dir gesagt,ich habe gesagt",
    everything: "alles,alle erinnerungen,alle daten,alle meine daten,alle meine erinnerungen,meine daten,alles uber mich,\
        alles ueber mich,alles was du uber mich weisst,alles was du weisst,mich,meine erinnerungen,dein gedachtnis,\
        alles von mir,alles was ich dir gesagt habe,alles was ich dir erzahlt habe,alle informationen uber mich",
    last_said: "das,dies,was ich gesagt habe,was ich gerade gesagt habe,was ich eben gesagt habe,das letzte,\
        meine letzte nachricht,das letzte was ich gesagt habe,meinen letzten satz,die letzte nachricht",
    nothing: "alle,alles,alte,alten,neue,neuen,letzte,letzten,es,ihn,sie,er,ihm,ihr,ihnen,etwas,jemand,jemanden,nichts,und,oder,der,die,das,ein,eine,mal,doch,nicht,\
        dich,mir,wir,ich,du,zu,in,an,mit,von,bitte,vergiss,vergessen,losche,loschen,aber,nur,auch,dann,hier,da,so,\
        wer,was,wie,wo,wann,ding,sache",
    talk: "letztes gesprach,letzte unterhaltung,letzten chat,gesprach,unterhaltung,unterredung,chat,sitzung,konversation",
    talks: "gesprache,unterhaltungen,chats,sitzungen,konversationen,gesprachen,unterhaltungen",
    talk_tails: "mit dir,mit mir,zwischen uns,das wir hatten,die wir hatten",
    categories: &[
        (
            Sensitivity::Health,
            "gesundheit,gesundheitsdaten,gesundheitsinformationen,gesundheitliches,krankengeschichte,medizinisches,\
             gesundheitsangaben",
            "gesundheitliche,gesundheitlichen,medizinische,medizinischen",
        ),
        (
            Sensitivity::Financial,
            "finanzen,finanzdaten,finanzinformationen,finanzielles,geldsachen,geldangelegenheiten",
            "finanzielle,finanziellen",
        ),
        (Sensitivity::Biometric, "biometrie,biometriedaten", "biometrische,biometrischen"),
        (
            Sensitivity::Location,
            "standort,standorte,standortdaten,aufenthaltsorte,ortsdaten,standortverlauf",
            "ortliche",
        ),
        (
            Sensitivity::PoliticalReligious,
            "politik,religion,religion und politik,politik und religion,politische ansichten,politischen ansichten,\
             religiose ansichten,glauben,uberzeugungen,weltanschauung,politisches,religioses",
            "politische,politischen,religiose,religiosen",
        ),
        (
            Sensitivity::Relationships,
            "beziehungen,beziehungsdaten,liebesleben",
            "familiare,private beziehungs",
        ),
        (
            Sensitivity::Professional,
            "berufliches,berufsleben,arbeitsleben,karriere,berufsdaten",
            "berufliche,beruflichen",
        ),
        (Sensitivity::Preferences, "vorlieben,praferenzen,vorlieben und abneigungen,abneigungen", ""),
    ],
    tiers: &[
        (Tier::Working, "arbeitsgedachtnis"),
        (Tier::Episodic, "episodische,episodischen,episodisches gedachtnis,episodisches"),
        (Tier::Semantic, "semantische,semantischen,semantisches gedachtnis,semantisches"),
    ],
    sources: &[(
        SourceType::AiInference,
        "schlussfolgerungen,deine schlussfolgerungen,vermutungen,deine vermutungen",
    )],
    tagged: "mit dem schlagwort,mit schlagwort,mit dem tag,markiert mit",
    bound: "personliche,personlichen,private,privaten,wichtige,allgemeine,vertrauliche,geheime,sensible",
    elisions: "",
    abbreviations: "nr hr fr str",
    calendar: &CALENDAR,
};

static CALENDAR: Calendar = Calendar {
    days: [
        "montag,montags,montagabend",
        "dienstag,dienstags",
        "mittwoch,mittwochs",
        "donnerstag,donnerstags",
        "freitag,freitags",
        "samstag,samstags,sonnabend",
        "sonntag,sonntags",
    ],
    months: [
        "januar,janner",
        "februar",
        "marz,maerz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ],
    short_months: "jan feb mar apr jun jul aug sep sept okt nov dez",
    numbers: &[
        "einem,einer,eins,ein,eine,1",
        "zwei",
        "drei",
        "vier",
        "funf,fuenf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwolf",
    ],
    ordinals: "ter ten",
    units: &[
        (TimeUnit::Minute, "minute,minuten"),
        (TimeUnit::Hour, "stunde,stunden"),
        (TimeUnit::Day, "tag,tage,tagen"),
        (TimeUnit::Week, "woche,wochen"),
        (TimeUnit::Month, "monat,monate,monaten,monats"),
        (TimeUnit::Quarter, "quartal,quartale,quartalen,quartals"),
        (TimeUnit::Year, "jahr,jahre,jahren,jahres"),
    ],
    parts: &[
        (DayPart::Morning, "morgen,vormittag,fruh"),
        (DayPart::Afternoon, "nachmittag"),
        (DayPart::Evening, "abend"),
        (DayPart::Night, "nacht"),
    ],
    patterns: &[
        ("heute", TimeMeaning::DaysAgo(0)),
        ("gestern", TimeMeaning::DaysAgo(1)),
        ("vorgestern", TimeMeaning::DaysAgo(2)),
        ("morgen|ubermorgen", TimeMeaning::Future),
        ("nachste|nachsten|nachster #unit|#day|#month", TimeMeaning::Future),
        ("#figures", TimeMeaning::Figures),
        ("#day", TimeMeaning::Weekday),
        ("?dem|den|der letzten|letztem|letzter|vergangenen|vorigen #day", TimeMeaning::Weekday),
        ("diesen|diesem #day", TimeMeaning::ThisWeekday),
        ("#day letzter|letzte|letzten woche", TimeMeaning::WeekdayLastWeek),
        ("?#day ?der|den|dem #dom #month ?#year", TimeMeaning::MonthDay),
        ("#dom bis ?zum #dom2 #month ?#year", TimeMeaning::MonthDays),
        ("#doms #month ?#year", TimeMeaning::MonthDays),
        ("#month ?#year", TimeMeaning::Month),
        ("letzten|letztem|letzter #month", TimeMeaning::LastMonth),
        ("?dem|das jahr #year", TimeMeaning::Year),
        ("#year", TimeMeaning::Year),
        ("#q ?#year", TimeMeaning::Quarter),
        (
            "?der|dem|die letzten|letzte|letzter|letztes|letztem|vergangene|vergangenen|vorige|vorigen #unit",
            TimeMeaning::LastUnit,
        ),
        ("diese|dieser|diesen|diesem|dieses #unit", TimeMeaning::ThisUnit),
        ("?den|die|der letzten|vergangenen #n #unit", TimeMeaning::Rolling),
        ("vor #n #unit", TimeMeaning::Ago),
        ("vor ein|einigen paar #unit", TimeMeaning::Loose),
        ("vor einigen|mehreren #unit", TimeMeaning::Loose),
        ("neulich|kurzlich|irgendwann", TimeMeaning::Loose),
        ("alter als #n #unit", TimeMeaning::Older),
        ("heute #part", TimeMeaning::PartToday),
        ("gestern #part", TimeMeaning::PartYesterday),
        ("letzte|letzter #part", TimeMeaning::PartYesterday),
        ("?am letztes|letzten|vergangenes wochenende", TimeMeaning::Weekend),
    ],
    before: "vor,vor dem,vor der,alter als",
    after: "nach,nach dem,nach der",
    since: "seit,seit dem,seit der,ab,ab dem",
    until: "bis,bis zum,bis zur,bis einschliesslich",
    from: "von,vom,aus,aus dem,aus der",
    on: "am,im,an,in,in der,in den,wahrend,der,des,fur,in diesem",
    onwards: "an,aufwarts,und spater",
    asks_when: "wann,seit wann,bis wann,wie lange ist,vor wie vielen,an welchem tag,an welchem datum,welches datum,in welchem jahr,in welchem monat",
    ranges: &[("zwischen,zwischen dem", "und,und dem"), ("von,vom", "bis,bis zum"), ("", "bis,bis zum")],
};

const FACT: FactRules = FactRules {
    patterns: &[
        named(
            RESIDENCE,
            One,
            Plain,
            r"(?P<s>ich|wir) (?:wohne|wohnen|lebe|leben)(?P<m>(?: (?:jetzt|nun|inzwischen|derzeit|aktuell|vielleicht|nicht mehr|nicht|noch|seit [a-z0-9]+))*) in (?P<v>.+)",
        ),
        named(
            RESIDENCE,
            One,
            Became,
            r"(?P<s>ich|wir) (?:bin|sind)(?P<m>(?: (?:jetzt|nun|vor kurzem|kurzlich|gerade|letzten? [a-z]+))*) nach (?P<v>.+?) (?:gezogen|umgezogen)",
        ),
        named(
            "employer",
            One,
            Plain,
            r"(?P<s>ich) arbeite(?P<m>(?: (?:jetzt|nun|inzwischen|derzeit|aktuell|vielleicht|nicht mehr|nicht|noch))*) (?:bei|fur) (?P<v>.+)",
        ),
        named(
            "job",
            One,
            Plain,
            r"(?P<s>ich) arbeite(?P<m>(?: (?:jetzt|nun|inzwischen|derzeit|nicht mehr|nicht|noch))*) als (?P<v>.+)",
        ),
        named("name", One, Plain, r"(?P<s>ich) heisse(?P<m>(?: (?:jetzt|nun|nicht))*) (?P<v>.+)"),
        named("name", One, Plain, r"(?P<s>mein) name ist(?P<m>(?: (?:jetzt|nun|nicht))*) (?P<v>.+)"),
        FactPattern {
            attribute: Attribute::Favourite,
            arity: One,
            sense: Plain,
            source: r"(?P<s>meine?|unsere?) lieblings(?P<a>[a-z]+) (?P<m>(?:ist|sind|war)(?: jetzt| nun| nicht mehr| nicht)*) (?P<v>.+)",
        },
    ],
    leads: "vielleicht|fruher|inzwischen|jetzt|heute",
    value_tails: "seit|jetzt|gezogen",
    articles: "der die das",
    owner: "ich|wir|mein|meine|unser|unsere",
    joints: "und",
    subjects_again: "ich|mein",
    conditions: "wenn|falls",
    hedges: "vielleicht",
    past: "war|fruher",
    changes: "jetzt|nun|inzwischen|mehr",
    negations: "nicht|kein|keine|keinen|keinem|keiner|nie|niemals",
    light: "ein eine einen einem einer",
    past_phrases: "bis vor|ehemalig",
    stating_phrases: "heiss|name ist",
    favourites: &[
        ("farbe", "colour"),
        ("essen", "food"),
        ("gericht", "food"),
        ("film", "film"),
        ("buch", "book"),
        ("stadt", "city"),
    ],
    ..FactRules::EMPTY
};

const NOUN: NounRules = NounRules {
    regions: "afrika|agypten|amerika|argentinien|asien|australien|baden-wurttemberg|bayern|belgien|brandenburg|brasilien|\
        bulgarien|chile|danemark|deutschland|england|estland|europa|finnland|frankreich|griechenland|\
        grossbritannien|hessen|indien|indonesien|irland|island|israel|italien|japan|kanada|kenia|kolumbien|kroatien|\
        lettland|litauen|marokko|mecklenburg-vorpommern|mexiko|neuseeland|niederlande|niedersachsen|\
        nordrhein-westfalen|norwegen|osterreich|peru|polen|portugal|rheinland-pfalz|rumanien|saarland|sachsen|\
        sachsen-anhalt|schleswig-holstein|schottland|schweden|schweiz|serbien|skandinavien|slowakei|slowenien|\
        spanien|sudafrika|sudamerika|sudkorea|thailand|thuringen|tirol|tschechien|turkei|ukraine|ungarn|usa|vietnam",
    no_names: "frieden|angst|armut|hoffnung|luxus|krankenhaus|schule|kirche|nacht|vertrieb|einkauf|personalabteilung|\
        buchhaltung|schichten|teilzeit|vollzeit|homeoffice",
    fillers: "der das den dem ein eine einen einem und um",
    joints: "und oder",
    days: "heute morgen wochenende",
    clock: "uhr",
    ..NounRules::EMPTY
};
