/** Members that a JSON text has twice, in Go's words; what parsing keeps of them is the last. */
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
  const found = new Set<string>();
  collect(found, readJson(text), '');
  return [...found];
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
