/** Law 3: time, chance, environment, disk and wire are guests. Neutral code uses none of the globals that bring them. */
import { isAmbient } from './imports.ts';
import type { Report } from './imports.ts';
import { globalReferences } from './scopes.ts';
import type { Reference } from './scopes.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

/** What to take in place of a global, by what it brings. */
const PORTS = new Map<string, string>();
const name = (port: string, ...globals: string[]): void => globals.forEach((global) => PORTS.set(global, port));
name(
  'a Clock (base)',
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'performance'],
  ...['requestAnimationFrame', 'requestIdleCallback'],
);
name('a RandomSource (base) or a port for keys', 'crypto', 'Crypto', 'CryptoKey');
name(
  'an HttpCaller or Duplex (base)',
  ...['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'Request', 'Response', 'BroadcastChannel', 'Worker'],
);
name(
  'an option handed in by the app',
  ...['process', 'navigator', 'location', 'localStorage', 'sessionStorage', 'indexedDB', 'caches', 'Deno', 'Bun'],
);
name('the name itself, so that its law can see it', 'globalThis', 'global', 'self', 'window', 'eval', 'Function');
name('an adapter folder', 'require', 'module', '__dirname', '__filename', 'Buffer', 'console');
name('explicit rules: locale and time zone belong to the machine', 'Intl');

/** Members of a global that neither read nor keep anything of the machine; every other use of it is refused. */
const ALLOWED: Record<string, ReadonlySet<string>> = {
  Date: new Set(['UTC', 'parse', 'prototype']),
  AbortSignal: new Set(['any', 'abort', 'prototype']),
};
/** Members that bring chance; the rest of the global is arithmetic. */
const REFUSED: Record<string, ReadonlySet<string>> = { Math: new Set(['random']) };
const INSTEAD: Record<string, string> = {
  Date: 'take a Clock (base)',
  AbortSignal: 'take a deadline from a Clock (base)',
  Math: 'take a RandomSource (base)',
};

/** The member that is read of a global, where it can be told: `Date.now`, `Date['now']`. */
function memberOf({ node, parent }: Reference): string | undefined {
  if (parent?.type !== 'MemberExpression' || parent['object'] !== node) return undefined;
  const property = parent['property'] as Node;
  if (parent['computed'] !== true) return property['name'] as string;
  return property.type === 'Literal' ? String(property['value']) : undefined;
}

function isHarmless(reference: Reference): boolean {
  const { name: global, node, parent } = reference;
  const member = memberOf(reference);
  if (parent?.type === 'BinaryExpression' && parent['operator'] === 'instanceof') return true;
  if (member !== undefined) {
    return ALLOWED[global]?.has(member) ?? REFUSED[global]?.has(member) === false;
  }
  const args = parent?.type === 'NewExpression' && parent['callee'] === node ? (parent['arguments'] as Node[]) : [];
  // `new Date(milliseconds)` is arithmetic; without an argument, or with one that may be none, it asks the machine.
  return global === 'Date' && args[0] !== undefined && args[0].type !== 'SpreadElement';
}

/** `new Intl.DateTimeFormat('en', { timeZone, … })` names its locale and zone, and so asks nothing of the machine. */
function explicitFormats(file: SourceFile): ReadonlySet<unknown> {
  const named = new Set<unknown>();
  walk(file.program, (node) => {
    if (node.type !== 'NewExpression') return;
    const callee = node['callee'] as Node;
    const [locale, options] = node['arguments'] as (Node | undefined)[];
    const member = (callee['property'] as Node | undefined)?.['name'];
    if (member !== 'DateTimeFormat' || locale?.type !== 'Literal' || options?.type !== 'ObjectExpression') return;
    const properties = options['properties'] as Node[];
    if (properties.some((one) => (one['key'] as Node | undefined)?.['name'] === 'timeZone'))
      named.add(callee['object']);
  });
  return named;
}

function checkGlobals(file: SourceFile, report: Report): void {
  const explicit = explicitFormats(file);
  for (const reference of globalReferences(file)) {
    if (explicit.has(reference.node)) continue;
    const line = lineOf(file, reference.node.start);
    const port = PORTS.get(reference.name);
    if (port !== undefined) {
      report(file.path, line, `ambient ${reference.name} in neutral code: take ${port}`);
    } else if (reference.name in INSTEAD && !isHarmless(reference)) {
      const member = memberOf(reference);
      const shown = member === undefined ? reference.name : `${reference.name}.${member}`;
      report(file.path, line, `ambient ${shown} in neutral code: ${INSTEAD[reference.name]}`);
    }
  }
}

/** Methods that ask the machine for its zone or its language. */
const LOCAL =
  /^(toLocale\w*String|toLocale\w+Case|localeCompare|getTimezoneOffset|(get|set)(FullYear|Month|Date|Day|Hours|Minutes))$/;

/** `import(expression)` hides what it brings; `import.meta` is the machine's files; zone and locale are the machine's too. */
function checkSyntax(file: SourceFile, report: Report): void {
  walk(file.program, (node) => {
    const line = (): number => lineOf(file, node.start);
    if (node.type === 'ImportExpression' && (node['source'] as Node).type !== 'Literal') {
      report(file.path, line(), 'import of a computed name in neutral code: the app hands the thing in');
    } else if (node.type === 'MetaProperty' && (node['meta'] as Node)['name'] === 'import') {
      report(file.path, line(), 'import.meta in neutral code: the app hands in what belongs to files');
    } else if (node.type === 'CallExpression') {
      const property = (node['callee'] as Node)['property'] as Node | undefined;
      const method = String(property?.['name']);
      if (LOCAL.test(method)) {
        report(file.path, line(), `${method} in neutral code: locale and time zone belong to the machine`);
      }
    }
  });
}

/** Checks every file that is not an adapter, a test or an app. */
export function checkAmbient(house: House, report: Report): void {
  for (const file of house.files) {
    if (isAmbient(house, file)) continue;
    checkGlobals(file, report);
    checkSyntax(file, report);
  }
}
