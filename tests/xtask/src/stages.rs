//! What each stage of a compilation did and which judge passed it, from the JSON that `compile --report` writes.

use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// The table for the first file of the report at `path`.
pub fn table(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(of(&serde_json::from_str(&text)?))
}

fn of(report: &Value) -> String {
    let file = &report["files"][0];
    let empty = Vec::new();
    let phases = file["phases"].as_array().unwrap_or(&empty);
    let judges = file["judges"].as_array().unwrap_or(&empty);
    let mut stages: Vec<&str> = Vec::new();
    for stage in phases.iter().map(|p| word(&p["phase"])).chain(judges.iter().map(|j| word(&j["stage"]))) {
        if !stages.contains(&stage) {
            stages.push(stage);
        }
    }
    let mut out = String::new();
    for stage in stages {
        let did: Vec<String> = phases
            .iter()
            .filter(|p| word(&p["phase"]) == stage)
            .filter_map(|p| p["numbers"].as_object())
            .flat_map(|n| n.iter().map(|(name, n)| format!("{name} {n}")))
            .collect();
        let passed: Vec<String> = judges.iter().filter(|j| word(&j["stage"]) == stage).map(opinion).collect();
        out += &format!("   {stage:<12} {:<60} | {}\n", did.join(", "), passed.join("; "));
    }
    out
}

fn opinion(judge: &Value) -> String {
    let reason = judge["reason"].as_str().map(|r| format!(" ({r})")).unwrap_or_default();
    format!("{}: {}{reason}", word(&judge["judge"]), word(&judge["verdict"]))
}

fn word(v: &Value) -> &str {
    v.as_str().unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_stage_has_its_line() {
        let report = json!({"files": [{
            "phases": [{"phase": "lower", "function": "k", "numbers": {"blocks": 3}}, {"phase": "schedule", "numbers": {}}],
            "judges": [
                {"judge": "check", "stage": "lower", "verdict": "passed", "reason": null},
                {"judge": "hazard", "stage": "schedule", "verdict": "unknown", "reason": "no latency"},
            ],
        }]});
        let text = of(&report);
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("blocks 3") && text.contains("check: passed"));
        assert!(text.contains("hazard: unknown (no latency)"));
    }
}
