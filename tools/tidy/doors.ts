/** Doors, READMEs, names, leftovers, neighbour tests, versions. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './imports.ts';
import { lineOf, resolveRelative, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

const HEADINGS = ['## Purpose', '## Door', '## State', '## Ports', '## Laws'];
// `controller-manager` is upstream's word for a component.
const BANNED = /(^|[-/])(utils?|helpers?|common|misc|(?<!controller-)manager)([-./]|$)/;

function checkReadme(house: House, room: string, report: Report): void {
  const path = join(house.root, room, 'README.md');
  if (!existsSync(path)) {
    report(`${room}/README.md`, 1, 'missing: every room has one screen about itself');
    return;
  }
  const text = readFileSync(path, 'utf8');
  for (const heading of HEADINGS) {
    if (!text.includes(`${heading}\n`)) report(`${room}/README.md`, 1, `lacks the heading "${heading}"`);
  }
  const map = join(house.root, 'ARCHITECTURE.md');
  if (!existsSync(map) || !readFileSync(map, 'utf8').includes(room))
    report('ARCHITECTURE.md', 1, `does not name ${room}`);
}

function doorFiles(house: House, room: string): string[] {
  const entries = Object.values(house.manifests.get(room)?.exports ?? {});
  return entries.map((e) => join(room, e)).filter((p) => !p.includes('/generated/'));
}

function exportedNames(node: Node): string[] {
  const declaration = node['declaration'] as Node | null | undefined;
  if (!declaration) return [];
  const id = declaration['id'] as { name?: string } | undefined;
  if (id?.name !== undefined) return [id.name];
  return ((declaration['declarations'] as Node[] | undefined) ?? []).map((d) => (d['id'] as { name: string }).name);
}

const UNDOCUMENTED = 'leaves by the front door without a doc line';

function documented(file: SourceFile, node: Node): boolean {
  const before = file.comments.filter((c) => c.end <= node.start).at(-1);
  return before !== undefined && /^\s*$/.test(file.text.slice(before.end, node.start));
}

function checkDoorDocs(house: House, room: string, report: Report): void {
  const byPath = new Map(house.files.map((f) => [f.path, f]));
  for (const door of doorFiles(house, room)) {
    const file = byPath.get(door);
    if (file === undefined) {
      report(`${room}/package.json`, 1, `exports ${door}, which is not there`);
      continue;
    }
    for (const statement of file.program['body'] as Node[]) {
      if (
        statement.type === 'ExportAllDeclaration' &&
        !/generated\//.test(String((statement['source'] as { value: string }).value)) &&
        statement['exported'] === null
      ) {
        report(door, lineOf(file, statement.start), 'export *: a door names what it shows');
      }
    }
    checkNamesDocumented(byPath, { home: file, wanted: undefined }, report);
  }
}

/** `wanted`: the names that are shown; undefined: whatever the file shows, as that of a door does. */
interface Shown {
  readonly home: SourceFile;
  readonly wanted: ReadonlySet<string> | undefined;
}

/** Follows names to where they are declared, through however many files. */
function checkNamesDocumented(byPath: ReadonlyMap<string, SourceFile>, { home, wanted }: Shown, report: Report): void {
  for (const statement of home.program['body'] as Node[]) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const source = statement['source'] as { value: string } | null;
    if (source !== null) {
      const next = byPath.get(resolveRelative(home, source.value));
      const passed = (statement['specifiers'] as Node[]).filter((s) => wanted?.has(nameOf(s['exported'])) ?? true);
      const names = new Set(passed.map((s) => nameOf(s['local'])));
      if (next !== undefined && names.size > 0) checkNamesDocumented(byPath, { home: next, wanted: names }, report);
      continue;
    }
    const overload = (statement['declaration'] as Node | null)?.type === 'TSDeclareFunction';
    for (const name of exportedNames(statement)) {
      if (wanted?.has(name) !== false && !overload && !documented(home, statement)) {
        report(home.path, lineOf(home, statement.start), `${name} ${UNDOCUMENTED}`);
      }
    }
  }
}

function nameOf(node: unknown): string {
  return (node as { name: string }).name;
}

/** How many of the exports of a room's doors have a doc line. */
export function documentedExports(house: House, room: string): { documented: number; all: number } {
  const missing: string[] = [];
  checkDoorDocs(house, room, (_file, _line, message) => {
    if (message.endsWith(UNDOCUMENTED)) missing.push(message);
  });
  const byPath = new Map(house.files.map((f) => [f.path, f]));
  const all = doorFiles(house, room).flatMap((door) =>
    ((byPath.get(door)?.program['body'] ?? []) as Node[]).flatMap((s) => [
      ...((s['specifiers'] as Node[] | undefined) ?? []),
      ...(s.type === 'ExportNamedDeclaration' ? exportedNames(s) : []),
    ]),
  );
  return { documented: all.length - missing.length, all: all.length };
}

