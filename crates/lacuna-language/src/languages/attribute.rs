//! Names of attributes in the eight languages whose requests are read, by the beginnings of their words, folded.

use lacuna_types::Sensitivity;

use super::rules::Words;

/// An attribute that identifiers of one sort hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttributeKind {
    Email,
    Phone,
    Residence,
    Plate,
    Birth,
}

/// Attributes that an identifier holds.
pub(crate) const KINDS: &[(AttributeKind, Words)] = &[
    (AttributeKind::Email, "email mail correo posta elettronic electronic electronique poczt"),
    (
        AttributeKind::Phone,
        "phone mobile telephon telefon handy rufnummer festnetz portable movil cellular telemovel telefoon mobiel komork",
    ),
    (
        AttributeKind::Residence,
        "address adress anschrift wohnort wohne adresse habite direccion domicilio vivo vive indirizzo abito abita morada \
         moro mora adres woon mieszka zamieszk live lives residence",
    ),
    (AttributeKind::Plate, "plate kennzeichen immatricul plaque matricula targa kenteken rejestrac"),
    (
        AttributeKind::Birth,
        "birthda birthdate geburtstag geburtsdatum anniversaire cumpleanos compleanno aniversario verjaardag urodzin",
    ),
];

/// Attributes that a category of memories holds.
pub(crate) const CATEGORIES: &[(Sensitivity, Words)] = &[
    (
        Sensitivity::Health,
        "health medical medication illness disease diagnos gesundheit krankheit medizin medikament sante maladie medicament \
         salud enfermedad salute malattia saude doenca gezondheid ziekte medicij zdrowi chorob lekarstw",
    ),
    (
        Sensitivity::Financial,
        "money financ finanz salary income earnings debt savings geld gehalt schulden argent salaire revenu dette dinero \
         sueldo salario deuda ahorr soldi stipendio debiti risparmi dinheiro divida poupanca salaris inkomen pieniadz \
         pieniedz zarobk pensj dlug oszczedn",
    ),
    (
        Sensitivity::PoliticalReligious,
        "politic politik politique politiek polityk union gewerkschaft syndicat sindicato sindacato vakbond zwiazk religio \
         faith church glaube kirche eglise iglesia chiesa igreja kerk geloof wiara wierze kosciol vote voting voto",
    ),
];
