//! French.

use Arity::One;
use Sense::{Became, Ended, Plain};

use super::Language;
use super::rules::*;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static RULES: LanguageRules = LanguageRules {
    language: Language::French,
    stop_words: "a ai as au aux avec c ce ces cet cette d dans de des du elle elles en est et eu il ils j je l la le les \
            leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas pour qu que quel quelle \
            qui quoi s sa se ses si son sont sur t ta te tes toi ton tu un une vos votre vous y à été être",
    request: REQUEST,
    clause: ClauseWords {
        verbs: "suis est sont étais était ai ont avais avait habite habitons vis vit vivons travaille travaillons joue \
            parle conduis conduit mange bois boit aime déteste possède étudie m'appelle gagne prends prend souffre \
            viens vient",
        actors: "je j' nous il elle ils elles on",
        determiners: "mon ma mes notre nos son sa ses le la les l' un une des",
        adverbs: "maintenant aussi encore toujours souvent",
        openers: "si quand parce que lorsque",
        pointers: "là cela ça ce y",
        persons: "il elle ils elles",
        coordinators: "et mais",
        tails: "parce",
        prepositions: "à en de chez avec pour",
        abbreviations: "mme",
        neutral_joints: &[("mais", "et")],
        ..ClauseWords::EMPTY
    },
    intent: IntentPhrases {
        own: "je|j|mon|ma|mes|mien|mienne",
        shared: "nous|notre|nos|mon equipe",
        company: "l entreprise|notre entreprise|la societe",
        documents: "la doc|la documentation|notre documentation|le manuel|le wiki",
        open: "que sais tu de|que sais tu sur|qu est ce que tu sais de|qu est ce que tu sais sur",
    },
    pointer: PointerRules {
        words: &[
            ("il", Stand::Word("quelqu'un")),
            ("elle", Stand::Word("quelqu'un")),
            ("ils", Stand::Word("des gens")),
            ("elles", Stand::Word("des gens")),
            ("lui", Stand::Word("quelqu'un")),
            ("leur", Stand::Unknown),
            ("cela", Stand::Word("quelque chose")),
            ("ça", Stand::Word("quelque chose")),
            ("là", Stand::Word("quelque part")),
        ],
        relatives: "qui que dont",
        ..PointerRules::EMPTY
    },
    fact: FACT,
    noun: NOUN,
    condense: CondenseRules {
        numbers: "deux trois quatre cinq sept huit neuf dix onze douze vingt trente cent mille douzaine",
        times: "hier aujourd hui demain semaine semaines mois annee annees lundi mardi mercredi jeudi vendredi samedi \
            dimanche janvier fevrier avril mai juin juillet aout septembre octobre novembre decembre",
        leaning: "ça cela il elle si",
        decisions: r"(?:j'ai|nous avons|on a) (?:décidé|convenu|choisi)",
        habits: r"\b(?:je|j'|nous|mon|ma|mes)\b?.{0,60}\b(?:toujours|d'habitude|tous les (?:jours|matins|soirs|lundis|mardis|mercredis|jeudis|vendredis|samedis|dimanches)|chaque (?:jour|matin|soir|semaine|mois))\b",
        refusals: r"(?:(?:euh|ah|merci)[, ]+(?:mais )?)?(?:non[ ,.!]|plutôt pas\b|surtout pas\b|pas ça\b|je ne veux pas\b|finalement non\b)",
        negations: r"(?:pas|plutôt que|au lieu d[eu])",
        contrasts: "mais",
        proposals: r"(?:je (?:propose|suggère|recommande|conseille)|on pourrait|nous pourrions|et si|(?:tu pourrais|vous pourriez))",
        ..CondenseRules::EMPTY
    },
    people: PeopleWords {
        roles: "plombier médecin avocat professeur voisin",
        determiners: "le la mon notre",
        copulas: "est",
        origins: "chez de",
        ..PeopleWords::EMPTY
    },
    topic: TopicWords {
        stop: "le la les l un une des du de et ou je j mon ma mes tu ton nous notre ne pas sur avec pour est suis",
        circumstances: "pendant après avant",
        remarks: "le la",
        predicates: "est était fut avait n'est n'était n'avait",
        things: THINGS,
        ..TopicWords::EMPTY
    },
};

