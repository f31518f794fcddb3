/** Whether something is well; asked at each question. */
export type HealthCheck = () => boolean;

/** How one went the last time, and how often how. */
export interface HealthFigures {
  isWell: boolean;
  success: number;
  error: number;
}

/** A kubelet's answer about its health. */
export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

/** The kubelet's own health checks in upstream's manner, and how they went since it began. */
export class HealthChecks {
  readonly #checks: readonly (readonly [name: string, check: HealthCheck])[];
  readonly #figures = new Map<string, HealthFigures>();

  constructor(checks: { readonly [name: string]: HealthCheck }) {
    this.#checks = Object.entries(checks);
  }

  /** One check by its name; undefined: there is none of that name. */
  one(name: string): HealthAnswer | undefined {
    const found = this.#checks.find(([known]) => known === name);
    if (found === undefined) return undefined;
    return this.#isWell(found)
      ? { status: 200, text: 'ok' }
      : { status: 500, text: `internal server error: ${name}\n` };
  }

  /** All of them but those left out; each is told of where somebody wants to know, or one is not well. */
  all(of: { readonly isVerbose: boolean; readonly excluded: readonly string[] }): HealthAnswer {
    const lines: string[] = [];
    let isWell = true;
    for (const check of this.#checks) {
      const [name] = check;
      if (of.excluded.includes(name)) lines.push(`[+]${name} excluded: ok`);
      else if (this.#isWell(check)) lines.push(`[+]${name} ok`);
      else {
        isWell = false;
        lines.push(`[-]${name} failed: reason withheld`);
      }
    }
    const unknown = of.excluded.filter((name) => !this.#checks.some(([known]) => known === name));
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(',');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    if (!isWell) return { status: 500, text: `${lines.join('\n')}\nhealthz check failed\n` };
    return { status: 200, text: of.isVerbose ? `${lines.join('\n')}\nhealthz check passed\n` : 'ok' };
  }

  /** Of those that were looked at, by name. */
  get figures(): ReadonlyMap<string, Readonly<HealthFigures>> {
    return this.#figures;
  }

  #isWell([name, check]: readonly [name: string, check: HealthCheck]): boolean {
    const isWell = check();
    const figures = this.#figures.get(name) ?? { isWell, success: 0, error: 0 };
    figures.isWell = isWell;
    figures[isWell ? 'success' : 'error']++;
    this.#figures.set(name, figures);
    return isWell;
  }
}
