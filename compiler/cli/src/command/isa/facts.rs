//! A form as JSON, and the latencies that its pipe has.

use sassafras_chip::latency::{self, Hazard};
use sassafras_isa::{Chip, Form, FormId, Inst, Style, Units, print};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Everything the table says about a form.
pub fn record(id: FormId, chip: Option<Chip>) -> Value {
    let form = id.get();
    let fixed: Vec<Value> = (12..105u32)
        .filter(|bit| form.mask >> bit & 1 == 1)
        .map(|bit| json!({ "bit": bit, "value": (form.value >> bit & 1) as u8 }))
        .collect();
    let fields: Vec<Value> = form
        .fields
        .iter()
        .map(|field| {
            let values: serde_json::Map<String, Value> = field
                .texts
                .iter()
                .enumerate()
                .filter_map(|(i, text)| Some((i.to_string(), Value::from((*text)?))))
                .collect();
            let registers = match &field.units {
                Units::Fixed(n) => json!(n),
                Units::By { terms, count } => {
                    let term = |(field, weights): &(usize, Vec<u8>)| {
                        json!({ "field": form.fields[*field].name, "weights": weights })
                    };
                    let terms: Vec<Value> = terms.iter().map(term).collect();
                    json!({ "by": terms, "count": count })
                }
            };
            json!({ "name": field.name, "kind": format!("{:?}", field.kind), "bits": field.bits,
                "default": field.default, "values": values, "registers": registers,
                "read": field.read, "write": field.write })
        })
        .collect();
    let chips: Vec<String> =
        Chip::ALL.into_iter().filter(|c| form.chips.contains(*c)).map(|c| c.to_string()).collect();
    json!({
        "form": form.id,
        "mnemonic": form.mnemonic,
        "chips": chips,
        "opcode": form.opcode,
        "fixed": fixed,
        "text": print(&Inst::new(id), &Style::default()),
        "meaning": format!("{:?}", form.meaning),
        "pipe": form.pipe.to_string(),
        "scoreboard": format!("{:?}", form.scoreboard),
        "control_flow": form.control_flow.map(|c| format!("{c:?}")),
        "memory": form.memory.map(|m| format!("{:?} {:?}", m.kind, m.space)),
        "uniform": form.uniform,
        "fields": fields,
        "control": { "write_barrier": form.control.write_barrier, "read_barrier": form.control.read_barrier,
            "reuse": form.control.reuse },
        "never": form.never(),
        "latency": latencies(form, chip),
        "source": form.source,
        "description": sassafras_isa::describe(id),
    })
}

/// One number of the latency table.
fn latencies(form: &Form, chip: Option<Chip>) -> Vec<Value> {
    rows(form, chip)
        .map(|(chip, row)| {
            json!({ "chip": chip.to_string(), "after": row.producer.to_string(), "before": row.consumer.to_string(),
                "hazard": format!("{:?}", row.kind.hazard), "operand": format!("{:?}", row.kind.operand),
                "cycles": row.cycles, "source": row.source.to_string() })
        })
        .collect()
}

fn rows(form: &Form, chip: Option<Chip>) -> impl Iterator<Item = (Chip, &'static latency::Row)> {
    let chip = chip.filter(|c| form.chips.contains(*c)).unwrap_or_else(|| form.home());
    let (pipe, whole) = (form.pipe, form.pipe.whole());
    let rows = latency::rows(chip).iter();
    rows.filter(move |row| row.producer == pipe || row.producer == whole).map(move |row| (chip, row))
}

/// The cycles that must pass after the form before others may read its results, for people.
pub fn waits(form: &Form, chip: Option<Chip>) -> String {
    let mut groups: BTreeMap<(String, u8, String), Vec<String>> = BTreeMap::new();
    let mut on = None;
    for (chip, row) in rows(form, chip).filter(|(_, row)| row.kind.hazard == Hazard::Raw) {
        on = Some(chip);
        let operand = format!("{:?}", row.kind.operand).to_lowercase();
        groups
            .entry((operand, row.cycles, row.source.to_string()))
            .or_default()
            .push(row.consumer.to_string());
    }
    let mut out = String::new();
    if let Some(chip) = on {
        let _ = writeln!(out, "  results    on {chip}, in cycles from issue to issue:");
    }
    for ((operand, cycles, source), mut consumers) in groups {
        consumers.sort();
        consumers.dedup();
        let _ = writeln!(out, "    {operand:<17} {cycles:>2} before {}  ({source})", consumers.join(" "));
    }
    out
}
