import { isSidecar } from '@binnacle/api';
import { SerialQueue } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { wholeValue } from '../container/amount.ts';
import { qosClass } from '../container/resources.ts';
import { formatCpuSet } from '../cpu/cpu-set.ts';
import { KubeletConfigError } from '../errors.ts';
import { isHugePages } from '../huge-pages.ts';
import type { HostFiles, NumaNode } from '../ports.ts';
import type { ResizeRefusal } from '../resize/fit.ts';
import { type AlignmentRefusal, type Giver, unexpected } from '../topology/alignment.ts';
import { type Hint, type Hints, NO_HINTS } from '../topology/hint.ts';
import { podWish } from '../container/pod-wish.ts';
import { corruptRecord } from '../written-down.ts';
import { type MemoryGrants, type MemoryRecord, readMemoryGrants, writeMemoryGrants } from './memory-records.ts';
import {
  type MemoryBlock,
  type MemoryTable,
  type MemoryWish,
  type ReservedMemory,
  bestHint,
  emptyTable,
  idsOf,
  keepsGroups,
  memoryHints,
  satisfies,
  setOf,
  take,
} from './memory-table.ts';
import { checkReserved } from './reserved-memory.ts';

export interface OwnMemoryOptions {
  readonly policy: 'None' | 'Static';
  /** Of the machine, by rising number. */
  readonly nodes: () => readonly NumaNode[];
  /** Never given: by node. */
  readonly reserved: ReservedMemory;
  /** What the node keeps as a whole; what is reserved by node comes to the same. */
  readonly reservedBytes: number;
  readonly files: HostFiles;
  /** `<kubelet>/memory_manager_state`. */
  readonly path: string;
  readonly log: Logger;
}

const FIELD = 'memoryManagerPolicy';
const PINNED: ResizeRefusal = {
  reason: 'Infeasible',
  message: 'Resize is infeasible for Guaranteed Pods alongside Memory Manager static policy',
};

/**
 * Promises containers of guaranteed pods their memory from certain memory nodes (the static policy): they get it from there and from
 * nowhere else, from when the pod is taken in until it ends.
 */
export class OwnMemory implements Giver {
  readonly #of: OwnMemoryOptions;
  #grants: MemoryGrants = new Map();
  readonly #writes = new SerialQueue();
  #requests = 0;
  #errors = 0;

  constructor(options: OwnMemoryOptions) {
    this.#of = options;
  }

