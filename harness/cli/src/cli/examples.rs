//! Examples in the help of each command.

use clap::Command;

/// By command: lines that a reader can paste. A test parses them.
const EXAMPLES: [(&str, &[&str]); 39] = [
    (
        "run",
        &[
            "nibble-bench run store-bloat --scale smoke",
            "nibble-bench run my.toml --repetitions 6",
            "nibble-bench run --resume results/RUN",
            "nibble-bench run my.toml --repetitions 8 --shard 2/4",
            "nibble-bench run my.toml --repetitions 8 --executor slurm --nodes 4",
        ],
    ),
    ("merge", &["nibble-bench merge results/RUN results/OTHER"]),
    (
        "cluster run",
        &[
            "nibble-bench cluster run my.toml --target redis://127.0.0.1:6379 --rate 20000",
            "nibble-bench cluster run my.toml --target valkey-cluster://10.0.0.1:7000 --clients 8 --rate 80000",
            "nibble-bench cluster run my.toml --target valkey-cluster://127.0.0.1:17110 --rate 4000 --event 4s:kill=largest",
            "nibble-bench cluster run my.toml --target valkey-cluster://n1:7000 --executor ssh --hosts hosts --rate 80000",
        ],
    ),
    (
        "reproduce",
        &[
            "nibble-bench reproduce --scale smoke",
            "nibble-bench reproduce --figure fig11",
            "nibble-bench reproduce --family lsm",
            "nibble-bench reproduce --check results/reference",
        ],
    ),
    (
        "ycsb",
        &["nibble-bench ycsb nibble hashmap -P workloads/ycsb/workloada -p recordcount=20000"],
    ),
    ("search", &["nibble-bench search nibble --percentile p99.9 --bound 100us"]),
    ("targets", &["nibble-bench targets --list", "nibble-bench targets --only yardstick"]),
    ("calibrate", &["nibble-bench calibrate --bytes 1GiB"]),
    (
        "compare",
        &[
            "nibble-bench compare nibble hashmap",
            "nibble-bench compare heapstore:jemalloc heapstore:mimalloc --get-percent 95",
            "nibble-bench compare @ @segment-bytes=524288 --suite gate",
            "nibble-bench compare HEAD~1 HEAD --budget 8m",
            "nibble-bench compare results/reference results/RUN",
            "nibble-bench compare --warmup 3 -- sort -u words -- sort words",
        ],
    ),
    (
        "measure",
        &[
            "nibble-bench measure -- sleep 0.1",
            "nibble-bench measure -w 3 -L threads 1,2,4 --export-json t.json -- make -j {threads}",
            "nibble-bench measure --prepare sync -- tar cf /dev/null . -- tar czf /dev/null .",
        ],
    ),
    (
        "allocators",
        &[
            "nibble-bench allocators -- python3 -c pass",
            "nibble-bench allocators --runs 10 --plots memory -- c++ -O2 -c main.cc",
            "nibble-bench allocators --allocator mine=./libmine.so --only mine -- ./server --once",
        ],
    ),
    (
        "gate",
        &[
            "nibble-bench gate --baseline origin/main --budget 8m",
            "nibble-bench gate --baseline ci/baseline.jsonl --junit gate.xml",
        ],
    ),
    ("agree", &["nibble-bench agree results/reference results/RUN"]),
    ("history", &["nibble-bench history results/history.jsonl --metric p99 --cell ycsb-a"]),
    ("power", &["nibble-bench power --rounds 50 --filter churn --drifts 0"]),
    ("list", &["nibble-bench list stores", "nibble-bench list engines --traits"]),
    ("plan", &["nibble-bench plan store-bloat --scale smoke", "nibble-bench plan my.toml --json"]),
    (
        "claims",
        &[
            "nibble-bench claims --list fig14-nibble-falls",
            "nibble-bench claims --run results/reference",
        ],
    ),
    ("latency", &["nibble-bench latency results/RUN --filter ycsb-a"]),
    (
        "model write-amplification",
        &[
            "nibble-bench model write-amplification",
            "nibble-bench model write-amplification leveldb --keys 1000000 --skew 0.99 --simulate 1",
            "nibble-bench model write-amplification leveldb --optimal 5 --json",
        ],
    ),
    ("doctor", &["nibble-bench doctor", "nibble-bench doctor --strict"]),
    ("about", &["nibble-bench about"]),
    (
        "report",
        &["nibble-bench report results/RUN", "nibble-bench report results/RUN --figure grid"],
    ),
    ("export", &["nibble-bench export results/reference --csv rows.csv"]),
    ("splice", &["nibble-bench splice README.md --check"]),
    ("import", &["nibble-bench import hyperfine.json --output lines.jsonl"]),
    (
        "traffic",
        &[
            "nibble-bench traffic -- dd if=/dev/zero of=out bs=1M count=512 oflag=direct",
            "nibble-bench traffic --folder /var/tmp --json -- sort -o sorted unsorted",
        ],
    ),
    ("trace capture postmark", &["nibble-bench trace capture postmark --files 5000"]),
    (
        "trace capture malloc",
        &["nibble-bench trace capture malloc --output git.trace -- git log --oneline"],
    ),
    (
        "trace convert",
        &["nibble-bench trace convert cluster14.csv --output results/traces/cluster14.trace"],
    ),
    ("trace stat", &["nibble-bench trace stat results/traces/cluster14.trace"]),
    ("trace verify", &["nibble-bench trace verify results/traces/cluster14.trace"]),
    ("trace repair", &["nibble-bench trace repair broken.trace --output whole.trace"]),
    ("trace show", &["nibble-bench trace show results/traces/cluster14.trace --take 10"]),
    ("cell", &["nibble-bench cell fragmentation/P1/nibble/bounded/0 --scale smoke"]),
    (
        "worker",
        &[
            "nibble-bench cell fragmentation/P1/nibble/bounded/0 --scale smoke | nibble-bench worker",
        ],
    ),
    ("completions", &["nibble-bench completions bash > /etc/bash_completion.d/nibble-bench"]),
    ("man", &["nibble-bench man ~/.local/share/man/man1", "nibble-bench man | man -l -"]),
    ("trace", &["nibble-bench trace stat results/traces/cluster14.trace"]),
];

