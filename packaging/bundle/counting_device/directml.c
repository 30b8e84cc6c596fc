// DirectML: operators are made, compiled and dispatched, and each of it is counted.
#include "device.h"

enum { FEATURE_TENSOR_TYPES, FEATURE_LEVELS, HIGHEST_LEVEL = 0x6400 };  // every type of tensor is said to be supported; level 6.4

static HRESULT feature_support(object *self, int feature, UINT asked_size, const void *asked, UINT size, uint32_t *told) {
    memset(told, 0, size);
    if (feature == FEATURE_TENSOR_TYPES) *told = TRUE;
    if (feature == FEATURE_LEVELS) *told = HIGHEST_LEVEL;
    return S_OK;
}

static HRESULT create_operator(object *self, const void *description, const GUID *wanted, void **result) {
    counters.created++;
    if (result) *result = made(DML_OPERATOR);
    return S_OK;
}

static HRESULT compile_operator(object *self, object *what, int flags, const GUID *wanted, void **result) {
    counters.compiled++;
    if (result) *result = made(DML_COMPILED);
    return result ? S_OK : S_FALSE;
}

static HRESULT compile_graph(object *self, const void *description, int flags, const GUID *wanted, void **result) {
    counters.compiled_graphs++;
    if (result) *result = made(DML_COMPILED);
    return S_OK;
}

static HRESULT create_initializer(object *self, UINT count, void **operators, const GUID *wanted, void **result) {
    counters.initialised++;
    *result = made(DML_INITIALIZER);
    return S_OK;
}

static HRESULT create_recorder(object *self, const GUID *wanted, void **result) {
    *result = made(DML_RECORDER);
    return S_OK;
}

static HRESULT create_binding(object *self, const void *description, const GUID *wanted, void **result) {
    *result = made(DML_BINDING);
    return S_OK;
}

static void *binding_properties(object *self, uint64_t *told) {
    told[0] = 1;  // one descriptor, no memory for intermediate or lasting results
    told[1] = told[2] = 0;
    return told;
}

static HRESULT reset_initializer(object *self, UINT count, void **operators) {
    counters.initialised++;
    return S_OK;
}

static void record_dispatch(object *self, void *list, void *what, void *binding) { counters.dispatched++; }

static HRESULT parent_device(object *self, const GUID *wanted, void **result) { return given(the_device, result); }

void fill_directml(void) {
    METHOD(DML_DEVICE, 7, feature_support);
    METHOD(DML_DEVICE, 8, create_operator);
    METHOD(DML_DEVICE, 9, compile_operator);
    METHOD(DML_DEVICE, 10, create_initializer);
    METHOD(DML_DEVICE, 11, create_recorder);
    METHOD(DML_DEVICE, 12, create_binding);
    METHOD(DML_DEVICE, 16, parent_device);
    METHOD(DML_DEVICE, 17, compile_graph);  // IDMLDevice1
    METHOD(DML_COMPILED, 8, binding_properties);
    METHOD(DML_INITIALIZER, 8, binding_properties);
    METHOD(DML_INITIALIZER, 9, reset_initializer);
    METHOD(DML_RECORDER, 8, record_dispatch);
}

EXPORT HRESULT DMLCreateDevice1(void *device, int flags, int lowest_level, const GUID *wanted, void **result) {
    the_device = device;
    if (!the_dml_device) the_dml_device = made(DML_DEVICE);
    return result ? given(the_dml_device, result) : S_FALSE;
}

EXPORT HRESULT DMLCreateDevice(void *device, int flags, const GUID *wanted, void **result) {
    return DMLCreateDevice1(device, flags, 0, wanted, result);
}
