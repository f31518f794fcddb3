/** conformance/ledger.yaml: upstream's conformance behaviours, each shown by a test of this repository or waiting for a feature. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { parseSource, walk } from '../tidy/tree.ts';

/** A behaviour. It has either `test` (the file; the test's name is the codename) or `waits` (the feature that is missing). */
export interface Row {
  codename: string;
  test?: string;
  waits?: string;
}
export interface Ledger {
  /** Upstream's version that the codenames come from, and how many there are. */
  version: string;
  count: number;
  /** What the suite expects of a cluster. */
  profile: string[];
  behaviours: Row[];
}

/** `sig-node` of `[sig-node] Pods should …`. */
export function sigOf(codename: string): string {
  return /^\[(sig-[a-z-]+)\]/.exec(codename)?.[1] ?? 'no sig';
}

export function parseLedger(text: string): Ledger {
  return load(text) as Ledger;
}

/** Every string that stands in a test file: a test's name is one of them. */
export function stringsOf(path: string, text: string): Set<string> {
  const found = new Set<string>();
  walk(parseSource(path, text).program, (node) => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') found.add(node['value']);
    if (node.type === 'TemplateLiteral' && (node['quasis'] as unknown[]).length === 1) {
      found.add((node['quasis'] as { value: { cooked: string } }[])[0]?.value.cooked ?? '');
    }
  });
  return found;
}

/** What is wrong with the ledger. `read` answers with a file's text, or nothing where there is none. */
export function wrongs(ledger: Ledger, read: (path: string) => string | undefined): string[] {
  const said: string[] = [];
  const strings = new Map<string, Set<string> | undefined>();
  const seen = new Set<string>();
  for (const { codename, test, waits } of ledger.behaviours) {
    const say = (message: string): number => said.push(`${codename}: ${message}`);
    if (seen.has(codename)) say('stands twice');
    seen.add(codename);
    if ((test === undefined) === (waits === undefined)) say('has either a test or a feature that it waits for');
    if (waits !== undefined && waits.trim() === '') say('says nothing in "waits"');
    if (test === undefined) continue;
    if (!strings.has(test)) {
      const text = read(test);
      strings.set(test, text === undefined ? undefined : stringsOf(test, text));
    }
    const names = strings.get(test);
    if (names === undefined) say(`${test} is not there: name the file that shows it, or what it waits for`);
    else if (!names.has(codename)) say(`${test} has no test of this name`);
  }
  if (ledger.behaviours.length !== ledger.count) {
    said.push(
      `${ledger.behaviours.length} behaviours, upstream ${ledger.version} has ${ledger.count}: none may get lost`,
    );
  }
  return said;
}

/** Tests under conformance/src/ledger whose codename the ledger does not show. */
export function unlisted(ledger: Ledger, names: ReadonlySet<string>): string[] {
  const shown = new Set(ledger.behaviours.filter((row) => row.test !== undefined).map((row) => row.codename));
  const all = new Set(ledger.behaviours.map((row) => row.codename));
  return [...names]
    .filter((name) => name.startsWith('[sig-') && !shown.has(name))
    .map((name) =>
      all.has(name)
        ? `${name}: has a test, and the ledger says that it waits`
        : `${name}: upstream has no such behaviour`,
    );
}

/** Shown rows of all, by SIG. */
export function counts(ledger: Ledger, passed?: ReadonlySet<string>): string {
  const sigs = new Map<string, { shown: number; all: number }>();
  for (const row of ledger.behaviours) {
    const sig = sigOf(row.codename);
    const count = sigs.get(sig) ?? { shown: 0, all: 0 };
    count.all++;
    if (row.test !== undefined && (passed?.has(row.codename) ?? true)) count.shown++;
    sigs.set(sig, count);
  }
  const lines = [...sigs]
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([sig, n]) => `  ${sig}: ${n.shown} of ${n.all}`);
  const shown = [...sigs.values()].reduce((sum, n) => sum + n.shown, 0);
  return [...lines, `ledger: ${shown} of ${ledger.count} behaviours of ${ledger.version} are shown`].join('\n');
}

/** The ledger of the house. */
export function readLedger(root: string): Ledger {
  return parseLedger(readFileSync(join(root, 'conformance/ledger.yaml'), 'utf8'));
}

export function reader(root: string): (path: string) => string | undefined {
  return (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined);
}
