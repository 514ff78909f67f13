//! The driver API (CUDA Driver API reference manual), as much of it as a launch needs.
#![allow(unsafe_code)]

use anyhow::{Context as _, Result, bail};
use libloading::{Library, Symbol};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

/// libcuda with a context on device 0.
pub struct Cuda {
    library: Library,
}

/// A loaded module; unloaded when dropped.
pub struct Module<'c> {
    cuda: &'c Cuda,
    handle: *mut c_void,
}

/// Device memory; freed when dropped.
pub struct Memory<'c> {
    cuda: &'c Cuda,
    /// Its address.
    pub address: u64,
    bytes: usize,
}

type Status = c_int;

impl Cuda {
    /// Loads libcuda and makes a context.
    ///
    /// # Errors
    /// When there is no libcuda, no device, or the driver refuses.
    pub fn open() -> Result<Cuda> {
        // SAFETY: loading libcuda runs its initialisers, which have no preconditions.
        let library = unsafe { Library::new("libcuda.so.1") }.context("libcuda.so.1 cannot be loaded")?;
        let cuda = Cuda { library };
        let (mut device, mut context): (c_int, *mut c_void) = (0, null_mut());
        // SAFETY: the signatures are those of the manual; out-pointers are valid for the calls.
        unsafe {
            cuda.check("cuInit", cuda.get::<unsafe extern "C" fn(c_uint) -> Status>(b"cuInit")?(0))?;
            let get = cuda.get::<unsafe extern "C" fn(*mut c_int, c_int) -> Status>(b"cuDeviceGet")?;
            cuda.check("cuDeviceGet", get(&mut device, 0))?;
            type Create = unsafe extern "C" fn(*mut *mut c_void, c_uint, c_int) -> Status;
            let create = cuda.get::<Create>(b"cuCtxCreate_v2")?;
            cuda.check("cuCtxCreate", create(&mut context, 0, device))?;
        }
        Ok(cuda)
    }

    /// The device's name.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn device_name(&self) -> Result<String> {
        let mut name = [0u8; 256];
        // SAFETY: the buffer has the length that is passed.
        unsafe {
            let get =
                self.get::<unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status>(b"cuDeviceGetName")?;
            self.check("cuDeviceGetName", get(name.as_mut_ptr().cast(), 256, 0))?;
        }
        let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }

    /// Loads a cubin.
    ///
    /// # Errors
    /// When the driver does not accept it.
    pub fn module(&self, cubin: &[u8]) -> Result<Module<'_>> {
        let mut handle = null_mut();
        // The driver reads the image by the sizes in its header; it need not be aligned, but alignment is free.
        let mut image = vec![0u64; cubin.len().div_ceil(8) + 1];
        // SAFETY: `image` has room for all bytes of `cubin`; the driver copies what it needs during the call.
        unsafe {
            std::ptr::copy_nonoverlapping(cubin.as_ptr(), image.as_mut_ptr().cast(), cubin.len());
            let load = self.get::<unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> Status>(
                b"cuModuleLoadData",
            )?;
            self.check("cuModuleLoadData", load(&mut handle, image.as_ptr().cast()))?;
        }
        Ok(Module { cuda: self, handle })
    }

    /// Allocates memory and copies `bytes` there.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn memory(&self, bytes: &[u8]) -> Result<Memory<'_>> {
        let mut address = 0u64;
        // SAFETY: out-pointer and source are valid for the calls.
        unsafe {
            let alloc = self.get::<unsafe extern "C" fn(*mut u64, usize) -> Status>(b"cuMemAlloc_v2")?;
            self.check("cuMemAlloc", alloc(&mut address, bytes.len().max(1)))?;
            let memory = Memory { cuda: self, address, bytes: bytes.len() };
            let copy =
                self.get::<unsafe extern "C" fn(u64, *const c_void, usize) -> Status>(b"cuMemcpyHtoD_v2")?;
            self.check("cuMemcpyHtoD", copy(address, bytes.as_ptr().cast(), bytes.len()))?;
            Ok(memory)
        }
    }

    unsafe fn get<T>(&self, name: &[u8]) -> Result<Symbol<'_, T>> {
        // SAFETY: the caller names the type that the manual gives the symbol.
        unsafe { self.library.get(name) }
            .with_context(|| format!("libcuda has no {}", String::from_utf8_lossy(name)))
    }

    fn check(&self, call: &str, status: Status) -> Result<()> {
        if status != 0 {
            bail!("{call} failed with {status}");
        }
        Ok(())
    }
}

