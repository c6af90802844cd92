//! Process groups: every server leads one of its own, and is killed with all that is in it. Groups that are alive are
//! known here, so that a process that ends at once (a second Ctrl-C) can take them along.

use std::collections::BTreeSet;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

static ALIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn alive() -> MutexGuard<'static, BTreeSet<u32>> {
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running server with its group. Dropped, it is killed and waited for.
#[derive(Debug)]
pub(super) struct Group(Child);

impl Group {
    /// `child` must lead its group.
    pub fn of(child: Child) -> Group {
        alive().insert(child.id());
        Group(child)
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Before the leader is waited for: its number stays taken until then, so the group is surely ours.
        kill(self.0.id());
        let _ = self.0.kill();
        let _ = self.0.wait();
        alive().remove(&self.0.id());
    }
}

/// Kill every server that is alive, with its children: for a process that is about to end without unwinding.
pub fn kill_all() {
    for leader in alive().iter() {
        kill(*leader);
    }
}

#[cfg(unix)]
fn kill(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(leader).ok().filter(|id| *id > 1).and_then(Pid::from_raw);
    if let Some(group) = group {
        // Fails where nobody of the group is left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_leader: u32) {}
