//! Terms and solvers: PTX against SASS.
