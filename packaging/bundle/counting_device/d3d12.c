// Direct3D 12: memory is ordinary memory, copies are made and counted, fences are passed at once.
#include "device.h"

enum { FEATURE_OPTIONS = 0, FEATURE_ARCHITECTURE = 1, FEATURE_LEVELS = 2, FEATURE_GPU_ADDRESSES = 6, FEATURE_OPTIONS4 = 23, LEVEL_12_1 = 0xc100 };
enum { ADDRESS_BITS = 40, DESCRIPTOR_BYTES = 32, ALIGNMENT = 65536, ADAPTER_LUID = 77 };

typedef struct {  // D3D12_RESOURCE_DESC
    int dimension;
    uint64_t alignment, width;
    UINT height;
    USHORT depth, mips;
    int format;
    UINT samples, quality;
    int layout, flags;
} resource_description;

static HRESULT keep(enum kind kind, const void *description, size_t size, void **result) {
    object *one = made(kind);
    memcpy(one->description, description, size);
    *result = one;
    return S_OK;
}

static void *told_again(object *self, void *told, size_t size) { return memcpy(told, self->description, size); }

static HRESULT create_queue(object *self, const void *description, const GUID *wanted, void **result) {
    return keep(QUEUE, description, 16, result);
}

static HRESULT create_allocator(object *self, int type, const GUID *wanted, void **result) {
    *result = made(COMMAND_ALLOCATOR);
    return S_OK;
}

static HRESULT create_list(object *self, UINT node, int type, void *allocator, void *state, const GUID *wanted, void **result) {
    object *list = made(COMMAND_LIST);
    list->type = type;
    *result = list;
    return S_OK;
}

static HRESULT create_pipeline(object *self, void *description, const GUID *wanted, void **result) {
    *result = made(OTHER);
    return S_OK;
}

static HRESULT create_root_signature(object *self, UINT node, void *blob, SIZE_T size, const GUID *wanted, void **result) {
    *result = made(OTHER);
    return S_OK;
}

static HRESULT create_descriptor_heap(object *self, const void *description, const GUID *wanted, void **result) {
    return keep(DESCRIPTOR_HEAP, description, 16, result);
}

static HRESULT create_heap(object *self, const void *description, const GUID *wanted, void **result) {
    return keep(HEAP, description, 48, result);
}

static HRESULT feature_support(object *self, int feature, uint32_t *told, UINT size) {
    if (feature == FEATURE_LEVELS) {
        told[4] = LEVEL_12_1;  // behind the count and the address of the levels that are asked about
    } else if (feature == FEATURE_ARCHITECTURE) {
        told[1] = told[2] = told[3] = FALSE;  // memory of its own
    } else if (feature == FEATURE_GPU_ADDRESSES) {
        told[0] = told[1] = ADDRESS_BITS;
    } else {
        memset(told, 0, size);
        if (feature == FEATURE_OPTIONS) {
            told[0] = told[1] = TRUE;  // double precision, logic operations
            told[2] = 2;
            told[3] = told[4] = 3;        // the most of tiled resources and of bindings
            told[size / 4 - 1] = 2;       // heaps that hold every kind of resource
        } else if (feature == FEATURE_OPTIONS4) {
            told[2] = TRUE;  // 16-bit numbers in shaders
        }
    }
    return S_OK;
}

static UINT descriptor_size(object *self, int type) { return DESCRIPTOR_BYTES; }

