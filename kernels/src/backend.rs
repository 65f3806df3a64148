//! Which vector instructions an op runs with, found once at run time.
//!
//! A [`SimdLevel`] can only be had from [`SimdLevel::detect`] or [`SimdLevel::supported`], so holding
//! one proves that this processor has the instructions. Ops take it as an argument: tests force every
//! level, callers pass [`SimdLevel::detect`].
//!
//! The body of an op is one `#[inline(always)]` function. `simd_levels!` compiles it once a level
//! under `#[target_feature]`; Rust never contracts `a * b + c`, so every level rounds alike, and fused
//! products are written out as `mul_add`.

use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each architecture uses its own levels")]
pub(crate) enum Level {
    Portable,
    Avx2,
    Avx512,
}

/// Vector instructions that this processor is known to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimdLevel(pub(crate) Level);

impl SimdLevel {
    /// The widest level of this processor; asked of the processor once.
    pub fn detect() -> Self {
        static FOUND: OnceLock<SimdLevel> = OnceLock::new();
        *FOUND.get_or_init(|| Self::supported().last().copied().unwrap_or(Self(Level::Portable)))
    }

    /// The level that needs no detection. On aarch64 this is NEON, which is part of the base there.
    pub fn portable() -> Self {
        Self(Level::Portable)
    }

    /// Every level of this processor, narrowest first.
    pub fn supported() -> Vec<Self> {
        let mut levels = vec![Self(Level::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                levels.push(Self(Level::Avx2));
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                {
                    levels.push(Self(Level::Avx512));
                }
            }
        }
        levels
    }

    /// The name printed in reports.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable if cfg!(target_arch = "aarch64") => "neon",
            Level::Portable => "portable",
            Level::Avx2 => "avx2+fma",
            Level::Avx512 => "avx512",
        }
    }
}

/// Compiles `body`, an `#[inline(always)]` function, once a vector level, and dispatches on the level. An
/// op may be generic over one constant, its number of channels.
macro_rules! simd_levels {
    (
        $(#[$doc:meta])*
        $vis:vis fn $name:ident $(<const $width:ident>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?
        = $body:ident
    ) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "an op's slices, each with its own length")]
        $vis fn $name $(<const $width: usize>)? (
            level: $crate::backend::SimdLevel, $($arg: $ty),*
        ) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                #[allow(clippy::too_many_arguments, reason = "as above")]
                fn avx2 $(<const $width: usize>)? ($($arg: $ty),*) $(-> $ret)? {
                    $body $(::<$width>)? ($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
                #[allow(clippy::too_many_arguments, reason = "as above")]
                fn avx512 $(<const $width: usize>)? ($($arg: $ty),*) $(-> $ret)? {
                    $body $(::<$width>)? ($($arg),*)
                }
                match level.0 {
                    // SAFETY: a `SimdLevel` of this value exists only where detection found the features.
                    $crate::backend::Level::Avx512 => return unsafe { avx512 $(::<$width>)? ($($arg),*) },
                    // SAFETY: as above.
                    $crate::backend::Level::Avx2 => return unsafe { avx2 $(::<$width>)? ($($arg),*) },
                    $crate::backend::Level::Portable => {}
                }
            }
            let _ = level;
            $body $(::<$width>)? ($($arg),*)
        }
    };
}
pub(crate) use simd_levels;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_levels_start_portable_and_end_with_the_detected_one() {
        let levels = SimdLevel::supported();
        assert_eq!(levels[0], SimdLevel::portable());
        assert_eq!(levels.last().copied(), Some(SimdLevel::detect()));
    }
}
