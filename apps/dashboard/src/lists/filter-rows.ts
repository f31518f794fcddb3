import type { Row } from '../live/rows.ts';
import { cellText } from './cell-text.ts';

/** The rows in whose cells, namespace or labels every word of the filter is found. */
export function filterRows(rows: readonly Row[], filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const { namespace = '', labels } = row.object.metadata;
    const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const text = [namespace, ...row.cells.map((cell) => cellText(cell)), ...pairs].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
