/** A data directory that was written long ago opens with today's code, and everything in it reads as it did then. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { makeTestFolder } from '@binnacle/base/testing';
import { createSeededRandom, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { KubeObject } from '@binnacle/machinery';
import { openSqliteStore } from '@binnacle/store/sqlite';
import { LOOPBACK_USER } from '../own-calls.ts';
import { createApiServer } from '../server.ts';
import { writeGolden } from '../testing/golden-data.ts';

type GoldenObjects = { readonly [path: string]: object };

const folder = makeTestFolder().path;
const fixture = (name: string): string => new URL(`golden/${name}`, import.meta.url).pathname;

after(() => rmSync(folder, { recursive: true }));

const UNANSWERED = 'test.io';

/** Everything that a data directory holds, as clients see it. */
async function readAll(path: string): Promise<GoldenObjects> {
  const store = await openSqliteStore({ path, clock: realClock });
  const server = await createApiServer({
    store,
    clock: realClock,
    random: createSeededRandom(1),
    log: silentLogger,
    assertions: true,
  });
  const wire = server.clientAs(LOOPBACK_USER);
  const found: { [path: string]: object } = {};
  for (const { info } of server.catalogue.all()) {
    // The APIService of the fixture claims the group of its definition, and nobody answers for it.
    if (info.group === UNANSWERED) continue;
    const list = (await wire.call({ verb: 'list', resource: info })) as { readonly items: readonly KubeObject[] };
    for (const { metadata, apiVersion } of list.items) {
      const { name = '', namespace } = metadata;
      const place = namespace === undefined ? { name } : { name, namespace };
      const object = (await wire.call({ verb: 'get', resource: info, ...place })) as KubeObject;
      found[`${apiVersion}/${info.resource}`] = info.resource === 'apiservices' ? withoutStatus(object) : object;
    }
  }
  await server.close();
  await store.close();
  return JSON.parse(JSON.stringify(found)) as GoldenObjects;
}

/** Whether an APIService answers is written by the server itself, some time after it started. */
function withoutStatus(object: object): object {
  const { metadata, status: _status, ...kept } = object as KubeObject & { readonly status?: object };
  const { resourceVersion: _version, ...named } = metadata;
  return { ...kept, metadata: named };
}

// Written by `writeGolden` in November 2026. When what is stored changes, add another beside it: this one stays.
test('the data directory of 2026-11', async () => {
  const path = join(folder, '2026-11.db');
  writeFileSync(path, gunzipSync(readFileSync(fixture('2026-11.db.gz'))));
  copyFileSync(fixture('2026-11.db-mark'), `${path}-mark`);
  const expected = JSON.parse(readFileSync(fixture('2026-11.json'), 'utf8')) as GoldenObjects;
  assert.ok(Object.keys(expected).length > 40);
  const services = 'apiregistration.k8s.io/v1/apiservices';
  assert.deepEqual(await readAll(path), { ...expected, [services]: withoutStatus(expected[services] ?? {}) });
});

test('what today writes opens too', async () => {
  const path = join(folder, 'today.db');
  const store = await openSqliteStore({ path, clock: realClock });
  const written = await writeGolden(store);
  await store.close();
  const first = await readAll(path);
  assert.deepEqual(Object.keys(first), written);
  assert.deepEqual(await readAll(path), first);
});
