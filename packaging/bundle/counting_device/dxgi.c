// One graphics adapter, as DXGI lists it.
#include "device.h"

enum { ADAPTER_MEMORY_GB = 8, SHARED_MEMORY_GB = 16, ADAPTER_LUID = 77 };

typedef struct {
    WCHAR name[128];
    UINT vendor, device, subsystem, revision;
    SIZE_T memory, system_memory, shared_memory;
    LUID luid;
    UINT flags;
} description;

static HRESULT adapter_at(object *self, UINT index, void **result) {
    *result = index ? NULL : made(ADAPTER);
    return index ? NOT_FOUND : S_OK;
}

static HRESULT adapter_by_preference(object *self, UINT index, int preference, const GUID *wanted, void **result) {
    return adapter_at(self, index, result);
}

static HRESULT adapter_by_luid(object *self, LUID luid, const GUID *wanted, void **result) { return adapter_at(self, 0, result); }

static void describe(description *told) {
    memset(told, 0, sizeof *told);
    wcscpy(told->name, L"Counting device");
    told->vendor = 0x1002;
    told->device = 0x73ff;
    told->memory = (SIZE_T)ADAPTER_MEMORY_GB << 30;
    told->shared_memory = (SIZE_T)SHARED_MEMORY_GB << 30;
    told->luid.LowPart = ADAPTER_LUID;
}

static HRESULT describe_with_flags(object *self, description *told) {
    describe(told);
    return S_OK;
}

static HRESULT describe_without_flags(object *self, void *told) {
    description whole;
    describe(&whole);
    memcpy(told, &whole, offsetof(description, flags));
    return S_OK;
}

void fill_dxgi(void) {
    METHOD(FACTORY, 7, adapter_at);              // IDXGIFactory::EnumAdapters
    METHOD(FACTORY, 12, adapter_at);             // IDXGIFactory1::EnumAdapters1
    METHOD(FACTORY, 26, adapter_by_luid);        // IDXGIFactory4::EnumAdapterByLuid
    METHOD(FACTORY, 29, adapter_by_preference);  // IDXGIFactory6::EnumAdapterByGpuPreference
    METHOD(ADAPTER, 7, not_found);               // IDXGIAdapter::EnumOutputs
    METHOD(ADAPTER, 8, describe_without_flags);  // IDXGIAdapter::GetDesc
    METHOD(ADAPTER, 10, describe_with_flags);    // IDXGIAdapter1::GetDesc1
}

static HRESULT factory(void **result) {
    *result = made(FACTORY);
    return S_OK;
}

EXPORT HRESULT CreateDXGIFactory(const GUID *wanted, void **result) { return factory(result); }
EXPORT HRESULT CreateDXGIFactory1(const GUID *wanted, void **result) { return factory(result); }
EXPORT HRESULT CreateDXGIFactory2(UINT flags, const GUID *wanted, void **result) { return factory(result); }
EXPORT HRESULT DXGIGetDebugInterface1(UINT flags, const GUID *wanted, void **result) { return E_NOINTERFACE; }
