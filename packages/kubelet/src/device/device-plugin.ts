import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { PluginWire } from '../ports.ts';
import type { DeviceGrant } from './device-records.ts';

/** One device of a plugin. */
export interface Device {
  readonly id: string;
  readonly isHealthy: boolean;
  /** Nodes of memory that it is near to. */
  readonly numaNodes: readonly number[];
}

/** What a plugin told of itself. */
export interface PluginOptions {
  readonly preStart: boolean;
  readonly prefers: boolean;
}

interface DeviceMessage {
  readonly ID: string;
  readonly health: string;
  readonly topology: { readonly nodes: readonly { readonly ID: number }[] } | null;
}

interface AllocateMessage {
  readonly container_responses: readonly {
    readonly envs: { readonly [name: string]: string };
    readonly annotations: { readonly [name: string]: string };
    readonly mounts: readonly {
      readonly host_path: string;
      readonly container_path: string;
      readonly read_only: boolean;
    }[];
    readonly devices: readonly {
      readonly host_path: string;
      readonly container_path: string;
      readonly permissions: string;
    }[];
    readonly cdi_devices: readonly { readonly name: string }[];
  }[];
}

const SERVICE = 'v1beta1.DevicePlugin';
const DEVICES_MAX = 10_000;
const TIMEOUT_MS = 30_000;

/** One device plugin behind its socket, from its registration to its end. Calls throw PluginError. */
export class DevicePlugin {
  readonly socket: string;
  readonly options: PluginOptions;
  readonly #wire: PluginWire;
  #stream: { cancel(): void } | undefined;

  constructor(wire: PluginWire, of: { readonly socket: string; readonly options: PluginOptions }) {
    this.#wire = wire;
    this.socket = of.socket;
    this.options = of.options;
  }

  /** Follows its devices; `ended` comes once, unless it is closed before. */
  follow(sink: { devices(all: readonly Device[]): void; ended(error: Error): void }): void {
    this.#stream = this.#wire.stream(
      this.socket,
      { protocol: 'devices', service: SERVICE, method: 'ListAndWatch' },
      {
        message: (message) => {
          const { devices } = message as { readonly devices: readonly DeviceMessage[] };
          sink.devices(devices.slice(0, DEVICES_MAX).map(fromMessage));
        },
        end: (error) => sink.ended(error),
      },
    );
  }

  close(): void {
    this.#stream?.cancel();
    this.#wire.forget(this.socket);
  }

  async allocate(ids: readonly string[]): Promise<DeviceGrant> {
    const request = { container_requests: [{ devices_ids: ids }] };
    const answer = (await this.#call('Allocate', request)) as AllocateMessage;
    const [response] = answer.container_responses;
    if (response === undefined || answer.container_responses.length !== 1)
      throw new PluginRefusal(
        `the device plugin answered for ${answer.container_responses.length} containers in place of one`,
      );
    const { envs, annotations } = response;
    const mounts = response.mounts.map((mount) => ({
      hostPath: mount.host_path,
      containerPath: mount.container_path,
      readOnly: mount.read_only,
    }));
    const devices = response.devices.map((device) => ({
      hostPath: device.host_path,
      containerPath: device.container_path,
      permissions: device.permissions,
    }));
    const cdiIds = response.cdi_devices.map(({ name }) => name);
    return { ids, envs, annotations, mounts, devices, ...(cdiIds.length === 0 ? {} : { cdiIds }) };
  }

  /** Which of those that are free it would rather give; nothing where it has no opinion. */
  async preferred(of: {
    readonly available: readonly string[];
    readonly included: readonly string[];
    readonly count: number;
  }): Promise<readonly string[]> {
    if (!this.options.prefers) return [];
    const answer = (await this.#call('GetPreferredAllocation', {
      container_requests: [
        { available_deviceIDs: of.available, must_include_deviceIDs: of.included, allocation_size: of.count },
      ],
    })) as { readonly container_responses: readonly { readonly deviceIDs: readonly string[] }[] };
    return answer.container_responses[0]?.deviceIDs ?? [];
  }

  /** Before each start of a container, where it asks for that. */
  async preStart(ids: readonly string[]): Promise<void> {
    if (this.options.preStart) await this.#call('PreStartContainer', { devices_ids: ids });
  }

  #call(method: string, request: object): Promise<unknown> {
    const of = { protocol: 'devices', service: SERVICE, method, timeoutMs: TIMEOUT_MS } as const;
    return this.#wire.call(this.socket, of, request);
  }
}

function fromMessage({ ID: id, health, topology }: DeviceMessage): Device {
  return { id, isHealthy: health === 'Healthy', numaNodes: (topology?.nodes ?? []).map((node) => node.ID) };
}
