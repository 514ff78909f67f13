//! Runs cubins on a GPU through libcuda, where there is one.
