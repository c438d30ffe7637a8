"""The words of CUDA, HIP, C and C++ that say something: compiled patterns, and what a name or number is.

Only vocabulary: where a word stands and what follows from it is for the modules that read by tree or token.
"""

from __future__ import annotations

import re

from estimator.languages.readings import any_of, begun, starts_of

ATTRIBUTES = (
    r"__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__|__align__|__attribute__|__declspec|alignas"
    r"|__annotate__"
)
may_hold_attributes = any_of(ATTRIBUTES)
ATTRIBUTE_CALL = re.compile(rf"({'|'.join(map(begun, ATTRIBUTES.split('|')))})\s*\(")
_PROJECTS = "C10 CUTLASS CUTE THRUST CUB TORCH GGML AT FLASHINFER EIGEN KOKKOS RAJA AMREX"
_OF_PROJECT = r"_[A-Z_]*(?:DEVICE|HOST|INLINE|API|GLOBAL_FUNC|FUNC|PRAGMA_UNROLL|FUNCTION)\b(?!\s*\()"
QUALIFIER = re.compile(
    r"__forceinline__|__noinline__|__inline__|__grid_constant__|__restrict__|__restrict|__host__|__device__|__managed__"
    rf"|__shared__|__constant__|__extension__|{'|'.join(begun(name) + _OF_PROJECT for name in _PROJECTS.split())}"
)
_KEYWORDS_LISTED = """
    if for while switch return sizeof alignof decltype catch static_assert defined new delete throw else do case
    operator noexcept typeid __attribute__ __launch_bounds__ __cluster_dims__ __align__ alignas __declspec
    asm __asm__ __asm static_cast reinterpret_cast const_cast dynamic_cast template typename void int float double
    char bool unsigned
"""
KEYWORDS = frozenset(_KEYWORDS_LISTED.split())

# A text without any of these holds nothing of a GPU.
is_relevant = any_of(
    r"cuda|CUDA|\bcudnn|__global__|__device__|\bcu[A-Z]|\bcu[a-z]+[A-Z_]\w*\(|\basm\b|__asm|\bhip[A-Z_/]|HIP|ROCM|ROCm"
    r"|<<<|\bcub::|thrust|cutlass|\bcute\b|wmma|nccl|\bnpp|[oO]ptix|__shfl"
    r"|\b(?:rmm|raft|cuvs|cudf|cuml|cugraph|cuco|kvikio|matx|cudaq)(?:/|::)|\bcu\w+dx\b|custatevec|cutensornet|NvDecoder|NvEncoder"
    r"|nv(?:vm|tiff|imgcodec|toolsext|tx|ml|jpeg|shmem|infer|rtc|codec|comp|JitLink)|\bdali[/A-Z:]|cudss|NvInfer|nvinfer"
    r"|\b(?:infiniband|ucxx?|uc[pts]|ucc|rdma|triton)/|gdrapi|\bgdr_[a-z]|\bibv_|mlx5dv"
    r"|cooperative_groups|threadIdx|WARP_SIZE|libnvidia|\bsm_\d|warpSize|nvshmem|NVENC|NVDEC|cuvid|KERNEL|gfx\d"
)
is_string_worth = any_of(
    r"cuda|cud[an]|__global__|sm_|compute_|\.ptx|cubin|fatbin|lib\w+\.so|nvidia|nvcc|gfx\d|\basm\b|\.target"
)
# What a project may define for itself although a vendor has it too; the last are CUDA's own no more.
API_NAME = re.compile(r"cu[A-Zdbfrst]|nccl|nv[a-z]|Nv[DE]|npp|optix|__(?:shfl(?:_up|_down|_xor)?|ballot|any|all)$")
AMD_NAMESPACES = ("hip", "roc")
HIP_HEADER = re.compile(r"hip/|hipblas|hiprand|rocblas|rccl|hipcub|hipfft")

ASM = re.compile(
    rf"(?:{begun('asm')}|{begun('__asm')}|{begun('__asm__')})\b\s*"
    r"(?:(?:volatile|__volatile__|__volatile|goto|inline|__inline__)\b\s*)*\("
)
CALL = re.compile(
    r"(?<![\w:#])((?:::)?[A-Za-z_]\w*+(?:::[A-Za-z_]\w*+)*+)\s*+(?:<[^<>;(){}]*(?:<[^<>;(){}]*>[^<>;(){}]*)*+>\s*+)?\("
)
MEMBER_BEFORE = re.compile(r"([A-Za-z_]\w*)\s*(?:\.|->)\s*(?:template\s+)?$")
QUALIFIED = re.compile(r"(?<![\w:])[A-Za-z_]\w*+(?:::[A-Za-z_]\w*+)++")

