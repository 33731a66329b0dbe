//! The packer of the static model: arrays of a NumPy archive, and a SentencePiece model.

use std::fs;
use std::path::{Path, PathBuf};

use lacuna_models::packed::{ModelPacker, double_array, narrow_rows};

use crate::Result;

/// Width of a piece's vector.
const WIDTH: usize = 512;
/// Arrays over which the vectors of pieces are dealt out in turn.
const TABLES: usize = 17;
/// Pieces that each convolution reads at once.
const BRANCHES: [usize; 3] = [2, 3, 5];

pub(super) fn pack(weights: &Path, vocabulary: &Path) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    super::unzip(weights, folder.path())?;
    let arrays = Arrays { folder: folder.path().to_owned() };
    let mut packer = ModelPacker::default();
    let pieces = pack_words(&mut packer, &fs::read(vocabulary)?)?;
    pack_vectors(&mut packer, &arrays, pieces)?;
    pack_layers(&mut packer, &arrays)?;
    Ok(packer.finish())
}

/// The vocabulary and the map of characters. Returns the number of pieces.
fn pack_words(packer: &mut ModelPacker, model: &[u8]) -> Result<usize> {
    let model = Fields::parse(model)?;
    let pieces: Vec<Piece> = model.all(1).map(Piece::parse).collect::<Result<_>>()?;
    // Control tokens have no text of their own: nobody's text may become one.
    let words = pieces.iter().zip(0..).filter(|(piece, _)| piece.is_normal);
    let mut keys: Vec<(&[u8], u32)> = words.map(|(piece, id)| (piece.text, id)).collect();
    keys.sort_unstable();
    packer.bytes("pieces", &double_array::build(&keys)?)?;
    let scores: Vec<u8> = pieces.iter().flat_map(|piece| piece.score.to_le_bytes()).collect();
    packer.bytes("scores", &scores)?;
    let least = pieces.iter().map(|piece| piece.score).fold(f32::INFINITY, f32::min);
    packer.floats("least_score", 1, &[least])?;

    let normaliser = Fields::parse(model.one(3)?)?;
    let map = normaliser.one(2)?;
    let (length, rest) = map.split_first_chunk().ok_or("the map of characters is empty")?;
    let length = usize::try_from(u32::from_le_bytes(*length))?;
    let (characters, forms) = rest.split_at_checked(length).ok_or("the map of characters is cut short")?;
    packer.bytes("characters", characters)?;
    packer.bytes("plain_forms", forms)?;
    Ok(pieces.len())
}

fn pack_vectors(packer: &mut ModelPacker, arrays: &Arrays, pieces: usize) -> Result {
    let tables: Vec<Vec<u8>> =
        (1..=TABLES).map(|table| arrays.bytes(&format!("q{table}"))).collect::<Result<_>>()?;
    let mut values = Vec::with_capacity(pieces * WIDTH);
    for piece in 0..pieces {
        let row = tables[piece % TABLES].get(piece / TABLES * WIDTH..).and_then(|rest| rest.get(..WIDTH));
        values.extend_from_slice(row.ok_or("a piece has no vector")?);
    }
    packer.bytes("piece_vectors", &narrow_rows::pack(WIDTH, &values)?)?;
    packer.floats("piece_vectors.scales", TABLES, &arrays.floats("scale")?.1)?;
    packer.floats("piece_vectors.lows", TABLES, &arrays.floats("lo")?.1)?;
    Ok(())
}

fn pack_layers(packer: &mut ModelPacker, arrays: &Arrays) -> Result {
    for order in BRANCHES {
        pack_matrix(packer, arrays, &format!("project{order}"), &format!("proj{order}"))?;
        pack_floats(packer, arrays, &format!("project{order}.bias"), &format!("proj_b{order}"))?;
        pack_floats(packer, arrays, &format!("project_norm{order}.weight"), &format!("ln_g{order}"))?;
        pack_floats(packer, arrays, &format!("project_norm{order}.bias"), &format!("ln_b{order}"))?;
        for (layer, number) in [("first", 1), ("second", 2)] {
            let name = format!("branch{order}.{layer}");
            pack_matrix(packer, arrays, &name, &format!("w{number}_{order}"))?;
            pack_floats(packer, arrays, &format!("{name}.bias"), &format!("b{number}_{order}"))?;
        }
    }
    pack_floats(packer, arrays, "norm.weight", "ln_g")?;
    pack_floats(packer, arrays, "norm.bias", "ln_b")?;
    pack_matrix(packer, arrays, "mix", "cnn_W")?;
    pack_floats(packer, arrays, "mix.bias", "cnn_b")?;
    let network = [
        ("first", "d0"),
        ("first_skip", "p1"),
        ("second", "d1"),
        ("third", "d2"),
        ("last_skip", "p3"),
        ("last", "d3"),
    ];
    network.iter().try_for_each(|(name, source)| pack_matrix(packer, arrays, name, source))
}

fn pack_floats(packer: &mut ModelPacker, arrays: &Arrays, name: &str, source: &str) -> Result {
    let (_, values) = arrays.floats(source)?;
    Ok(packer.floats(name, values.len(), &values)?)
}

/// Packs a matrix with one row per output; the source has one row per input.
fn pack_matrix(packer: &mut ModelPacker, arrays: &Arrays, name: &str, source: &str) -> Result {
    let (outputs, values) = arrays.floats(source)?;
    let inputs = values.len() / outputs;
    let turned: Vec<f32> = (0..values.len()).map(|at| values[at % inputs * outputs + at / inputs]).collect();
    Ok(packer.int8_tensor(&format!("{name}.weight"), inputs, &turned)?)
}

