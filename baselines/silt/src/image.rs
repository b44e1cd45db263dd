//! Small files that are written whole and read whole: filters, indexes, manifests.
//!
//! Eight bytes of length, then the bytes, then zeros up to a page. What is within has its own
//! checksum.

use crate::buffer::{Buffer, PAGE_BYTES};
use crate::error::Error;
use crate::files::Files;

const LENGTH_BYTES: usize = 8;

/// Writes a file and returns when it is on the disk. Returns its length.
pub(crate) fn write(files: &dyn Files, name: &str, bytes: &[u8]) -> Result<u64, Error> {
    let mut buffer = Buffer::new(LENGTH_BYTES + bytes.len());
    let into = buffer.bytes_mut();
    into[..LENGTH_BYTES].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    into[LENGTH_BYTES..LENGTH_BYTES + bytes.len()].copy_from_slice(bytes);
    let file = files.create(name)?;
    file.write(0, buffer.bytes())?;
    file.sync()?;
    Ok(buffer.len() as u64)
}

/// Reads a file.
pub(crate) fn read(files: &dyn Files, name: &str) -> Result<Vec<u8>, Error> {
    let file = files.open(name)?;
    let length = file.length()? as usize;
    let damaged = |what: String| Error::Corrupt { file: name.to_owned(), what };
    if length == 0 || !length.is_multiple_of(PAGE_BYTES) {
        return Err(damaged(format!("it has {length} bytes, which are no whole pages")));
    }
    let mut buffer = Buffer::new(length);
    file.read(0, buffer.bytes_mut())?;
    let (stored, rest) = buffer.bytes().split_at(LENGTH_BYTES);
    let stored = u64::from_le_bytes(stored.try_into().expect("eight bytes"));
    if (stored + LENGTH_BYTES as u64).next_multiple_of(PAGE_BYTES as u64) != length as u64 {
        return Err(damaged(format!("it should hold {stored} bytes, and has {length}")));
    }
    let (bytes, padding) = rest.split_at(stored as usize);
    if padding.iter().any(|byte| *byte != 0) {
        return Err(damaged("what follows its contents is not zero".to_owned()));
    }
    Ok(bytes.to_vec())
}