const THINGS: &[(Thing, Words, Words)] = &[
    (Thing::Home, "domicile habite ville adresse", "habiter déménagé"),
    (Thing::Work, "travail emploi employeur métier", "travaille"),
    (Thing::Food, "régime", "manger mange"),
    (Thing::Marriage, "mariage", "marié mariée épouse mari divorcé"),
    (Thing::Vehicle, "voiture", "conduis conduit"),
    (Thing::Pet, "", "chien chat"),
    (Thing::Language, "langue langues", "parle"),
    (Thing::Health, "santé maladie", ""),
    (Thing::Medicine, "médicament", ""),
    (Thing::Income, "salaire", "gagne"),
    (Thing::Payment, "paiement", ""),
    (Thing::Subscription, "abonnement", ""),
    (Thing::Politics, "politique", ""),
    (Thing::Phone, "téléphone", ""),
    (Thing::Hobby, "loisir", ""),
    (Thing::Education, "études", ""),
    (Thing::Family, "famille", ""),
    (Thing::Housing, "maison loyer", ""),
    (Thing::Drink, "boire", "bois"),
    (Thing::Smoking, "", "fume"),
    (Thing::Sleep, "sommeil", ""),
    (Thing::Birth, "anniversaire âge", ""),
    (Thing::Travel, "voyage", ""),
    (Thing::Meeting, "rendezvous", ""),
    (Thing::Arts, "musique", ""),
    (Thing::Colour, "couleur", ""),
    (Thing::Insurance, "assurance", ""),
    (Thing::Debt, "dette", ""),
];

