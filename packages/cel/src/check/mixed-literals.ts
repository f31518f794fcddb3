/** Lists and maps that an expression writes hold one type of item, but for what `format` is given. */
import type { Issue } from '../errors.ts';
import { childrenOf } from '../syntax/tree.ts';
import type { Node } from '../syntax/tree.ts';
import { DYN, formatType, isSameType } from '../types.ts';
import type { Type } from '../types.ts';

/** Every item that is of another type than the first one of its list or map. */
export function mixedLiterals(root: Node, types: ReadonlyMap<Node, Type>): readonly Issue[] {
  const issues: Issue[] = [];
  const rest = [root];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (node.kind === 'call' && node.name === 'format') continue;
    for (const row of rowsOf(node)) {
      const issue = firstOther(row, types);
      if (issue !== undefined) issues.push(issue);
    }
    rest.push(...childrenOf(node));
  }
  return issues.toSorted((a, b) => a.at - b.at);
}

interface Item {
  readonly node: Node;
  readonly isOptional: boolean;
}

function rowsOf(node: Node): readonly (readonly Item[])[] {
  if (node.kind === 'list') return [node.items.map((item, i) => ({ node: item, isOptional: node.optional.has(i) }))];
  if (node.kind !== 'map') return [];
  return [
    node.entries.map(({ key }) => ({ node: key, isOptional: false })),
    node.entries.map(({ value, isOptional }) => ({ node: value, isOptional })),
  ];
}

function firstOther(row: readonly Item[], types: ReadonlyMap<Node, Type>): Issue | undefined {
  const [first, ...rest] = row.map(({ node, isOptional }) => {
    const type = types.get(node) ?? DYN;
    return { at: node.at, type: isOptional && type.kind === 'optional' ? type.of : type };
  });
  const other = rest.find(({ type }) => first !== undefined && !isSameType(type, first.type));
  if (first === undefined || other === undefined) return undefined;
  return { at: other.at, message: `expected type '${formatType(first.type)}' but found '${formatType(other.type)}'` };
}
