//! Italian. Words that are also English ("due", "come") or names ("Mia", "Su", "Di") stay out of the lists that are
//! read for every language at once.

use Arity::One;
use Sense::{Became, Ended, Plain};

use super::Language;
use super::rules::*;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static RULES: LanguageRules = LanguageRules {
    language: Language::Italian,
    stop_words: "a ad agli ai al alla alle allo anche c che chi ci col come con cosa d da dagli dai dal dalla dalle de \
        degli dei del dell della delle dello di dove e ed era gli ha hai hanno ho i il in io l la le lei li lo loro lui \
        m ma mi mia mie miei mio ne negli nei nel nella nelle noi non nostro o per perché più quale quando quello \
        questa questo s se sei si sia siamo sono su sua sue sugli sui sul sulla suo t ti tra tu tua tuo un una uno v vi \
        voi è",
    request: REQUEST,
    clause: ClauseWords {
        verbs: "sono è abito abita abitiamo vivo vive viviamo lavoro lavora lavorano gioco gioca parlo parla guido guida \
            mangio mangia bevo beve amo ama odio odia studio studia ho ha hanno chiamo chiama prendo prende soffro soffre",
        actors: "io noi lui lei loro",
        determiners: "il lo la gli le un una",
        adverbs: "adesso anche ancora sempre spesso",
        openers: "se quando perché mentre",
        pointers: "ci ciò questo quello",
        persons: "lui lei",
        coordinators: "e ma",
        alternatives: "oppure",
        tails: "perché sebbene",
        prepositions: "con per presso",
        abbreviations: "sig dott",
        neutral_joints: &[("ma", "e")],
        ..ClauseWords::EMPTY
    },
    intent: IntentPhrases {
        own: "io|mio|mia|miei|mie|preferisco|abito|lavoro|sono|voglio",
        shared: "noi|nostro|nostra|nostri|nostre|il mio team|la mia squadra|abbiamo|siamo",
        company: "l azienda|la nostra azienda|la mia azienda|la ditta",
        documents: "la documentazione|la nostra documentazione|il manuale|i documenti",
        open: "che cosa sai di|cosa sai di|cosa sai su|cosa ricordi di",
    },
    pointer: PointerRules {
        words: &[
            ("lui", Stand::Word("qualcuno")),
            ("lei", Stand::Word("qualcuno")),
            ("loro", Stand::Word("alcune persone")),
            ("questo", Stand::Word("qualcosa")),
            ("quello", Stand::Word("qualcosa")),
            ("ciò", Stand::Word("qualcosa")),
            ("lì", Stand::Word("da qualche parte")),
        ],
        relatives: "che cui",
        ..PointerRules::EMPTY
    },
    fact: FACT,
    noun: NOUN,
    condense: CondenseRules {
        numbers: "tre quattro cinque sei sette otto nove dieci undici dodici venti trenta cento mille dozzina",
        times: "ieri oggi domani settimana settimane mese mesi anno anni lunedi martedi mercoledi giovedi venerdi sabato \
            domenica gennaio febbraio aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        leaning: "questo quello lui lei se",
        decisions: r"(?:ho|abbiamo) (?:deciso|scelto|concordato)",
        habits: r"\b(?:di solito|normalmente|ogni (?:giorno|mattina|sera|settimana|mese|anno)|tutti i giorni)\b.{0,60}\b(?:\w+o|\w+mo)\b",
        refusals: r"(?:(?:beh|ma|grazie)[, ]+)?(?:no[,.!;]|meglio di no\b|preferisco di no\b|non voglio\b|quello no\b|assolutamente no\b)",
        negations: r"(?:non|invece d\w+|al posto d\w+)",
        contrasts: "ma",
        proposals: r"(?:propongo|suggerisco|consiglio|potremmo|potresti|che ne dici|dovremmo)",
        ..CondenseRules::EMPTY
    },
    people: PeopleWords {
        roles: "idraulico elettricista medico dottoressa avvocato insegnante vicino vicina collega",
        determiners: "il la un una mio nostro nostra",
        copulas: "è era",
        origins: "presso",
        ..PeopleWords::EMPTY
    },
    topic: TopicWords {
        stop: "il la gli un una e o con per io mio noi nostro nostra non sono è del della dei delle al alla",
        circumstances: "durante dopo prima mentre perché",
        remarks: "il la",
        predicates: "è era fu ha aveva sta",
        things: THINGS,
        ..TopicWords::EMPTY
    },
};

