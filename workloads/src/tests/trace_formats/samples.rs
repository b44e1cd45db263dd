//! Traces made from known requests, by code that shares nothing with the readers.

use std::fmt::Write as _;

use workloads::trace::OperationKind::{Delete, Get, Put};
use workloads::trace::formats::Format;
use workloads::trace::{Operation, OperationKind, key_of_bytes};
use workloads::{Rng, Seed};

/// A trace, and the meaning of each of its lines or records.
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    pub(crate) items: Vec<Item>,
}

pub(crate) struct Item {
    /// Bytes up to the end of this item.
    pub(crate) end: usize,
    pub(crate) operations: Vec<Operation>,
}

impl Sample {
    fn new() -> Self {
        Self { bytes: Vec::new(), items: Vec::new() }
    }

    fn push(&mut self, bytes: &[u8], operations: Vec<Operation>) {
        self.bytes.extend_from_slice(bytes);
        self.items.push(Item { end: self.bytes.len(), operations });
    }

    /// The operations of all items that end within the first `bytes`.
    pub(crate) fn operations_within(&self, bytes: usize) -> Vec<Operation> {
        let whole = self.items.iter().take_while(|item| item.end <= bytes);
        whole.flat_map(|item| item.operations.iter().copied()).collect()
    }
}

/// `count` lines or records, after a header if the format has one.
pub(crate) fn sample(format: Format, count: usize) -> Sample {
    let mut rng = Rng::new(Seed(7).stream(format.name()));
    match format {
        Format::Twitter => twitter(&mut rng, count),
        Format::MetaKv202206 => meta_kv_202206(&mut rng, count),
        Format::MetaKv202401 => meta_kv_202401(&mut rng, count),
        Format::OracleGeneral => oracle_general(&mut rng, count),
        Format::CloudPhysics => cloud_physics(&mut rng, count),
        Format::Msr => msr(&mut rng, count),
        Format::RedisMonitor => redis_monitor(&mut rng, count),
    }
}

fn choose<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

fn operation(time_ns: u64, kind: OperationKind, key: u64, value_bytes: u64) -> Operation {
    let value_bytes = if kind == OperationKind::Delete { 0 } else { value_bytes as u32 };
    Operation { time_ns, kind, key, value_bytes, key_bytes: 0 }
}

/// The same of a key that is a text of so many bytes.
fn with_text(bytes: u64, operation: Operation) -> Operation {
    Operation { key_bytes: bytes as u32, ..operation }
}

fn twitter(rng: &mut Rng, count: usize) -> Sample {
    let kinds = [
        ("get", Get),
        ("gets", Get),
        ("set", Put),
        ("add", Put),
        ("replace", Put),
        ("cas", Put),
        ("append", Put),
        ("prepend", Put),
        ("delete", Delete),
        ("incr", Put),
        ("decr", Put),
    ];
    let mut sample = Sample::new();
    let mut seconds = 0;
    for _ in 0..count {
        let comma = choose(rng, &["", ",", ",,x"]);
        let key = format!("nz:u:{comma}{}", rng.below(200));
        let (name, kind) = choose(rng, &kinds);
        let bytes = rng.below(5000);
        let line = format!(
            "{seconds},{key},{},{bytes},{},{name},{}\n",
            key.len(),
            rng.below(30),
            rng.below(86400)
        );
        let stored = match name {
            "incr" | "decr" if bytes < 8 => 8,
            "incr" | "decr" if bytes > 20 => 20,
            _ => bytes,
        };
        let one = operation(seconds * 1_000_000_000, kind, key_of_bytes(key.as_bytes()), stored);
        sample.push(line.as_bytes(), vec![with_text(key.len() as u64, one)]);
        seconds += rng.below(3);
    }
    sample
}

const META_KINDS: [(&str, OperationKind); 5] =
    [("GET", Get), ("GET_LEASE", Get), ("SET", Put), ("SET_LEASE", Put), ("DELETE", Delete)];

fn meta_kv_202206(rng: &mut Rng, count: usize) -> Sample {
    let mut sample = Sample::new();
    sample.push(b"key,op,size,op_count,key_size\n", Vec::new());
    for _ in 0..count {
        let key = 1_000_000 + rng.below(300);
        let (name, kind) = choose(rng, &META_KINDS);
        let (bytes, times) = (rng.below(9000), rng.below(4));
        let key_size = rng.below(90);
        let line = format!("{key},{name},{bytes},{times},{key_size}\n");
        let one = operation(0, kind, key_of_bytes(key.to_string().as_bytes()), bytes);
        let one = with_text(key_size, one);
        sample.push(line.as_bytes(), vec![one; times as usize]);
    }
    sample
}

fn meta_kv_202401(rng: &mut Rng, count: usize) -> Sample {
    let mut sample = Sample::new();
    let header = "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\r\n";
    sample.push(header.as_bytes(), Vec::new());
    let mut seconds = 0;
    let mut origin = None;
    for _ in 0..count {
        let key = 1_000_000 + rng.below(300);
        let (name, kind) = choose(rng, &META_KINDS);
        let (bytes, times) = (rng.below(9000), rng.below(4));
        let line = format!(
            "{},{key},40,{name},{times},{bytes},{},,17,3\r\n",
            564_726_470 + seconds,
            rng.below(2)
        );
        if times > 0 {
            origin.get_or_insert(seconds);
        }
        let time_ns = (seconds - origin.unwrap_or(seconds)) * 1_000_000_000;
        let one = operation(time_ns, kind, key_of_bytes(key.to_string().as_bytes()), bytes);
        sample.push(line.as_bytes(), vec![with_text(40, one); times as usize]);
        seconds += rng.below(3);
    }
    sample
}

