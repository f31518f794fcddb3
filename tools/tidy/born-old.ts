/**
 * V8 makes a function that is written as the value of a property (`this.wake = () => …`) among the old objects at once: it takes such
 * a function for a method that stays. Whatever it sees outlives the young collections, also when nobody has the function any more.
 * In the rooms that each request goes through a function has a name first, or is a method.
 */
import { isProduct } from './imports.ts';
import type { Report } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node } from './tree.ts';

const ROOMS = /^packages\/(apiserver|base|machinery|store)\//;
const FUNCTION = /^(Arrow)?FunctionExpression$/;

function bare(node: Node): Node {
  return node.type === 'ParenthesizedExpression' ? bare(node['expression'] as Node) : node;
}

/** Refuses function literals that are assigned to a property or an element. */
export function checkBornOld(house: House, report: Report): void {
  for (const file of house.files) {
    if (!ROOMS.test(file.path) || !isProduct(house, file)) continue;
    walk(file.program, (node) => {
      if (node.type !== 'AssignmentExpression') return;
      const { left, right } = node as unknown as { readonly left: Node; readonly right: Node };
      if (left.type !== 'MemberExpression' || !FUNCTION.test(bare(right).type)) return;
      report(
        file.path,
        lineOf(file, node.start),
        'a function that is born old: give it a name first (tools/tidy/born-old.ts)',
      );
    });
  }
}
