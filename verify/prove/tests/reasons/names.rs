//! What a variable is called decides nothing.

use super::common;
use super::example::code;
use sassafras_prove::{Limits, prove_within};

/// A module with a variable of this name, which holds a number.
fn text(name: &str, value: u32) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 {name} = {value};\n.visible .entry k(.param .u64 o)\n\
         {{ .reg .b64 p, q; ld.param.u64 p, [o]; mov.u64 q, {name}; st.global.u64 [p], q; ret; }}\n"
    )
}

#[test]
fn a_name_changes_no_reason() {
    let Some(mut z3) = common::z3("a_name_changes_no_reason") else { return };
    for name in
        ["foo", "replay", "vacuous", "time", "no_solver", "events", "uniform", "convergence", "coverage"]
    {
        let cubin = common::ours(&text(name, 2)).expect("it is compiled");
        let module = common::module(&text(name, 1));
        let limits = Limits { launches: 0, ..Limits::default() };
        let record = prove_within(&module, "k", &cubin, &mut z3, limits);
        assert_eq!(code(&record), Some("U0913"), "{name}: {}", common::line(&record));
        let json = record.json();
        assert_eq!(json["code"], "U0913", "{name}");
        assert_eq!(json["reason"], format!("cubin: the image of `{name}` is another"));
        assert!(
            json["means"].as_str().is_some_and(|means| means.contains("variable of the module")),
            "{json}"
        );
    }
}
