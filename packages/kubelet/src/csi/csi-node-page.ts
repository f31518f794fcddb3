import { CSI_NODES, NODES } from '@binnacle/api';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { CallContext, Clock } from '@binnacle/base';
import { sleep } from '@binnacle/base';
import { memberOf, parsedJson, status as statusErrors } from '@binnacle/machinery';
import type { Node } from '@binnacle/api/core/v1';
import type { CSINode, CSINodeDriver } from '@binnacle/api/storage/v1';
import { VolumeError } from '../errors.ts';
import type { CsiNodeInfo } from './csi-client.ts';
import type { CsiNodePage } from './csi-drivers.ts';

const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid';
const TRIES = 10;
const PAUSE_MS = 100;

/**
 * Writes what drivers say of this node where controllers and the scheduler read it: CSINode, and the Node's annotation and
 * topology labels. The Node has to be there already.
 */
export function createCsiNodePage(of: {
  readonly client: Client;
  readonly nodeName: string;
  readonly clock: Clock;
}): CsiNodePage {
  return new Page(of.client, of.nodeName, of.clock);
}

class Page implements CsiNodePage {
  readonly #client: Client;
  readonly #nodeName: string;
  readonly #clock: Clock;

  constructor(client: Client, nodeName: string, clock: Clock) {
    this.#client = client;
    this.#nodeName = nodeName;
    this.#clock = clock;
  }

  async install(driver: string, info: CsiNodeInfo): Promise<void> {
    await this.#again(async () => {
      const node = await this.#client.resource(NODES).get(this.#nodeName);
      const patch = nodePatch(node, driver, info);
      if (patch !== undefined) await this.#patchNode(node, patch);
      await this.#writeDrivers(node, (drivers) => [
        ...drivers.filter(({ name }) => name !== driver),
        entryOf(driver, info),
      ]);
    });
  }

  async remove(driver: string): Promise<void> {
    await this.#again(async () => {
      const node = await this.#client.resource(NODES).get(this.#nodeName);
      await this.#writeDrivers(node, (drivers) => drivers.filter(({ name }) => name !== driver));
      const ids = nodeIds(node);
      if (!ids.delete(driver)) return;
      const text = ids.size === 0 ? null : JSON.stringify(Object.fromEntries(ids));
      await this.#patchNode(node, { metadata: { annotations: { [NODE_ID_ANNOTATION]: text } } });
    });
  }

  /** Held to the version that was read: two drivers may come at once. */
  async #patchNode(node: Node, patch: { readonly metadata: object }): Promise<void> {
    const { resourceVersion } = node.metadata;
    const held = { metadata: { ...patch.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
    await this.#client.resource(NODES).patch(this.#nodeName, 'strategic', held, undefined, this.#context());
  }

  async #writeDrivers(
    node: Node,
    change: (drivers: readonly CSINodeDriver[]) => readonly CSINodeDriver[],
  ): Promise<void> {
    const nodes = this.#client.resource(CSI_NODES);
    const found = await this.#find(node);
    if (found === undefined) {
      const drivers = change([]);
      if (drivers.length > 0)
        await nodes.create({ metadata: this.#metadata(node), spec: { drivers } }, undefined, this.#context());
      return;
    }
    // What never had any, or has none any more, says null.
    const before = found.spec.drivers ?? [];
    const drivers = change(before);
    if (JSON.stringify(drivers) === JSON.stringify(before)) return;
    await nodes.update({ ...found, spec: { drivers } }, undefined, this.#context());
  }

  /** One that belonged to an earlier node of this name goes. */
  async #find(node: Node): Promise<CSINode | undefined> {
    const nodes = this.#client.resource(CSI_NODES);
    try {
      const found = await nodes.get(this.#nodeName);
      const owner = found.metadata.ownerReferences?.find(({ kind }) => kind === 'Node');
      if (owner === undefined || owner.uid === node.metadata.uid) return found;
      await nodes.delete(this.#nodeName, {}, this.#context());
    } catch (error) {
      if (!statusErrors.isNotFound(error)) throw error;
    }
    return undefined;
  }

  #metadata(node: Node): CSINode['metadata'] {
    const owner = { apiVersion: 'v1', kind: 'Node', name: this.#nodeName, uid: node.metadata.uid ?? '' };
    return { name: this.#nodeName, ownerReferences: [owner] };
  }

  async #again(act: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await act();
      } catch (error) {
        if (!(statusErrors.isConflict(error) || statusErrors.isAlreadyExists(error)) || tries === TRIES) throw error;
        await sleep(this.#clock, PAUSE_MS);
      }
    }
  }

  #context(): CallContext {
    return { cause: timedCause(`kubelet ${this.#nodeName}`, 'CSI drivers of the node') };
  }
}

function entryOf(name: string, { nodeId, volumesMax, topology }: CsiNodeInfo): CSINodeDriver {
  return {
    name,
    nodeID: nodeId,
    topologyKeys: Object.keys(topology).toSorted(),
    ...(volumesMax > 0 ? { allocatable: { count: volumesMax } } : {}),
  };
}

/** What of the Node has to change for a driver; undefined: nothing. Throws VolumeError where a label says otherwise already. */
export function nodePatch(
  node: Node,
  driver: string,
  { nodeId, topology }: CsiNodeInfo,
): { readonly metadata: object } | undefined {
  const labels = Object.entries(topology).filter(([key, value]) => {
    const has = memberOf(node.metadata.labels ?? {}, key);
    if (has !== undefined && has !== value) {
      throw new VolumeError(
        driver,
        `detected topology value collision: driver reported "${key}":"${value}" but existing label is "${key}":"${has}"`,
      );
    }
    return has === undefined;
  });
  const ids = nodeIds(node);
  if (labels.length === 0 && ids.get(driver) === nodeId) return undefined;
  const annotations = { [NODE_ID_ANNOTATION]: JSON.stringify(Object.fromEntries(ids.set(driver, nodeId))) };
  return { metadata: { annotations, ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }) } };
}

function nodeIds(node: Node): Map<string, string> {
  const text = node.metadata.annotations?.[NODE_ID_ANNOTATION] ?? '{}';
  // Where it is somebody else's text, ours takes its place.
  const parsed = parsedJson(text);
  const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
  return new Map(entries.flatMap(([name, id]) => (typeof id === 'string' ? [[name, id] as const] : [])));
}