const REQUEST: RequestRules = RequestRules {
    polite: "s'il te plait,s'il vous plait,s' il te plait,s' il vous plait,stp,svp,bonjour,salut,merci de,merci d',\
        peux-tu,peux tu,pourrais-tu,pourriez-vous,pouvez-vous,tu peux,vous pouvez,je voudrais que tu,j' aimerais que tu,\
        je veux que tu,je voudrais que vous,j' aimerais que vous,veuillez,est-ce que tu peux,est-ce que tu pourrais,\
        il faut,alors,maintenant,ok,lacuna,je veux,je voudrais,j' aimerais",
    closing: "s'il te plait,s'il vous plait,s' il te plait,s' il vous plait,stp,svp,merci,merci beaucoup,maintenant,\
        definitivement,completement,pour toujours,tout de suite,de ta memoire,de votre memoire,de la memoire",
    frames: &[(
        "oublie,oubliez,oublier,oublies,efface,effacez,effacer,effaces,supprime,supprimez,supprimer,supprimes,\
         ne te souviens pas de,ne te souviens plus de,ne retiens pas,ne retenez pas,ne garde pas,ne gardez pas,\
         je ne veux pas que tu te souviennes de,je ne veux pas que tu te souviennes d',je ne veux plus que tu te souviennes de,\
         je ne veux pas que tu retiennes,je ne veux pas que tu saches,je ne veux pas que tu gardes,\
         je ne veux pas que vous vous souveniez de,fais disparaitre,retire,retirez",
        "",
    )],
    remembers: "n' oublie pas,n' oubliez pas,n' oublie jamais,souviens-toi,souviens-toi de,rappelle-toi,garde,gardez,\
        retiens,retenez,memorise,conserve,ne supprime pas,n' efface pas",
    asks: "te souviens-tu,est-ce que tu te souviens,tu te souviens,que sais-tu,qu' est-ce que,qui est,qui etait,ou est,\
        quand,pourquoi,comment,dis-moi,montre-moi,as-tu,sais-tu,connais-tu,quel est,quelle est,est-ce que j',dois-je",
    doubts: "peut-etre,peut etre,ou pas,je crois,je pense,je ne sais pas,ou quelque chose,eventuellement",
    keeps: "mais garde,mais gardez,mais souviens-toi de,mais souviens-toi,mais tu peux garder,mais n' oublie pas,\
        mais pas,mais conserve,mais retiens,et garde,et conserve,mais tu peux te souvenir que,mais tu peux retenir,\
        mais laisse",
    excepts: "sauf,excepte,a part,hormis,a l' exception de,a l' exception du,en dehors de",
    but: "mais,sauf",
    not: "pas,ne,non,n'",
    several: "quelques,deux derniers,deux dernieres,trois derniers,trois dernieres,derniers,dernieres,plusieurs",
    again: "et oublie,et efface,et supprime,mais oublie,mais efface,mais supprime",
    and: "et,ainsi que",
    only: "seulement,uniquement,juste,rien que",
    quantifiers: "tout,toute,toutes,tous,tout ce,toutes les,tous les,toutes mes,tous mes,chaque,l' ensemble de,\
        absolument tout",
    determiners: "le,la,les,l',un,une,des,du,de,d',mon,ma,mes,notre,nos,ton,ta,tes,votre,vos,ce,cet,cette,ces,que,qu'",
    records: "souvenir,souvenirs,memoire,memoires,information,informations,info,infos,donnees,donnee,details,detail,\
        note,notes,message,messages,entrees,fait,faits,choses,renseignements,dossier,dossiers",
    relatives: "que,qu',ce,j',je,tu,nous,on,t',m',ai,as,a,avons,sais,dit,raconte,parle,mentionne,discute,enregistre,stocke,\
        qui,ont,te,deja,viens,dire,avec",
    abouts: "sur,de,du,d',des,a propos de,a propos d',a propos du,concernant,au sujet de,au sujet d',au sujet du,\
        mentionnant,qui mentionnent,qui mentionne,relatif a,relatifs a,relatives a,lie a,liees a,en rapport avec,\
        qui concerne,qui concernent,parlant de,qui parlent de,liees au,liees a la,a",
    says: "j' ai dit,je t' ai dit,j' ai raconte,je t' ai raconte,nous avons parle,nous avons parle de,nous avons discute,\
        on a parle,on a parle de,on a discute,on a dit,j' ai mentionne,je t' ai parle,je t' ai parle de",
    everything: "tout,toute,toutes les donnees,toutes mes donnees,mes donnees,tous les souvenirs,tous mes souvenirs,\
        mes souvenirs,tout sur moi,tout ce que tu sais sur moi,tout ce que tu sais,tout ce que tu sais de moi,\
        tout ce que je t' ai dit,tout a mon sujet,toute ta memoire,ta memoire,moi,absolument tout,\
        tout ce que tu as sur moi,toutes les informations sur moi",
    last_said: "ca,cela,ceci,ce que j' ai dit,ce que je viens de dire,ce que je t' ai dit,ce que je viens de te dire,\
        la derniere chose que j' ai dite,mon dernier message,le dernier message,la derniere chose que je t' ai dite,\
        ma derniere phrase",
    nothing: "tout,tous,toutes,anciens,vieux,recents,il,elle,ils,elles,lui,leur,eux,le,la,les,l',un,une,et,ou,de,d',du,des,que,qu',chose,quelque,rien,quelqu'un,\
        ce,cet,cette,ces,ne,pas,plus,moi,toi,nous,vous,je,tu,a,au,aux,en,dans,sur,avec,pour,par,oublie,efface,supprime,\
        aussi,alors,mais,qui,quoi,ou,quand,comment",
    talk: "derniere conversation,derniere discussion,conversation,discussion,echange,session,chat,entretien",
    talks: "conversations,discussions,echanges,sessions,chats,entretiens",
    talk_tails: "avec toi,avec moi,entre nous,que nous avons eue,que nous avons eues,qu' on a eue",
    categories: &[
        (
            Sensitivity::Health,
            "sante,sante mentale,donnees de sante,informations de sante,antecedents medicaux,problemes de sante,\
             dossier medical,informations medicales,donnees medicales,informations sur ma sante",
            "medicales,medicale,medicaux",
        ),
        (
            Sensitivity::Financial,
            "finances,informations financieres,donnees financieres,situation financiere,donnees bancaires,\
             informations bancaires",
            "financieres,bancaires",
        ),
        (Sensitivity::Biometric, "biometrie,donnees biometriques,informations biometriques", "biometriques"),
        (
            Sensitivity::Location,
            "localisation,geolocalisation,donnees de localisation,informations de localisation,deplacements,\
             historique de localisation",
            "geographiques",
        ),
        (
            Sensitivity::PoliticalReligious,
            "politique,religion,opinions politiques,croyances,croyances religieuses,foi,religion et politique,\
             politique et religion,opinions politiques et religieuses,informations politiques,informations religieuses",
            "politiques,religieuses",
        ),
        (
            Sensitivity::Relationships,
            "relations,relations personnelles,vie amoureuse,vie sentimentale",
            "relationnelles",
        ),
        (
            Sensitivity::Professional,
            "vie professionnelle,carriere,parcours professionnel,informations professionnelles,donnees professionnelles",
            "professionnelles",
        ),
        (Sensitivity::Preferences, "preferences,gouts,preferences personnelles", ""),
    ],
    tiers: &[
        (Tier::Working, "memoire de travail"),
        (Tier::Episodic, "memoire episodique,souvenirs episodiques,episodique,episodiques"),
        (Tier::Semantic, "memoire semantique,souvenirs semantiques,semantique,semantiques"),
    ],
    sources: &[(
        SourceType::AiInference,
        "deductions,tes deductions,inferences,tes inferences,suppositions,tes suppositions",
    )],
    tagged: "avec l' etiquette,avec le tag,etiquetes,etiquete,marques",
    bound: "personnelles,personnelle,privees,importantes,sensibles,confidentielles,secretes",
    elisions: "l' d' j' m' t' s' n' c' qu'",
    abbreviations: "mme mlle",
    calendar: &CALENDAR,
};

