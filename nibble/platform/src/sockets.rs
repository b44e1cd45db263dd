//! Messages between processes of one machine, which may carry a descriptor each.
//!
//! A socket keeps messages apart and in order (`SOCK_SEQPACKET`). Its name is abstract: it lies in no
//! folder, and is gone with the process that listens, however that ends. Whoever knows the name may
//! connect; the kernel tells who that is.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::sockopt::socket_peercred;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
    accept_with, bind, connect, listen, recvmsg, sendmsg, socket_with,
};

/// Longest message in bytes.
pub const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Connections that wait to be accepted.
const BACKLOG: i32 = 128;

/// Who is at the other end of a connection, as the kernel knew it when it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its process.
    pub pid: u32,
    /// Its user.
    pub uid: u32,
    /// Its primary group.
    pub gid: u32,
}

/// What others connect to.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
}

impl Listener {
    /// Listens under a name of this machine.
    ///
    /// # Errors
    /// `AddrInUse` if somebody else has the name; the system's error.
    pub fn bind(name: &str) -> io::Result<Self> {
        let socket = unconnected()?;
        bind(&socket, &SocketAddrUnix::new_abstract_name(name.as_bytes())?)?;
        listen(&socket, BACKLOG)?;
        Ok(Self { socket })
    }

    /// One that another process has made, by its descriptor.
    #[must_use]
    pub fn received(socket: OwnedFd) -> Self {
        Self { socket }
    }

    /// Its descriptor, for another process.
    #[must_use]
    pub fn into_descriptor(self) -> OwnedFd {
        self.socket
    }

    /// Waits for the next connection.
    ///
    /// # Errors
    /// The system's error.
    pub fn accept(&self) -> io::Result<Channel> {
        let socket = retry_on_intr(|| accept_with(&self.socket, SocketFlags::CLOEXEC))?;
        Ok(Channel { socket })
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A connection.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
}

/// What came: a message, perhaps with a descriptor.
pub type Received = (Vec<u8>, Option<OwnedFd>);

impl Channel {
    /// Connects to who listens under `name`.
    ///
    /// # Errors
    /// `ConnectionRefused` if nobody does; the system's error.
    pub fn connect(name: &str) -> io::Result<Self> {
        let socket = unconnected()?;
        connect(&socket, &SocketAddrUnix::new_abstract_name(name.as_bytes())?)?;
        Ok(Self { socket })
    }

    /// Who is at the other end.
    ///
    /// # Errors
    /// The system's error.
    pub fn peer(&self) -> io::Result<Peer> {
        let known = socket_peercred(&self.socket)?;
        let pid = known.pid.as_raw_nonzero().get().cast_unsigned();
        Ok(Peer { pid, uid: known.uid.as_raw(), gid: known.gid.as_raw() })
    }

