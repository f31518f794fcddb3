/**
 * Law 11: every hop has a cause. In components, a write through the client hands on a call context: the argument after the
 * options, `{ signal, cause }` or one that the caller was given. A write is told by the method and by what it is called on:
 * something that comes out of `resource(…)` or `dynamic(…)`, in the same expression or through a `const` of the file, or that
 * is declared as a `ResourceClient`.
 */
import { isProduct } from './imports.ts';
import type { Report } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

/** The place of the call context among the arguments, by method. */
const CONTEXT_AT: Record<string, number> = {
  create: 2,
  update: 2,
  updateStatus: 2,
  patch: 4,
  delete: 2,
  deleteCollection: 2,
  subresource: 4,
};
/** Rooms that write through the client; the client itself hands on what it is given. */
const COMPONENTS =
  /^packages\/(cluster|controllers|dashboard|dns|ingress|kubelet|local-path|network|proxy|reconcile|scheduler)\//;
/** A parameter, field or answer of this type is a resource wherever it came from. */
const RESOURCE_TYPE = /\bResourceClient\b/;

function unwrapped(node: Node | undefined): Node | undefined {
  const inside =
    node?.type === 'ChainExpression'
      ? node['expression']
      : node?.type === 'AwaitExpression'
        ? node['argument']
        : undefined;
  return inside === undefined ? node : unwrapped(inside as Node);
}

function methodOf(call: Node): string | undefined {
  const callee = call['callee'] as Node | undefined;
  return callee?.type === 'MemberExpression' ? ((callee['property'] as Node)['name'] as string | undefined) : undefined;
}

function isResourceCall(node: Node | undefined): boolean {
  const call = unwrapped(node);
  return call?.type === 'CallExpression' && /^(resource|dynamic)$/.test(methodOf(call) ?? '');
}

/** Names (and `#fields`) of the file that hold what `resource(…)` gave. */
function resourceNames(file: SourceFile): Set<string> {
  const names = new Set<string>();
  const nameOf = (node: Node): string => {
    const inner = (node.type === 'MemberExpression' ? node['property'] : node) as Node;
    return `${inner.type === 'PrivateIdentifier' ? '#' : ''}${String(inner['name'])}`;
  };
  walk(file.program, (node) => {
    if (node.type === 'VariableDeclarator' && isResourceCall((node['init'] as Node | null) ?? undefined)) {
      names.add(nameOf(node['id'] as Node));
    } else if (node.type === 'AssignmentExpression' && isResourceCall(node['right'] as Node)) {
      names.add(nameOf(node['left'] as Node));
    }
    const declared = declaredResource(file, node);
    if (declared !== undefined) names.add(nameOf(declared));
  });
  return names;
}

/** What a node declares to be a resource, or to answer with one. */
function declaredResource(file: SourceFile, node: Node): Node | undefined {
  const of = (type: unknown): boolean => {
    const { start, end } = (type ?? { start: 0, end: 0 }) as Node;
    return RESOURCE_TYPE.test(file.text.slice(start, end));
  };
  if (node.type === 'Identifier') return of(node['typeAnnotation']) ? node : undefined;
  if (/^(PropertyDefinition|TSPropertySignature)$/.test(node.type))
    return of(node['typeAnnotation']) ? (node['key'] as Node) : undefined;
  if (node.type === 'MethodDefinition')
    return of((node['value'] as Node)['returnType']) ? (node['key'] as Node) : undefined;
  return node.type === 'FunctionDeclaration' && of(node['returnType']) ? (node['id'] as Node) : undefined;
}

/** The name of the function or method that a call asks. */
function answeredBy(call: Node): string {
  const callee = call['callee'] as Node;
  const inner = (callee.type === 'MemberExpression' ? callee['property'] : callee) as Node;
  return `${inner.type === 'PrivateIdentifier' ? '#' : ''}${String(inner['name'])}`;
}

function checkFile(file: SourceFile, report: Report): void {
  const names = resourceNames(file);
  walk(file.program, (node) => {
    if (node.type !== 'CallExpression') return;
    const at = CONTEXT_AT[methodOf(node) ?? ''];
    if (at === undefined) return;
    const object = unwrapped((node['callee'] as Node)['object'] as Node) as Node;
    const inner = (object.type === 'MemberExpression' ? object['property'] : object) as Node;
    const name = `${inner.type === 'PrivateIdentifier' ? '#' : ''}${String(inner['name'])}`;
    const asked = object.type === 'CallExpression' ? answeredBy(object) : undefined;
    if (!isResourceCall(object) && !names.has(asked ?? name)) return;
    const context = (node['arguments'] as Node[])[at];
    const bare =
      context?.type === 'ObjectExpression' &&
      !JSON.stringify(context).includes('"cause"') &&
      !JSON.stringify(context).includes('SpreadElement');
    if (context === undefined || bare) {
      report(
        file.path,
        lineOf(file, node.start),
        `${methodOf(node)} without its cause: hand the call context on as argument ${at + 1} ({ signal, cause })`,
      );
    }
  });
}

/** Checks the rooms that write through the client. */
export function checkCauses(house: House, report: Report): void {
  for (const file of house.files.filter((f) => isProduct(house, f) && COMPONENTS.test(f.path))) checkFile(file, report);
}