const THINGS: &[(Thing, Words, Words)] = &[
    (Thing::Home, "residenza indirizzo", "abito abita trasferito trasferita"),
    (Thing::Work, "lavoro impiego azienda", "lavora"),
    (Thing::Food, "dieta alimentazione", "mangio mangia"),
    (Thing::Marriage, "matrimonio", "sposato sposata moglie marito divorziato divorziata"),
    (Thing::Vehicle, "macchina", "guido guida"),
    (Thing::Pet, "", "cane gatto"),
    (Thing::Language, "lingua lingue", "parlo parla"),
    (Thing::Allergy, "", "allergico allergica"),
    (Thing::Health, "salute malattia", ""),
    (Thing::Medicine, "medicina farmaco", ""),
    (Thing::Income, "stipendio", "guadagno guadagna"),
    (Thing::Payment, "pagamento", ""),
    (Thing::Subscription, "abbonamento", ""),
    (Thing::Politics, "politica partito", ""),
    (Thing::Religion, "religione fede", ""),
    (Thing::Phone, "telefono", ""),
    (Thing::Hobby, "passatempo", ""),
    (Thing::Education, "studi", "scuola"),
    (Thing::Family, "famiglia", ""),
    (Thing::Housing, "casa affitto", ""),
    (Thing::Drink, "bevanda", "bevo beve"),
    (Thing::Smoking, "", "fumo fuma"),
    (Thing::Sleep, "sonno", ""),
    (Thing::Birth, "compleanno età", ""),
    (Thing::Travel, "viaggio vacanza", ""),
    (Thing::Meeting, "appuntamento riunione", ""),
    (Thing::Arts, "musica", ""),
    (Thing::Colour, "colore", ""),
    (Thing::Insurance, "assicurazione", ""),
    (Thing::Debt, "debito", ""),
];

