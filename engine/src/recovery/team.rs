//! A few threads that stay: each owns its share of the work and runs it when told.
//!
//! Rayon would do, but a call from outside its pool queues a job on the heap; a control loop must not
//! allocate in a check. Shares are fixed, so results do not depend on timing.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Work that a thread owns.
pub(super) trait Work: Send + 'static {
    /// Runs once.
    fn run(&mut self);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Go,
    Stop,
}

struct Slot<W> {
    state: Mutex<(Phase, W)>,
    changed: Condvar,
}

impl<W> Slot<W> {
    fn lock(&self) -> MutexGuard<'_, (Phase, W)> {
        // A share whose thread panicked is never `Idle` again and is reported by `run`.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The shares; the first runs on the caller's thread.
pub(super) struct Team<W> {
    slots: Vec<Arc<Slot<W>>>,
    threads: Vec<JoinHandle<()>>,
}

impl<W: Work> Team<W> {
    pub(super) fn new(shares: Vec<W>) -> Self {
        let slots: Vec<Arc<Slot<W>>> = shares
            .into_iter()
            .map(|w| Arc::new(Slot { state: Mutex::new((Phase::Idle, w)), changed: Condvar::new() }))
            .collect();
        let threads = slots.iter().skip(1).map(|slot| spawn(Arc::clone(slot))).collect();
        Self { slots, threads }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Lends one share to `f`.
    pub(super) fn with<T>(&mut self, share: usize, f: impl FnOnce(&mut W) -> T) -> T {
        f(&mut self.slots[share].lock().1)
    }

    /// Runs every share once and waits for all; false when a thread has stopped.
    pub(super) fn run(&mut self) -> bool {
        for slot in self.slots.iter().skip(1) {
            slot.lock().0 = Phase::Go;
            slot.changed.notify_all();
        }
        self.with(0, Work::run);
        let mut whole = true;
        for (slot, thread) in self.slots.iter().skip(1).zip(&self.threads) {
            let mut state = slot.lock();
            while state.0 == Phase::Go && !thread.is_finished() && !slot.state.is_poisoned() {
                state = slot.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            whole &= state.0 == Phase::Idle;
        }
        whole
    }
}

impl<W> Drop for Team<W> {
    fn drop(&mut self) {
        for slot in &self.slots {
            slot.lock().0 = Phase::Stop;
            slot.changed.notify_all();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Wakes whoever waits, also when the share's work panics.
struct Notify<'a>(&'a Condvar);

impl Drop for Notify<'_> {
    fn drop(&mut self) {
        self.0.notify_all();
    }
}

fn spawn<W: Work>(slot: Arc<Slot<W>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        loop {
            let wake = Notify(&slot.changed);
            let mut state = slot.lock();
            while state.0 == Phase::Idle {
                state = slot.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.0 == Phase::Stop {
                return;
            }
            state.1.run();
            state.0 = Phase::Idle;
            drop(state);
            drop(wake);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(u32, bool);

    impl Work for Count {
        fn run(&mut self) {
            assert!(!self.1, "told to fail");
            self.0 += 1;
        }
    }

    #[test]
    fn every_share_runs_once_a_call() {
        let mut team = Team::new((0..5).map(|_| Count(0, false)).collect());
        for _ in 0..100 {
            assert!(team.run());
        }
        for share in 0..team.len() {
            assert_eq!(team.with(share, |w| w.0), 100);
        }
    }

    #[test]
    fn a_stopped_thread_is_reported_not_waited_for() {
        let mut team = Team::new(vec![Count(0, false), Count(0, true)]);
        assert!(!team.run());
        assert!(!team.run());
        assert_eq!(team.with(0, |w| w.0), 2);
    }
}
