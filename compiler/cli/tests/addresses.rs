//! What a program may see that PTX leaves open: addresses of functions, and what lies behind the last parameter. Right code of either kind is proved,
//! and code that lets it through is refuted.

#![allow(missing_docs)]

#[path = "addresses/programs.rs"]
mod programs;

mod common;

use common::sassafras;
use sassafras_oracle::{Tools, skip, workspace_root};
use tempfile::{TempDir, tempdir};

const HEAD: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";

const PADDING: &str = "
.visible .entry k(.param .u64 out, .param .u32 a, .param .u16 p)
{
    .reg .b64 %d<2>;
    .reg .b16 %h<2>;
    .reg .b32 %r<4>;
    ld.param.u64 %d1, [out];
    ld.param.u32 %r1, [a];
    ld.param.b16 %h1, [p];
    cvt.u32.u16 %r2, %h1;
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%d1], %r3;
    ret;
}
";

/// A kernel that stores the address of a function; `then` changes it before.
fn stores(then: &str) -> String {
    format!(
        "{HEAD}
.func (.param .b32 r) f(.param .b32 a)
{{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [a];
    add.u32 %r2, %r1, 1;
    st.param.b32 [r], %r2;
    ret;
}}
.visible .entry k(.param .u64 out)
{{
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [out];
    mov.u64 %d2, f;
    {then}
    st.global.u64 [%d1], %d2;
    ret;
}}
"
    )
}

fn folder(test: &str) -> Option<TempDir> {
    if let Err(reason) = Tools::here().z3() {
        skip(test, &reason);
        return None;
    }
    let folder = tempdir().expect("a folder");
    // The solver is looked for from the working folder upwards.
    std::os::unix::fs::symlink(workspace_root().join(".z3"), folder.path().join(".z3")).expect("a link");
    Some(folder)
}

#[test]
fn the_address_of_a_function_may_be_stored() {
    let Some(folder) = folder("the_address_of_a_function_may_be_stored") else { return };
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it is ours");
    write("good.ptx", &stores(""));
    for chip in ["sm_75", "sm_90", "sm_120"] {
        let run = sassafras(folder.path(), &["prove", "good.ptx", "-arch", chip]);
        assert!([0, 14].contains(&run.code), "{chip}: {}", run.out);
    }
    // Something else than the address, and nothing at all.
    sassafras(folder.path(), &["compile", "good.ptx", "-arch=sm_90", "-o", "good.cubin", "--quiet"])
        .expect(0, "");
    for then in ["add.u64 %d2, %d2, 1;", "shr.u64 %d2, %d2, 4;", "mov.u64 %d2, 0;"] {
        write("bad.ptx", &stores(then));
        let run = sassafras(folder.path(), &["prove", "bad.ptx", "--against", "good.cubin"]);
        assert!([10, 12].contains(&run.code), "{then}: {}", run.out);
    }
    if let Ok(ptxas) = Tools::here().ptxas(sassafras_oracle::table::CUDA) {
        let (bytes, _) = ptxas.compile_text(&stores(""), "sm_90", &[]).expect("ptxas takes it");
        std::fs::write(folder.path().join("theirs.cubin"), bytes).expect("it is ours");
        let run = sassafras(folder.path(), &["prove", "good.ptx", "--against", "theirs.cubin"]);
        assert!([0, 14].contains(&run.code), "{}", run.out);
    }
}

#[test]
fn what_lies_behind_the_last_parameter_is_open() {
    let Some(folder) = folder("what_lies_behind_the_last_parameter_is_open") else { return };
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it is ours");
    write("k.ptx", &format!("{HEAD}{PADDING}"));
    sassafras(folder.path(), &["compile", "k.ptx", "-arch=sm_90", "-o", "k.cubin", "--quiet"]).expect(0, "");
    sassafras(folder.path(), &["prove", "k.ptx", "--against", "k.cubin"]).expect(0, "k: proved");
    // Four bytes at a parameter of two: with its upper half in the sum the code is wrong.
    let listing = sassafras(folder.path(), &["disasm", "--control", "k.cubin"]).out;
    let wide = listing.replace("LDC.U16 ", "LDC ");
    assert_ne!(wide, listing, "{listing}");
    write("wide.sass", &wide);
    sassafras(folder.path(), &["asm", "wide.sass", "--into", "k.cubin", "-o", "wide.cubin"]).expect(0, "");
    sassafras(folder.path(), &["prove", "k.ptx", "--against", "wide.cubin"]).expect(10, "k: refuted");
    // As far behind it as an aligned read may begin nothing is.
    let beyond = listing.replace("c[0x0][0x21c]", "c[0x0][0x220]");
    write("beyond.sass", &beyond);
    sassafras(folder.path(), &["asm", "beyond.sass", "--into", "k.cubin", "-o", "beyond.cubin"])
        .expect(0, "");
    let run = sassafras(folder.path(), &["prove", "k.ptx", "--against", "beyond.cubin"]);
    assert!([10, 12].contains(&run.code), "{}", run.out);
    if let Ok(ptxas) = Tools::here().ptxas(sassafras_oracle::table::CUDA) {
        let (bytes, _) =
            ptxas.compile_text(&format!("{HEAD}{PADDING}"), "sm_90", &[]).expect("ptxas takes it");
        std::fs::write(folder.path().join("theirs.cubin"), bytes).expect("it is ours");
        sassafras(folder.path(), &["prove", "k.ptx", "--against", "theirs.cubin"]).expect(0, "k: proved");
    }
}

