use super::dates::{Calendar, Meaning, Part, Unit};
use super::tongue::Tongue;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static TONGUE: Tongue = Tongue {
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
    units: &[
        (Unit::Minute, "minute,minuten"),
        (Unit::Hour, "stunde,stunden"),
        (Unit::Day, "tag,tage,tagen"),
        (Unit::Week, "woche,wochen"),
        (Unit::Month, "monat,monate,monaten,monats"),
        (Unit::Quarter, "quartal,quartale,quartalen,quartals"),
        (Unit::Year, "jahr,jahre,jahren,jahres"),
    ],
    parts: &[
        (Part::Morning, "morgen,vormittag,fruh"),
        (Part::Afternoon, "nachmittag"),
        (Part::Evening, "abend"),
        (Part::Night, "nacht"),
    ],
    patterns: &[
        ("heute", Meaning::DaysAgo(0)),
        ("gestern", Meaning::DaysAgo(1)),
        ("vorgestern", Meaning::DaysAgo(2)),
        ("morgen|ubermorgen", Meaning::Future),
        ("nachste|nachsten|nachster #unit|#day|#month", Meaning::Future),
        ("#figures", Meaning::Figures),
        ("#day", Meaning::Weekday),
        ("?dem|den|der letzten|letztem|letzter|vergangenen|vorigen #day", Meaning::Weekday),
        ("diesen|diesem #day", Meaning::ThisWeekday),
        ("#day letzter|letzte|letzten woche", Meaning::WeekdayLastWeek),
        ("?#day ?der|den|dem #dom #month ?#year", Meaning::MonthDay),
        ("#dom bis ?zum #dom2 #month ?#year", Meaning::MonthDays),
        ("#doms #month ?#year", Meaning::MonthDays),
        ("#month ?#year", Meaning::Month),
        ("letzten|letztem|letzter #month", Meaning::LastMonth),
        ("?dem|das jahr #year", Meaning::Year),
        ("#year", Meaning::Year),
        ("#q ?#year", Meaning::Quarter),
        (
            "?der|dem|die letzten|letzte|letzter|letztes|letztem|vergangene|vergangenen|vorige|vorigen #unit",
            Meaning::LastUnit,
        ),
        ("diese|dieser|diesen|diesem|dieses #unit", Meaning::ThisUnit),
        ("?den|die|der letzten|vergangenen #n #unit", Meaning::Rolling),
        ("vor #n #unit", Meaning::Ago),
        ("vor ein|einigen paar #unit", Meaning::Loose),
        ("vor einigen|mehreren #unit", Meaning::Loose),
        ("neulich|kurzlich|irgendwann", Meaning::Loose),
        ("alter als #n #unit", Meaning::Older),
        ("heute #part", Meaning::PartToday),
        ("gestern #part", Meaning::PartYesterday),
        ("letzte|letzter #part", Meaning::PartYesterday),
        ("?am letztes|letzten|vergangenes wochenende", Meaning::Weekend),
    ],
    before: "vor,vor dem,vor der,alter als",
    after: "nach,nach dem,nach der",
    since: "seit,seit dem,seit der,ab,ab dem",
    until: "bis,bis zum,bis zur,bis einschliesslich",
    from: "von,vom,aus,aus dem,aus der",
    on: "am,im,an,in,in der,in den,wahrend,der,des,fur,in diesem",
    onwards: "an,aufwarts,und spater",
    ranges: &[("zwischen,zwischen dem", "und,und dem"), ("von,vom", "bis,bis zum"), ("", "bis,bis zum")],
};
