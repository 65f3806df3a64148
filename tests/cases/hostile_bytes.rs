//! The fuzz entries without a fuzzer: every seed of `fuzz/seeds/`, its truncations, and a few thousand
//! seeded mutations of it. What a fuzzer finds is kept as one more seed, so this replays it for ever.

#[path = "../../fuzz/src/entries.rs"]
#[allow(unreachable_pub, reason = "public for the fuzz targets")]
mod entries;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rollcheck_engine::demos;
use rollcheck_engine::graph::{edges, files};
use rollcheck_engine::store::{Array, Arrays, Data, atomic, npy, npz, safetensors};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::verdict::{derive, json, round};
use std::path::PathBuf;

/// Mutants of each target, shared among its seeds; all together stay near two seconds in release.
const MUTANTS: usize = 3_000;

fn seed_folder(target: &str) -> PathBuf {
    rollcheck_fixtures::path("../fuzz/seeds").join(target)
}

/// The seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(seed_folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| atomic::read(path).unwrap()).collect()
}

#[test]
fn every_entry_answers_its_seeds_and_their_truncations() {
    for (target, entry) in entries::ALL {
        let seeds = seeds(target);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        for seed in seeds {
            entry(&seed);
            let step = (seed.len() / 400).max(1);
            for end in (0..seed.len()).step_by(step) {
                entry(&seed[..end]);
            }
        }
    }
}

#[test]
fn every_entry_answers_mutated_seeds() {
    for (target, entry) in entries::ALL {
        let seeds = seeds(target);
        let mut rng = ChaCha8Rng::seed_from_u64(0x0072_6f6c_6c63_6865);
        for seed in &seeds {
            for _ in 0..MUTANTS.div_ceil(seeds.len()) {
                let other = &seeds[below(&mut rng, seeds.len())];
                entry(&mutate(seed, other, &mut rng));
            }
        }
    }
}

fn below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    (rng.next_u64() % n.max(1) as u64) as usize
}

/// What a number in a text becomes.
const TOKENS: [&str; 12] = [
    "NaN",
    "-Infinity",
    "null",
    "\"x\"",
    "true",
    "1e308",
    "-1e308",
    "-0.0",
    "0",
    "[]",
    "{}",
    "18446744073709551616",
];

/// One to four changes, of the kinds that break readers: flipped bits, extreme bytes and words, runs cut
/// out, doubled or taken from another input, other digits in texts, something else in place of a number.
fn mutate(seed: &[u8], other: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, bytes.len());
        let run = at..bytes.len().min(at + 1 + below(rng, 16));
        match below(rng, 8) {
            0 => bytes.iter_mut().skip(at).take(1).for_each(|b| *b ^= 1 << (rng.next_u32() % 8)),
            1 => bytes[run].fill([0x00, 0x01, 0x7f, 0x80, 0xff][below(rng, 5)]),
            2 => drop(bytes.drain(run)),
            3 => {
                let copy = bytes[run].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => {
                let from = below(rng, other.len());
                let piece = &other[from..other.len().min(from + run.len())];
                bytes.splice(run, piece.iter().copied());
            }
            5 => {
                let word = [f64::NAN, f64::INFINITY, f64::MAX, 5e-324, -1.0][below(rng, 5)].to_le_bytes();
                bytes.iter_mut().skip(at).zip(word).for_each(|(b, w)| *b = w);
            }
            6 => {
                let numeric = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-');
                let start = (at..bytes.len()).find(|&i| numeric(&bytes[i])).unwrap_or(bytes.len());
                let end = start + bytes[start..].iter().take_while(|b| numeric(b)).count();
                bytes.splice(start..end, TOKENS[below(rng, TOKENS.len())].bytes());
            }
            _ => {
                let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
                if let Some(&i) = digits.get(below(rng, digits.len())) {
                    bytes[i] = b'0' + (rng.next_u32() % 10) as u8;
                }
            }
        }
    }
    bytes
}

