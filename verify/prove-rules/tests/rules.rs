//! Every selection rule is proved, `proved.json` says so, and wrong rules are refuted.

mod common;

use common::z3;
use sassafras_chip::{BankLayout, Chip};
use sassafras_isa::FormId;
use sassafras_prove_rules::{Funnel, Outcome, Verdict, prove_row, prove_rows_on};
use sassafras_rules::select::proved::{Entry, Proved, Standing, hash};
use sassafras_rules::select::{Row, Rules, parse};
use sassafras_solve::{NoSolver, Solver};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn entry(row: &Row, outcome: &Outcome) -> Option<Entry> {
    let verdict = match outcome.verdict {
        Verdict::Identical | Verdict::Solved => Standing::Proved,
        Verdict::Exhausted(_) => Standing::Exhausted,
        _ => return None,
    };
    Some(Entry { hash: hash(row), verdict, instances: outcome.instances, chips: Vec::new() })
}

/// Every row with the chips that carry it out by the same forms, from the same places: they have one proof.
fn questions(rows: &[Row]) -> Vec<(&Row, Vec<Chip>)> {
    let mut all = Vec::new();
    for row in rows {
        let mut groups: Vec<(Vec<FormId>, BankLayout, Vec<Chip>)> = Vec::new();
        for chip in Chip::ALL {
            let Ok(forms) = row.forms_on(chip) else { continue };
            match groups.iter_mut().find(|(f, bank, _)| *f == forms && *bank == chip.bank()) {
                Some((.., chips)) => chips.push(chip),
                None => groups.push((forms, chip.bank(), vec![chip])),
            }
        }
        all.extend(groups.into_iter().map(|(.., chips)| (row, chips)));
    }
    all
}

#[test]
fn every_rule_is_proved() {
    let Some(z3) = z3("every_rule_is_proved") else { return };
    let written = Rules::written();
    // What stands already can be left as it is while rows are being written: the test proper proves all.
    let known = match std::env::var("BLESS").as_deref() {
        Ok("new") => Some(Proved::get()),
        _ => None,
    };
    let stands = |row: &Row, chips: &[Chip]| {
        known.is_some_and(|known| chips.iter().all(|&chip| known.stands_on(row, chip)))
    };
    let (kept, questions): (Vec<_>, Vec<_>) =
        questions(&written).into_iter().partition(|(row, chips)| stands(row, chips));
    let rows: Vec<(&Row, Chip)> = questions.iter().map(|(row, chips)| (*row, chips[0])).collect();
    let solver = || -> Box<dyn Solver> { Box::new(z3.clone()) };
    let outcomes = prove_rows_on(&rows, 0, &solver);
    let mut proved: BTreeMap<String, Entry> = BTreeMap::new();
    for (row, chips) in kept {
        let old = Proved::get().rows.get(&row.name).expect("it stands");
        let entry =
            proved.entry(row.name.clone()).or_insert_with(|| Entry { chips: Vec::new(), ..old.clone() });
        entry.chips.extend(chips.iter().map(|chip| chip.number()));
        entry.chips.sort_unstable();
    }
    for ((row, chips), o) in questions.iter().zip(&outcomes) {
        // On its home chip a row must stand; where it does not stand elsewhere, code for that chip goes without it.
        let home = row.home().is_some_and(|home| chips.contains(&home));
        assert!(o.verdict.stands() || !home, "{}: {:?} at {:?}", o.name, o.verdict, o.at);
        let Some(entry) = entry(row, o) else {
            println!("{} on {}: {:?} at {:?}", o.name, chips[0], o.verdict, o.at);
            continue;
        };
        let known = proved.entry(row.name.clone()).or_insert_with(|| entry.clone());
        known.chips.extend(chips.iter().map(|chip| chip.number()));
        known.chips.sort_unstable();
        if home {
            known.instances = entry.instances;
        }
        if entry.verdict == Standing::Exhausted {
            known.verdict = entry.verdict;
        }
    }
    let now = Proved { schema: 2, rows: proved };
    if std::env::var_os("BLESS").is_some() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../compiler/rules/proved.json");
        let text = serde_json::to_string_pretty(&now).expect("it is plain data");
        std::fs::write(path, text + "\n").expect("the file can be written");
    } else {
        assert!(*Proved::get() == now, "proved.json is not what is proved: BLESS=1 writes it");
    }
    println!("{}", Funnel::of(&outcomes));
}

