//! Values that prove themselves: from its bytes alone one can tell whose a value is, which write
//! made it, and whether it arrived whole.
//!
//! Layout, little-endian, of a value of 24 bytes or more:
//!
//! ```text
//! offset  size  field
//!      0     8  key
//!      8     8  stamp      writer : 16 | sequence : 48, see `Stamp`
//!     16     8  checksum   mixes key, stamp and length
//!     24     …  body       pool[offset(stamp) + 24 .. offset(stamp) + length]
//! ```
//!
//! The *pool* is one fixed pseudo-random buffer. Each stamp begins its body at another place in it,
//! so writing a value costs a header, and checking one is a comparison of memory. A body is
//! indexed by its place in the value: byte `i` of a value is byte `offset + i` of the pool, so no
//! suffix of one version fits another.
//!
//! What [`ValueChecker::check`] can tell:
//!
//! | damage | length ≥ 24 | 16–23 | 1–15 | 0 |
//! |---|---|---|---|---|
//! | another key's value | `Foreign`, with the key | `Foreign`, with the key | `Corrupt` (missed with probability 2^-8n at n bytes) | – |
//! | cut or padded | `WrongLength` while the header is there | `Corrupt` | `Corrupt` | `Corrupt` |
//! | two versions spliced | `Torn` | impossible: all versions are alike | same | – |
//! | changed bytes | `Corrupt` | `Corrupt` | `Corrupt` | – |
//!
//! A splice inside the 24-byte header cannot be told from damage and is `Corrupt`. A splice whose
//! foreign part is shorter than four bytes is `Corrupt` too. Two *writers* begin at the same place
//! with probability 1/4096; their bodies are then the same bytes, and only the header differs. Two
//! versions of one writer never do unless a multiple of 4096 writes lies between them.
//!
//! A short value says only whose it is, so versions cannot be told apart; use 24 bytes or more where
//! lost or stale writes matter.

mod checker;
mod layout;
mod stamp;
mod writer;

pub use checker::{Condition, ValueChecker};
pub use layout::HEADER_BYTES;
pub use stamp::Stamp;
pub use writer::ValueWriter;