/// Every address and every padding that a program may see (`docs/proof.md`, "Addresses and padding"): our code and ptxas's is proved, and code of
/// the wrong versions is refuted, or not proved where only the arrangement tells them apart.
#[test]
fn every_address_and_padding_is_open_or_known() {
    let Some(folder) = folder("every_address_and_padding_is_open_or_known") else { return };
    let ptxas = Tools::here().ptxas(sassafras_oracle::table::CUDA);
    let mut wrong = Vec::new();
    let mut hold = |what: &str, source: &str, target: &str, codes: &[i32]| {
        std::fs::write(folder.path().join("held.ptx"), source).expect("it is ours");
        let run = sassafras(folder.path(), &["prove", "held.ptx", "--against", target, "--timeout", "20"]);
        if !codes.contains(&run.code) {
            wrong.push(format!("{what}: exit {}: {:?}", run.code, run.out.lines().nth(1)));
        }
    };
    for program in programs::ALL {
        let name = program.name;
        let source = program.text(program.right);
        std::fs::write(folder.path().join("right.ptx"), &source).expect("it is ours");
        let mut targets = Vec::new();
        for chip in ["sm_75", "sm_90", "sm_120"] {
            let cubin = format!("{chip}.cubin");
            let arch = format!("-arch={chip}");
            sassafras(folder.path(), &["compile", "right.ptx", &arch, "-o", &cubin, "--quiet"]).expect(0, "");
            // Wrong versions are held against one chip's code.
            targets.push((cubin, true, chip == "sm_90"));
        }
        if let Ok(ptxas) = &ptxas {
            let (bytes, _) = ptxas.compile_text(&source, "sm_90", &[]).expect("ptxas takes it");
            std::fs::write(folder.path().join("ptxas.cubin"), bytes).expect("it is ours");
            targets.push(("ptxas.cubin".to_owned(), program.ptxas, true));
        }
        for (target, proved, wrong_ones) in targets {
            let right: &[i32] = if proved { &[0, 14] } else { &[12] };
            hold(&format!("{name}, {target}"), &source, &target, right);
            if !wrong_ones {
                continue;
            }
            for text in program.refuted {
                let codes: &[i32] = if proved { &[10] } else { &[12] };
                hold(&format!("{name}, {target}, {text}"), &program.text(text), &target, codes);
            }
            for text in program.unproved {
                hold(&format!("{name}, {target}, {text}"), &program.text(text), &target, &[10, 12]);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Words of constant bank 0 below the parameters are the launch's or the driver's: code that has one of them in a parameter's place is refuted
/// where it is known what the driver puts there, and else unknown.
#[test]
fn words_of_the_driver_are_no_parameters() {
    let Some(folder) = folder("words_of_the_driver_are_no_parameters") else { return };
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it is ours");
    write("k.ptx", &format!("{HEAD}{PADDING}"));
    sassafras(folder.path(), &["compile", "k.ptx", "-arch=sm_90", "-o", "k.cubin", "--quiet"]).expect(0, "");
    let listing = sassafras(folder.path(), &["disasm", "--control", "k.cubin"]).out;
    assert!(listing.contains("c[0x0][0x218]"), "{listing}");
    for (word, code) in [
        ("0x0", 10),
        ("0x14", 10),
        ("0x18", 12),
        ("0x1c", 12),
        ("0x28", 10),
        ("0x2c", 10),
        ("0x118", 12),
        ("0x1f0", 12),
        ("0x204", 12),
        ("0x208", 10),
        ("0x20c", 10),
    ] {
        write("other.sass", &listing.replace("c[0x0][0x218]", &format!("c[0x0][{word}]")));
        sassafras(folder.path(), &["asm", "other.sass", "--into", "k.cubin", "-o", "other.cubin"])
            .expect(0, "");
        sassafras(folder.path(), &["prove", "k.ptx", "--against", "other.cubin"]).expect(code, "k: ");
    }
}
