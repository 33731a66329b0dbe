//! People and animals who are named by their relation to somebody, in the eight languages whose requests are read. Words
//! are folded as names are; one that ends in `-` is the beginning of a word. A line is one relation in all languages, so
//! that a request in one of them finds a memory in another.

use super::rules::Words;

/// A relation, by the place of its line.
pub(crate) type KinLine = u8;

/// Relations whose facts are their own: "my mother's diagnosis" is not mine.
pub(crate) const OWNERS: &[Words] = &[
    "mother mothers mum mums mom moms mummy mama mamas mami mutter mutti mere maman madre mamma mae moeder matka matki \
     matke matce mamy mamie mamo mame",
    "father fathers dad dads daddy papa papas vater vati pere padre babbo pai vader ojciec ojca ojcu tata taty tacie tate",
    "parents parent eltern parents padres genitori pais ouders rodzice rodzicow rodzicom",
    "sister sisters schwester schwestern soeur soeurs hermana hermanas sorella sorelle irma irmas zus zussen zusje siostr- \
     siostrze",
    "brother brothers bruder bruders frere freres hermano hermanos fratello fratelli irmao irmaos broer broers broertje \
     brat brata bratu bratem bracie",
    "grandmother grandma gran granny nan nana grossmutter oma omas grandmere mamie abuela abuelita nonna avo avozinha \
     grootmoeder babci- babcia",
    "grandfather grandpa grandad granddad grossvater opa opas grandpere papi abuelo nonno avo grootvader dziad- dziadek",
    "aunt auntie aunts tante tanten tia zia ciotk- ciocia cioci ciocie",
    "uncle uncles onkel oncle tio zio oom wujek wujka wujkiem wujku",
    "cousin cousins cousine cousinen vetter kusine primo primos cugino cugina nicht neef kuzyn-",
    "daughter daughters tochter fille filha hija figlia dochter cork- corce",
    "son sons sohn sohnes fils hijo figlio filho zoon syn syna synu synem",
    "children kids kinder enfants hijos figli filhos kinderen dzieci dzieciom",
    "wife ehefrau epouse femme esposa mujer moglie mulher echtgenote vrouw zona zony zonie",
    "husband ehemann mari esposo marido marito echtgenoot maz meza mezem mezu",
    "girlfriend boyfriend fiance fiancee freundin verlobter verlobte copine copain compagne compagnon novia novio fidanzata \
     fidanzato ragazza ragazzo namorada namorado vriendin vriend narzeczon- dziewczyn- chlopak-",
    "ex exwife exhusband exboyfriend exgirlfriend exfrau exmann exfreund exfreundin exmari exfemme exmarido exmujer \
     exmarito exmoglie exmulher exvriend exvriendin exman exvrouw byly byla bylego bylej bylym",
    "brotherinlaw schwager beaufrere cunado cognato cunhado zwager szwagier szwagra szwagrem",
    "sisterinlaw schwagerin bellesoeur cunada cognata cunhada schoonzus szwagierk- bratow-",
    "motherinlaw schwiegermutter bellemere suegra suocera sogra schoonmoeder tesciow-",
    "fatherinlaw schwiegervater beaupere suegro suocero sogro schoonvader tesc tescia tesciem",
    "nephew neffe neveu sobrino nipote sobrinho neefje siostrzen- bratan-",
    "niece nichte niece sobrina nipotina sobrinha nichtje siostrzenic-",
    "boss bosses manager supervisor superior director head chef chefin vorgesetzt- patron patronne directeur directrice jefe jefa directora capo superiore direttore direttrice chefe diretor diretora \
     leidinggevende baas bazin bedrijfsleid- directrice dyrektor- szef szefa szefow- szefem przelozon- kierownik kierownicz-",
    "colleague colleagues coworker workmate kollege kollegin kollegen collegue collegues companero companera colega \
     collega kolega kolezank- wspolpracowni-",
    "landlord landlady vermieter vermieterin hauswirt proprietaire bailleur casero casera arrendador padrone padrona \
     senhorio senhoria huisbaas verhuurder wlasciciel-",
    "neighbour neighbours neighbor neighbors nachbar nachbarin nachbarn voisin voisine voisins vecino vecina vicino vicina \
     vizinho vizinha buurman buurvrouw buren sasiad sasiad-",
    "flatmate roommate housemate mitbewohner mitbewohnerin colocataire coloc coinquilino coinquilina \
     huisgenoot wspollokator-",
    "friend friends mate mates bestie freund freunde kumpel ami amie amis pote amigo amiga amico amica amici maat maatje \
     przyjaci-",
    "dog dogs puppy hund hunde hundin chien chienne perro perra cane cagnolino cao cadela cachorro hond hondje pies psa psem \
     psu",
    "cat cats kitten kater katze katzen kitty chatte gato gata gatto gatta kat poes kot kota kotem kotka",
    "rabbit bunny hamster kaninchen lapin conejo coniglio coelho konijn krolik krolika parrot papagei perroquet loro \
     pappagallo papagaio papegaai papuga horse pferd cheval caballo cavallo cavalo paard konia",
    "baby toddler saugling bebe bebes neonato bambino bambina crianca niemowle dziecko dziecka",
];

