/** Inside a room imports fall downwards too: `order` in layers.json lists its folders from the top to the ground. */
import { isTestSupport } from './imports.ts';
import type { Report } from './imports.ts';
import { lineOf, resolveRelative } from './tree.ts';
import type { House, SourceFile } from './tree.ts';

/** An import against the order. */
export interface BackArrow {
  file: SourceFile;
  line: number;
  from: string;
  to: string;
}

/** The folder under `src`, or the stem of a file that lies there directly. */
export function placeOf(room: string, path: string): string | undefined {
  const inside = path.startsWith(`${room}/src/`) ? path.slice(room.length + 5) : undefined;
  return inside?.split('/')[0]?.replace(/\.tsx?$/, '');
}

/** All back arrows of the rooms that have an order. Tests may reach up. */
export function backArrows(house: House): BackArrow[] {
  return house.files.flatMap((file) => {
    const order = house.layers.rooms[file.room]?.order;
    if (order === undefined || file.isTest || isTestSupport(file.path)) return [];
    const from = placeOf(file.room, file.path);
    if (from === undefined) return [];
    return file.imports.flatMap((edge): BackArrow[] => {
      if (!edge.specifier.startsWith('.')) return [];
      const to = placeOf(file.room, resolveRelative(file, edge.specifier));
      // A file that has no place of its own stands at the top: it may use everything, and nothing below may use it.
      if (to === undefined || to === from || order.indexOf(to) >= order.indexOf(from)) return [];
      return [{ file, line: lineOf(file, edge.start), from, to }];
    });
  });
}

/** Refuses arrows upwards, and folders that the order does not name. */
export function checkOrder(house: House, report: Report): void {
  for (const arrow of backArrows(house)) {
    report(
      arrow.file.path,
      arrow.line,
      `back arrow ${arrow.from} → ${arrow.to} (order in layers.json): move what both need down, or hand it in`,
    );
  }
  for (const [room, law] of Object.entries(house.layers.rooms)) {
    if (law.order === undefined) continue;
    const folders = new Set(
      house.files
        .filter((f) => f.room === room && f.path.slice(room.length + 5).includes('/'))
        .map((f) => placeOf(room, f.path)),
    );
    for (const folder of folders) {
      if (folder !== undefined && !law.order.includes(folder) && !/^(testing|test|bench)$/.test(folder)) {
        report('layers.json', 1, `${room} has no place for its folder ${folder} in "order": put it where it belongs`);
      }
    }
  }
}