static CALENDAR: Calendar = Calendar {
    days: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    months: [
        "janvier",
        "fevrier",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "aout",
        "septembre",
        "octobre",
        "novembre",
        "decembre",
    ],
    short_months: "janv fevr avr juil sept oct nov dec",
    numbers: &[
        "un,une,1", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    ],
    ordinals: "er",
    units: &[
        (TimeUnit::Minute, "minute,minutes"),
        (TimeUnit::Hour, "heure,heures"),
        (TimeUnit::Day, "jour,jours"),
        (TimeUnit::Week, "semaine,semaines"),
        (TimeUnit::Month, "mois"),
        (TimeUnit::Quarter, "trimestre,trimestres"),
        (TimeUnit::Year, "an,ans,annee,annees"),
    ],
    parts: &[
        (DayPart::Morning, "matin,matinee"),
        (DayPart::Afternoon, "apres-midi"),
        (DayPart::Evening, "soir,soiree"),
        (DayPart::Night, "nuit"),
    ],
    patterns: &[
        ("aujourd'hui", TimeMeaning::DaysAgo(0)),
        ("hier", TimeMeaning::DaysAgo(1)),
        ("avant-hier", TimeMeaning::DaysAgo(2)),
        ("demain|apres-demain", TimeMeaning::Future),
        ("?la|le #unit|#day|#month prochain|prochaine", TimeMeaning::Future),
        ("#figures", TimeMeaning::Figures),
        ("?le #day", TimeMeaning::Weekday),
        ("?le #day dernier|passe", TimeMeaning::Weekday),
        ("ce #day", TimeMeaning::ThisWeekday),
        ("#day ?de la semaine derniere", TimeMeaning::WeekdayLastWeek),
        ("?#day ?le #dom #month ?#year", TimeMeaning::MonthDay),
        ("?le ?du #dom au|a #dom2 #month ?#year", TimeMeaning::MonthDays),
        ("#doms #month ?#year", TimeMeaning::MonthDays),
        ("#month ?#year", TimeMeaning::Month),
        ("?le ?mois ?de ?d' #month ?#year", TimeMeaning::Month),
        ("#month dernier", TimeMeaning::LastMonth),
        ("?l' annee #year", TimeMeaning::Year),
        ("#year", TimeMeaning::Year),
        ("#q ?#year", TimeMeaning::Quarter),
        ("?la|le|l' #unit dernier|derniere|passe|passee", TimeMeaning::LastUnit),
        ("ce|cet|cette #unit", TimeMeaning::ThisUnit),
        ("?ces|les #n derniers|dernieres #unit", TimeMeaning::Rolling),
        ("il y a #n #unit", TimeMeaning::Ago),
        ("il y a quelques|plusieurs #unit", TimeMeaning::Loose),
        ("recemment|l'autre jour", TimeMeaning::Loose),
        (
            "?qui ?ont ?date ?datant ?de plus ?vieux ?vieilles ?anciens ?anciennes de|que|qu' #n #unit",
            TimeMeaning::Older,
        ),
        ("ce|cet|cette #part", TimeMeaning::PartToday),
        ("hier #part", TimeMeaning::PartYesterday),
        ("la nuit derniere", TimeMeaning::DaysAgo(1)),
        ("#day #part", TimeMeaning::PartWeekday),
        ("?le week-end|weekend dernier", TimeMeaning::Weekend),
    ],
    before: "avant,avant le,avant la,anterieur au,anterieures au",
    after: "apres,apres le,apres la",
    since: "depuis,depuis le,depuis la,a partir de,a partir du",
    until: "jusqu'a,jusqu'au,jusqu' a,jusqu' au",
    from: "de,d',du,de la,de l',datant de,datant du",
    on: "en,le,au,au cours de,pendant,dans,durant,a",
    onwards: "et apres,et plus tard",
    asks_when: "quand,depuis quand,a quelle date,quelle date,quel jour,en quelle annee,quel mois",
    ranges: &[
        ("entre,entre le", "et,et le"),
        ("de,du", "a,au,jusqu'a,jusqu'au"),
        ("", "a,au,jusqu'a,jusqu'au"),
    ],
};

