import { messageOf, sleep, within } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';
import type { PodEnd } from '../pod/early-end.ts';
import type { Rejection } from '../pod/world.ts';
import type { KubeletOptions } from '../ports.ts';
import { type ShutdownGroup, groupByPriority, shutdownDelayMs, shutdownPeriods } from './periods.ts';

/** A pod that can be told to end. */
export interface EndablePod {
  readonly pod: Pod;
  readonly state: string;
  /** Resolves when its containers are gone and its volumes are not on the node any more. */
  readonly cleared: Promise<void>;
  end(end: PodEnd): void;
}

export interface NodeShutdownOptions extends Pick<
  KubeletOptions,
  'clock' | 'log' | 'scope' | 'events' | 'shutdownWatch'
> {
  readonly config: KubeletConfig;
  readonly pods: () => readonly EndablePod[];
  /** The node's status is another now. */
  readonly changed: () => void;
}

const AGAIN_MS = 1000;
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

/**
 * Ends the pods in good time when the machine goes down: those of low priority first, each group for as long as it is
 * given. Meanwhile the node is not ready, and takes no pod. What is called off leaves the pods ended, and the node ready.
 */
export class NodeShutdown {
  readonly #options: NodeShutdownOptions;
  #isDown = false;

  constructor(options: NodeShutdownOptions) {
    this.#options = options;
  }

  /** Why no pod may come in; undefined: they may. */
  get refusal(): Rejection | undefined {
    return this.#isDown
      ? { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' }
      : undefined;
  }

  /** What the node says of itself; undefined: nothing. */
  get trouble(): string | undefined {
    return this.#isDown ? 'node is shutting down' : undefined;
  }

  /** Listens until the kubelet ends, where a period is configured and somebody tells of shutdowns. */
  start(): void {
    const { shutdownWatch: watch, config, scope, log } = this.#options;
    const delayMs = shutdownDelayMs(shutdownPeriods(config));
    if (delayMs === 0) return;
    if (watch === undefined) {
      log.warn('Nobody tells this node of shutdowns: pods will not be ended in good time');
      return;
    }
    scope.run('node shutdown', async (signal) => {
      for (;;) {
        try {
          await watch.follow({ delayMs, signal, tell: (isDown) => this.#told(isDown) });
        } catch (error) {
          if (signal.aborted) return;
          log.error(error, 'Unable to watch the node for shutdown events', { reason: messageOf(error) });
        }
        await sleep(this.#options.clock, AGAIN_MS, signal);
      }
    });
  }

  async #told(isDown: boolean): Promise<void> {
    const { events, config, changed } = this.#options;
    const what = isDown ? 'shutdown event' : 'shutdown cancellation';
    const node = { apiVersion: 'v1', kind: 'Node', name: config.nodeName, uid: config.nodeName };
    events?.event(node, 'Normal', 'NodeShutdown', `Shutdown manager detected ${what}`);
    this.#isDown = isDown;
    changed();
    if (isDown) await this.#endAll();
  }

  async #endAll(): Promise<void> {
    const { config, log } = this.#options;
    const pods = this.#options.pods().filter(({ state }) => state !== 'terminated' && state !== 'finished');
    for (const group of groupByPriority(shutdownPeriods(config), pods)) {
      log.info(1, 'Ending pods before the node goes down', { pods: group.pods.length, seconds: group.seconds });
      await this.#endGroup(group);
    }
  }

  async #endGroup({ seconds, pods }: ShutdownGroup<EndablePod>): Promise<void> {
    const { clock, log } = this.#options;
    for (const pod of pods) pod.end({ reason: 'Terminated', message: MESSAGE, graceSeconds: seconds, isSilent: true });
    const ended = await within(Promise.all(pods.map((pod) => pod.cleared)), { clock, ms: seconds * 1000 });
    if (ended === undefined) log.warn('Pods have not ended before the node goes down', { seconds });
  }
}
