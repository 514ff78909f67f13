//! Attributes of operations on textures and surfaces, as texts of the fields of SASS.

use super::value::Attribute;
use sassafras_chip::Strengths;
use sassafras_semantics::Opaque;

/// The strength of an access to a surface.
pub fn order(op: Opaque, text: Strengths) -> Attribute {
    Attribute::Text(if op.has("sys") { text.system } else { text.block })
}

/// Attribute `name` of an operation; `None` if no word of its own says it.
pub fn attribute(op: Opaque, name: &str) -> Option<Attribute> {
    let surface = op.head() == "surface";
    let table: &[(&str, &str)] = match (name, surface) {
        ("dim", false) => &[
            ("1d", "1D"),
            ("2d", "2D"),
            ("3d", "3D"),
            ("cube", "CUBE"),
            ("a1d", "ARRAY_1D"),
            ("a2d", "ARRAY_2D"),
            ("acube", "ARRAY_CUBE"),
        ],
        ("dim", true) => {
            &[("1d", ".1D"), ("2d", ".2D"), ("3d", ".3D"), ("a1d", ".1D_ARRAY"), ("a2d", ".2D_ARRAY")]
        }
        ("component", false) => &[("r", ".R"), ("g", ".G"), ("b", ".B"), ("a", ".A")],
        ("component", true) => &[("r", ".R"), ("rg", ".RG"), ("rgba", "")],
        ("edge", true) => &[("clamp", ""), ("trap", ".TRAP"), ("zero", ".IGN")],
        ("size", true) => &[("b8", ".U8"), ("b16", ".U16"), ("b32", ""), ("b64", ".64"), ("b128", ".128")],
        ("operation", true) => &[
            ("add", ".ADD"),
            ("umin", ".MIN"),
            ("umax", ".MAX"),
            ("smin", ".MIN"),
            ("smax", ".MAX"),
            ("min", ".MIN"),
            ("max", ".MAX"),
            ("and", ".AND"),
            ("or", ".OR"),
        ],
        ("number", true) => return Some(Attribute::Text(number(op))),
        _ => return None,
    };
    table.iter().find(|(word, _)| op.has(word)).map(|(_, text)| Attribute::Text(text))
}

/// The type of a reduction.
fn number(op: Opaque) -> &'static str {
    let signed = op.has("smin") || op.has("smax");
    match (op.has("b64"), op.has("pixel")) {
        (true, _) if signed => ".S64",
        (true, _) => ".U64",
        (false, true) if op.has("min") || op.has("max") => ".SD32",
        (false, _) if signed => ".S32",
        (false, _) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_chip::Chip;

    #[test]
    fn words_become_texts() {
        let of = |op: &str, name: &str| attribute(Opaque::named(op).expect("a row"), name);
        let text = |t: &'static str| Some(Attribute::Text(t));
        assert_eq!(of("texture.level.a2d.offset", "dim"), text("ARRAY_2D"));
        assert_eq!(of("gather.a.2d", "component"), text(".A"));
        let order = |op: &str, chip: Chip| order(Opaque::named(op).expect("a row"), chip.strengths());
        assert_eq!(order("surface.load.sys.3d.b64.trap", Chip::Sm90), Attribute::Text(".STRONG.SYS"));
        assert_eq!(order("surface.load.3d.b64.trap", Chip::Sm75), Attribute::Text(".STRONG.CTA"));
        assert_eq!(of("surface.reduce.smax.1d.b32.zero", "number"), text(".S32"));
        assert_eq!(of("surface.reduce.pixel.min.1d.zero", "number"), text(".SD32"));
        assert_eq!(of("texquery", "dim"), None);
    }
}
