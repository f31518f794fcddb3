import type { Clock, Logger } from '@binnacle/base';
import type { Runtime } from '../ports.ts';
import { type Channel, openChannel } from '@binnacle/grpc';
import { loadCriDescriptors } from './descriptors.ts';
import { CriRuntime } from './runtime.ts';

/** What a CRI connection needs. */
export interface CriOptions {
  /** `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Put on everything made; what does not carry it is neither listed nor touched. */
  readonly ownershipLabel?: { readonly key: string; readonly value: string };
}

/** A runtime over CRI, and what CRI has no words for. */
export interface RuntimeOverCri extends Runtime {
  /** Ends what runs behind containers of ours that count as ended. For the start, before anything is asked for. */
  endHiddenTasks(): Promise<void>;
}

/**
 * A runtime behind a CRI v1 socket (containerd, CRI-O). Loads gRPC on first use. Throws RuntimeUnavailableError when
 * nobody answers; later outages make calls fail with it, and the connection comes back by itself.
 */
export async function connectCriRuntime(options: CriOptions): Promise<RuntimeOverCri> {
  const open = (): Promise<Channel> => openChannel(options.endpoint, loadCriDescriptors);
  const runtime = new CriRuntime({
    channel: await open(),
    open,
    endpoint: options.endpoint,
    clock: options.clock,
    log: options.log,
    ownershipLabel: options.ownershipLabel,
  });
  try {
    await runtime.version();
  } catch (error) {
    await runtime.close();
    throw error;
  }
  return runtime;
}