function checkNames(file: SourceFile, report: Report): void {
  if (BANNED.test(file.path)) report(file.path, 1, 'a name that says nothing (util, helper, common, manager, …)');
  if (file.path.endsWith('/index.ts') && !/\/src\/(node\/)?index\.ts$/.test(file.path)) {
    report(file.path, 1, 'a folder barrel: import the file itself');
  }
  for (const comment of file.comments) {
    if (/\b(TODO|FIXME|XXX)\b/.test(comment.value) && !/\b(TODO|FIXME|XXX)\(#\d+\)/.test(comment.value)) {
      report(file.path, lineOf(file, comment.start), 'TODO without an issue number');
    }
    if (
      /oxlint-disable|eslint-disable|@ts-(ignore|expect-error)/.test(comment.value) &&
      !/--\s*\S/.test(comment.value)
    ) {
      report(file.path, lineOf(file, comment.start), 'a suppression gives its reason after --');
    }
  }
}

function hasLogic(file: SourceFile): boolean {
  let found = false;
  walk(file.program, (node) => {
    found ||= /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
  });
  return found;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** The files that some test in their own folder (or above it) reaches through the room's imports. */
function reachedFromBeside(house: House): Set<string> {
  const byPath = new Map(house.files.map((f) => [f.path, f]));
  const reached = new Set<string>();
  for (const test of house.files.filter((f) => f.isTest)) {
    const folder = folderOf(test.path);
    const seen = new Set<string>();
    const queue = [test];
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      for (const edge of file.imports) {
        const target = edge.specifier.startsWith('.') ? resolveRelative(file, edge.specifier) : '';
        const next = byPath.get(target);
        if (next === undefined || edge.typeOnly || seen.has(target)) continue;
        seen.add(target);
        queue.push(next);
        if (target.startsWith(`${folder}/`)) reached.add(target);
      }
    }
  }
  return reached;
}

/** Files of logic that no test beside reaches, each with a true reason of its own; not more than this. */
const UNTESTED_MAX = 20;
const UNTESTED = 'tools/tidy/untested.json';

function needsTest(file: SourceFile): boolean {
  const inRoom = file.path.startsWith('packages/') && file.path.includes('/src/');
  if (!inRoom || file.isTest || file.lines <= 60) return false;
  return hasLogic(file) && !/\/testing[/.]|\/test-[^/]*$|\/index\.ts$/.test(file.path);
}

function checkNeighbours(house: House, untested: Record<string, string>, report: Report): void {
  const paths = new Set(house.files.map((f) => f.path));
  const reached = reachedFromBeside(house);
  const missing = new Set<string>();
  for (const file of house.files) {
    const stem = file.path.replace(/\.tsx?$/, '');
    const hasTest = paths.has(`${stem}.test.ts`) || paths.has(`${stem}.ring.test.ts`) || reached.has(file.path);
    if (needsTest(file) && !hasTest) missing.add(file.path);
  }
  for (const path of missing) {
    if (!(path in untested))
      report(path, 1, `no test beside it reaches it: write one (or say in ${UNTESTED} why none can)`);
  }
  checkReasons(untested, missing, report);
}

function checkReasons(untested: Record<string, string>, missing: ReadonlySet<string>, report: Report): void {
  const entries = Object.entries(untested);
  const users = new Map<string, string>();
  for (const [path, reason] of entries) {
    if (!missing.has(path)) report(UNTESTED, 1, `${path} is gone or tested: take the line out`);
    const other = users.get(reason);
    if (other !== undefined) report(UNTESTED, 1, `${path} has the reason of ${other}: give its own, or a test`);
    if (reason.trim().length < 20) report(UNTESTED, 1, `${path}: "${reason}" is no reason`);
    users.set(reason, path);
  }
  if (entries.length > UNTESTED_MAX) {
    report(UNTESTED, 1, `${entries.length} files without a test, ${UNTESTED_MAX} at the most: test what can be tested`);
  }
}

function checkVersions(house: House, report: Report): void {
  const seen = new Map<string, [string, string]>();
  for (const [room, manifest] of house.manifests) {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const before = seen.get(name);
      if (before !== undefined && before[0] !== version) {
        report(`${room}/package.json`, 1, `${name} ${version}, but ${before[1]} has ${before[0]}`);
      }
      seen.set(name, [version, room]);
      if (!/^(\*|\d+\.\d+\.\d+)$/.test(version)) report(`${room}/package.json`, 1, `${name}: version is not exact`);
    }
  }
}

function readUntested(house: House): Record<string, string> {
  const path = join(house.root, UNTESTED);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>) : {};
}

/** READMEs, doors, names, tests beside, versions. */
export function checkDoors(house: House, report: Report): void {
  const untested = readUntested(house);
  for (const room of Object.keys(house.layers.rooms)) {
    checkReadme(house, room, report);
    checkDoorDocs(house, room, report);
  }
  for (const file of house.files) checkNames(file, report);
  checkNeighbours(house, untested, report);
  checkVersions(house, report);
}
