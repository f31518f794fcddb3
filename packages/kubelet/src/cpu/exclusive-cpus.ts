import type { Logger } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { milliValue } from '../container/amount.ts';
import { isSidecar } from '../container/pod-containers.ts';
import { qosClass } from '../container/resources.ts';
import { KubeletConfigError } from '../errors.ts';
import type { Cpu, HostFiles, KubeletOptions } from '../ports.ts';
import type { ResizeRefusal } from '../resize/fit.ts';
import { type CpuGrants, readCpuGrants, writeCpuGrants } from './cpu-records.ts';
import { formatCpuSet } from './cpu-set.ts';
import { takeCpus } from './take.ts';

export interface ExclusiveCpusOptions {
  readonly policy: 'none' | 'static';
  /** Of the machine; absent: nobody tells. */
  readonly topology?: (() => Promise<readonly Cpu[]>) | undefined;
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
export interface CpuRefusal {
  readonly reason: string;
  readonly message: string;
}

/**
 * Gives whole CPUs to containers that ask for whole ones in guaranteed pods (the static policy): for them alone, from when
 * the pod is taken in until it ends. All others run on what is left.
 */
export class ExclusiveCpus {
  readonly #of: ExclusiveCpusOptions;
  #grants: CpuGrants = new Map();
  #topology: readonly Cpu[] = [];
  #reserved: readonly number[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ExclusiveCpusOptions) {
    this.#of = options;
  }

  /** Looks at the machine, and learns what an earlier kubelet gave out. Throws KubeletConfigError where it had another policy, or other CPUs. */
  async recall(): Promise<void> {
    const { files, path, policy } = this.#of;
    if (policy === 'static') await this.#look();
    const found = await readCpuGrants(files, path);
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

  /** Gives a pod what its containers ask for, once. Answers why it cannot have it. */
  give(pod: Pod): CpuRefusal | undefined {
    const uid = pod.metadata.uid ?? '';
    if (this.#of.policy === 'none' || this.#grants.has(uid)) return undefined;
    const own = new Map<string, readonly number[]>();
    /** Of init containers that are over when the others start. */
    let reusable: readonly number[] = [];
    const taken = this.#taken();
    const free = new Set(this.givable.filter((id) => !taken.has(id)));
    for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      const count = exclusiveCount(pod, container);
      if (count === 0) continue;
      const cpus = this.#choose({ count, free, reusable });
      if (cpus === undefined) return refusal(count, free.size + reusable.length);
      own.set(container.name, cpus);
      for (const cpu of cpus) free.delete(cpu);
      const isOver = pod.spec.initContainers?.includes(container) === true && !isSidecar(container);
      const rest = reusable.filter((cpu) => !cpus.includes(cpu));
      reusable = isOver ? [...rest, ...cpus] : rest;
    }
    if (own.size === 0) return undefined;
    this.#grants.set(uid, own);
    this.#changed();
    return undefined;
  }

  /** The pod has ended. */
  release(podUid: string): void {
    if (this.#grants.delete(podUid)) this.#changed();
  }

  /** Pods other than these are gone. */
  retain(podUids: ReadonlySet<string>): void {
    for (const uid of this.#grants.keys()) if (!podUids.has(uid)) this.release(uid);
  }

  #choose(of: {
    readonly count: number;
    readonly free: ReadonlySet<number>;
    readonly reusable: readonly number[];
  }): readonly number[] | undefined {
    const { count, free, reusable } = of;
    const topology = this.#topology;
    if (reusable.length >= count) return takeCpus(topology, new Set(reusable), count);
    const more = takeCpus(topology, free, count - reusable.length);
    return more === undefined ? undefined : [...reusable, ...more].toSorted((a, b) => a - b);
  }

  #taken(): ReadonlySet<number> {
    return new Set([...this.#grants.values()].flatMap((own) => [...own.values()].flat()));
  }

  #changed(): void {
    const { files, path, log, sharedChanged } = this.#of;
    const write = (): Promise<void> => writeCpuGrants(files, path, { shared: this.shared, grants: this.#grants });
    this.#writing = this.#writing.then(write).catch((error: unknown) => {
      log.error(error, 'Who has which CPUs could not be written down', { path });
    });
    sharedChanged();
  }
}

/** By a kubelet's configuration; undefined where there are no files. */
export function createExclusiveCpus(
  { config, machine, files, log }: Pick<KubeletOptions, 'config' | 'machine' | 'files' | 'log'>,
  sharedChanged: () => void,
): ExclusiveCpus | undefined {
  if (files === undefined) return undefined;
  const { cpuManagerPolicy: policy, kubeReserved, systemReserved, rootDirectory } = config;
  const reserved = config.reservedCpus ?? Math.ceil((kubeReserved.milliCpu + systemReserved.milliCpu) / 1000);
  const path = `${rootDirectory}/cpu_manager_state`;
  const topology = machine.cpuTopology?.bind(machine);
  return new ExclusiveCpus({ policy, topology, reserved, files, path, log, sharedChanged });
}

/** How many CPUs a container has for itself: whole ones, asked for by a guaranteed pod. */
export function exclusiveCount(pod: Pod, container: Container): number {
  if (qosClass(pod) !== 'Guaranteed' || pod.spec.resources !== undefined) return 0;
  const { requests = {}, limits = {} } = container.resources ?? {};
  const milli = milliValue(requests['cpu'] ?? limits['cpu']);
  return milli > 0 && milli % 1000 === 0 ? milli / 1000 : 0;
}

function refusal(requested: number, available: number): CpuRefusal {
  const what = `not enough cpus available to satisfy request: requested=${requested}, available=${available}`;
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Pod was rejected: Allocate failed due to ${what}, which is unexpected`,
  };
}