# Warps: widths, lanes, masks.
_SHUFFLES = (
    r"__shfl|__ballot|__reduce_\w+_sync|__any_sync|__all_sync|__activemask|__match_|__syncwarp|\bshfl_\w+\(|\bSHFL_\w+\("
    r"|(?:[wW]arp|[bB]lock)_?(?:[rR]educe|[sS]um|[mM]ax|[mM]in|[sS]can)\w*\s*[<(]"
)
shuffles_at = starts_of(_SHUFFLES)
has_shuffles = any_of(_SHUFFLES)  # the same for a whole text, in one pass
WARP_NAME = re.compile(
    r"(?:k|g_|s_|m_)?(?:cuda_?|num_?|gpu_?|\w*(?=warp_?size))?(?:warp_?(?:size|threads|width|sz|length|lanes)|threads_?per_?warp"
    r"|lanes_per_warp|num_?threads_?(?:in|per)_?warp|warp_?size_?(?:c|const)|WarpSize|warpsz|lane_?count"
    r"|wave_?(?:size|lanes)|elems_?per_?warp)_?",
    re.IGNORECASE,
)
ADAPTIVE = re.compile(r"\b(?:C10_WARP_SIZE|warpSize|warp_size\s{0,9}\(|__AMDGCN_WAVEFRONT_SIZE)")  # of the target
LANE_INDEX = re.compile(r"(?:\w*_)?lane(?:_?(?:id|idx|index|num|i))?|\w*Lane(?:Id|Idx|ID|Index)?|laneI\w+", re.ASCII)
WARP_INDEX = re.compile(
    r"(?:\w*_)?(?:warp|wid)_?(?:id|idx|index|num|m|n|k|row|col|x|y)?(?:_\w*)?|warp[A-Z]\w*", re.ASCII
)
THREAD = re.compile(r"\bthreadIdx\s*\.\s*[xyz]\b|\bthread_rank\s*\(|\blocalThreadIdx\b")
THREAD_NAME = re.compile(r"tidx?|thread_?id(?:x|_x)?|threadId(?:x)?|thread_index|tid_x|tid_in_block", re.ASCII)
THREADS_NAME = re.compile(
    r"\w*(?:threads|block_?(?:size|dim)|nthr|cta_?size)(?:_?per_?(?:block|cta|row))?(?:_?[xyz])?_?|nt|n(?:um)?_?thread",
    re.IGNORECASE,
)
LANE_VALUES = frozenset((32, 31, 5))
LANE = re.compile(
    r"((?:threadIdx\.[xyz]|\b[A-Za-z_][\w.]{0,200}+(?![\w.]))(?:\s*+\))?)\s*+(%|&(?!&)|/|>>|<(?![<=])|==|>=)\s*+(\w+(?:\s*-\s*1)?)",
    re.ASCII,
)
LANE_SHIFT = re.compile(r"\b1[uU]?\s*<<\s*\(?\s*(?:lane\w*|\w*[lL]ane(?:_?[iI]d)?|tid_in_warp)\b")
MASK = re.compile(r"\b0[xX][fF]{8}[uUlL]*\b(?!\w)")
SHIFTED = re.compile(r"\s*<<(?!\s*\(?\s*\w*lane)", re.IGNORECASE)
MASK_LITERAL = re.compile(r"\(?\s*(?:0[xX][0-9a-fA-F']+[uUlL]*|-1|~0[uUlL]*|\(?unsigned\)?\s*-1|\d+[uUlL]*)\s*\)?")
MASK_NAMED_BEFORE = re.compile(
    r"\b\w*(?:mask|MASK|Mask|lanes|LANES|active|FULL)\w*\s*(?:\[\s*\])?\s*(?:=|\{|\|=|&=)\s*$"
)
MASK_HOLDER_BEFORE = re.compile(r"\b((?:const\s+)?(?:unsigned(?:\s+int)?|u?int(?:32_t)?|auto)\s+\w+)\s*=\s*$")
MASKED_CALL = re.compile(r"__(?:shfl|ballot|any|all|match|reduce)\w*_sync|__syncwarp")
MASK_MAKER = re.compile(r"__ballot(?:_sync)?|__activemask|__match_(?:any|all)_sync|__any_sync_mask")

