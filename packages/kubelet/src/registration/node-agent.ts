import { formatMicroTime, messageOf, sleep } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import { LEASES, NODES } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { Lease } from '@binnacle/api/coordination/v1';
import type { Node, NodeStatus } from '@binnacle/api/core/v1';
import { RuntimeUnavailableError } from '@binnacle/runtime';
import type { ImageStatus, RuntimeStatus, RuntimeVersion } from '@binnacle/runtime';
import type { KubeletOptions, NodePressure } from '../ports.ts';
import type { NodeAllocatable } from './allocatable.ts';
import type { DeviceCount } from './node-object.ts';
import { sameMeaning } from '../status/diff.ts';
import { STARTING, conditionEvents, rebootEvents, scheduleEvents, tellNodeEvents } from './node-events.ts';
import type { NodeEvent } from './node-events.ts';
import { newNode, nodeAnnotations, nodeLabels, nodeStatus } from './node-object.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 5_000;
const EARLY = 0.9;
const DOWN: RuntimeStatus = {
  runtime: { ready: false, reason: 'RuntimeDown', message: 'container runtime is down' },
  network: { ready: true, reason: '', message: '' },
  handlers: [],
};

/** What the agent is made from. */
export interface NodeAgentOptions extends KubeletOptions {
  readonly client: Client;
  /** What presses on the node; undefined: nothing can. */
  readonly pressure: () => Promise<NodePressure | undefined>;
  /** What it has for pods. */
  readonly allocatable: NodeAllocatable;
  /** Volumes that may not be detached, by unique name; absent: this node knows none. */
  readonly volumesInUse?: () => readonly string[];
  /** What keeps it from being ready beside its runtime; absent, undefined: nothing. */
  readonly trouble?: () => string | undefined;
  /** Devices that plugins bring; absent: none ever. */
  readonly devices?: () => readonly DeviceCount[];
}

