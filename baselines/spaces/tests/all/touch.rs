//! Pages are touched after each of the things that may cost translations.

use spaces::touch::{Between, PAGES_MAX, touch};

use super::world::program;

#[test]
fn every_touch_finds_what_its_page_holds() {
    let core = platform::cpu::allowed_cores()[0];
    let all =
        [Between::Nothing, Between::Syscall, Between::Thread, Between::Process, Between::Flush];
    for between in all {
        for (pages, touches) in [(1, 100), (64, 1000), (500, 10_000)] {
            let touched = touch(between, pages, touches, (core, program)).unwrap();
            assert_eq!((touched.touches, touched.wrong), (touches, 0), "{between:?}");
            assert_eq!(touched.line_ns.len() as u64, touches.min(8192));
            let mean = touched.trimmed_mean_ns();
            assert!(mean > 0.0 && mean <= touched.line_ns[touched.line_ns.len() - 1]);
            assert!(touched.line_ns.is_sorted() && touched.elapsed_ns > 0);
        }
    }
}

#[test]
fn sets_that_cannot_be() {
    for pages in [0, PAGES_MAX + 1] {
        let error = touch(Between::Nothing, pages, 1, (0, program)).unwrap_err();
        assert_eq!(error.to_string(), format!("{pages} pages: use 1 to 1048576"));
    }
}
