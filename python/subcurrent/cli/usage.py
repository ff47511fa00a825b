# SPDX-License-Identifier: Apache-2.0
"""A wrong command line gives one sentence, as any other bad input."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from ..errors import OK, BadInput


class Program(TyperGroup):
    """Typer prints a box for a wrong command line. Its exceptions are recognised by their attributes, because
    their module differs between versions."""

    def main(self, *args: Any, **options: Any) -> Any:
        try:
            code = super().main(*args, **{**options, "standalone_mode": False})
        except Exception as error:
            if type(error).__name__ == "Abort":
                raise KeyboardInterrupt from None
            if not hasattr(error, "format_message"):
                raise
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()
                raise SystemExit(error.exit_code) from None
            raise BadInput(self._sentence(error)) from None
        raise SystemExit(code if isinstance(code, int) else OK)

    def _sentence(self, error: Any) -> str:
        text = " ".join(str(error.format_message()).split()).rstrip(".")
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else self.name
        return f"{text[:1].lower()}{text[1:]}: `{command} --help` lists what is possible."
