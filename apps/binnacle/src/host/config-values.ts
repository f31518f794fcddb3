/** How values of configuration files are read. Each throws UsageError with what is wrong with the value. */
import { quantityValue } from '@binnacle/machinery';
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';

export type Fields = { readonly [name: string]: unknown };

export function table(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`${JSON.stringify(value)} is no table of names and values`);
}

export function textTable(value: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(table(value)).map(([name, one]) => [name, text(one)]));
}

export function percent(value: unknown): number {
  const number = whole(value, 0);
  if (number > 100) throw new UsageError(`${number} is more than 100 percent`);
  return number;
}

/** A duration in milliseconds: zero, or a second at the least. */
export function wholeSeconds(value: unknown): number {
  const ms = milliseconds(value);
  if (ms > 0 && ms < 1000) throw new UsageError(`${text(value)} must be either zero or otherwise >= 1 sec`);
  return ms;
}

export function oneOf<T extends string>(value: unknown, all: readonly [T, ...T[]]): T {
  const wanted = text(value);
  const found = wanted === '' ? all[0] : all.find((one) => one === wanted);
  if (found === undefined) throw new UsageError(`${wanted} is not supported: ${all.join(', ')} are`);
  return found;
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw new UsageError(`${JSON.stringify(value)} is no text`);
  return value;
}

export function texts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new UsageError(`${JSON.stringify(value)} is no list`);
  return value.map(text);
}

export function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new UsageError(`${JSON.stringify(value)} is neither true nor false`);
  return value;
}

export function whole(value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${JSON.stringify(value)} is no whole number from ${least}`);
}

export function bytes(value: unknown): number {
  return quantityValue(text(value));
}

export function milliseconds(value: unknown): number {
  return parseDuration(text(value));
}
