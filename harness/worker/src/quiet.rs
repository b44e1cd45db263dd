//! The moment after a step at which all that was due is done and on the device: there the parent reads
//! what the store's files cost.

use engine::KvEngine;
use workloads::requests::{Request, RequestKind};

use super::Stop;
use super::link::Link;
use crate::protocol::Event;
use record::Asked;

/// Size of a key.
pub(super) const KEY_BYTES: u64 = size_of::<u64>() as u64;

/// A step that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended<'a> {
    pub(super) step: &'a str,
    /// Keys and values that live.
    pub(super) live_bytes: u64,
    /// What was asked for, where it is known yet.
    pub(super) asked: Option<Asked>,
    /// Bytes that the harness read in this process since the step was announced.
    pub(super) harness_read_bytes: u64,
}

/// Waits for what a store with files still has to do, and for the parent to read what it did.
pub(super) fn stand_still<E: KvEngine>(
    engine: &E,
    ended: Ended<'_>,
    link: &mut Link,
) -> Result<(), Stop> {
    let folders = engine.folders();
    if folders.is_empty() {
        return Ok(());
    }
    engine.settle();
    for folder in &folders {
        kit::folder::synchronise(folder).map_err(|error| {
            Stop::failed(format!("synchronising {}: {error}", folder.display()))
        })?;
    }
    let Ended { step, live_bytes, asked, harness_read_bytes } = ended;
    let step = step.to_owned();
    link.say_and_wait(&Event::Quiet { step, live_bytes, asked, harness_read_bytes });
    Ok(())
}

/// What requests moved, if records that live have `mean_bytes` on average, the key included.
pub(super) fn asked_by(requests: impl Iterator<Item = Request>, mean_bytes: f64) -> Asked {
    let (mut written_bytes, mut records_read) = (0, 0);
    for request in requests {
        let put_bytes = request.size() as u64 + KEY_BYTES;
        match request.kind() {
            RequestKind::Get => records_read += 1,
            RequestKind::Scan => records_read += request.size() as u64,
            RequestKind::Update | RequestKind::Insert => written_bytes += put_bytes,
            RequestKind::ReadModifyWrite => {
                records_read += 1;
                written_bytes += put_bytes;
            }
            RequestKind::Delete => written_bytes += KEY_BYTES,
            RequestKind::GetAbsent | RequestKind::DeleteAbsent => {}
        }
    }
    Asked { written_bytes, read_bytes: (records_read as f64 * mean_bytes) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_moves_what_it_names() {
        let of = |kind, size| asked_by([Request::new(kind, size, 7)].into_iter(), 108.0);
        let asked = |written_bytes, read_bytes| Asked { written_bytes, read_bytes };
        assert_eq!(of(RequestKind::Get, 0), asked(0, 108));
        assert_eq!(of(RequestKind::Scan, 10), asked(0, 1080));
        assert_eq!(of(RequestKind::Update, 100), asked(108, 0));
        assert_eq!(of(RequestKind::Insert, 0), asked(8, 0));
        assert_eq!(of(RequestKind::ReadModifyWrite, 50), asked(58, 108));
        assert_eq!(of(RequestKind::Delete, 0), asked(8, 0));
        assert_eq!(of(RequestKind::GetAbsent, 0), asked(0, 0));
    }
}
