import { SerialQueue } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { milliValue } from '../container/amount.ts';
import { leftFor } from '../container/pod-containers.ts';
import { qosClass } from '../container/resources.ts';
import { KubeletConfigError } from '../errors.ts';
import type { Cpu, HostFiles, KubeletOptions } from '../ports.ts';
import type { ResizeRefusal } from '../resize/fit.ts';
import { type CpuGrants, readCpuGrants, writeCpuGrants } from './cpu-records.ts';
import { formatCpuSet } from './cpu-set.ts';
import { type AlignmentRefusal, type Giver, unexpected } from '../topology/alignment.ts';
import { type Hint, type Hints, NO_HINTS, isWithin, nodeSet, possibleHints } from '../topology/hint.ts';
import { podWish } from '../container/pod-wish.ts';
import { corruptRecord } from '../written-down.ts';
import { takeCpus, takeCpusNear } from './take.ts';

export interface ExclusiveCpusOptions {
  readonly policy: 'none' | 'static';
  /** Of the machine; absent: nobody tells. */
  readonly topology?: (() => Promise<readonly Cpu[]>) | undefined;
  /** Numbers of the machine's memory nodes, rising. */
  readonly nodeIds: () => readonly number[];
  /** Never given to one container alone: these, or so many. */
  readonly reserved: readonly number[] | number;
  readonly files: HostFiles;
  /** `<kubelet>/cpu_manager_state`. */
  readonly path: string;
  readonly log: Logger;
  /** What all others run on is another now. */
  readonly sharedChanged: () => void;
}

const FIELD = 'cpuManagerPolicy';

/** Why a pod cannot have the CPUs that it asks for, as its status says it. */
type CpuRefusal = AlignmentRefusal;

/** What there is to choose from for one container. */
interface Wish {
  readonly count: number;
  readonly free: ReadonlySet<number>;
  /** Of init containers of the same pod that are over: taken first. */
  readonly reusable: readonly number[];
}

/**
 * Gives whole CPUs to containers that ask for whole ones in guaranteed pods (the static policy): for them alone, from when
 * the pod is taken in until it ends. All others run on what is left.
 */
export class ExclusiveCpus implements Giver {
  readonly #of: ExclusiveCpusOptions;
  #grants: CpuGrants = new Map();
  #topology: readonly Cpu[] = [];
  #reserved: readonly number[] = [];
  readonly #writes = new SerialQueue();
  #requests = 0;
  #errors = 0;

  constructor(options: ExclusiveCpusOptions) {
    this.#of = options;
  }

