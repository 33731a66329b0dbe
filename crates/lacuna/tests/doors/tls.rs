//! TLS: version 1.3 alone, a certificate that changes under a running server, and what is refused at the start.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, SupportedProtocolVersion};
use serde_json::json;

use crate::support::{Home, Server};

/// Makes a certificate for this machine, with the key beside it, under these names in the home's folder.
fn certify(home: &Home, name: &str) -> (PathBuf, PathBuf) {
    let (cert, key) = (home.path(&format!("{name}.pem")), home.path(&format!("{name}.key")));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", &format!("/CN={name}"), "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&cert)
        .stderr(Stdio::null())
        .status()
        .expect("openssl makes certificates; `cargo xtask test` installs it");
    assert!(made.success());
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    (cert, key)
}

fn with_tls(home: Home, cert: &Path, key: &Path) -> Home {
    home.with("LACUNA_TLS_CERT", cert.to_str().unwrap()).with("LACUNA_TLS_KEY", key.to_str().unwrap())
}

/// Greets the server, and answers with the version and the certificate that it showed.
fn greet(
    server: &Server,
    trusted: &Path,
    version: &'static SupportedProtocolVersion,
) -> Result<(ProtocolVersion, CertificateDer<'static>), std::io::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = TcpStream::connect(server.authority()).unwrap();
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    stream.flush()?;
    let shown = connection.peer_certificates().unwrap()[0].clone().into_owned();
    Ok((connection.protocol_version().unwrap(), shown))
}

#[test]
fn version_1_3_is_spoken_and_nothing_older() {
    let home = Home::new();
    let (cert, key) = certify(&home, "one");
    let home = with_tls(home, &cert, &key);
    let token = home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    assert!(server.url.starts_with("https://127.0.0.1:"), "{}", server.url);
    let (version, _) = greet(&server, &cert, &rustls::version::TLS13).unwrap();
    assert_eq!(version, ProtocolVersion::TLSv1_3);
    assert!(greet(&server, &cert, &rustls::version::TLS12).is_err());

    server.trusting(&fs::read(&cert).unwrap());
    server.get("/v1/memories").refused(401, "unauthenticated");
    server.bearing(&token).post("/v1/memories", &json!({"content": "over TLS"})).expect(201);
    // In the clear nothing is answered on this port.
    let mut plain = TcpStream::connect(server.authority()).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut plain, &mut answer);
    assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");
    assert_eq!(server.stop(), 0);
}

#[test]
fn a_new_certificate_is_taken_on_a_signal_and_a_broken_one_is_not() {
    let home = Home::new();
    let (cert, key) = certify(&home, "one");
    let (new_cert, new_key) = certify(&home, "two");
    let old = CertificateDer::from_pem_file(&cert).unwrap();
    let new = CertificateDer::from_pem_file(&new_cert).unwrap();
    let home = with_tls(home, &cert, &key);
    home.token("anna", "user", &[]);
    let server = home.serve(&[]);
    let shown = |trusted: &Path| greet(&server, trusted, &rustls::version::TLS13).map(|(_, shown)| shown);
    assert_eq!(shown(&cert).unwrap(), old);

    let kept = home.path("kept.pem");
    fs::copy(&cert, &kept).unwrap();
    fs::write(&cert, "no certificate").unwrap();
    server.signal("HUP");
    // The certificate of another key is no certificate either.
    fs::copy(&new_cert, &cert).unwrap();
    server.signal("HUP");
    assert_eq!(shown(&kept).unwrap(), old);

    fs::copy(&new_key, &key).unwrap();
    let renewed = (0..1_000).any(|_| {
        server.signal("HUP");
        std::thread::sleep(Duration::from_millis(10));
        shown(&new_cert).is_ok_and(|shown| shown == new)
    });
    assert!(renewed, "the server still shows the old certificate");
}

#[test]
fn beyond_this_machine_tls_and_a_token_are_enough_and_each_alone_is_not() {
    let home = Home::new();
    let (cert, key) = certify(&home, "one");
    let refused = |home: &Home| {
        let done = home.run(&["serve", "--listen", "0.0.0.0:0", "--json"]);
        assert_eq!(done.code, 7, "{}", done.stderr);
        done.problem()["code"].as_str().unwrap().to_owned()
    };
    let home = with_tls(home, &cert, &key);
    assert_eq!(refused(&home), "unsafe_listen", "TLS and no token");
    home.token("anna", "user", &[]);
    let mut server = home.serve_on("0.0.0.0:0", &[]);
    server.url = server.url.replace("0.0.0.0", "127.0.0.1");
    server.trusting(&fs::read(&cert).unwrap());
    server.get("/v1/memories").refused(401, "unauthenticated");
    drop(server);

    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(refused(&home), "key_file_permissions");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&cert, "nothing").unwrap();
    assert_eq!(refused(&home), "bad_config");
    let home = home.without("LACUNA_TLS_KEY");
    assert_eq!(refused(&home), "bad_config", "a certificate without its key");
}
