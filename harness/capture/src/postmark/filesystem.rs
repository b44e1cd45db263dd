//! Serves the kernel's requests, as FUSE passes them on.
//!
//! The lifetimes of cached entries decide which requests the kernel sends: directory entries and
//! attributes of directories are cached for ever, entries of files never, data never. The effect of a
//! RELEASE is delayed: a stat of a file just closed may find it still open, and cost no GET. PostMark
//! only accesses files that it has open.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::MutexGuard;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crashfs::Mounted;
use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, OpenAccMode, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use workloads::tablefs::{Attributes, FileError, Handle, Inode};

use super::folder::Folder;
use super::state::{Ended, Shared, State, lock};

const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
const NEVER: Duration = Duration::ZERO;
/// Inode numbers are never reused, so each has one generation.
const GENERATION: Generation = Generation(0);

/// Our file system; it answers from `State`.
#[derive(Debug)]
pub(super) struct Files {
    state: Shared,
}

/// Mounts our file system in `folder`, which must outlive the mount.
pub(super) fn mount(state: Shared, folder: &Folder) -> io::Result<Mounted> {
    Mounted::new(Files { state }, &folder.mount_point(), "nibble-postmark")
}

impl Files {
    fn request<T>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T, FileError>,
    ) -> Result<T, Errno> {
        match State::request(&self.state, change) {
            Ok(result) => result.map_err(errno),
            Err(Ended) => Err(Errno::EIO),
        }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn errno(error: FileError) -> Errno {
    match error {
        FileError::NotFound => Errno::ENOENT,
        FileError::Exists => Errno::EEXIST,
        FileError::NotADirectory => Errno::ENOTDIR,
        FileError::IsADirectory => Errno::EISDIR,
        FileError::NotEmpty => Errno::ENOTEMPTY,
        FileError::IntoItself => Errno::EINVAL,
        FileError::Name => Errno::ENAMETOOLONG,
        FileError::TooLarge => Errno::EFBIG,
    }
}

fn attributes(request: &Request, found: Attributes) -> FileAttr {
    let (kind, perm) = match found.is_directory {
        true => (FileType::Directory, 0o700),
        false => (FileType::RegularFile, 0o600),
    };
    FileAttr {
        ino: INodeNo(found.inode.0),
        size: found.bytes,
        blocks: found.bytes.div_ceil(512),
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind,
        perm,
        nlink: 1,
        uid: request.uid(),
        gid: request.gid(),
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

fn empty(reply: ReplyEmpty, result: Result<(), Errno>) {
    match result {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

fn entry(request: &Request, reply: ReplyEntry, result: Result<Attributes, Errno>) {
    match result {
        Ok(found) => {
            let remembered = if found.is_directory { FOR_EVER } else { NEVER };
            let attributes = attributes(request, found);
            reply.entry_with_ttls(&FOR_EVER, &remembered, &attributes, GENERATION);
        }
        // The kernel does not cache a reply without an entry.
        Err(error) => reply.error(error),
    }
}

impl Filesystem for Files {
    fn lookup(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.request(|state| {
            state.files.lookup(Inode(parent.0), name.as_bytes())?.ok_or(FileError::NotFound)
        });
        entry(request, reply, found);
    }

    fn getattr(&self, request: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.request(|state| state.files.stat(Inode(inode.0))) {
            Ok(found) => reply.attr(&FOR_EVER, &attributes(request, found)),
            Err(error) => reply.error(error),
        }
    }

    fn setattr(
        &self,
        request: &Request,
        inode: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        bytes: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let inode = Inode(inode.0);
        let changed = self.request(|state| {
            match bytes {
                Some(bytes) => state.truncate(inode, bytes)?,
                None => state.files.set_attributes(inode)?,
            }
            state.files.attributes(inode).ok_or(FileError::NotFound)
        });
        match changed {
            Ok(found) => reply.attr(&FOR_EVER, &attributes(request, found)),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        reply: ReplyEntry,
    ) {
        let made = self.request(|state| {
            let inode = state.files.mkdir(Inode(parent.0), name.as_bytes())?;
            state.files.attributes(inode).ok_or(FileError::NotFound)
        });
        entry(request, reply, made);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.request(|state| state.files.rmdir(Inode(parent.0), name.as_bytes()));
        empty(reply, removed);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let (parent, name) = (Inode(parent.0), name.as_bytes());
        let removed = self.request(|state| {
            let inode = state.files.child(parent, name)?;
            state.files.unlink(parent, name)?;
            state.counts.deleted += 1;
            inode.into_iter().for_each(|inode| state.forget(inode));
            Ok(())
        });
        empty(reply, removed);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        if !flags.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        let from = (Inode(parent.0), name.as_bytes());
        let to = (Inode(new_parent.0), new_name.as_bytes());
        let renamed = self.request(|state| {
            let replaced = state.files.child(to.0, to.1)?;
            state.files.rename(from, to)?;
            replaced.into_iter().for_each(|inode| state.forget(inode));
            Ok(())
        });
        empty(reply, renamed);
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        let created = self.request(|state| {
            let (inode, handle) = state.files.create(Inode(parent.0), name.as_bytes())?;
            state.counts.created += 1;
            Ok((state.files.attributes(inode).ok_or(FileError::NotFound)?, handle))
        });
        match created {
            Ok((found, handle)) => {
                let (attributes, handle) = (attributes(request, found), FileHandle(handle.0));
                reply.created(&NEVER, &attributes, GENERATION, handle, FopenFlags::FOPEN_DIRECT_IO);
            }
            Err(error) => reply.error(error),
        }
    }

    fn open(&self, _: &Request, inode: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let reads = flags.acc_mode() == OpenAccMode::O_RDONLY;
        let opened = self.request(|state| {
            let handle = state.files.open(Inode(inode.0))?;
            let count = if reads { &mut state.counts.read } else { &mut state.counts.appended };
            *count += 1;
            Ok(handle)
        });
        // A read-only handle has nothing to flush.
        let flags = if reads { FopenFlags::FOPEN_NOFLUSH } else { FopenFlags::empty() };
        match opened {
            Ok(handle) => {
                reply.opened(FileHandle(handle.0), FopenFlags::FOPEN_DIRECT_IO | flags);
            }
            Err(error) => reply.error(error),
        }
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        handle: FileHandle,
        offset: u64,
        bytes: u32,
        _flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.request(|state| state.files.read(Handle(handle.0), offset, bytes.into())) {
            Ok(()) => reply.data(self.locked().contents(Inode(inode.0), offset, bytes as usize)),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let (inode, handle) = (Inode(inode.0), Handle(handle.0));
        match self.request(|state| state.write(inode, handle, offset, data)) {
            Ok(()) => reply.written(data.len() as u32),
            Err(error) => reply.error(error),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, handle: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        empty(reply, self.request(|state| state.files.flush(Handle(handle.0))));
    }

    fn fsync(&self, _: &Request, _: INodeNo, handle: FileHandle, _: bool, reply: ReplyEmpty) {
        empty(reply, self.request(|state| state.files.flush(Handle(handle.0))));
    }

    fn release(
        &self,
        _: &Request,
        inode: INodeNo,
        handle: FileHandle,
        _flags: OpenFlags,
        _: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        let released = self.request(|state| {
            state.files.release(Handle(handle.0))?;
            state.forget(Inode(inode.0));
            Ok(())
        });
        empty(reply, released);
    }

    fn readdir(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let state = self.locked();
        let entries = match state.files.entries(Inode(inode.0)) {
            Ok(entries) => entries,
            Err(error) => return reply.error(errno(error)),
        };
        for (at, (name, child)) in entries.into_iter().enumerate().skip(offset as usize) {
            let found = state.files.attributes(child);
            let kind = match found.is_some_and(|found| found.is_directory) {
                true => FileType::Directory,
                false => FileType::RegularFile,
            };
            if reply.add(INodeNo(child.0), at as u64 + 1, kind, OsStr::from_bytes(name)) {
                break;
            }
        }
        reply.ok();
    }
}
