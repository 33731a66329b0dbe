//! Examples and counterexamples of every kind, and ordinary prose.

use std::collections::HashSet;

use proptest::prelude::*;

use super::IdentifierKind::*;
use super::rule::tests::mistakes;
use super::*;

/// A kind, texts that hold one, and texts that hold none.
type Examples = (IdentifierKind, &'static [&'static str], &'static [&'static str]);

const MONEY: &[Examples] = &[
    (
        Card,
        &[
            "4244438993759257",
            "4244 4389 9375 9257",
            "5328-2536-6421-2932",
            "371863493925517",
            "6011100283118398",
        ],
        &[
            "4244438993759258",
            "42444389937592570",
            "7244438993759257",
            "4244-4389 9375-9257",
            "1700000000000",
        ],
    ),
    (
        Iban,
        &["FR14 2004 1010 0505 0001 3M02 606", "nl91abna0417164300", "NL91 ABNA 0417 1643 00 at my bank"],
        &["NL92 ABNA 0417 1643 00", "NL91 ABNA 0417 1643", "XX91ABNA0417164300", "NL91ABNA04171643001"],
    ),
    (
        BankAccount,
        &["acct 00481934", "Konto 4711 0815", "881734520019"],
        &["1234567", "account 2019", "10 000 000"],
    ),
    (AbaRouting, &["020928159", "routing 0209-2815-9"], &["020928158", "420928159"]),
    (SortCode, &["sort code 20-45-77", "sort code: 204577"], &["20-45-77", "204577"]),
    (
        Crypto,
        &[
            "147kVj3KfWGebtV18B7QHxnLKRQr8oQcxV",
            "bc1qck43j9h8h5g48426phweq2vuheswta2hw27mjk",
            "0x52908400098527886E0F7030069857D2E4169EE7",
        ],
        &[
            "147kVj3KfWGebtV18B7QHxnLKRQr8oQcxW",
            "bc1qck43j9h8h5g48426phweq2vuheswta2hw27mjq",
            "0x52908400098527886E0F7030069857D2E4169EE",
        ],
    ),
];

const AMERICAS: &[Examples] = &[
    (
        UsSsn,
        &["536-22-8143", "536 22 8143", "536228143"],
        &["536-22 8143", "666-22-8143", "536-00-8143", "5362281430"],
    ),
    (UsItin, &["934-72-8143", "934728143"], &["934-69-8143", "834-72-8143"]),
    (UsPassport, &["passport C03005988", "C03005988"], &["C0300598", "CD3005988"]),
    (UsDriverLicence, &["driver licence D1234562", "H55501234"], &["a licence to drive", "D12345"]),
    (UsMbi, &["2HK5-RW3-JM41", "2hk5rw3jm41"], &["2SK5-RW3-JM41", "2HK5-RW3-JM4", "0HK5-RW3-JM41"]),
    (UsNpi, &["NPI 1385280841", "1385-280-841"], &["1385280842", "3385280841"]),
    (UsDea, &["MR7353799"], &["MR7353798", "IR7353799"]),
    (CaSin, &["558 649 208", "558-649-208", "SIN 558649208"], &["558 649 209", "558-649 208", "058 649 208"]),
    (BrCpf, &["478.245.040-00", "47824504000"], &["478.245.040-01", "111.111.111-11"]),
    (BrCnpj, &["48.739.498/0001-35"], &["48.739.498/0001-36"]),
];

const BRITAIN: &[Examples] = &[
    (UkNhs, &["983 400 5717", "NHS 9834005717"], &["983 400 5718", "98340057170"]),
    (UkNino, &["JM 40 24 16 C", "jm402416c"], &["GB 40 24 16 C", "JM 40 24 16 E", "DM 40 24 16 C"]),
    (UkPassport, &["passport 707797979", "GH7077979"], &["707797979", "G7077979"]),
    (UkDrivingLicence, &["FARME101165AB5XY", "farme 101165 ab5xy"], &["FARME199165AB5XY", "FARME101165AB5X"]),
    (UkPostcode, &["BS3 4DT", "bs34dt", "EC2M 7PY"], &["QS3 4DT", "BS3 4CT", "BS3 44T"]),
    (UkVehicle, &["KX19 LMP", "kx19lmp", "R482 KLM", "KLM 482R"], &["KX49 LMP", "IX19 LMP", "KX19 LMPQ"]),
];

