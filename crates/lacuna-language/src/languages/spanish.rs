//! Spanish.

use Arity::One;
use Sense::{Became, Ended, Plain};

use super::Language;
use super::rules::*;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static RULES: LanguageRules = LanguageRules {
    language: Language::Spanish,
    stop_words: "a al algo ante antes como con contra cual cuando cuándo cómo de del desde donde dónde el ella ellas \
            ellos en entre era es esa ese eso esta este esto está están fue ha han hasta hay la las le les lo los me \
            mi mis mucho muy más mí nada ni no nos nosotros o os para pero por porque que quien quién qué se ser si \
            sin sobre son soy su sus sí también tan te tengo ti tiene tu tus tú un una uno unos y ya yo él",
    request: REQUEST,
    clause: ClauseWords {
        verbs: "soy es tengo tiene tienen tenía vivo vive viven vivimos trabajo trabaja trabajan trabajamos juego juega \
            hablo habla conduzco conduce como come bebo bebe odio odia estudio estudia llamo llama gano gana tomo \
            toma sufro sufre",
        actors: "yo nosotros él ella ellos ellas",
        determiners: "mi mis nuestro nuestra su sus el la los las un una",
        adverbs: "ahora también todavía siempre",
        openers: "cuando porque aunque si que",
        pointers: "lo eso esto ello allí",
        persons: "él ella ellos ellas",
        coordinators: "y e pero",
        tails: "porque aunque",
        prepositions: "en de con para",
        abbreviations: "sra srta",
        neutral_joints: &[("pero", "y")],
        ..ClauseWords::EMPTY
    },
    intent: IntentPhrases {
        own: "yo|mi|mis|mio|mia|mios|mias|prefiero|tengo|vivo|trabajo|soy|estoy|quiero|necesito",
        shared: "nosotros|nosotras|nuestro|nuestra|nuestros|nuestras|mi equipo|tenemos|somos|estamos",
        company: "la empresa|nuestra empresa|mi empresa|la compania",
        documents: "la documentacion|nuestra documentacion|los documentos|el manual|la wiki",
        open: "que sabes de|que sabes sobre|que recuerdas de|que recuerdas sobre",
    },
    pointer: PointerRules {
        words: &[
            ("él", Stand::Word("alguien")),
            ("ella", Stand::Word("alguien")),
            ("ellos", Stand::Word("unas personas")),
            ("ellas", Stand::Word("unas personas")),
            ("eso", Stand::Word("algo")),
            ("esto", Stand::Word("algo")),
            ("allí", Stand::Word("en algún lugar")),
        ],
        relatives: "que quien quienes",
        ..PointerRules::EMPTY
    },
    fact: FACT,
    noun: NOUN,
    condense: CondenseRules {
        numbers: "dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien mil docena",
        times: "ayer hoy manana semana semanas mes meses ano anos lunes martes miercoles jueves viernes sabado domingo \
            enero febrero abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        leaning: "si eso él ella",
        decisions: r"(?:he|hemos) (?:decidido|acordado|elegido)|(?:decidí|decidimos|acordamos)",
        habits: r"\b(?:siempre|normalmente|todos los (?:días|lunes|martes|miércoles|jueves|viernes|sábados|domingos)|cada (?:día|mañana|noche|semana|mes))\b.{0,60}\b(?:\w+o|\w+mos)\b",
        refusals: r"(?:(?:bueno|pues|gracias)[, ]+(?:pero )?)?(?:no[,.!;]|mejor no\b|prefiero (?:que )?no\b|no quiero\b|eso no\b|ni hablar\b|al final no\b)",
        negations: r"(?:no|en vez de|en lugar de)",
        contrasts: "sino",
        proposals: r"(?:propongo|sugiero|recomiendo|podríamos|podrías|qué tal si|deberíamos)",
        ..CondenseRules::EMPTY
    },
    people: PeopleWords {
        roles: "fontanero médico abogado profesor vecino",
        determiners: "el la mi nuestro",
        copulas: "es",
        origins: "de",
        ..PeopleWords::EMPTY
    },
    topic: TopicWords {
        stop: "el la los las un una unos y o en mi mis yo tu no sobre con para es soy del al de",
        circumstances: "durante después antes porque",
        remarks: "el la",
        predicates: "es era fue está estaba estuvo ha había tiene tenía",
        things: THINGS,
        ..TopicWords::EMPTY
    },
};

