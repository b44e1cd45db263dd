//! The reply to `CLUSTER NODES`: a server a line.

use crate::target::Address;

/// A server of a cluster, as another one knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) address: Address,
    /// The id of its master, if it is a replica.
    pub(super) master: Option<String>,
    pub(super) slots: Vec<(u16, u16)>,
}

/// All servers that are not known to have failed; `None` where the text is something else. A server that
/// does not know its own address has that of `host`.
pub(super) fn parse(text: &str, host: &str) -> Option<Vec<Line>> {
    let is_there = |line: &&str| {
        let flags = line.split(' ').nth(2).unwrap_or_default();
        !flags.split(',').any(|flag| matches!(flag, "fail" | "noaddr" | "handshake"))
    };
    text.lines().filter(is_there).map(|line| line_of(line, host)).collect()
}

fn line_of(line: &str, host: &str) -> Option<Line> {
    let words: Vec<&str> = line.split(' ').collect();
    let [id, address, _flags, master, _ping, _pong, _epoch, _link, slots @ ..] = words.as_slice()
    else {
        return None;
    };
    // `IP:PORT@BUS,NAME`
    let (address, _) = address.split_once('@')?;
    let (known, port) = address.rsplit_once(':')?;
    let host = if known.is_empty() { host } else { known };
    // A slot on its way stands in brackets, and has its server still.
    let ranges = slots.iter().filter(|slot| !slot.starts_with('['));
    Some(Line {
        id: (*id).to_owned(),
        address: Address { host: host.to_owned(), port: port.parse().ok()? },
        master: (*master != "-").then(|| (*master).to_owned()),
        slots: ranges.map(|range| range_of(range)).collect::<Option<_>>()?,
    })
}

/// `5` or `5-9`
fn range_of(text: &str) -> Option<(u16, u16)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// A cluster of Valkey 9.1.2 of three masters and three replicas.
#[cfg(test)]
pub(super) const RECORDED: &str = include_str!("nodes.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masters_replicas_and_slots_are_read() {
        let lines = parse(RECORDED, "127.0.0.1").unwrap();
        assert_eq!(lines.len(), 6);
        assert_eq!(lines.iter().filter(|line| line.master.is_some()).count(), 3);
        assert!(lines.iter().all(|line| line.master.is_none() || line.slots.is_empty()));
    }

    #[test]
    fn what_failed_is_left_out_and_a_slot_on_its_way_is_its_servers() {
        let text = "a :7001@17001,,shard-id=x myself,master - 0 0 1 connected 0-99 101 [100->-b]\n\
                    b 10.0.0.2:7002@17002 master,fail - 0 0 2 disconnected 200\n";
        let lines = parse(text, "node1").unwrap();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].address.to_string(), "node1:7001");
        assert_eq!(lines[0].slots, [(0, 99), (101, 101)]);
        assert_eq!(parse("+OK\n", "node1"), None);
    }
}
