import type { PluginMethod, PluginWire } from '../ports.ts';

/** What a driver can do on a node beyond the least. */
export type NodeCapability =
  | 'STAGE_UNSTAGE_VOLUME'
  | 'GET_VOLUME_STATS'
  | 'EXPAND_VOLUME'
  | 'VOLUME_CONDITION'
  | 'SINGLE_NODE_MULTI_WRITER'
  | 'VOLUME_MOUNT_GROUP';

/** What a driver says of the node that it runs on. */
export interface CsiNodeInfo {
  readonly nodeId: string;
  /** 0: no limit. */
  readonly volumesMax: number;
  readonly topology: { readonly [key: string]: string };
}

/** How a volume is to be had; the mode is one of `accessModeOf`'s. */
export interface CsiAccess {
  readonly mode: string;
  readonly isBlock: boolean;
  readonly fsType: string;
  readonly mountOptions: readonly string[];
  /** A group that the driver is to give it to; absent: nobody, or the kubelet does. */
  readonly group?: number;
}

type Texts = { readonly [key: string]: string };

interface Staging {
  readonly handle: string;
  readonly stagingPath: string;
  readonly access: CsiAccess;
  readonly publishContext: Texts;
  readonly attributes: Texts;
  readonly secrets: Texts;
}

interface Publishing extends Staging {
  readonly targetPath: string;
  readonly readOnly: boolean;
}

/** How full a volume is, and whether it is well; what the driver does not tell is absent. */
export interface CsiVolumeStats {
  readonly bytes?: { readonly available: number; readonly total: number; readonly used: number };
  readonly inodes?: { readonly available: number; readonly total: number; readonly used: number };
  readonly condition?: { readonly abnormal: boolean; readonly message: string };
}

interface UsageMessage {
  readonly available: number;
  readonly total: number;
  readonly used: number;
  readonly unit: string;
}

/** Upstream waits that long for anything that a driver does. */
const TIMEOUT_MS = 120_000;
/** Figures are asked for while somebody waits. */
const STATS_TIMEOUT_MS = 2_000;

/** The Node service of a CSI driver behind one socket. Every call throws PluginError. */
export class CsiClient {
  readonly #wire: PluginWire;
  readonly #socket: string;
  #capabilities: Promise<ReadonlySet<string>> | undefined;

  constructor(wire: PluginWire, socket: string) {
    this.#wire = wire;
    this.#socket = socket;
  }

  async nodeInfo(): Promise<CsiNodeInfo> {
    const answer = (await this.#call('NodeGetInfo', {})) as {
      readonly node_id: string;
      readonly max_volumes_per_node: number;
      readonly accessible_topology: { readonly segments: Texts } | null;
    };
    return {
      nodeId: answer.node_id,
      volumesMax: Math.max(0, answer.max_volumes_per_node),
      topology: answer.accessible_topology?.segments ?? {},
    };
  }

  /** Asked once: a driver that can more is another driver, with another socket. */
  async can(capability: NodeCapability): Promise<boolean> {
    this.#capabilities ??= this.#askCapabilities();
    try {
      return (await this.#capabilities).has(capability);
    } catch (error) {
      this.#capabilities = undefined;
      throw error;
    }
  }

  async stage(of: Staging): Promise<void> {
    await this.#call('NodeStageVolume', {
      volume_id: of.handle,
      publish_context: of.publishContext,
      staging_target_path: of.stagingPath,
      volume_capability: capability(of.access),
      secrets: of.secrets,
      volume_context: of.attributes,
    });
  }

  async unstage(handle: string, stagingPath: string): Promise<void> {
    await this.#call('NodeUnstageVolume', { volume_id: handle, staging_target_path: stagingPath });
  }

  async publish(of: Publishing): Promise<void> {
    await this.#call('NodePublishVolume', {
      volume_id: of.handle,
      publish_context: of.publishContext,
      staging_target_path: of.stagingPath,
      target_path: of.targetPath,
      volume_capability: capability(of.access),
      readonly: of.readOnly,
      secrets: of.secrets,
      volume_context: of.attributes,
    });
  }

  async unpublish(handle: string, targetPath: string): Promise<void> {
    await this.#call('NodeUnpublishVolume', { volume_id: handle, target_path: targetPath });
  }

  async expand(of: {
    readonly handle: string;
    readonly path: string;
    readonly stagingPath: string;
    readonly bytes: number;
    readonly access: CsiAccess;
    readonly secrets: Texts;
  }): Promise<void> {
    await this.#call('NodeExpandVolume', {
      volume_id: of.handle,
      volume_path: of.path,
      staging_target_path: of.stagingPath,
      capacity_range: { required_bytes: of.bytes },
      volume_capability: capability(of.access),
      secrets: of.secrets,
    });
  }

  async stats(handle: string, path: string): Promise<CsiVolumeStats> {
    const request = { volume_id: handle, volume_path: path };
    const answer = (await this.#call('NodeGetVolumeStats', request, STATS_TIMEOUT_MS)) as {
      readonly usage: readonly UsageMessage[];
      readonly volume_condition: { readonly abnormal: boolean; readonly message: string } | null;
    };
    const bytes = answer.usage.find(({ unit }) => unit === 'BYTES');
    const inodes = answer.usage.find(({ unit }) => unit === 'INODES');
    return {
      ...(bytes === undefined ? {} : { bytes }),
      ...(inodes === undefined ? {} : { inodes }),
      ...(answer.volume_condition === null ? {} : { condition: answer.volume_condition }),
    };
  }

  async #askCapabilities(): Promise<ReadonlySet<string>> {
    const { capabilities } = (await this.#call('NodeGetCapabilities', {})) as {
      readonly capabilities: readonly { readonly rpc: { readonly type: string } | null }[];
    };
    return new Set(capabilities.flatMap(({ rpc }) => rpc?.type ?? []));
  }

  #call(method: string, request: object, timeoutMs = TIMEOUT_MS): Promise<unknown> {
    const node: PluginMethod = { protocol: 'csi', service: 'csi.v1.Node', method, timeoutMs };
    return this.#wire.call(this.#socket, node, request);
  }
}

function capability({ mode, isBlock, fsType, mountOptions, group }: CsiAccess): object {
  const mount = {
    fs_type: fsType,
    mount_flags: mountOptions,
    volume_mount_group: group === undefined ? '' : String(group),
  };
  return { access_mode: { mode }, ...(isBlock ? { block: {} } : { mount }) };
}

/** CSI's word for how many nodes and pods may have a volume, by the first of the API's access modes. */
export function accessModeOf(accessMode: string, tellsWriters: boolean): string {
  switch (accessMode) {
    case 'ReadOnlyMany':
      return 'MULTI_NODE_READER_ONLY';
    case 'ReadWriteMany':
      return 'MULTI_NODE_MULTI_WRITER';
    case 'ReadWriteOncePod':
      return tellsWriters ? 'SINGLE_NODE_SINGLE_WRITER' : 'SINGLE_NODE_WRITER';
    default:
      return tellsWriters ? 'SINGLE_NODE_MULTI_WRITER' : 'SINGLE_NODE_WRITER';
  }
}
