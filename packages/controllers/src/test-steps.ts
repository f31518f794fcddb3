import { callEach } from '@binnacle/machinery';
import type { KubeObject, WatchSink, Wire } from '@binnacle/machinery';

/** What a process did with the objects of its caches. */
export interface Steps {
  /** How often anything looked into an object that a watch brought. */
  looks: number;
  /** Writes and reads that went to the server. */
  calls: number;
  /** Objects that lists answered with. */
  items: number;
  /** What the bodies of calls come to as JSON, in characters. */
  bytes: number;
}

/**
 * A wire that counts: each look at `metadata`, `spec` or `status` of a watched object is one step. What a controller
 * does for an object it has to look at, so cost that grows with the number of objects shows here, and not as wall time.
 */
export function countSteps(steps: Steps): (wire: Wire) => Wire {
  return (wire) => {
    const call: Wire['call'] = async (one) => {
      steps.calls++;
      if (one.body !== undefined) steps.bytes += JSON.stringify(one.body).length;
      const answer = await wire.call(one);
      steps.items += (answer as { readonly items?: readonly KubeObject[] }).items?.length ?? 0;
      return answer;
    };
    return {
      ...wire,
      call,
      batch: (calls, settled) => callEach(call, calls, settled),
      watch: (watch, sink) => wire.watch(watch, counted(sink as WatchSink, steps)),
    };
  };
}

function counted(sink: WatchSink, steps: Steps): WatchSink {
  return {
    events: (batch) => sink.events(batch.map((event) => ({ ...event, object: watched(event.object, steps) }))),
    end: (error) => sink.end(error),
  };
}

function watched<T extends object>(object: T, steps: Steps): T {
  return new Proxy(object, {
    get(target, name) {
      if (name === 'metadata' || name === 'spec' || name === 'status') steps.looks++;
      return Reflect.get(target, name) as unknown;
    },
  });
}
