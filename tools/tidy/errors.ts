/** Two sorts of wrong, and neither is lost: typed errors, nothing swallowed, no promise let go. */
import { isProduct } from './imports.ts';
import type { Report } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

const BARE = /^(Error|TypeError|RangeError|SyntaxError|ReferenceError|EvalError|URIError|AggregateError|DOMException)$/;

/** Where catalogues begin. */
const CATALOGUE = 'packages/base/src/error.ts';

function nameOf(node: unknown): string | undefined {
  const n = node as Node | undefined;
  return n?.type === 'Identifier' ? (n['name'] as string) : undefined;
}

/** The name of the method that a call calls, `catch` of `work().catch(…)`. */
function methodOf(call: Node): string | undefined {
  const callee = call['callee'] as Node;
  if (callee.type !== 'MemberExpression') return undefined;
  const property = callee['property'] as Node;
  return String(property['name'] ?? property['value']);
}

/** Whether a comment stands inside a place, on its line, or on the line above it. */
function hasReason(file: SourceFile, node: Node, pattern = /\S/): boolean {
  const first = lineOf(file, node.start);
  const last = lineOf(file, node.end);
  return file.comments.some((comment) => {
    const line = lineOf(file, comment.end);
    return line >= first - 1 && lineOf(file, comment.start) <= last && pattern.test(comment.value);
  });
}

function checkBareErrors(file: SourceFile, report: Report): void {
  walk(file.program, (node) => {
    const made = /^(New|Call)Expression$/.test(node.type) ? nameOf(node['callee']) : undefined;
    if (made !== undefined && BARE.test(made)) {
      report(file.path, lineOf(file, node.start), `bare ${made}: take one of the room's catalogue (errors.ts)`);
    }
    const thrown = node.type === 'ThrowStatement' ? (node['argument'] as Node) : undefined;
    if (thrown !== undefined && /^(Literal|TemplateLiteral|ObjectExpression)$/.test(thrown.type)) {
      report(file.path, lineOf(file, node.start), `bare value: take an error of the room's catalogue (errors.ts)`);
    }
    const base = /^Class(Declaration|Expression)$/.test(node.type) ? nameOf(node['superClass']) : undefined;
    if (base !== undefined && BARE.test(base) && file.path !== CATALOGUE) {
      report(file.path, lineOf(file, node.start), `bare ${base}: a class of errors extends CatalogueError (base)`);
    }
  });
}

/** `undefined`, `null`, `{}` and the like: a handler that does nothing with what went wrong. */
function doesNothing(handler: Node | undefined): boolean {
  if (handler === undefined) return false;
  if (/^(noop|ignore)$/.test(nameOf(handler) ?? '')) return true;
  if (!/^(Arrow)?FunctionExpression$/.test(handler.type)) return false;
  const body = handler['body'] as Node;
  if (body.type !== 'BlockStatement') {
    return (
      nameOf(body) === 'undefined' ||
      body.type === 'Literal' ||
      (body.type === 'UnaryExpression' && body['operator'] === 'void')
    );
  }
  const statements = body['body'] as Node[];
  return statements.every(
    (s) => s.type === 'ReturnStatement' && (s['argument'] === null || nameOf(s['argument']) === 'undefined'),
  );
}

function checkSwallowed(file: SourceFile, report: Report): void {
  const message = 'swallowed error: handle it, pass it on, or say in a comment why nothing is lost';
  walk(file.program, (node) => {
    if (node.type === 'CatchClause') {
      const statements = (node['body'] as Node)['body'] as Node[];
      if (statements.length === 0 && !hasReason(file, node)) report(file.path, lineOf(file, node.start), message);
    } else if (node.type === 'CallExpression') {
      const args = node['arguments'] as Node[];
      const method = methodOf(node);
      const handler = method === 'catch' ? args[0] : method === 'then' ? args[1] : undefined;
      if (doesNothing(handler) && !hasReason(file, handler as Node)) {
        report(file.path, lineOf(file, (handler as Node).start), message);
      }
    }
  });
}

function isHandled(call: Node): boolean {
  const method = methodOf(call);
  const args = call['arguments'] as Node[];
  if ((method === 'catch' && args.length > 0) || (method === 'then' && args.length > 1)) return true;
  // These answer with a value at once.
  if (/^(write|push|pop|shift|unshift|add|emit|pause|resume)$/.test(method ?? '')) return true;
  if (method !== 'finally') return false;
  const inner = (call['callee'] as Node)['object'] as Node;
  return inner.type === 'CallExpression' && isHandled(inner);
}

/** `void work()` tells the linter to look away; then the rejection must have a place to go. */
function checkFloating(file: SourceFile, report: Report): void {
  walk(file.program, (node, parent) => {
    if (node.type !== 'UnaryExpression' || node['operator'] !== 'void') return;
    const argument = node['argument'] as Node;
    const call = (argument.type === 'ChainExpression' ? argument['expression'] : argument) as Node;
    if (call.type !== 'CallExpression' || isHandled(call)) return;
    const statement = parent?.type === 'ExpressionStatement' ? parent : node;
    if (hasReason(file, statement, /never rejects/i)) return;
    report(
      file.path,
      lineOf(file, node.start),
      'floating promise: add .catch with what is to be done, or a comment "Never rejects: …" with the reason',
    );
  });
}

