//! Findings as SARIF 2.1.0 (OASIS), which code hosts show beside the lines.

use serde_json::{Value, json};

/// A kind of finding.
pub struct Rule {
    /// Its stable id.
    pub id: String,
    /// What it says, as a sentence.
    pub about: String,
}

/// A finding.
pub struct Finding {
    /// The id of its rule.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub level: &'static str,
    /// What is found.
    pub message: String,
    /// The file.
    pub file: String,
    /// 1-based line; none of a finding about the whole file.
    pub line: Option<u32>,
    /// More, for programs.
    pub properties: Value,
}

/// The log of one run.
pub fn log(rules: &[Rule], findings: &[Finding]) -> Value {
    let rules: Vec<Value> =
        rules.iter().map(|r| json!({ "id": r.id, "shortDescription": { "text": r.about } })).collect();
    let result = |f: &Finding| {
        let mut place = json!({ "artifactLocation": { "uri": f.file } });
        if let Some(line) = f.line {
            place["region"] = json!({ "startLine": line });
        }
        json!({
            "ruleId": f.rule,
            "level": f.level,
            "message": { "text": f.message },
            "locations": [{ "physicalLocation": place }],
            "properties": f.properties,
        })
    };
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": { "driver": { "name": "sassafras", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}
