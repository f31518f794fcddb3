/** The law of imports: allowed arrows, declared packages, doors, no cycles. */
import { lineOf, resolveRelative } from './tree.ts';
import type { House, ImportEdge, SourceFile } from './tree.ts';

export type Report = (file: string, line: number, message: string) => void;

interface Place {
  file: SourceFile;
  edge: ImportEdge;
}

function roomOfPackage(house: House, name: string): string | undefined {
  for (const [room, manifest] of house.manifests) if (manifest.name === name) return room;
  return undefined;
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function checkPackageImport(house: House, { file, edge }: Place, report: Report): void {
  const name = packageName(edge.specifier);
  const line = lineOf(file, edge.start);
  const manifest = house.manifests.get(file.room);
  const forTests = isProduct(house, file) ? {} : manifest?.devDependencies;
  const declared = { ...manifest?.dependencies, ...forTests };
  const root = house.manifests.get('tools');
  const allowedForTests = file.isTest || /\/(bench|testing)[/.]/.test(file.path) ? root?.devDependencies : undefined;
  if (!(name in declared) && !(name in (allowedForTests ?? {})) && name !== manifest?.name) {
    const where = name in (manifest?.devDependencies ?? {}) ? 'has for tests alone' : 'does not declare';
    report(file.path, line, `imports ${name}, which ${file.room}/package.json ${where}`);
  }
  const target = roomOfPackage(house, name);
  if (target === undefined || target === 'tools' || target === file.room) return;
  const law = house.layers.rooms[file.room];
  const short = target.split('/').at(-1) as string;
  if (law !== undefined && !law.may.includes(short) && !law.may.includes('*')) {
    const excused =
      house.layers.exceptions.some((e) => isUnder(file.path, e.from) && e.to === short) ||
      (house.layers.inTests?.includes(short) === true && (file.isTest || isTestSupport(file.path)));
    if (!excused) report(file.path, line, `${file.room} may not import ${short} (layers.json)`);
  }
  const entry = `.${edge.specifier.slice(name.length)}`;
  if (!(entry in (house.manifests.get(target)?.exports ?? {}))) {
    report(file.path, line, `${edge.specifier} is not a door of ${short}`);
  }
}

function isUnder(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** An exception says why and until when; one that is over, or that nothing needs, goes. */
function checkExceptions(house: House, report: Report): void {
  const today = new Date().toISOString().slice(0, 10);
  for (const { from, to, why, until } of house.layers.exceptions) {
    const say = (message: string): void => report('layers.json', 1, `exception ${from} → ${to} ${message}`);
    if (typeof why !== 'string' || why.trim() === '') say('says no "why"');
    if (!/^\d{4}-\d{2}-\d{2}$/.test(until)) say('says no day in "until" (YYYY-MM-DD)');
    else if (until < today) say(`was allowed until ${until}: mend the import, take the line out`);
    const used = house.files.some(
      (file) =>
        isUnder(file.path, from) &&
        file.imports.some((edge) => roomOfPackage(house, packageName(edge.specifier))?.split('/').at(-1) === to),
    );
    if (!used) say('is needed by nothing: take the line out');
  }
}

/** Neutral code takes no adapter by import, neither its own room's nor another's: the app hands it in. */
function checkAdapterImport(house: House, { file, edge }: Place, report: Report): void {
  if (edge.typeOnly || isAmbient(house, file)) return;
  const relative = edge.specifier.startsWith('.');
  const room = relative ? file.room : roomOfPackage(house, packageName(edge.specifier));
  const entry = `.${edge.specifier.slice(packageName(edge.specifier).length)}`;
  const door = relative
    ? resolveRelative(file, edge.specifier)
    : `${room}/${house.manifests.get(room ?? '')?.exports?.[entry]?.slice(2)}`;
  if (house.layers.rooms[room ?? '']?.ambient !== true && isAdapter(house, room ?? '', door)) {
    report(
      file.path,
      lineOf(file, edge.start),
      `${edge.specifier} is an adapter: neutral code takes a port, the app hands it in`,
    );
  }
}

function isAdapter(house: House, room: string, path: string): boolean {
  const inside = path.slice(room.length + 1);
  return (house.layers.rooms[room]?.node ?? []).some(
    (n) => inside === n || inside === `${n}.ts` || inside.startsWith(`${n}/`),
  );
}

function checkRelative(house: House, { file, edge }: Place, report: Report): void {
  const target = resolveRelative(file, edge.specifier);
  const line = lineOf(file, edge.start);
  if (!target.startsWith(`${file.room}/`)) {
    const generator = file.room === 'tools' && edge.typeOnly;
    if (!generator) report(file.path, line, `reaches out of its room: ${edge.specifier}`);
    return;
  }
  if (house.layers.rooms[file.room]?.separateFolders !== true) return;
  const folder = (path: string): string | undefined => /\/src\/([^/]+)\//.exec(path)?.[1];
  const [from, to] = [folder(file.path), folder(target)];
  if (from !== undefined && to !== undefined && from !== to && to !== 'testing') {
    report(file.path, line, `folders of ${file.room} may not import each other: ${from} → ${to}`);
  }
}

function isAmbient(house: House, file: SourceFile): boolean {
  const law = house.layers.rooms[file.room];
  if (law === undefined || law.ambient === true || file.isTest) return true;
  if (isTestSupport(file.path)) return true;
  return isAdapter(house, file.room, file.path);
}

const TEST_SUPPORT = /\/(testing|contract)[/.]|\/test-[^/]*$|\.fixture\.ts$|\/bench\//;
/** What stands among it and ships all the same: it keeps the laws of neutral code. */
const OFFERED: ReadonlySet<string> = new Set(['packages/base/src/testing/virtual-clock.ts']);

/** Whether a path is what tests share: suites, scenes, fakes, measurements. */
export function isTestSupport(path: string): boolean {
  return TEST_SUPPORT.test(`/${path}`) && !OFFERED.has(path);
}

/** Whether a file ships: a room or the command, without its tests and what they share. */
export function isProduct(house: House, file: SourceFile): boolean {
  if (!(file.room in house.layers.rooms) || file.isTest || isTestSupport(file.path)) return false;
  return file.room.startsWith('packages/') || file.room === 'apps/binnacle';
}

/** What tests share may use everything, so the product uses none of it. */
function checkTestSupport(house: House, { file, edge }: Place, report: Report): void {
  if (edge.typeOnly || !isProduct(house, file)) return;
  const relative = edge.specifier.startsWith('.');
  if (!isTestSupport(relative ? resolveRelative(file, edge.specifier) : doorOf(house, edge.specifier))) return;
  report(
    file.path,
    lineOf(file, edge.start),
    `${edge.specifier} is for tests: move what the product needs to where its laws hold`,
  );
}

/** The file behind a door of a room; the specifier for a package that is none of ours. */
function doorOf(house: House, specifier: string): string {
  const name = packageName(specifier);
  const room = roomOfPackage(house, name);
  const file = house.manifests.get(room ?? '')?.exports?.[`.${specifier.slice(name.length)}`];
  return file === undefined ? specifier : `${room}/${file.slice(2)}`;
}

/** Whether a file may use `node:*`, time and chance: adapters, tests, apps, tools. */
export { isAmbient };

export function checkImports(house: House, report: Report): void {
  for (const room of new Set(house.files.map((f) => f.room))) {
    if (room !== 'tools' && !(room in house.layers.rooms)) report('layers.json', 1, `${room} has no row`);
  }
  for (const file of house.files) {
    for (const edge of file.imports) {
      checkAdapterImport(house, { file, edge }, report);
      checkTestSupport(house, { file, edge }, report);
      if (edge.specifier.startsWith('node:')) {
        if (!isAmbient(house, file)) {
          report(file.path, lineOf(file, edge.start), `${edge.specifier} outside an adapter folder`);
        }
        if (edge.specifier === 'node:http' && !edge.typeOnly && !file.isTest && file.room in house.layers.rooms) {
          report(file.path, lineOf(file, edge.start), 'node:http by import loads all of it: take nodeHttp() of base');
        }
      } else if (edge.specifier.startsWith('.')) checkRelative(house, { file, edge }, report);
      else checkPackageImport(house, { file, edge }, report);
    }
  }
  checkCycles(house, report);
  checkExceptions(house, report);
}

function checkCycles(house: House, report: Report): void {
  const byPath = new Map(house.files.map((f) => [f.path, f]));
  const state = new Map<string, 'open' | 'done'>();
  const visit = (file: SourceFile, trail: string[]): void => {
    state.set(file.path, 'open');
    for (const edge of file.imports) {
      if (!edge.specifier.startsWith('.')) continue;
      const target = byPath.get(resolveRelative(file, edge.specifier));
      if (target === undefined) continue;
      if (state.get(target.path) === 'open') {
        const cycle = [...trail, file.path].slice([...trail, file.path].indexOf(target.path));
        report(file.path, lineOf(file, edge.start), `import cycle: ${[...cycle, target.path].join(' → ')}`);
      } else if (!state.has(target.path)) visit(target, [...trail, file.path]);
    }
    state.set(file.path, 'done');
  };
  for (const file of house.files) if (!state.has(file.path)) visit(file, []);
}
