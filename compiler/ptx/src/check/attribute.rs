//! `.attribute( … )` of variables (PTX ISA 4.0, "Variable and Function Attribute Directive").

use super::Checker;
use crate::ast;
use crate::diagnostics::Code;
use crate::table::Since;
use sassafras_semantics::Space;

/// The first version and target that have `.managed` (PTX ISA, "Variable and Function Attribute Directive: .attribute").
const MANAGED: Since = Since::new(4, 0, 30);

impl Checker {
    /// Whether a variable is managed; what else is asked for is refused.
    pub(super) fn managed(&mut self, v: &ast::Variable, space: Space) -> bool {
        let mut managed = false;
        for attribute in &v.attributes {
            let name = &attribute.name;
            match name.text.as_str() {
                "managed" if space != Space::Global => {
                    self.error(Code::BadDirective, name.span, "`.managed` is for variables in `.global`");
                }
                "managed" if !attribute.args.is_empty() => {
                    self.error(Code::BadDirective, name.span, "`.managed` takes no arguments");
                }
                "managed" => {
                    self.need(name.span, ".attribute(.managed)", MANAGED, true);
                    managed = true;
                }
                other => {
                    let message = format!("`.attribute(.{other})` is not supported yet");
                    self.error(Code::UnsupportedDirective, name.span, message);
                }
            }
        }
        managed
    }
}
