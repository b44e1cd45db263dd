//! A thread that starts the servers and then sleeps. The kernel kills the servers when this thread
//! ends. So they outlive neither the store nor the process, whichever thread opened the store and
//! however the process ends.

use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use platform::cpu;

/// The keeper's single message: the servers it started.
type Started = io::Result<Vec<Child>>;

/// Keeps servers alive until it is dropped.
#[derive(Debug)]
pub struct Keeper {
    /// Nothing is ever sent; the thread ends when this is dropped.
    hold: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts all commands or none. If they are pinned, each goes to a core in turn, from the last
    /// core downwards, because workers are bound from the first core upwards.
    ///
    /// # Errors
    /// The system's error, for the first command that does not start.
    pub fn start(commands: Vec<Command>, pin: bool) -> io::Result<(Self, Vec<Child>)> {
        let (hold, held) = channel();
        let (said, heard) = channel();
        let thread = Builder::new()
            .name("servers' keeper".to_owned())
            .spawn(move || keep(commands, pin, &said, &held))?;
        let keeper = Self { hold: Some(hold), thread: Some(thread) };
        let children = heard.recv().map_err(|_| io::Error::other("the keeper died"))??;
        Ok((keeper, children))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.hold.take());
        if let Some(thread) = self.thread.take() {
            // The thread does nothing that panics.
            let _ = thread.join();
        }
    }
}

fn keep(commands: Vec<Command>, pin: bool, said: &Sender<Started>, held: &Receiver<()>) {
    let cores = cpu::allowed_cores();
    let mut children = Vec::with_capacity(commands.len());
    for (number, mut command) in commands.into_iter().enumerate() {
        if pin {
            // Children inherit the binding. If the machine does not permit it, they run unpinned.
            let _ = cpu::pin_to(cores[cores.len() - 1 - number % cores.len()]);
        }
        platform::process::bind_to_parent(&mut command);
        match command.spawn() {
            Ok(child) => children.push(child),
            Err(error) => {
                children.iter_mut().for_each(end);
                // The opener waits for this message.
                let _ = said.send(Err(error));
                return;
            }
        }
    }
    let _ = said.send(Ok(children));
    let _ = held.recv();
}

/// Kills a server and waits until it is gone.
pub(crate) fn end(child: &mut Child) {
    // Fails if the server has already ended, which is fine.
    let _ = child.kill();
    let _ = child.wait();
}
