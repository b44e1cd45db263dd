//! The kernel's requests, as FUSE passes them on.
//!
//! Nobody else changes the files, so the kernel may keep what it has read. It passes every write on at once.

use std::ffi::OsStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use crate::change::Change;
use crate::disk::{Disk, Off, State};
use crate::tree::{Inode, Node};

const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// Inode numbers are never used again within a mount.
const GENERATION: Generation = Generation(0);
const BLOCK_BYTES: u32 = 4096;
/// What a program is told of a disk that never fills: 1 TiB.
const BLOCKS: u64 = 1 << 28;

impl From<Off> for Errno {
    fn from(Off: Off) -> Self {
        Self::EIO
    }
}

fn attributes(request: &Request, state: &State, inode: Inode) -> Result<FileAttr, Errno> {
    let (kind, perm, bytes) = match state.live.node(inode).ok_or(Errno::ENOENT)? {
        Node::Folder(_) => (FileType::Directory, 0o700, 0),
        Node::File(bytes) => (FileType::RegularFile, 0o600, bytes.len() as u64),
    };
    Ok(FileAttr {
        ino: INodeNo(inode),
        size: bytes,
        blocks: bytes.div_ceil(512),
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
        blksize: BLOCK_BYTES,
        flags: 0,
    })
}

fn make(
    request: &Request,
    state: &mut State,
    (folder, name): (INodeNo, &OsStr),
    is_folder: bool,
) -> Result<FileAttr, Errno> {
    if state.live.child(folder.0, name).is_some() {
        return Err(Errno::EEXIST);
    }
    let inode = state.make((folder.0, name.to_owned()), is_folder)?;
    attributes(request, state, inode)
}

fn remove(state: &mut State, folder: INodeNo, name: &OsStr, folders: bool) -> Result<(), Errno> {
    let inode = state.live.child(folder.0, name).ok_or(Errno::ENOENT)?;
    match (state.live.names(inode), folders) {
        (None, true) => return Err(Errno::ENOTDIR),
        (Some(_), false) => return Err(Errno::EISDIR),
        (Some(names), true) if !names.is_empty() => return Err(Errno::ENOTEMPTY),
        _ => {}
    }
    Ok(state.change(Change::Remove { at: (folder.0, name.to_owned()) })?)
}

fn entry(reply: ReplyEntry, made: Result<FileAttr, Errno>) {
    match made {
        Ok(attributes) => reply.entry(&FOR_EVER, &attributes, GENERATION),
        Err(error) => reply.error(error),
    }
}

fn done(reply: ReplyEmpty, result: Result<(), Errno>) {
    match result {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

impl Filesystem for Disk {
    fn lookup(&self, request: &Request, folder: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let state = self.lock();
        let found = state.live.child(folder.0, name).ok_or(Errno::ENOENT);
        entry(reply, found.and_then(|inode| attributes(request, &state, inode)));
    }

    fn getattr(&self, request: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match attributes(request, &self.lock(), inode.0) {
            Ok(attributes) => reply.attr(&FOR_EVER, &attributes),
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
        let mut state = self.lock();
        let inode = inode.0;
        let resized = match bytes.filter(|_| state.live.contents(inode).is_some()) {
            Some(bytes) => state.change(Change::Resize { inode, bytes }).map_err(Errno::from),
            None => Ok(()),
        };
        match resized.and_then(|()| attributes(request, &state, inode)) {
            Ok(attributes) => reply.attr(&FOR_EVER, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(
        &self,
        request: &Request,
        folder: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        reply: ReplyEntry,
    ) {
        entry(reply, make(request, &mut self.lock(), (folder, name), true));
    }

    fn create(
        &self,
        request: &Request,
        folder: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        match make(request, &mut self.lock(), (folder, name), false) {
            Ok(made) => {
                let flags = FopenFlags::FOPEN_KEEP_CACHE;
                reply.created(&FOR_EVER, &made, GENERATION, FileHandle(0), flags);
            }
            Err(error) => reply.error(error),
        }
    }

    fn rmdir(&self, _: &Request, folder: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(reply, remove(&mut self.lock(), folder, name, true));
    }

    fn unlink(&self, _: &Request, folder: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(reply, remove(&mut self.lock(), folder, name, false));
    }

    fn rename(
        &self,
        _: &Request,
        folder: INodeNo,
        name: &OsStr,
        new_folder: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let mut state = self.lock();
        if !flags.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        let (from, to) = ((folder.0, name.to_owned()), (new_folder.0, new_name.to_owned()));
        let is_there = state.live.child(folder.0, name).ok_or(Errno::ENOENT);
        let renamed = is_there.and_then(|_| Ok(state.change(Change::Rename { from, to })?));
        done(reply, renamed);
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE);
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: u32,
        _flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let state = self.lock();
        if state.is_on().is_err() {
            return reply.error(Errno::EIO);
        }
        let Some(file) = state.live.contents(inode.0) else { return reply.error(Errno::EISDIR) };
        let first = file.len().min(offset as usize);
        let end = file.len().min(first + bytes as usize);
        reply.data(&file[first..end]);
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let (inode, data) = (inode.0, data.to_vec());
        let written = data.len() as u32;
        match self.lock().change(Change::write(inode, offset, data)) {
            Ok(()) => reply.written(written),
            Err(off) => reply.error(off.into()),
        }
    }

    /// Closing synchronises nothing.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        done(reply, self.lock().synchronise(inode.0).map_err(Errno::from));
    }

    fn fsyncdir(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        done(reply, self.lock().synchronise(inode.0).map_err(Errno::from));
    }

    fn readdir(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let state = self.lock();
        let Some(names) = state.live.names(inode.0) else { return reply.error(Errno::ENOTDIR) };
        for (at, (name, &child)) in names.iter().enumerate().skip(offset as usize) {
            let kind = match state.live.names(child) {
                Some(_) => FileType::Directory,
                None => FileType::RegularFile,
            };
            if reply.add(INodeNo(child), at as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCK_BYTES, 255, BLOCK_BYTES);
    }
}
