//! The files of the pages: one style, one script, one sign. They are in the binary, and their addresses change with
//! their bytes.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::codes;
use crate::wire::failure::Failure;
use crate::wire::hex;

/// Bytes of a file's hash in its address.
const MARK_BYTES: usize = 6;

/// Names, types and contents. Nothing of a person is in them, so that a browser may keep them.
const FILES: [(&str, &str, &str); 3] = [
    ("console.css", "text/css; charset=utf-8", include_str!("console.css")),
    ("console.js", "text/javascript; charset=utf-8", include_str!("console.js")),
    ("icon.svg", "image/svg+xml", include_str!("icon.svg")),
];

static MARKS: LazyLock<[String; 3]> =
    LazyLock::new(|| FILES.map(|(_, _, text)| hex(&lacuna_seal::sha256(text.as_bytes())[..MARK_BYTES])));

/// The address of a file.
pub(super) fn path(name: &str) -> String {
    let mark =
        FILES.iter().zip(&*MARKS).find(|((known, ..), _)| *known == name).map(|(_, mark)| mark.as_str());
    format!("/console/assets/{}-{name}", mark.unwrap_or_default())
}

pub(super) async fn asset(Path(asked): Path<String>) -> Response {
    let found = FILES.iter().zip(&*MARKS).find(|((name, ..), mark)| {
        asked.strip_prefix(mark.as_str()).and_then(|rest| rest.strip_prefix('-')) == Some(name)
    });
    match found {
        None => Failure::new(&codes::UNKNOWN_ROUTE, codes::UNKNOWN_ROUTE.meaning).into_response(),
        Some(((_, kind, text), _)) => {
            ([(CONTENT_TYPE, *kind), (CACHE_CONTROL, "max-age=31536000, immutable")], *text).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use lacuna_core::vault::{Cause, Named, ProbePath};
    use lacuna_types::request::Mode;

    /// The bytes of a receipt that the script verifies hold these codes.
    #[test]
    fn the_script_knows_the_codes_that_receipts_are_signed_with() {
        let script: String = super::FILES[1].2.replace(['\n', '"'], " ");
        let table = |name: &str| {
            let rest = script.split(&format!(" {name}: {{")).nth(1).expect("the table is there");
            rest.split('}').next().unwrap_or_default().to_owned()
        };
        macro_rules! same {
            ($($name:literal $type:ident),+) => {$(
                let known = table($name);
                for value in $type::ALL {
                    let entry = format!("{}: {}", value.as_str(), value.code());
                    let found = known.split(',').any(|one| one.replace(" :", ":").trim() == entry);
                    assert!(found, "{} lacks {entry}", $name);
                }
                assert_eq!(known.split(',').filter(|one| one.contains(':')).count(), $type::ALL.len());
            )+};
        }
        same!("mode" Mode, "cause" Cause, "target" Named, "probe" ProbePath);
    }
}
