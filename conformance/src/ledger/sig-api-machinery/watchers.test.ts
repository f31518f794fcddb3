import assert from 'node:assert/strict';
import { CONFIG_MAPS } from '@binnacle/api';
import type { ConfigMap } from '@binnacle/api/core/v1';
import type { WatchEvent, WatchHandle } from '@binnacle/machinery';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const LABEL = 'watch-this-configmap';

/** A watch whose events can be waited for, one after the other. */
class Watcher {
  readonly events: WatchEvent<ConfigMap>[] = [];
  readonly #handle: WatchHandle;
  #wake: () => void = () => {};
  #ended = '';

  constructor(world: World, query: { labelSelector?: string; resourceVersion?: string }) {
    this.#handle = world.client.resource(CONFIG_MAPS, world.namespace).watch(query, {
      events: (batch) => {
        this.events.push(...batch.filter((event) => event.type !== 'BOOKMARK'));
        this.#wake();
      },
      end: (error) => {
        this.#ended = ` and an end: ${String(error)}`;
      },
    });
  }

  async next(count: number): Promise<string[]> {
    const deadline = AbortSignal.timeout(60_000);
    while (this.events.length < count) {
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        const late = (): void => reject(new Error(`only ${this.shown().join(', ')}${this.#ended}`));
        deadline.addEventListener('abort', late, { once: true });
      });
    }
    return this.shown();
  }

  shown(): string[] {
    return this.events.map((e) => `${e.type} ${e.object.metadata.name} ${e.object.data?.['mutation'] ?? '0'}`);
  }

  stop(): void {
    this.#handle.stop();
  }
}

function configMaps(world: World) {
  const api = world.client.resource(CONFIG_MAPS, world.namespace);
  return {
    create: (name: string, label: string) => api.create({ metadata: { name, labels: { [LABEL]: label } } }),
    mutate: (name: string, mutation: string) => api.patch(name, 'merge', { data: { mutation } }),
    relabel: (name: string, label: string) => api.patch(name, 'merge', { metadata: { labels: { [LABEL]: label } } }),
    delete: (name: string) => api.delete(name),
    version: async () => (await api.list()).resourceVersion,
  };
}

behaviours('simulated', 'watchers', (check) => {
  check(
    '[sig-api-machinery] Watchers should observe add, update, and delete watch notifications on configmaps [Conformance]',
    async (world) => {
      const maps = configMaps(world);
      const resourceVersion = await maps.version();
      const watch = (labelSelector: string): Watcher => new Watcher(world, { labelSelector, resourceVersion });
      const [a, b, both] = [watch(`${LABEL}=A`), watch(`${LABEL}=B`), watch(`${LABEL} in (A,B)`)];
      await maps.create('a', 'A');
      await maps.mutate('a', '1');
      await maps.mutate('a', '2');
      await maps.delete('a');
      await maps.create('b', 'B');
      await maps.delete('b');
      const ofA = ['ADDED a 0', 'MODIFIED a 1', 'MODIFIED a 2', 'DELETED a 2'];
      const ofB = ['ADDED b 0', 'DELETED b 0'];
      assert.deepEqual(await both.next(6), [...ofA, ...ofB]);
      assert.deepEqual(await a.next(4), ofA);
      assert.deepEqual(await b.next(2), ofB);
      for (const watcher of [a, b, both]) watcher.stop();
    },
  );

  check(
    '[sig-api-machinery] Watchers should be able to start watching from a specific resource version [Conformance]',
    async (world) => {
      const maps = configMaps(world);
      await maps.create('m', 'A');
      const first = await maps.mutate('m', '1');
      await maps.mutate('m', '2');
      await maps.delete('m');
      const watcher = new Watcher(world, {
        labelSelector: `${LABEL}=A`,
        resourceVersion: first.metadata.resourceVersion ?? '',
      });
      assert.deepEqual(await watcher.next(2), ['MODIFIED m 2', 'DELETED m 2']);
      watcher.stop();
    },
  );

  check(
    '[sig-api-machinery] Watchers should be able to restart watching from the last resource version observed by the previous watch [Conformance]',
    async (world) => {
      const maps = configMaps(world);
      const labelSelector = `${LABEL}=A`;
      const first = new Watcher(world, { labelSelector, resourceVersion: await maps.version() });
      await maps.create('m', 'A');
      await maps.mutate('m', '1');
      assert.deepEqual(await first.next(2), ['ADDED m 0', 'MODIFIED m 1']);
      first.stop();
      await maps.mutate('m', '2');
      const last = first.events.at(-1)?.object.metadata.resourceVersion ?? '';
      const second = new Watcher(world, { labelSelector, resourceVersion: last });
      await maps.delete('m');
      assert.deepEqual(await second.next(2), ['MODIFIED m 2', 'DELETED m 2']);
      second.stop();
    },
  );

  check(
    '[sig-api-machinery] Watchers should observe an object deletion if it stops meeting the requirements of the selector [Conformance]',
    async (world) => {
      const maps = configMaps(world);
      const watcher = new Watcher(world, { labelSelector: `${LABEL}=A`, resourceVersion: await maps.version() });
      await maps.create('m', 'A');
      await maps.mutate('m', '1');
      await maps.relabel('m', 'other');
      await maps.mutate('m', '2');
      await maps.relabel('m', 'A');
      await maps.mutate('m', '3');
      await maps.delete('m');
      assert.deepEqual(await watcher.next(6), [
        'ADDED m 0',
        'MODIFIED m 1',
        'DELETED m 1',
        'ADDED m 2',
        'MODIFIED m 3',
        'DELETED m 3',
      ]);
      watcher.stop();
    },
  );

  check(
    '[sig-api-machinery] Watchers should receive events on concurrent watches in same order [Conformance]',
    async (world) => {
      const maps = configMaps(world);
      const resourceVersion = await maps.version();
      const first = new Watcher(world, { resourceVersion });
      const writing = (async () => {
        for (let n = 0; n < 30; n++) {
          await maps.create(`m${n}`, 'A');
          await maps.mutate(`m${n}`, '1');
          if (n % 2 === 0) await maps.delete(`m${n}`);
        }
      })();
      await first.next(10);
      const others = first.events
        .slice(0, 10)
        .map((event) => new Watcher(world, { resourceVersion: event.object.metadata.resourceVersion ?? '' }));
      await writing;
      const all = 30 * 2 + 15;
      await first.next(all);
      const versions = (events: readonly WatchEvent<ConfigMap>[]): (string | undefined)[] =>
        events.map((e) => e.object.metadata.resourceVersion);
      for (const [index, other] of others.entries()) {
        await other.next(all - index - 1);
        assert.deepEqual(versions(other.events), versions(first.events).slice(index + 1));
        other.stop();
      }
      first.stop();
    },
  );
});
