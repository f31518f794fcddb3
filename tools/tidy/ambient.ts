/** Laws 3 and 9 of style: no ambient time, chance, process; no bare Error; no mutable module state. */
import { isAmbient } from './imports.ts';
import type { Report } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

const GLOBALS = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'process',
  'performance',
  'crypto',
  'Buffer',
  'require',
]);
const MEMBERS = new Set(['Date.now', 'Math.random', 'AbortSignal.timeout', 'globalThis.crypto']);

function nameOf(node: unknown): string | undefined {
  const n = node as Node | undefined;
  return n?.type === 'Identifier' ? (n['name'] as string) : undefined;
}

function isReference(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return true;
  if (parent.type === 'MemberExpression' && parent['property'] === node && parent['computed'] !== true) return false;
  if (/^(Property|PropertyDefinition|MethodDefinition|TS\w+)$/.test(parent.type) && parent['key'] === node) {
    return parent['shorthand'] === true;
  }
  return !parent.type.startsWith('TS');
}

function declaredNames(file: SourceFile): Set<string> {
  const names = new Set<string>();
  walk(file.program, (node, parent) => {
    if (node.type !== 'Identifier' || parent === undefined) return;
    const declares =
      (/Declarator$|^(Function|Class)/.test(parent.type) && parent['id'] === node) ||
      /^Import\w*Specifier$/.test(parent.type) ||
      (Array.isArray(parent['params']) && (parent['params'] as unknown[]).includes(node)) ||
      (parent.type === 'Property' && parent['value'] === node);
    if (declares) names.add(node['name'] as string);
  });
  return names;
}

function checkGlobals(file: SourceFile, report: Report): void {
  const local = declaredNames(file);
  walk(file.program, (node, parent) => {
    const at = (): number => lineOf(file, node.start);
    if (node.type === 'Identifier') {
      const name = node['name'] as string;
      if (GLOBALS.has(name) && !local.has(name) && isReference(node, parent)) {
        report(file.path, at(), `ambient ${name} in neutral code: take it as a port`);
      }
    } else if (node.type === 'MemberExpression') {
      const text = `${nameOf(node['object'])}.${nameOf(node['property'])}`;
      if (MEMBERS.has(text)) report(file.path, at(), `ambient ${text} in neutral code: take a clock or random port`);
    } else if (node.type === 'NewExpression' && nameOf(node['callee']) === 'Date') {
      if ((node['arguments'] as unknown[]).length === 0) {
        report(file.path, at(), 'new Date() without argument in neutral code: take a clock port');
      }
    }
  });
}

function checkErrors(file: SourceFile, report: Report): void {
  walk(file.program, (node, parent) => {
    if (node.type === 'NewExpression' && nameOf(node['callee']) === 'Error' && parent?.type === 'ThrowStatement') {
      report(file.path, lineOf(file, node.start), 'bare Error: throw one of the catalogue');
    }
  });
}

function checkModuleState(file: SourceFile, report: Report): void {
  for (const statement of file.program['body'] as Node[]) {
    const declaration = (statement['declaration'] ?? statement) as Node;
    if (declaration.type === 'VariableDeclaration' && declaration['kind'] === 'let') {
      report(file.path, lineOf(file, statement.start), 'mutable state at module level');
    }
  }
}

export function checkAmbient(house: House, report: Report): void {
  for (const file of house.files) {
    const product = file.room in house.layers.rooms && !file.isTest;
    if (!isAmbient(house, file)) checkGlobals(file, report);
    if (product) checkErrors(file, report);
    if (product && !file.room.startsWith('apps/') && !/\/(testing|bench)[/.]|\/node\//.test(file.path)) {
      checkModuleState(file, report);
    }
  }
}
