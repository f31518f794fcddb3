import type { QueuedPod } from '../plan/framework.ts';
import { ANY_NAME } from './wake-rules.ts';
import type { WakeQuestion } from './wake-rules.ts';

/** A pod that waits until an event wakes it, or until then at the latest. */
export interface Sleeper {
  readonly pod: QueuedPod;
  readonly until: number;
}

/** Pods that the same plugins refused. */
interface Group {
  readonly refusedBy: ReadonlySet<string>;
  readonly keys: Set<string>;
  readonly byName: Map<string, Set<string>>;
}

interface Place {
  readonly sleeper: Sleeper;
  readonly group: Group;
  readonly names: readonly string[];
}

/** Pods that no node fits, by who refused them and by what they wait for: an event passes over thousands at once. */
export class SleepingPods {
  readonly #places = new Map<string, Place>();
  readonly #groups = new Map<string, Group>();

  get size(): number {
    return this.#places.size;
  }

  /** All of them. */
  *pods(): Iterable<QueuedPod> {
    for (const { sleeper } of this.#places.values()) yield sleeper.pod;
  }

  get(key: string): Sleeper | undefined {
    return this.#places.get(key)?.sleeper;
  }

  /** `names`: what the pod waits for by name. One of the same key is replaced. */
  add(sleeper: Sleeper, names: readonly string[]): void {
    const { demand, refusedBy } = sleeper.pod;
    this.remove(demand.key);
    const group = this.#groupOf(refusedBy);
    group.keys.add(demand.key);
    for (const name of names) {
      const keys = group.byName.get(name) ?? new Set();
      keys.add(demand.key);
      group.byName.set(name, keys);
    }
    this.#places.set(demand.key, { sleeper, group, names });
  }

  remove(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    const { group, names } = place;
    this.#places.delete(key);
    for (const name of names) {
      const keys = group.byName.get(name);
      keys?.delete(key);
      if (keys?.size === 0) group.byName.delete(name);
    }
    group.keys.delete(key);
    if (group.keys.size === 0) this.#groups.delete(nameOf(group.refusedBy));
  }

  /** Those that an event may help. */
  helpedBy(question: WakeQuestion): readonly QueuedPod[] {
    const helped: QueuedPod[] = [];
    for (const { refusedBy, keys, byName } of this.#groups.values()) {
      const reach = question.reach(refusedBy);
      for (const key of reach === 'all' ? keys : named(byName, reach)) {
        const pod = this.#places.get(key)?.sleeper.pod;
        if (pod !== undefined && question.mayHelp(pod.demand, refusedBy)) helped.push(pod);
      }
    }
    return helped;
  }

  #groupOf(refusedBy: ReadonlySet<string>): Group {
    const name = nameOf(refusedBy);
    let group = this.#groups.get(name);
    if (group === undefined) this.#groups.set(name, (group = { refusedBy, keys: new Set(), byName: new Map() }));
    return group;
  }
}

function nameOf(refusedBy: ReadonlySet<string>): string {
  return [...refusedBy].sort().join();
}

function named(byName: ReadonlyMap<string, ReadonlySet<string>>, names: readonly string[]): Iterable<string> {
  if (names.length === 0) return [];
  const found = new Set(byName.get(ANY_NAME));
  for (const name of names) for (const key of byName.get(name) ?? []) found.add(key);
  return found;
}
