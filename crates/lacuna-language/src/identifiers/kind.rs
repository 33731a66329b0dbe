//! Kinds of identifiers.

/// The broad use of an identifier, by which the gate decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// Reaches a person: e-mail, telephone, handle.
    Contact,
    /// Moves money: card, IBAN, account, wallet.
    Account,
    /// Issued to a person by a state: identity, tax, passport, licence.
    National,
    /// Issued to a patient, an insured person or a practitioner.
    Health,
    /// Issued to a company.
    Company,
    /// Names a case at some organisation: order, ticket, invoice, customer.
    Reference,
    /// Names a machine or a page.
    Network,
    /// A number plate.
    Vehicle,
    /// An address of residence.
    Place,
    /// A date of birth.
    Birth,
}

macro_rules! kinds {
    ($($variant:ident $word:literal $family:ident),+ $(,)?) => {
        /// One kind of identifier.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum IdentifierKind {
            $(
                #[doc = concat!("Spelled `", $word, "`.")]
                $variant
            ),+
        }

        impl IdentifierKind {
            /// Every kind, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the public spelling.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The family of the kind.
            pub fn family(self) -> Family {
                match self { $(Self::$variant => Family::$family),+ }
            }
        }
    };
}

kinds! {
    Email "email" Contact,
    Phone "phone" Contact,
    Handle "handle" Contact,
    Url "url" Network,
    Ip "ip" Network,
    Mac "mac" Network,
    Iban "iban" Account,
    Card "card" Account,
    BankAccount "bank_account" Account,
    AbaRouting "aba_routing" Account,
    SortCode "sort_code" Account,
    Crypto "crypto" Account,
    Reference "reference" Reference,
    Address "address" Place,
    BirthDate "birth_date" Birth,
    UsSsn "us_ssn" National,
    UsItin "us_itin" National,
    UsPassport "us_passport" National,
    UsDriverLicence "us_driver_licence" National,
    UsMbi "us_mbi" Health,
    UsNpi "us_npi" Health,
    UsDea "us_dea" Health,
    CaSin "ca_sin" National,
    BrCpf "br_cpf" National,
    BrCnpj "br_cnpj" Company,
    UkNhs "uk_nhs" Health,
    UkNino "uk_nino" National,
    UkPassport "uk_passport" National,
    UkDrivingLicence "uk_driving_licence" National,
    UkPostcode "uk_postcode" Place,
    UkVehicle "uk_vehicle" Vehicle,
    DeTaxId "de_tax_id" National,
    DeTaxNumber "de_tax_number" National,
    DeIdCard "de_id_card" National,
    DePassport "de_passport" National,
    DeSocialSecurity "de_social_security" National,
    DeHealthInsurance "de_health_insurance" Health,
    DeVat "de_vat" Company,
    DeLanr "de_lanr" Health,
    DeBsnr "de_bsnr" Health,
    DeDrivingLicence "de_driving_licence" National,
    DeVehicle "de_vehicle" Vehicle,
    DeCompany "de_company" Company,
    DePostcode "de_postcode" Place,
    AtSocialSecurity "at_social_security" National,
    ChAhv "ch_ahv" National,
    EsNif "es_nif" National,
    EsNie "es_nie" National,
    EsPassport "es_passport" National,
    ItFiscalCode "it_fiscal_code" National,
    ItVat "it_vat" Company,
    ItDriverLicence "it_driver_licence" National,
    ItPassport "it_passport" National,
    ItIdCard "it_id_card" National,
    PtNif "pt_nif" National,
    FrNir "fr_nir" National,
    FrSiret "fr_siret" Company,
    BeNational "be_national" National,
    NlBsn "nl_bsn" National,
    PlPesel "pl_pesel" National,
    FiHetu "fi_hetu" National,
    SePersonnummer "se_personnummer" National,
    SeCompany "se_company" Company,
    NoNational "no_national" National,
    DkCpr "dk_cpr" National,
    TrNational "tr_national" National,
    TrVehicle "tr_vehicle" Vehicle,
    InAadhaar "in_aadhaar" National,
    InPan "in_pan" National,
    InGstin "in_gstin" Company,
    InPassport "in_passport" National,
    InVoter "in_voter" National,
    InVehicle "in_vehicle" Vehicle,
    SgNric "sg_nric" National,
    SgUen "sg_uen" Company,
    KrRrn "kr_rrn" National,
    KrFrn "kr_frn" National,
    KrPassport "kr_passport" National,
    KrDriverLicence "kr_driver_licence" National,
    KrBrn "kr_brn" Company,
    CnResident "cn_resident" National,
    ThNational "th_national" National,
    PhTin "ph_tin" National,
    AuAbn "au_abn" Company,
    AuAcn "au_acn" Company,
    AuTfn "au_tfn" National,
    AuMedicare "au_medicare" Health,
    NgNin "ng_nin" National,
    NgVehicle "ng_vehicle" Vehicle,
    ZaId "za_id" National,
}
