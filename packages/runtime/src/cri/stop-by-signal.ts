import type { Clock, Logger } from '@binnacle/base';
import { type Channel, type Method, failureOf } from '@binnacle/grpc';
import { CALL_TIMEOUT_MS } from './calls.ts';
import type { EventSink } from './events.ts';
import { signalNumber } from './stop-signals.ts';

/** What CRI has no call for. */
const TASK_KILL: Method = {
  service: 'containerd.services.tasks.v1.Tasks',
  method: 'Kill',
  metadata: { 'containerd-namespace': 'k8s.io' },
};

/** What sends signals, and hears of ends. */
export interface StopBySignalParts {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly log: Logger;
  readonly subscribe: (sink: EventSink) => { stop(): void };
  /** Whether it has ended, also where nobody told. */
  readonly hasEnded: (id: string) => Promise<boolean>;
}

/**
 * Sends a container a signal that its runtime does not keep, and waits for its end, `seconds` at the most. Answers
 * whether the grace is used up by that; not where the signal means nothing here or could not be sent.
 */
export async function stopBySignal(
  { channel, clock, log, subscribe, hasEnded }: StopBySignalParts,
  id: string,
  { signal: name, seconds }: { readonly signal: string; readonly seconds: number },
): Promise<boolean> {
  const signal = signalNumber(name);
  if (signal === undefined) return false;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const listening = subscribe({
    event: (event) => {
      if (event.type === 'stopped' && event.containerId === id) end();
    },
    // Then the grace runs out.
    lost: () => undefined,
  });
  const timer = clock.after(seconds * 1000, end);
  try {
    await channel.unary(TASK_KILL, { container_id: id, signal }, CALL_TIMEOUT_MS);
    if (!(await hasEnded(id))) await ended;
    return true;
  } catch (error) {
    // It is gone, or nobody knows its task: CRI says which.
    log.info(2, 'A stop signal could not be sent', { id, signal: name, reason: failureOf(error).details });
    return false;
  } finally {
    timer.cancel();
    listening.stop();
  }
}