const FACT: FactRules = FactRules {
    patterns: &[
        named(
            RESIDENCE,
            One,
            Plain,
            r"(?P<s>j'habite|je vis|nous habitons)(?P<m>(?: (?:maintenant|desormais|actuellement|toujours))*) (?:a|en|au|aux|dans) (?P<v>.+)",
        ),
        named(RESIDENCE, One, Ended, r"(?P<s>je) (?:n'habite|ne vis)(?P<m>) plus (?:a|en|au|aux) (?P<v>.+)"),
        named(RESIDENCE, One, Became, r"(?P<s>j'ai|nous avons)(?P<m>) demenage (?:a|en|au|aux) (?P<v>.+)"),
        named(
            "employer",
            One,
            Plain,
            r"(?P<s>je) travaille(?P<m>(?: (?:maintenant|desormais|actuellement))*) (?:chez|pour) (?P<v>.+)",
        ),
        named(
            "job",
            One,
            Plain,
            r"(?P<s>je) travaille(?P<m>(?: (?:maintenant|desormais|actuellement))*) comme (?P<v>.+)",
        ),
        named("name", One, Plain, r"(?P<s>je) m'appelle(?P<m>(?: maintenant)?) (?P<v>.+)"),
        FactPattern {
            attribute: Attribute::Favourite,
            arity: One,
            sense: Plain,
            source: r"(?P<s>mon|ma) (?P<a>[a-z]+) preferee? (?P<m>(?:est|sont|etait)(?: maintenant| desormais)*) (?P<v>.+)",
        },
    ],
    leads: "avant",
    value_tails: "depuis|maintenant",
    articles: "le la",
    owner: "je|j'ai|j'habite|je vis|nous habitons|nous avons|mon|ma",
    joints: "et",
    subjects_again: "je|mon|ma",
    conditions: "si|quand",
    past: "etait|avant",
    changes: "maintenant|desormais",
    stating_phrases: "appelle",
    favourites: &[
        ("couleur", "colour"),
        ("plat", "food"),
        ("film", "film"),
        ("livre", "book"),
        ("ville", "city"),
    ],
    ..FactRules::EMPTY
};

const NOUN: NounRules = NounRules {
    regions: "afrique|afrique du sud|algerie|allemagne|alsace|amerique|angleterre|argentine|asie|australie|autriche|\
        belgique|bresil|bretagne|bulgarie|canada|chine|coree|corse|croatie|danemark|ecosse|egypte|espagne|estonie|\
        etats-unis|europe|finlande|grece|hongrie|inde|irlande|islande|italie|japon|lettonie|lituanie|luxembourg|\
        maroc|mexique|normandie|norvege|nouvelle-zelande|occitanie|pays-bas|pologne|provence|roumanie|royaume-uni|\
        russie|savoie|senegal|serbie|slovaquie|slovenie|suede|suisse|tunisie|turquie|ukraine|vietnam",
    no_names: "paix|peur|pauvrete|ville|campagne|banlieue|hopital|ecole|eglise|interim|usine|freelance|vente|comptabilite",
    fillers: "les une des et",
    joints: "et ou",
    days: "demain week-end",
    clock: "heure heures",
    ..NounRules::EMPTY
};
