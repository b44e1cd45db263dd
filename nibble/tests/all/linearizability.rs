//! Every operation of every thread is recorded and the history of every key checked, in each
//! variant of the engine, while compaction and growth of the index never rest.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use super::common::variants::{ROWS, disturb, knobs, tiny, within};
use super::common::{Random, fill, open, verified};
use history::{Kind, Operation, Recorder, Ticks};
use nibble::{Compaction, Config, IndexLayout, Put, PutError, Session, Update};

const THREADS: u64 = 6;
/// Keys that all threads fight for.
const HOT_KEYS: u64 = 5;
/// Keys that make the index grow and the log need compaction; shared as well.
const FILLER_KEYS: u64 = 3_000;
/// Each begins with an empty store, so that the index grows again. There are more on a machine so
/// busy that little was compacted, or that operations hardly overlapped.
const ROUNDS: usize = 3;
const ROUNDS_MAX: usize = 60;
const ROUND: Duration = Duration::from_millis(450);
/// So many that most keys are used, and the index grows, whatever the speed.
const OPERATIONS_MIN: u64 = 4_000;
/// Bounds the history, whatever the speed.
const OPERATIONS_MAX: u64 = 60_000;

/// Lengths that let an update in place fit, shrink, or have to append; some span blocks.
fn value_bytes(random: &mut Random) -> usize {
    let most = match random.below(64) {
        0 => 9_000,
        1..12 => 900,
        12..40 => 250,
        _ => 40,
    };
    8 + random.below(most) as usize
}

fn client(session: &Session<'_>, ticks: &Ticks, number: u64, seed: u64) -> Vec<Operation> {
    let mut recorder = Recorder::new(ticks, number as u8);
    let mut random = Random(seed * THREADS + number);
    let mut buffer = vec![0; 16 << 10];
    let begin = Instant::now();
    for sequence in 0..OPERATIONS_MAX {
        if sequence % 64 == 0 && sequence >= OPERATIONS_MIN && begin.elapsed() >= ROUND {
            break;
        }
        let hot = random.below(3) > 0;
        let key = if hot { random.below(HOT_KEYS) } else { 1_000 + random.below(FILLER_KEYS) };
        // What an answer means is looked at after the last tick.
        let (kind, interval) = match random.below(16) {
            0..7 => {
                let (found, interval) = recorder.timed(|| session.get(key, &mut buffer));
                let found = found.expect("the buffer is long enough");
                (Kind::Get(found.map(|length| verified(key, &buffer[..length]))), interval)
            }
            7..14 => {
                // Unique: the writer, and its count.
                let value = (number + 1) << 40 | sequence;
                let bytes = value_bytes(&mut random);
                fill(&mut buffer[..bytes], key, value);
                let (put, interval) = recorder.timed(|| session.put(key, &buffer[..bytes]));
                let kind = match put {
                    Ok(put) => Kind::Put { value, updated: put == Put::Updated },
                    Err(PutError::Full | PutError::Stalled { .. }) => Kind::Refused,
                    Err(error) => panic!("{error}"),
                };
                (kind, interval)
            }
            _ => {
                let (found, interval) = recorder.timed(|| session.delete(key));
                (Kind::Delete { found: found.unwrap() }, interval)
            }
        };
        recorder.add(key, kind, interval);
    }
    recorder.operations
}

/// The rounds of all variants go through all rows of the other choices.
fn linearisable(config: &Config, variant: usize) {
    disturb();
    let (mut compacted, mut overlapping) = (0, 0);
    for round in 0..ROUNDS_MAX {
        if round >= ROUNDS && compacted >= 10 && overlapping >= 10 {
            return;
        }
        let config = knobs(config, (variant * ROUNDS + round) % ROWS);
        println!("{config:?}");
        let store = open(config);
        let index_bytes = store.census().index_bytes;
        let (ticks, start) = (Ticks::default(), Barrier::new(THREADS as usize));
        let histories = within(120, "clients", || {
            thread::scope(|scope| {
                let spawn = |number| {
                    let (store, ticks, start) = (&store, &ticks, &start);
                    scope.spawn(move || {
                        let session = store.session().expect("a slot is free");
                        start.wait();
                        client(&session, ticks, number, round as u64)
                    })
                };
                let threads: Vec<_> = (0..THREADS).map(spawn).collect();
                let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join();
                let histories: Result<Vec<_>, _> = threads.into_iter().map(join).collect();
                histories.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        });
        let summary = history::check(histories.into_iter().flatten())
            .unwrap_or_else(|violation| panic!("round {round}: {violation}"));
        store.check().expect("the invariants hold");
        assert!(summary.keys > FILLER_KEYS / 2, "{summary:?}");
        let statistics = store.statistics();
        println!("{summary:?} {statistics:?}");
        compacted += statistics.segments_compacted;
        overlapping += summary.overlapping;
        let grown = store.census().index_bytes;
        assert!(
            grown >= 2 * index_bytes,
            "the index grew from {index_bytes} to {grown} bytes only"
        );
    }
    panic!("{compacted} segments compacted, {overlapping} operations overlapped, and no more");
}

macro_rules! variants {
    ($($name:ident: $variant:literal, $update:ident, $compaction:ident, $index:ident;)+) => {
        $(#[test]
        fn $name() {
            let (update, compaction) = (Update::$update, Compaction::$compaction);
            linearisable(&tiny(2 << 20, update, compaction, IndexLayout::$index), $variant);
        })+
    };
}

variants! {
    append_background_text: 0, Append, Background, Text;
    append_background_keyed: 1, Append, Background, Keyed;
    append_background_tagged: 2, Append, Background, Tagged;
    append_inline_text: 3, Append, Inline, Text;
    append_inline_keyed: 4, Append, Inline, Keyed;
    append_inline_tagged: 5, Append, Inline, Tagged;
    in_place_background_text: 6, InPlace, Background, Text;
    in_place_background_keyed: 7, InPlace, Background, Keyed;
    in_place_background_tagged: 8, InPlace, Background, Tagged;
    in_place_inline_text: 9, InPlace, Inline, Text;
    in_place_inline_keyed: 10, InPlace, Inline, Keyed;
    in_place_inline_tagged: 11, InPlace, Inline, Tagged;
}
