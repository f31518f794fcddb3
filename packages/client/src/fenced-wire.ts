import type { Fence } from '@binnacle/base';
import { status, StatusError, tellCall } from '@binnacle/machinery';
import type { ApiCall, Verb, Wire } from '@binnacle/machinery';
import { isTransportError } from './errors.ts';

/** A leader's hold on its Lease, for as long as it leads. */
export interface Term {
  /** As it is held now. */
  fence(): Fence;
  /**
   * Resolves when the Lease is held otherwise than so: taken anew, if nobody has yet. Whatever carries the old fence
   * has been done by then or is never done. Rejects when the term is over.
   */
  outlive(fence: Fence): Promise<void>;
}

const READS: ReadonlySet<Verb> = new Set(['get', 'list']);

/**
 * A wire whose writes count only in the leader's term (decision 0159). What became of a write is known when it rejects,
 * even when its answer was lost: the Lease has been taken anew, so that it does not arrive later.
 */
export function createFencedWire(wire: Wire, term: Term): Wire {
  /** Until its outcome is known: `error` is what came of it with that fence. */
  const failed = async (call: ApiCall, fence: Fence, error: unknown): Promise<unknown> => {
    if (isUnanswered(error)) await term.outlive(fence);
    // Refused, and so not done, because the Lease was taken anew meanwhile.
    else if (status.isConflict(error) && fence !== term.fence()) return write(call);
    throw error;
  };
  const write = async (call: ApiCall): Promise<unknown> => {
    const fence = term.fence();
    try {
      return await wire.call({ ...call, fence });
    } catch (error) {
      return failed(call, fence, error);
    }
  };
  return {
    call: (call) => (READS.has(call.verb) ? wire.call(call) : write(call)),
    async batch(calls, settled) {
      const fence = term.fence();
      const failing: Promise<void>[] = [];
      const fenced = calls.map((call) => (READS.has(call.verb) ? call : { ...call, fence }));
      await wire.batch(fenced, (at, outcome) => {
        const call = calls[at];
        if (outcome.status === 'fulfilled' || call === undefined || READS.has(call.verb)) settled(at, outcome);
        else failing.push(tellCall(failed(call, fence, outcome.reason), at, settled));
      });
      await Promise.all(failing);
    },
    watch: (call, sink) => wire.watch(call, sink),
    raw: (call) => wire.raw(call),
    open: (call) => wire.open(call),
    close: () => wire.close(),
  };
}

/** Nobody knows whether the server did it, or will. */
function isUnanswered(error: unknown): boolean {
  if (isTransportError(error)) return error.fault !== 'connect' && error.fault !== 'closed';
  return error instanceof StatusError && error.status.reason === 'Timeout';
}
