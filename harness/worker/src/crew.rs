//! Worker threads under command of the main thread: each command goes to all, and each replies.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::Stop;

/// Worker threads that wait for commands. Dropping the crew ends them.
pub(super) struct Crew<C, A> {
    commands: Vec<Sender<C>>,
    replies: Sender<Result<A, Stop>>,
    heard: Receiver<Result<A, Stop>>,
}

impl<C, A> Crew<C, A> {
    /// A crew without threads.
    pub(super) fn new() -> Self {
        let (replies, heard) = channel();
        Self { commands: Vec::new(), replies, heard }
    }

    /// Adds a thread; the returned post is handed to it.
    pub(super) fn post(&mut self) -> Post<C, A> {
        let (sender, commands) = channel();
        self.commands.push(sender);
        Post { commands, replies: self.replies.clone() }
    }

    /// Sends every thread a command and returns the replies, in the order of arrival.
    pub(super) fn all(&mut self, command: impl Fn() -> C) -> Result<Vec<A>, Stop> {
        for sender in &self.commands {
            // A thread that is gone has panicked and reported that.
            let _ = sender.send(command());
        }
        let answer = |_| self.heard.recv().map_err(|_| Stop::failed("a worker thread died"))?;
        self.commands.iter().map(answer).collect()
    }
}

/// One worker thread's end of the channels.
pub(super) struct Post<C, A> {
    commands: Receiver<C>,
    replies: Sender<Result<A, Stop>>,
}

impl<C, A> Post<C, A> {
    /// Executes commands until the crew is dropped.
    pub(super) fn serve(self, mut answer: impl FnMut(C) -> A) {
        for command in &self.commands {
            if self.replies.send(Ok(answer(command))).is_err() {
                return;
            }
        }
    }

    /// Reports why this thread cannot serve.
    pub(super) fn decline(self, stop: Stop) {
        let _ = self.replies.send(Err(stop));
    }
}

impl<C, A> Drop for Post<C, A> {
    /// Reports a panic: the main thread waits for this thread's reply while others may be idle.
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
