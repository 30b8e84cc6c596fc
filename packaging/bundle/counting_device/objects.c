// Objects, their tables of methods, and the counters.
#include "device.h"

struct counters counters;
void *methods[KINDS][METHODS];
object *the_device, *the_dml_device;

HRESULT ok(void) { return S_OK; }

HRESULT not_found(void) { return NOT_FOUND; }

HRESULT given(object *known, void **result) {
    InterlockedIncrement(&known->references);
    *result = known;
    return S_OK;
}

static HRESULT query_interface(object *self, const GUID *wanted, void **result) {
    return result ? given(self, result) : E_POINTER;
}

static ULONG add_reference(object *self) { return InterlockedIncrement(&self->references); }

static ULONG release(object *self) {
    LONG left = InterlockedDecrement(&self->references);
    if (left > 0 || self == the_device || self == the_dml_device) return left < 0 ? 0 : left;
    if (self->memory) VirtualFree(self->memory, 0, MEM_RELEASE);
    free(self);
    return 0;
}

static HRESULT device_of(object *self, const GUID *wanted, void **result) { return given(the_device, result); }

static HRESULT dml_device_of(object *self, const GUID *wanted, void **result) { return given(the_dml_device, result); }

static void fill(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        for (int slot = 0; slot < METHODS; slot++) METHOD(kind, slot, ok);
        METHOD(kind, 0, query_interface);
        METHOD(kind, 1, add_reference);
        METHOD(kind, 2, release);
        METHOD(kind, 3, not_found);  // private data
        if (kind >= QUEUE && kind <= OTHER) METHOD(kind, 7, device_of);
        if (kind >= DML_OPERATOR) METHOD(kind, 7, dml_device_of);
    }
    fill_dxgi();
    fill_d3d12();
    fill_directml();
}

object *made(enum kind kind) {
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    BOOL first = FALSE;
    InitOnceBeginInitialize(&once, 0, &first, NULL);
    if (first) {
        fill();
        InitOnceComplete(&once, 0, NULL);
    }
    object *self = calloc(1, sizeof *self);
    self->methods = methods[kind];
    self->references = 1;
    self->kind = kind;
    return self;
}

EXPORT void ReadCounters(uint64_t *values) { memcpy(values, &counters, sizeof counters); }