const GERMANY: &[Examples] = &[
    (DeTaxId, &["41978378058", "IdNr. 41 978 378 058"], &["41978378059", "01978378058"]),
    (DeTaxNumber, &["Steuernummer 21/815/08150", "2181508150 (Steuernummer)"], &["21/815", "2181508150"]),
    (DeIdCard, &["K791R3072", "Personalausweis K791R3073", "K781RW8876"], &["K791R3073", "K781RW8877"]),
    (DePassport, &["Reisepass K791R3073", "K791R3072"], &["K791R3073"]),
    (DeSocialSecurity, &["53230771M627", "53 230771 M 627"], &["53230771M628", "53231371M627"]),
    (DeHealthInsurance, &["R482753464"], &["R482753465", "R48275346"]),
    (DeVat, &["DE395044660", "DE 395 044 660"], &["DE395044661", "AT395044660"]),
    (DeLanr, &["LANR 518772003"], &["518773003"]),
    (DeBsnr, &["BSNR 721234500"], &["BSNR 72123450", "000000000"]),
    (DeDrivingLicence, &["Führerschein B072RRE2I55", "KA48213375X"], &["B072RRE2I55"]),
    (DeVehicle, &["B-MX 482", "M XY 99", "Kennzeichen ka-ef 120"], &["B 482", "ka-ef 12"]),
    (DeCompany, &["HRB 48213", "hra4821"], &["HRC 48213", "HRB 4821375"]),
    (DePostcode, &["PLZ 50667", "50667"], &["00500", "506671"]),
    (AtSocialSecurity, &["9956 170590"], &["9955 170590", "9956 171390"]),
    (ChAhv, &["756.1799.2405.32", "7561799240532"], &["756.1799.2405.33", "757.1799.2405.32"]),
];

const EUROPE: &[Examples] = &[
    (EsNif, &["61000857G", "61000857-g"], &["61000857H"]),
    (EsNie, &["Y7196114A", "y7196114-a"], &["Y7196114B", "W7196114A"]),
    (EsPassport, &["pasaporte PAB482137"], &["PAB48213", "PABC482137"]),
    (PtNif, &["NIF 212503499", "212 503 499"], &["212 503 498"]),
    (ItFiscalCode, &["BNCLRA84D52F205W", "bnclra84d52f205w"], &["BNCLRA84F52F205W", "BNCLRA84D52F205"]),
    (ItVat, &["partita IVA 06123531185"], &["06123531186", "00000000000"]),
    (ItDriverLicence, &["patente MI4821375K", "U1Y48B137K"], &["M14821375K"]),
    (ItPassport, &["passaporto YA4821375"], &["YAB4821375"]),
    (ItIdCard, &["carta d'identità CA48213AB", "AX 4821375"], &["A4821375"]),
    (
        FrNir,
        &["2 84 05 78 006 084 90", "184052A00608484"],
        &["2 84 05 78 006 084 91", "2 84 15 78 006 084 90"],
    ),
    (FrSiret, &["SIRET 843 141 342 64567", "SIREN 567 587 803"], &["84314134264568"]),
    (BeNational, &["90.05.17-274.74", "90051727474"], &["90.05.17-274.75", "90051327475"]),
    (NlBsn, &["BSN 234762020"], &["234762021"]),
    (PlPesel, &["90051757792"], &["90051757793", "90133757792"]),
    (FiHetu, &["170590-2144", "170503A214N"], &["170590-2145", "320590-2144", "170590/2144"]),
    (SePersonnummer, &["900517-3084", "19900517-3084", "9005772810"], &["900517-3085", "901317-3084"]),
    (SeCompany, &["559285-4300"], &["559285-4301"]),
    (NoNational, &["170590 32038", "17059032038"], &["17059032039", "17139032038"]),
    (DkCpr, &["CPR 170590-4821"], &["321390-4821"]),
];

