import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import type { CSIDriverSpec } from '@binnacle/api/storage/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { PluginError } from '../plugin/plugin-error.ts';
import type { ObjectReader } from '../ports.ts';
import { lonelyWire } from '../testing/plugins.ts';
import { testPod } from '../testing/node.ts';
import { type MemoryFiles, createMemoryFiles } from '../volume/memory-files.ts';
import { CsiAttachments } from './attachments.ts';
import { CsiClient } from './csi-client.ts';
import type { CsiVolume } from './csi-context.ts';
import { CsiRecords } from './csi-records.ts';
import { CsiVolumes } from './csi-volumes.ts';
import { volumeOf } from './testing.ts';

interface Bench {
  readonly volumes: CsiVolumes;
  readonly attachments: CsiAttachments;
  readonly files: MemoryFiles;
  /** Calls of the driver: method and volume. */
  readonly calls: string[];
  readonly requests: { readonly [field: string]: unknown }[];
  /** The next call of a method fails so. */
  readonly refusals: Map<string, PluginError>;
  /** Calls are held until it resolves. */
  gate: Promise<void>;
  readonly setUp: (pod: string, of?: Partial<CsiVolume>, memory?: Map<string, string>) => Promise<unknown>;
}

function bench(of: {
  readonly files?: MemoryFiles;
  readonly driver?: CSIDriverSpec;
  readonly capabilities?: readonly string[];
}): Bench {
  const files = of.files ?? createMemoryFiles();
  const calls: string[] = [];
  const requests: Bench['requests'] = [];
  const refusals = new Map<string, PluginError>();
  const { capabilities = ['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME', 'GET_VOLUME_STATS'] } = of;
  const client = new CsiClient(
    {
      ...lonelyWire,
      async call(_, { method }, request) {
        if (method === 'NodeGetCapabilities') return { capabilities: capabilities.map((type) => ({ rpc: { type } })) };
        const fields = request as { readonly [field: string]: unknown };
        calls.push(`${method} ${String(fields['volume_id'])}`);
        requests.push(fields);
        await made.gate;
        const refusal = refusals.get(method);
        refusals.delete(method);
        if (refusal !== undefined) throw refusal;
        return { usage: [{ unit: 'BYTES', total: 9, used: 4, available: 5 }], volume_condition: null };
      },
    },
    '/d.sock',
  );
  const objects = {
    csiDriver: async () => ({ metadata: { name: 'd' }, spec: of.driver ?? { attachRequired: false } }),
  } as unknown as ObjectReader;
  const attachments = new CsiAttachments({ nodeName: 'n', tell: async () => undefined, log: silentLogger });
  const records = new CsiRecords({ files, root: '/k' });
  const drivers = { need: () => client };
  const options = { nodeName: 'n', files, records, drivers, objects, attachments, now: () => 0, log: silentLogger };
  const volumes = new CsiVolumes(options);
  const pod = (name: string): Pod => testPod({ name });
  const holder = { changed: () => undefined };
  const made: Bench = {
    volumes,
    attachments,
    files,
    calls,
    requests,
    refusals,
    gate: Promise.resolve(),
    setUp: (name, volume, memory = new Map()) => volumes.setUp(volumeOf(volume), { pod: pod(name), holder, memory }),
  };
  return made;
}

const records = (files: MemoryFiles): string[] => files.paths().filter((path) => path.endsWith('vol_data.json'));

test('two pods share a stage; the last that goes lets go of it', async () => {
  const { volumes, calls, files, setUp } = bench({});
  const memory = new Map<string, string>();
  await setUp('a', {}, memory);
  await setUp('a', {}, memory);
  assert.deepEqual(calls.splice(0), ['NodeStageVolume h', 'NodePublishVolume h']);
  await setUp('b');
  assert.deepEqual(calls.splice(0), ['NodeStageVolume h', 'NodePublishVolume h']);
  assert.equal(records(files).length, 3);
  await volumes.tearDownPod('uid-a');
  assert.deepEqual(calls.splice(0), ['NodeUnpublishVolume h']);
  await volumes.tearDownPod('uid-b');
  assert.deepEqual(calls.splice(0), ['NodeUnpublishVolume h', 'NodeUnstageVolume h']);
  assert.deepEqual(records(files), []);
  await volumes.tearDownPod('uid-b');
  assert.deepEqual(calls, []);
});