const REQUEST: RequestRules = RequestRules {
    polite: "per favore,per piacere,per cortesia,ciao,ehi,senti,ok,ora,adesso,lacuna,puoi,potresti,puo,potrebbe,vorrei che,\
        vorrei che tu,voglio che tu,vorrei,voglio,ti prego,ti prego di,ti chiedo di,ho bisogno che tu,fammi il favore di",
    closing: "per favore,per piacere,grazie,grazie mille,ora,adesso,subito,per sempre,completamente,del tutto,\
        definitivamente,dalla tua memoria,dalla memoria",
    frames: &[(
        "dimentica,dimenticare,dimentichi,dimenticati di,dimenticati del,dimenticati della,dimenticati dell',scorda,\
         scordare,scordati di,scordati del,scordati della,cancella,cancellare,cancelli,elimina,eliminare,elimini,rimuovi,\
         rimuovere,togli,non ricordare,non ricordarti di,non memorizzare,non conservare,non voglio che ricordi,\
         non voglio che tu ricordi,non voglio che tu sappia,non voglio che tu conservi,smetti di ricordare",
        "",
    )],
    remembers: "non dimenticare,non dimenticarti di,non dimenticare mai,non cancellare,non scordare,non scordarti di,\
        non eliminare,ricorda,ricorda che,ricordati di,ricordati che,conserva,tieni,tieni a mente,memorizza",
    asks: "ti ricordi,ricordi chi,ricordi cosa,sai,cosa sai,che cosa sai,che sai,chi e,chi era,dov'e,dove abito,quando,\
        perche,come si chiama,come mi chiamo,dimmi,mostrami,cosa ricordi,hai dimenticato,qual e,cos'e,devo,dovrei",
    doubts: "forse,magari,o no,credo,non so,non lo so,o qualcosa del genere,puo darsi,probabilmente",
    keeps: "ma ricorda,ma ricorda che,ma conserva,ma tieni,ma non dimenticare,ma puoi ricordare,ma puoi ricordare che,\
        ma puoi conservare,ma non,e ricorda,e conserva,e tieni,ma lascia",
    excepts: "tranne,eccetto,salvo,a eccezione di,ad eccezione di,a parte,fuorche",
    but: "meno,ma",
    not: "non,ne",
    several: "alcuni,alcune,ultimi due,ultime due,ultimi tre,ultime tre,diversi,diverse,qualche,ultimi,ultime",
    again: "e dimentica,e cancella,e elimina,ed elimina,ma dimentica,ma cancella,ma elimina",
    and: "e,ed,nonche",
    only: "solo,soltanto,solamente,unicamente,nient'altro che",
    quantifiers: "tutto,tutta,tutte,tutti,tutto cio,tutto quello,tutte le,tutti i,tutti gli,tutte le mie,tutti i miei,ogni,\
        qualsiasi,assolutamente tutto",
    determiners: "il,lo,la,i,gli,le,l',un,uno,una,un',mio,mia,miei,mie,nostro,nostra,nostri,nostre,tuo,tua,tuoi,tue,suo,sua,\
        suoi,sue,questo,questa,questi,queste,quest',quello,quella,quei,quelle,quell',che,del,della,dei,delle,dell'",
    records: "ricordo,ricordi,memoria,memorie,informazione,informazioni,info,dati,dato,dettagli,dettaglio,nota,note,\
        messaggio,messaggi,registrazioni,voci,cose,fatti",
    relatives: "che,cio,quello,io,tu,noi,ti,mi,ho,hai,abbiamo,sai,detto,raccontato,parlato,menzionato,discusso,salvato,\
        appena,con,hai salvato",
    abouts: "su,sul,sullo,sulla,sui,sugli,sulle,sull',di,del,della,dei,delle,dell',riguardo a,riguardo al,riguardo alla,\
        a proposito di,a proposito del,a proposito della,relativo a,relativa a,relativi a,relative a,che riguarda,\
        che riguardano,che menziona,che menzionano,che parla di,che parlano di,in merito a,con",
    says: "che ho detto,che ti ho detto,ti ho detto,ho detto,che ti ho raccontato,ti ho raccontato,di cui abbiamo parlato,\
        abbiamo parlato,abbiamo parlato di,che ho menzionato,che abbiamo discusso",
    everything: "tutto,tutti i ricordi,tutti i miei ricordi,tutte le memorie,tutti i dati,tutti i miei dati,i miei dati,\
        i miei ricordi,tutto su di me,tutto cio che sai,tutto quello che sai,tutto cio che sai di me,\
        tutto quello che sai di me,tutto quello che ti ho detto,tutto cio che ti ho detto,tutta la tua memoria,\
        la tua memoria,tutta la memoria,tutte le informazioni su di me,assolutamente tutto",
    last_said: "questo,quello,cio,quello che ho detto,cio che ho detto,quello che ho appena detto,cio che ho appena detto,\
        quello che ti ho detto,l' ultima cosa,l' ultima cosa che ho detto,il mio ultimo messaggio,l' ultimo messaggio,\
        la mia ultima frase",
    nothing: "tutto,tutti,tutte,vecchi,recenti,lui,lei,loro,lo,la,li,le,gli,il,un,una,e,o,di,del,che,qualcosa,qualcuno,niente,\
        nulla,cosa,cose,non,si,se,ti,mi,ci,io,tu,a,al,in,con,per,dimentica,cancella,elimina,anche,ma,solo,chi,come,dove,\
        quando,questo,quello",
    talk: "ultima conversazione,ultima chiacchierata,conversazione,chiacchierata,sessione,chat,dialogo",
    talks: "conversazioni,chiacchierate,sessioni,chat,dialoghi",
    talk_tails: "con te,con me,tra noi,fra noi,che abbiamo avuto",
    categories: &[
        (
            Sensitivity::Health,
            "salute,salute mentale,dati sanitari,informazioni mediche,informazioni sulla salute,cartella clinica,\
             problemi di salute,informazioni sanitarie",
            "mediche,medici,sanitarie,sanitari",
        ),
        (
            Sensitivity::Financial,
            "finanze,informazioni finanziarie,dati finanziari,situazione finanziaria,dati bancari,informazioni bancarie",
            "finanziarie,finanziari,bancari,bancarie",
        ),
        (
            Sensitivity::Biometric,
            "biometria,dati biometrici,informazioni biometriche",
            "biometrici,biometriche",
        ),
        (
            Sensitivity::Location,
            "posizione,posizioni,dati sulla posizione,cronologia delle posizioni,localizzazione",
            "geografiche,geografici",
        ),
        (
            Sensitivity::PoliticalReligious,
            "politica,religione,opinioni politiche,credenze,credenze religiose,fede,religione e politica,\
             politica e religione,idee politiche",
            "politiche,politici,religiose,religiosi",
        ),
        (
            Sensitivity::Relationships,
            "relazioni,relazioni personali,vita amorosa,vita sentimentale",
            "sentimentali",
        ),
        (
            Sensitivity::Professional,
            "vita professionale,vita lavorativa,carriera,storia lavorativa,informazioni professionali,dati professionali",
            "professionali,lavorative,lavorativi",
        ),
        (Sensitivity::Preferences, "preferenze,gusti,preferenze personali", ""),
    ],
    tiers: &[
        (Tier::Working, "memoria di lavoro"),
        (Tier::Episodic, "memoria episodica,ricordi episodici,episodica,episodici"),
        (Tier::Semantic, "memoria semantica,ricordi semantici,semantica,semantici"),
    ],
    sources: &[(
        SourceType::AiInference,
        "inferenze,le tue inferenze,deduzioni,le tue deduzioni,supposizioni,le tue supposizioni",
    )],
    tagged: "con l' etichetta,con il tag,etichettato,etichettati con,etichettato con",
    bound: "personali,personale,private,privati,importanti,riservate,riservati,sensibili,segrete",
    elisions: "dell' all' nell' sull' dall' un' quest' quell'",
    abbreviations: "sig dott",
    calendar: &CALENDAR,
};

