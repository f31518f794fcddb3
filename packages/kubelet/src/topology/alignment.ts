/**
 * Gives a pod what is given to it alone (CPUs, memory, devices) from nodes of the machine that lie together, as far as the policy
 * of the topology manager asks for it: by container, or by pod.
 */
import { SerialQueue } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';
import type { NumaNode } from '../ports.ts';
import type { Hints } from './hint.ts';
import { mergeHints } from './merge.ts';

/** Why a pod cannot have what it asks for, as its status says it. */
export interface AlignmentRefusal {
  readonly reason: string;
  readonly message: string;
}

/** Who gives one sort of thing. What is given to a container is given once. */
export interface Giver {
  /** Where it could come from, for a container, or for all of the pod at once. */
  hints(pod: Pod, container: Container | undefined): Hints;
  /** `nodes`: where it is to come from; undefined: anywhere. Answers why it cannot be given. */
  give(
    pod: Pod,
    of: { readonly container: Container; readonly nodes: number | undefined },
  ): AlignmentRefusal | undefined | Promise<AlignmentRefusal | undefined>;
  /** All of a pod is free again. */
  release(podUid: string): void;
  /** Resolves when who has what is written down; never rejects, what fails is told. */
  readonly written: Promise<void>;
}

export interface AlignmentOptions {
  readonly config: Pick<KubeletConfig, 'topologyManagerPolicy' | 'topologyManagerScope' | 'topologyPrefersClosest'>;
  /** In the order in which they are asked. */
  readonly givers: readonly Giver[];
  /** Of the machine, by rising number. */
  readonly nodes: () => readonly NumaNode[];
}

/** How often pods were looked at, and sent away. */
export interface AlignmentCounts {
  readonly requests: number;
  readonly errors: number;
}

const NOT_TOGETHER: AlignmentRefusal = {
  reason: 'TopologyAffinityError',
  message: 'Resources cannot be allocated with Topology locality',
};

export class Alignment {
  readonly #of: AlignmentOptions;
  /** One pod after the other: what one was told of must still be there when it is given. */
  readonly #turns = new SerialQueue();
  #requests = 0;
  #errors = 0;

  constructor(options: AlignmentOptions) {
    this.#of = options;
  }

  get counts(): AlignmentCounts {
    return { requests: this.#requests, errors: this.#errors };
  }

  /** Gives a pod all that it asks for, or nothing: then why not. */
  give(pod: Pod): Promise<AlignmentRefusal | undefined> {
    this.#requests++;
    return this.#turns.run(() => this.#give(pod));
  }

  /** The pod has ended. */
  release(podUid: string): void {
    for (const giver of this.#of.givers) giver.release(podUid);
  }

  async #give(pod: Pod): Promise<AlignmentRefusal | undefined> {
    let refusal: AlignmentRefusal | undefined;
    try {
      refusal = await this.#giveAll(pod);
    } catch (error) {
      this.#refused(pod);
      throw error;
    }
    if (refusal !== undefined) this.#refused(pod);
    return refusal;
  }

  #refused({ metadata }: Pod): void {
    this.#errors++;
    this.release(metadata.uid ?? '');
  }

  async #giveAll(pod: Pod): Promise<AlignmentRefusal | undefined> {
    const { config, givers } = this.#of;
    const isByPod = config.topologyManagerScope === 'pod' && config.topologyManagerPolicy !== 'none';
    const ofPod = isByPod ? this.#merged(pod, undefined) : undefined;
    if (ofPod?.admits === false) return NOT_TOGETHER;
    for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      const merged = ofPod ?? this.#merged(pod, container);
      if (merged?.admits === false) return NOT_TOGETHER;
      for (const giver of givers) {
        const refusal = await giver.give(pod, { container, nodes: merged?.nodes });
        if (refusal !== undefined) return refusal;
      }
    }
    // Before anything of the pod runs with it: a kubelet that is killed would leave it to be given once more.
    await Promise.all(givers.map(({ written }) => written));
    return undefined;
  }

  #merged(pod: Pod, container: Container | undefined): ReturnType<typeof mergeHints> | undefined {
    const { config, givers, nodes } = this.#of;
    const { topologyManagerPolicy: policy, topologyPrefersClosest } = config;
    if (policy === 'none') return undefined;
    const machine = nodes();
    const distances = topologyPrefersClosest ? machine.map(({ distances: from }) => from) : undefined;
    return mergeHints(
      givers.map((giver) => giver.hints(pod, container)),
      { policy, nodeCount: machine.length, distances },
    );
  }
}

/** What is wrong with what cannot be given, in upstream's words. */
export function unexpected(why: string): AlignmentRefusal {
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Allocate failed due to ${why}, which is unexpected`,
  };
}
