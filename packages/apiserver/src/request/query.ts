import { status } from '@binnacle/machinery';

/** So many characters are within 64 bits, whatever they are. */
const DIGITS_SURE = 18;

function isInt64(digits: string): boolean {
  const significant = digits.replace(/^([+-]?)0+(?=\d)/, '$1');
  if (significant.length > DIGITS_SURE + 2) return false;
  const value = BigInt(significant.replace('+', ''));
  return BigInt.asIntN(64, value) === value;
}

/** Query parameters; of a repeated one the first counts, as in Go. */
export class Query {
  readonly #values: { readonly [name: string]: string };
  /** The whole text, where a parameter comes more than once. */
  readonly #repeated: string | undefined;

  constructor(values: { readonly [name: string]: string }, repeated?: string) {
    this.#values = values;
    this.#repeated = repeated;
  }

  get isEmpty(): boolean {
    return this === NO_QUERY;
  }

  /** Empty when absent. */
  get(name: string): string {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? '') : '';
  }

  /** All values of a repeated parameter, in order. */
  all(name: string): readonly string[] {
    if (this.#repeated !== undefined) return new URLSearchParams(this.#repeated).getAll(name);
    return this.has(name) ? [this.get(name)] : [];
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** The way Go reads a bool parameter: absent, `0` and `false` are false, everything else is true. */
  bool(name: string): boolean {
    const value = this.get(name);
    return this.has(name) && value !== '0' && value.toLowerCase() !== 'false';
  }

  /** Undefined when absent or empty; throws 400 for what is not a whole number of 64 bits. */
  integer(name: string): number | undefined {
    const value = this.get(name);
    if (value === '') return undefined;
    if (!/^[+-]?\d+$/.test(value)) {
      throw status.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
    }
    if (value.length > DIGITS_SURE && !isInt64(value)) {
      throw status.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
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
  // No prototype: a parameter may be called `constructor`.
  const values = Object.create(null) as { [name: string]: string };
  let repeated = false;
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in values) repeated = true;
    else values[name] = value;
  }
  return new Query(values, repeated ? text : undefined);
}
