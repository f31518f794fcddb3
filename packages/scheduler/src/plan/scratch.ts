import { LocalResultsCache } from './local-results.ts';
import { Verdicts } from './verdicts.ts';

/** What one scheduler keeps from pod to pod: scratch space, the numbers of refusals, results per shape. */
export class Scratch {
  readonly local = new LocalResultsCache();
  readonly verdicts = new Verdicts();
  /** By slot: `PASSED`, or the number of the refusal. */
  verdict = new Uint16Array(0);
  /** The slots of the candidates, by place. */
  feasible = new Int32Array(0);
  /** By place. */
  total = new Float64Array(0);
  readonly #columns: Float64Array[] = [];

  reserve(nodes: number): void {
    if (this.feasible.length >= nodes) return;
    const size = Math.max(64, nodes * 2);
    this.verdict = new Uint16Array(size);
    this.feasible = new Int32Array(size);
    this.total = new Float64Array(size);
    this.#columns.length = 0;
  }

  /** Room for the scores of one plugin, by place. */
  column(index: number): Float64Array {
    let column = this.#columns[index];
    if (column === undefined) {
      column = new Float64Array(this.feasible.length);
      this.#columns[index] = column;
    }
    return column;
  }
}
