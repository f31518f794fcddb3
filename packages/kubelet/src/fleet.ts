import { Scope } from '@binnacle/base';
import type { Clock, Gate, Logger, Random, Trace } from '@binnacle/base';
import type { Client, EventRecorder } from '@binnacle/client';
import type { Runtime } from '@binnacle/runtime';
import { kubeletConfig } from './config.ts';
import type { KubeletConfig } from './config.ts';
import { createKubelet } from './kubelet.ts';
import type { Kubelet } from './kubelet.ts';
import type { HostFiles, LogFiles, Machine, ObjectReader } from './ports.ts';
import { Heartbeat } from './registration/heartbeat.ts';
import { createPodInformer, createSharedPodSource } from './source/api-source.ts';

/** What a fleet is made of; see `KubeletOptions` for what may be absent. */
export interface NodeFleetOptions {
  readonly count: number;
  /** Nodes are `<prefix>-0`, `<prefix>-1`, …; default `node`. */
  readonly namePrefix?: string;
  readonly client: Client;
  /** Makes the runtime of one node, such as a simulated one, which may bring its containers' logs. */
  readonly runtime: (nodeName: string, index: number) => Runtime & { readonly logs?: LogFiles };
  /** What one node is; default: see `simulatedMachine`. */
  readonly machine?: (nodeName: string, index: number) => Machine;
  readonly config?: Partial<KubeletConfig>;
  /** What the process was started with, for `/flagz`, by the flags' names. Absent: it is not told. */
  readonly flags?: ReadonlyMap<string, string>;
  /** Absent: volumes are not made; see `createMemoryFiles`. */
  readonly files?: (nodeName: string, index: number) => HostFiles;
  /** Absent: no Events are written. A fleet of more than a hundred writes none about its nodes. */
  readonly events?: (nodeName: string) => EventRecorder;
  /** Absent: environment from ConfigMaps, Secrets and Services is not resolved, and what needs them is refused. */
  readonly objects?: ObjectReader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Absent: nobody is told what is done and why. */
  readonly trace?: Trace;
  /** Absent: nobody is ever held. */
  readonly gate?: Gate;
  readonly scope: Scope;
}

/** Five Events for each of thousands of nodes would push those of the pods out of the line. */
const TALKING_MAX = 100;

/** The running kubelets; they stop with the scope they were given. */
export interface NodeFleet {
  readonly kubelets: readonly Kubelet[];
  /** Resolves when all kubelets have looked at their runtime and their pods. */
  whenReady(): Promise<void>;
}

/**
 * Many kubelets in one process, for nodes without disks of their own: one informer over all pods, one timer for all
 * Leases and statuses. Each kubelet is the same as on a real node, with its own runtime.
 */
export function startNodeFleet(options: NodeFleetOptions): NodeFleet {
  const { client, clock, random, log, scope } = options;
  const informer = createPodInformer(client, { clock, random, log });
  const source = createSharedPodSource(informer);
  const shared = { ...kubeletConfig({ nodeName: '', relistPeriodMs: 0, ...options.config }) };
  const heartbeat = new Heartbeat({
    clock,
    scope,
    periodMs: Math.min(shared.leasePeriodMs, shared.nodeStatusUpdateMs),
  });
  const kubelets: Kubelet[] = [];
  for (let index = 0; index < options.count; index++) {
    const nodeName = `${options.namePrefix ?? 'node'}-${index}`;
    const runtime = options.runtime(nodeName, index);
    const own = new Scope(nodeName, { parent: scope, log });
    own.defer(() => runtime.close());
    const kubelet = createKubelet({
      config: { ...shared, nodeName },
      runtime,
      ...(runtime.logs === undefined ? {} : { logs: runtime.logs }),
      sources: [source],
      client,
      ...(options.flags === undefined ? {} : { flags: options.flags }),
      ...(options.files === undefined ? {} : { files: options.files(nodeName, index) }),
      ...(options.events === undefined
        ? {}
        : { events: options.events(nodeName), isQuiet: options.count > TALKING_MAX }),
      ...(options.objects === undefined ? {} : { objects: options.objects }),
      machine: options.machine?.(nodeName, index) ?? simulatedMachine(nodeName, index),
      heartbeat,
      ...(options.trace === undefined ? {} : { trace: options.trace }),
      ...(options.gate === undefined ? {} : { gate: options.gate }),
      clock,
      random,
      log,
      scope: own,
    });
    kubelet.start();
    kubelets.push(kubelet);
  }
  informer.start(scope);
  return { kubelets, whenReady: () => Promise.all(kubelets.map((k) => k.whenReady())).then(() => undefined) };
}

// Small enough for a container that requests nothing (taken as 100m, 200Mi) to show in the scheduler's whole scores.
const SIMULATED_CPUS = 8;
const SIMULATED_MEMORY = 32 * 2 ** 30;
const SIMULATED_STORAGE = 1024 * 2 ** 30;

/** A node that is nowhere: 8 CPUs, 32 GiB, on Linux, with an address of its own in 198.18.0.0/15 (RFC 2544). */
export function simulatedMachine(nodeName: string, index: number): Machine {
  const address = `198.${18 + ((index >> 16) & 1)}.${(index >> 8) & 0xff}.${index & 0xff}`;
  return {
    hostname: nodeName,
    cpus: SIMULATED_CPUS,
    memoryBytes: SIMULATED_MEMORY,
    ephemeralStorageBytes: SIMULATED_STORAGE,
    operatingSystem: 'linux',
    architecture: 'amd64',
    kernelVersion: 'simulated',
    osImage: 'Binnacle simulated node',
    machineId: nodeName,
    systemUuid: nodeName,
    bootId: nodeName,
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: nodeName },
    ],
    resolvConf: async () => '',
    hostsFile: async () => '',
    removeCgroup: async () => undefined,
  };
}
