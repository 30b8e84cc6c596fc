"""How large anything inside a voice file may claim to be. Files come from strangers: each limit bounds memory, disk or time.

Real voices: a graph or weights of 250 MB, one to a few hundred speakers, up to 32 styles, icons and samples of some 10 MB.
"""

from __future__ import annotations

LARGEST_GRAPH_BYTES = (1 << 31) - 1  # protobuf's own limit: neither onnx nor ONNX Runtime opens more
LARGEST_METADATA_BYTES = 256 << 20  # icons and samples travel in there; more than this is not a voice
LARGEST_HEADER_BYTES = 100 << 20  # of a safetensors file: the format's own limit
LARGEST_JSON_BYTES = 8 << 20  # a config.json has 3 KB, the vectors of 1000 styles as text 6 MB
LARGEST_MANIFEST_BYTES = 16 << 20  # the names of 4,096 speakers and 1,024 styles, and a licence and a description of the longest
LONGEST_TERMS = 500_000  # characters of a licence or a description; those of voices stay below 20,000
LARGEST_BERT_JSON_BYTES = 1 << 20
LARGEST_VOCABULARY_BYTES = 32 << 20  # 22,000 characters take 110 KB, as tokenizer.json 1 MB
LARGEST_VECTORS_BYTES = 16 << 20  # 1024 styles as float64, and room
MOST_STYLES = 1024
MOST_SPEAKERS = 4096
LOWEST_RATE_HZ = 1000  # below that there is no speech
LARGEST_RATE_HZ = 384_000  # the highest rate sound cards know
LARGEST_HOP_SAMPLES = 1 << 16
MOST_WINDOWS, MOST_FRAMES = 64, 1 << 16  # of a voice's schedule, and of a window or its margin: voices have 4, 128 and 16

MOST_FIELDS = 500_000  # of a protobuf message and all below it: a voice has 60,000 to 160,000; each takes a microsecond
DEEPEST_GRAPH = 16  # graphs inside nodes of graphs; voices have at most two levels
MOST_AXES = 8  # of a tensor
LARGEST_LAYER_NUMBER = 1024  # a dilation or a rate in the settings; those of voices stay below 20
LARGEST_WEIGHT = 1e9  # those of voices stay below 100; products of these still fit float32

LARGEST_UNPACKED_BYTES = 4 << 30  # of a whole archive: a dozen voices
LARGEST_MEMBER_BYTES = 1 << 30  # one file of an archive that is unpacked into memory: four times a voice
FREE_UNPACKED_BYTES = 64 << 20  # below this the ratio is not looked at: texts and silence pack well
MOST_RATIO = 30  # unpacked to packed; weights pack to nine tenths, bombs to a thousandth
LARGEST_WINDOW_BYTES = 1 << 27  # memory that zstd may ask for
MOST_ENTRIES = 20_000  # of a tar archive, or files of a folder, that are looked at
MOST_UNPACKED = (
    5_000  # entries of a zip, and of those inside it, which are written out: each takes a millisecond, more beside other programs
)
LARGEST_DIRECTORY_BYTES = (
    4 << 20
)  # of a zip and those inside it: about 100 bytes an entry; zipfile takes up to a second for each of these MB
LARGEST_ENTRY_CHARACTERS = 1000  # of a name in a zip, folders included; Windows writes 260
LARGEST_TAR_EXTENSION_BYTES = 1 << 20  # long names and such
DEEPEST_FOLDER = 6  # folders inside a folder that are looked into
DEEPEST_ARCHIVE = 2  # a zip inside a zip, and no further
MOST_CHECKPOINTS = 1000  # files that are looked into, each for half a second at most
MOST_ARCHIVED_CHECKPOINTS = 100  # likewise of archives, where small files can be many
