//! What a program prints: taken off its pipe and forgotten, but for the last lines; shown only up to a
//! bound.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Of what one run prints to one stream so much is shown.
const SHOWN_BYTES_MAX: u64 = 64 << 10;
/// So much of its end is kept.
const KEPT_BYTES_MAX: usize = 4 << 10;
/// Lines of that which an error tells.
const LINES_MAX: usize = 5;

/// Reads a pipe in a thread of its own.
#[derive(Debug)]
pub(crate) struct Drain(JoinHandle<VecDeque<u8>>);

impl Drain {
    /// Reads `pipe` to its end; with `shown` its beginning goes to standard error.
    pub(crate) fn of(pipe: impl Read + Send + 'static, shown: bool) -> Self {
        Self(std::thread::spawn(move || drain(pipe, shown)))
    }

    /// The last lines that came through the pipe; empty where it does not end within `closing`.
    pub(crate) fn last_lines(self, closing: Duration) -> String {
        let began = Instant::now();
        // What holds the pipe open may have left the tree of processes for good.
        while !self.0.is_finished() {
            if began.elapsed() > closing {
                return String::new();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let kept = self.0.join().unwrap_or_default();
        last_lines(&Vec::from(kept))
    }
}

fn drain(mut pipe: impl Read, shown: bool) -> VecDeque<u8> {
    let mut kept = VecDeque::new();
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    loop {
        let bytes = match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let room = SHOWN_BYTES_MAX.saturating_sub(total).min(bytes.len() as u64) as usize;
        if shown && room > 0 {
            let _ = io::stderr().write_all(&bytes[..room]);
        }
        total += bytes.len() as u64;
        let last = &bytes[bytes.len().saturating_sub(KEPT_BYTES_MAX)..];
        kept.extend(last);
        let excess = kept.len().saturating_sub(KEPT_BYTES_MAX);
        kept.drain(..excess);
    }
    if let (true, more @ 1..) = (shown, total.saturating_sub(SHOWN_BYTES_MAX)) {
        eprintln!("… and {more} bytes more");
    }
    kept
}

/// The last lines of `bytes`, without control characters.
pub(crate) fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines = &lines[lines.len().saturating_sub(LINES_MAX)..];
    let cleaned = lines.iter().map(|line| {
        let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
        line.chars().map(plain).collect::<String>()
    });
    cleaned.collect::<Vec<_>>().join("\n")
}
