/* Linux lets a process use AMX only if it asks; Wine 8 does not, and ONNX Runtime ends with an illegal instruction. Loaded into every process
   under Wine (LD_PRELOAD), because the permission is lost with each exec. Windows asks by itself. Needs no header of the C library. */

enum { ARCH_PRCTL = 158, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };

__attribute__((constructor)) static void ask(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"((long)ARCH_PRCTL), "D"((long)REQUEST_PERMISSION), "S"((long)TILE_DATA) : "rcx", "r11", "memory");
}