  /** How often memory was asked for, and could not be given. */
  get counts(): { readonly requests: number; readonly errors: number } {
    return { requests: this.#requests, errors: this.#errors };
  }

  /**
   * Learns what an earlier kubelet gave out. Throws KubeletConfigError where it had another policy, or the machine other
   * memory, or nobody can tell what it gave.
   */
  async recall(): Promise<void> {
    const { files, path, policy, nodes, reserved, reservedBytes } = this.#of;
    if (policy === 'Static') checkReserved({ nodes: nodes(), reserved, reservedBytes });
    const found = await readMemoryGrants(files, path);
    if (found === 'corrupt') throw corruptRecord(FIELD, { manager: 'memory manager', path });
    if (found === undefined || (policy === 'None' && found.policy === 'None')) return;
    if (found.policy !== policy) {
      throw new KubeletConfigError(
        FIELD,
        `configured policy "${policy}" differs from state checkpoint policy "${found.policy}", please drain this node and delete the memory manager checkpoint file "${path}" before restarting Kubelet`,
      );
    }
    if (!isSameMachine(found, this.#empty)) {
      throw new KubeletConfigError(
        FIELD,
        `the expected machine state is different from the real one, please drain this node and delete "${path}"`,
      );
    }
    this.#grants = found.grants;
  }

  hints(pod: Pod, container: Container | undefined): Hints {
    if (!this.#isFor(pod)) return NO_HINTS;
    const wish = container === undefined ? podWish(pod, wishOf) : wishOf(container);
    const own = this.#grants.get(pod.metadata.uid ?? '');
    const held = container === undefined ? [...(own?.values() ?? [])][0] : own?.get(container.name);
    const list = held === undefined ? this.#hints(pod, wish, container !== undefined) : this.#asHeld(held);
    return new Map([...wish.keys()].map((resource) => [resource, list]));
  }

  give(
    pod: Pod,
    { container, nodes }: { readonly container: Container; readonly nodes: number | undefined },
  ): AlignmentRefusal | undefined {
    const uid = pod.metadata.uid ?? '';
    if (!this.#isFor(pod) || this.#grants.get(uid)?.has(container.name) === true) return undefined;
    const wish = wishOf(container);
    if (wish.size === 0) return undefined;
    this.#requests++;
    const chosen = this.#choose(pod, wish, nodes);
    if (typeof chosen === 'string') {
      this.#errors++;
      return unexpected(`[memorymanager] ${chosen}`);
    }
    const ids = idsOf(this.#empty, chosen);
    const blocks = [...wish].map(([resource, bytes]) => ({ nodes: ids, resource, bytes }));
    this.#note(pod, container, blocks);
    this.#save();
    return undefined;
  }

  /** The pod has ended. */
  release(podUid: string): void {
    if (this.#grants.delete(podUid)) this.#save();
  }

  /** Pods other than these are gone. */
  retain(podUids: ReadonlySet<string>): void {
    for (const uid of this.#grants.keys()) if (!podUids.has(uid)) this.release(uid);
  }

  get written(): Promise<void> {
    return this.#writes.settled();
  }

  /** What a container has. */
  held(podUid: string, container: string): readonly MemoryBlock[] {
    return this.#grants.get(podUid)?.get(container) ?? [];
  }

  /** The nodes that a container's memory comes from, as its group is told; undefined: any. */
  groupNodes(podUid: string, container: string): string | undefined {
    const nodes = new Set(this.held(podUid, container).flatMap((block) => block.nodes));
    return nodes.size === 0 ? undefined : formatCpuSet([...nodes].toSorted((a, b) => a - b));
  }

  /** What could be given out at all. */
  get givable(): readonly MemoryBlock[] {
    if (this.#of.policy === 'None') return [];
    return this.#empty.flatMap(({ id, amounts }) =>
      [...amounts].flatMap(([resource, { allocatable }]) =>
        allocatable === 0 ? [] : [{ nodes: [id], resource, bytes: allocatable }],
      ),
    );
  }

  /** Amounts of containers with memory of their own do not change while they run. */
  refuseResize({ metadata }: Pod): ResizeRefusal | undefined {
    return this.#grants.has(metadata.uid ?? '') ? PINNED : undefined;
  }

  #isFor(pod: Pod): boolean {
    return this.#of.policy === 'Static' && qosClass(pod) === 'Guaranteed' && pod.spec.resources === undefined;
  }

  get #empty(): MemoryTable {
    return emptyTable(this.#of.nodes(), this.#of.reserved);
  }

  get #table(): MemoryTable {
    const table = this.#empty;
    for (const own of this.#grants.values())
      for (const blocks of own.values()) for (const one of blocks) take(table, one);
    return table;
  }

  #hints(pod: Pod, wish: MemoryWish, reuses: boolean): readonly Hint[] {
    return memoryHints(this.#table, wish, (nodes, resource) => (reuses ? this.#reusable(pod, nodes, resource) : 0));
  }

  #asHeld(blocks: readonly MemoryBlock[]): readonly Hint[] {
    return [{ nodes: setOf(this.#empty, blocks[0]?.nodes ?? []), isPreferred: true }];
  }

  /** The nodes to take it from, or why there are none. */
  #choose(pod: Pod, wish: MemoryWish, wanted: number | undefined): number | string {
    const table = this.#table;
    if (wanted !== undefined && satisfies(table, wanted, wish) && keepsGroups(table, wanted)) return wanted;
    const all = this.#hints(pod, wish, true);
    if (wanted === undefined) {
      return (
        bestHint(all)?.nodes ?? 'failed to get the default NUMA affinity, no NUMA nodes with enough memory is available'
      );
    }
    // What the policy chose does not do alone: more nodes beside it may.
    const wider = all.filter(({ nodes = 0 }) => (nodes & wanted) === wanted);
    return bestHint(wider)?.nodes ?? 'failed to find NUMA nodes to extend the current topology hint';
  }

  /** What init containers that are over have had is used once more: it is counted where it is now. */
  #note(pod: Pod, container: Container, blocks: readonly MemoryBlock[]): void {
    const uid = pod.metadata.uid ?? '';
    const own = this.#grants.get(uid) ?? new Map<string, readonly MemoryBlock[]>();
    this.#grants.set(uid, own);
    for (const block of blocks) {
      let left = block.bytes;
      for (const name of overBefore(pod, container)) {
        const kept = (own.get(name) ?? []).map((one) => {
          if (!isAlike(one, block)) return one;
          const reused = Math.min(left, one.bytes);
          left -= reused;
          return { ...one, bytes: one.bytes - reused };
        });
        if (own.has(name)) own.set(name, kept);
      }
    }
    own.set(container.name, blocks);
  }

  #reusable(pod: Pod, nodes: readonly number[], resource: string): number {
    const own = this.#grants.get(pod.metadata.uid ?? '');
    const alike = { nodes, resource, bytes: 0 };
    const blocks = (pod.spec.initContainers ?? []).flatMap((c) => (isSidecar(c) ? [] : (own?.get(c.name) ?? [])));
    return blocks.reduce((sum, block) => (isAlike(block, alike) ? sum + block.bytes : sum), 0);
  }

  #save(): void {
    const { files, path, log } = this.#of;
    const write = (): Promise<void> => writeMemoryGrants(files, path, { table: this.#table, grants: this.#grants });
    void this.#writes.run(write).catch((error: unknown) => {
      log.error(error, 'Who has which memory could not be written down', { path });
    });
  }
}

function isAlike(a: MemoryBlock, b: MemoryBlock): boolean {
  return a.resource === b.resource && a.nodes.length === b.nodes.length && a.nodes.every((id) => b.nodes.includes(id));
}

/** Init containers that have ended when this one starts. */
function overBefore({ spec: { initContainers = [] } }: Pod, container: Container): readonly string[] {
  const at = initContainers.indexOf(container);
  return initContainers
    .slice(0, at === -1 ? undefined : at)
    .filter((one) => !isSidecar(one))
    .map(({ name }) => name);
}

/** Memory and huge pages that a container asks for; in a guaranteed pod limits are requests. */
export function wishOf({ resources }: Container): MemoryWish {
  const asked = { ...resources?.limits, ...resources?.requests };
  return new Map(
    Object.entries(asked).flatMap(([name, amount]) => {
      const bytes = name === 'memory' || isHugePages(name) ? wholeValue(amount) : 0;
      return bytes > 0 ? [[name, bytes] as const] : [];
    }),
  );
}

/** Whether the machine has what it had, and keeps what it kept. */
function isSameMachine({ machine }: MemoryRecord, table: MemoryTable): boolean {
  return (
    machine.size === table.length &&
    table.every(({ id, amounts }) => {
      const before = machine.get(id);
      return (
        before?.size === amounts.size &&
        [...amounts].every(([name, { total, systemReserved }]) => {
          const then = before.get(name);
          return then?.total === total && then.systemReserved === systemReserved;
        })
      );
    })
  );
}
