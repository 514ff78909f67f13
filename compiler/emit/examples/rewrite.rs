//! Reads a cubin, writes it again, and says what the model only carries along.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(input), Some(output)) = (args.next(), args.next()) else {
        return Err("usage: rewrite IN.cubin OUT.cubin".into());
    };
    let cubin = sassafras_cubin::read(&std::fs::read(input)?)?;
    for s in &cubin.sections {
        println!("kept section {}", s.name);
    }
    for s in &cubin.symbols {
        println!("kept symbol `{}` {:#x}", s.name, s.info);
    }
    for r in cubin.functions.iter().flat_map(|f| &f.attributes).chain(&cubin.attributes) {
        println!("kept attribute {:#04x}", r.id);
    }
    let bytes = sassafras_emit::write(&cubin)?;
    let again = sassafras_cubin::read(&bytes)?;
    println!("{}", if again == cubin { "same" } else { "DIFFERENT" });
    if again != cubin {
        println!("{cubin:#x?}\n{again:#x?}");
    }
    std::fs::write(output, bytes)?;
    Ok(())
}
