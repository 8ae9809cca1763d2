"""Draws what a step of a solid costs against its dofs, from the table in docs/benchmarks.md: docs/figures/solids_cost.svg."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "papers"))
from plots import plt, root  # noqa: E402


def rows(page, heading):
    """Cells of the first table under a heading."""
    lines = page[page.index(heading):].splitlines()
    table = []
    for line in lines:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
        elif table:
            break
    return table[0], table[2:]


def main():
    page = (root / "docs" / "benchmarks.md").read_text()
    names, cells = rows(page, "## Solids: a step against dofs")
    column = lambda name: [float(row[names.index(name)].split()[0]) for row in cells]
    dofs = column("dofs")
    figure, axes = plt.subplots(1, 2, figsize=(7.4, 3))
    axes[0].loglog(dofs, column("step"), "o-", label="step")
    axes[0].loglog(dofs, column("single"), "s--", label="one substitution")
    axes[0].loglog(dofs, column("floor, single"), ":", label="reading the factor twice")
    axes[0].set(xlabel="dofs", ylabel="ms")
    axes[0].legend()
    axes[1].loglog(dofs, column("memory"), "o-")
    axes[1].set(xlabel="dofs", ylabel="memory (MB)")
    figure.tight_layout()
    figure.savefig(root / "docs" / "figures" / "solids_cost.svg", metadata={"Date": None})


main()
