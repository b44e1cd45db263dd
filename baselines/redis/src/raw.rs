//! What both client libraries take and give: words of a command, bytes of a reply, times.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::time::Duration;

use libc::timeval;

use crate::hiredis::{RawReply, kind};
use crate::reply::Reply;

/// The most words of a command.
const WORDS_MAX: usize = 5;

/// The words of a command, as C takes them. They point into what they were made of.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) count: c_int,
    pub(crate) starts: [*const c_char; WORDS_MAX],
    pub(crate) lengths: [usize; WORDS_MAX],
}

impl Words {
    /// # Panics
    /// If there are more than five.
    #[inline]
    pub(crate) fn of(words: &[&[u8]]) -> Self {
        assert!(words.len() <= WORDS_MAX, "a command of at most {WORDS_MAX} words");
        let (mut starts, mut lengths) = ([ptr::null(); WORDS_MAX], [0; WORDS_MAX]);
        for ((word, start), length) in words.iter().zip(&mut starts).zip(&mut lengths) {
            *start = word.as_ptr().cast();
            *length = word.len();
        }
        Self { count: words.len() as c_int, starts, lengths }
    }
}

/// What a reply says, with as much of its text in `buffer` as fits.
///
/// # Safety
/// The reply that was read is not freed yet, and nobody changes it during the call.
#[inline]
pub(crate) unsafe fn copied(raw: RawReply, buffer: &mut [u8]) -> Reply {
    let has_text = matches!(raw.kind, kind::STRING | kind::STATUS | kind::ERROR);
    if has_text && raw.length > 0 && !raw.text.is_null() {
        // SAFETY: a reply of these kinds has a text of `length` bytes, which lives until the reply is
        // freed by contract, and is not null.
        let text = unsafe { std::slice::from_raw_parts(raw.text.cast::<u8>(), raw.length) };
        let length = text.len().min(buffer.len());
        buffer[..length].copy_from_slice(&text[..length]);
    }
    match raw.kind {
        kind::NIL => Reply::Nil,
        kind::INTEGER => Reply::Integer(raw.integer),
        kind::STRING => Reply::Bytes(raw.length),
        kind::STATUS => Reply::Status,
        kind::ERROR => Reply::Error(raw.length),
        _ => Reply::Other,
    }
}

pub(crate) fn time_of(duration: Duration) -> timeval {
    timeval {
        tv_sec: duration.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_usec: duration.subsec_micros().into(),
    }
}
