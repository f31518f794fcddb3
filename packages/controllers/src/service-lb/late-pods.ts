import { isPodTerminal, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { referenceTo } from '@binnacle/client';
import type { EventRecorder, Informer } from '@binnacle/client';
import type { SyncContext } from '@binnacle/reconcile';
import { hostPorts } from './held-ports.ts';

/** Index of pods that ask for ports of their nodes: by `tcp/80`. */
const BY_HOST_PORT = 'pods-by-host-port';
export const HOST_PORT_INDEX: { readonly [name: string]: (pod: Pod) => readonly string[] } = {
  [BY_HOST_PORT]: hostPorts,
};

/** Tells pods whose host port a load balancer had before them: its Service is reached there, and not they. Each is told once. */
export class LatePods {
  readonly #pods: Informer<Pod>;
  readonly #events: EventRecorder;
  readonly #told = new Set<string>();

  constructor(pods: Informer<Pod>, events: EventRecorder) {
    this.#pods = pods;
    this.#events = events;
  }

  /** `holders`: Services by the ports of the nodes' addresses that are theirs; `serves`: whether a node has such addresses. */
  tell(holders: ReadonlyMap<string, string>, serves: (nodeName: string) => boolean, context: SyncContext): void {
    const late = new Set<string>();
    for (const [port, holder] of holders)
      for (const pod of this.#pods.byIndex(BY_HOST_PORT, port)) {
        const { nodeName = '' } = pod.spec ?? {};
        if (!serves(nodeName) || isPodTerminal(pod)) continue;
        const id = `${pod.metadata.uid} ${port} ${holder}`;
        late.add(id);
        if (this.#told.has(id)) continue;
        const message = `port ${port} of node ${nodeName} is given to the load balancer of Service ${holder}: this pod is not reached by it`;
        this.#events.event(referenceTo(PODS, pod), 'Warning', 'HostPortTaken', message, context);
      }
    this.#told.clear();
    for (const id of late) this.#told.add(id);
  }
}