impl Module<'_> {
    /// Launches an entry and waits; milliseconds that it ran, by events.
    ///
    /// # Errors
    /// When there is no such entry, or the launch fails.
    pub fn launch(
        &self,
        entry: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        cells: &mut [u64],
    ) -> Result<f32> {
        type Launch = unsafe extern "C" fn(
            *mut c_void,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            *mut c_void,
            *mut *mut c_void,
            *mut *mut c_void,
        ) -> Status;
        type Event = unsafe extern "C" fn(*mut c_void, *mut c_void) -> Status;
        let name = CString::new(entry)?;
        let (mut function, mut begin, mut end) = (null_mut(), null_mut(), null_mut());
        let mut pointers: Vec<*mut c_void> = cells.iter_mut().map(|c| std::ptr::from_mut(c).cast()).collect();
        let mut milliseconds = 0f32;
        let cuda = self.cuda;
        // SAFETY: handles come from the driver; parameter cells outlive the launch, which is waited for.
        unsafe {
            type Find = unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const c_char) -> Status;
            let find = cuda.get::<Find>(b"cuModuleGetFunction")?;
            cuda.check("cuModuleGetFunction", find(&mut function, self.handle, name.as_ptr()))?;
            let create =
                cuda.get::<unsafe extern "C" fn(*mut *mut c_void, c_uint) -> Status>(b"cuEventCreate")?;
            cuda.check("cuEventCreate", create(&mut begin, 0))?;
            cuda.check("cuEventCreate", create(&mut end, 0))?;
            let record = cuda.get::<Event>(b"cuEventRecord")?;
            cuda.check("cuEventRecord", record(begin, null_mut()))?;
            let launch = cuda.get::<Launch>(b"cuLaunchKernel")?;
            let status = launch(
                function,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared,
                null_mut(),
                pointers.as_mut_ptr(),
                null_mut(),
            );
            cuda.check("cuLaunchKernel", status)?;
            cuda.check("cuEventRecord", record(end, null_mut()))?;
            let wait = cuda.get::<unsafe extern "C" fn() -> Status>(b"cuCtxSynchronize")?;
            cuda.check("cuCtxSynchronize", wait())?;
            type Elapsed = unsafe extern "C" fn(*mut f32, *mut c_void, *mut c_void) -> Status;
            let elapsed = cuda.get::<Elapsed>(b"cuEventElapsedTime")?;
            cuda.check("cuEventElapsedTime", elapsed(&mut milliseconds, begin, end))?;
        }
        Ok(milliseconds)
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is the driver's and is not used again.
        unsafe {
            if let Ok(unload) =
                self.cuda.get::<unsafe extern "C" fn(*mut c_void) -> Status>(b"cuModuleUnload")
            {
                unload(self.handle);
            }
        }
    }
}

impl Memory<'_> {
    /// Copies the contents back.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.bytes];
        // SAFETY: the destination has the length that is passed.
        unsafe {
            let copy = self
                .cuda
                .get::<unsafe extern "C" fn(*mut c_void, u64, usize) -> Status>(b"cuMemcpyDtoH_v2")?;
            self.cuda.check("cuMemcpyDtoH", copy(bytes.as_mut_ptr().cast(), self.address, bytes.len()))?;
        }
        Ok(bytes)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: the address is the driver's and is not used again.
        unsafe {
            if let Ok(free) = self.cuda.get::<unsafe extern "C" fn(u64) -> Status>(b"cuMemFree_v2") {
                free(self.address);
            }
        }
    }
}
