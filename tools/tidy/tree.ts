/** Reads the house: files, their syntax trees, their imports. Everything the rules look at. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface Layers {
  rooms: Record<string, RoomLaw>;
  exceptions: Exception[];
  /** Rooms that tests, and what they share, may import although the product may not: real parts in place of fakes. */
  inTests?: readonly string[];
}
/** An arrow that the law forbids and that is allowed for a time: `from` a room or a path in it, `to` a room's short name. */
export interface Exception {
  from: string;
  to: string;
  why: string;
  /** The last day, `2026-12-31`. */
  until: string;
}
export interface RoomLaw {
  may: string[];
  /** Files and folders of the room that may use `node:*` and ambient globals. */
  node: string[];
  /** The whole room may read flags, environment, time and chance. */
  ambient?: boolean;
  /** Folders directly under src may not import each other. */
  separateFolders?: boolean;
  /** Folders (and files) directly under src, from the top to the ground: imports fall downwards. */
  order?: string[];
}

export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}
export interface Comment {
  type: string;
  value: string;
  start: number;
  end: number;
}
export interface ImportEdge {
  specifier: string;
  typeOnly: boolean;
  start: number;
}
export interface SourceFile {
  /** Path from the root of the house. */
  path: string;
  /** Room (`packages/store`), or `tools`. */
  room: string;
  text: string;
  lines: number;
  isTest: boolean;
  program: Node;
  comments: Comment[];
  imports: ImportEdge[];
}
export interface Manifest {
  name: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
export interface House {
  root: string;
  layers: Layers;
  files: SourceFile[];
  manifests: Map<string, Manifest>;
}

const SKIPPED = new Set(['node_modules', 'generated', 'facts', 'dist', 'testdata', '.git']);

function listSources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return listSources(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}

/** Calls `visit` for every node of a tree, parents first. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child) walk(child as Node, visit, node);
    }
  }
}

function importsOf(program: Node): ImportEdge[] {
  const found: ImportEdge[] = [];
  walk(program, (node) => {
    const source = node['source'] as { value?: unknown } | null | undefined;
    const kind = (node['importKind'] ?? node['exportKind']) as string | undefined;
    if (/^(Import|ExportNamed|ExportAll)Declaration$|^ImportExpression$/.test(node.type) && source) {
      if (typeof source.value === 'string') {
        found.push({ specifier: source.value, typeOnly: kind === 'type', start: node.start });
      }
    }
  });
  return found;
}

/** A file of the house from its path and its text. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  const program = parsed.program as unknown as Node;
  const parts = path.split('/');
  return {
    path,
    room: parts[0] === 'packages' || parts[0] === 'apps' ? `${parts[0]}/${parts[1]}` : (parts[0] as string),
    text,
    lines: text.split('\n').length - 1,
    isTest: /\.test\.(ts|tsx)$/.test(path),
    program,
    comments: parsed.comments as unknown as Comment[],
    imports: importsOf(program),
  };
}

/** Every folder that npm takes for a workspace; one that layers.json does not name is a finding. */
function workspaces(root: string): string[] {
  return ['packages', 'apps'].flatMap((dir) =>
    readdirSync(join(root, dir)).flatMap((name) =>
      existsSync(join(root, dir, name, 'package.json')) ? [`${dir}/${name}`] : [],
    ),
  );
}

export function readHouse(root: string): House {
  const layers = JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8')) as Layers;
  const dirs = [...new Set([...Object.keys(layers.rooms), ...workspaces(root), 'tools'])].filter((d) =>
    existsSync(join(root, d)),
  );
  const manifests = new Map<string, Manifest>();
  for (const dir of dirs) {
    const file = join(root, dir, 'package.json');
    if (existsSync(file)) manifests.set(dir, JSON.parse(readFileSync(file, 'utf8')) as Manifest);
  }
  manifests.set('tools', JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest);
  const files = dirs
    .flatMap((dir) => listSources(join(root, dir)))
    .map((f) => parseSource(relative(root, f), readFileSync(f, 'utf8')));
  return { root, layers, files, manifests };
}

/** The file that a relative import means, as a path from the root. */
export function resolveRelative(file: SourceFile, specifier: string): string {
  return relative('/', resolve('/', dirname(file.path), specifier));
}

const lineStarts = new WeakMap<SourceFile, number[]>();

/** Line number of an offset. */
export function lineOf(file: SourceFile, offset: number): number {
  let starts = lineStarts.get(file);
  if (starts === undefined) {
    starts = [0, ...[...file.text.matchAll(/\n/g)].map((match) => match.index + 1)];
    lineStarts.set(file, starts);
  }
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
