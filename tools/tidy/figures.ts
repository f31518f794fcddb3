/** The house in figures: printed at every check, enforced elsewhere. */
import { documentedExports } from './doors.ts';
import { backArrows } from './order.ts';
import { functionLengths, CEILINGS } from './sizes.ts';
import type { House, SourceFile } from './tree.ts';

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function lengths(files: readonly SourceFile[]): string {
  const sorted = files.map((f) => f.lines).sort((a, b) => a - b);
  return `${percentile(sorted, 0.5)} / ${percentile(sorted, 0.9)} / ${sorted.at(-1) ?? 0}`;
}

const sum = (files: readonly SourceFile[]): number => files.reduce((all, f) => all + f.lines, 0);

function roomsImportedBy(house: House, room: string): Set<string> {
  const names = new Map([...house.manifests].map(([at, manifest]) => [manifest.name, at]));
  const found = new Set<string>();
  for (const file of house.files.filter((f) => f.room === room && !f.isTest)) {
    for (const edge of file.imports) {
      const target = names.get(edge.specifier.split('/').slice(0, 2).join('/'));
      if (target !== undefined && target !== room) found.add(target);
    }
  }
  return found;
}

/** One line a room, then the whole. */
export function figures(house: House): string {
  const rooms = Object.keys(house.layers.rooms).sort();
  const back = backArrows(house);
  const rows = [...rooms, 'tools'].map((room) => {
    const files = house.files.filter((f) => f.room === room);
    const [code, tests] = [files.filter((f) => !f.isTest), files.filter((f) => f.isTest)];
    const arrows = roomsImportedBy(house, room).size;
    const order =
      house.layers.rooms[room]?.order === undefined ? '–' : `${back.filter((a) => a.file.room === room).length}`;
    const docs = documentedExports(house, room);
    const share = docs.all === 0 ? '–' : `${Math.round((100 * docs.documented) / docs.all)} %`;
    return [
      room,
      `${code.length}`,
      `${sum(code)}`,
      lengths(code),
      `${arrows}`,
      order,
      share,
      (sum(tests) / Math.max(1, sum(code))).toFixed(2),
    ];
  });
  const head = ['room', 'files', 'lines', 'median/p90/max', 'arrows', 'back', 'docs', 'test÷code'];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const table = [head, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const product = house.files.filter((f) => !f.isTest && f.room !== 'tools');
  const long = product.flatMap(functionLengths).filter((f) => f.value > CEILINGS.function).length;
  const arrows = rooms.reduce((all, room) => all + roomsImportedBy(house, room).size, 0);
  const docs = rooms.map((room) => documentedExports(house, room));
  const [documented, all] = [docs.reduce((n, d) => n + d.documented, 0), docs.reduce((n, d) => n + d.all, 0)];
  return [
    ...table,
    `${rooms.length} rooms, ${arrows} arrows, ${back.length} back arrows; ${product.length} files, ${sum(product)} lines, median/p90/max ${lengths(product)}; functions over ${CEILINGS.function} lines: ${long}; exports with docs ${Math.round((100 * documented) / Math.max(1, all))} %; tests ${sum(house.files.filter((f) => f.isTest))} lines`,
  ].join('\n');
}
