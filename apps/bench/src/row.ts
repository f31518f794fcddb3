import type { CpuPerOperation } from './thread-cpu.ts';

/** One measured figure, with what it is compared to. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly reference: { readonly name: string; readonly value: number } | null;
  /** The budget in words: `≤ 500`, `≥ 0.75 × reference`. */
  readonly budget: string;
  readonly holds: boolean;
  /** What the program under test used for it. */
  readonly cpu?: CpuPerOperation;
}

/** A group of figures that are measured together. */
export interface Measurement {
  readonly name: string;
  run(): Promise<Row[]>;
}

/** The middle one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low = Number.NaN, high = low] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}

/** A row whose value may not exceed `limit`. */
export function atMost(row: Omit<Row, 'budget' | 'holds'>, limit: number): Row {
  return { ...row, budget: `≤ ${limit} ${row.unit}`, holds: row.value <= limit };
}

/** A row whose value must reach a share of its reference. */
export function atLeastShare(row: Omit<Row, 'budget' | 'holds'>, share: number): Row {
  return {
    ...row,
    budget: `≥ ${share} × reference`,
    holds: row.reference !== null && row.value >= share * row.reference.value,
  };
}

/** A figure that nobody has set a budget for. */
export function figure(row: Omit<Row, 'budget' | 'holds'>): Row {
  return { ...row, budget: 'none set', holds: true };
}

/** A row whose value must reach `limit`. */
export function atLeast(row: Omit<Row, 'budget' | 'holds'>, limit: number): Row {
  return { ...row, budget: `≥ ${limit} ${row.unit}`, holds: row.value >= limit };
}