/// The folder into which an archive of NumPy arrays was unpacked.
struct Arrays {
    folder: PathBuf,
}

impl Arrays {
    fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        Ok(parse_array(&fs::read(self.folder.join(format!("{name}.npy")))?, "|u1")?.1.to_vec())
    }

    /// The width of the last dimension, and all values.
    fn floats(&self, name: &str) -> Result<(usize, Vec<f32>)> {
        let file = fs::read(self.folder.join(format!("{name}.npy")))?;
        let (width, data) = parse_array(&file, "<f4")?;
        Ok((width, data.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect()))
    }
}

/// The width of the last dimension, and the data of one array of the type.
fn parse_array<'a>(file: &'a [u8], kind: &str) -> Result<(usize, &'a [u8])> {
    let rest = file.strip_prefix(b"\x93NUMPY\x01\0").ok_or("no NumPy array of version 1")?;
    let (length, rest) = rest.split_first_chunk().ok_or("a NumPy array is cut short")?;
    let length = usize::from(u16::from_le_bytes(*length));
    let (header, data) = rest.split_at_checked(length).ok_or("a NumPy array is cut short")?;
    let header = std::str::from_utf8(header)?;
    let shape = header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')'));
    let shape = shape.ok_or("a NumPy array has no shape")?.0;
    let sizes: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(str::parse)
        .collect::<std::result::Result<_, _>>()?;
    let of_kind = header.contains(&format!("'descr': '{kind}'")) && header.contains("'fortran_order': False");
    let item = if kind == "<f4" { size_of::<f32>() } else { 1 };
    match sizes.last() {
        Some(width) if of_kind && sizes.iter().product::<usize>() * item == data.len() => Ok((*width, data)),
        _ => Err(format!("a NumPy array is not as expected: {header}").into()),
    }
}

struct Piece<'a> {
    text: &'a [u8],
    score: f32,
    is_normal: bool,
}

impl<'a> Piece<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self> {
        let fields = Fields::parse(bytes)?;
        let score =
            fields.all(2).next().and_then(|bytes| bytes.try_into().ok()).map_or(0.0, f32::from_le_bytes);
        Ok(Self { text: fields.one(1)?, score, is_normal: fields.number(3).is_none_or(|kind| kind == 1) })
    }
}

/// The fields of a protocol buffer: number and bytes, or number and value.
struct Fields<'a>(Vec<(u64, FieldValue<'a>)>);

enum FieldValue<'a> {
    Bytes(&'a [u8]),
    Number(u64),
}

impl<'a> Fields<'a> {
    fn parse(mut bytes: &'a [u8]) -> Result<Self> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes)?;
            let value = match tag & 7 {
                0 => FieldValue::Number(varint(&mut bytes)?),
                1 => FieldValue::Bytes(take(&mut bytes, 8)?),
                2 => {
                    let length = usize::try_from(varint(&mut bytes)?)?;
                    FieldValue::Bytes(take(&mut bytes, length)?)
                }
                5 => FieldValue::Bytes(take(&mut bytes, 4)?),
                kind => return Err(format!("a protocol buffer has a field of kind {kind}").into()),
            };
            fields.push((tag >> 3, value));
        }
        Ok(Self(fields))
    }

    fn all(&self, number: u64) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter_map(move |(field, value)| match value {
            FieldValue::Bytes(bytes) if *field == number => Some(*bytes),
            _ => None,
        })
    }

    fn one(&self, number: u64) -> Result<&'a [u8]> {
        Ok(self.all(number).next().ok_or_else(|| format!("field {number} is missing"))?)
    }

    fn number(&self, number: u64) -> Option<u64> {
        self.0.iter().find_map(|(field, value)| match value {
            FieldValue::Number(value) if *field == number => Some(*value),
            _ => None,
        })
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (head, rest) = bytes.split_at_checked(length).ok_or("a protocol buffer is cut short")?;
    *bytes = rest;
    Ok(head)
}

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = u64::from(take(bytes, 1)?[0]);
        value |= (byte & 0x7F) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("a protocol buffer has an endless number".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(header: &str, data: &[u8]) -> Vec<u8> {
        [b"\x93NUMPY\x01\0".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), data]
            .concat()
    }

    #[test]
    fn an_array_that_lies_about_itself_is_refused() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
        let good = array(header, &[0; 8]);
        assert_eq!(parse_array(&good, "<f4").unwrap().0, 2);
        for bad in
            [array(header, &[0; 9]), array(&header.replace("<f4", "<f8"), &[0; 8]), good[..20].to_vec()]
        {
            assert!(parse_array(&bad, "<f4").is_err());
        }
        assert!(parse_array(&good, "|u1").is_err());
    }

    #[test]
    fn fields_are_read_and_a_buffer_that_ends_early_is_refused() {
        let bytes = b"\x0a\x02\xe2\x96\x15\x00\x00\x80\xbf\x18\x03";
        let piece = Piece::parse(bytes).unwrap();
        assert_eq!((piece.text, piece.score, piece.is_normal), (b"\xe2\x96".as_slice(), -1.0, false));
        for length in 1..bytes.len() - 2 {
            assert!(Fields::parse(&bytes[..length]).is_err() || length == 4 || length == 9, "{length}");
        }
        assert!(Fields::parse(&[0x80; 11]).is_err());
    }
}
