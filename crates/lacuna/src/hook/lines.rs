//! A transcript, line by line, with the offset at which each line ends. No more than one line is in RAM.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

/// Bytes of one line. A longer line holds a picture or a whole file, and is skipped.
const LINE_BYTES_MAX: usize = 4 << 20;

/// Result of reading one line.
pub(super) enum LineRead<'a> {
    /// A line without its break.
    Line(&'a [u8]),
    TooLong,
    /// The end, or a line that is still being written.
    End,
}

pub(super) struct TranscriptLines {
    reader: BufReader<File>,
    line: Vec<u8>,
    /// Offset of the next line.
    offset: u64,
}

impl TranscriptLines {
    /// Opens the file at `offset`, or at its end if it is shorter. Anything but a regular file has no end, and is
    /// refused.
    pub(super) fn open(path: &Path, offset: u64) -> io::Result<Self> {
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
        }
        let mut file = File::open(path)?;
        let offset = offset.min(file.metadata()?.len());
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { reader: BufReader::new(file), line: Vec::new(), offset })
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn read(&mut self) -> io::Result<LineRead<'_>> {
        self.line.clear();
        let (mut bytes, mut too_long) = (0, false);
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            too_long |= self.line.len() + taken > LINE_BYTES_MAX;
            if !too_long {
                self.line.extend_from_slice(&buffer[..taken]);
            }
            bytes += taken as u64;
            self.reader.consume(taken);
            if end.is_some() {
                self.offset += bytes;
                return Ok(if too_long {
                    LineRead::TooLong
                } else {
                    LineRead::Line(self.line.trim_ascii_end())
                });
            }
        }
        // The host has not written the break yet, and perhaps not all of the line.
        if bytes == 0 || too_long || serde_json::from_slice::<serde::de::IgnoredAny>(&self.line).is_err() {
            return Ok(LineRead::End);
        }
        self.offset += bytes;
        Ok(LineRead::Line(&self.line))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read_all(lines: &mut TranscriptLines) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            match lines.read().unwrap() {
                LineRead::Line(line) => found.push(String::from_utf8(line.to_vec()).unwrap()),
                LineRead::TooLong => found.push("too long".to_owned()),
                LineRead::End => return found,
            }
        }
    }

    #[test]
    fn lines_come_one_by_one_and_reading_goes_on_where_it_stopped() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{{\"a\":1}}\r").unwrap();
        let long = file.as_file_mut();
        for _ in 0..=LINE_BYTES_MAX / 1024 {
            long.write_all(&[b'x'; 1024]).unwrap();
        }
        write!(file, "\n\n{{\"b\":2}}\n{{\"c\":").unwrap();
        let mut lines = TranscriptLines::open(file.path(), 0).unwrap();
        assert_eq!(read_all(&mut lines), ["{\"a\":1}", "too long", "", "{\"b\":2}"]);
        assert!(lines.line.capacity() <= LINE_BYTES_MAX * 2);
        write!(file, "3}}").unwrap();
        let mut rest = TranscriptLines::open(file.path(), lines.offset()).unwrap();
        assert_eq!(read_all(&mut rest), ["{\"c\":3}"]);
        assert_eq!(rest.offset(), file.path().metadata().unwrap().len());
        let mut beyond = TranscriptLines::open(file.path(), u64::MAX).unwrap();
        assert_eq!((beyond.offset(), read_all(&mut beyond)), (rest.offset(), Vec::new()));
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        assert!(TranscriptLines::open(Path::new("/dev/zero"), 0).is_err());
        assert!(TranscriptLines::open(Path::new("/"), 0).is_err());
    }
}
