//! A host, and what is done there: the program is copied to it, a shard is measured, its run is fetched.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use builds::About;
use record::archive::LAST_OF_CELL;

use super::error::SshError;
use super::processor::Processor;
use crate::environment::NODE;
use crate::shard_script::begin_or_resume;
use crate::shell::quoted;

/// Options of ours. `ssh` takes the first that it is given, so the user's stand before them.
const OPTIONS: [&str; 5] = [
    "-T",
    // Nobody is there to answer.
    "-oBatchMode=yes",
    "-oConnectTimeout=5",
    // A host that is gone is noticed within 15 s, rather than never.
    "-oServerAliveInterval=5",
    "-oServerAliveCountMax=3",
];

/// The program's name on hosts.
const PROGRAM: &str = "nibble-bench";

/// A host, and the folder for one sweep on it.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// As `ssh` takes it.
    pub(crate) name: String,
    /// Options of `ssh` that the user passes on.
    options: Vec<String>,
    /// From the home folder. Several hosts may share that, so the host's name is in it.
    folder: String,
}

/// A shard that a host measures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShardTask<'a> {
    pub(crate) shard: u32,
    pub(crate) of: u32,
    /// The arguments of `run`, without shard and folder.
    pub(crate) arguments: &'a [String],
}

impl Host {
    pub(crate) fn new(name: &str, options: &[String], sweep: &str) -> Self {
        let plain: String = name
            .chars()
            .map(
                |letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' },
            )
            .collect();
        let folder = format!(".nibble-bench/{sweep}/{plain}");
        Self { name: name.to_owned(), options: options.to_vec(), folder }
    }

    /// Asks what its processor is. This is the first that it is asked.
    pub(crate) fn processor(&self) -> Result<Processor, SshError> {
        let answer = self.ask("asking for its processor", Processor::COMMAND, Stdio::null())?;
        Processor::read(&answer).ok_or_else(|| SshError::Answer {
            host: self.name.clone(),
            text: answer.lines().next().unwrap_or_default().to_owned(),
        })
    }

    /// Copies a file into the sweep's folder, to a path from there.
    pub(crate) fn send(&self, file: &Path, to: &Path) -> Result<(), SshError> {
        let text = File::open(file).map_err(|error| self.here(file, &error))?;
        let within = Path::new(&self.folder).join(to.parent().unwrap_or(Path::new("")));
        let within = quoted(&within.display().to_string());
        // It is there whole or not at all; and a program that still runs is not written to.
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        let (part, name) = (quoted(&format!("{name}.part")), quoted(&name));
        let script = format!(
            "mkdir -p {within} && cd {within} && cat >{part} && chmod 755 {part} && mv {part} {name}"
        );
        self.ask("copying to it", &script, Stdio::from(text)).map(|_| ())
    }

    /// Copies the program, and asks it what it sees there.
    pub(crate) fn install(&self, program: &Path) -> Result<About, SshError> {
        self.send(program, Path::new(PROGRAM))?;
        let script = format!("cd {} && ./{PROGRAM} about --json", quoted(&self.folder));
        let answer = self.ask("starting the program", &script, Stdio::null())?;
        let last = answer.lines().last().unwrap_or_default();
        serde_json::from_str(last)
            .map_err(|_| SshError::Answer { host: self.name.clone(), text: last.to_owned() })
    }

    /// Measures a shard from its beginning, or from where its rows end, and tells the number of its cells
    /// every second. Once `is_enough` the shard is stopped, as by Ctrl-C.
    pub(crate) fn measure(
        &self,
        task: ShardTask<'_>,
        is_enough: &dyn Fn() -> bool,
        mut tell: impl FnMut(usize),
    ) -> Result<(), SshError> {
        const ASKED: &str = "measuring";
        let mut ssh = self.start(&self.script(task), Stdio::piped())?;
        // Where this is closed, be it because this process was killed, the shard is stopped.
        let mut alive = ssh.stdin.take();
        let lines = BufReader::new(ssh.stdout.take().expect("a pipe")).lines();
        for line in lines.map_while(Result::ok) {
            if let Ok(cells) = line.trim().parse() {
                tell(cells);
            }
            if is_enough() {
                drop(alive.take());
            }
        }
        drop(alive);
        self.ended(ASKED, ssh, Vec::new()).map(|_| ())
    }