const THINGS: &[(Thing, Words, Words)] = &[
    (Thing::Home, "domicilio vivo ciudad", "vive vivir mudé"),
    (Thing::Work, "trabajo empleo empleador empresa", "trabaja"),
    (Thing::Food, "dieta alimentación", "comer"),
    (Thing::Marriage, "matrimonio", "casado casada esposa esposo divorciado"),
    (Thing::Vehicle, "coche", "conduzco conduce"),
    (Thing::Pet, "mascota", "perro gato"),
    (Thing::Language, "idioma idiomas", "habla"),
    (Thing::Allergy, "alergia", "alérgico"),
    (Thing::Health, "salud enfermedad", ""),
    (Thing::Medicine, "medicamento", ""),
    (Thing::Income, "sueldo salario", "gana"),
    (Thing::Payment, "pago", ""),
    (Thing::Subscription, "suscripción", ""),
    (Thing::Politics, "política", ""),
    (Thing::Religion, "religión", ""),
    (Thing::Phone, "teléfono", ""),
    (Thing::Hobby, "afición", ""),
    (Thing::Education, "estudios", ""),
    (Thing::Family, "familia", ""),
    (Thing::Housing, "casa alquiler", ""),
    (Thing::Drink, "bebida", "bebe"),
    (Thing::Sleep, "sueño", ""),
    (Thing::Birth, "cumpleaños edad", ""),
    (Thing::Travel, "viaje vacaciones", ""),
    (Thing::Meeting, "cita", ""),
    (Thing::Arts, "música", ""),
    (Thing::Insurance, "seguro", ""),
    (Thing::Debt, "deuda", ""),
];