  /** How often CPUs were asked for, and could not be given. */
  get counts(): { readonly requests: number; readonly errors: number } {
    return { requests: this.#requests, errors: this.#errors };
  }

  /**
   * Looks at the machine, and learns what an earlier kubelet gave out. Throws KubeletConfigError where it had another policy,
   * or other CPUs, or nobody can tell what it gave.
   */
  async recall(): Promise<void> {
    const { files, path, policy } = this.#of;
    if (policy === 'static') await this.#look();
    const found = await readCpuGrants(files, path);
    if (found === 'corrupt') throw corruptRecord(FIELD, { manager: 'CPU manager', path });
    if (found === undefined || (policy === 'none' && found.policy === 'none')) return;
    if (found.policy !== policy) {
      throw new KubeletConfigError(
        FIELD,
        `configured policy "${policy}" differs from state checkpoint policy "${found.policy}", please drain this node and delete the CPU manager checkpoint file "${path}" before restarting Kubelet`,
      );
    }
    const known = new Set(this.#topology.map(({ id }) => id));
    const gone = [...found.grants.values()].flatMap((own) => [...own.values()].flat()).filter((cpu) => !known.has(cpu));
    if (gone.length > 0) {
      throw new KubeletConfigError(FIELD, `CPUs ${formatCpuSet(gone)} of "${path}" are not on this machine any more`);
    }
    this.#grants = found.grants;
  }

  async #look(): Promise<void> {
    const { topology, reserved } = this.#of;
    this.#topology = (await topology?.()) ?? [];
    const all = this.#topology.map(({ id }) => id);
    const kept = typeof reserved === 'number' ? takeCpus(this.#topology, new Set(all), reserved) : reserved;
    if (kept === undefined || kept.length === 0 || kept.some((id) => !all.includes(id))) {
      const told = JSON.stringify(reserved);
      throw new KubeletConfigError(FIELD, `unable to reserve CPUs ${told} of ${formatCpuSet(all)} for static policy`);
    }
    this.#reserved = kept;
  }

  get written(): Promise<void> {
    return this.#writes.settled();
  }

  /** What containers without CPUs of their own run on. */
  get shared(): readonly number[] {
    const taken = this.#taken();
    return this.#topology.map(({ id }) => id).filter((id) => !taken.has(id));
  }

  /** The CPUs that a container has for itself. */
  own(podUid: string, container: string): readonly number[] | undefined {
    return this.#grants.get(podUid)?.get(container);
  }

  /** What a container runs on, as its group is told; undefined: wherever. */
  groupCpus(podUid: string, container: string): string | undefined {
    if (this.#of.policy === 'none') return undefined;
    return formatCpuSet(this.own(podUid, container) ?? this.shared);
  }

  /** Whether some container of a pod has CPUs for itself. */
  holds(podUid: string): boolean {
    return this.#grants.has(podUid);
  }

  /** Amounts of containers with CPUs for themselves do not change while they run. */
  refuseResize({ metadata }: Pod): ResizeRefusal | undefined {
    if (!this.holds(metadata.uid ?? '')) return undefined;
    return {
      reason: 'Infeasible',
      message: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager static policy',
    };
  }

  /** What could be given out at all. */
  get givable(): readonly number[] {
    if (this.#of.policy === 'none') return [];
    return this.#topology.map(({ id }) => id).filter((id) => !this.#reserved.includes(id));
  }

  /** Where the CPUs that a container (or all of a pod) has for itself could come from. */
  hints(pod: Pod, container: Container | undefined): Hints {
    if (this.#of.policy === 'none') return NO_HINTS;
    const count = container === undefined ? podCount(pod) : exclusiveCount(pod, container);
    if (count === 0) return NO_HINTS;
    const own = container === undefined ? [] : (this.own(pod.metadata.uid ?? '', container.name) ?? []);
    const reusable = container === undefined ? [] : this.#reusable(pod, container);
    const free = own.length > 0 ? new Set(own) : this.#free();
    return new Map([['cpu', this.#hints({ count, free, reusable })]]);
  }

  #hints({ count, free, reusable }: Wish): readonly Hint[] {
    const known = this.#of.nodeIds();
    const countIn = (set: number, isCounted: (id: number) => boolean): number =>
      this.#topology.filter(({ id, node }) => isCounted(id) && isWithin(set, known, node)).length;
    const isReusable = (id: number): boolean => reusable.includes(id);
    return possibleHints(nodeSet(known, known), {
      couldEver: (set) => countIn(set, () => true) >= count,
      canNow: (set) =>
        countIn(set, isReusable) === reusable.length && countIn(set, (id) => isReusable(id) || free.has(id)) >= count,
    });
  }

  /** Gives a container of a pod what it asks for, once, from these memory nodes first. Answers why it cannot have it. */
  give(pod: Pod, of: { readonly container: Container; readonly nodes: number | undefined }): CpuRefusal | undefined {
    const { container, nodes } = of;
    const uid = pod.metadata.uid ?? '';
    if (this.#of.policy === 'none' || this.own(uid, container.name) !== undefined) return undefined;
    const count = exclusiveCount(pod, container);
    if (count === 0) return undefined;
    this.#requests++;
    const reusable = this.#reusable(pod, container);
    const free = this.#free();
    const cpus = this.#choose({ count, free, reusable }, nodes);
    if (cpus === undefined) {
      this.#errors++;
      return refusal(count, free.size + reusable.length);
    }
    const own = this.#grants.get(uid) ?? new Map<string, readonly number[]>();
    this.#grants.set(uid, own.set(container.name, cpus));
    this.#changed();
    return undefined;
  }

  #free(): ReadonlySet<number> {
    const taken = this.#taken();
    return new Set(this.givable.filter((id) => !taken.has(id)));
  }

  /** CPUs of init containers of the pod that are over when this one starts. */
  #reusable(pod: Pod, container: Container): readonly number[] {
    return leftFor(pod, container, (name) => this.own(pod.metadata.uid ?? '', name) ?? []);
  }

  /** The pod has ended. */
  release(podUid: string): void {
    if (this.#grants.delete(podUid)) this.#changed();
  }

  /** Pods other than these are gone. */
  retain(podUids: ReadonlySet<string>): void {
    for (const uid of this.#grants.keys()) if (!podUids.has(uid)) this.release(uid);
  }

  #choose({ count, free, reusable }: Wish, nodes: number | undefined): readonly number[] | undefined {
    const topology = this.#topology;
    const known = this.#of.nodeIds();
    const isNear = nodes === undefined ? undefined : (cpu: Cpu): boolean => isWithin(nodes, known, cpu.node);
    if (reusable.length >= count) return takeCpusNear(topology, new Set(reusable), { count, isNear });
    const more = takeCpusNear(topology, free, { count: count - reusable.length, isNear });
    return more === undefined ? undefined : [...reusable, ...more].toSorted((a, b) => a - b);
  }

  #taken(): ReadonlySet<number> {
    return new Set([...this.#grants.values()].flatMap((own) => [...own.values()].flat()));
  }

  #changed(): void {
    const { files, path, log, sharedChanged } = this.#of;
    const write = (): Promise<void> => writeCpuGrants(files, path, { shared: this.shared, grants: this.#grants });
    void this.#writes.run(write).catch((error: unknown) => {
      log.error(error, 'Who has which CPUs could not be written down', { path });
    });
    sharedChanged();
  }
}

/** By a kubelet's configuration; undefined where there are no files. */
export function createExclusiveCpus(
  { config, machine, files, log }: Pick<KubeletOptions, 'config' | 'machine' | 'files' | 'log'>,
  of: Pick<ExclusiveCpusOptions, 'sharedChanged' | 'nodeIds'>,
): ExclusiveCpus | undefined {
  if (files === undefined) return undefined;
  const { cpuManagerPolicy: policy, kubeReserved, systemReserved, rootDirectory } = config;
  const reserved = config.reservedCpus ?? Math.ceil((kubeReserved.milliCpu + systemReserved.milliCpu) / 1000);
  const path = `${rootDirectory}/cpu_manager_state`;
  const topology = machine.cpuTopology?.bind(machine);
  return new ExclusiveCpus({ policy, topology, reserved, files, path, log, ...of });
}

/** How many CPUs a container has for itself: whole ones, asked for by a guaranteed pod. */
export function exclusiveCount(pod: Pod, container: Container): number {
  if (qosClass(pod) !== 'Guaranteed' || pod.spec.resources !== undefined) return 0;
  const { requests = {}, limits = {} } = container.resources ?? {};
  const milli = milliValue(requests['cpu'] ?? limits['cpu']);
  return milli > 0 && milli % 1000 === 0 ? milli / 1000 : 0;
}

/** How many a pod has for itself at the most at any time. */
function podCount(pod: Pod): number {
  return podWish(pod, (container) => new Map([['cpu', exclusiveCount(pod, container)]])).get('cpu') ?? 0;
}

function refusal(requested: number, available: number): CpuRefusal {
  return unexpected(`not enough cpus available to satisfy request: requested=${requested}, available=${available}`);
}
