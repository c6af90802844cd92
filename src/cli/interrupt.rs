//! Ctrl-C and its kin: asked once, what is at work ends in good order; asked twice, or where nothing listens, the
//! process ends at once and takes the servers that it started along.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
static WATCHERS: AtomicUsize = AtomicUsize::new(0);

/// While one lives, an interruption is asked for, not done.
#[derive(Debug)]
pub(super) struct Watch(());

/// Listen for interruptions, until the watch is dropped.
pub(super) fn watch() -> Watch {
    WATCHERS.fetch_add(1, Ordering::SeqCst);
    // Fails where the handler is installed already: by the watch before this one.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) || WATCHERS.load(Ordering::SeqCst) == 0 {
            #[cfg(feature = "live")]
            crate::mcp::kill_all();
            std::process::exit(130);
        }
    });
    Watch(())
}

/// Whether somebody has asked for an end.
pub(super) fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHERS.fetch_sub(1, Ordering::SeqCst);
    }
}