/// Writes the made seeds anew; findings beside them stay.
///
/// `cargo test --release -p rollcheck-fixtures --test cases -- --ignored write_the_seeds`
#[test]
#[ignore = "writes into fuzz/seeds"]
fn write_the_seeds() {
    let numbers = numbers_and_text();
    let demos = small_demos();
    let graph = edges::build(&demos::npz::from_arrays(&demos).unwrap()).unwrap();
    let mut graph_arrays = files::node_arrays(&graph);
    for (name, array) in files::edge_arrays(&graph).iter() {
        graph_arrays.push(name, &array.shape, array.data.clone());
    }
    let streamed = rollcheck_fixtures::path("cases/H01-npz-streamed/streamed.npz");
    let made = [
        ("npy/floats", npy::format(numbers.get("floats").unwrap())),
        ("npy/text", npy::format(numbers.get("text").unwrap())),
        ("npy/columns_big_endian_v2", columns_big_endian_v2()),
        ("npz/numbers_and_text", npz::format(&numbers).unwrap()),
        ("npz/demos", npz::format(&demos).unwrap()),
        ("npz/streamed", atomic::read(&streamed).unwrap()),
        ("safetensors/numbers_and_text", safetensors::format(&numbers).unwrap()),
        ("demos_npz/gripper", safetensors::format(&demos).unwrap()),
        ("demos_npz/action", safetensors::format(&with_action(&demos)).unwrap()),
        ("graph_files/small", safetensors::format(&graph_arrays).unwrap()),
    ];
    for (name, bytes) in made {
        atomic::write(&seed_folder(name), &bytes).unwrap();
    }
    for (name, bytes) in super::geometry_seeds::all() {
        atomic::write(&seed_folder(name), &bytes).unwrap();
    }
    for (name, bytes) in round_seeds() {
        atomic::write(&seed_folder(&name), &bytes).unwrap();
    }
}

/// Files of generated rounds, each of another kind of scene; the verdicts are derived from them.
fn round_seeds() -> Vec<(String, Vec<u8>)> {
    let file = |path: &str| atomic::read(&rollcheck_fixtures::path("rounds").join(path)).unwrap();
    let mut made = Vec::new();
    for (name, path) in [
        ("deploy_log/payload", "generated-10-exemptions/sink_cup/run_deploy.log"),
        ("deploy_log/bond_loss", "generated-09-torn-down/baguette/run_deploy.log"),
        ("deploy_log/lifecycle", "generated-09-torn-down/sink_cup/run_deploy.log"),
        ("deploy_log/launch_exception", "generated-08-never-started/sink_cup/run_deploy.log"),
        ("deploy_log/usage", "generated-08-never-started/utensil/run_deploy.log"),
        ("deploy_log/initial_configuration", "generated-17-legacy/fridge1/seed1_deploy_excerpt.log"),
        ("monitor/carried", "generated-10-exemptions/sink_cup/run_monitor.jsonl"),
        ("monitor/deaf", "generated-06-budgets/baguette/run_monitor.jsonl"),
        ("goal/status", "generated-01-outcomes/baguette/run_goal.log"),
        ("goal/overrun", "generated-13-borderline/sink_cup/run_goal.log"),
        ("goal/traceback", "generated-09-torn-down/fridge/run_goal.log"),
        ("goal/no_status", "generated-09-torn-down/utensil/run_goal.log"),
        ("metadata/harness", "generated-14-repeat-1/metadata.json"),
        ("scene_yaml/fridge", "generated-01-outcomes/fridge/robocasa_fridge_drawer_seed1.yaml"),
        ("import_argv/excerpt", "generated-17-legacy/bag1/seed1_deploy_excerpt.log"),
    ] {
        made.push((name.to_owned(), file(path)));
    }
    for (name, path) in [
        ("arm_world", "generated-02-arm-world/fridge/run_deploy.log"),
        ("contact", "generated-10-exemptions/utensil/run_deploy.log"),
        ("payload_voxel", "generated-12-rule-sets/sink_cup/run_deploy.log"),
        ("payload_link", "generated-03-payload/fridge/run_deploy.log"),
        ("links_box", "generated-04-links/baguette/run_deploy.log"),
        ("links_hull", "generated-18-limits/baguette/run_deploy.log"),
        ("link_without_hull", "generated-12-rule-sets/fridge/run_deploy.log"),
        ("not_attested", "generated-17-legacy/sink1/seed1_deploy_excerpt.log"),
    ] {
        made.push((format!("snapshot_adjudicate/{name}"), stop_and_snapshot(&file(path))));
    }
    let [small, other] = ["generated-14-repeat-1", "generated-16-repeat-seed-2"].map(derived);
    made.push(("verdicts/two_scenes".to_owned(), small.clone()));
    made.push(("verdicts/one_scene".to_owned(), other.clone()));
    made.push(("diff/two_rounds".to_owned(), [small, other].concat()));
    made
}

