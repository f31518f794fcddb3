/** Laws of absence: what a room never knows. Each rule says where it holds and what to do instead. */
import type { Report } from './imports.ts';
import { isProduct } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

interface ForbiddenImport {
  from: RegExp;
  to: RegExp;
  message: string;
}

const FORBIDDEN_IMPORTS: ForbiddenImport[] = [
  {
    from: /^packages\/scheduler\/src\/plan\//,
    to: /^(@binnacle\/client|@binnacle\/base\/node|node:)/,
    message: 'scheduler/src/plan does no I/O: decide from the snapshot and let the scheduler ask and write',
  },
  {
    from: /^packages\/kubelet\//,
    to: /^@binnacle\/runtime\/(?!testing$)/,
    message: 'kubelet imports no runtime driver: take a Runtime of @binnacle/runtime, the app hands the driver in',
  },
  {
    from: /^packages\/(controllers|scheduler|kubelet|client|reconcile|runtime|proxy|dns|network)\//,
    to: /^@binnacle\/(apiserver|store)(\/|$)/,
    message: 'components meet only through the API: read and write through the client',
  },
];

function checkForbiddenImports(file: SourceFile, report: Report): void {
  for (const edge of file.imports) {
    for (const rule of FORBIDDEN_IMPORTS) {
      if (rule.from.test(file.path) && rule.to.test(edge.specifier)) {
        report(file.path, lineOf(file, edge.start), `imports ${edge.specifier}: ${rule.message}`);
      }
    }
  }
}

/** The plan is pure: nothing in it waits. */
function checkPlanIsSynchronous(file: SourceFile, report: Report): void {
  if (!file.path.startsWith('packages/scheduler/src/plan/')) return;
  walk(file.program, (node) => {
    if (node.type === 'AwaitExpression' || node['async'] === true || promises(node)) {
      report(file.path, lineOf(file, node.start), 'scheduler/src/plan does no I/O: nothing in it waits');
    }
  });
}

/** A promise that is made, or whose end is waited for. */
function promises(node: Node): boolean {
  const made = (node.type === 'NewExpression' ? node['callee'] : node['object']) as Node | undefined;
  if (made?.type === 'Identifier' && made['name'] === 'Promise') return true;
  const callee = (node.type === 'CallExpression' ? node['callee'] : undefined) as Node | undefined;
  const method = (callee?.['property'] as Node | undefined)?.['name'];
  return callee?.type === 'MemberExpression' && /^(then|finally)$/.test(String(method));
}

/** Words that name a kind, and nothing else, in a program that handles bytes or any object. */
const KINDS =
  /^(Pod|ConfigMap|Secret|Deployment|ReplicaSet|StatefulSet|DaemonSet|CronJob|ReplicationController|ServiceAccount|PersistentVolume(Claim)?|Namespace|EndpointSlice|CustomResourceDefinition|APIService|ClusterRole(Binding)?|RoleBinding|NetworkPolicy|StorageClass|IngressClass|Ingress|PriorityClass|RuntimeClass|PodDisruptionBudget|ResourceQuota|LimitRange)s?$/;
/** Kinds whose names are common words too: they name one only where they stand as a text of their own. */
const WORDS =
  /^(Node|Service|Job|Endpoints|HorizontalPodAutoscaler|(pod|node|service|configmap|secret|deployment|event|namespace|endpoint)s)$/;
const REGISTRY_PATH = /\/registry(\/|$)/;

function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  return node.type === 'TemplateElement' ? String((node['value'] as { cooked: unknown }).cooked) : undefined;
}

/** Neither a kind's name nor its place under /registry stands in a room that knows no kinds. */
function checkNoKinds(file: SourceFile, report: Report): void {
  if (!/^packages\/(store|machinery)\/src\//.test(file.path)) return;
  const room = file.room.split('/')[1] as string;
  walk(file.program, (node) => {
    const text = textOf(node);
    const word = node.type === 'Identifier' ? (node['name'] as string) : text;
    if (word !== undefined && (KINDS.test(word) || (text !== undefined && WORDS.test(text)))) {
      report(file.path, lineOf(file, node.start), `${room} knows no kinds: "${word}" is handed in by who knows it`);
    } else if (text !== undefined && REGISTRY_PATH.test(text)) {
      report(file.path, lineOf(file, node.start), `${room} knows no kinds: the place "${text}" is the API server's`);
    }
  });
}

const APPS_ONLY = new Set(['env', 'argv', 'exit', 'exitCode', 'argv0', 'execArgv']);

/** What a declaration or a default gives to its pattern. */
function givenTo(node: Node): Node | undefined {
  return ((node['init'] ?? node['right']) as Node | null) ?? undefined;
}

/** The names under which a file has the process: its own, what it is imported as, what it is put into. */
function processNames(file: SourceFile): ReadonlySet<string> {
  const names = new Set(['process']);
  walk(file.program, (node) => {
    if (node.type === 'ImportDeclaration' && PROCESS.test((node['source'] as { value: string }).value)) {
      for (const specifier of node['specifiers'] as Node[]) {
        if (specifier.type !== 'ImportSpecifier') names.add((specifier['local'] as { name: string }).name);
      }
    }
    if (node.type !== 'VariableDeclarator') return;
    const [id, from] = [node['id'] as Node, givenTo(node)];
    if (id.type === 'Identifier' && from?.type === 'Identifier' && names.has(from['name'] as string))
      names.add(id['name'] as string);
  });
  return names;
}

const PROCESS = /^(node:)?process$/;

/** Flags and environment are read by apps; everything else takes what it needs as an option. */
function checkFlagsAndEnvironment(file: SourceFile, report: Report): void {
  const refuse = (node: Node, member: string): void =>
    report(
      file.path,
      lineOf(file, node.start),
      `process.${member} outside apps/: take it as an option, apps/ reads it`,
    );
  const names = processNames(file);
  const ofProcess = (node: Node | undefined): boolean =>
    node?.type === 'Identifier'
      ? names.has(node['name'] as string)
      : node?.type === 'MemberExpression' &&
        ((node['property'] as Node)['name'] === 'process' || (node['property'] as Node)['value'] === 'process');
  walk(file.program, (node) => {
    if (node.type === 'MemberExpression' && ofProcess(node['object'] as Node)) {
      const property = node['property'] as Node;
      const member = String(property['name'] ?? property['value']);
      if (APPS_ONLY.has(member)) refuse(node, member);
    } else if (/^(VariableDeclarator|AssignmentPattern)$/.test(node.type) && ofProcess(givenTo(node))) {
      const pattern = (node['id'] ?? node['left']) as Node;
      for (const property of (pattern['properties'] as Node[] | undefined) ?? []) {
        const member = String((property['key'] as Node | undefined)?.['name']);
        if (APPS_ONLY.has(member)) refuse(node, member);
      }
    } else if (node.type === 'ImportDeclaration' && PROCESS.test((node['source'] as { value: string }).value)) {
      for (const specifier of node['specifiers'] as Node[]) {
        const member = String((specifier['imported'] as Node | undefined)?.['name']);
        if (APPS_ONLY.has(member)) refuse(node, member);
      }
    }
  });
}

/** Reads the rules above off every file of the product. */
export function checkAbsence(house: House, report: Report): void {
  for (const file of house.files.filter((f) => isProduct(house, f) && f.room.startsWith('packages/'))) {
    checkForbiddenImports(file, report);
    checkPlanIsSynchronous(file, report);
    checkNoKinds(file, report);
    checkFlagsAndEnvironment(file, report);
  }
}
