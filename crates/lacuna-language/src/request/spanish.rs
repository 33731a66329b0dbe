use super::dates::{Calendar, Meaning, Part, Unit};
use super::tongue::Tongue;
use lacuna_types::{Sensitivity, SourceType, Tier};

pub(super) static TONGUE: Tongue = Tongue {
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
    units: &[
        (Unit::Minute, "minuto,minutos"),
        (Unit::Hour, "hora,horas"),
        (Unit::Day, "dia,dias"),
        (Unit::Week, "semana,semanas"),
        (Unit::Month, "mes,meses"),
        (Unit::Quarter, "trimestre,trimestres"),
        (Unit::Year, "ano,anos"),
    ],
    parts: &[(Part::Morning, "manana"), (Part::Afternoon, "tarde"), (Part::Night, "noche")],
    patterns: &[
        ("hoy", Meaning::DaysAgo(0)),
        ("ayer", Meaning::DaysAgo(1)),
        ("anteayer|antier", Meaning::DaysAgo(2)),
        ("antes de ayer", Meaning::DaysAgo(2)),
        ("manana", Meaning::Future),
        ("?la|el proxima|proximo #unit|#day|#month", Meaning::Future),
        ("?la|el #unit|#day que viene", Meaning::Future),
        ("#figures", Meaning::Figures),
        ("?el #day", Meaning::Weekday),
        ("?el #day pasado", Meaning::Weekday),
        ("?el pasado #day", Meaning::Weekday),
        ("este #day", Meaning::ThisWeekday),
        ("?el #day de la semana pasada", Meaning::WeekdayLastWeek),
        ("?el ?#day #dom de #month ?de|del ?#year", Meaning::MonthDay),
        ("?del #dom al #dom2 de #month ?de|del ?#year", Meaning::MonthDays),
        ("#doms de #month ?de|del ?#year", Meaning::MonthDays),
        ("#month ?de|del ?#year", Meaning::Month),
        ("#month pasado", Meaning::LastMonth),
        ("?el ano #year", Meaning::Year),
        ("#year", Meaning::Year),
        ("#q ?de ?#year", Meaning::Quarter),
        ("?la|el #unit pasada|pasado", Meaning::LastUnit),
        ("esta|este #unit", Meaning::ThisUnit),
        ("?los|las ultimos|ultimas #n #unit", Meaning::Rolling),
        ("hace #n #unit", Meaning::Ago),
        ("hace unos|unas|varios|varias|algunos|algunas #unit", Meaning::Loose),
        ("recientemente|ultimamente", Meaning::Loose),
        ("?de mas ?antiguo ?antiguos de|que #n #unit", Meaning::Older),
        ("esta #part", Meaning::PartToday),
        ("ayer por la #part", Meaning::PartYesterday),
        ("anoche", Meaning::DaysAgo(1)),
        ("?el #day por la #part", Meaning::PartWeekday),
        ("?el fin de semana pasado", Meaning::Weekend),
    ],
    before: "antes de,antes del,anterior a,anteriores a",
    after: "despues de,despues del,posterior a,posteriores a",
    since: "desde,desde el,a partir de,a partir del",
    until: "hasta,hasta el",
    from: "de,del,de la,desde el dia",
    on: "en,el,durante,en el,en la",
    onwards: "en adelante,y despues",
    ranges: &[
        ("entre,entre el", "y,y el"),
        ("de,del,desde,desde el", "a,al,hasta,hasta el"),
        ("", "a,al,hasta,hasta el"),
    ],
};
