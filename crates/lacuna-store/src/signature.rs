//! Signature version 4 of AWS: for buckets that speak S3, and for AWS's own key management service.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_seal::{hmac_sha256, sha256};
use lacuna_types::hex::hex;
use zeroize::Zeroizing;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Everything that a signature covers. Headers are in lower case and in the order of their names.
pub struct Signed<'a> {
    /// The method, in capitals.
    pub method: &'a str,
    /// The path as it is sent.
    pub path: &'a str,
    /// The query as it is sent, in the order of its names.
    pub query: &'a str,
    /// The headers that are signed.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body.
    pub body: &'a [u8],
}

/// The place and the time that a signature holds for.
pub struct SignedFor<'a> {
    /// The region, such as `eu-central-1`.
    pub region: &'a str,
    /// The service, such as `s3`.
    pub service: &'a str,
    /// The time of the request.
    pub at: Timestamp,
}

/// The time as the header `x-amz-date` has it.
pub fn amz_date(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// The value of the header `Authorization`.
pub fn authorization(request: &Signed<'_>, place: &SignedFor<'_>, id: &str, secret: &str) -> String {
    let date = amz_date(place.at);
    let day = &date[..8];
    let scope = format!("{day}/{}/{}/aws4_request", place.region, place.service);
    let names: Vec<_> = request.headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let to_sign =
        format!("{ALGORITHM}\n{date}\n{scope}\n{}", hex(&sha256(canonical(request, &names).as_bytes())));
    let key = signing_key(secret, day, place);
    let signature = hex(&hmac_sha256(key.as_slice(), &[to_sign.as_bytes()]));
    format!("{ALGORITHM} Credential={id}/{scope}, SignedHeaders={names}, Signature={signature}")
}

fn canonical(request: &Signed<'_>, names: &str) -> String {
    let headers: String =
        request.headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
    let Signed { method, path, query, body, .. } = request;
    format!("{method}\n{path}\n{query}\n{headers}\n{names}\n{}", hex(&sha256(body)))
}

fn signing_key(secret: &str, day: &str, place: &SignedFor<'_>) -> Zeroizing<[u8; 32]> {
    let first = Zeroizing::new(format!("AWS4{secret}"));
    let mut key = Zeroizing::new(hmac_sha256(first.as_bytes(), &[day.as_bytes()]));
    for part in [place.region, place.service, "aws4_request"] {
        key = Zeroizing::new(hmac_sha256(key.as_slice(), &[part.as_bytes()]));
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "AKIDEXAMPLE";
    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

    fn place(service: &'static str) -> SignedFor<'static> {
        SignedFor { region: "us-east-1", service, at: "2015-08-30T12:36:00Z".parse().unwrap() }
    }

    fn signature(request: &Signed<'_>, service: &'static str) -> String {
        let header = authorization(request, &place(service), ID, SECRET);
        header.rsplit_once("Signature=").unwrap().1.to_owned()
    }

    /// The key that AWS's description of the signature derives step by step.
    #[test]
    fn the_signing_key_is_the_published_one() {
        let key = signing_key(SECRET, "20150830", &place("iam"));
        assert_eq!(hex(key.as_slice()), "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
    }

    /// `get-vanilla` and `post-vanilla` of AWS's test suite, and the request to IAM of its description.
    #[test]
    fn signatures_are_the_published_ones() {
        let vanilla = [("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z")];
        let get = Signed { method: "GET", path: "/", query: "", headers: &vanilla, body: b"" };
        let post = Signed { method: "POST", ..get };
        assert_eq!(
            signature(&get, "service"),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        );
        assert_eq!(
            signature(&post, "service"),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        );
        let headers = [
            ("content-type", "application/x-www-form-urlencoded; charset=utf-8"),
            ("host", "iam.amazonaws.com"),
            ("x-amz-date", "20150830T123600Z"),
        ];
        let query = "Action=ListUsers&Version=2010-05-08";
        let iam = Signed { method: "GET", path: "/", query, headers: &headers, body: b"" };
        assert_eq!(
            signature(&iam, "iam"),
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
    }

    /// The example "GET Object" of the documentation of Amazon S3.
    #[test]
    fn the_documented_request_to_a_bucket_has_the_documented_signature() {
        let empty = hex(&sha256(b""));
        let headers = [
            ("host", "examplebucket.s3.amazonaws.com"),
            ("range", "bytes=0-9"),
            ("x-amz-content-sha256", empty.as_str()),
            ("x-amz-date", "20130524T000000Z"),
        ];
        let request = Signed { method: "GET", path: "/test.txt", query: "", headers: &headers, body: b"" };
        let place =
            SignedFor { region: "us-east-1", service: "s3", at: "2013-05-24T00:00:00Z".parse().unwrap() };
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        let signed = authorization(&request, &place, "AKIAIOSFODNN7EXAMPLE", secret);
        let expected = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
        assert!(signed.ends_with(&format!("Signature={expected}")), "{signed}");
    }
}
