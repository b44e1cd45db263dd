//! Starts the clients: processes of this machine, commands that ssh runs, or tasks of Slurm. All are talked
//! to through their standard input and output.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clients::ClientLink;
use record::archive;

use super::super::Failure;
use crate::cli::{ClusterRunArguments, Executor};
use crate::ssh::{Host, Needs, SshError, read_hosts};

/// What the program is asked on the other side.
const CLIENT: [&str; 2] = ["cluster", "client"];
/// How long Slurm may look for free nodes, in seconds.
const SLURM_PATIENCE_S: u32 = 60;

/// Clients that were started. Those that are left are ended with it.
#[derive(Debug)]
pub(super) struct Launched {
    pub(super) links: Vec<ClientLink>,
    children: Vec<Child>,
    hosts: Vec<Host>,
}

impl Launched {
    /// Ends what is left of the clients, here and on hosts.
    pub(super) fn end(mut self) {
        // Without its standard input a client ends by itself.
        self.links.clear();
        for child in &mut self.children {
            let _ = child.wait();
        }
        self.children.clear();
        for host in &self.hosts {
            if let Err(error) = host.remove() {
                eprintln!("left there: {}: {error}", host.place());
            }
        }
    }

    fn add(&mut self, name: String, mut child: Child) {
        let input = child.stdout.take().expect("a pipe");
        let output = child.stdin.take().expect("a pipe");
        let input = Box::new(BufReader::new(input));
        self.links.push(ClientLink { name, input, output: Box::new(output) });
        self.children.push(child);
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that has ended needs neither.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts the clients. Where no file system is shared, they are sent the library.
pub(super) fn launch(
    arguments: &ClusterRunArguments,
    library: Option<&Path>,
) -> Result<Launched, Failure> {
    let launched = Launched { links: Vec::new(), children: Vec::new(), hosts: Vec::new() };
    match arguments.executor {
        None => here(arguments, launched),
        Some(Executor::Slurm) => by_slurm(arguments, launched),
        Some(Executor::Ssh) => by_ssh(arguments, library, launched),
    }
}

fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::internal(format!("finding this program: {error}")))
}

fn here(arguments: &ClusterRunArguments, mut launched: Launched) -> Result<Launched, Failure> {
    let program = program()?;
    for number in 1..=arguments.clients {
        let mut command = Command::new(&program);
        command.args(CLIENT).stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = command
            .spawn()
            .map_err(|error| Failure::internal(format!("starting a client: {error}")))?;
        launched.add(format!("client {number}"), child);
    }
    Ok(launched)
}

/// A step of Slurm for each client, on a node of its own.
fn by_slurm(arguments: &ClusterRunArguments, mut launched: Launched) -> Result<Launched, Failure> {
    let program = program()?;
    for number in 1..=arguments.clients {
        let mut command = Command::new("srun");
        command.args(["--nodes=1", "--ntasks=1", "--exclusive", "--unbuffered", "--quiet"]);
        command.arg(format!("--immediate={SLURM_PATIENCE_S}"));
        command.arg(format!("--job-name=nibble-client-{number}"));
        command.args(&arguments.srun).arg(&program).args(CLIENT);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let child = command.spawn().map_err(|error| {
            Failure::machine(format!(
                "srun does not run ({error}): start this on a machine of the cluster where Slurm's \
                 commands are installed, or use --executor ssh; scripts/slurm-here makes a cluster to try"
            ))
        })?;
        launched.add(format!("task {number}"), child);
    }
    Ok(launched)
}

/// Clients dealt to hosts in turn, each of which is sent this program first, and the library.
fn by_ssh(
    arguments: &ClusterRunArguments,
    library: Option<&Path>,
    mut launched: Launched,
) -> Result<Launched, Failure> {
    let file = arguments.hosts.as_deref().expect("clap requires it");
    let names = read_hosts(file).map_err(|error| Failure::usage(error.to_string()))?;
    let clients = arguments.clients as usize;
    let stamp = format!("{}-clients", archive::stamp());
    let hosts: Vec<Host> =
        names.iter().take(clients).map(|name| Host::new(name, &arguments.ssh, &stamp)).collect();
    if hosts.len() < clients {
        eprintln!(
            "note: {clients} clients share {} hosts, and compete there: more hosts would not",
            hosts.len()
        );
    }
    let program = program()?;
    let needs = Needs::of_this_program();
    let install = |host: &Host| {
        needs.met_by(host)?;
        if let Some(file) = library {
            host.send(file, Path::new(clients::LIBVALKEY_FILE))?;
        }
        host.install(&program).map(|_| ())
    };
    let answers: Vec<Result<(), SshError>> = std::thread::scope(|scope| {
        let asked: Vec<_> = hosts.iter().map(|host| scope.spawn(|| install(host))).collect();
        asked.into_iter().map(|one| one.join().expect("a host's thread")).collect()
    });
    let failed: Vec<String> =
        answers.iter().filter_map(|answer| Some(answer.as_ref().err()?.to_string())).collect();
    if !failed.is_empty() {
        for (host, _) in hosts.iter().zip(&answers).filter(|(_, answer)| answer.is_ok()) {
            // What begins nothing leaves nothing; why it does not begin matters more.
            let _ = host.remove();
        }
        return Err(Failure::machine(format!(
            "{} of {} hosts can be used: {}; mend that, or leave them out of {}",
            hosts.len() - failed.len(),
            hosts.len(),
            failed.join("; "),
            file.display()
        )));
    }
    for number in 0..clients {
        let host = &hosts[number % hosts.len()];
        let child = host.converse(&CLIENT).map_err(|error| Failure::machine(error.to_string()))?;
        launched.add(format!("client {} on {}", number + 1, host.name), child);
    }
    launched.hosts = hosts;
    Ok(launched)
}
