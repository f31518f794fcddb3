/** Which test files there are, and where each one runs: by its name, its place, and whether it needs real containers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `beside` is part of check; `rings`, `cluster` and `ledger` of `npm test`; the others have a command of their own. */
export const TIERS = ['beside', 'rings', 'cluster', 'ledger', 'soak', 'interop', 'browser'] as const;
export type Tier = (typeof TIERS)[number];
/** What needs real containers, and what does not (pool.ts says what runs beside what). */
export type Lane = 'containers' | 'simulated';

/** Files that run in one go and are timed together. */
export interface Suite {
  name: string;
  tier: Tier;
  lane: Lane;
  files: string[];
}

const SKIPPED = new Set(['node_modules', 'dist', 'generated', 'facts', 'testdata', '.git', '.cache']);
/** New rooms and apps are found by themselves. */
const ROOTS = ['packages', 'apps', 'testkit', 'conformance', 'tools'];

function listTests(root: string, dir: string): string[] {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return listTests(root, path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

/** The tier of a test file, by its name first, then by its place. */
export function tierOf(path: string): Tier {
  const kind = /\.(ring|soak|interop|browser)\.test\.ts$/.exec(path)?.[1];
  if (kind !== undefined) return kind === 'ring' ? 'rings' : (kind as Tier);
  if (path.startsWith('conformance/src/ledger/')) return 'ledger';
  return path.startsWith('conformance/') ? 'cluster' : 'beside';
}

/** A file that names containerd or CRI, by its path or in its text, or shows behaviours of containers, works with real ones. */
export function laneOf(path: string, text: string): Lane {
  return /containerd|behaviours\('containers'|runtime\/(src\/)?cri\b|node\/cgroups/i.test(`${path}\n${text}`)
    ? 'containers'
    : 'simulated';
}

/** A test's text, and those of the files beside it that it is made of. */
function textWithParts(path: string): string {
  const text = readFileSync(path, 'utf8');
  const parts = [...text.matchAll(/from '(\.\/[^']+\.ts)'/g)].map(([, part = '']) => join(dirname(path), part));
  return [text, ...parts.filter((part) => existsSync(part)).map((part) => readFileSync(part, 'utf8'))].join('\n');
}

function suiteName(path: string, tier: Tier, lane: Lane): string {
  if (tier === 'beside') return 'beside';
  // One process, and so one shared cluster, for each lane of the ledger.
  if (tier === 'ledger') return `ledger ${lane}`;
  const short = path.replace(/^conformance\/src\//, '').replace(/(\.(ring|soak|interop|browser))?\.test\.ts$/, '');
  return `${tier} ${short.replace('/src/', '/')}`;
}

/** All suites, sorted by name. */
export function readSuites(root: string): Suite[] {
  const suites = new Map<string, Suite>();
  for (const path of ROOTS.flatMap((dir) => listTests(root, dir)).sort()) {
    const tier = tierOf(path);
    const lane = tier === 'beside' ? 'simulated' : laneOf(path, textWithParts(join(root, path)));
    const name = suiteName(path, tier, lane);
    const suite = suites.get(name) ?? { name, tier, lane, files: [] };
    suite.files.push(path);
    suites.set(name, suite);
  }
  return [...suites.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}