    /// Fetches the run of a shard, and what was said while it was measured, to `folder/SHARD` and
    /// `folder/SHARD.log`.
    pub(crate) fn fetch(&self, shard: u32, folder: &Path) -> Result<(), SshError> {
        let (log, part) = (format!("{shard}.log"), folder.join(format!("{shard}.part")));
        let fail = |error: std::io::Error| self.here(folder, &error);
        if part.exists() {
            fs::remove_dir_all(&part).map_err(fail)?;
        }
        fs::create_dir_all(&part).map_err(fail)?;
        let folder_there = quoted(&self.folder);
        let script =
            format!("cd {folder_there} && rm -f {shard}/traces && tar -cf - {shard} {log}");
        let mut ssh = self.start(&script, Stdio::null())?;
        let archive = ssh.stdout.take().expect("a pipe");
        let unpacked = Command::new("tar").arg("-xf-").arg("-C").arg(&part).stdin(archive).output();
        self.ended("fetching", ssh, Vec::new())?;
        let unpacked = unpacked.map_err(fail)?;
        if !unpacked.status.success() {
            let reason = format!("tar: {}", String::from_utf8_lossy(&unpacked.stderr).trim());
            return Err(SshError::Here { host: self.name.clone(), reason });
        }
        let run = folder.join(shard.to_string());
        if run.exists() {
            // What another host measured before it was lost or failed.
            fs::remove_dir_all(&run).map_err(fail)?;
        }
        for name in [log, shard.to_string()] {
            fs::rename(part.join(&name), folder.join(&name)).map_err(fail)?;
        }
        fs::remove_dir_all(&part).map_err(fail)
    }

    /// Removes what the sweep left there.
    pub(crate) fn remove(&self) -> Result<(), SshError> {
        let sweep = self.folder.rsplit_once('/').map_or("", |(sweep, _)| sweep);
        let script = format!(
            "rm -rf {} && {{ rmdir {} .nibble-bench 2>/dev/null; true; }}",
            quoted(&self.folder),
            quoted(sweep)
        );
        self.ask("removing the sweep's folder", &script, Stdio::null()).map(|_| ())
    }

    /// Runs the program with these arguments; what it reads and says goes through the child's pipes. What
    /// it complains of goes where this process complains.
    pub(crate) fn converse(&self, arguments: &[&str]) -> Result<Child, SshError> {
        let folder = quoted(&self.folder);
        let script = format!("cd {folder} && exec ./{PROGRAM} {}", arguments.join(" "));
        self.start_with(&script, Stdio::piped(), Stdio::inherit())
    }

    /// Where that is, for people.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.name, self.folder)
    }

    /// Measures a shard in the background. Meanwhile it prints how many cells are whole, and looks whether
    /// anybody still follows: nobody would fetch what is measured for nobody.
    fn script(&self, task: ShardTask<'_>) -> String {
        let ShardTask { shard, of, arguments } = task;
        format!(
            "cd {folder} || exit\n\
             {NODE}={name}; export {NODE}\n\
             shard={shard}; results={shard}\n\
             [ ! -d traces ] || {{ mkdir -p $results && ln -sfn ../traces $results/traces; }}\n\
             exec 3<&0\n\
             (\n{measure}) >>{shard}.log 2>&1 </dev/null 3<&- &\n\
             run=$!\n\
             (cat <&3; kill -TERM $run) >/dev/null 2>&1 &\n\
             watch=$!\n\
             while kill -0 $run 2>/dev/null; do\n  \
               cat {shard}/*/rows.jsonl 2>/dev/null | grep -c {last}\n  \
               sleep 1\n\
             done\n\
             wait $run\n\
             code=$?\n\
             kill $watch 2>/dev/null\n\
             [ $code = 0 ] || tail -n 3 {shard}.log >&2\n\
             exit $code\n",
            folder = quoted(&self.folder),
            name = quoted(&self.name),
            measure = begin_or_resume(&format!("./{PROGRAM}"), arguments, of),
            last = quoted(LAST_OF_CELL),
        )
    }

    fn start(&self, script: &str, input: Stdio) -> Result<Child, SshError> {
        self.start_with(script, input, Stdio::piped())
    }

    fn start_with(&self, script: &str, input: Stdio, complaints: Stdio) -> Result<Child, SshError> {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("ssh");
        command.args(&self.options).args(OPTIONS).arg(&self.name);
        // Whatever shell a login starts there.
        command.arg(format!("sh -c {}", quoted(script)));
        command.stdin(input).stdout(Stdio::piped()).stderr(complaints);
        // Ctrl-C is for this process, which then stops the shard.
        command.process_group(0);
        command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => SshError::Missing,
            _ => self.here(Path::new("ssh"), &error),
        })
    }

    fn ask(&self, asked: &'static str, script: &str, input: Stdio) -> Result<String, SshError> {
        let mut ssh = self.start(script, input)?;
        let mut answer = Vec::new();
        let read = ssh.stdout.take().expect("a pipe").read_to_end(&mut answer);
        let answer = self.ended(asked, ssh, answer)?;
        read.map_err(|error| self.here(Path::new("ssh"), &error))?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Waits for the end of `ssh`, of whose output all is read.
    fn ended(&self, asked: &'static str, ssh: Child, answer: Vec<u8>) -> Result<Vec<u8>, SshError> {
        let output = ssh.wait_with_output().map_err(|error| self.here(Path::new("ssh"), &error))?;
        match output.status.success() {
            true => Ok(answer),
            false => Err(SshError::of(&self.name, asked, &Output { stdout: answer, ..output })),
        }
    }

    fn here(&self, what: &Path, error: &std::io::Error) -> SshError {
        let reason = format!("{}: {error}", what.display());
        SshError::Here { host: self.name.clone(), reason }
    }
}