/**
 * Tells the API of the node: registers it, keeps its status and its Lease. It has no timer of its own:
 * whoever owns it calls `beat` every lease period, one kubelet for itself or one timer for a fleet.
 */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  #version: RuntimeVersion | undefined;
  #runtime: RuntimeStatus = DOWN;
  #images: readonly ImageStatus[] = [];
  #port: number | undefined;
  #node: Node | undefined;
  /** As Events last spoke of it. */
  #seen: Node | undefined;
  #lease: Lease | undefined;
  #told: NodeStatus | undefined;
  #toldAt = -Infinity;
  #lookedAt = -Infinity;
  #renewedAt = -Infinity;
  #telling = false;
  #renewing = false;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
  }

  get node(): Node | undefined {
    return this.#node;
  }

  /** As the API had it when it was last asked. */
  get lastRead(): Node | undefined {
    return this.#seen;
  }

  /** As the API has it now. Throws what the API throws. */
  read(): Promise<Node> {
    return this.#options.client.resource(NODES).get(this.#options.config.nodeName);
  }

  /** The port that the kubelet's server got; told at once where the node is registered already. */
  listensOn(port: number): void {
    this.#port = port;
    this.statusChanged();
  }

  /** Something about the node is new: told at once where the node is registered already. */
  statusChanged(): void {
    // Never rejects: `orWarn` tells what fails.
    if (this.#node !== undefined) void this.#orWarn('update node status', () => this.#tell());
  }

  /** Tells the API how the node is now. Throws what the API throws, also where the node is not registered yet. */
  async tellNow(): Promise<void> {
    await this.#register();
    await this.#tell();
  }

  /** Registered, and told to be Ready. */
  get ready(): boolean {
    const condition = this.#told?.conditions?.find((c) => c.type === 'Ready');
    return this.#node !== undefined && condition?.status === 'True';
  }

  /** Registers the node where it is not, tells its status where it changed or is old, renews the Lease. */
  async beat(): Promise<void> {
    await this.#orWarn('register the node', () => this.#register());
    if (this.#node === undefined) return;
    // Neither waits for the other: a runtime that hangs is one thing, a node that is gone another.
    await Promise.all([this.#tellWhenDue(), this.#renewWhenDue()]);
  }

  /** Beats until the node is Ready: at once, then with growing pauses while the API or the runtime is not there. */
  async begin(signal: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
      await this.beat();
      if (this.ready) return;
      // The beat failed, or the runtime is not there yet.
      await sleep(this.#options.clock, pause, signal);
    }
  }

  async #orWarn(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      // Tried again at the next beat; what the node lost meanwhile the node lifecycle controller judges.
      this.#options.log.warn(`Failed to ${what}`, { node: this.#options.config.nodeName, reason: messageOf(error) });
      if (statusErrors.isNotFound(error)) {
        this.#node = undefined;
        this.#lease = undefined;
      }
    }
  }

  async #register(): Promise<void> {
    const { client, config, machine } = this.#options;
    if (this.#node !== undefined) return;
    const nodes = client.resource(NODES);
    const status = await this.#see(undefined);
    if (config.registerNode) {
      try {
        this.#node = await nodes.create(newNode(config, machine, status), undefined, this.#context('registration'));
        this.#toldAt = this.#options.clock.monotonic();
        this.#sayChanges(this.#node, status);
        this.#told = status;
        return;
      } catch (error) {
        if (!statusErrors.isAlreadyExists(error)) throw error;
      }
    }
    const found = await nodes.get(config.nodeName);
    this.#say(rebootEvents(config.nodeName, found.status, machine.bootId));
    this.#node = await this.#adopt(found);
  }

  #say(events: readonly NodeEvent[]): void {
    const { events: to, isQuiet, config } = this.#options;
    if (isQuiet !== true) tellNodeEvents(to, config.nodeName, events);
  }

  /** In Events, what is another thing than what this kubelet said before. */
  #sayChanges(node: Node, status: NodeStatus): void {
    const { nodeName } = this.#options.config;
    if (this.#told === undefined) this.#say([STARTING]);
    this.#say(scheduleEvents(nodeName, this.#seen, node));
    this.#say(conditionEvents(nodeName, this.#told, status));
    this.#seen = node;
  }

  /** A node that is there already keeps what others gave it, and gets our labels and annotations. */
  async #adopt(found: Node): Promise<Node> {
    const { client, config, machine } = this.#options;
    const labels = missing(nodeLabels(config, machine), found.metadata.labels);
    const annotations = missing(nodeAnnotations(config), found.metadata.annotations);
    if (labels === undefined && annotations === undefined) return found;
    const patch = { metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
    return client
      .resource(NODES)
      .patch(config.nodeName, 'strategic', patch, undefined, this.#context('labels and annotations of the node'));
  }

  async #see(before: NodeStatus | undefined): Promise<NodeStatus> {
    const { config, machine, runtime, clock, allocatable } = this.#options;
    try {
      this.#version ??= await runtime.version();
      [this.#runtime, this.#images] = await Promise.all([runtime.status(), runtime.listImages()]);
    } catch (error) {
      if (!(error instanceof RuntimeUnavailableError) || this.#version === undefined) throw error;
      this.#runtime = { ...DOWN, handlers: this.#runtime.handlers };
    }
    const pressure = await this.#options.pressure();
    const port = this.#port ?? config.port;
    const seen = {
      config: { ...config, port },
      machine,
      allocatable,
      version: this.#version,
      status: this.#runtime,
      images: this.#images,
      pressure,
      trouble: this.#options.trouble?.(),
      volumesInUse: this.#options.volumesInUse?.(),
      devices: this.#options.devices?.() ?? [],
    };
    return nodeStatus({ ...seen, before, nowMs: clock.now() });
  }

  async #tellWhenDue(): Promise<void> {
    const { clock, config } = this.#options;
    // A beat that comes a little early is no beat too many.
    const due = !this.ready || clock.monotonic() - this.#lookedAt >= config.nodeStatusUpdateMs * EARLY;
    if (!due || this.#telling) return;
    this.#telling = true;
    this.#lookedAt = clock.monotonic();
    await this.#orWarn('update node status', () => this.#tell());
    this.#telling = false;
  }

  /** What the API has may be another's word: after a pause of ours it says that the node is gone. So it is asked. */
  async #tell(): Promise<void> {
    const { client, config, clock } = this.#options;
    const nodes = client.resource(NODES);
    const [node, status] = await Promise.all([nodes.get(config.nodeName), this.#see(this.#node?.status)]);
    const due = clock.monotonic() - this.#toldAt >= config.nodeStatusPeriodMs;
    if (due || !saysSame(node.status, status)) {
      const context = this.#context('status of the node');
      const patch = { status: { ...status, addresses: wholly(status.addresses) } };
      this.#node = await nodes.patch(config.nodeName, 'strategic', patch, { subresource: 'status' }, context);
      this.#toldAt = clock.monotonic();
    }
    this.#sayChanges(node, status);
    this.#told = status;
  }

  async #renewWhenDue(): Promise<void> {
    const { clock, config } = this.#options;
    if (this.#renewing || clock.monotonic() - this.#renewedAt < config.leasePeriodMs * EARLY) return;
    this.#renewing = true;
    await this.#orWarn('renew the node lease', async () => {
      await this.#renew();
      this.#renewedAt = clock.monotonic();
    });
    this.#renewing = false;
  }

  async #renew(): Promise<void> {
    const { client, config, clock } = this.#options;
    const leases = client.resource(LEASES, LEASE_NAMESPACE);
    const renewTime = formatMicroTime(clock.now());
    if (this.#lease === undefined) {
      try {
        this.#lease = await leases.create(this.#newLease(renewTime), undefined, this.#context('heartbeat'));
        return;
      } catch (error) {
        if (!statusErrors.isAlreadyExists(error)) throw error;
        this.#lease = await leases.get(config.nodeName);
      }
    }
    const spec = { ...this.#lease.spec, ...this.#newLease(renewTime).spec };
    try {
      this.#lease = await leases.update({ ...this.#lease, spec }, undefined, this.#context('heartbeat'));
    } catch (error) {
      // Somebody else wrote it, or it is gone: looked up again at the next beat.
      this.#lease = undefined;
      if (!statusErrors.isConflict(error)) throw error;
    }
  }

  #context(request: string): CallContext {
    return { cause: timedCause(`kubelet ${this.#options.config.nodeName}`, request) };
  }

  #newLease(renewTime: string): Pick<Lease, 'metadata' | 'spec'> {
    const { nodeName, leaseDurationSeconds } = this.#options.config;
    const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: this.#node?.metadata.uid ?? '' };
    return {
      metadata: { name: nodeName, namespace: LEASE_NAMESPACE, ownerReferences: [owner] },
      spec: { holderIdentity: nodeName, leaseDurationSeconds, renewTime },
    };
  }
}

type Texts = { readonly [key: string]: string };

/** Of what is wanted, what is not so yet; undefined where all is. */
function missing(wanted: Texts, found: Texts | undefined): Texts | undefined {
  const entries = Object.entries(wanted).filter(([key, value]) => found?.[key] !== value);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Addresses are merged by their type, and a node may have two of one: all of them are told anew. */
function wholly(addresses: NodeStatus['addresses']): readonly object[] {
  return [...(addresses ?? []), { $patch: 'replace' }];
}

/** Whether the API says of the node what we see; heartbeats alone are no change, nor is what others add. */
function saysSame(told: NodeStatus | undefined, seen: NodeStatus): boolean {
  const conditions = (seen.conditions ?? []).every((wanted) => {
    const found = told?.conditions?.find((c) => c.type === wanted.type);
    return sameMeaning({ ...found, lastHeartbeatTime: '' }, { ...wanted, lastHeartbeatTime: '' });
  });
  const parts = { ...told } as { readonly [field: string]: unknown };
  return (
    conditions &&
    Object.entries(seen).every(([field, value]) => field === 'conditions' || sameMeaning(parts[field], value))
  );
}
