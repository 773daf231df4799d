"""Where the program is."""
import pathlib
import shutil


def program():
    """The path of the executable: beside this module, else on PATH. FileNotFoundError if it is in neither."""
    beside = pathlib.Path(__file__).with_name("gemm-tutor")
    path = str(beside) if beside.is_file() else shutil.which("gemm-tutor")
    if not path:
        raise FileNotFoundError("gemm-tutor")
    return path