const REQUEST: RequestRules = RequestRules {
    polite: "por favor,hola,oye,puedes,podrias,podria,puede,quiero que,quisiera que,me gustaria que,necesito que,ahora,\
        bueno,ok,lacuna,quiero,quisiera,me gustaria,hazme el favor de,haz el favor de",
    closing: "por favor,gracias,muchas gracias,ahora,ya,ahora mismo,para siempre,por completo,completamente,de tu memoria,\
        de la memoria,de su memoria",
    frames: &[(
        "olvida,olvide,olvidar,olvides,olvidate de,olvidate del,olvidarte de,te olvides de,borra,borre,borrar,borres,\
         elimina,elimine,eliminar,elimines,quita,quitar,suprime,no recuerdes,no guardes,no te acuerdes de,no memorices,\
         no quiero que recuerdes,no quiero que te acuerdes de,no quiero que sepas,no quiero que guardes,\
         no quiero que recuerde,deja de recordar,limpia",
        "",
    )],
    remembers: "no olvides,no te olvides de,nunca olvides,no borres,recuerda,recuerda que,acuerdate de,guarda,conserva,\
        mantén,manten,memoriza,ten en cuenta",
    asks: "te acuerdas,recuerdas,sabes,que sabes,quien es,quien era,donde,cuando,por que,como,dime,muestrame,que recuerdas,\
        tienes,has olvidado,cual es,que es,debo,deberia",
    doubts: "quizas,quiza,tal vez,a lo mejor,o no,creo,no se,o algo asi,puede ser,acaso",
    keeps: "pero recuerda,pero recuerda que,pero guarda,pero conserva,pero no olvides,pero manten,pero puedes recordar,\
        pero puedes recordar que,pero puedes guardar,pero no,y recuerda,y guarda,y conserva,pero deja,\
        pero acuerdate de",
    excepts: "excepto,salvo,menos,a excepcion de,aparte de,con excepcion de,exceptuando",
    but: "menos,pero",
    not: "no,ni",
    several: "algunos,algunas,ultimos dos,ultimas dos,ultimos tres,ultimas tres,varios,varias,ultimos,ultimas",
    again: "y olvida,y borra,y elimina,pero olvida,pero borra,pero elimina",
    and: "y,e,asi como",
    only: "solo,solamente,unicamente,nada mas que",
    quantifiers: "todo,toda,todas,todos,todo lo,todas las,todos los,todas mis,todos mis,cualquier,cada,\
        absolutamente todo",
    determiners: "el,la,los,las,lo,un,una,unos,unas,mi,mis,nuestro,nuestra,nuestros,nuestras,tu,tus,su,sus,este,esta,\
        estos,estas,ese,esa,esos,esas,que,de,del",
    records: "recuerdo,recuerdos,memoria,memorias,informacion,informaciones,info,datos,dato,detalles,detalle,nota,notas,\
        mensaje,mensajes,registro,registros,entradas,cosas,hechos",
    relatives: "que,yo,tu,nosotros,te,me,he,has,hemos,sabes,dije,dicho,contado,conte,hablamos,hablado,mencione,mencionado,\
        discutimos,guardado,lo,acabo,decir,con,se,tienes",
    abouts: "sobre,de,del,acerca de,acerca del,respecto a,respecto al,con respecto a,relacionado con,relacionados con,\
        relacionadas con,relacionada con,que mencionan,que mencionan a,que mencionan al,que mencionen,que mencionen a,que mencione a,que menciona,que mencione,referente a,referentes a,\
        en torno a,que tratan de,que tenga que ver con,que tiene que ver con,con",
    says: "que dije,que te dije,te dije,que te he dicho,que te conte,que hablamos,que hablamos de,hablamos de,que mencione,\
        que discutimos,he dicho,te he contado,dije",
    everything: "todo,todos los recuerdos,todos mis recuerdos,todas las memorias,todos los datos,todos mis datos,mis datos,\
        mis recuerdos,todo sobre mi,todo lo que sabes,todo lo que sabes de mi,todo lo que sabes sobre mi,\
        todo lo que te he dicho,todo lo que te dije,todo acerca de mi,toda tu memoria,tu memoria,toda la memoria,\
        toda la informacion sobre mi,absolutamente todo,todo lo mio",
    last_said: "eso,esto,lo que dije,lo que acabo de decir,lo que te dije,lo ultimo,lo ultimo que dije,lo ultimo que te dije,\
        mi ultimo mensaje,el ultimo mensaje,lo que te acabo de decir,mi ultima frase",
    nothing: "todo,todos,todas,viejos,antiguos,recientes,el,ella,ellos,ellas,lo,la,los,las,le,les,un,una,y,o,de,del,que,algo,alguien,nada,cosa,cosas,no,si,se,te,me,\
        nos,yo,tu,a,al,en,con,por,para,olvida,borra,elimina,tambien,pero,solo,quien,como,donde,cuando,ya,eso,esto",
    talk: "ultima conversacion,ultima charla,conversacion,charla,platica,sesion,chat,dialogo",
    talks: "conversaciones,charlas,platicas,sesiones,chats,dialogos",
    talk_tails: "contigo,conmigo,entre nosotros,que tuvimos,que hemos tenido",
    categories: &[
        (
            Sensitivity::Health,
            "salud,salud mental,datos de salud,informacion de salud,informacion medica,datos medicos,historial medico,\
             problemas de salud,informacion sanitaria",
            "medica,medicos,sanitaria,sanitarios",
        ),
        (
            Sensitivity::Financial,
            "finanzas,informacion financiera,datos financieros,situacion financiera,datos bancarios,informacion bancaria",
            "financiera,financieros,bancarios",
        ),
        (
            Sensitivity::Biometric,
            "biometria,datos biometricos,informacion biometrica",
            "biometrica,biometricos",
        ),
        (
            Sensitivity::Location,
            "ubicacion,ubicaciones,localizacion,datos de ubicacion,informacion de ubicacion,historial de ubicaciones",
            "geografica",
        ),
        (
            Sensitivity::PoliticalReligious,
            "politica,religion,opiniones politicas,creencias,creencias religiosas,fe,religion y politica,politica y religion,\
             ideas politicas,informacion politica,informacion religiosa",
            "politicos,religiosos,politica,religiosa",
        ),
        (
            Sensitivity::Relationships,
            "relaciones,relaciones personales,vida amorosa,vida sentimental",
            "sentimental",
        ),
        (
            Sensitivity::Professional,
            "vida profesional,vida laboral,carrera,historial laboral,informacion profesional,informacion laboral,\
             datos profesionales,datos laborales",
            "profesional,laboral,laborales,profesionales",
        ),
        (Sensitivity::Preferences, "preferencias,gustos,preferencias personales", ""),
    ],
    tiers: &[
        (Tier::Working, "memoria de trabajo"),
        (Tier::Episodic, "memoria episodica,recuerdos episodicos,episodica,episodicos"),
        (Tier::Semantic, "memoria semantica,recuerdos semanticos,semantica,semanticos"),
    ],
    sources: &[(
        SourceType::AiInference,
        "inferencias,tus inferencias,deducciones,tus deducciones,suposiciones,tus suposiciones",
    )],
    tagged: "con la etiqueta,etiquetado,etiquetados con,etiquetado con",
    bound: "personal,personales,privada,privados,importante,confidencial,sensible,secreta",
    elisions: "",
    abbreviations: "sra",
    calendar: &CALENDAR,
};

