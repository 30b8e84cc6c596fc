"""Limits on the sizes that anything inside a voice file may claim. Files come from strangers: each limit bounds memory, disk or time.

Real voices: a graph or weights of 250 MB, one to a few hundred speakers, up to 32 styles, icons and samples of some 10 MB. What an archive unpacks to is counted, as the
sizes that it claims are not believed: a few kilobytes can grow to terabytes.
"""

from app.common.errors import VoiceError
from app.common.language import localize

MAX_GRAPH_BYTES = (1 << 31) - 1  # Protobuf's own limit: neither onnx nor ONNX Runtime opens more
MAX_METADATA_BYTES = 256 << 20  # the metadata holds icons and samples; more than this is not a voice
MAX_SAFETENSORS_HEADER_BYTES = 100 << 20  # the safetensors format's own limit
MAX_VOICE_JSON_BYTES = 8 << 20  # a config.json has 3 KB, the vectors of 1000 styles as text 6 MB
MAX_MANIFEST_BYTES = 16 << 20  # the names of 4,096 speakers and 1,024 styles, and a licence and a description of the longest
MAX_TERMS_LENGTH = 500_000  # characters of a licence or a description; those of voices stay below 20,000
MAX_BERT_JSON_BYTES = 1 << 20
MAX_VOCABULARY_BYTES = 32 << 20  # a vocabulary of 22,000 characters takes 110 KB, as tokenizer.json 1 MB
MAX_STYLE_VECTORS_BYTES = 16 << 20  # 1024 styles as float64, and room
MAX_VOICE_STYLES = 1024
MAX_VOICE_SPEAKERS = 4096
MIN_SAMPLING_RATE_HZ = 1000  # below that there is no speech
MAX_SAMPLING_RATE_HZ = 384_000  # the highest rate sound cards know
MAX_HOP_SAMPLES = 1 << 16
# Of a voice's schedule, and of a window or its margin: voices have 4, 128 and 16.
MAX_DECODE_WINDOWS, MAX_DECODE_WINDOW_FRAMES = 64, 1 << 16

MAX_PROTOBUF_FIELDS = 500_000  # for a message and all below it: a voice has 60,000 to 160,000 fields; each takes a microsecond
MAX_GRAPH_DEPTH = 16  # levels of graphs inside nodes of graphs; voices have at most two
MAX_TENSOR_AXES = 8  # of a tensor
MAX_LAYER_NUMBER = 1024  # a dilation or a rate in the settings; those of voices stay below 20
MAX_WEIGHT_VALUE = 1e9  # weights of voices stay below 100; products of two such limits still fit float32

MAX_UNPACKED_BYTES = 4 << 30  # of a whole archive: a dozen voices
MAX_ARCHIVE_MEMBER_BYTES = 1 << 30  # for one file that is unpacked into memory: four times a voice
FREE_UNPACKED_BYTES = 64 << 20  # below this size the ratio is not checked: texts and silence pack well
MAX_COMPRESSION_RATIO = 30  # unpacked to packed: weights pack to nine tenths, bombs to a thousandth
MAX_ZSTD_WINDOW_BYTES = 1 << 27  # memory that zstd may ask for
MAX_ZIP_ENTRIES = 20_000  # of a tar archive, or files of a folder, that are looked at
# Entries of a zip, and of those inside it, which are written out: each takes a millisecond, more while other programs are busy.
MAX_UNPACKED_FILES = 5_000
# Of a zip and those inside it: about 100 bytes an entry; zipfile takes up to a second for each of these MB.
MAX_ZIP_DIRECTORY_BYTES = 4 << 20
MAX_ENTRY_NAME_LENGTH = 1000  # of a name in a zip, folders included; Windows writes 260
MAX_TAR_EXTENSION_BYTES = 1 << 20  # long names and such
MAX_FOLDER_DEPTH = 6  # folders inside a folder that are looked into
MAX_ARCHIVE_DEPTH = 2  # a zip inside a zip, and no further
MAX_CHECKPOINTS = 1000  # files that are looked into, each for half a second at most
MAX_ARCHIVED_CHECKPOINTS = 100  # of those in archives, where small files can be many

_CHOOSE_VOICES_HINT = "Choose one that contains only voices, or unpack it yourself first."


class UnpackBudget:
    """The budget of one archive, together with the archives inside it: unpacked bytes, and entries of zips with the bytes that list them."""

    def __init__(self, name: str, packed_bytes: int) -> None:
        self._name = name
        self._bytes_left = min(MAX_UNPACKED_BYTES, FREE_UNPACKED_BYTES + MAX_COMPRESSION_RATIO * packed_bytes)
        self._entries_left = MAX_UNPACKED_FILES
        self._directory_left = MAX_ZIP_DIRECTORY_BYTES

    @property
    def directory_bytes_left(self) -> int:
        """Return the bytes that directories of zips may still have."""
        return self._directory_left

    def consume_bytes(self, size: int) -> None:
        """Count unpacked bytes before they are kept; raise VoiceError if they are too many."""
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise VoiceError(
                localize(f"展開後のサイズが大きすぎます: {self._name}", f"This archive is far too large when unpacked: {self._name}"),
                localize("声だけを含むファイルを選ぶか、展開してから追加してください。", _CHOOSE_VOICES_HINT),
            )

    def consume_directory(self, size: int, entries: int) -> None:
        """Count the bytes of a zip's directory and its entries; raise VoiceError if there are too many of either."""
        self._directory_left -= size
        self._entries_left -= entries
        if self._directory_left < 0 or self._entries_left < 0:
            raise VoiceError(
                localize(f"zip に含まれる項目が多すぎます: {self._name}", f"This zip file contains too many entries: {self._name}"),
                localize("声だけを含む zip を選ぶか、展開してから追加してください。", _CHOOSE_VOICES_HINT),
            )
