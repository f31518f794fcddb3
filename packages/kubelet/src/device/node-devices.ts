/**
 * Devices that plugins bring to a node: counted for the Node's status, given to pods as they are taken in, kept with them until
 * they end. Who has which stands in a file, since containers outlive their kubelet.
 */
import { type Clock, type Logger, type Timer, messageOf, SerialQueue } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { isMetByClaim } from '../claim/pod-claims.ts';
import { wholeValue } from '../container/amount.ts';
import { leftFor } from '../container/pod-containers.ts';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { PluginHandler, PluginInfo } from '../plugin/registry.ts';
import type { HostFiles, PluginWire } from '../ports.ts';
import type { DeviceCount } from '../registration/node-object.ts';
import { type AlignmentRefusal, type Giver, unexpected } from '../topology/alignment.ts';
import { type Hint, type Hints, isWithin, nodeSet, possibleHints } from '../topology/hint.ts';
import { podWish } from '../container/pod-wish.ts';
import { chooseDevices } from './choose.ts';
import { type Device, DevicePlugin, type PluginOptions } from './device-plugin.ts';
import { type ContainerGrants, type DeviceGrant, type Grants, readGrants, writeGrants } from './device-records.ts';

export interface NodeDevicesOptions {
  /** `<kubelet>/device-plugins`. */
  readonly directory: string;
  readonly files: HostFiles;
  readonly wire: PluginWire;
  /** Numbers of the machine's memory nodes, rising. */
  readonly nodeIds: () => readonly number[];
  readonly clock: Clock;
  readonly log: Logger;
  /** How many there are, or how well they are, has changed. */
  readonly changed: () => void;
}

interface Resource {
  plugin: DevicePlugin | undefined;
  devices: ReadonlyMap<string, Device>;
  /** It is gone for good when it does not come back in time. */
  timer: Timer | undefined;
}

const VERSION = 'v1beta1';
/** How long the devices of a plugin that went are still counted, as unwell. */
const GONE_MS = 300_000;

export class NodeDevices implements PluginHandler, Giver {
  readonly #of: NodeDevicesOptions;
  readonly #resources = new Map<string, Resource>();
  #grants: Grants = new Map();
  readonly #writes = new SerialQueue();

  constructor(options: NodeDevicesOptions) {
    this.#of = options;
  }

