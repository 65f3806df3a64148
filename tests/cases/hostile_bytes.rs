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
use std::path::PathBuf;

/// Mutants of each seed; all targets together stay near a second in release.
const MUTANTS: usize = 1_500;

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
            for _ in 0..MUTANTS {
                let other = &seeds[below(&mut rng, seeds.len())];
                entry(&mutate(seed, other, &mut rng));
            }
        }
    }
}

fn below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    (rng.next_u64() % n.max(1) as u64) as usize
}

/// One to four changes, of the kinds that break readers: flipped bits, extreme bytes and words, runs cut
/// out, doubled or taken from another input, other digits in texts.
fn mutate(seed: &[u8], other: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, bytes.len());
        let run = at..bytes.len().min(at + 1 + below(rng, 16));
        match below(rng, 7) {
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
