import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import { LOOPBACK_USER } from '../own-calls.ts';
import type { NodeConnector } from '../ports/nodes.ts';
import { createApiServer } from '../server.ts';
import type { ApiServer } from '../server.ts';

export interface NodesServer {
  readonly server: ApiServer;
  readonly wire: Wire;
  /** Makes a pod of the namespace `default` on a node, with containers of these names. */
  readonly addPod: (name: string, nodeName: string, containers: readonly string[]) => Promise<void>;
}

const NOBODY: NodeConnector = {
  get: () => Promise.reject(new RangeError('nothing is read')),
  open: () => Promise.reject(new RangeError('no stream is opened')),
  forward: () => Promise.reject(new RangeError('nothing is passed on')),
  connectPod: () => undefined,
};

/** A server whose node `n` (192.0.2.1:12345) answers so; it has the pods `one` (container c) and `two` (a, b), and `waiting` has no node. */
export async function startNodesServer(answers: Partial<NodeConnector>): Promise<NodesServer> {
  const clock = new VirtualClock();
  const server = await createApiServer({
    store: createMemoryStore({ clock }),
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
    assertions: true,
    nodes: { ...NOBODY, ...answers },
  });
  const wire = server.clientAs(LOOPBACK_USER);
  const create = async (resource: string, namespace: string, body: object): Promise<void> => {
    await wire.call({ verb: 'create', resource: { group: '', version: 'v1', resource }, namespace, body });
  };
  const addPod = (name: string, nodeName: string, containers: readonly string[]): Promise<void> =>
    create('pods', 'default', {
      metadata: { name },
      spec: { nodeName, containers: containers.map((c) => ({ name: c, image: 'i' })) },
    });
  const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 12_345 } } };
  await create('nodes', '', { metadata: { name: 'n' }, status });
  await addPod('one', 'n', ['c']);
  await addPod('two', 'n', ['a', 'b']);
  await addPod('waiting', '', ['c']);
  return { server, wire, addPod };
}