  /** Learns what an earlier kubelet gave out. Sockets of plugins go: they register anew when they see a new kubelet. */
  async recall(): Promise<void> {
    const { files, directory, log } = this.#of;
    await files.makeDirectory(directory, 0o750);
    for (const name of await files.list(directory)) {
      const path = `${directory}/${name}`;
      if ((await files.kind(path)) === 'socket') await files.remove(path);
    }
    const found = await readGrants(files, this.#path);
    if (found === 'corrupt') {
      // As upstream: pods that run are asked for again, and get what is free.
      log.warn('Device allocation info may NOT be up-to-date: its checkpoint is corrupted', { path: this.#path });
      return;
    }
    this.#grants = found.grants;
    for (const resource of found.resources) this.#resource(resource);
  }

  validate({ name, versions }: PluginInfo): void {
    if (!versions.includes(VERSION)) {
      throw new PluginRefusal(
        `device plugin version, ${versions.join(',')}, is not supported by kubelet. Supported version is ${VERSION}`,
      );
    }
    if (!isExtended(name))
      throw new PluginRefusal(`invalid name of device plugin socket: ${name} is not an extended resource name`);
  }

  async register({ name, endpoint }: PluginInfo): Promise<void> {
    const of = { protocol: 'devices', service: 'v1beta1.DevicePlugin', method: 'GetDevicePluginOptions' } as const;
    const answer = (await this.#of.wire.call(endpoint, { ...of, timeoutMs: 10_000 }, {})) as {
      readonly pre_start_required: boolean;
      readonly get_preferred_allocation_available: boolean;
    };
    this.add(name, endpoint, {
      preStart: answer.pre_start_required,
      prefers: answer.get_preferred_allocation_available,
    });
  }

  async deregister({ name, endpoint }: PluginInfo): Promise<void> {
    const resource = this.#resources.get(name);
    if (resource?.plugin?.socket === endpoint) this.#gone(name, resource);
  }

  /** A plugin brings a resource; one that brought it before gives way. */
  add(name: string, socket: string, options: PluginOptions): void {
    const resource = this.#resource(name);
    resource.plugin?.close();
    resource.timer?.cancel();
    const plugin = new DevicePlugin(this.#of.wire, { socket, options });
    resource.plugin = plugin;
    plugin.follow({
      devices: (all) => {
        if (resource.plugin !== plugin) return;
        resource.devices = new Map(all.map((device) => [device.id, device]));
        this.#of.changed();
      },
      ended: (error) => {
        if (resource.plugin !== plugin) return;
        this.#of.log.warn('A device plugin has gone', { resource: name, reason: messageOf(error) });
        this.#gone(name, resource);
      },
    });
    this.#save();
  }

  /** For the Node's status. */
  counts(): readonly DeviceCount[] {
    return [...this.#resources].map(([resource, { devices }]) => ({
      resource,
      capacity: devices.size,
      allocatable: [...devices.values()].filter((device) => device.isHealthy).length,
    }));
  }

  devices(): ReadonlyMap<string, ReadonlyMap<string, Device>> {
    return new Map([...this.#resources].map(([name, { devices }]) => [name, devices]));
  }

  /** What a container has, by resource. */
  held(podUid: string, container: string): ReadonlyMap<string, DeviceGrant> {
    return this.#grants.get(podUid)?.get(container) ?? new Map();
  }

  /** Where the devices that a container (or all of a pod) asks for could come from. */
  hints(pod: Pod, container: Container | undefined): Hints {
    const wishes = container === undefined ? this.#podWishes(pod) : this.#wishes(pod, container);
    return new Map(wishes.map(([resource, count]) => [resource, this.#hints(pod, container, { resource, count })]));
  }

  #hints(
    pod: Pod,
    container: Container | undefined,
    of: { readonly resource: string; readonly count: number },
  ): readonly Hint[] | undefined {
    const { resource, count } = of;
    const all = [...this.#resource(resource).devices.values()];
    const known = this.#of.nodeIds();
    const within = nodeSet(
      known,
      all.flatMap(({ numaNodes }) => numaNodes),
    );
    // Whoever does not say where its devices are does not mind.
    if (within === 0) return undefined;
    const own =
      container === undefined ? [] : (this.held(pod.metadata.uid ?? '', container.name).get(resource)?.ids ?? []);
    const reusable = container === undefined ? [] : this.#reusable(pod, container, resource);
    const free = own.length > 0 ? own : this.#free(resource, reusable);
    const placed = (set: number, ids: readonly string[]): number =>
      all.filter((one) => ids.includes(one.id) && one.numaNodes.some((id) => isWithin(set, known, id))).length;
    const placedReusable = reusable.filter((id) => all.some((one) => one.id === id && one.numaNodes.length > 0));
    return possibleHints(within, {
      couldEver: (set) =>
        placed(
          set,
          all.map(({ id }) => id),
        ) >= count,
      canNow: (set) =>
        placed(set, placedReusable) === placedReusable.length && placed(set, [...placedReusable, ...free]) >= count,
    });
  }

  /** Gives a container of a pod the devices that it asks for, once, those of these memory nodes first. Answers why it cannot have them. */
  async give(
    pod: Pod,
    { container, nodes }: { readonly container: Container; readonly nodes: number | undefined },
  ): Promise<AlignmentRefusal | undefined> {
    const uid = pod.metadata.uid ?? '';
    const wishes = this.#wishes(pod, container);
    if (wishes.length === 0 || this.#grants.get(uid)?.has(container.name) === true) return undefined;
    const grants = this.#grants.get(uid) ?? new Map<string, ContainerGrants>();
    const own: ContainerGrants = new Map();
    this.#grants.set(uid, grants.set(container.name, own));
    try {
      for (const [resource, count] of wishes) {
        await this.#giveOne(own, resource, { count, nodes, reusable: this.#reusable(pod, container, resource) });
      }
    } catch (error) {
      grants.delete(container.name);
      return unexpected(messageOf(error));
    }
    this.#save();
    return undefined;
  }

  /** Before a container starts: what comes with its devices, its plugins being told. */
  async grantsOf(pod: Pod, container: string): Promise<readonly DeviceGrant[]> {
    const held = this.held(pod.metadata.uid ?? '', container);
    for (const [resource, { ids }] of held) await this.#resources.get(resource)?.plugin?.preStart(ids);
    return [...held.values()];
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

  close(): void {
    for (const { plugin, timer } of this.#resources.values()) {
      timer?.cancel();
      plugin?.close();
    }
  }

  /** Devices of init containers of the pod that are over when this one starts. */
  #reusable(pod: Pod, container: Container, resource: string): readonly string[] {
    const uid = pod.metadata.uid ?? '';
    return leftFor(pod, container, (name) => this.held(uid, name).get(resource)?.ids ?? []);
  }

  async #giveOne(
    own: ContainerGrants,
    name: string,
    of: { readonly count: number; readonly nodes: number | undefined; readonly reusable: readonly string[] },
  ): Promise<void> {
    const { count, nodes, reusable } = of;
    const { plugin } = this.#resource(name);
    if (plugin === undefined) throw new PluginRefusal(`cannot allocate unregistered device ${name}`);
    const near = (): readonly string[] => this.#nearFirst(name, this.#free(name, reusable), { count, nodes });
    const preferred = await plugin.preferred({ available: near(), included: reusable, count });
    // Chosen and taken without a pause: of two pods that ask at once one comes first.
    const free = near();
    const ids = chooseDevices({ count, free, reusable, preferred });
    if (ids === undefined) {
      const there = new Set([...reusable, ...free]).size;
      throw new PluginRefusal(
        `requested number of devices unavailable for ${name}. Requested: ${count}, Available: ${there}`,
      );
    }
    // Written down at once: they are nobody else's from here on.
    own.set(name, { ids, envs: {}, annotations: {}, mounts: [], devices: [] });
    own.set(name, await plugin.allocate(ids));
  }

  /** Those of certain memory nodes alone where they are enough, else before the others, and those of none last. */
  #nearFirst(
    name: string,
    free: readonly string[],
    { count, nodes }: { readonly count: number; readonly nodes: number | undefined },
  ): readonly string[] {
    if (nodes === undefined) return free;
    const { devices } = this.#resource(name);
    const known = this.#of.nodeIds();
    const rank = (id: string): number => {
      const { numaNodes = [] } = devices.get(id) ?? {};
      return numaNodes.length === 0 ? 2 : numaNodes.some((node) => isWithin(nodes, known, node)) ? 0 : 1;
    };
    const near = free.filter((id) => rank(id) === 0);
    return near.length >= count ? near : free.toSorted((a, b) => rank(a) - rank(b));
  }

  #free(name: string, reusable: readonly string[]): readonly string[] {
    const taken = new Set(reusable);
    for (const containers of this.#grants.values())
      for (const grants of containers.values()) for (const id of grants.get(name)?.ids ?? []) taken.add(id);
    const { devices } = this.#resource(name);
    return [...devices.values()].filter(({ id, isHealthy }) => isHealthy && !taken.has(id)).map(({ id }) => id);
  }

  #wishes(pod: Pod, container: Container): [string, number][] {
    return Object.entries(container.resources?.limits ?? {}).flatMap(([name, amount]) => {
      const count = wholeValue(amount);
      const isHere = this.#resources.has(name) && !isMetByClaim(pod, container.name, name);
      return isHere && count > 0 ? [[name, count] as [string, number]] : [];
    });
  }

  /** What a pod needs of each at the most at any time. */
  #podWishes(pod: Pod): [string, number][] {
    return [...podWish(pod, (container) => new Map(this.#wishes(pod, container)))];
  }

  #resource(name: string): Resource {
    let resource = this.#resources.get(name);
    if (resource === undefined) {
      resource = { plugin: undefined, devices: new Map(), timer: undefined };
      this.#resources.set(name, resource);
    }
    return resource;
  }

  /** Its devices are unwell until it comes back, and none when it does not. */
  #gone(name: string, resource: Resource): void {
    resource.plugin?.close();
    resource.plugin = undefined;
    resource.devices = new Map([...resource.devices].map(([id, device]) => [id, { ...device, isHealthy: false }]));
    resource.timer = this.#of.clock.after(
      GONE_MS,
      () => {
        resource.devices = new Map();
        this.#of.changed();
      },
      { background: true },
    );
    this.#of.log.info(2, 'The devices of a plugin are unwell', { resource: name });
    this.#of.changed();
  }

  get #path(): string {
    return `${this.#of.directory}/kubelet_internal_checkpoint`;
  }

  /** One after the other; the last one writes what is true then. */
  #save(): void {
    const { files, log } = this.#of;
    const write = (): Promise<void> =>
      writeGrants(files, this.#path, { resources: [...this.#resources.keys()], grants: this.#grants });
    void this.#writes.run(write).catch((error: unknown) => {
      log.error(error, 'Could not write down who has which devices');
    });
  }
}

/** `vendor.example/thing`; not Kubernetes' own names. */
function isExtended(name: string): boolean {
  const [domain = '', thing = ''] = name.split('/');
  return (
    name.split('/').length === 2 &&
    domain !== '' &&
    thing !== '' &&
    !/(^|\.)kubernetes\.io$/.test(domain) &&
    name.length <= 317
  );
}
