//! TLS to a real PostgreSQL server, with certificates made here: what is believed, and what each refusal says.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use lacuna_store::rows::{PostgresStore, Store as _};
use lacuna_types::{OrgId, Scope, UserId};

use crate::own_postgres::Machine;

/// Two names of this machine; certificates are for the first.
const HOST: &str = "localhost";
const CALLERS: &str = "
hostssl all certified 127.0.0.1/32 cert
hostssl all lacuna    127.0.0.1/32 trust
hostnossl all plain   127.0.0.1/32 trust
host all all 127.0.0.1/32 reject";

/// A root with the certificates that it signed, in the machine's folder.
struct Root<'a> {
    machine: &'a Machine,
    name: &'static str,
}

impl<'a> Root<'a> {
    fn make(machine: &'a Machine, name: &'static str) -> Self {
        let root = Self { machine, name };
        let [cert, key] = root.files(name);
        openssl(
            &["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
            &[
                ("-subj", format!("/CN={name}")),
                ("-addext", "basicConstraints=critical,CA:TRUE".into()),
                ("-keyout", key.display().to_string()),
                ("-out", cert.display().to_string()),
            ],
        );
        root
    }

    fn files(&self, name: &str) -> [PathBuf; 2] {
        ["pem", "key"].map(|kind| self.machine.path(&format!("{name}.{kind}")))
    }

    /// A certificate for `subject`, until so many days from now.
    fn sign(&self, name: &str, subject: &str, alternative: &str, days: &str) -> [String; 2] {
        let [cert, key] = self.files(name);
        let [root, root_key] = self.files(self.name);
        let request = self.machine.path(&format!("{name}.csr"));
        openssl(
            &["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
            &[
                ("-subj", format!("/CN={subject}")),
                ("-addext", format!("subjectAltName={alternative}")),
                ("-keyout", key.display().to_string()),
                ("-out", request.display().to_string()),
            ],
        );
        openssl(
            &["x509", "-req", "-copy_extensions", "copyall", "-CAcreateserial"],
            &[
                ("-in", request.display().to_string()),
                ("-CA", root.display().to_string()),
                ("-CAkey", root_key.display().to_string()),
                ("-days", days.into()),
                ("-out", cert.display().to_string()),
            ],
        );
        [cert, key].map(|path| {
            self.machine.own(&path);
            path.display().to_string()
        })
    }
}

fn openssl(args: &[&str], more: &[(&str, String)]) {
    let more = more.iter().flat_map(|(name, value)| [*name, value.as_str()]);
    let done = Command::new("openssl").args(args).args(more).stdout(Stdio::null()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The code and the words of a refusal, or `None` when a vault can be asked for.
fn refused(url: &str) -> Option<(String, String)> {
    let scope = Scope::personal(OrgId::new("acme").unwrap(), UserId::new("anna").unwrap());
    let opened = PostgresStore::open(url).and_then(|store| store.vault(scope.vault_id()));
    opened.err().map(|error| (error.code().to_owned(), error.to_string()))
}

#[test]
fn a_server_is_believed_by_its_certificate_and_asks_for_ours() {
    let Some(machine) = Machine::new() else { return };
    let root = Root::make(&machine, "root");
    let stranger = Root::make(&machine, "stranger");
    let [cert, key] = root.sign("server", HOST, &format!("DNS:{HOST}"), "2");
    let [trusted, foreign] = [&root, &stranger].map(|root| root.files(root.name)[0].display().to_string());
    let settings =
        format!("ssl = on\nssl_cert_file = '{cert}'\nssl_key_file = '{key}'\nssl_ca_file = '{trusted}'");
    machine.init("data", &settings, "");
    {
        let plain = machine.start("data");
        plain.admin("CREATE ROLE plain LOGIN; CREATE ROLE certified LOGIN SUPERUSER");
    }
    std::fs::write(machine.path("data").join("pg_hba.conf"), CALLERS).unwrap();
    let server = machine.start("data");
    let url = |user: &str, host: &str, more: &str| {
        format!("postgres://{user}@{host}:{}/postgres?{more}", server.port)
    };
    let verified =
        |host: &str, root: &str| url("lacuna", host, &format!("sslmode=verify-full&sslrootcert={root}"));

    assert_eq!(refused(&url("lacuna", HOST, "sslmode=require")), None);
    assert_eq!(refused(&verified(HOST, &trusted)), None);
    assert_eq!(
        refused(&url("lacuna", "127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={trusted}"))),
        None
    );
    let expect = |url: &str, words: &str| {
        let (code, text) = refused(url).unwrap_or_else(|| panic!("{url} was believed"));
        assert_eq!(code, "store_tls", "{text}");
        assert!(text.contains(words), "{text}");
    };
    expect(&verified("127.0.0.1", &trusted), "another host name");
    expect(&verified(HOST, &foreign), "no root of sslrootcert");
    expect(&verified(HOST, &key), "no certificate in PEM");
    expect(&url("lacuna", HOST, "sslmode=verify-full"), "no root of sslrootcert");
    // As PostgreSQL's own clients do: a named root is checked in the weaker mode too.
    expect(&url("lacuna", HOST, &format!("sslmode=require&sslrootcert={foreign}")), "no root of sslrootcert");
    // The server takes this role under TLS only.
    assert_eq!(refused(&url("lacuna", HOST, "sslmode=disable")).unwrap().0, "access_denied");

    // Our own certificate.
    let [mine, mine_key] = root.sign("certified", "certified", "DNS:client", "2");
    let [theirs, theirs_key] = stranger.sign("forged", "certified", "DNS:client", "2");
    let base = format!("sslmode=verify-full&sslrootcert={trusted}");
    let with = |cert: &str, key: &str| url("certified", HOST, &format!("{base}&sslcert={cert}&sslkey={key}"));
    assert_eq!(refused(&with(&mine, &mine_key)), None);
    assert_eq!(refused(&url("certified", HOST, &base)).unwrap().0, "access_denied");
    assert!(refused(&with(&theirs, &theirs_key)).is_some(), "a certificate of another root");
    expect(&with(&mine, &theirs_key), "do not fit");
    expect(&url("certified", HOST, &format!("{base}&sslcert={mine}")), "belong together");
}

#[test]
fn a_server_without_tls_and_one_with_an_old_certificate_are_refused() {
    let Some(machine) = Machine::new() else { return };
    let root = Root::make(&machine, "root");
    let trusted = root.files("root")[0].display().to_string();
    machine.init("plain", "", "");
    let plain = machine.start("plain");
    let url = |port: u16| {
        format!("postgres://lacuna@{HOST}:{port}/postgres?sslmode=verify-full&sslrootcert={trusted}")
    };
    let (code, text) = refused(&url(plain.port)).unwrap();
    assert_eq!(code, "store_tls");
    assert!(text.contains("does not offer TLS"), "{text}");

    // Signed as if from yesterday to a moment ago.
    let [cert, key] = root.sign("old", HOST, &format!("DNS:{HOST}"), "0");
    // A certificate is valid to the end of its last second.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let settings = format!("ssl = on\nssl_cert_file = '{cert}'\nssl_key_file = '{key}'");
    machine.init("old", &settings, "");
    let old = machine.start("old");
    let (code, text) = refused(&url(old.port)).unwrap();
    assert_eq!(code, "store_tls");
    assert!(text.contains("has expired"), "{text}");
}
