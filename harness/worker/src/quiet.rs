//! The moment after a step at which all that was due is done and on the device: there the parent reads
//! what the store's files cost.

use workloads::requests::{Groups, Request, RequestKind};

use super::Stop;
use super::link::Link;
use super::watched::Watched;
use crate::protocol::Event;
use record::Asked;

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
pub(super) fn stand_still(
    engine: &dyn Watched,
    ended: Ended<'_>,
    link: &mut Link,
) -> Result<(), Stop> {
    let folders = engine.file_folders();
    if folders.is_empty() {
        return Ok(());
    }
    engine.come_to_rest();
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

/// The mean lengths of keys, and of live records with their keys; and which records are asked for
/// together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    pub(super) key_bytes: f64,
    pub(super) record_bytes: f64,
    pub(super) groups: Groups,
}

/// What requests moved.
pub(super) fn asked_by(requests: impl Iterator<Item = Request>, means: Means) -> Asked {
    let (mut value_bytes, mut keys_written, mut records_read) = (0, 0, 0);
    for request in requests {
        let written = means.groups.written_by(request);
        let written = written.end - written.start;
        keys_written += written;
        value_bytes += written * request.size() as u64;
        match request.kind() {
            RequestKind::Get | RequestKind::ReadModifyWrite => records_read += 1,
            RequestKind::Scan | RequestKind::SnapshotScan => records_read += request.size() as u64,
            RequestKind::SnapshotRead => {
                let group = means.groups.of(request.record());
                records_read += group.end - group.start;
            }
            RequestKind::Delete => keys_written += 1,
            RequestKind::Update | RequestKind::Insert => {}
            RequestKind::WriteTogether | RequestKind::WriteExpiring => {}
            RequestKind::GetAbsent | RequestKind::DeleteAbsent => {}
        }
    }
    let mean_of = |number: u64, bytes: f64| (number as f64 * bytes).round() as u64;
    Asked {
        written_bytes: value_bytes + mean_of(keys_written, means.key_bytes),
        read_bytes: mean_of(records_read, means.record_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_moves_what_it_names() {
        let groups = Groups::new(4, 100);
        let means = Means { key_bytes: 8.0, record_bytes: 108.0, groups };
        let of = |kind, size| asked_by([Request::new(kind, size, 7)].into_iter(), means);
        let asked = |written_bytes, read_bytes| Asked { written_bytes, read_bytes };
        assert_eq!(of(RequestKind::Get, 0), asked(0, 108));
        assert_eq!(of(RequestKind::Scan, 10), asked(0, 1080));
        assert_eq!(of(RequestKind::Update, 100), asked(108, 0));
        assert_eq!(of(RequestKind::Insert, 0), asked(8, 0));
        assert_eq!(of(RequestKind::ReadModifyWrite, 50), asked(58, 108));
        assert_eq!(of(RequestKind::Delete, 0), asked(8, 0));
        assert_eq!(of(RequestKind::GetAbsent, 0), asked(0, 0));
        assert_eq!(of(RequestKind::WriteTogether, 100), asked(432, 0));
        assert_eq!(of(RequestKind::SnapshotRead, 0), asked(0, 432));
        assert_eq!(of(RequestKind::SnapshotScan, 10), asked(0, 1080));
        assert_eq!(of(RequestKind::WriteExpiring, 100), asked(108, 0));
    }

    #[test]
    fn longer_keys_are_written_too() {
        let updates = (0..3).map(|key| Request::new(RequestKind::Update, 100, key));
        let groups = Groups::new(4, 100);
        let means = Means { key_bytes: 36.0, record_bytes: 136.0, groups };
        assert_eq!(asked_by(updates, means), Asked { written_bytes: 408, read_bytes: 0 });
    }
}
