// Units to show numbers in. Results are in SI units; the table of others comes with the runs (view/units.h), and what
// is chosen is kept for the next page.
const stored = "hooke-units";

export class Units {
  /** `table`: [{name, of, factor}]; `words`: "mm,deg". Words that mean nothing are left out. */
  constructor(table, words = "") {
    this.table = table;
    this.chosen = new Map();
    for (const word of words.split(",")) {
      const choice = table.find(({name}) => name === word);
      if (choice) this.chosen.set(choice.of, choice);
    }
  }

  /** Units that have others, each with those: [["m", ["mm", "cm"]], ...]. */
  get kinds() {
    const kinds = new Map();
    for (const {name, of} of this.table) kinds.set(of, [...(kinds.get(of) ?? []), name]);
    return [...kinds];
  }

  get words() { return [...this.chosen.values()].map(({name}) => name).join(); }

  /** As Units::show does: m/s^2 as mm/s^2, N m as N mm; one of several kinds ("m or rad") stays. */
  show(unit) {
    const whole = this.chosen.get(unit);
    if (whole) return {factor: whole.factor, unit: whole.name};
    if (/ or |,/.test(unit)) return {factor: 1, unit};
    let factor = 1;
    const text = unit.replace(/(\/?)([A-Za-z]+)(?:\^(\d))?/g, (all, slash, word, power) => {
      const choice = this.chosen.get(word);
      if (!choice) return all;
      factor *= choice.factor ** ((slash ? -1 : 1) * Number(power ?? 1));
      return slash + choice.name + (power ? `^${power}` : "");
    });
    return {factor, unit: text};
  }
}

export function storedUnits() {
  try { return localStorage.getItem(stored) ?? ""; } catch { return ""; /* a page from a file may have no storage */ }
}

export function storeUnits(words) {
  try { localStorage.setItem(stored, words); } catch { /* as above */ }
}

/** What is left of a number beside others of a size: 0 where it is their round-off. */
export const withoutRoundOff = (x, size) => Math.abs(x) < 1e-13 * size ? 0 : x;
