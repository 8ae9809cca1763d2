"""plot.py chain|solids: the scaling with size from docs/benchmarks/NAME.md, as docs/figures/chain_scaling.svg or solids_cost.svg."""
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


def columns(page, heading):
    """Numbers of that table by the name of their column."""
    names, cells = rows(page, heading)
    return {name: [float(row[i].split()[0]) for row in cells] for i, name in enumerate(names)}


def draw_chain(page):
    table = columns(page, "## Chain of n links: size, threads, memory")
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.8))
    n = table["n"]
    axes[0].loglog(n, table["a step, 1 thread"], "o-", label="1 thread")
    axes[0].loglog(n, table["2 threads"], "s-", label="2 threads")
    axes[0].loglog(n, [table["a step, 1 thread"][3] * m / n[3] for m in n], ":", label="proportional to n")
    axes[0].set(xlabel="links", ylabel="a step (ms)")
    axes[0].legend()
    axes[1].semilogx(n, table["speed-up"], "o-")
    axes[1].set(xlabel="links", ylabel="speed-up of 2 threads", ylim=(0, 2.4))
    axes[2].loglog(n, [m * k * 1e-3 for m, k in zip(n, table["memory per body"])], "o-")
    axes[2].set(xlabel="links", ylabel="memory (MB)")
    figure.tight_layout()
    figure.savefig(root / "docs" / "figures" / "chain_scaling.svg", metadata={"Date": None})


def draw_solids(page):
    table = columns(page, "## Solids: a step against dofs")
    dofs = table["dofs"]
    figure, axes = plt.subplots(1, 2, figsize=(7.4, 3))
    axes[0].loglog(dofs, table["step"], "o-", label="step")
    axes[0].loglog(dofs, table["single"], "s--", label="one substitution")
    axes[0].loglog(dofs, table["floor, single"], ":", label="reading the factor twice")
    axes[0].set(xlabel="dofs", ylabel="ms")
    axes[0].legend()
    axes[1].loglog(dofs, table["memory"], "o-")
    axes[1].set(xlabel="dofs", ylabel="memory (MB)")
    figure.tight_layout()
    figure.savefig(root / "docs" / "figures" / "solids_cost.svg", metadata={"Date": None})


name = sys.argv[1]
page = (root / "docs" / "benchmarks" / f"{name}.md").read_text()
{"chain": draw_chain, "solids": draw_solids}[name](page)