/// People of a trade or an office: a memory of them may well be about the owner's own affairs.
pub(crate) const TRADES: &[Words] = &[
    "doctor gp physician arzt arztin hausarzt hausarztin medecin docteur medico medica dottore dottoressa dokter huisarts \
     lekarz lekarza lekark-",
    "therapist psychologist psychotherapist psychiatrist counsellor shrink therapeut therapeutin psychologe psychologin \
     psychiater therapeute psychologue psy terapeuta psicologo psicologa psiquiatra psichiatra psycholoog terapeut- \
     psycholog-",
    "dentist zahnarzt zahnarztin dentiste dentista tandarts dentyst-",
    "vet veterinarian tierarzt tierarztin veterinaire veterinario veterinaria dierenarts weterynarz-",
    "teacher tutor coach lehrer lehrerin trainer prof professeur profesor profesora maestro maestra professore professoressa \
     insegnante professor professora leraar lerares docent nauczyciel- korepetytor-",
    "accountant taxadviser steuerberater steuerberaterin comptable contable gestor commercialista contabilista boekhouder \
     belastingadviseur ksiegow-",
    "lawyer solicitor attorney anwalt anwaltin rechtsanwalt avocat avocate abogado abogada avvocato avvocata advogado \
     advogada advocaat prawni- adwokat-",
    "plumber klempner installateur plombier fontanero idraulico canalizador loodgieter hydraulik-",
    "electrician elektriker electricien electricista elettricista eletricista elektricien elektryk-",
    "hairdresser barber friseur friseurin coiffeur coiffeuse peluquero peluquera parrucchiere parrucchiera cabeleireiro \
     cabeleireira kapper kapster fryzjer-",
    "cleaner putzfrau reinigungskraft menage limpiadora pulizie empregada schoonmaker schoonmaakster sprzatacz-",
    "mechanic mechaniker garagiste mecanico meccanico monteur mechanik-",
    "babysitter nanny kindermadchen nounou ninera canguro oppas niani-",
];

/// Words of these lists that have another sense in one of the languages: they count after a possessive only.
pub(crate) const AFTER_POSSESSIVE: Words = "son ex fille femme vrouw mujer mulher nan gran ragazza ragazzo vriend vriendin tata \
    chef mate mates prof pies pai kat kot cane byly byla bylego bylej bylym amie niece nicht manager superior coach trainer \
    tutor vet head director maestro maestra medico medica gestor menage";

/// Possessives of the first person.
pub(crate) const OWN_POSSESSIVES: Words = "my our mein meine meiner meinem meinen meines unser unsere unserer unserem unseren mon \
    ma mes notre nos mi mis nuestro nuestra nuestros nuestras mio mia miei mie nostro nostra meu minha meus minhas nosso nossa \
    mijn mn onze ons moj moja moje mojej mojego mojemu moich moim moimi nasz nasza nasze";

/// Words that join two of whom something is said.
pub(crate) const ANDS: Words = "and und et y e ed en i";

/// Other words of the first person.
pub(crate) const OWN_OBJECTS: Words = "me myself mich mir moi m mim mij mnie mna mi";

/// Subjects of the first person.
pub(crate) const OWN_SUBJECTS: Words = "i im ive ich wir je j nous yo nosotros io noi eu ik wij ja";
