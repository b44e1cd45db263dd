//! Runs of commands with all that goes around them: set-up, warm-up, preparation, clean-up.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

use stats::median;

use crate::parameters::with_text;
use crate::{Command, Ending, Failure, Ignored, Input, Launch, Output, Run, Shell, run};

/// Runs of a shell that does nothing, by which its own time is known.
const SHELL_RUNS: usize = 20;

/// How commands are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The shell that reads the commands; none executes them as they are.
    pub shell: Option<Shell>,
    pub environment: Vec<(OsString, OsString)>,
    pub input: Input,
    pub output: Output,
    pub timeout: Duration,
    pub ignored: Ignored,
    /// Runs of each command that are not measured.
    pub warm_up: u32,
    /// Lines for a shell: once before the runs of each command, and once after all.
    pub set_up: Option<String>,
    pub clean_up: Option<String>,
    /// Lines for a shell around each run: one for all commands, or one for each.
    pub prepare: Vec<String>,
    pub conclude: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shell: None,
            environment: Vec::new(),
            input: Input::Null,
            output: Output::Null,
            timeout: Duration::from_secs(600),
            ignored: Ignored::Nothing,
            warm_up: 0,
            set_up: None,
            clean_up: None,
            prepare: Vec::new(),
            conclude: Vec::new(),
        }
    }
}

/// Commands that are run again and again.
pub struct Session<'a> {
    settings: &'a Settings,
    stop: &'a (dyn Fn() -> bool + Sync),
    /// What the shell itself takes: elapsed, user and system time, ns.
    shell_ns: [u64; 3],
    /// What happened that a reader should know, with how often.
    notes: BTreeMap<String, u32>,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").field("settings", self.settings).finish_non_exhaustive()
    }
}

impl<'a> Session<'a> {
    /// Opens a session; with a shell, measures what that takes by itself.
    ///
    /// # Errors
    /// A shell that cannot be started, or fails.
    pub fn open(
        settings: &'a Settings,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Self, Failure> {
        let mut session = Self { settings, stop, shell_ns: [0; 3], notes: BTreeMap::new() };
        if let Some(shell) = &settings.shell {
            let words = shell.words(OsStr::new(""));
            let name = format!("the shell {}", shell.0.to_string_lossy());
            let mut runs = Vec::new();
            for _ in 0..SHELL_RUNS {
                let run = session.start(&words, &[])?;
                runs.push(checked(run, &name, "empty run", &Ignored::Nothing)?);
            }
            let of = |time: fn(&Run) -> u64| {
                let times: Vec<f64> = runs.iter().map(|run| time(run) as f64).collect();
                median(&times).unwrap_or(0.0) as u64
            };
            session.shell_ns =
                [of(|run| run.elapsed_ns), of(|run| run.user_ns), of(|run| run.system_ns)];
            session.note(format!(
                "the shell itself takes {:.2} ms, which is subtracted from every run",
                session.shell_ns[0] as f64 / 1e6
            ));
        }
        Ok(session)
    }

