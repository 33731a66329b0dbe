//! Starts an image without a container engine: unpacked, in a mount space of its own, with a root that cannot be written to, as
//! the account that the image names and with the variables that it sets. Needs the rights of root, and curl.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use crate::Result;
use xtask::process::step;

const START_WAIT: Duration = Duration::from_secs(60);
const FACT: &str = "The spare oars hang in the boathouse.";
/// A port that is free here as a rule; the image's own may be taken by a node of this machine.
const LISTEN: &str = "0.0.0.0:17707";
const ADDRESS: &str = "http://127.0.0.1:17707";
/// Arguments: root, volume, account, then the command. The volume is the one place that can be written to.
const START: &str = r#"
    set -e
    mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; mount --bind "$2" "$1/data"
    root=$1 account=$3; shift 3
    exec chroot --userspec="$account" "$root" "$@"
"#;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ImageConfig {
    user: String,
    env: Vec<String>,
    entrypoint: Vec<String>,
    cmd: Vec<String>,
    volumes: serde_json::Map<String, Value>,
}

/// An image that was unpacked.
struct Unpacked {
    root: PathBuf,
    volume: PathBuf,
    config: ImageConfig,
}

pub(super) fn run(archive: &Path, scratch: &Path) -> Result {
    let image = unpack(archive, scratch)?;
    image.says_what_it_should()?;
    image.answers(&["remember", FACT], "remembered")?;
    image.answers(&["recall", "where are the oars?"], FACT)?;
    image.answers(&["doctor"], "1 memory in 1 of 1 vault open with their texts")?;
    let written = image.command(&["backup", "/x.backup"]).output()?;
    let refused = String::from_utf8_lossy(&written.stderr);
    expect(refused.contains("Read-only file system"), "the root can be written to", &refused)?;
    let token =
        image.answers(&["token", "create", "--user", "anna", "--role", "user", "--json"], "secret")?;
    let token: Value = serde_json::from_str(&token)?;
    serve(&image, token["secret"].as_str().ok_or("a token without a secret")?)?;
    eprintln!(
        "xtask: the image starts, remembers, serves and stops, as {} in a read-only root",
        image.config.user
    );
    Ok(())
}

/// Unpacks the layers of the one image in an archive.
fn unpack(archive: &Path, scratch: &Path) -> Result<Unpacked> {
    let (oci, root, volume) = (scratch.join("oci"), scratch.join("root"), scratch.join("volume"));
    for folder in [&oci, &root, &volume] {
        fs::create_dir_all(folder)?;
    }
    step(Command::new("tar").arg("-C").arg(&oci).arg("-xf").arg(archive))?;
    let blob = |digest: &Value| -> Result<PathBuf> {
        let digest = digest.as_str().and_then(|digest| digest.strip_prefix("sha256:"));
        Ok(oci.join("blobs/sha256").join(digest.ok_or("an image without digests")?))
    };
    let read = |path: &Path| -> Result<Value> { Ok(serde_json::from_reader(File::open(path)?)?) };
    let index = read(&oci.join("index.json"))?;
    let manifest = read(&blob(&index["manifests"][0]["digest"])?)?;
    for layer in manifest["layers"].as_array().ok_or("an image without layers")? {
        let layer = blob(&layer["digest"])?;
        step(Command::new("tar").arg("-C").arg(&root).args(["--same-owner", "-xzpf"]).arg(layer))?;
    }
    let config = read(&blob(&manifest["config"]["digest"])?)?["config"].take();
    let config: ImageConfig = serde_json::from_value(config)?;
    // An engine makes a volume that is empty like the folder of the image.
    step(Command::new("cp").args(["-a", "--no-target-directory"]).arg(root.join("data")).arg(&volume))?;
    Ok(Unpacked { root, volume, config })
}

impl Unpacked {
    fn says_what_it_should(&self) -> Result {
        let user = &self.config.user;
        expect(!user.is_empty() && !user.starts_with('0') && user != "root", "the image runs as root", user)?;
        let volumes: Vec<&String> = self.config.volumes.keys().collect();
        expect(volumes == ["/data"], "the image has other volumes", &format!("{volumes:?}"))?;
        let shell = ["bin", "usr/bin", "sbin"].iter().find(|folder| self.root.join(folder).exists());
        expect(shell.is_none(), "the image has other programs", shell.unwrap_or(&""))
    }

    /// A command of the image's program, under the image's configuration.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh", "-c", START, "sh"]);
        command.arg(&self.root).arg(&self.volume).arg(&self.config.user);
        command.args(&self.config.entrypoint).args(arguments).env_clear();
        command.envs(self.config.env.iter().filter_map(|pair| pair.split_once('=')));
        command.env("LACUNA_LISTEN", LISTEN);
        command
    }

    /// Runs a command that must succeed and say `words`. Returns everything that it said.
    fn answers(&self, arguments: &[&str], words: &str) -> Result<String> {
        let said = super::told(&mut self.command(arguments))?;
        expect(said.contains(words), &format!("{arguments:?} does not say {words}"), &said)?;
        Ok(said)
    }
}

/// Starts the server, asks it for what was remembered, and stops it as an engine does.
fn serve(image: &Unpacked, token: &str) -> Result {
    let arguments: Vec<&str> = image.config.cmd.iter().map(String::as_str).collect();
    let mut server = image.command(&arguments).stderr(Stdio::null()).spawn()?;
    let asked = ask(&mut server, token);
    step(Command::new("kill").arg(server.id().to_string()))?;
    let status = server.wait()?;
    asked?;
    expect(status.success(), "the server did not stop as it should", &status.to_string())
}

fn ask(server: &mut Child, token: &str) -> Result {
    let curl = |arguments: &[&str]| {
        let asked = Command::new("curl")
            .args(["--silent", "--fail", "--max-time", "10", "--noproxy", "*"])
            .args(arguments)
            .output();
        asked.map(|answer| (answer.status.success(), String::from_utf8_lossy(&answer.stdout).into_owned()))
    };
    let began = Instant::now();
    while !curl(&[&format!("{ADDRESS}/readyz")])?.0 {
        if let Some(status) = server.try_wait()? {
            return Err(format!("the server ended: {status}").into());
        }
        expect(began.elapsed() < START_WAIT, "the server does not answer", ADDRESS)?;
        std::thread::sleep(Duration::from_millis(100));
    }
    let account = fs::read_to_string(format!("/proc/{}/status", server.id()))?;
    let rights = account.lines().find(|line| line.starts_with("CapEff:")).unwrap_or_default();
    expect(rights.ends_with("0000000000000000"), "the server has rights of root", rights)?;
    let memories = format!("{ADDRESS}/v1/memories");
    let bearer = format!("Authorization: Bearer {token}");
    let written = ["--json", r#"{"content": "The boat is blue."}"#, "-H", &bearer, &memories];
    let (stored, said) = curl(&written)?;
    expect(stored, "the server does not store", &said)?;
    let (listed, said) = curl(&["-H", &bearer, &memories])?;
    expect(listed && said.contains("The boat is blue."), "the server does not know what it stored", &said)
}

fn expect(holds: bool, otherwise: &str, seen: &str) -> Result {
    if holds { Ok(()) } else { Err(format!("{otherwise}: {seen}").into()) }
}