const ASIA: &[Examples] = &[
    (InAadhaar, &["6025 5773 5521", "602557735521"], &["6025 5773 5522", "1025 5773 5521"]),
    (InPan, &["BKLPR4821M", "PAN bklpr4821m"], &["BKLP4821M", "BKLPR48211"]),
    (InGstin, &["29BKLPR4821M1ZF"], &["39BKLPR4821M1ZF", "29BKLPR4821M1YF"]),
    (InPassport, &["passport K4821375"], &["K0821375", "K482137"]),
    (InVoter, &["voter XKB4821375"], &["XK4821375"]),
    (InVehicle, &["MH 12 KL 4821", "mh12kl4821", "KA-05-MX-4821"], &["ZZ 12 KL 4821", "MH 12 KL 482"]),
    (SgNric, &["S6698149E", "G1193339X"], &["K6698149E", "S669814E"]),
    (SgUen, &["UEN 14714730A", "T08LL1234B"], &["14714730"]),
    (KrRrn, &["900517-2482137", "RRN 9005172482137"], &["901317-2482137", "900517-9482137"]),
    (KrFrn, &["900517-6482137"], &["900517-2482137"]),
    (KrPassport, &["여권번호는 M482B1375입니다", "M48213756"], &["M482B137", "T482B1375"]),
    (KrDriverLicence, &["11-08-482137-55", "license 110848213755"], &["39-08-482137-55"]),
    (KrBrn, &["379-45-18862"], &["379-45-18863"]),
    (CnResident, &["110105199005174610"], &["110105199005174611", "110105199013174610"]),
    (ThNational, &["3505761456567", "3-5057-61456-56-7"], &["3505761456568", "3285761456567"]),
    (PhTin, &["TIN 481-406-426", "481-406-426-000"], &["481-406-427", "781-406-426"]),
];

const WORLD: &[Examples] = &[
    (TrNational, &["58827262088"], &["58827262089", "08827262088"]),
    (TrVehicle, &["34 KLM 482", "plaka 06 ab 482"], &["82 KLM 482", "34 KLMN 482"]),
    (NgNin, &["NIN 10793312240"], &["NIN 10793312241"]),
    (NgVehicle, &["KLM-482XY", "klm 482 xy"], &["KL-482XY", "KLM-4821XY"]),
    (ZaId, &["9005175671080", "900517 5671 080"], &["9005175671081", "9013175671080"]),
    (AuAbn, &["76 661 211 083"], &["76 661 211 084"]),
    (AuAcn, &["ACN 642 772 021"], &["642 772 022"]),
    (AuTfn, &["TFN 746 252 225"], &["746 252 226"]),
    (AuMedicare, &["3399 29786 2"], &["3399 29776 2", "7399 29786 2"]),
];

fn tables() -> impl Iterator<Item = &'static Examples> {
    [MONEY, AMERICAS, BRITAIN, GERMANY, EUROPE, ASIA, WORLD].into_iter().flatten()
}