const FILLS = /^(set|add|push|unshift|splice|delete|clear|pop|shift)$/;

/** Whether an initial value is something that is put into: a collection, a record. */
function canGrow(init: Node | null): boolean {
  if (init === null) return false;
  if (/^TS(As|Satisfies)Expression$/.test(init.type)) return canGrow(init['expression'] as Node);
  if (init.type === 'NewExpression') return /^(Map|Set|Array)$/.test(nameOf(init['callee']) ?? '');
  if (init.type === 'CallExpression') {
    const callee = init['callee'] as Node;
    return methodOf(init) === 'create' && nameOf(callee['object']) === 'Object';
  }
  return /^(ArrayExpression|ObjectExpression)$/.test(init.type);
}

/** Static fields live as long as the module: a collection in one, or one that is not readonly. */
function checkStaticState(file: SourceFile, report: Report): void {
  walk(file.program, (node) => {
    if (node.type !== 'PropertyDefinition' || node['static'] !== true || hasReason(file, node, /\bbounded\b/i)) return;
    const init = node['value'] as Node | null;
    if (node['readonly'] === true && !(init?.type === 'NewExpression' && canGrow(init))) return;
    report(
      file.path,
      lineOf(file, node.start),
      'mutable state in a static field: give it to an object that somebody owns, or say "Bounded: …" above it',
    );
  });
}

/** Names declared at module level that can hold state, with the statement that declares them. */
function moduleHolders(file: SourceFile): Map<string, Node> {
  const holders = new Map<string, Node>();
  for (const statement of file.program['body'] as Node[]) {
    const declaration = (statement['declaration'] ?? statement) as Node;
    if (declaration.type !== 'VariableDeclaration') continue;
    for (const one of declaration['declarations'] as Node[]) {
      const init = one['init'] as Node | null;
      if (canGrow(init)) holders.set(nameOf(one['id']) ?? '', statement);
    }
  }
  return holders;
}

/** Module state lives as long as the process and is shared by all clusters in it: only what says its bound may stay. */
function checkModuleState(file: SourceFile, report: Report): void {
  for (const statement of file.program['body'] as Node[]) {
    const declaration = (statement['declaration'] ?? statement) as Node;
    if (
      declaration.type === 'VariableDeclaration' &&
      declaration['kind'] === 'let' &&
      !hasReason(file, statement, /\bbounded\b/i)
    ) {
      report(
        file.path,
        lineOf(file, statement.start),
        'mutable state at module level: give it to an object that somebody owns',
      );
    }
  }
  checkStaticState(file, report);
  const holders = moduleHolders(file);
  const filled = new Set<string>();
  let depth = 0;
  const visit = (node: Node): void => {
    const inner = /Function|MethodDefinition/.test(node.type) ? 1 : 0;
    depth += inner;
    const target = filledBy(node);
    if (depth > 0 && target !== undefined && holders.has(target)) filled.add(target);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node);
      }
    }
    depth -= inner;
  };
  visit(file.program);
  for (const held of filled) {
    const statement = holders.get(held) as Node;
    if (hasReason(file, statement, /\bbounded\b/i)) continue;
    report(
      file.path,
      lineOf(file, statement.start),
      `${held} grows at module level without a bound: give it an owner, or say "Bounded: …" above it`,
    );
  }
}

/** The name of what a node puts something into, `seen` of `seen.set(…)` and of `seen[key] = …`. */
function filledBy(node: Node): string | undefined {
  if (node.type === 'CallExpression' && FILLS.test(methodOf(node) ?? '')) {
    return rootOf((node['callee'] as Node)['object'] as Node);
  }
  const target = (node.type === 'AssignmentExpression' ? node['left'] : node['argument']) as Node | undefined;
  if (!/^(Assignment|Update)Expression$/.test(node.type) || target?.type !== 'MemberExpression') return undefined;
  return rootOf(target);
}

/** The name at the root of a path: `state` of `state.seen.first`. */
function rootOf(node: Node): string | undefined {
  return node.type === 'MemberExpression' ? rootOf(node['object'] as Node) : nameOf(node);
}

/** Errors and promises, in all code that ships. */
export function checkErrors(house: House, report: Report): void {
  for (const file of house.files.filter((f) => isProduct(house, f))) checkBareErrors(file, report);
}
export function checkNothingSwallowed(house: House, report: Report): void {
  for (const file of house.files.filter((f) => isProduct(house, f))) checkSwallowed(file, report);
}
export function checkNoFloating(house: House, report: Report): void {
  for (const file of house.files.filter((f) => isProduct(house, f))) checkFloating(file, report);
}
/** Apps own the process; bench and tests end with it. */
export function checkNoModuleState(house: House, report: Report): void {
  for (const file of house.files.filter((f) => isProduct(house, f) && !f.room.startsWith('apps/'))) {
    checkModuleState(file, report);
  }
}