test('what was begun and failed is undone; what could not be undone is tried again', async () => {
  const { volumes, calls, refusals, files, setUp } = bench({});
  refusals.set('NodePublishVolume', new PluginError(13, 'no'));
  await assert.rejects(setUp('a'), /code = Internal desc = no/);
  refusals.set('NodeUnstageVolume', new PluginError(14, 'busy'));
  await assert.rejects(volumes.tearDownPod('uid-a'), /busy/);
  calls.length = 0;
  await volumes.clearStages('d');
  assert.deepEqual(calls, ['NodeUnstageVolume h']);
  assert.deepEqual(records(files), []);
});

test('a kubelet that starts again knows what the one before it did', async () => {
  const before = bench({});
  await before.setUp('a');
  await before.setUp('gone', { handle: 'lost', name: 'pv-lost' });
  const { volumes, calls, setUp, attachments } = bench({ files: before.files });
  await volumes.tearDownPod('uid-gone');
  assert.deepEqual(calls.splice(0), ['NodeUnpublishVolume lost', 'NodeUnstageVolume lost']);
  assert.deepEqual(attachments.inUse, ['kubernetes.io/csi/d^h']);
  await volumes.clearStages('d');
  assert.deepEqual(calls, [], 'a pod has it');
  await setUp('a');
  assert.deepEqual(calls.splice(0), ['NodeStageVolume h', 'NodePublishVolume h']);
  await volumes.tearDownPod('uid-a');
  assert.deepEqual(calls.splice(0), ['NodeUnpublishVolume h', 'NodeUnstageVolume h']);
});

test('who comes while the last one lets go gets the volume afterwards', async () => {
  const of = bench({});
  await of.setUp('a');
  of.calls.length = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  of.gate = promise;
  const going = of.volumes.tearDownPod('uid-a');
  await new Promise<void>((turn) => queueMicrotask(turn));
  const coming = of.setUp('b');
  resolve();
  await Promise.all([going, coming]);
  assert.deepEqual(of.calls.at(-1), 'NodePublishVolume h');
  assert.deepEqual(of.calls.at(-2), 'NodeStageVolume h');
  of.calls.length = 0;
  await of.volumes.tearDownPod('uid-b');
  assert.deepEqual(of.calls, ['NodeUnpublishVolume h', 'NodeUnstageVolume h']);
});

test('a driver without stages, one that wants to be asked again, one for pods alone', async () => {
  const plain = bench({ capabilities: [] });
  await plain.setUp('a');
  await plain.volumes.tearDownPod('uid-a');
  assert.deepEqual(plain.calls, ['NodePublishVolume h', 'NodeUnpublishVolume h']);
  const anew = bench({ capabilities: [], driver: { attachRequired: false, requiresRepublish: true } });
  const memory = new Map<string, string>();
  for (let i = 0; i < 2; i++) await anew.setUp('a', {}, memory);
  assert.deepEqual(anew.calls, ['NodePublishVolume h', 'NodePublishVolume h']);
  const ephemeral = bench({ driver: { volumeLifecycleModes: ['Ephemeral'] } });
  await ephemeral.setUp('a', { lifecycle: 'Ephemeral' });
  assert.deepEqual(ephemeral.calls, ['NodePublishVolume h']);
});

test('a volume that grew is grown once it is there, and its claim told', async () => {
  const { calls, requests, setUp } = bench({});
  let told = 0;
  const growth = { bytes: 2 ** 31, done: async () => void told++ };
  const memory = new Map<string, string>();
  await setUp('a', {}, memory);
  await setUp('a', { growth }, memory);
  assert.deepEqual([calls.at(-1), told], ['NodeExpandVolume h', 1]);
  assert.deepEqual(requests.at(-1)?.['capacity_range'], { required_bytes: 2 ** 31 });
  await setUp('a', { growth, readOnly: true }, memory);
  assert.equal(told, 1);
});

test('figures of a volume, and none of what there is not', async () => {
  const { volumes, setUp } = bench({});
  await setUp('a');
  assert.deepEqual((await volumes.stats('uid-a', 'pv'))?.bytes?.used, 4);
  assert.equal(await volumes.stats('uid-a', 'none'), undefined);
});