#[test]
fn every_example_is_found_and_no_counterexample() {
    let mistakes: Vec<String> = tables().flat_map(|(kind, yes, no)| mistakes(*kind, yes, no)).collect();
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn every_kind_has_examples() {
    // These have tests beside their code.
    let elsewhere = [Email, Phone, Handle, Url, Ip, Mac, Reference, Address, BirthDate];
    let shown: HashSet<IdentifierKind> = tables().map(|(kind, _, _)| *kind).chain(elsewhere).collect();
    let missing: Vec<&str> =
        IdentifierKind::ALL.iter().filter(|kind| !shown.contains(kind)).map(|kind| kind.as_str()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn prose_with_numbers_has_no_confident_identifier() {
    for text in [
        "We met on 12.05.2023 at 14:30 and stayed until 2024.",
        "The flat costs 1,250 a month, or $15000 a year.",
        "I ran 42.195 km in 3:59:12 and was placed 1047 of 12350.",
        "He is 34 and she is 31; they have 2 kids and 3 cats.",
        "Version 1.2.3.4 came after release 10.15.7.",
        "COVID-19 began in 2019, and GPT-4 came in 2023.",
        "The Boeing 737-800 seats 189, the A320 up to 180.",
        "Chapter 12 to 14, pages 120-135, ISO-8601 and UTF-8.",
        "Room 4012 on floor 12, seat 23B, gate A7.",
        "Our budget is 1 000 000 over 5 years, 20 to 30 people.",
        "Mix 200 g flour, 3 eggs and 250 ml milk at 180 degrees.",
        "The score was 21-15, 18-21, 21-19.",
        "I was born in 1990 and moved in 2012.",
        "Es kostet 49,99 Euro und dauert 3 bis 4 Wochen.",
        "On a payé 1.299,00 euros pour 2 nuits.",
        "I am 1800 words into my 5000 word essay.",
        "Order 66 was a mistake, and so were 120 chairs.",
        "Between 1914 and 1918 about 9000000 soldiers died.",
        "My playlist has 1234567 plays and 98765 likes.",
        "The account of the war is ISBN 9780306406157.",
        "Cambridge, MA 02139-4307",
        "I take 500 mg twice a day, since 03/2021.",
    ] {
        let found: Vec<Identifier> =
            identifiers(text).into_iter().filter(|one| one.confidence >= CONFIDENT).collect();
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_word_beside_a_number_makes_it_confident() {
    for (text, kind) in [
        ("her social security number is 536228143", UsSsn),
        ("NHS number 9834005717", UkNhs),
        ("meine Steuer-ID ist 41978378058", DeTaxId),
        ("mon NAS: 558649208", CaSin),
        ("my passport number is GH7077979", UkPassport),
        ("PLZ 50667", DePostcode),
        ("routing number 020928159", AbaRouting),
        ("call me on 2125550187", Phone),
    ] {
        let found = identifiers(text);
        assert!(found.iter().any(|one| one.kind == kind && one.confidence >= CONFIDENT), "{text}: {found:?}");
    }
}

#[test]
fn typographic_spaces_and_dashes_change_nothing() {
    let text = "Karte: 4244\u{A0}4389\u{A0}9375\u{A0}9257!";
    let found = identifiers(text);
    assert_eq!(found[0].canonical, "4244438993759257");
    assert_eq!(&text[found[0].span.clone()], "4244\u{A0}4389\u{A0}9375\u{A0}9257");
    assert_eq!(identifiers("SSN 536\u{2011}22\u{2011}8143")[0].canonical, "536228143");
}

#[test]
fn debug_output_has_no_value() {
    let shown = format!("{:?}", identifiers("alice@acme.io and 4244438993759257"));
    assert!(!shown.contains("alice") && !shown.contains("4244") && shown.contains("Email"));
}

#[test]
fn texts_without_clues_are_answered_at_once() {
    assert!(Clues::of("I like tea. She likes coffee; we all do!").none());
    assert!(!Clues::of("a@b").none() && !Clues::of("acme.io").none() && !Clues::of("7").none());
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,120}") {
        for one in readings(&text) {
            prop_assert!(text.get(one.span.clone()).is_some_and(|raw| !raw.is_empty()));
            prop_assert!((0.0..=1.0).contains(&one.confidence) && !one.canonical.is_empty());
        }
    }

    #[test]
    fn texts_of_numbers_are_read_without_panic(text in "[A-Za-z0-9@.,:;/ +()#'é\u{A0}０-９-]{0,80}") {
        let found = identifiers(&text);
        prop_assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        for one in readings(&text) {
            prop_assert!(text.get(one.span.clone()).is_some());
        }
    }
}

/// A UUID that begins a group like an IBAN of a country has its checksum by chance one time in 97.
#[test]
fn random_ids_are_nobodys_identifiers() {
    let mut state = 0x5eed_u128;
    let mut random = || {
        state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
        format!("{:032x}", state ^ (state >> 64))
    };
    for (place, start) in [(0, "be68"), (0, "ba39"), (0, "ee38"), (8, "ad12"), (16, "be68")] {
        for _ in 0..500 {
            let mut hex = random();
            hex.replace_range(place..place + start.len(), start);
            let id = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
            assert_eq!(identifiers(&id), [], "{id}");
            assert_eq!(identifiers(&format!("mail-{id}.eml")), [], "{id}");
        }
    }
    // The same country and its checksum, in groups as an IBAN is printed.
    assert_eq!(identifiers("be68-5390-0754-7034")[0].kind, Iban);
}