static CALENDAR: Calendar = Calendar {
    days: ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"],
    months: [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre,setiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    short_months: "ene feb mar abr jun jul sep sept oct nov dic",
    numbers: &[
        "un,una,uno,1",
        "dos",
        "tres",
        "cuatro",
        "cinco",
        "seis",
        "siete",
        "ocho",
        "nueve",
        "diez",
        "once",
        "doce",
    ],
    ordinals: "",
    units: &[
        (TimeUnit::Minute, "minuto,minutos"),
        (TimeUnit::Hour, "hora,horas"),
        (TimeUnit::Day, "dia,dias"),
        (TimeUnit::Week, "semana,semanas"),
        (TimeUnit::Month, "mes,meses"),
        (TimeUnit::Quarter, "trimestre,trimestres"),
        (TimeUnit::Year, "ano,anos"),
    ],
    parts: &[(DayPart::Morning, "manana"), (DayPart::Afternoon, "tarde"), (DayPart::Night, "noche")],
    patterns: &[
        ("hoy", TimeMeaning::DaysAgo(0)),
        ("ayer", TimeMeaning::DaysAgo(1)),
        ("anteayer|antier", TimeMeaning::DaysAgo(2)),
        ("antes de ayer", TimeMeaning::DaysAgo(2)),
        ("manana", TimeMeaning::Future),
        ("?la|el proxima|proximo #unit|#day|#month", TimeMeaning::Future),
        ("?la|el #unit|#day que viene", TimeMeaning::Future),
        ("#figures", TimeMeaning::Figures),
        ("?el #day", TimeMeaning::Weekday),
        ("?el #day pasado", TimeMeaning::Weekday),
        ("?el pasado #day", TimeMeaning::Weekday),
        ("este #day", TimeMeaning::ThisWeekday),
        ("?el #day de la semana pasada", TimeMeaning::WeekdayLastWeek),
        ("?el ?#day #dom de #month ?de|del ?#year", TimeMeaning::MonthDay),
        ("?del #dom al #dom2 de #month ?de|del ?#year", TimeMeaning::MonthDays),
        ("#doms de #month ?de|del ?#year", TimeMeaning::MonthDays),
        ("#month ?de|del ?#year", TimeMeaning::Month),
        ("#month pasado", TimeMeaning::LastMonth),
        ("?el ano #year", TimeMeaning::Year),
        ("#year", TimeMeaning::Year),
        ("#q ?de ?#year", TimeMeaning::Quarter),
        ("?la|el #unit pasada|pasado", TimeMeaning::LastUnit),
        ("esta|este #unit", TimeMeaning::ThisUnit),
        ("?los|las ultimos|ultimas #n #unit", TimeMeaning::Rolling),
        ("hace #n #unit", TimeMeaning::Ago),
        ("hace unos|unas|varios|varias|algunos|algunas #unit", TimeMeaning::Loose),
        ("recientemente|ultimamente", TimeMeaning::Loose),
        ("?de mas ?antiguo ?antiguos de|que #n #unit", TimeMeaning::Older),
        ("esta #part", TimeMeaning::PartToday),
        ("ayer por la #part", TimeMeaning::PartYesterday),
        ("anoche", TimeMeaning::DaysAgo(1)),
        ("?el #day por la #part", TimeMeaning::PartWeekday),
        ("?el fin de semana pasado", TimeMeaning::Weekend),
    ],
    before: "antes de,antes del,anterior a,anteriores a",
    after: "despues de,despues del,posterior a,posteriores a",
    since: "desde,desde el,a partir de,a partir del",
    until: "hasta,hasta el",
    from: "de,del,de la,desde el dia",
    on: "en,el,durante,en el,en la",
    onwards: "en adelante,y despues",
    asks_when: "cuando,desde cuando,que dia,que fecha,en que fecha,en que ano,en que mes",
    ranges: &[
        ("entre,entre el", "y,y el"),
        ("de,del,desde,desde el", "a,al,hasta,hasta el"),
        ("", "a,al,hasta,hasta el"),
    ],
};

const FACT: FactRules = FactRules {
    patterns: &[
        named(
            RESIDENCE,
            One,
            Plain,
            r"(?:yo )?(?P<s>vivo|vivimos)(?P<m>(?: (?:ahora|actualmente|todavia))*) en (?P<v>.+)",
        ),
        named(RESIDENCE, One, Ended, r"(?:yo )?ya no (?P<s>vivo)(?P<m>) en (?P<v>.+)"),
        named(RESIDENCE, One, Became, r"(?P<s>me|nos)(?P<m>) (?:mude|he mudado|mudamos) a (?P<v>.+)"),
        named(
            "employer",
            One,
            Plain,
            r"(?:yo )?(?P<s>trabajo)(?P<m>(?: (?:ahora|actualmente))*) (?:en|para) (?P<v>.+)",
        ),
        named("job", One, Plain, r"(?:yo )?(?P<s>trabajo)(?P<m>(?: (?:ahora|actualmente))*) como (?P<v>.+)"),
        named("name", One, Plain, r"(?P<s>me) llamo(?P<m>(?: ahora)?) (?P<v>.+)"),
        FactPattern {
            attribute: Attribute::Favourite,
            arity: One,
            sense: Plain,
            source: r"(?P<s>mi) (?P<a>[a-z]+) (?:favorit[oa]|preferid[oa]) (?P<m>(?:es|son|era)(?: ahora)*) (?P<v>.+)",
        },
    ],
    leads: "ahora|antes",
    value_tails: "desde|ahora",
    articles: "el",
    owner: "mi|me|nos|vivo|vivimos|trabajo",
    joints: "y",
    subjects_again: "mi",
    conditions: "si|cuando",
    past: "era|antes",
    changes: "ahora",
    stating_phrases: "llamo",
    favourites: &[
        ("comida", "food"),
        ("plato", "food"),
        ("pelicula", "film"),
        ("libro", "book"),
        ("ciudad", "city"),
    ],
    ..FactRules::EMPTY
};

const NOUN: NounRules = NounRules {
    regions: "africa|alemania|america|andalucia|aragon|argentina|asturias|australia|austria|baleares|belgica|bolivia|\
        brasil|bulgaria|canada|canarias|cantabria|castilla|cataluna|chile|china|colombia|corea|costa rica|croacia|\
        cuba|dinamarca|ecuador|egipto|escocia|espana|estados unidos|europa|extremadura|filipinas|finlandia|francia|\
        galicia|grecia|guatemala|honduras|hungria|inglaterra|irlanda|islandia|italia|japon|marruecos|mexico|murcia|\
        navarra|nicaragua|noruega|nueva zelanda|pais vasco|paises bajos|panama|paraguay|peru|polonia|portugal|\
        reino unido|rumania|rusia|sudafrica|sudamerica|suecia|suiza|turquia|ucrania|uruguay|venezuela",
    no_names: "miedo|pobreza|ciudad|pueblo|hospital|escuela|iglesia|ventas|contabilidad|casa",
    fillers: "los las una",
    joints: "y o",
    days: "hoy manana",
    clock: "horas",
    ..NounRules::EMPTY
};