fn oracle_general(rng: &mut Rng, count: usize) -> Sample {
    let mut sample = Sample::new();
    let mut seconds = 0u32;
    for number in 0..count as i64 {
        let (id, bytes) = (rng.next_u64() % 500, rng.below(1 << 20) as u32);
        let next = if rng.chance(0.3) { -1 } else { number + 1 + rng.below(50) as i64 };
        let mut record = Vec::new();
        record.extend((5_633_898 + seconds).to_le_bytes());
        record.extend(id.to_le_bytes());
        record.extend((1 + bytes).to_le_bytes());
        record.extend(next.to_le_bytes());
        let key = key_of_bytes(&id.to_le_bytes());
        let time_ns = u64::from(seconds) * 1_000_000_000;
        sample.push(&record, vec![operation(time_ns, Get, key, u64::from(bytes) + 1)]);
        seconds += rng.below(2) as u32;
    }
    sample
}

fn cloud_physics(rng: &mut Rng, count: usize) -> Sample {
    let mut sample = Sample::new();
    sample.push(b"version,time,op,size,lbn\n", Vec::new());
    let codes =
        [("28", Get), ("2a", Put), ("2A", Put), ("8", Get), ("88", Get), ("aa", Put), ("8e", Put)];
    let mut seconds = 0;
    for _ in 0..count {
        let ((code, kind), block) = (choose(rng, &codes), rng.below(1 << 40) / (1 << 30));
        let bytes = 512 * (1 + rng.below(136));
        let line = format!("1,{},{code},{bytes},{block}\n", 5_633_898 + seconds);
        let key = key_of_bytes(&block.to_le_bytes());
        sample.push(line.as_bytes(), vec![operation(seconds * 1_000_000_000, kind, key, bytes)]);
        seconds += rng.below(2);
    }
    sample
}

fn msr(rng: &mut Rng, count: usize) -> Sample {
    let mut sample = Sample::new();
    let mut ticks = 0;
    for _ in 0..count {
        let (host, disk) = (choose(rng, &["usr", "web", "web0"]), rng.below(3));
        let (name, kind) = choose(rng, &[("Read", Get), ("Write", Put)]);
        let (offset, bytes) = (4096 * rng.below(50), 512 * rng.below(128));
        let stamp = 128_166_372_003_061_629u64 + ticks;
        let line =
            format!("{stamp},{host},{disk},{name},{offset},{bytes},{}\n", rng.below(100_000));
        let mut object = host.as_bytes().to_vec();
        object.extend(disk.to_le_bytes());
        object.extend(offset.to_le_bytes());
        let key = key_of_bytes(&object);
        sample.push(line.as_bytes(), vec![operation(ticks * 100, kind, key, bytes)]);
        ticks += rng.below(1000);
    }
    sample
}

/// Bytes as `redis-cli` prints them.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            7 => text.push_str("\\a"),
            8 => text.push_str("\\b"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => write!(text, "\\x{byte:02x}").unwrap(),
        }
    }
    text + "\""
}

fn redis_monitor(rng: &mut Rng, count: usize) -> Sample {
    let mut sample = Sample::new();
    sample.push(b"OK\n", Vec::new());
    let mut micros = 0;
    for _ in 0..count {
        let keys: [Vec<u8>; 3] =
            std::array::from_fn(|_| vec![b'k', b'"', b'\\', rng.below(256) as u8]);
        let value: Vec<u8> = (0..rng.below(40)).map(|_| rng.below(256) as u8).collect();
        let hashed = keys.each_ref().map(|key| key_of_bytes(key));
        let bytes = value.len() as u64;
        let time_ns = micros * 1000;
        let one = |kind, bytes| vec![operation(time_ns, kind, hashed[0], bytes)];
        let each = |kind| hashed.map(|key| operation(time_ns, kind, key, 0)).to_vec();
        let [first, second, third] = keys.each_ref().map(|key| quoted(key));
        let value = quoted(&value);
        let (command, operations) = match rng.below(10) {
            0 => (format!("\"GET\" {first}"), one(Get, 0)),
            1 => (format!("\"mget\" {first} {second} {third}"), each(Get)),
            2 => (format!("\"del\" {first} {second} {third}"), each(Delete)),
            3 => (format!("\"set\" {first} {value} \"EX\" \"10\""), one(Put, bytes)),
            4 => (format!("\"SetEx\" {first} \"10\" {value}"), one(Put, bytes)),
            5 => (format!("\"incrby\" {first} \"3\""), one(Put, 8)),
            6 => {
                let pair = |at: usize| operation(time_ns, Put, hashed[at], bytes);
                (format!("\"mset\" {first} {value} {second} {value}"), vec![pair(0), pair(1)])
            }
            7 => (format!("\"setrange\" {first} \"100\" {value}"), one(Put, 100 + bytes)),
            8 => {
                let both = [one(Get, 0), one(Delete, 0)].concat();
                (format!("\"getdel\" {first}"), both)
            }
            _ => (format!("\"setbit\" {first} \"16\" \"1\""), one(Put, 3)),
        };
        let operations = operations.into_iter().map(|one| with_text(4, one)).collect();
        let plus = choose(rng, &["", "+"]);
        let (seconds, rest) = (1_339_518_083 + micros / 1_000_000, micros % 1_000_000);
        let line = format!("{plus}{seconds}.{rest:06} [0 127.0.0.1:60866] {command}\n");
        sample.push(line.as_bytes(), operations);
        micros += rng.below(700_000);
    }
    sample
}
