"""CUDA's driver through ctypes: modules from PTX, memory, launches and times; no bindings are needed."""

import ctypes

_NAMES = {  # what the library exports for the names that headers use
    "cuMemAlloc": "cuMemAlloc_v2",
    "cuMemFree": "cuMemFree_v2",
    "cuMemcpyHtoD": "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH": "cuMemcpyDtoH_v2",
    "cuMemsetD8": "cuMemsetD8_v2",
    "cuEventDestroy": "cuEventDestroy_v2",
}
_LOG = 8192
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6  # CU_JIT_ERROR_LOG_BUFFER and its size
_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class Refused(Exception):
    """A call of the driver failed; the message has its name and what the driver says."""


class Driver:
    """The first device and its primary context, current in this thread."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", ctypes.c_uint(0))
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", name, 128, device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.name = f"{name.value.decode()}, CUDA {version.value // 1000}.{version.value % 1000 // 10}"
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.library, _NAMES.get(name, name))(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise Refused(f"{name}: {(text.value or b'').decode()} ({status})")

    def load(self, text):
        """A module of PTX text."""
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(_LOG)
        options = (ctypes.c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), _LOG)
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), text.encode() + b"\0", 2, options, values)
        except Refused as error:
            raise Refused(f"{error} {log.value.decode(errors='replace').strip()}") from None
        return module

    def unload(self, module):
        self.call("cuModuleUnload", module)

    def function(self, module, name, shared=0):
        """A kernel, allowed `shared` bytes of dynamic shared memory."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, _DYNAMIC_SHARED, shared)
        return function

    def buffer(self, size, byte=None):
        """Device memory of `size` bytes, each of them `byte` if that is given."""
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc", ctypes.byref(pointer), ctypes.c_size_t(max(size, 1)))
        if byte is not None:
            self.call("cuMemsetD8", pointer, ctypes.c_ubyte(byte), ctypes.c_size_t(max(size, 1)))
        return pointer

    def upload(self, buffer, array):
        self.call("cuMemcpyHtoD", buffer, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))

    def download(self, array, buffer):
        self.call("cuMemcpyDtoH", ctypes.c_void_p(array.ctypes.data), buffer, ctypes.c_size_t(array.nbytes))

    def free(self, buffer):
        self.call("cuMemFree", buffer)

    def launch(self, function, grid, block, arguments, shared=0):
        """Enqueues a kernel on the default stream; `arguments` are ctypes values."""
        places = (ctypes.c_void_p * max(1, len(arguments)))(*[ctypes.addressof(value) for value in arguments])
        self.call("cuLaunchKernel", function, *grid, *block, ctypes.c_uint(shared), None, places, None)

    def wait(self):
        self.call("cuCtxSynchronize")

    def event(self):
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(0))
        return event

    def record(self, event):
        self.call("cuEventRecord", event, None)

    def seconds(self, first, last):
        """The time between two recorded events; waits for the second."""
        self.call("cuEventSynchronize", last)
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), first, last)
        return milliseconds.value / 1e3
