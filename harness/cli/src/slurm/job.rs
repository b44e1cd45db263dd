//! An array job with a task for each shard: its script, and how it is submitted.

use std::path::Path;
use std::process::Command;

use super::error::{SlurmError, asked};
use crate::shard_script::begin_or_resume;
use crate::shell::quoted;

/// A job that measures shards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    /// What queues call it.
    pub(crate) name: &'a str,
    /// The folder that all nodes see: in it the folder of each shard, and what its tasks said.
    pub(crate) folder: &'a Path,
    /// This program, where all nodes see it.
    pub(crate) program: &'a Path,
    /// The arguments of `run`, without shard and folder.
    pub(crate) arguments: &'a [String],
    /// How many shards there are.
    pub(crate) of: u32,
}

impl Job<'_> {
    /// The script that Slurm runs for each task. A task that was killed, and is started again or anew, goes on
    /// where its rows end.
    pub(crate) fn script(&self) -> String {
        let Self { name, folder, program, arguments, of } = self;
        let folder = folder.display().to_string();
        let program = quoted(&program.display().to_string());
        // Slurm reads its options as they stand, but for `%`.
        let log = folder.replace('%', "%%");
        format!(
            "#!/bin/sh\n\
             #SBATCH --job-name={}\n\
             #SBATCH --nodes=1\n\
             #SBATCH --exclusive\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --output=\"{log}/%a.log\"\n\
             shard=$SLURM_ARRAY_TASK_ID\n\
             results={}/$shard\n\
             {}",
            name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"),
            quoted(&folder),
            begin_or_resume(&program, arguments, *of),
        )
    }
}

/// Submits the script for these shards, with further options of sbatch; the job's id.
pub(crate) fn submit(
    script: &Path,
    shards: &[u32],
    options: &[String],
) -> Result<String, SlurmError> {
    let list: Vec<String> = shards.iter().map(u32::to_string).collect();
    let mut command = Command::new("sbatch");
    command.args(["--parsable", &format!("--array={}", list.join(","))]).args(options).arg(script);
    id_of(&asked("sbatch", &mut command)?)
}

/// The id in the answer `12` or `12;cluster`; a site may print lines of its own before it.
fn id_of(answer: &str) -> Result<String, SlurmError> {
    let last = answer.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let id = last.split(';').next().unwrap_or_default();
    match !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(id.to_owned()),
        false => Err(SlurmError::Answer { program: "sbatch", text: answer.trim().to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_id_is_read_from_what_sbatch_prints() {
        assert_eq!(id_of("12\n").unwrap(), "12");
        assert_eq!(id_of("Welcome to the cluster\n4711;here\n").unwrap(), "4711");
        for wrong in ["", "Submitted batch job 12", "12a"] {
            let error = id_of(wrong).unwrap_err().to_string();
            assert!(error.contains("names no job"), "{error}");
        }
    }

    /// The script, run by a shell as Slurm would, by a program that prints its arguments.
    fn run_by_shell(folder: &Path, shard: &str) -> String {
        let arguments = ["my suite.toml", "--scale", "smoke"].map(str::to_owned);
        let program = PathBuf::from("/bin/echo");
        let job = Job { name: "my suite", folder, program: &program, arguments: &arguments, of: 4 };
        let script = folder.join("job.sh");
        std::fs::write(&script, job.script()).unwrap();
        let mut command = Command::new("sh");
        command.arg(script).env("SLURM_ARRAY_TASK_ID", shard);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    #[test]
    fn a_task_begins_its_shard_or_resumes_it() {
        let folder = record::made_up::Folder::new("slurm it's");
        let said = run_by_shell(&folder.0, "3");
        let expected = format!(
            "run my suite.toml --scale smoke --quiet --shard 3/4 --results {}/3\n",
            folder.0.display()
        );
        assert_eq!(said, expected);
        let run = folder.0.join("3/20261127T000000Z-my-shard-3-of-4");
        // A folder that was being made when its task was killed does not count.
        std::fs::create_dir_all(run.with_extension("part")).unwrap();
        assert_eq!(run_by_shell(&folder.0, "3"), expected);
        std::fs::create_dir_all(&run).unwrap();
        std::fs::write(run.join("run.json"), "{}").unwrap();
        let said = run_by_shell(&folder.0, "3");
        assert_eq!(said, format!("run --quiet --resume {}\n", run.display()));
    }

    #[test]
    fn the_job_has_a_node_to_itself_and_a_name_without_spaces() {
        let folder = record::made_up::Folder::new("slurm-options");
        let _ = run_by_shell(&folder.0, "1");
        let script = std::fs::read_to_string(folder.0.join("job.sh")).unwrap();
        for line in ["--exclusive", "--requeue", "--job-name=my-suite", "--open-mode=append"] {
            assert!(script.contains(&format!("#SBATCH {line}\n")), "{line}: {script}");
        }
    }
}
