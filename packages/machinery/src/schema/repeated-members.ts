/** Members that a JSON text has twice, in Go's words; what parsing keeps of them is the last. */
import { wholeDigits } from '../int64.ts';
import { isObject } from './member.ts';
import { countMembers, readJson } from './json-text.ts';
import type { JsonNode } from './json-text.ts';

/** Upstream stops counting here. */
const PROBLEMS_MAX = 100;

/**
 * `duplicate field "data.a"` for each member that stands twice in its object, in the order of the text and once each;
 * `value` is what the text was parsed to: it tells at little cost that there is none. The text must be well formed.
 */
export function repeatedMembers(text: string, value: unknown): readonly string[] {
  if (countMembers(text) <= membersOf(value)) return [];
  return repeatedIn(readJson(text));
}

/** The same of a text that was read. */
export function repeatedIn(node: JsonNode): readonly string[] {
  const found = new Set<string>();
  collect(found, node, '');
  return [...found];
}

/**
 * What Go's maps keep of an object and give back: the last of the members of a name, by their names; numbers with a point
 * or an exponent as doubles.
 */
export function asInMaps(node: JsonNode): JsonNode {
  if (node.kind === 'number') return { kind: 'number', text: wholeDigits(node.text) };
  if (node.kind === 'array') return { kind: 'array', items: node.items.map(asInMaps) };
  if (node.kind !== 'object') return node;
  const last = [...new Map(node.members)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { kind: 'object', members: last.map(([key, value]) => [key, asInMaps(value)] as const) };
}

function membersOf(value: unknown): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const at = open.pop();
    if (Array.isArray(at)) for (const item of at) open.push(item);
    else if (isObject(at)) {
      for (const member of Object.values(at)) {
        count++;
        open.push(member);
      }
    }
  }
  return count;
}

function collect(found: Set<string>, node: JsonNode, path: string): void {
  if (node.kind === 'array') node.items.forEach((item, i) => collect(found, item, `${path}[${i}]`));
  if (node.kind !== 'object') return;
  const seen = new Set<string>();
  for (const [key, value] of node.members) {
    const below = path === '' ? key : `${path}.${key}`;
    if (seen.has(key) && found.size < PROBLEMS_MAX) found.add(`duplicate field ${JSON.stringify(below)}`);
    seen.add(key);
    collect(found, value, below);
  }
}