/// The stop line of a log, and what stands behind the name of its snapshot.
fn stop_and_snapshot(log: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(log).unwrap();
    let tail = |event: &str| text.lines().find_map(|line| Some(&line[line.find(event)?..])).unwrap();
    let snapshot = tail("sim.estop_ground_truth_snapshot");
    format!("{}\n{}\n", tail("safety.collision"), &snapshot[snapshot.find('{').unwrap()..]).into_bytes()
}

/// `verdicts.json` of a generated round.
fn derived(id: &str) -> Vec<u8> {
    let recorded =
        round::read(&rollcheck_fixtures::path("rounds").join(id), &round::Options::default()).unwrap();
    let rules = RuleSet::Documented;
    let scenes: Vec<_> = recorded
        .scenes
        .iter()
        .map(|scene| {
            derive::scene(&recorded.context(scene), scene.evidence.as_ref().unwrap(), rules).unwrap()
        })
        .collect();
    json::write_verdicts(&derive::round(&recorded.metadata, &scenes, rules))
}

fn numbers_and_text() -> Arrays {
    let mut arrays = Arrays::new("seed");
    arrays.push("floats", &[2, 3], Data::F64(vec![0.0, -1.5, f64::NAN, f64::INFINITY, 5e-324, 1e300]));
    arrays.push("single", &[2], Data::F32(vec![0.25, -0.0]));
    arrays.push("wide", &[1], Data::I64(vec![i64::MIN]));
    arrays.push("flags", &[3], Data::Bool(vec![true, false, true]));
    arrays.push("bytes", &[0], Data::U8(vec![]));
    arrays.push("text", &[2], Data::Text(vec!["öffne die Schublade".into(), String::new()]));
    arrays
}

/// `numpy.asfortranarray(a, dtype='>i2')` of shape 2 x 3, in a header of version 2.
fn columns_big_endian_v2() -> Vec<u8> {
    let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6]);
    bytes
}

/// Three short episodes of two joints in two tasks, with gripper changes and two rates.
fn small_demos() -> Arrays {
    let frames = 12 + 9 + 7;
    let mut arrays = Arrays::new("seed");
    arrays.push("q", &[frames, 2], Data::F64((0..2 * frames).map(|i| (i as f64 * 0.37).sin()).collect()));
    arrays.push("gripper", &[frames], Data::U8((0..frames).map(|k| u8::from(k % 8 > 4)).collect()));
    arrays.push("demo_start", &[4], Data::I32(vec![0, 12, 21, 28]));
    arrays.push("demo_task", &[3], Data::I16(vec![0, 0, 7]));
    arrays.push("rate_hz", &[3], Data::F64(vec![20.0, 20.0, 10.0]));
    arrays.push("task_id", &[2], Data::I16(vec![0, 7]));
    arrays.push("task_language", &[2], Data::Text(vec!["open".into(), "close".into()]));
    arrays
}

/// The same episodes with the gripper command as the last column of `action`.
fn with_action(demos: &Arrays) -> Arrays {
    let Array { shape, data: Data::U8(closed) } = demos.get("gripper").unwrap() else {
        unreachable!("flags are bytes");
    };
    let mut arrays = Arrays::new("seed");
    for (name, array) in demos.iter().filter(|&(name, _)| name != "gripper") {
        arrays.push(name, &array.shape, array.data.clone());
    }
    let action = closed.iter().flat_map(|&c| [0.5, if c == 1 { 1.0 } else { -1.0 }]).collect();
    arrays.push("action", &[shape[0], 2], Data::F64(action));
    arrays
}