    /// What a reader should know, and how often it happened.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let told = |(note, times): (&String, &u32)| match times {
            1 => note.clone(),
            times => format!("{note} ({times} times)"),
        };
        self.notes.iter().map(told).collect()
    }

    /// Notes once more that this happened.
    pub fn note(&mut self, note: impl Into<String>) {
        *self.notes.entry(note.into()).or_default() += 1;
    }

    /// Sets the command up, and warms it up. `place` is its place among all, `environment` is added to
    /// that of the settings.
    ///
    /// # Errors
    /// What cannot be started, and what fails.
    pub fn begin(
        &mut self,
        command: &Command,
        place: usize,
        environment: &[(OsString, OsString)],
    ) -> Result<(), Failure> {
        self.line(self.settings.set_up.as_ref(), command, "set-up")?;
        for number in 1..=self.settings.warm_up {
            self.once(command, place, environment, &format!("warm-up run {number}"))?;
        }
        Ok(())
    }

    /// One run, with what prepares and concludes it. `environment` is added to that of the settings.
    ///
    /// # Errors
    /// What cannot be started, and what ends in a way that is not ignored.
    pub fn measure(
        &mut self,
        command: &Command,
        place: usize,
        environment: &[(OsString, OsString)],
        number: usize,
    ) -> Result<Run, Failure> {
        let mut run = self.once(command, place, environment, &format!("run {number}"))?;
        let [elapsed, user, system] = self.shell_ns;
        run.elapsed_ns = run.elapsed_ns.saturating_sub(elapsed);
        run.user_ns = run.user_ns.saturating_sub(user);
        run.system_ns = run.system_ns.saturating_sub(system);
        if !run.ending.is_success() {
            self.note(format!("{}: ended with {}, which is ignored", command.name, run.ending));
        }
        if !run.left.is_empty() {
            let mut names = run.left.clone();
            names.sort_unstable();
            names.dedup();
            self.note(format!(
                "{}: left processes running, which were ended: {}",
                command.name,
                names.join(", ")
            ));
        }
        Ok(run)
    }

    /// Cleans up after the last run of a command.
    ///
    /// # Errors
    /// What cannot be started, and what fails.
    pub fn end(&mut self, command: &Command) -> Result<(), Failure> {
        self.line(self.settings.clean_up.as_ref(), command, "clean-up")
    }

    fn once(
        &mut self,
        command: &Command,
        place: usize,
        environment: &[(OsString, OsString)],
        when: &str,
    ) -> Result<Run, Failure> {
        self.line(of_place(&self.settings.prepare, place), command, "preparation")?;
        let run = self.start(&command.executed(self.settings.shell.as_ref()), environment)?;
        let run = checked(run, &command.name, when, &self.settings.ignored)?;
        self.line(of_place(&self.settings.conclude, place), command, "conclusion")?;
        Ok(run)
    }

    fn start(
        &self,
        words: &[OsString],
        environment: &[(OsString, OsString)],
    ) -> Result<Run, Failure> {
        let environment = [&self.settings.environment[..], environment].concat();
        run(Launch {
            words,
            environment: &environment,
            input: &self.settings.input,
            output: &self.settings.output,
            timeout: self.settings.timeout,
            servers_stay: false,
            stop: self.stop,
        })
    }

    /// Runs a line around the measurements. A server that it starts may stay.
    fn line(&self, line: Option<&String>, command: &Command, what: &str) -> Result<(), Failure> {
        let Some(line) = line else { return Ok(()) };
        let line = with_text(line, &command.parameters);
        let default = Shell("sh".into());
        let shell = self.settings.shell.as_ref().unwrap_or(&default);
        let shown = match &self.settings.output {
            Output::Inherit | Output::Shown => self.settings.output.clone(),
            _ => Output::Null,
        };
        let ended = run(Launch {
            words: &shell.words(line.as_ref()),
            environment: &self.settings.environment,
            input: &Input::Null,
            output: &shown,
            timeout: self.settings.timeout,
            servers_stay: true,
            stop: self.stop,
        })?;
        checked(ended, &command.name, &format!("{what} `{line}`"), &Ignored::Nothing).map(drop)
    }
}

/// The line of a command, where each has its own; else that of all.
fn of_place(lines: &[String], place: usize) -> Option<&String> {
    if lines.len() == 1 { lines.first() } else { lines.get(place) }
}

fn checked(run: Run, name: &str, when: &str, ignored: &Ignored) -> Result<Run, Failure> {
    if run.ending == Ending::Stopped {
        return Err(Failure::Stopped);
    }
    if ignored.accepts(run.ending) {
        return Ok(run);
    }
    let (name, when) = (name.to_owned(), when.to_owned());
    Err(Failure::Failed { name, when, ending: run.ending, said: run.said })
}
