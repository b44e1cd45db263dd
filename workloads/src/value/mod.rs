//! Self-verifying values: the bytes of a value tell which key it belongs to, which write made it,
//! and whether it arrived whole.
//!
//! Layout (little-endian) of a value of 24 bytes or more:
//!
//! ```text
//! offset  size  field
//!      0     8  key
//!      8     8  stamp      writer : 16 | sequence : 48, see `Stamp`
//!     16     8  checksum   mixes key, stamp and length
//!     24     …  body       pool[offset(stamp) + 24 .. offset(stamp) + length]
//! ```
//!
//! The *pool* is one fixed pseudo-random buffer. Each stamp begins its body at a different offset
//! in the pool, so writing a value costs only a header, and checking one is a memory comparison.
//! The pool is indexed by position in the value: byte `i` of a value is byte `offset + i` of the
//! pool, so no suffix of one version fits another.
//!
//! What [`ValueChecker::check`] detects:
//!
//! | damage | length ≥ 24 | 16–23 | 1–15 | 0 |
//! |---|---|---|---|---|
//! | another key's value | `Foreign`, with the key | `Foreign`, with the key | `Corrupt` (missed with probability 2^-8n at n bytes) | – |
//! | cut or padded | `WrongLength` while the header is there | `Corrupt` | `Corrupt` | `Corrupt` |
//! | two versions spliced | `Torn` | impossible: all versions are identical | same | – |
//! | changed bytes | `Corrupt` | `Corrupt` | `Corrupt` | – |
//!
//! A splice inside the 24-byte header cannot be told from damage and is `Corrupt`. So is a splice
//! whose foreign part is shorter than four bytes. Two *writers* begin at the same offset with
//! probability 1/4096; their bodies are then identical, and only the headers differ. Two versions
//! of one writer share an offset only if a multiple of 4096 writes lies between them.
//!
//! A short value only says which key it belongs to, so its versions cannot be told apart. Use 24
//! bytes or more where lost or stale writes matter.

mod checker;
mod layout;
mod stamp;
mod writer;

pub use checker::{Condition, ValueChecker};
pub use layout::HEADER_BYTES;
pub use stamp::Stamp;
pub use writer::ValueWriter;
