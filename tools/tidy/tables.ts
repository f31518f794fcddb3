/**
 * Every exported decider has a table of its own: some test of its room imports it by name. To be reached through something
 * larger is not enough: what goes wrong in between hides the decision, and its rare branches are never asked.
 */
import { isProduct } from './imports.ts';
import type { Report } from './imports.ts';
import { lineOf, resolveRelative, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

/** One branch is a default or a guard, which its caller shows; from here on a function decides. */
const BRANCHES = 3;
const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const BRANCH = /^(IfStatement|ConditionalExpression|LogicalExpression)$/;
/** Who is handed one of these acts, or puts together what acts. */
const ACTING =
  /\b(AbortSignal|Clock|ControllerKit|Handle|Informers?|Logger|Metrics|Timers?|\w*(Client|Recorder|Writer))\b/;
/** An answer that is nothing, comes later, or is itself something to call. */
const NO_ANSWER = /^(void|never|(Async)?Disposable)$|Promise\b|\bAsync\w+\b|=>/;
/** Values that are made by `new`; whatever else is made is a part with a life of its own. */
const VALUES = /(Error|Map|Set|Date|Array|URL|RegExp)$/;

/** What reaches the machine; paths, bytes, digests and addresses' families are arithmetic. */
const MACHINE = /^node:(?!(path|net|buffer|crypto|url)$)/;

interface Decider {
  name: string;
  start: number;
  branches: number;
}

/** Names that a file shows, with the functions behind them. */
function exportedFunctions(file: SourceFile): [name: string, made: Node][] {
  const local = new Map<string, Node>();
  const shown = new Set<string>();
  for (const statement of file.program['body'] as Node[]) {
    const exported = statement.type === 'ExportNamedDeclaration';
    const declaration = (exported ? statement['declaration'] : statement) as Node | null;
    if (exported && statement['source'] === null)
      for (const specifier of statement['specifiers'] as Node[]) shown.add(nameOf(specifier['local']));
    for (const [name, made] of declaration === null ? [] : functionsOf(declaration)) {
      local.set(name, made);
      if (exported) shown.add(name);
    }
  }
  return [...local].filter(([name]) => shown.has(name));
}

function functionsOf(declaration: Node): [name: string, made: Node][] {
  if (declaration.type === 'FunctionDeclaration') return [[nameOf(declaration['id']), declaration]];
  if (declaration.type !== 'VariableDeclaration') return [];
  return (declaration['declarations'] as Node[]).flatMap((one): [string, Node][] => {
    const made = one['init'] as Node | null;
    return made !== null && FUNCTION.test(made.type) ? [[nameOf(one['id']), made]] : [];
  });
}

function nameOf(node: unknown): string {
  return (node as { name: string }).name;
}

function textOf(file: SourceFile, node: unknown): string {
  const { start, end } = (node ?? { start: 0, end: 0 }) as Node;
  return file.text.slice(start, end);
}

/** Branches of a function with those of what it hands to `filter`, `sort` and their like. */
function branchesOf(made: Node): number {
  let branches = 0;
  walk(made['body'] as Node, (node) => {
    if (BRANCH.test(node.type) || (node.type === 'SwitchCase' && node['test'] !== null)) branches += 1;
  });
  return branches;
}

/** Whether a function only answers: it waits for nothing, is handed nothing that acts, and makes nothing that lives. */
function isPure(file: SourceFile, made: Node): boolean {
  const type = (made['returnType'] as Node | null)?.['typeAnnotation'];
  const handed = (made['params'] as Node[]).map((parameter) => textOf(file, parameter)).join();
  if (NO_ANSWER.test(textOf(file, type)) || ACTING.test(handed)) return false;
  let pure = made['async'] !== true;
  walk(made['body'] as Node, (node) => {
    pure &&= node['async'] !== true && !/^(AwaitExpression|ThisExpression|ImportExpression)$/.test(node.type);
    pure &&= !(node.type === 'NewExpression' && !VALUES.test(textOf(file, node['callee'])));
  });
  return pure && !answersWithParts(made);
}

/** Whether what is returned has methods: a part that was put together, not a decision. */
function answersWithParts(made: Node): boolean {
  let parts = false;
  const ask = (answer: Node | null): void => {
    if (answer === null) return;
    if (FUNCTION.test(answer.type)) parts = true;
    if (answer.type !== 'ObjectExpression') return;
    for (const { value } of answer['properties'] as { value?: Node }[]) parts ||= FUNCTION.test(value?.type ?? '');
  };
  const body = made['body'] as Node;
  if (body.type !== 'BlockStatement') ask(body);
  const visit = (node: Node): void => {
    if (node.type === 'ReturnStatement') ask(node['argument'] as Node | null);
    for (const child of Object.values(node).flat() as (Node | null)[]) {
      if (typeof child === 'object' && child !== null && 'type' in child && !FUNCTION.test(child.type)) visit(child);
    }
  };
  visit(body);
  return parts;
}

function decidersOf(file: SourceFile): Decider[] {
  return exportedFunctions(file)
    .map(([name, made]) => ({ name, made, start: made.start, branches: branchesOf(made) }))
    .filter(({ branches, made }) => branches >= BRANCHES && isPure(file, made));
}

/** Where files show names that others declare: `path name` to `path name`. */
function passedOn(files: readonly SourceFile[]): Map<string, string> {
  const passed = new Map<string, string>();
  for (const file of files) {
    for (const statement of file.program['body'] as Node[]) {
      const source = statement['source'] as { value: string } | null | undefined;
      if (statement.type !== 'ExportNamedDeclaration' || !source?.value.startsWith('.')) continue;
      for (const { local, exported } of statement['specifiers'] as unknown as { local: unknown; exported: unknown }[])
        passed.set(`${file.path} ${nameOf(exported)}`, `${resolveRelative(file, source.value)} ${nameOf(local)}`);
    }
  }
  return passed;
}

/** The names, each with its file, that a test takes by itself. */
function takenBy(house: House, test: SourceFile): string[] {
  const manifest = house.manifests.get(test.room);
  const taken: string[] = [];
  for (const statement of test.program['body'] as Node[]) {
    if (statement.type !== 'ImportDeclaration' || statement['importKind'] === 'type') continue;
    const specifier = (statement['source'] as { value: string }).value;
    const door = manifest?.exports?.[`.${specifier.slice(manifest.name.length)}`]?.slice(2);
    const own = manifest !== undefined && specifier.startsWith(manifest.name) && door !== undefined;
    if (!specifier.startsWith('.') && !own) continue;
    const from = own ? `${test.room}/${door}` : resolveRelative(test, specifier);
    for (const one of statement['specifiers'] as Node[]) {
      if (one.type === 'ImportSpecifier') taken.push(`${from} ${nameOf(one['imported'])}`);
      if (one.type === 'ImportNamespaceSpecifier')
        for (const name of membersOf(test, nameOf(one['local']))) taken.push(`${from} ${name}`);
    }
  }
  return taken;
}

/** What a file takes out of a namespace: `all.name`. */
function membersOf(file: SourceFile, all: string): string[] {
  const names: string[] = [];
  walk(file.program, (node) => {
    if (node.type === 'MemberExpression' && node['computed'] !== true && nameOf(node['object']) === all)
      names.push(nameOf(node['property']));
  });
  return names;
}

function followed(passed: ReadonlyMap<string, string>, name: string): string {
  const seen = new Set<string>();
  let at = name;
  for (let next = passed.get(at); next !== undefined && !seen.has(next); next = passed.get(at)) {
    seen.add(next);
    at = next;
  }
  return at;
}

/** Whether a file only thinks: in an adapter's folder too, whatever takes nothing of the machine is logic. */
function isLogic(file: SourceFile): boolean {
  return !file.imports.some(({ specifier, typeOnly }) => !typeOnly && MACHINE.test(specifier));
}

/** Checks the logic of the rooms: what acts on a machine has no table. */
export function checkTables(house: House, report: Report): void {
  const passed = passedOn(house.files);
  const asked = new Set<string>();
  for (const test of house.files.filter((f) => f.isTest))
    for (const name of takenBy(house, test)) asked.add(followed(passed, name));
  for (const file of house.files) {
    const inRoom = file.room.startsWith('packages/') && file.path.includes('/src/');
    if (!inRoom || !isProduct(house, file) || !isLogic(file)) continue;
    for (const { name, start, branches } of decidersOf(file)) {
      if (!asked.has(`${file.path} ${name}`))
        report(
          file.path,
          lineOf(file, start),
          `${name} decides (${branches} branches) and no test of its room imports it: give it a table of its own`,
        );
    }
  }
}
