/** Which names of a file come from outside it: the globals that it uses, whatever is declared under the same name elsewhere. */
import type { Node, SourceFile } from './tree.ts';

/** A use of a global. */
export interface Reference {
  name: string;
  node: Node;
  parent: Node | undefined;
}

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const BLOCK =
  /^(Program|BlockStatement|For(In|Of)?Statement|SwitchStatement|CatchClause|StaticBlock|Class(Expression|Declaration))$/;
/** Type positions hold no values; `typeof x` in a type is a name too, and never runs. */
const TYPE_ONLY = /^TS(?!(As|Satisfies|NonNull)Expression|InstantiationExpression|ExportAssignment)/;

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child);
}

/** The names that a pattern binds. */
function boundBy(pattern: Node | null | undefined): string[] {
  if (!pattern) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern['name'] as string];
    case 'ObjectPattern':
      return (pattern['properties'] as Node[]).flatMap((p) => boundBy((p['value'] ?? p['argument']) as Node));
    case 'ArrayPattern':
      return (pattern['elements'] as (Node | null)[]).flatMap(boundBy);
    case 'AssignmentPattern':
      return boundBy(pattern['left'] as Node);
    case 'RestElement':
      return boundBy(pattern['argument'] as Node);
    case 'TSParameterProperty':
      return boundBy(pattern['parameter'] as Node);
    default:
      return [];
  }
}

/** The names that a statement declares in the block it stands in. */
function declaredBy(statement: Node): string[] {
  if (/^Export(Named|Default)Declaration$/.test(statement.type)) {
    const inner = statement['declaration'] as Node | null;
    return inner ? declaredBy(inner) : [];
  }
  if (statement.type === 'VariableDeclaration') {
    return (statement['declarations'] as Node[]).flatMap((d) => boundBy(d['id'] as Node));
  }
  if (statement.type === 'ImportDeclaration') {
    return (statement['specifiers'] as Node[]).flatMap((s) => boundBy(s['local'] as Node));
  }
  return /^(Function|Class|TSDeclareFunction|TSEnum)/.test(statement.type) ? boundBy(statement['id'] as Node) : [];
}

function scopeOf(node: Node): Set<string> | undefined {
  const names = new Set<string>();
  const add = (found: string[]): void => found.forEach((name) => names.add(name));
  if (FUNCTION.test(node.type)) {
    add((node['params'] as Node[]).flatMap(boundBy));
    if (node.type === 'FunctionExpression') add(boundBy(node['id'] as Node | null));
    return names;
  }
  if (!BLOCK.test(node.type)) return undefined;
  if (node.type.startsWith('Class')) add(boundBy(node['id'] as Node | null));
  if (node.type === 'CatchClause') add(boundBy(node['param'] as Node | null));
  for (const key of ['init', 'left']) if (node[key]) add(declaredBy(node[key] as Node));
  const body = (node.type === 'SwitchStatement' ? node['cases'] : node['body']) as unknown;
  for (const statement of Array.isArray(body) ? (body as Node[]) : []) {
    add(declaredBy(statement));
    if (statement.type === 'SwitchCase') (statement['consequent'] as Node[]).forEach((s) => add(declaredBy(s)));
  }
  return names;
}

/** Whether an identifier stands for a value, and is not a key, a label or a name being given. */
function isUse(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'MemberExpression') return parent['object'] === node || parent['computed'] === true;
  if (/^(Property|PropertyDefinition|MethodDefinition|AccessorProperty)$/.test(parent.type)) {
    return parent['value'] === node || parent['computed'] === true || parent['shorthand'] === true;
  }
  if (/^(Import|Export)\w*Specifier$|^(Labeled|Break|Continue)Statement$|^MetaProperty$/.test(parent.type))
    return false;
  return true;
}

/** Every use of a name that no scope around it declares. */
export function globalReferences(file: SourceFile): Reference[] {
  const found: Reference[] = [];
  const visit = (node: Node, parent: Node | undefined, scopes: readonly Set<string>[]): void => {
    if (TYPE_ONLY.test(node.type)) return;
    const own = scopeOf(node);
    const inside = own === undefined ? scopes : [...scopes, own];
    if (node.type === 'Identifier') {
      const name = node['name'] as string;
      if (isUse(node, parent) && !scopes.some((scope) => scope.has(name))) found.push({ name, node, parent });
    }
    for (const child of childrenOf(node)) visit(child, node, inside);
  };
  visit(file.program, undefined, []);
  return found;
}
