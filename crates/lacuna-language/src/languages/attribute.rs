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
        "phone mobile cellphone landline telephon telefon handy rufnummer festnetz mobilnummer portable movil celular cellular \
         recapito telemovel telefoon mobiel komork",
    ),
    (
        AttributeKind::Residence,
        "address adress anschrift wohnort wohnsitz wohnadresse wohne adresse habite domicile direccion domicilio senas \
         residencia vivo vive indirizzo residenza recapito abito abita endereco morada moro mora adres woon mieszka zamieszk \
         zameldowan live lives residence",
    ),
    (
        AttributeKind::Plate,
        "plate kennzeichen nummernschild immatricul plaque matricula targa kenteken nummerbord rejestrac",
    ),
    (
        AttributeKind::Birth,
        "birth geburtstag geburtsdatum anniversaire naissance cumpleanos nacimiento compleanno nascita aniversario nascimento \
         verjaardag geboorte urodz",
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
