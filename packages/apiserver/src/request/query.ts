import { status } from '@binnacle/machinery';

/** Query parameters; of a repeated one the first counts, as in Go. */
export class Query {
  readonly #values: { readonly [name: string]: string };

  constructor(values: { readonly [name: string]: string }) {
    this.#values = values;
  }

  get isEmpty(): boolean {
    return this === NO_QUERY;
  }

  /** Empty when absent. */
  get(name: string): string {
    return this.#values[name] ?? '';
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** The way Go reads a bool parameter: absent, `0` and `false` are false, everything else is true. */
  bool(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
  }

  /** Undefined when absent or empty; throws 400 for what is not a whole number. */
  integer(name: string): number | undefined {
    const value = this.get(name);
    if (value === '') return undefined;
    if (!/^[+-]?\d+$/.test(value)) {
      throw status.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
    }
    return Number(value);
  }

  entries(): [string, string][] {
    return Object.entries(this.#values);
  }
}

const NO_QUERY = new Query({});

/** Reads what follows the `?`. */
export function parseQuery(text: string): Query {
  if (text === '') return NO_QUERY;
  const values: { [name: string]: string } = {};
  for (const [name, value] of new URLSearchParams(text)) values[name] ??= value;
  return new Query(values);
}
