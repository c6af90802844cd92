//! Inspect's `.eval`: a zip of JSON texts, compressed with zstd or deflate. The only file that names the crates for it.
//!
//! An archive is hostile input: what comes out is counted as it comes, whatever its headers promise.

use super::build::Builder;
use super::{Format, Trace, inspect};
use crate::error::{ErrorCode, InputError, cut};
use rawzip::{CompressionMethod, ZipArchive, ZipSliceEntry};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, Read};

/// Bytes of an archive.
pub const MAX_ARCHIVE: usize = 256 << 20;
/// Bytes that one file in it may unpack to.
const MAX_MEMBER: usize = 64 << 20;
/// Bytes that all of them may.
const MAX_UNPACKED: usize = 1 << 30;
const MAX_FILES: usize = 100_000;
/// The window that zstd may ask for.
const MAX_WINDOW: u64 = 64 << 20;

/// Whether `bytes` are a zip archive.
#[must_use]
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// The samples of an `.eval` log; `path` is only shown.
///
/// # Errors
/// What is wrong with the archive, with the file in it.
pub fn read_archive(path: &str, bytes: &[u8]) -> Result<Trace, InputError> {
    read(bytes).map_err(|e| e.at(path))
}

fn fault(message: impl Into<String>) -> InputError {
    InputError::new(ErrorCode::NotARecording, message)
}

/// A file of the archive.
struct Member<'a> {
    name: String,
    method: CompressionMethod,
    entry: ZipSliceEntry<'a>,
}

fn read(bytes: &[u8]) -> Result<Trace, InputError> {
    if bytes.len() > MAX_ARCHIVE {
        let message = format!("the archive is larger than {} MiB", MAX_ARCHIVE >> 20);
        return Err(InputError::new(ErrorCode::TooLarge, message));
    }
    let broken = |e: rawzip::Error| fault(format!("the zip archive is broken or cut off: {e}"));
    let archive = ZipArchive::from_slice(bytes).map_err(broken)?;
    let mut members = Vec::new();
    let mut names = BTreeSet::new();
    let mut entries = archive.entries();
    while let Some(header) = entries.next_entry().map_err(broken)? {
        let name = String::from_utf8_lossy(header.file_path().as_ref()).into_owned();
        if members.len() >= MAX_FILES {
            return Err(InputError::new(
                ErrorCode::TooLarge,
                format!("the archive has more than {MAX_FILES} files"),
            ));
        }
        if !names.insert(name.clone()) {
            return Err(fault(format!("the archive has two files called `{}`", cut(&name))));
        }
        let entry = archive.get_entry(header.wayfinder()).map_err(broken)?;
        members.push(Member { name, method: header.compression_method(), entry });
    }
    let mut left = MAX_UNPACKED;
    let mut b = Builder::new(Format::Inspect);
    // A log that was not finished has its beginning in the journal alone.
    let header =
        ["header.json", "_journal/start.json"].iter().find_map(|n| members.iter().find(|m| m.name == *n));
    let Some(header) = header else {
        let some: Vec<String> = members.iter().take(5).map(|m| format!("`{}`", cut(&m.name))).collect();
        let message =
            format!("a zip archive with {}, and no `header.json`: not an Inspect log", some.join(", "));
        return Err(fault(message).help("Of archives, verity reads Inspect's .eval logs."));
    };
    b.member(&header.name);
    inspect::check_version(&json(header, &mut left)?, &b)?;
    let is_sample = |name: &str| name.starts_with("samples/") && name.ends_with(".json");
    for member in members.iter().filter(|m| is_sample(&m.name)) {
        let sample = json(member, &mut left)?;
        b.member(&member.name);
        b.text(0, "");
        inspect::sample(&sample, "", &mut b)?;
    }
    Ok(b.finish())
}

/// The JSON text of a file.
fn json(member: &Member<'_>, left: &mut usize) -> Result<Value, InputError> {
    let of_file = |message: String| fault(format!("{}: {message}", cut(&member.name)));
    let bytes = unpack(member, (*left).min(MAX_MEMBER)).map_err(|why| match why {
        Unpack::TooLarge => {
            let message = format!(
                "{} unpacks to more than verity reads ({} MiB a file, {} MiB in all)",
                cut(&member.name),
                MAX_MEMBER >> 20,
                MAX_UNPACKED >> 20
            );
            InputError::new(ErrorCode::TooLarge, message)
        }
        Unpack::Broken(why) => of_file(why),
    })?;
    *left = left.saturating_sub(bytes.len());
    serde_json::from_slice(&bytes).map_err(|e| of_file(format!("not JSON: {e}")))
}

enum Unpack {
    TooLarge,
    Broken(String),
}

fn unpack(member: &Member<'_>, limit: usize) -> Result<Vec<u8>, Unpack> {
    let data = member.entry.data();
    match member.method {
        CompressionMethod::STORE => verified(member, data, limit),
        CompressionMethod::DEFLATE => {
            let bytes =
                miniz_oxide::inflate::decompress_to_vec_with_limit(data, limit).map_err(|e| {
                    match e.status {
                        miniz_oxide::inflate::TINFLStatus::HasMoreOutput => Unpack::TooLarge,
                        _ => Unpack::Broken("its compressed data is broken".to_string()),
                    }
                })?;
            verified(member, bytes.as_slice(), limit)
        }
        CompressionMethod::ZSTD => {
            let broken =
                |e: &dyn std::fmt::Display| Unpack::Broken(format!("its compressed data is broken: {e}"));
            let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(data, MAX_WINDOW);
            verified(member, decoder.map_err(|e| broken(&e))?, limit)
        }
        other => Err(Unpack::Broken(format!(
            "it is compressed by method {}, and verity knows deflate and zstd",
            other.as_u16()
        ))),
    }
}

/// What `reader` gives, if length and checksum are what the archive says.
fn verified(member: &Member<'_>, reader: impl Read, limit: usize) -> Result<Vec<u8>, Unpack> {
    let mut bytes = Vec::new();
    let mut reader = member.entry.verifying_reader(reader).take(limit as u64 + 1);
    let done: io::Result<usize> = reader.read_to_end(&mut bytes);
    match done {
        _ if bytes.len() > limit => Err(Unpack::TooLarge),
        Ok(_) => Ok(bytes),
        Err(e) => Err(Unpack::Broken(format!("its data is broken: {e}"))),
    }
}
