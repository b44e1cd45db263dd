//! Hand-written edge cases of each format.

use workloads::trace::OperationKind::{Delete, Get, Put};
use workloads::trace::formats::Format;
use workloads::trace::{OperationKind, key_of_bytes};

use super::read;

/// Kinds and sizes; the trace must be complete.
fn kinds(format: Format, text: &str) -> Vec<(OperationKind, u32)> {
    let read = read(format, text.as_bytes());
    assert_eq!(read.error, None);
    read.operations.iter().map(|operation| (operation.kind, operation.value_bytes)).collect()
}

fn error(format: Format, text: &str) -> String {
    read(format, text.as_bytes()).error.unwrap_or_else(|| panic!("{text}: no error")).to_string()
}

#[test]
fn twitter_keys_may_contain_commas_and_counters_have_bounds() {
    let text = "7,a,b,1,8,3,1,get,0\r\n\n7,,0,0,1,delete,0\n7,c,1,3,1,incr,0\n7,c,1,99,1,decr,0\n";
    assert_eq!(kinds(Format::Twitter, text), [(Get, 3), (Delete, 0), (Put, 8), (Put, 20)]);
    let read = read(Format::Twitter, text.as_bytes());
    assert_eq!(read.operations[0].key, key_of_bytes(b"a,b,1"));
    assert_eq!(read.skipped.of("blank line"), 1);
}

#[test]
fn twitter_errors_say_what_and_where() {
    assert_eq!(
        error(Format::Twitter, "0,k,1,1,1,get,0\n0,k,1,1,1,gte,0\n"),
        "sample, line 2 (byte 16): unknown operation \"gte\" (is it \"get\"?): write one of get, \
         gets, set, add, replace, cas, append, prepend, delete, incr, decr"
    );
    assert_eq!(
        error(Format::Twitter, "0,k,1,1,get,0\n"),
        "sample, line 1 (byte 0): \"0,k,1,1,get,0\" has fewer than seven columns: write \
         timestamp,key,key size,value size,client id,operation,TTL"
    );
    for line in ["-1,k,1,1,1,get,0\n", "1,k,x,1,1,get,0\n", "1,k,1,x,1,get,0\n", "1,k,1,1,1,get,\n"]
    {
        assert!(error(Format::Twitter, line).contains(" is "), "{line}");
    }
    let cut = error(Format::Twitter, "0,k,1,1,1,get,3600\n0,k,1,1,1,get,36");
    assert!(cut.starts_with("sample, line 2 (byte 19): the last line has no end"), "{cut}");
}

#[test]
fn times_that_run_backwards_stand_still_and_are_counted() {
    let line = |seconds: u32| format!("{seconds},k,1,1,1,get,0\n");
    let text: String = [50, 52, 51, 40, 52, 53].map(line).concat();
    let read = read(Format::Twitter, text.as_bytes());
    let seconds: Vec<_> =
        read.operations.iter().map(|operation| operation.time_ns / 1_000_000_000).collect();
    assert_eq!((seconds, read.backward_times), (vec![0, 2, 2, 2, 2, 3], 2));
    let apart = error(Format::Twitter, &[line(0), "99999999999,k,1,1,1,get,0\n".into()].concat());
    assert!(apart.contains("584 years"), "{apart}");
}

#[test]
fn meta_columns_are_found_by_name() {
    let text = "\u{FEFF}Size, op ,extra,op_count,key\n10,SET,x,2,k\n,GET,x,1,k\n,DELETE,,1,k\n\
                5,GET_LEASE,,1,k\n";
    assert_eq!(
        kinds(Format::MetaKv202206, text),
        [(Put, 10), (Put, 10), (Get, 0), (Delete, 0), (Get, 5)]
    );
    let header = "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n";
    let text = format!("{header}10,k,1,SET,1,7,0,0,1,1\n{header}12,k,1,GET,1,7,1,0,1,1\n");
    let read = read(Format::MetaKv202401, text.as_bytes());
    assert_eq!(read.operations[1].time_ns, 2_000_000_000);
    assert_eq!(read.skipped.of("repeated header"), 1);
}

#[test]
fn meta_operations_that_are_none_are_counted() {
    let text = "key,op,size,op_count\nk,GET,1,0\nk,SAT,1,1\nk,SAT,1,1\n";
    let read = read(Format::MetaKv202206, text.as_bytes());
    assert_eq!((read.error, read.operations.len()), (None, 0));
    assert_eq!(read.skipped.to_string(), "op \"SAT\" 2, op_count 0 1");
}

#[test]
fn meta_errors_name_the_column() {
    let header = "key,op,size,op_count,key_size\n";
    assert_eq!(
        error(Format::MetaKv202401, header),
        "sample, line 1 (byte 0): no column \"op_time\" in the header \
         \"key,op,size,op_count,key_size\": name the columns key, op, size, op_count, op_time, in \
         any order"
    );
    let near = error(Format::MetaKv202206, "key,op,size,opcount\n");
    assert!(near.contains("no column \"op_count\" (is it \"opcount\"?)"), "{near}");
    let twice = error(Format::MetaKv202206, "key,op,size,op_count,KEY\n");
    assert!(twice.contains("two columns \"key\""), "{twice}");
    let empty = error(Format::MetaKv202206, "");
    assert!(empty.contains("line 1 (byte 0): the trace is empty"), "{empty}");
    for (row, what) in [
        ("k,SET,,1,1\n", "size \"\" is empty"),
        ("k,SET,1,99999999999,1\n", "op_count 99999999999 is above 32 bits"),
        ("k,SET,1,1\n", "4 columns where the header has 5"),
        ("k,k,SET,1,1,1\n", "6 columns where the header has 5"),
    ] {
        let text = error(Format::MetaKv202206, &format!("{header}{row}"));
        assert!(text.starts_with(&format!("sample, line 2 (byte 30): {what}: ")), "{text}");
    }
}

