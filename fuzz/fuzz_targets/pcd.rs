#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rollcheck_fuzz::entries::geometry::pcd(bytes));
