// A Direct3D 12, DXGI and DirectML that compute nothing and count everything that ONNX Runtime asks of them, for Wine.
//
// COM interfaces are tables of functions whose order Microsoft's public headers (d3d12.h, dxgi1_6.h, DirectML.h) fix; every object here
// has the table of its kind, in which each method that nobody needs answers S_OK. One object stands for all interfaces of its kind.
#ifndef KOEBAKO_COUNTING_DEVICE_H
#define KOEBAKO_COUNTING_DEVICE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum kind {
    FACTORY, ADAPTER, DEVICE, QUEUE, FENCE, RESOURCE, HEAP, DESCRIPTOR_HEAP, COMMAND_ALLOCATOR, COMMAND_LIST, OTHER,
    DML_DEVICE, DML_OPERATOR, DML_COMPILED, DML_INITIALIZER, DML_RECORDER, DML_BINDING, KINDS
};

enum { METHODS = 90, DESCRIPTION = 128, NOT_FOUND = (int)0x887A0002 };  // DXGI_ERROR_NOT_FOUND

typedef struct object {
    void **methods;
    LONG references;
    enum kind kind;
    char *memory;             // of a resource
    uint64_t size;            // of it, bytes
    char description[DESCRIPTION];
    volatile uint64_t value;  // of a fence
    int type;                 // of a command list
} object;

// What was asked for since the process began; the order is that of COUNTERS in directml_count.py.
extern struct counters {
    uint64_t created, compiled, compiled_graphs, initialised, dispatched, executed, copied, copied_bytes, resources;
} counters;

extern void *methods[KINDS][METHODS];
extern object *the_device, *the_dml_device;

object *made(enum kind kind);
HRESULT given(object *known, void **result);  // a further reference to an object that there is once
HRESULT ok(void);
HRESULT not_found(void);
void fill_dxgi(void);
void fill_d3d12(void);
void fill_directml(void);

#define METHOD(kind, slot, function) methods[kind][slot] = (void *)(function)
#define EXPORT __declspec(dllexport)

#endif
