import type { Timer } from '@binnacle/base';
import { randomFloat } from '@binnacle/base';
import type { Clock, Random, Trace } from '@binnacle/base';
import type { Container, Pod, Probe } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import type { PodEvents } from '../pod-events.ts';
import { allContainers } from '../container/pod-containers.ts';
import type { ProbeVerdict } from './verdict.ts';
import { countResult, initialTally } from './tally.ts';
import type { ProbeKind, ProbeResult, Tally } from './tally.ts';

export interface ProberOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly events: PodEvents;
  readonly trace: Trace;
  readonly nodeName: string;
  /** Makes one attempt. */
  readonly attempt: (target: ProbeTarget) => Promise<ProbeResult>;
}

export interface ProbeTarget {
  readonly probe: Probe;
  readonly container: Container;
  readonly containerId: string;
  readonly podIP: string;
}

export interface ProbedPod {
  readonly pod: Pod;
  readonly containers: readonly ContainerStatus[];
  readonly podIP: string;
  /** Being terminated: only readiness goes on. */
  readonly ending: boolean;
  /** Called when a verdict becomes another. */
  changed(): void;
}

/** How often a probe came to which result. */
export interface ProbeCount {
  readonly pod: Pod;
  readonly container: string;
  readonly kind: ProbeKind;
  readonly counts: { readonly [result in ProbeResult['kind']]: number };
}

interface Watched {
  readonly target: ProbeTarget;
  readonly kind: ProbeKind;
  readonly startedAt: number;
  tally: Tally;
  readonly counts: { [result in ProbeResult['kind']]: number };
  timer: Timer | undefined;
  over: boolean;
}

interface PodProbes {
  of: ProbedPod;
  readonly byContainer: Map<string, Watched[]>;
  verdicts: Map<string, ProbeVerdict>;
}

const NONE: ReadonlyMap<string, ProbeVerdict> = new Map();
const KINDS = ['startup', 'liveness', 'readiness'] as const;

