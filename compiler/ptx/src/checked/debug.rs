//! Where instructions come from: `.file`, `.loc` and the strings of `.section .debug_str` (PTX ISA, "Debugging Directives").

/// What a module says about its source, beside the [`Location`]s of its functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Debug {
    /// `.file`, by rising index.
    pub files: Vec<SourceFile>,
    /// The bytes of `.section .debug_str`: names that end in zero. Empty when there is none.
    pub strings: Vec<u8>,
    /// Names of the other debug sections, in order, each once. Nothing reads them: ptxas 13.0.88 leaves them out too,
    /// but for `-g`.
    pub other_sections: Vec<String>,
}

/// `.file index "name", time, size`
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// What `.loc` calls it.
    pub index: u32,
    /// Its path as written.
    pub name: String,
    /// Time of its last change in seconds since 1970; 0 if not given.
    pub time: u64,
    /// Its size in bytes; 0 if not given.
    pub size: u64,
}

/// `.loc`: where the instructions behind it come from, up to the next one or the end of the function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// How many instructions of the function stand before it.
    pub before: u32,
    /// Index of a `.file`, which need not exist.
    pub file: u32,
    /// 1-based line in that file; 0 says that what follows comes from no line.
    pub line: u32,
    /// 1-based column; 0 if none.
    pub column: u32,
    /// Of code that the front end inlined: into what.
    pub inlined: Option<Inlined>,
}

/// `function_name label, inlined_at file line column`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inlined {
    /// Where the name of the function stands that was inlined, as a byte offset in [`Debug::strings`].
    pub function: u32,
    /// The call: file, line and column of an earlier `.loc`.
    pub at: [u32; 3],
}

impl Debug {
    /// The file that `.loc` calls `index`.
    pub fn file(&self, index: u32) -> Option<&SourceFile> {
        let at = self.files.binary_search_by_key(&index, |file| file.index).ok()?;
        self.files.get(at)
    }
}
