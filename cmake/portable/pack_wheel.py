"""Packs a tree of the program as a wheel: pack_wheel.py VERSION TREE OUTPUT_FOLDER [ADDRESS]

The format: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import hashlib
import re
import stat
import sys
import zipfile
from pathlib import Path

TAG = "py3-none-manylinux_2_31_x86_64"
SOURCE = Path(__file__).resolve().parents[2]


def description(address: str) -> str:
    """README, with absolute links: an index shows it without the files beside it."""

    def absolute(match: re.Match) -> str:
        picture, words, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        if address:
            return f"{picture}[{words}]({address.rstrip('/')}/{target})"
        return "" if picture else words

    text = re.sub(r"<!--.*?-->\n?", "", (SOURCE / "README.md").read_text(), flags=re.S)
    return re.sub(r"(!?)\[([^]]*)\]\(([^)\s]+)\)", absolute, text)


def metadata(version: str, address: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        "Name: gemm-tutor",
        f"Version: {version}",
        "Summary: Learn how a CUDA matrix multiply is made fast, with or without a GPU",
        "Author: the gemm-tutor developers",
        "License: MIT",
        "Keywords: CUDA,GPU,matrix multiplication,GEMM,course,emulator",
        "Classifier: Development Status :: 5 - Production/Stable",
        "Classifier: Environment :: Console",
        "Classifier: Environment :: GPU :: NVIDIA CUDA",
        "Classifier: Framework :: Jupyter",
        "Classifier: Intended Audience :: Developers",
        "Classifier: Intended Audience :: Education",
        "Classifier: License :: OSI Approved :: MIT License",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C++",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Education :: Computer Aided Instruction (CAI)",
        "Classifier: Topic :: Scientific/Engineering :: Mathematics",
        "Requires-Python: >=3.8",
        "Provides-Extra: cuda",
        'Requires-Dist: nvidia-cuda-nvrtc (>=13,<14) ; extra == "cuda"',
        'Requires-Dist: nvidia-cuda-runtime (>=13,<14) ; extra == "cuda"',
        "License-File: LICENSE",
        "License-File: NOTICE",
        "Description-Content-Type: text/markdown",
    ]
    if address:
        lines.append(f"Project-URL: Source, {address}")
    return "\n".join(lines) + "\n\n" + description(address)


def main(version: str, tree: Path, output: Path, address: str) -> None:
    information = f"gemm_tutor-{version}.dist-info"
    contents: dict[str, tuple[bytes, int]] = {}
    for file in sorted((SOURCE / "share/python/gemm_tutor").glob("*.py")):
        contents[f"gemm_tutor/{file.name}"] = file.read_bytes(), 0o644
    for file in sorted(tree.rglob("*")):
        if file.is_file():
            mode = 0o755 if file.stat().st_mode & stat.S_IXUSR else 0o644
            contents[f"gemm_tutor/{file.relative_to(tree)}"] = file.read_bytes(), mode
    texts = {
        "METADATA": metadata(version, address),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: gemm-tutor\nRoot-Is-Purelib: false\nTag: {TAG}\n",
        "entry_points.txt": "[console_scripts]\ngemm-tutor = gemm_tutor.program:main\n",
        "LICENSE": (SOURCE / "LICENSE").read_text(),
        "NOTICE": (SOURCE / "NOTICE").read_text(),
    }
    for name, text in texts.items():
        contents[f"{information}/{name}"] = text.encode(), 0o644

    record = []
    with zipfile.ZipFile(output / f"gemm_tutor-{version}-{TAG}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:

        def add(name: str, data: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same bytes at each build
            entry.external_attr = (stat.S_IFREG | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)

        for name, (data, mode) in contents.items():
            add(name, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        record.append(f"{information}/RECORD,,")
        add(f"{information}/RECORD", ("\n".join(record) + "\n").encode(), 0o644)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
