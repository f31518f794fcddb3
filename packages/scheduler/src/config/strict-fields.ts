import { parseGoDuration } from '@binnacle/base';
import { SchedulerConfigError } from '../errors.ts';

/** Reads the value at a path, or throws a SchedulerConfigError that names the path. */
export type Read<T> = (value: unknown, path: string) => T;

function wrong(path: string, message: string): SchedulerConfigError {
  return new SchedulerConfigError(`${path}: ${message}`);
}

/** Text. */
export const text: Read<string> = (value, path) => {
  if (typeof value !== 'string') throw wrong(path, 'expected a string');
  return value;
};

/** True or false. */
export const flag: Read<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw wrong(path, 'expected a boolean');
  return value;
};

/** A whole number within bounds, both included. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Read<number> {
  return (value, path) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw wrong(path, 'expected an integer');
    if (value < min || value > max) throw wrong(path, `must be between ${min} and ${max}`);
    return value;
  };
}

/** One of some texts. */
export function oneOf<T extends string>(...options: readonly T[]): Read<T> {
  return (value, path) => {
    const known = options.find((option) => option === value);
    if (known === undefined) throw wrong(path, `must be one of ${options.join(', ')}`);
    return known;
  };
}

/** A list, each item read alike. */
export function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw wrong(path, 'expected a list');
    return (value as readonly unknown[]).map((item, i) => read(item, `${path}[${i}]`));
  };
}

/** A duration as `1m30s`, in milliseconds. */
export const duration: Read<number> = (value, path) =>
  parseGoDuration(text(value, path), (message) => {
    throw wrong(path, message);
  });

/** The fields of one object: each is taken once, and what is left over at the end is unknown. */
export class Fields {
  readonly #path: string;
  readonly #left: Map<string, unknown>;

  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrong(path || 'file', 'expected an object');
    this.#path = path;
    this.#left = new Map(Object.entries(value));
  }

  /** The value of a field; undefined where it is absent or null. */
  take<T>(name: string, read: Read<T>): T | undefined {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value === undefined || value === null ? undefined : read(value, this.at(name));
  }

  /** Takes a field that has to be there. */
  need<T>(name: string, read: Read<T>): T {
    const value = this.take(name, read);
    if (value === undefined) throw wrong(this.at(name), 'required value');
    return value;
  }

  at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  /** Refuses what nobody took. */
  done(): void {
    const [unknown] = this.#left.keys();
    if (unknown !== undefined) throw new SchedulerConfigError(`unknown field "${this.at(unknown)}"`);
  }
}

/** Reads an object by its fields, and refuses unknown ones. */
export function objectOf<T>(read: (fields: Fields) => T): Read<T> {
  return (value, path) => {
    const fields = new Fields(value, path);
    const result = read(fields);
    fields.done();
    return result;
  };
}
