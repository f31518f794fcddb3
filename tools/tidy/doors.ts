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
      if (statement.type !== 'ExportNamedDeclaration') continue;
      const source = statement['source'] as { value: string } | null;
      if (source === null) continue;
      const home = byPath.get(resolveRelative(file, source.value));
      const wanted = (statement['specifiers'] as Node[]).map((s) => (s['local'] as { name: string }).name);
      if (home !== undefined) checkNamesDocumented(home, new Set(wanted), report);
    }
  }
}

function checkNamesDocumented(home: SourceFile, wanted: Set<string>, report: Report): void {
  for (const statement of home.program['body'] as Node[]) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const overload = (statement['declaration'] as Node | null)?.type === 'TSDeclareFunction';
    for (const name of exportedNames(statement)) {
      if (wanted.has(name) && !overload && !documented(home, statement)) {
        report(home.path, lineOf(home, statement.start), `${name} leaves by the front door without a doc line`);
      }
    }
  }
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

function checkNeighbours(house: House, untested: Record<string, string>, report: Report): void {
  const paths = new Set(house.files.map((f) => f.path));
  const reached = reachedFromBeside(house);
  for (const file of house.files) {
    const rooms = file.path.startsWith('packages/') && file.path.includes('/src/');
    if (!rooms || file.isTest || file.lines <= 60 || !hasLogic(file) || /\/testing[/.]|\/index\.ts$/.test(file.path))
      continue;
    const stem = file.path.replace(/\.tsx?$/, '');
    if (
      paths.has(`${stem}.test.ts`) ||
      paths.has(`${stem}.ring.test.ts`) ||
      reached.has(file.path) ||
      file.path in untested
    )
      continue;
    report(file.path, 1, 'no test beside it reaches it (nor is there a reasoned line in tools/tidy/untested.json)');
  }
  for (const path of Object.keys(untested)) {
    if (!paths.has(path)) report('tools/tidy/untested.json', 1, `${path} is gone: take the line out`);
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

export function checkDoors(house: House, untested: Record<string, string>, report: Report): void {
  for (const room of Object.keys(house.layers.rooms)) {
    checkReadme(house, room, report);
    checkDoorDocs(house, room, report);
  }
  for (const file of house.files) checkNames(file, report);
  checkNeighbours(house, untested, report);
  checkVersions(house, report);
}
