/** What CI runs meets the same chances each time: a seed that failed once becomes a row, new ones are for `npm run soak`. */
import type { Report } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

/** Tiers that look for new seeds, or whose programs are not ours. */
const SEEKS = /\.(soak|interop)\.test\.tsx?$/;
/** Of `fc`: what draws by chance, and where its options stand. */
const DRAWS: Readonly<Record<string, number>> = { assert: 1, check: 1, sample: 1 };

function drawOf(node: Node): number | undefined {
  const callee = node.type === 'CallExpression' ? (node['callee'] as Node) : undefined;
  if (callee?.type !== 'MemberExpression' || (callee['object'] as Node)['name'] !== 'fc') return undefined;
  return DRAWS[String((callee['property'] as Node)['name'])];
}

function hasSeed(options: Node | undefined): boolean {
  if (options?.type !== 'ObjectExpression') return false;
  return (options['properties'] as Node[]).some((p) => (p['key'] as Node | undefined)?.['name'] === 'seed');
}

function checkFile(file: SourceFile, report: Report): void {
  walk(file.program, (node) => {
    const at = drawOf(node);
    if (at !== undefined && !hasSeed((node['arguments'] as Node[])[at])) {
      report(file.path, lineOf(file, node.start), 'a property without a seed: give it one, npm test repeats itself');
    }
    const name = node.type === 'VariableDeclarator' ? String((node['id'] as Node)['name']) : '';
    if (!/seed$/i.test(name) || node['init'] === null) return;
    const { start, end } = node['init'] as Node;
    if (/\brandomInt\(|\bDate\.now\(|\bMath\.random\(/.test(file.text.slice(start, end))) {
      report(file.path, lineOf(file, node.start), 'a seed by chance or by the clock: only npm run soak seeks new ones');
    }
  });
}

/** Refuses what differs from run to run of `npm test`, in tests and in what they share. */
export function checkChance(house: House, report: Report): void {
  for (const file of house.files) if (!SEEKS.test(file.path)) checkFile(file, report);
}
