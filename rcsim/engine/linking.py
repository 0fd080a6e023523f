"""Functions that only compiled code calls become machine code once: as parts of what Python calls.

Numba optimises each function together with all that it calls, emits machine code for it, and does the same again for
each of its callers. With calls ten levels deep most of the time to compile goes into code that nobody runs. Here an
internal function stays as it was lowered. It is linked into its callers, and kept in the cache as bitcode; the
functions that Python calls are optimised, and emitted, with all of it.

This overrides private parts of Numba. Where they are not known, the import fails and `jit.py` does without.
"""

from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

TESTED = (0, 61), (0, 68)

if not TESTED[0] <= numba.version_info.short <= TESTED[1]:
    raise ImportError(f"Numba {numba.__version__} may have other private parts")


class InternalLibrary(JITCodeLibrary):
    """The code of a function that is only linked into others."""

    def _optimize_final_module(self) -> None:
        """Nothing: callers are optimised with this code inside."""

    def _finalize_final_module(self) -> None:
        """Emit nothing but the variables that Numba fills at once: pointers to what functions need of Python."""
        self._finalize_dynamic_globals()
        engine = self._codegen._engine
        names = [variable.name for variable in self._final_module.global_variables]
        new = [n for n in names if n.startswith("_ZN08NumbaEnv") and not engine.is_symbol_defined(n)]
        if new:
            self._codegen._add_module(llvm.parse_assembly("\n".join(f'@"{n}" = common global i64 0' for n in new)))
            engine.finalize_object()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """What Numba puts into the cache."""
        return self.serialize_using_bitcode()


class EntryLibrary(JITCodeLibrary):
    """The code of a function that is called by address, with a copy of all that it calls."""

    def _optimize_final_module(self) -> None:
        """Tell LLVM that nobody else calls the copies, which makes it bolder: games are a tenth faster.

        Private, not internal: the loader would give other code a copy that is no longer called by the usual rules.
        """
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.private
        super()._optimize_final_module()


class InternalCompiler(Compiler):
    """Numba's compiler, for internal functions."""

    kind: type[JITCodeLibrary] = InternalLibrary

    def compile_extra(self, func: Any) -> Any:
        """Compile a function into a library of its kind."""
        self.state.library = self.kind(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()  # as Numba does with libraries that it makes here itself
        return super().compile_extra(func)


class EntryCompiler(InternalCompiler):
    """Numba's compiler, for all others."""

    kind = EntryLibrary


def keep_internal(cache: Any) -> None:
    """Make internal libraries of what the cache of an internal function holds."""
    rebuild, key = cache._impl.rebuild, cache._index_key

    def rebuild_internal(context: Any, payload: Any) -> Any:
        codegen = context.codegen()
        codegen._library_class = InternalLibrary  # of this object: hides that of its class; Numba's lock is held
        try:
            return rebuild(context, payload)
        finally:
            del codegen._library_class

    cache._impl.rebuild = rebuild_internal
    # an entry is in the same file, once as it is and once as other compiled code calls it
    cache._index_key = lambda sig, codegen: (*key(sig, codegen), "internal")