    /// Sends a message. It does not wait for a peer that reads nothing.
    ///
    /// # Errors
    /// `InvalidInput` if the message is empty or longer than [`MESSAGE_BYTES_MAX`]; `WouldBlock` if the
    /// peer has not read what was sent before; the system's error.
    pub fn send(&self, message: &[u8], descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
        if message.is_empty() || message.len() > MESSAGE_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a message of {} bytes: 1 to {MESSAGE_BYTES_MAX}", message.len()),
            ));
        }
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut room);
        let descriptors = descriptor.as_slice();
        if !descriptors.is_empty() {
            let fits = control.push(SendAncillaryMessage::ScmRights(descriptors));
            assert!(fits, "room for one descriptor");
        }
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let message = [IoSlice::new(message)];
        retry_on_intr(|| sendmsg(&self.socket, &message, &mut control, flags))?;
        Ok(())
    }

    /// Waits for the next message; `None` if the other end is closed.
    ///
    /// # Errors
    /// `InvalidData` for a message longer than [`MESSAGE_BYTES_MAX`]; the system's error.
    pub fn receive(&self) -> io::Result<Option<Received>> {
        let mut message = vec![0; MESSAGE_BYTES_MAX];
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut room);
        let came = loop {
            let mut into = [IoSliceMut::new(&mut message)];
            match recvmsg(&self.socket, &mut into, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Err(Errno::INTR) => {}
                // The peer ended before it read what was sent to it.
                Err(Errno::CONNRESET) => return Ok(None),
                other => break other?,
            }
        };
        if came.bytes == 0 {
            return Ok(None);
        }
        if came.flags.contains(ReturnFlags::TRUNC) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a message longer than {MESSAGE_BYTES_MAX} bytes"),
            ));
        }
        message.truncate(came.bytes);
        let mut descriptors = control.drain().filter_map(|part| match part {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        });
        Ok(Some((message, descriptors.next().and_then(|mut descriptors| descriptors.next()))))
    }

    /// Whether the other end is closed, which it is when its process is dead: the kernel closes what a
    /// process had open after it took its memory away.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let mut polled = [PollFd::new(&self.socket, PollFlags::RDHUP)];
        let looked = retry_on_intr(|| poll(&mut polled, Some(&Timespec::default())));
        let ended = PollFlags::HUP | PollFlags::RDHUP | PollFlags::ERR;
        looked.is_ok() && polled[0].revents().intersects(ended)
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn unconnected() -> io::Result<OwnedFd> {
    let (family, kind) = (AddressFamily::UNIX, SocketType::SEQPACKET);
    Ok(socket_with(family, kind, SocketFlags::CLOEXEC, None)?)
}

/// Waits until one of them has a message, a connection or an end; says which have.
///
/// # Errors
/// The system's error.
pub fn wait_readable(all: &[BorrowedFd<'_>]) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> =
        all.iter().map(|one| PollFd::new(one, PollFlags::IN)).collect();
    retry_on_intr(|| poll(&mut polled, None))?;
    Ok(polled.iter().map(|one| !one.revents().is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pages;
    use crate::mapping::PAGE_BYTES;
    use crate::segments::Segment;

    fn pair(test: &str) -> (Channel, Channel) {
        let name = format!("nibble-test.{test}.{}", std::process::id());
        let listener = Listener::bind(&name).unwrap();
        let refused = Listener::bind(&name).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AddrInUse);
        let client = Channel::connect(&name).unwrap();
        (client, listener.accept().unwrap())
    }

    #[test]
    fn messages_keep_their_ends_and_carry_descriptors() {
        let (one, two) = pair("messages");
        let segment = Segment::resident(PAGE_BYTES, Pages::Small).unwrap();
        one.send(b"first", None).unwrap();
        one.send(&[7; MESSAGE_BYTES_MAX], Some(segment.descriptor().unwrap().as_fd())).unwrap();
        assert_eq!(wait_readable(&[one.as_fd(), two.as_fd()]).unwrap(), [false, true]);
        let (message, descriptor) = two.receive().unwrap().unwrap();
        assert!(message == b"first" && descriptor.is_none());
        let (message, descriptor) = two.receive().unwrap().unwrap();
        assert_eq!(message, [7; MESSAGE_BYTES_MAX]);
        let received = Segment::received(descriptor.unwrap(), Pages::Small).unwrap();
        assert_eq!(received.bytes(), PAGE_BYTES);
    }

    #[test]
    fn the_kernel_tells_who_it_is_and_that_it_ended() {
        let (one, two) = pair("ends");
        assert_eq!(two.peer().unwrap().pid, std::process::id());
        assert!(!two.is_closed());
        one.send(b"last", None).unwrap();
        drop(one);
        assert!(two.is_closed());
        assert_eq!(two.receive().unwrap().unwrap().0, b"last");
        assert!(two.receive().unwrap().is_none());
        assert_eq!(two.send(b"late", None).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        let (one, _two) = pair("refused");
        for message in [&[][..], &[0; MESSAGE_BYTES_MAX + 1]] {
            assert_eq!(one.send(message, None).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        // Whoever reads nothing is not waited for.
        let full = (0..10_000).find_map(|_| one.send(&[1; 4096], None).err()).unwrap();
        assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
        let nobody = Channel::connect("nibble-test.nobody").unwrap_err();
        assert_eq!(nobody.kind(), io::ErrorKind::ConnectionRefused);
    }
}