/// The command and all below it, each with its examples at the end of its help.
pub(super) fn added(mut command: Command, path: &str) -> Command {
    if let Some((_, lines)) = EXAMPLES.iter().find(|(of, _)| *of == path) {
        let examples = format!("EXAMPLES\n    {}", lines.join("\n    "));
        let help = match command.get_after_help() {
            Some(more) => format!("{more}\n\n{examples}"),
            None => examples,
        };
        command = command.after_help(help);
    }
    let names = command.get_subcommands().map(|below| below.get_name().to_owned());
    for name in names.collect::<Vec<_>>() {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(&name, |below| added(below, path.trim_start()));
    }
    command
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    /// The commands that help shows, as they are typed.
    fn visible(command: &Command, path: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        below
            .flat_map(|below| {
                let path = format!("{path} {}", below.get_name()).trim_start().to_owned();
                let further = visible(below, &path);
                // What only leads to others has the examples of these.
                if further.is_empty() { vec![path] } else { further }
            })
            .collect()
    }

    #[test]
    fn every_command_has_an_example_that_calls_it() {
        let command = added(Cli::command(), "");
        for path in visible(&command, "") {
            let mut found = &command;
            for name in path.split(' ') {
                found = found.find_subcommand(name).expect("a command of that name");
            }
            let help = found.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("nibble-bench {path}")), "`{path}` has no example");
        }
    }

    #[test]
    fn every_example_parses() {
        for line in EXAMPLES.iter().flat_map(|(_, lines)| *lines) {
            let parts = line.split(['|', '>']).map(str::trim);
            for part in parts.filter(|part| part.starts_with("nibble-bench ")) {
                let parsed = Cli::command().try_get_matches_from(part.split(' '));
                assert!(parsed.is_ok(), "{part}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn help_ends_with_the_examples() {
        let mut command = added(Cli::command(), "");
        let compare = command.find_subcommand_mut("compare").unwrap();
        let help = compare.render_help().to_string();
        assert!(
            help.contains("BASELINE AND CANDIDATE") && help.contains("EXAMPLES\n    nibble-bench")
        );
        let trace = command.find_subcommand_mut("trace").unwrap();
        let show = trace.find_subcommand_mut("show").unwrap();
        assert!(show.render_help().to_string().contains("trace show"), "in every depth");
    }
}
