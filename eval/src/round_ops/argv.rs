//! The launch command that a deploy log echoes.
//!
//! Reference page, sections 3.6 and 14:
//!
//! ```text
//!   argv: ros2 launch openral_rskill_ros deploy_e2e.launch.py robot_yaml:=/w/robots/panda/robot.yaml enable_slam:=true
//! ```
//!
//! Its tokens tell which stack ran and on which robot. A line that is no shell command line, or launches nothing, is
//! none.

/// Beginnings of the tokens that make a stack.
const STACK: [&str; 4] = ["enable_", "hal_mode:=", "clock_origin:=", "spatial_memory_ingest:="];

/// The tokens behind `argv: `, with quotes and backslashes taken off; None without the token `launch`.
pub fn argv_tokens(line: &str) -> Option<Vec<String>> {
    let (_, command) = line.split_once("argv: ")?;
    let tokens = shlex::split(command)?;
    tokens.iter().any(|t| t == "launch").then_some(tokens)
}

/// The tokens that make the stack, sorted by code point: switches, HAL mode, clock, memory.
pub fn stack_tokens(tokens: &[String]) -> Vec<String> {
    let mut stack: Vec<String> = tokens
        .iter()
        .filter(|t| t.contains(":=") && STACK.iter().any(|s| t.starts_with(s)))
        .cloned()
        .collect();
    stack.sort_unstable();
    stack
}

/// Which robot was launched, and from which checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotFacts {
    /// The checkout.
    pub repo_root: String,
    /// The robot.
    pub robot_id: String,
    /// Its manifest, relative to the checkout.
    pub robot_manifest_path: String,
}

/// From the first `robot_yaml:=<root>/robots/<id>/robot.yaml`; any other shape gives none.
pub fn robot_facts(tokens: &[String]) -> Option<RobotFacts> {
    let path = tokens.iter().find_map(|t| t.strip_prefix("robot_yaml:="))?;
    let (folder, robot_id) = path.strip_suffix("/robot.yaml")?.rsplit_once('/')?;
    let repo_root = folder.strip_suffix("/robots")?;
    (!repo_root.is_empty() && !robot_id.is_empty()).then(|| RobotFacts {
        repo_root: repo_root.to_owned(),
        robot_id: robot_id.to_owned(),
        robot_manifest_path: format!("robots/{robot_id}/robot.yaml"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn r12_a_command_behind_a_python_of_a_virtual_environment_has_five_tokens() {
        let found = argv_tokens("  argv: /w/.venv/bin/python /opt/ros/jazzy/bin/ros2 launch p x.py").unwrap();
        assert_eq!(found, ["/w/.venv/bin/python", "/opt/ros/jazzy/bin/ros2", "launch", "p", "x.py"]);
    }

    #[test]
    fn r13_the_robot_is_read_from_its_manifest() {
        let facts =
            robot_facts(&tokens(&["launch", "robot_yaml:=/w/openral/robots/panda_mobile/robot.yaml"]))
                .unwrap();
        assert_eq!(facts.repo_root, "/w/openral");
        assert_eq!(facts.robot_id, "panda_mobile");
        assert_eq!(facts.robot_manifest_path, "robots/panda_mobile/robot.yaml");
    }

    #[test]
    fn another_shape_of_the_manifest_gives_no_robot() {
        for path in [
            "/w/robots/panda/robot.yml",
            "robots/panda/robot.yaml",
            "/robots/panda/robot.yaml",
            "/w/robots//robot.yaml",
            "/w/panda/robot.yaml",
            "/robot.yaml",
            "",
        ] {
            assert_eq!(robot_facts(&tokens(&[&format!("robot_yaml:={path}")])), None, "{path}");
        }
        assert_eq!(robot_facts(&[]), None);
        // The first decides, even where a later one would do.
        let two = tokens(&["robot_yaml:=x", "robot_yaml:=/w/robots/panda/robot.yaml"]);
        assert_eq!(robot_facts(&two), None);
    }

    #[test]
    fn quotes_are_taken_off_and_a_line_that_launches_nothing_is_none() {
        let found = argv_tokens(r#"argv: ros2 launch 'place:={"id":"a b"}' x\ y "z""#).unwrap();
        assert_eq!(found, ["ros2", "launch", r#"place:={"id":"a b"}"#, "x y", "z"]);
        assert_eq!(argv_tokens("  argv: ros2 launch 'open"), None);
        assert_eq!(argv_tokens("  argv: ros2 run launcher"), None);
        assert_eq!(argv_tokens("  argv:ros2 launch"), None);
        assert_eq!(argv_tokens(""), None);
    }

    #[test]
    fn the_stack_is_sorted_and_leaves_out_what_differs_between_scenes() {
        let found = stack_tokens(&tokens(&[
            "launch",
            "robot_yaml:=/r",
            "hal_mode:=sim",
            "enable_slam:=true",
            "slam_backend:=lidar",
            "enable_nav2",
            "--enable-slam",
            "clock_origin:=simulation",
            "spatial_memory_ingest:=false",
            "enable_critic:=false",
            "hal_params_file:=/t",
        ]));
        assert_eq!(
            found,
            [
                "clock_origin:=simulation",
                "enable_critic:=false",
                "enable_slam:=true",
                "hal_mode:=sim",
                "spatial_memory_ingest:=false"
            ]
        );
    }

    proptest! {
        #[test]
        fn no_line_panics(line in any::<String>()) {
            if let Some(found) = argv_tokens(&format!("argv: launch {line}")) {
                let _ = stack_tokens(&found);
                let _ = robot_facts(&found);
            }
        }
    }
}
