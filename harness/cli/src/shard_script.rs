//! The shell text that measures a shard on a node, whoever starts it there.

use crate::shell::quoted;

/// Begins the shard `$shard` of a plan below the folder `$results`, or goes on where its rows end. The shell
/// becomes `program`, as the shell reads it; `arguments` are those of `run`, without shard and folder.
pub(crate) fn begin_or_resume(program: &str, arguments: &[String], of: u32) -> String {
    let arguments: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    let arguments = arguments.join(" ");
    format!(
        "for run in \"$results\"/*-of-{of}; do\n  \
           if [ -f \"$run/run.json\" ]; then exec {program} run --quiet --resume \"$run\"; fi\n\
         done\n\
         exec {program} run {arguments} --quiet --shard \"$shard/{of}\" --results \"$results\"\n"
    )
}
