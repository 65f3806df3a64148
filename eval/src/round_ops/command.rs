//! The command that launches a scene.
//!
//! ```text
//! <launcher> deploy sim --config <scene copy> <stack tokens> <tokens of --deploy-arg> [--robot <id>]
//! ```
//!
//! Reference page, sections 1.2 and 15.2. Nothing is refused here: the argv guard looks at every token.

/// The stack of the matrix, as far as flags express it; the reasoner has none and is pinned in the scene copy.
pub const STACK_ARGV: [&str; 9] = [
    "--enable-slam",
    "--enable-nav2",
    "--enable-octomap",
    "--enable-octomap-kernel-check",
    "--no-object-detector",
    "--no-enable-scene-vlm",
    "--no-dashboard",
    "--hal",
    "viewer_enabled=false",
];

/// Where rounds are written, below the checkout.
pub const OUTPUT_ROOT: &str = "outputs/validation-matrix";

/// All tokens of the command.
pub fn deploy_argv(launcher: &str, config: &str, deploy_args: &[String], robot: Option<&str>) -> Vec<String> {
    let head = [launcher, "deploy", "sim", "--config", config];
    let robot = robot.map(|robot| ["--robot", robot]);
    head.into_iter()
        .chain(STACK_ARGV)
        .chain(deploy_args.iter().map(String::as_str))
        .chain(robot.into_iter().flatten())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guardrails::safety_argv;

    #[test]
    fn g02_the_nine_stack_tokens_are_accepted() {
        assert_eq!(STACK_ARGV.len(), 9);
        assert_eq!(safety_argv::check(STACK_ARGV), Ok(()));
    }

    #[test]
    fn the_tokens_stand_in_the_order_of_the_command() {
        let argv = deploy_argv(
            "/w/.venv/bin/openral",
            "c.yaml",
            &["--slam-backend".into(), "lidar".into()],
            Some("panda"),
        );
        assert_eq!(argv[..5], ["/w/.venv/bin/openral", "deploy", "sim", "--config", "c.yaml"]);
        assert_eq!(argv[5..14], STACK_ARGV);
        assert_eq!(argv[14..], ["--slam-backend", "lidar", "--robot", "panda"]);
        assert_eq!(deploy_argv("l", "c", &[], None).len(), 14);
    }
}
