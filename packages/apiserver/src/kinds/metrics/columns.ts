import { addQuantities, formatQuantity, parseQuantity } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { NAME, nameOf, printer, text } from '../../render/columns.ts';

type Amounts = { readonly [resource: string]: string };

interface Figures extends KubeObject {
  readonly window: string;
  readonly usage?: Amounts;
  readonly containers?: readonly { readonly usage: Amounts }[];
}

const COLUMNS = [
  NAME,
  text('CPU', 'CPU that is used.'),
  text('Memory', 'Memory that is in use.'),
  text('Window', 'The time over which it was measured.'),
];

function row(figures: Figures, all: readonly Amounts[]): string[] {
  const sum = (resource: string): string =>
    formatQuantity(
      all
        .slice(1)
        .reduce((total, one) => addQuantities(total, one[resource] ?? '0'), parseQuantity(all[0]?.[resource] ?? '0')),
    );
  return [nameOf(figures), sum('cpu'), sum('memory'), figures.window];
}

export const nodeMetricsPrinter = printer<Figures>(COLUMNS, (figures) => row(figures, [figures.usage ?? {}]));

export const podMetricsPrinter = printer<Figures>(COLUMNS, (figures) =>
  row(
    figures,
    (figures.containers ?? []).map(({ usage }) => usage),
  ),
);