# Compute capability: a number made of its two parts, calls that give one, what it is compared with. RowMajor and its
# like are everywhere, so a text is asked for what follows before the names are looked at.
_MADE = r"[mM]ajor(?:_capability|_version|_cc)?\s*\*\s*100?\s*\+"
CAPABILITY = re.compile(rf"\b(\w{{0,40}}?){_MADE}")
makes_capability = any_of(_MADE)
CAPABILITY_PARTS = frozenset(("major", "minor"))
CAPABILITY_OWNER = re.compile(r"(?i)|\w*(?:cc|sm|cap\w*|arch|dev\w*|gpu|compute\w*|m|k|prop\w*)_?")
capability_calls_at = starts_of(
    r"(?i)\b(?:get_?)?(?:(?:sm|cuda_?arch)_?(?:version|num|arch|version_num)|compute_?capability)\s*\("
)
_TEST = (
    r"\b(?:m_?)?(?i:sm|sm_?(?:version|arch|num)|cuda_?arch|compute(?:_?(?:cap|arch))?|(?:cuda_?)?(?:device_?|compute_?)?capability|device_?arch)_?"
    r"\s*(?:[<>]=?|[=!]=)\s*(?:[3-9][0-9]|1[0-2][0-9])0?\b"
)
CAPABILITY_TEST = re.compile(_TEST + r"(?!\s*[*/%])")
may_test_capability = any_of(_TEST)
_MAJOR_TEST = r"[mM]ajor\s*(?:[<>]=?|[=!]=)\s*\d{1,2}\b"
CAPABILITY_MAJOR = re.compile(rf"(?<![\w.>])(\w{{0,40}}?){_MAJOR_TEST}")
may_test_major = any_of(_MAJOR_TEST)
ASSIGNED_BEFORE = re.compile(r"(\w+)\s*=\s*[^=;{}]*$")
TOLD = re.compile(  # what begins a statement that only says something to a person
    r"\b(?:f?printf|spdlog::\w+)\s*\(|\b(?:cout|cerr|clog)\s*<<|\b[A-Z]*LOG\w*\s*\([\w:]*\)\s*<<|\b[A-Z]+_LOG\w*\s*\("
    r"|\bLOG_\w+\s*\(|\bthrow\b|CHECK\w*\s*\(\s*false\b"
)

VECTOR_OPERATOR = re.compile(
    r"operator\s*(?:[-+*/%&|^]=?|<<|>>|[=!]=)\s*\(\s*(?:const\s+)?"
    r"(?P<type>u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4])\b(?:\s+const\b)?[\s&]*\w*\s*,"
)

HANDLES = ("_ptr", "::pointer", "::iterator")  # to declare one uses nothing of a library
NESTED_TYPES = ("::TempStorage", "::_TempStorage", "::SharedStorage", "::TensorStorage")

NUMBER = re.compile(r"\(?\s*(0[xX][0-9a-fA-F']+|\d[\d']*)([uUlL]*)\s*\)?")
_ANGLE = re.compile(r"[<>]")


def number(text: str) -> int:
    """Value of a plain integer literal, suffixes and brackets allowed; ValueError for anything else."""
    match = NUMBER.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a number: {text}")
    digits = match[1].replace("'", "")
    return int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits)


def parts(arguments: str) -> list[str]:
    """What commas outside of brackets part; template brackets are brackets."""
    depth, start, found = 0, 0, []
    for at, sign in enumerate(arguments):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            found.append(arguments[start:at])
            start = at + 1
    return [piece.strip() for piece in (*found, arguments[start:])]


def plain(name: str) -> str:
    """A qualified name without template arguments and blanks; what an open bracket begins is left out."""
    if "<" in name:
        name, is_whole = _without_arguments(name)
        if not is_whole:
            return name
    return "".join(name.split()).removeprefix("::")


def _without_arguments(name: str) -> tuple[str, bool]:
    """The name up to the first bracket that stays open, and whether none does."""
    pieces: list[str] = []
    opened: list[int] = []  # pieces before each open bracket
    last = 0
    for match in _ANGLE.finditer(name):
        pieces.append(name[last : match.start()])
        last = match.end()
        if match[0] == "<":
            opened.append(len(pieces))
        elif opened:
            del pieces[opened.pop() :]
        else:
            pieces.append(">")
    pieces.append(name[last:])
    return "".join(pieces[: opened[0]] if opened else pieces), not opened