/// Without a solver what is not one term is unknown, never proved.
#[test]
fn without_a_solver_nothing_is_solved() {
    let rows = Rules::written();
    let sub = rows.iter().find(|r| r.name == "sub.64").expect("it is there");
    assert!(matches!(prove_row(sub, &mut NoSolver).verdict, Verdict::Unknown(_)));
}

/// Errors that a hand makes in a row.
const BROKEN: &[&str] = &[
    "add (add.32 a b:ric) => iadd3.r{b}r d=d a=a b=b b.neg=1",
    "add (add.32 a b:ric) => iadd3.r{b}r d=d a=a b=b c=a",
    "sub (sub.32 a b:rc) => iadd3.r{b}r d=d a=a b=b a.neg=1",
    "sub.from (sub.32 a:ic b) => iadd3.r{a}r d=d a=b b=a",
    "mad.less (sub.32 (mul.32 a b:ric) c) => imad.r{b}r d=d a=a b=b c=c",
    "shl.add (add.32 (shl.32 a n:i) c) => lea.rrr d=d a=c b=a sh=n",
    "shr.add (add.32 (shr.32[!signed] a n:t) c) => lea.rrr d=d hi=1 a=a b=c sh=n",
    "sar.add (add.32 (shr.32[signed] a n:t) c) => lea.rrr d=d hi=1 a=a b=c sh=32-n",
    "shl.sub (sub.32 (shl.32 a n:s) c) => lea.rrr d=d a=a a.neg=1 b=c sh=n",
    "and.some (cmp.32[cmp=.EQ] (and.32 a b) 0) => lop3.rrr p=d a=a b=b lut=0xc0",
    "and.some.and (and.1 (cmp.32[cmp=.NE] (and.32 a b) 0) q) => lop3.rrr p=d a=a b=b lut=0xc0 q=q",
    "byte.1 (and.32 (shr.32[signed] a 8) 255) => prmt.rir d=d a=a b=0x9991",
    "hadd (fadd.f16[rounding=] a:h b) => hadd2.rr d=d a=a b=b bs=.H1_H1 ftz=$ftz sat=$sat",
    "hfma2 (packed.f16[kind=fma,rounding=] a:h b c) => hfma2.rrr d=d a=a b=c c=b ftz=$ftz sat=$sat",
    "f2h.pair (concat.32 (f2f[from=f32,to=f16,rounding=,!sat,!ftz] a) (f2f[from=f32,to=f16,rounding=,!sat,!ftz] b)) => f2fp.rr d=d a=a b=b bf=.F16",
    "rotate.add (add.32 (shf.32[left] l h n:s) c) => lea.rrr d=d hi=1 a=h b=c c=l sh=n",
    "shl.add.64 (add.64 (shl.64 a n:s) b) => lea.rrr d=%l p=%t a=a.0 b=b.0 sh=n ; lea.rrr d=%h hi=1 x=1 a=a.0 b=b.1 sh=n q=%t ; pack d %l %h",
    "add.64.sign (add.64 (sext.32.64 a) b) => iadd3.rrr d=%l p0=%t a=a b=b.0 ; lea.rrr d=%h hi=1 x=1 a=a b=b.1 sh=1 q=%t ; pack d %l %h",
    "mulhi (mulhi.32 a b:ric) => imad.hi.r{b}r d=d a=a b=b sg=1",
    "max (max.32 a b:ric) => vimnmx.r{b} d=d a=a b=b ty=$signed",
    "abs (abs.32 a) => iadd3.rrr d=d a=a",
    "addc (addc.32 a b:ric c) => iadd3.r{b}r d=d p0=d1 a=a b=b q0=c",
    "subb (subb.32 a b:rc c) => iadd3.r{b}r d=d p0=d1 a=a b=b b.neg=1 x=1 q0=c q0.not=1",
    "clz (clz.32 a) => flo.r d=%t b=a sg=.U32 ; iadd3.rir d=d a=%t a.neg=1 b=32",
    "flo (bfind.32[!shift_amount] a) => flo.r d=d b=a",
    "dp4a (dp4a.32 a b c) => idp.rrr d=d a=b b=a c=c sa=$a_signed sb=$b_signed",
    "add.64 (add.64 a b:ric) => iadd3.r{b}r d=%l a=a.0 b=b.0 ; iadd3.r{b}r d=%h a=a.1 b=b.1 ; pack d %l %h",
    "add.64 (add.64 a b:ric) => iadd3.r{b}r d=%l p0=%t a=a.0 b=b.0 ; iadd3.r{b}r d=%h a=a.1 b=b.1 x=1 q0=%t ; pack d %h %l",
    "mulwide (mulwide.64 a b:ric) => imad.wide.r{b}r d=d a=a b=b",
    "mul.64 (mul.64 a b) => imad.wide.rrr d=%w a=a.0 b=b.0 ; imad.rrr d=%x a=a.0 b=b.1 c=%w.1 ; imad.rrr d=%h a=a.1 b=b.0 c=%x ; pack d %w.0 %h",
    "shl.64 (shl.64 a n:ri) => shf.r{n}r d=%l dir=.L ty=.U32 a=a.0 b=n ; shf.r{n}r d=%h dir=.L ty=.U32 hi=1 a=a.0 b=n c=a.1 ; pack d %l %h",
    "sar.64 (shr.64[signed] a n:ri) => shf.r{n}r d=%l dir=.R ty=.S64 a=a.0 b=n c=a.1 ; shf.r{n}r d=%h dir=.R ty=.U32 hi=1 b=n c=a.1 ; pack d %l %h",
    "shf.l.wrap (shf.32[left,wrap] l h n:ri) => shf.r{n}r d=d dir=.L ty=.U32 hi=1 a=l b=n c=h",
    "bfe (bfe.32[!signed] a p:i n:i) => shf.rir d=%t dir=.R ty=.U32 hi=1 b=p c=a ; sgxt.ri d=d a=%t b=n sg=.U32",
    "bfi (bfi.32 f a p n) => bmsk.rr d=%m a=p b=n ; shf.rrr d=%f dir=.L ty=.U32 a=f b=p ; lop3.rrr d=d a=%m b=%f c=a lut=0xca",
    "prmt (prmt.32 a b s:ri) => prmt.r{s}r d=d a=b b=s c=a",
    "and.or (or.32 (and.32 a b:ric) c) => lop3.r{b}r d=d a=a b=b c=c lut=0xe8",
    "andn (and.32 (not.32 a) b:ric) => lop3.r{b}r d=d a=b b=a lut=0x0c",
    "lop3 (lop3.32 a b:ric c) => lop3.r{b}r d=d a=c b=b c=a lut=$lut",
    "cmp (cmp.32 a b:ric) => isetp.r{b} d=d a=a b=b cmp=$cmp",
    "cmp.or (or.1 m@(cmp.32 a b:ric) q) => isetp.r{b} d=d a=a b=b cmp=$m.cmp sg=$m.signed bop=.AND q=q",
    "cmp.64 (cmp.64 a b:ric) => isetp.r{b} d=%l a=a.0 b=b.0 cmp=$cmp sg=$signed ; isetp.r{b} d=d a=a.1 b=b.1 cmp=$cmp sg=$signed ex=1 q1=%l",
    "select (select.32 p a b:ric) => sel.r{b} d=d a=a b=b q=p q.not=1",
    "zext.1 (zext.1.32 p) => sel.ri d=d b=1 q=p",
    "zext.16 (zext.16.32 a) => copy d a",
    "sext.16 (sext.16.32 a) => prmt.rir d=d a=a b=0x4410",
    "sext.64 (sext.32.64 a) => pack d a 0",
    "concat.2 (concat.64 a b) => pack d b a",
    "extract.1 (extract.32[at=32] a) => copy d a.0",
    "fadd (fadd.f32 a:rm b:ricm) => fadd.r{b} d=d a=a b=b rnd=$rounding sat=$sat",
    "fmul (fmul.f32 a:rm b:ricm) => fmul.r{b} d=d a=a b=b ftz=$ftz sat=$sat",
    "ffma (fma.f32 a:rm b:ricm c:rm) => ffma.r{b}r d=d a=a b=b c=a rnd=$rounding ftz=$ftz sat=$sat",
    "fmax (fmax.f32 a:rm b:ricm) => fmnmx.r{b} d=d a=a b=b ftz=$ftz nan=$nan",
    "fmin (fmin.f32 a:rm b:ricm) => fmnmx.r{b} d=d a=a b=b ftz=$ftz",
    "fneg (fneg.f32 a) => fadd.rr d=d a=a a.neg=1 b=255",
    "hfma (fma.f16[rounding=] a:rm b:rm c:rm) => hfma2.rrr d=d a=a b=b c=c as=.H0_H0 bs=.H1_H1 cs=.H0_H0 ftz=$ftz sat=$sat",
    "hadd (fadd.f16 a:rm b:rm) => hadd2.rr d=d a=a b=b as=.H0_H0 bs=.H0_H0 ftz=$ftz sat=$sat",
    "f2i.s32 (f2i[from=f32,bits=32,signed,!sat] a:rm) => f2i.r d=d b=a dst=. rnd=$integer_rounding ftz=$ftz",
    "i2f.u8 (i2f[to=f32,bits=8,!signed,!sat,!ftz] a) => i2f.r d=d b=a dst=. src=.U16 rnd=$rounding",
    "f2h.sat (f2f[from=f32,to=f16,rounding=,sat,!ftz] a) => f2fp.rr d=d b=a bf=.F16",
    "ld.global (load[space=global] a) => ldg d=results u=desc a=a sz=$size sem=$semantics",
    "ld.global (load[space=global] a) => ldg d=results u=desc a=a o=$offset sz=$size",
    "ld.shared (load[space=shared] a) => ldl d=results a=a o=$offset sz=$size",
    "st.global (store[space=global] a _) => stg u=desc a=a o=$offset b=args sz=.64 sem=$semantics",
    "atom (atomic.32[space=global,op=umin] a b) => atomg d=d u=desc a=a o=$offset b=b op=.MIN ty=.S32 sem=$semantics",
    "atom (atomic.32[space=global,op=addf32] a b) => atomg.float d=d u=desc a=a o=$offset b=b ty=.F32.FTZ.RN sem=$semantics",
    "cas (atomic.32[space=shared,op=cas] a b c) => atoms.cas d=d a=a o=$offset b=c c=b ty=.",
    "fence.sys (fence[scope=sys]) => membar order=.SC scope=.GPU",
    "cvta.local (cvta[space=local] a) => copy d a",
    "shuffle (shuffle a b:ri c:ri _) => shfl.r{b}{c} d=d p=d1 a=a b=b c=c mode=.IDX",
    "vote (vote p _) => vote d=d p=d1 q=p mode=.ALL",
    "redux (redux[op=smin] a _) => redux d=%u a=a op=.MIN ; mov.u d=d b=%u",
    "bar.and (barrier[mode=and] b:i n:i p) => bar.red.ii b=b n=n op=.OR defer=1 q=p ; b2r.result p=d",
    "mma.bf16.1688 (mma[shape=m16n8k8,a=bf16] a b c) => hmma.1688 d=d a=a b=b c=c acc=.F32",
    "mma.f64.884 (mma[shape=m8n8k4] a b c) => dmma.884 d=d a=b b=a c=c",
    "mma.s8.8816 (mma[shape=m8n8k16] a b c) => imma.8816 d=d a=a b=b c=c sa=$factor sb=$second",
    "mma.s8.8816.rows (mma[shape=m8n8k16] a b c) => pack %a 0 a ; pack %c c.0 c.1 0 0 ; imma.16816 d=%d a=%a b=b c=%c sa=$factor sb=$second sat=$saturate ; pack d %d.0 %d.1",
    "mma.s8.8816.rows (mma[shape=m8n8k16] a b c) => pack %a a a ; pack %c c.0 c.1 0 0 ; imma.16816 d=%d a=%a b=b c=%c sa=$factor sb=$second sat=$saturate ; pack d %d.2 %d.3",
    "mma.s8.8816.rows (mma[shape=m8n8k16] a b c) => pack %a a 0 ; pack %c c.1 c.0 0 0 ; imma.16816 d=%d a=%a b=b c=%c sa=$factor sb=$second sat=$saturate ; pack d %d.0 %d.1",
    "ldmatrix (ldmatrix a) => ldsm d=d a=a n=$count tr=.M88",
    "fp8.f32 (tofp8[from=f32] a b) => f2fp.fp8.rr d=d a=b b=a sat=.SATFINITE ty=$fp8 relu=$relu",
];

#[test]
fn broken_rules_are_refuted() {
    let Some(mut z3) = z3("broken_rules_are_refuted") else { return };
    for text in BROKEN {
        let rows = parse("broken", text).unwrap_or_else(|e| panic!("{e}"));
        let outcome = prove_row(&rows[0], &mut z3);
        assert!(matches!(outcome.verdict, Verdict::Refuted(_)), "{text}: {:?}", outcome.verdict);
        sassafras_oracle::fault::planted("rules", &"-", text, 1, 1);
    }
    println!("{} broken rules refuted", BROKEN.len());
}
