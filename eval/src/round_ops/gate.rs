//! Waits for the readiness line of a deploy log; what counts is decided in [`super::readiness`].
//!
//! Reference page, section 15.5. The log may not be there yet. It is read before the deploy is asked whether it lives, so
//! that the last words of one that has ended count. What was read is not read again.

use super::readiness::{Gate, ReadinessScan};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// Read at once, bytes.
const CHUNK: usize = 64 << 10;

/// Waits until the line is there, the deploy has ended or `limit` is over; looks every `period`.
///
/// # Errors
/// Reading the log, where it is there.
pub fn wait(
    log: &Path,
    mut deploy_alive: impl FnMut() -> bool,
    limit: Duration,
    period: Duration,
) -> io::Result<Gate> {
    let began = Instant::now();
    let mut scan = ReadinessScan::default();
    let mut file = None;
    loop {
        if file.is_none() {
            file = match File::open(log) {
                Ok(file) => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
        }
        if let Some(file) = &mut file {
            read_on(file, &mut scan)?;
        }
        match scan.gate(deploy_alive(), began.elapsed().as_secs_f64(), limit.as_secs_f64()) {
            Gate::Waiting => std::thread::sleep(period.min(limit.saturating_sub(began.elapsed()))),
            decided => return Ok(decided),
        }
    }
}

fn read_on(file: &mut File, scan: &mut ReadinessScan) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => scan.feed(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test writes the log of a deploy")]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(300);
    const PERIOD: Duration = Duration::from_millis(10);

    #[test]
    fn g12_a_line_that_is_not_there_is_waited_for_and_one_that_is_there_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("run_deploy.log");
        std::fs::write(&log, "  argv: ros2 launch x\n").unwrap();
        let began = Instant::now();
        assert_eq!(wait(&log, || true, LIMIT, PERIOD).unwrap(), Gate::Missing);
        assert!(began.elapsed() >= LIMIT);
        std::fs::write(
            &log,
            "  argv: x\n  dds_transport_ready: rmw=x shm_purged=41 shm_kept_live=2\n[a-1] up\n",
        )
        .unwrap();
        let line = "dds_transport_ready: rmw=x shm_purged=41 shm_kept_live=2".to_owned();
        assert_eq!(wait(&log, || true, LIMIT, PERIOD).unwrap(), Gate::Ready(line));
    }

    #[test]
    fn g13_a_deploy_that_has_ended_without_a_log_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let began = Instant::now();
        let gate =
            wait(&folder.path().join("run_deploy.log"), || false, Duration::from_mins(5), PERIOD).unwrap();
        assert_eq!(gate, Gate::Missing);
        assert!(began.elapsed() < Duration::from_secs(100));
    }

    #[test]
    fn a_line_that_comes_while_waiting_is_found_and_last_words_count() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("run_deploy.log");
        let mut asked = 0;
        // The first look finds no log; the deploy then writes its line and ends.
        let alive = || {
            asked += 1;
            if asked == 1 {
                std::fs::write(&log, "dds_transport_ready: rmw=x shm_purged=0").unwrap();
            }
            asked == 1
        };
        let gate = wait(&log, alive, Duration::from_mins(5), PERIOD).unwrap();
        assert_eq!(gate, Gate::Ready("dds_transport_ready: rmw=x shm_purged=0".to_owned()));
    }

    #[test]
    fn a_log_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(wait(folder.path(), || true, LIMIT, PERIOD).is_err());
    }
}
