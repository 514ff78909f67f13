//! Generators and reducing steps for every form.
