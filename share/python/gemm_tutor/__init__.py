"""gemm-tutor in Python: `%load_ext gemm_tutor` gives a notebook the magics %gemm and %%gemm."""


def load_ipython_extension(shell):
    from .notebook import gemm

    shell.register_magic_function(gemm, "line_cell", "gemm")
