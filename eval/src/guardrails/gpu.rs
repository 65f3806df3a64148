//! Guard 6: nobody else computes on the GPU, or the user takes that on.
//!
//! The host is shared, and a round beside another run measures both. No `nvidia-smi` means no GPU to share. Reference
//! page, section 15.1.

use super::facts::{Asked, GpuFacts};
use super::refusal::Refusal;

/// Refuses a GPU that is in use, unless `force_shared`.
pub fn check(gpu: &Asked<GpuFacts>, force_shared: bool) -> Result<(), Refusal> {
    match gpu {
        _ if force_shared => Ok(()),
        Asked::Unknown(reason) => Err(Refusal::GpuUnknown { reason: reason.clone() }),
        Asked::Answer(gpu) if gpu.processes.is_empty() => Ok(()),
        Asked::Answer(gpu) => Err(Refusal::SharedGpu { processes: gpu.processes.clone() }),
    }
}

/// The name in what `nvidia-smi --query-gpu=name` prints; several GPUs stay several lines.
pub fn name(printed: &str) -> Option<String> {
    let name = printed.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The processes in what `nvidia-smi --query-compute-apps=...` prints: each line that is not blank.
pub fn processes(printed: &str) -> Vec<String> {
    printed.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_processes_refuse_unless_forced() {
        let free = GpuFacts { tool_found: true, name: Some("NVIDIA GB10".to_owned()), processes: Vec::new() };
        assert_eq!(check(&Asked::Answer(free.clone()), false), Ok(()));
        assert_eq!(check(&Asked::Answer(GpuFacts::default()), false), Ok(()));
        let lines = processes("\n  812, python3, 9012 MiB \n\n4711, ollama, [N/A]\n");
        let used = Asked::Answer(GpuFacts { processes: lines, ..free });
        let text = check(&used, false).unwrap_err().to_string();
        assert!(text.contains("812, python3, 9012 MiB; 4711, ollama, [N/A]"), "{text}");
        assert!(text.contains("--force-shared-gpu"), "{text}");
        assert_eq!(check(&used, true), Ok(()));
    }

    #[test]
    fn an_unknown_gpu_is_not_a_free_one() {
        let unknown = Asked::Unknown("nvidia-smi gave no answer within 30 s".to_owned());
        assert!(check(&unknown, false).is_err());
        assert_eq!(check(&unknown, true), Ok(()));
    }

    #[test]
    fn the_name_is_what_is_printed_without_its_edges() {
        assert_eq!(name("NVIDIA GB10\n").as_deref(), Some("NVIDIA GB10"));
        assert_eq!(name("A\nB\n").as_deref(), Some("A\nB"));
        assert_eq!(name(" \n"), None);
    }
}
