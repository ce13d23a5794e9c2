"""Which version of MLX a run judges for."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxlint.specifiers import as_range
from mxlint.versions import resolve_mlx_versions

MEASURED = ("0.26.0", "0.28.0", "0.29.2", "0.32.4")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        ("0.29.2", "0.29.2"),
        ("0.29.7", "0.29.7"),
        ("==0.27.1", "0.27.1"),
        ("0.31.0.dev20251001", "0.31.0.dev20251001"),
        (">=0.28", "0.28.0 0.29.2 0.32.4"),  # all measured that it admits
        (">=0.26,<0.30", "0.26.0 0.28.0 0.29.2"),
        ("~=0.28.0", "0.28.0"),
        ("!=0.32.4", "0.26.0 0.28.0 0.29.2"),
        ("==0.27.*", "0.27"),  # admits none that was measured
        (">=0.40", "0.40"),
        (">=0.22,<0.23", "0.22"),  # never a bound that it leaves out
        (">0.26.0,<0.28.0", "0.27"),
        (">0.27.0,<0.27.2", "0.27.1"),
        (">0.32.4", "0.32.5"),
        (">0.40", "0.40.1"),
        ("<0.26.0", "0.25"),
        (">=0.30,<0.20", ""),
        ("===0.29.1", "0.29.1"),
    ],
)
def test_configured(repository: Path, configured: str, expected: str) -> None:
    write(repository, "requirements.txt", "mlx==0.26.0\n")
    assert " ".join(resolve_mlx_versions(repository, configured, MEASURED)) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("requirements.txt", "numpy\nmlx==0.29.1  # pinned\n", "0.29.1"),
        ("requirements-dev.txt", "MLX[cpu] == 0.29.1 ; sys_platform == 'linux'\n", "0.29.1"),
        ("requirements.txt", "mlx==0.29.1 \\\n    --hash=sha256:abc\n", "0.29.1"),
        ("requirements.txt", "mlx (>=0.28,<0.30)\n", "0.28.0 0.29.2"),
        ("requirements.txt", "mlx\n", ""),  # admits all, so it says nothing
        ("requirements.txt", "mlx\nmlx>=0.29\n", "0.29.2 0.32.4"),
        ("requirements.txt", "mlx-lm==0.1\nmlx_data==0.2\nmlx @ git+https://example.org/mlx\n-e .\n", ""),
        ("requirements.txt", "mlx==not-a-version\n", ""),
        ("pyproject.toml", "[project]\ndependencies = ['numpy', 'mlx>=0.26,<0.29']\n", "0.26.0 0.28.0"),
        ("pyproject.toml", "[project.optional-dependencies]\ngpu = ['mlx==0.28.1']\n", "0.28.1"),
        ("pyproject.toml", "[dependency-groups]\ndev = ['mlx==0.28.1', {include-group = 'x'}]\n", "0.28.1"),
        ("pyproject.toml", "[project]\ndependencies = 'mlx==0.28.1'\n", ""),
        ("pyproject.toml", "[project\n# mlx\n", ""),
        ("uv.lock", 'version = 1\n\n[[package]]\nname = "mlx"\nversion = "0.30.1"\n', "0.30.1"),
        ("poetry.lock", '[[package]]\nname = "mlx-lm"\nversion = "0.1"\n\n[[package]]\nname = "mlx"\nversion = "0.30.1"\n', "0.30.1"),
        ("pdm.lock", '[[package]]\r\nname = "mlx"\r\nversion = "0.30.1"\r\n', "0.30.1"),
        ("pylock.toml", '[[packages]]\nname = "mlx"\nversion = "0.30.1"\n', "0.30.1"),
        ("uv.lock", "\xff\x00 not a lock file", ""),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.10"\nmlx = "^0.26"\n', "0.26.0"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = "^0.22"\n', "0.22"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = "^0"\n', "0.26.0 0.28.0 0.29.2 0.32.4"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nMLX = "~0.29.1"\n', "0.29.2"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = "~0.28"\n', "0.28.0"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = "~0"\n', "0.26.0 0.28.0 0.29.2 0.32.4"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = "0.28.1"\n', "0.28.1"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = "^0.26 || >=0.28 <0.30,!=0.29.2"\n', "0.28.0"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = "*"\n', ""),
        ("pyproject.toml", '[tool.poetry.dependencies]\nmlx = { git = "https://example.org/mlx" }\n', ""),
        ("pyproject.toml", '[tool.poetry.group.gpu.dependencies]\nmlx = { version = "0.28.*", optional = true }\n', "0.28.0"),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    mlx>=0.26,<0.29\n", "0.26.0 0.28.0"),
        ("setup.cfg", "[options.extras_require]\ngpu = mlx==0.28.1\n", "0.28.1"),
        ("setup.cfg", "install_requires = mlx==0.28.1\n", ""),
    ],
)
def test_required(repository: Path, name: str, text: str, expected: str) -> None:
    write(repository, name, text)
    (repository / "src" / "pkg").mkdir(parents=True)
    assert " ".join(resolve_mlx_versions(repository / "src" / "pkg", None, MEASURED)) == expected


def test_exact_pin_before_range_and_nearest_first(repository: Path) -> None:
    write(repository, "uv.lock", '[[package]]\nname = "mlx"\nversion = "0.30.1"\n')
    write(repository / "a", "pyproject.toml", "[project]\ndependencies = ['mlx>=0.26']\n")
    assert resolve_mlx_versions(repository / "a", None, MEASURED) == ("0.30.1",)
    write(repository / "a", "requirements.txt", "mlx==0.28.0\n")
    assert resolve_mlx_versions(repository / "a" / "b", None, MEASURED) == ("0.28.0",)


@pytest.mark.parametrize(
    "line",
    ["-r more/base.txt", "-rmore/base.txt", "--requirement more/base.txt  # all", "--requirement=more/base.txt", "-c more/base.txt"],
)
def test_requirements_that_include_others(repository: Path, line: str) -> None:
    write(repository, "requirements.txt", f"numpy\n-r nowhere.txt\n-r https://example.org/r.txt\n{line}\n")
    write(repository / "more", "base.txt", "-r ../requirements.txt\n-r deep.txt\n")
    write(repository / "more", "deep.txt", "mlx==0.28.1\n")
    assert resolve_mlx_versions(repository, None, MEASURED) == ("0.28.1",)


def test_requirements_are_not_followed_without_end(repository: Path) -> None:
    write(repository, "requirements.txt", "-r 0.txt\n")
    for number in range(50):
        write(repository, f"{number}.txt", f"-r {number + 1}.txt\n")
    write(repository, "50.txt", "mlx==0.28.1\n")
    assert resolve_mlx_versions(repository, None, MEASURED) == ()


def test_nothing_above_the_repository_counts(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "mlx==0.26.0\n")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    assert resolve_mlx_versions(tmp_path / "repository", None, MEASURED) == ()


def test_nothing_above_a_project_without_a_repository_counts(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "mlx==0.26.0\n")
    write(tmp_path / "project", "pyproject.toml", "[project]\n")
    assert resolve_mlx_versions(tmp_path / "project", None, MEASURED) == ()


@pytest.mark.parametrize(("text", "expected"), [("0.29", True), (">=0.28,<1", True), ("", False), ("new", False), ("^0.29", False)])
def test_as_range(text: str, expected: bool) -> None:
    assert bool(as_range(text)) is expected
