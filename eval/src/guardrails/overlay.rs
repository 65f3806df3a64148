//! Guard 3: the built overlay holds the sources of this checkout.
//!
//! ```text
//! stale   max over sources of their time (ns)  >  time of the folder `install` itself (ns)
//! ```
//!
//! Sources are files below [`SOURCE_FOLDERS`] with a suffix of [`SOURCE_SUFFIXES`]. An overlay that is not built anew
//! validates the compiled code of an earlier commit without a word. Equal times are fresh. Reference page, section 15.1.

use super::facts::{Asked, OverlayFacts};
use super::refusal::Refusal;

/// Folders of the checkout that hold sources; one that is missing has none.
pub const SOURCE_FOLDERS: [&str; 2] = ["cpp", "packages"];
/// Suffixes of sources that need a build.
pub const SOURCE_SUFFIXES: [&str; 5] = ["cpp", "hpp", "h", "msg", "idl"];

/// When the overlay was built, ns since 1970.
pub fn check(overlay: &Asked<OverlayFacts>) -> Result<i64, Refusal> {
    let overlay = match overlay {
        Asked::Unknown(reason) => return Err(Refusal::OverlayUnknown { reason: reason.clone() }),
        Asked::Answer(overlay) => overlay,
    };
    let Some(built_at_ns) = overlay.built_at_ns else {
        return Err(Refusal::NoOverlay { folder: overlay.folder.clone() });
    };
    match &overlay.newest_source {
        Some(source) if source.changed_at_ns > built_at_ns => Err(Refusal::StaleOverlay {
            folder: overlay.folder.clone(),
            source_path: source.path.clone(),
            built_at_ns,
            changed_at_ns: source.changed_at_ns,
        }),
        _ => Ok(built_at_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::SourceTime;
    use super::*;

    fn facts(built_at_ns: Option<i64>, changed_at_ns: Option<i64>) -> Asked<OverlayFacts> {
        Asked::Answer(OverlayFacts {
            folder: "/w/install".to_owned(),
            built_at_ns,
            newest_source: changed_at_ns
                .map(|changed_at_ns| SourceTime { path: "cpp/kernel.cpp".to_owned(), changed_at_ns }),
        })
    }

    #[test]
    fn g05_without_a_built_overlay_there_is_no_round() {
        let text = check(&facts(None, Some(7))).unwrap_err().to_string();
        assert!(text.contains("no built overlay") && text.contains("/w/install"), "{text}");
    }

    #[test]
    fn g06_an_overlay_older_than_a_source_is_refused() {
        let text = check(&facts(Some(1), Some(1_788_722_735_736_059_938))).unwrap_err().to_string();
        assert!(text.contains("older than cpp/kernel.cpp"), "{text}");
        assert!(text.contains("built at 1 ns, changed at 1788722735736059938 ns"), "{text}");
    }

    #[test]
    fn equal_times_and_no_sources_are_fresh() {
        assert_eq!(check(&facts(Some(7), Some(7))), Ok(7));
        assert_eq!(check(&facts(Some(7), None)), Ok(7));
        assert!(check(&facts(Some(7), Some(8))).is_err());
        assert_eq!(
            check(&Asked::Unknown("cpp: permission denied".to_owned())).unwrap_err().to_string(),
            "whether the overlay is fresh is unknown: cpp: permission denied"
        );
    }
}