/** Asks running containers how they are; pods without probes cost nothing. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #pods = new Map<string, PodProbes>();
  #closed = false;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** Starts the probes that are missing, ends those that are over. */
  follow(of: ProbedPod): void {
    if (this.#closed) return;
    const uid = of.pod.metadata.uid ?? '';
    const running = of.containers.filter((c) => c.state === 'running' && probesOf(of.pod, c).length > 0);
    let pod = this.#pods.get(uid);
    if (pod === undefined) {
      if (running.length === 0) return;
      pod = { of, byContainer: new Map(), verdicts: new Map() };
      this.#pods.set(uid, pod);
    }
    pod.of = of;
    for (const [id, list] of pod.byContainer) {
      if (!running.some((c) => c.id === id)) this.#end(pod, id, list);
      else if (of.ending) for (const watched of list) if (watched.kind !== 'readiness') stop(watched);
    }
    if (of.ending) return;
    for (const container of running) if (!pod.byContainer.has(container.id)) this.#begin(pod, container);
  }

  verdicts(podUid: string): ReadonlyMap<string, ProbeVerdict> {
    return this.#pods.get(podUid)?.verdicts ?? NONE;
  }

  /** Of the containers that run. */
  counts(): ProbeCount[] {
    return [...this.#pods.values()].flatMap(({ of, byContainer }) =>
      [...byContainer.values()]
        .flat()
        .map(({ target, kind, counts }) => ({ pod: of.pod, container: target.container.name, kind, counts })),
    );
  }

  forget(podUid: string): void {
    const pod = this.#pods.get(podUid);
    if (pod === undefined) return;
    for (const list of pod.byContainer.values()) list.forEach(stop);
    this.#pods.delete(podUid);
  }

  /** For good, also for a pod whose pass was under way. */
  close(): void {
    this.#closed = true;
    for (const uid of this.#pods.keys()) this.forget(uid);
  }

  #begin(pod: PodProbes, status: ContainerStatus): void {
    const container = allContainers(pod.of.pod).find((c) => c.name === status.name);
    if (container === undefined) return;
    const list = probesOf(pod.of.pod, status).map(([kind, probe]): Watched => ({
      target: { probe, container, containerId: status.id, podIP: pod.of.podIP },
      kind,
      startedAt: status.startedAt,
      tally: initialTally(kind, passedBefore(pod.of.pod, status.id, kind)),
      counts: { success: 0, failure: 0, error: 0 },
      timer: undefined,
      over: false,
    }));
    pod.byContainer.set(status.id, list);
    pod.verdicts.set(status.id, verdictOf(list));
    const startup = list.find((w) => w.kind === 'startup' && w.tally.verdict === 'unknown');
    const rest = list.filter((w) => w.kind !== 'startup');
    for (const watched of startup === undefined ? rest : [startup]) this.#schedule(pod, watched, 'first');
  }

  #end(pod: PodProbes, id: string, list: readonly Watched[]): void {
    list.forEach(stop);
    pod.byContainer.delete(id);
    pod.verdicts.delete(id);
  }

  /** The first attempt comes after the initial delay, counted from the container's start; then every period. */
  #schedule(pod: PodProbes, watched: Watched, turn: 'first' | 'started' | 'next'): void {
    const { clock, random } = this.#options;
    const { probe } = watched.target;
    const period = (probe.periodSeconds ?? 10) * 1000;
    const since = clock.now() - watched.startedAt;
    const delay = (probe.initialDelaySeconds ?? 0) * 1000 - since;
    // A container found running (after a restart of ours) is not asked by all its probes in the same moment.
    const late = turn === 'first' && since > period ? randomFloat(random) * period : 0;
    const wait = turn === 'next' ? period : Math.max(0, delay, late);
    watched.timer = clock.after(wait, () => {
      watched.timer = undefined;
      // Never rejects: an attempt that fails is a failed probe.
      void this.#ask(pod, watched);
    });
  }

  async #ask(pod: PodProbes, watched: Watched): Promise<void> {
    const result = await this.#options.attempt({ ...watched.target, podIP: pod.of.podIP });
    if (watched.over) return;
    watched.counts[result.kind]++;
    const before = watched.tally;
    watched.tally = countResult(before, watched.target.probe, result);
    if (result.kind !== 'success' || result.isWarning === true) this.#complain(pod, watched, result);
    if (watched.tally.verdict !== before.verdict) this.#tell(pod, watched, result);
    if (watched.kind === 'startup' && watched.tally.verdict !== 'unknown') stop(watched);
    // A container that failed for good is on hold until it is replaced.
    if (watched.kind === 'liveness' && watched.tally.verdict === 'failure') stop(watched);
    if (!watched.over) this.#schedule(pod, watched, 'next');
  }

  #tell(pod: PodProbes, watched: Watched, result: ProbeResult): void {
    this.#record(pod.of.pod, watched, result);
    const id = watched.target.containerId;
    const list = pod.byContainer.get(id) ?? [];
    pod.verdicts = new Map(pod.verdicts).set(id, verdictOf(list));
    if (watched.kind === 'startup' && watched.tally.verdict === 'success') {
      for (const other of list) if (other.kind !== 'startup' && !other.over) this.#schedule(pod, other, 'started');
    }
    pod.of.changed();
  }

  /** Only what changes something is told. */
  #record({ metadata }: Pod, { kind, target, tally }: Watched, result: ProbeResult): void {
    const { trace, nodeName } = this.#options;
    if (!trace.on) return;
    const { namespace = '', name = '', uid = '', resourceVersion } = metadata;
    trace.record({
      kind: 'probe',
      component: `kubelet ${nodeName}`,
      name: `${kind} probe of ${target.container.name}: ${tally.verdict}`,
      startedAt: trace.now(),
      durationMs: 0,
      object: { group: '', resource: 'pods', namespace, name, uid },
      ...(resourceVersion === undefined ? {} : { revision: resourceVersion }),
      detail: { container: target.container.name, probe: kind, result: result.kind },
    });
  }

  #complain(pod: PodProbes, watched: Watched, result: ProbeResult): void {
    const name = `${watched.kind[0]?.toUpperCase() ?? ''}${watched.kind.slice(1)}`;
    const verb =
      result.isWarning === true
        ? 'warning'
        : result.kind === 'error'
          ? 'errored and resulted in unknown state'
          : 'failed';
    this.#options.events.pod(pod.of.pod, 'Warning', {
      reason: result.isWarning === true ? 'ProbeWarning' : 'Unhealthy',
      message: `${name} probe ${verb}: ${result.output}`,
      container: watched.target.container.name,
    });
  }
}

function probesOf(pod: Pod, status: ContainerStatus): [ProbeKind, Probe][] {
  const container = allContainers(pod).find((c) => c.name === status.name);
  return KINDS.flatMap((kind): [ProbeKind, Probe][] => {
    const probe = container?.[`${kind}Probe`];
    return probe === undefined ? [] : [[kind, probe]];
  });
}

/** What this very container was last told to be: a restart of the kubelet is none of its business. */
function passedBefore(pod: Pod, id: string, kind: ProbeKind): boolean {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const told = [...containerStatuses, ...initContainerStatuses].find(
    (s) => s.containerID?.endsWith(`://${id}`) === true,
  );
  return kind === 'readiness' ? told?.ready === true : kind === 'startup' && told?.started === true;
}

function stop(watched: Watched): void {
  watched.over = true;
  watched.timer?.cancel();
  watched.timer = undefined;
}

function verdictOf(list: readonly Watched[]): ProbeVerdict {
  const verdict: {
    startup?: 'unknown' | 'success' | 'failure';
    liveness?: 'success' | 'failure';
    readiness?: 'success' | 'failure';
  } = {};
  for (const { kind, tally } of list) {
    if (kind === 'startup') verdict.startup = tally.verdict;
    else verdict[kind] = tally.verdict === 'success' ? 'success' : 'failure';
  }
  return verdict;
}