static CALENDAR: Calendar = Calendar {
    days: ["lunedi", "martedi", "mercoledi", "giovedi", "venerdi", "sabato", "domenica"],
    months: [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    short_months: "feb mar apr mag giu lug ott nov dic",
    numbers: &[
        "un,uno,una,1",
        "due",
        "tre",
        "quattro",
        "cinque",
        "sei",
        "sette",
        "otto",
        "nove",
        "dieci",
        "undici",
        "dodici",
    ],
    ordinals: "",
    units: &[
        (TimeUnit::Minute, "minuto,minuti"),
        (TimeUnit::Hour, "ora,ore"),
        (TimeUnit::Day, "giorno,giorni"),
        (TimeUnit::Week, "settimana,settimane"),
        (TimeUnit::Month, "mese,mesi"),
        (TimeUnit::Quarter, "trimestre,trimestri"),
        (TimeUnit::Year, "anno,anni"),
    ],
    parts: &[
        (DayPart::Morning, "mattina"),
        (DayPart::Afternoon, "pomeriggio"),
        (DayPart::Evening, "sera"),
        (DayPart::Night, "notte"),
    ],
    patterns: &[
        ("oggi", TimeMeaning::DaysAgo(0)),
        ("ieri", TimeMeaning::DaysAgo(1)),
        ("l' altro ieri", TimeMeaning::DaysAgo(2)),
        ("domani", TimeMeaning::Future),
        ("?la|il prossima|prossimo #unit|#day|#month", TimeMeaning::Future),
        ("?la|il #unit|#day|#month prossima|prossimo", TimeMeaning::Future),
        ("#figures", TimeMeaning::Figures),
        ("?il #day", TimeMeaning::Weekday),
        ("?il #day scorso|scorsa|passato", TimeMeaning::Weekday),
        ("?lo scorso #day", TimeMeaning::Weekday),
        ("questo|questa #day", TimeMeaning::ThisWeekday),
        ("?il #day della settimana scorsa", TimeMeaning::WeekdayLastWeek),
        ("?il ?#day #dom #month ?del ?#year", TimeMeaning::MonthDay),
        ("?dal #dom al #dom2 #month ?del ?#year", TimeMeaning::MonthDays),
        ("#doms #month ?del ?#year", TimeMeaning::MonthDays),
        ("#month ?del ?#year", TimeMeaning::Month),
        ("#month scorso", TimeMeaning::LastMonth),
        ("#year", TimeMeaning::Year),
        ("#q ?del ?#year", TimeMeaning::Quarter),
        ("?la|il|l' #unit scorsa|scorso", TimeMeaning::LastUnit),
        ("?la|lo scorsa|scorso #unit", TimeMeaning::LastUnit),
        ("questa|questo|quest' #unit", TimeMeaning::ThisUnit),
        ("?gli|le|negli|nelle ultimi|ultime #n #unit", TimeMeaning::Rolling),
        ("#n #unit fa", TimeMeaning::Ago),
        ("qualche|alcuni|alcune #unit fa", TimeMeaning::Loose),
        ("recentemente|ultimamente", TimeMeaning::Loose),
        ("piu vecchio|vecchia|vecchi|vecchie di #n #unit", TimeMeaning::Older),
        ("questa|questo #part", TimeMeaning::PartToday),
        ("ieri #part", TimeMeaning::PartYesterday),
        ("#day #part", TimeMeaning::PartWeekday),
        ("?il|lo ?scorso fine settimana ?scorso", TimeMeaning::Weekend),
    ],
    before: "prima di,prima del,prima della,precedente a,precedenti a",
    after: "dopo,dopo il,dopo la,successivo a,successivi a",
    since: "da,dal,dalla,dall',a partire da,a partire dal",
    until: "fino a,fino al,fino alla,sino a",
    from: "di,del,della,dei,delle,dell'",
    on: "in,il,nel,nella,nell',durante,a",
    onwards: "in poi",
    asks_when: "quando,da quando,che giorno,quale giorno,in che data,quale data,in che anno,in che mese",
    ranges: &[
        ("tra,tra il,fra,fra il", "e,e il"),
        ("da,dal", "a,al,fino a,fino al"),
        ("", "a,al,fino a,fino al"),
    ],
};

const FACT: FactRules = FactRules {
    patterns: &[
        named(
            RESIDENCE,
            One,
            Plain,
            r"(?:io )?(?P<s>vivo|abito|viviamo|abitiamo)(?P<m>(?: (?:ora|adesso|attualmente|ancora))*) (?:a|ad|in) (?P<v>.+)",
        ),
        named(RESIDENCE, One, Ended, r"(?:io )?non (?P<s>vivo|abito)(?P<m>) piu (?:a|ad|in) (?P<v>.+)"),
        named(RESIDENCE, One, Became, r"(?P<s>mi) (?:sono)(?P<m>) trasferit[oa] (?:a|ad|in) (?P<v>.+)"),
        named(
            "employer",
            One,
            Plain,
            r"(?:io )?(?P<s>lavoro)(?P<m>(?: (?:ora|adesso|attualmente))*) (?:per|presso|alla|da) (?P<v>.+)",
        ),
        named(
            "job",
            One,
            Plain,
            r"(?:io )?(?P<s>lavoro)(?P<m>(?: (?:ora|adesso|attualmente))*) come (?P<v>.+)",
        ),
        named("name", One, Plain, r"(?P<s>mi) chiamo(?P<m>(?: ora)?) (?P<v>.+)"),
        FactPattern {
            attribute: Attribute::Favourite,
            arity: One,
            sense: Plain,
            source: r"(?P<s>il mio|la mia) (?P<a>[a-z]+) preferit[oa] (?P<m>(?:e|era)(?: ora| adesso)*) (?P<v>.+)",
        },
    ],
    leads: "forse|ora|adesso|prima",
    value_tails: "adesso|perche|dopo",
    articles: "il gli",
    owner: "io|mi|il mio|la mia|vivo|abito|viviamo|abitiamo|lavoro",
    joints: "e",
    subjects_again: "io|il mio|la mia",
    conditions: "se|quando",
    hedges: "forse",
    past: "era|ero|prima",
    changes: "ora|adesso|ormai",
    negations: "non",
    stating_phrases: "chiamo",
    favourites: &[
        ("colore", "colour"),
        ("piatto", "food"),
        ("cibo", "food"),
        ("film", "film"),
        ("libro", "book"),
        ("citta", "city"),
    ],
    ..FactRules::EMPTY
};

const NOUN: NounRules = NounRules {
    regions: "abruzzo|africa|america|argentina|asia|australia|austria|basilicata|belgio|brasile|bulgaria|calabria|\
        campania|canada|cile|cina|corea|croazia|danimarca|egitto|emilia-romagna|europa|finlandia|francia|friuli|\
        germania|giappone|grecia|india|inghilterra|irlanda|islanda|italia|lazio|liguria|lombardia|marche|marocco|\
        messico|molise|norvegia|nuova zelanda|paesi bassi|piemonte|polonia|portogallo|puglia|regno unito|romania|\
        sardegna|scandinavia|scozia|serbia|sicilia|slovacchia|slovenia|spagna|stati uniti|sudafrica|svezia|svizzera|\
        toscana|trentino|turchia|ucraina|umbria|ungheria|veneto",
    no_names: "paura|poverta|citta|campagna|centro|ospedale|scuola|chiesa|vendite|contabilita|casa",
    fillers: "gli una",
    joints: "ed oppure",
    days: "oggi domani",
    clock: "ore",
    ..NounRules::EMPTY
};
