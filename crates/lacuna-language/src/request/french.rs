use super::dates::{Calendar, Meaning, Part, Unit};
use super::tongue::Tongue;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static TONGUE: Tongue = Tongue {
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
    numbers: &[
        "un,une,1", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    ],
    units: &[
        (Unit::Minute, "minute,minutes"),
        (Unit::Hour, "heure,heures"),
        (Unit::Day, "jour,jours"),
        (Unit::Week, "semaine,semaines"),
        (Unit::Month, "mois"),
        (Unit::Quarter, "trimestre,trimestres"),
        (Unit::Year, "an,ans,annee,annees"),
    ],
    parts: &[
        (Part::Morning, "matin,matinee"),
        (Part::Afternoon, "apres-midi"),
        (Part::Evening, "soir,soiree"),
        (Part::Night, "nuit"),
    ],
    patterns: &[
        ("aujourd'hui", Meaning::DaysAgo(0)),
        ("hier", Meaning::DaysAgo(1)),
        ("avant-hier", Meaning::DaysAgo(2)),
        ("demain|apres-demain", Meaning::Future),
        ("?la|le #unit|#day|#month prochain|prochaine", Meaning::Future),
        ("#figures", Meaning::Figures),
        ("?le #day", Meaning::Weekday),
        ("?le #day dernier|passe", Meaning::Weekday),
        ("ce #day", Meaning::ThisWeekday),
        ("#day ?de la semaine derniere", Meaning::WeekdayLastWeek),
        ("?#day ?le #dom #month ?#year", Meaning::MonthDay),
        ("?le ?du #dom au|a #dom2 #month ?#year", Meaning::MonthDays),
        ("#doms #month ?#year", Meaning::MonthDays),
        ("#month ?#year", Meaning::Month),
        ("?le ?mois ?de ?d' #month ?#year", Meaning::Month),
        ("#month dernier", Meaning::LastMonth),
        ("?l' annee #year", Meaning::Year),
        ("#year", Meaning::Year),
        ("#q ?#year", Meaning::Quarter),
        ("?la|le|l' #unit dernier|derniere|passe|passee", Meaning::LastUnit),
        ("ce|cet|cette #unit", Meaning::ThisUnit),
        ("?ces|les #n derniers|dernieres #unit", Meaning::Rolling),
        ("il y a #n #unit", Meaning::Ago),
        ("il y a quelques|plusieurs #unit", Meaning::Loose),
        ("recemment|l'autre jour", Meaning::Loose),
        (
            "?qui ?ont ?date ?datant ?de plus ?vieux ?vieilles ?anciens ?anciennes de|que|qu' #n #unit",
            Meaning::Older,
        ),
        ("ce|cet|cette #part", Meaning::PartToday),
        ("hier #part", Meaning::PartYesterday),
        ("la nuit derniere", Meaning::DaysAgo(1)),
        ("#day #part", Meaning::PartWeekday),
        ("?le week-end|weekend dernier", Meaning::Weekend),
    ],
    before: "avant,avant le,avant la,anterieur au,anterieures au",
    after: "apres,apres le,apres la",
    since: "depuis,depuis le,depuis la,a partir de,a partir du",
    until: "jusqu'a,jusqu'au,jusqu' a,jusqu' au",
    from: "de,d',du,de la,de l',datant de,datant du",
    on: "en,le,au,au cours de,pendant,dans,durant,a",
    onwards: "et apres,et plus tard",
    ranges: &[
        ("entre,entre le", "et,et le"),
        ("de,du", "a,au,jusqu'a,jusqu'au"),
        ("", "a,au,jusqu'a,jusqu'au"),
    ],
};
