import type { AdmittedBy } from './record.ts';

interface Node {
  readonly list: readonly AdmittedBy[];
  /** By the fields that the next plugin changed: the same list for the same fields of the same plugin. */
  nexts: WeakMap<readonly string[], Node> | undefined;
}

/**
 * Lists of what plugins changed, each made once: nearly all requests of a sort are admitted alike, and each is remembered with
 * its list. Bounded: a list goes when nobody holds the fields any more by which it is found.
 */
export class AdmittedLists {
  readonly #root: Node = { list: [], nexts: undefined };

  /** The same list for the same plugins and fields. */
  shared(admitted: readonly AdmittedBy[] | undefined): readonly AdmittedBy[] | undefined {
    if (admitted === undefined) return undefined;
    let node = this.#root;
    for (const one of admitted) {
      node.nexts ??= new WeakMap();
      let next = node.nexts.get(one.changed);
      if (next === undefined) {
        next = { list: [...node.list, one], nexts: undefined };
        node.nexts.set(one.changed, next);
      }
      node = next;
    }
    return node.list;
  }
}