#[test]
fn block_traces_tell_reads_from_writes() {
    let text = "version,time,op,size,lbn\n1,9,28,512,7\n1,9,2A,1024,7\n1,9,35,0,0\n1,9,0a,5,8\n";
    assert_eq!(kinds(Format::CloudPhysics, text), [(Get, 512), (Put, 1024), (Put, 5)]);
    let read_text = read(Format::CloudPhysics, text.as_bytes());
    assert_eq!(read_text.skipped.of("SCSI operation 35"), 1);
    let wrong = error(Format::CloudPhysics, "time,op,size,lbn\n9,read,512,7\n");
    assert!(wrong.contains("op \"read\" is no SCSI operation code"), "{wrong}");

    let text = "100,usr,0,Read,4096,512,1\n105,usr,0,WRITE,4096,0,1\n105,usr,1,Read,4096,1,1\n\
                105,us,0,Read,4096,1,1\n";
    assert_eq!(kinds(Format::Msr, text), [(Get, 512), (Put, 0), (Get, 1), (Get, 1)]);
    let requests = read(Format::Msr, text.as_bytes()).operations;
    assert_eq!(requests[1].time_ns, 500);
    assert_eq!(requests[0].key, requests[1].key);
    let mut keys: Vec<_> = requests.iter().map(|request| request.key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 3);
    let wrong = error(Format::Msr, "100,usr,0,Flush,4096,512,1\n");
    assert!(wrong.contains("unknown Type \"Flush\": write Read or Write"), "{wrong}");
    assert!(error(Format::Msr, "100,usr,0,Read,1,2\n").contains("has not seven columns"));
}

#[test]
fn oracle_general_says_where_a_record_was_cut() {
    let record = [[0; 24], [0xFF; 24]].concat();
    let read = read(Format::OracleGeneral, &record[..47]);
    assert_eq!(read.operations.len(), 1);
    assert_eq!(
        read.error.unwrap().to_string(),
        "sample, byte 24: the last record has 23 of 24 bytes: the file was cut or is of another \
         format: get it again, or cut the rest off"
    );
}

#[test]
fn redis_commands_become_operations_per_key() {
    let stamp = "1339518083.107412 [0 127.0.0.1:60866]";
    let lines = |commands: &[&str]| -> String {
        commands.iter().map(|command| format!("{stamp} {command}\n")).collect()
    };
    let text = format!("+OK\r\n+{}", lines(&[r#""set" "k" "a\x00\n\"""#, r#""GET" "k""#]));
    assert_eq!(kinds(Format::RedisMonitor, &text), [(Put, 4), (Get, 0)]);
    let many = lines(&[
        r#""exists" "a" "b""#,
        r#""unlink" "a" "b""#,
        r#""mset" "a" "1" "b" """#,
        r#""psetex" "a" "1000" "abc""#,
        r#""getset" "a" "abcd""#,
        r#""setbit" "a" "7" "1""#,
        r#""strlen" "a""#,
    ]);
    let expected = [
        (Get, 0),
        (Get, 0),
        (Delete, 0),
        (Delete, 0),
        (Put, 1),
        (Put, 0),
        (Put, 3),
        (Put, 4),
        (Put, 1),
        (Get, 0),
    ];
    assert_eq!(kinds(Format::RedisMonitor, &many), expected);

    let text = lines(&[r#""HSET" "h" "f" "v""#, r#""hset" "h" "f" "v""#, r#""ping""#]);
    let read = read(Format::RedisMonitor, text.as_bytes());
    assert_eq!((read.operations.len(), read.skipped.to_string()), (0, "hset 2, ping 1".into()));
}

#[test]
fn redis_clients_and_databases_are_told_apart() {
    let text = "1.5 [0 lua] \"get\" \"k\"\n1.500001 [1 unix:/tmp/redis.sock] \"get\" \"k\"\n\
                2 [0 [::1]:5000] \"get\" \"k\"\n";
    let operations = read(Format::RedisMonitor, text.as_bytes()).operations;
    let times: Vec<_> = operations.iter().map(|operation| operation.time_ns).collect();
    assert_eq!(times, [0, 1000, 500_000_000]);
    assert_eq!(operations[0].key, key_of_bytes(b"k"));
    assert_eq!(operations[2].key, operations[0].key);
    assert_ne!(operations[1].key, operations[0].key);
}

#[test]
fn redis_lines_that_are_none_are_errors() {
    for (line, what) in [
        ("hello\n", "is not seconds"),
        ("1.5 [0 lua]\n", "is not seconds"),
        ("x [0 lua] \"get\" \"k\"\n", "time \"x\""),
        ("1.5 [zero lua] \"get\" \"k\"\n", "database \"zero\""),
        ("1.5 [0 lua] \"get\"\n", "\"get\" with 0 arguments"),
        ("1.5 [0 lua] \"mset\" \"k\" \"v\" \"k\"\n", "\"mset\" with 3 arguments"),
        ("1.5 [0 lua] \"set\" \"k\" \"v\n", "has no closing quotation mark"),
        ("1.5 [0 lua] \"setrange\" \"k\" \"-1\" \"v\"\n", "offset \"-1\""),
        ("1.5 [0 lua] \"setrange\" \"k\" \"99999999999\" \"v\"\n", "is above 16777215"),
    ] {
        let text = error(Format::RedisMonitor, line);
        assert!(text.contains(what), "{text}");
    }
}
