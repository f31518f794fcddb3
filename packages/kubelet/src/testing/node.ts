import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import type { SimulatedNode } from '@binnacle/runtime/simulated';
import type { EventRecorder } from '@binnacle/client';
import type { Container, Pod, PodSpec } from '@binnacle/api/core/v1';
import type { Runtime } from '@binnacle/runtime';
import { kubeletConfig } from '../config.ts';
import type { KubeletConfig } from '../config.ts';
import { createKubelet } from '../kubelet.ts';
import type { Kubelet } from '../kubelet.ts';
import type { KubeletOptions, Machine, PodSource, PodSourceHandler } from '../ports.ts';

/** A source that tests speak through. */
export class HandSource implements PodSource {
  readonly kind: 'file' | 'api';
  readonly pods = new Map<string, Pod>();
  #handler: PodSourceHandler | undefined;

  constructor(kind: 'file' | 'api' = 'api') {
    this.kind = kind;
  }

  follow(_nodeName: string, handler: PodSourceHandler): () => void {
    this.#handler = handler;
    for (const pod of this.pods.values()) handler.upsert(pod);
    handler.ready();
    return () => (this.#handler = undefined);
  }

  put(pod: Pod): void {
    this.pods.set(pod.metadata.uid ?? '', pod);
    this.#handler?.upsert(pod);
  }

  drop(pod: Pod): void {
    this.pods.delete(pod.metadata.uid ?? '');
    this.#handler?.remove(pod);
  }
}

export const testMachine: Machine = {
  hostname: 'node-1',
  cpus: 4,
  memoryBytes: 8 * 2 ** 30,
  ephemeralStorageBytes: 100 * 2 ** 30,
  operatingSystem: 'linux',
  architecture: 'amd64',
  kernelVersion: '6.1.0',
  osImage: 'Test Linux',
  machineId: 'm',
  systemUuid: 's',
  bootId: 'b',
  addresses: [
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'Hostname', address: 'node-1' },
  ],
  resolvConf: async () => 'nameserver 192.0.2.53\nsearch example.test\n',
  hostsFile: async () => '127.0.0.1 localhost\n',
  removeCgroup: async () => undefined,
};

/** One event as tests read it: `Normal Pulled …`. */
export class EventLog implements EventRecorder {
  readonly lines: string[] = [];

  event(...[, type, reason, message]: Parameters<EventRecorder['event']>): void {
    this.lines.push(`${type} ${reason} ${message}`);
  }

  reasons(): string[] {
    return this.lines.map((line) => line.split(' ')[1] ?? '');
  }
}

export interface TestNode {
  readonly clock: VirtualClock;
  readonly node: SimulatedNode;
  readonly runtime: Runtime;
  readonly source: HandSource;
  readonly events: EventLog;
  readonly kubelet: Kubelet;
  readonly scope: Scope;
}

/** A kubelet on a simulated node, under a virtual clock; started. */
export async function startTestNode(
  given: Partial<Omit<KubeletOptions, 'config'>> & {
    readonly config?: Partial<KubeletConfig>;
    readonly node?: SimulatedNode;
    readonly clock?: VirtualClock;
    readonly source?: HandSource;
  } = {},
): Promise<TestNode> {
  const clock = given.clock ?? new VirtualClock();
  const random = createSeededRandom(1);
  const node = given.node ?? createSimulatedNode({ clock, random });
  const runtime = given.runtime ?? node.connect();
  const source = given.source ?? new HandSource();
  const events = new EventLog();
  const scope = new Scope('test');
  const kubelet = createKubelet({
    machine: testMachine,
    sources: [source],
    events,
    random,
    log: silentLogger,
    ...given,
    runtime,
    clock,
    scope,
    config: kubeletConfig({ nodeName: 'node-1', relistPeriodMs: 0, ...given.config }),
  });
  kubelet.start();
  await pass(clock, 1);
  return { clock, node, runtime, source, events, kubelet, scope };
}

/** A pod as an API server would hand it over, bound to the node; its container has its volumes unless it says otherwise. */
export function testPod(
  given: {
    readonly name?: string;
    readonly spec?: Partial<PodSpec>;
    readonly container?: Partial<Container>;
    readonly metadata?: Partial<Pod['metadata']>;
    readonly status?: Pod['status'];
  } = {},
): Pod {
  const name = given.name ?? 'web';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '10',
      generation: 1,
      ...given.metadata,
    },
    spec: {
      nodeName: 'node-1',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: [
        {
          name: 'main',
          image: 'busybox:1',
          imagePullPolicy: 'IfNotPresent',
          ...mountsOf(given.spec?.volumes),
          ...given.container,
        },
      ],
      ...given.spec,
    },
    status: given.status ?? { phase: 'Pending', qosClass: 'BestEffort' },
  };
}

function mountsOf(volumes: PodSpec['volumes'] = []): Partial<Container> {
  if (volumes.length === 0) return {};
  return { volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/volumes/${name}` })) };
}

const STEPS_MAX = 40;
const TURNS = 120;

/** Moves time in small steps, so that chains of promises get their turns in between. */
export async function pass(clock: VirtualClock, ms: number): Promise<void> {
  const steps = Math.min(STEPS_MAX, Math.max(1, ms));
  await takeTurns();
  for (let i = 0; i < steps; i++) {
    await clock.advance(ms / steps);
    await takeTurns();
  }
}

async function takeTurns(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await Promise.resolve();
}
