//! Archives that are no array archive, or not one that can be trusted, by their whole message.
//!
//! The inputs are made by the zip library and then changed in the two places where the format says a thing
//! twice: the header before a member and the entry in the central directory.

use rollcheck_engine::store::{Arrays, Data, npz};
use std::io::{Cursor, Write};
use zip::CompressionMethod::{self, Deflated, Stored};
use zip::write::SimpleFileOptions;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";

fn sound() -> Vec<u8> {
    let mut arrays = Arrays::new("sound");
    arrays.push("a", &[3], Data::F64(vec![1.0, 2.0, 3.0]));
    arrays.push("b", &[2], Data::I32(vec![1, 2]));
    npz::format(&arrays).unwrap()
}

fn zip_of(name: &str, member: &[u8], method: CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, SimpleFileOptions::default().compression_method(method)).unwrap();
    writer.write_all(member).unwrap();
    writer.finish().unwrap().into_inner()
}

/// Where the first header with this signature starts.
fn header(bytes: &[u8], signature: &[u8]) -> usize {
    bytes.windows(4).position(|w| w == signature).unwrap()
}

/// Sets a two-byte field of the first member in both of its headers.
fn set_field(bytes: &mut [u8], local: usize, central: usize, value: u16) {
    for (signature, field) in [(LOCAL, local), (CENTRAL, central)] {
        let at = header(bytes, signature) + field;
        bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
}

fn refusal(bytes: &[u8]) -> String {
    npz::parse(bytes, "x.npz").map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_file_that_is_no_zip() {
    assert_eq!(
        refusal(b"\x89HDF\r\n\x1a\n and so on"),
        "x.npz: not a readable npz file: invalid Zip archive: Could not find EOCD"
    );
    assert_eq!(refusal(b""), "x.npz: not a readable npz file: invalid Zip archive: Could not find EOCD");
}

#[test]
fn a_file_cut_short() {
    let bytes = sound();
    assert_eq!(
        refusal(&bytes[..bytes.len() / 2]),
        "x.npz: not a readable npz file: invalid Zip archive: Could not find EOCD"
    );
}

#[test]
fn a_zip_of_something_else() {
    let bytes = zip_of("word/document.xml", b"<w/>", Stored);
    assert_eq!(
        refusal(&bytes),
        "x.npz: not a readable npz file: member \"word/document.xml\" is not an array"
    );
}

#[test]
fn a_member_that_is_no_array() {
    let bytes = zip_of("q.npy", b"joint positions", Stored);
    assert_eq!(refusal(&bytes), "x.npz: array `q`: no NumPy magic");
}

#[test]
fn two_members_of_one_name() {
    let mut bytes = sound();
    for at in 0..bytes.len() - 5 {
        if &bytes[at..at + 5] == b"b.npy" {
            bytes[at] = b'a';
        }
    }
    assert_eq!(refusal(&bytes), "x.npz: not a readable npz file: two members have the same name");
}

#[test]
fn an_encrypted_member() {
    let mut bytes = sound();
    set_field(&mut bytes, 6, 8, 1);
    assert_eq!(
        refusal(&bytes),
        "x.npz: not a readable npz file: unsupported Zip archive: Password required to decrypt file"
    );
}

#[test]
fn an_unknown_compression() {
    const BZIP2: u16 = 12;
    let mut bytes = sound();
    set_field(&mut bytes, 8, 10, BZIP2);
    assert_eq!(refusal(&bytes), "x.npz: array `a`: cannot be unpacked: compression method not supported: 12");
}

#[test]
fn a_changed_value() {
    let mut bytes = zip_of("a.npy", b"anything", Stored);
    let at = bytes.windows(8).position(|w| w == b"anything").unwrap();
    bytes[at] ^= 1;
    assert_eq!(refusal(&bytes), "x.npz: array `a`: cannot be unpacked: Invalid checksum");
}

/// A few kilobytes that claim a thousand times their size are answered from what the shape needs.
#[test]
fn a_member_that_unpacks_to_more_than_its_shape() {
    let mut member = rollcheck_engine::store::npy::format(&rollcheck_engine::store::Array {
        shape: vec![1],
        data: Data::U8(vec![0]),
    });
    member.resize(4 << 20, 0);
    let bytes = zip_of("a.npy", &member, Deflated);
    assert!(bytes.len() < 16 << 10);
    assert_eq!(refusal(&bytes), "x.npz: array `a`: holds 4194176 bytes of values, shape [1] of |u1 needs 1");
}
