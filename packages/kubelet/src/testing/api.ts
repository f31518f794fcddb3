import type { ResourceInfo } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger } from '@binnacle/base';
import type { VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import { callEach } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';

export interface TestApi {
  readonly fake: NetworkedServer<MemoryApi>;
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  /** The writes of the kubelet so far: `patch pods/status`, …; Leases and nodes apart. */
  podWrites(): string[];
}

/** A small API that counts what is written about pods; `onRequest` is served beside what always is. */
export function createTestApi(clock: VirtualClock, onRequest: readonly ResourceInfo[] = []): TestApi {
  const random = createSeededRandom(2);
  const fake = overFaultyNetwork(createMemoryApi({ clock, random, onRequest }), clock);
  const writes: string[] = [];
  const wire: Wire = {
    batch: (calls, settled) => callEach((call) => wire.call(call), calls, settled),
    raw: (call) => fake.raw(call),
    open: (call) => fake.open(call),
    close: () => fake.close(),
    watch: (call, sink) => fake.watch(call, sink),
    call: (call) => {
      if (call.resource.resource === 'pods' && call.verb !== 'get' && call.verb !== 'list') {
        writes.push(`${call.verb} pods${call.subresource === undefined ? '' : `/${call.subresource}`}`);
      }
      return fake.call(call);
    },
  };
  return {
    fake,
    client: createClient(wire),
    world: { clock, random, log: silentLogger },
    scope: new Scope('api'),
    podWrites: () => writes,
  };
}
