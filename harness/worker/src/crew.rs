//! The main thread's hold on its worker threads: a command to all, an answer from each.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::Stop;

/// Worker threads that wait for commands. Dropping it ends them.
pub(super) struct Crew<C, A> {
    commands: Vec<Sender<C>>,
    replies: Sender<Result<A, Stop>>,
    heard: Receiver<Result<A, Stop>>,
}

impl<C, A> Crew<C, A> {
    /// Nobody yet.
    pub(super) fn new() -> Self {
        let (replies, heard) = channel();
        Self { commands: Vec::new(), replies, heard }
    }

    /// The place of one more thread, to be given to it.
    pub(super) fn post(&mut self) -> Post<C, A> {
        let (sender, commands) = channel();
        self.commands.push(sender);
        Post { commands, replies: self.replies.clone() }
    }

    /// Gives every thread a command and hears every answer, in the order they come.
    pub(super) fn all(&mut self, command: impl Fn() -> C) -> Result<Vec<A>, Stop> {
        for sender in &self.commands {
            // A thread that is gone has panicked, and said so.
            let _ = sender.send(command());
        }
        let answer = |_| self.heard.recv().map_err(|_| Stop::failed("a worker thread died"))?;
        self.commands.iter().map(answer).collect()
    }
}

/// One worker thread's place.
pub(super) struct Post<C, A> {
    commands: Receiver<C>,
    replies: Sender<Result<A, Stop>>,
}

impl<C, A> Post<C, A> {
    /// Answers commands until there are no more.
    pub(super) fn serve(self, mut answer: impl FnMut(C) -> A) {
        for command in &self.commands {
            if self.replies.send(Ok(answer(command))).is_err() {
                return;
            }
        }
    }

    /// Says why this thread cannot serve.
    pub(super) fn decline(self, stop: Stop) {
        let _ = self.replies.send(Err(stop));
    }
}

impl<C, A> Drop for Post<C, A> {
    /// Others may be idle: a thread that panics tells the main thread, which waits for an answer.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.replies.send(Err(Stop::failed("a worker thread died")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_answers_and_the_first_to_fail_ends_it() {
        std::thread::scope(|scope| {
            let mut crew = Crew::<u64, u64>::new();
            for thread in 1..=3 {
                let post = crew.post();
                scope.spawn(move || post.serve(|command| command * thread));
            }
            let mut answers = crew.all(|| 10).unwrap();
            answers.sort_unstable();
            assert_eq!(answers, [10, 20, 30]);
            crew.post().decline(Stop::failed("no memory"));
            let Err(Stop::Because { reason, .. }) = crew.all(|| 10) else { panic!("declined") };
            assert_eq!(reason, "no memory");
        });
    }
}