static HRESULT create_resource(const resource_description *described, void **result) {
    object *one = made(RESOURCE);
    memcpy(one->description, described, sizeof *described);
    one->size = described->width;
    one->memory = VirtualAlloc(NULL, one->size ? one->size : 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    counters.resources++;
    *result = one;
    return one->memory ? S_OK : E_OUTOFMEMORY;
}

static HRESULT create_committed(object *self, const void *heap, int flags, const resource_description *described, int state,
                                const void *clear, const GUID *wanted, void **result) {
    return create_resource(described, result);
}

static HRESULT create_placed(object *self, void *heap, uint64_t offset, const resource_description *described, int state,
                             const void *clear, const GUID *wanted, void **result) {
    return create_resource(described, result);
}

static HRESULT create_reserved(object *self, const resource_description *described, int state, const void *clear, const GUID *wanted,
                               void **result) {
    return create_resource(described, result);
}

static HRESULT create_fence(object *self, uint64_t value, int flags, const GUID *wanted, void **result) {
    object *fence = made(FENCE);
    fence->value = value;
    *result = fence;
    return S_OK;
}

static LUID *adapter_luid(object *self, LUID *told) {
    told->LowPart = ADAPTER_LUID;
    told->HighPart = 0;
    return told;
}

static void *heap_properties(object *self, void *told, UINT node, int type) { return memset(told, 0, 20); }

static void *allocation_info(object *self, uint64_t *told, UINT node, UINT count, const resource_description *described) {
    told[0] = described->width;
    told[1] = ALIGNMENT;
    return told;
}

static HRESULT map(object *self, UINT part, void *range, void **result) {
    if (result) *result = self->memory;
    return S_OK;
}

static void *describe_resource(object *self, void *told) { return told_again(self, told, sizeof(resource_description)); }
static void *describe_heap(object *self, void *told) { return told_again(self, told, 48); }
static void *describe_small(object *self, void *told) { return told_again(self, told, 16); }

static uint64_t gpu_address(object *self) { return (uint64_t)self->memory; }

static uint64_t *first_descriptor(object *self, uint64_t *told) {
    *told = (uint64_t)self;
    return told;
}

static void execute_lists(object *self, UINT count, void **lists) { counters.executed++; }

static HRESULT signal_fence(object *self, object *fence, uint64_t value) {
    fence->value = value;
    return S_OK;
}

static HRESULT timestamp_frequency(object *self, uint64_t *told) {
    *told = 1000000;
    return S_OK;
}

static uint64_t completed_value(object *self) { return self->value; }

static HRESULT set_event(object *self, uint64_t value, HANDLE event) {
    if (event) SetEvent(event);
    return S_OK;
}

static HRESULT signal_value(object *self, uint64_t value) {
    self->value = value;
    return S_OK;
}

static int list_type(object *self) { return self->type; }

static void copy_buffer(object *self, object *target, uint64_t to, object *source, uint64_t from, uint64_t size) {
    counters.copied++;
    counters.copied_bytes += size;
    if (!target->memory || !source->memory) return;
    if (to + size <= target->size && from + size <= source->size) memcpy(target->memory + to, source->memory + from, size);
}

static void fill_device(void) {
    METHOD(DEVICE, 8, create_queue);
    METHOD(DEVICE, 9, create_allocator);
    METHOD(DEVICE, 10, create_pipeline);
    METHOD(DEVICE, 11, create_pipeline);
    METHOD(DEVICE, 12, create_list);
    METHOD(DEVICE, 13, feature_support);
    METHOD(DEVICE, 14, create_descriptor_heap);
    METHOD(DEVICE, 15, descriptor_size);
    METHOD(DEVICE, 16, create_root_signature);
    METHOD(DEVICE, 25, allocation_info);
    METHOD(DEVICE, 26, heap_properties);
    METHOD(DEVICE, 27, create_committed);
    METHOD(DEVICE, 28, create_heap);
    METHOD(DEVICE, 29, create_placed);
    METHOD(DEVICE, 30, create_reserved);
    METHOD(DEVICE, 36, create_fence);
    METHOD(DEVICE, 43, adapter_luid);
}

void fill_d3d12(void) {
    fill_device();
    METHOD(RESOURCE, 8, map);
    METHOD(RESOURCE, 10, describe_resource);
    METHOD(RESOURCE, 11, gpu_address);
    METHOD(HEAP, 8, describe_heap);
    METHOD(DESCRIPTOR_HEAP, 8, describe_small);
    METHOD(DESCRIPTOR_HEAP, 9, first_descriptor);
    METHOD(DESCRIPTOR_HEAP, 10, first_descriptor);
    METHOD(QUEUE, 10, execute_lists);
    METHOD(QUEUE, 14, signal_fence);
    METHOD(QUEUE, 16, timestamp_frequency);
    METHOD(QUEUE, 18, describe_small);
    METHOD(FENCE, 8, completed_value);
    METHOD(FENCE, 9, set_event);
    METHOD(FENCE, 10, signal_value);
    METHOD(COMMAND_LIST, 8, list_type);
    METHOD(COMMAND_LIST, 15, copy_buffer);
}

static const char *blob_content(object *self) { return self->description; }
static SIZE_T blob_size(object *self) { return DESCRIPTION; }

static HRESULT root_signature(void **result) {
    static void *blob[METHODS];  // an ID3DBlob has two methods of its own, where other objects have those of ID3D12Object
    object *one = made(OTHER);
    memcpy(blob, methods[OTHER], sizeof blob);
    blob[3] = (void *)blob_content;
    blob[4] = (void *)blob_size;
    one->methods = blob;
    *result = one;
    return S_OK;
}

EXPORT HRESULT D3D12CreateDevice(void *adapter, int level, const GUID *wanted, void **result) {
    if (!the_device) the_device = made(DEVICE);
    return result ? given(the_device, result) : S_FALSE;
}

EXPORT HRESULT D3D12GetDebugInterface(const GUID *wanted, void **result) { return E_NOINTERFACE; }
EXPORT HRESULT D3D12SerializeRootSignature(void *described, int version, void **blob, void **error) { return root_signature(blob); }
EXPORT HRESULT D3D12SerializeVersionedRootSignature(void *described, void **blob, void **error) { return root_signature(blob); }
