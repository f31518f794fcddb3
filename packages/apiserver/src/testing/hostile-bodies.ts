import assert from 'node:assert/strict';
import { hostileBody } from '@binnacle/api/testing';
import type { HostileBody } from '@binnacle/api/testing';
import { startTestServer } from './test-server.ts';
import type { TestServer } from './test-server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PATCH_TYPES = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];

function pathOf({ info }: HostileBody): string {
  const root = info.group === '' ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`;
  return `${root}/${info.namespaced ? 'namespaces/d/' : ''}${info.resource}`;
}

/** A new object has no version yet: with one, upstream's own answer is 500. */
function withoutVersion(text: string): string {
  const object = JSON.parse(text) as { metadata?: { resourceVersion?: unknown } | null };
  if (typeof object.metadata === 'object' && object.metadata !== null) delete object.metadata.resourceVersion;
  return JSON.stringify(object);
}

async function send(
  { ask, store }: TestServer,
  line: string,
  request: { body: string; type: object },
): Promise<number> {
  const before = (await store.status()).revision;
  const { code, body } = await ask(line, request.body, request.type as { 'content-type': string });
  assert.ok(code < 500, `${line} ${code} ${JSON.stringify(body).slice(0, 500)}\n${request.body}`);
  if (code >= 400)
    assert.equal((await store.status()).revision, before, `${line} ${code} stored something\n${request.body}`);
  return code;
}

/**
 * Sends so many bodies to a server of its own, each as a new object, as a patch, as a change and with a deletion. The
 * kinds take turns; the same for one seed.
 */
export async function sendHostileBodies(seed: number, count: number): Promise<void> {
  const server = await startTestServer();
  let stored = 0;
  for (let i = 0; i < count; i++) {
    const hostile = hostileBody(seed + i);
    const path = pathOf(hostile);
    const strict = i % 3 === 0 ? '?fieldValidation=Strict' : '';
    if ((await send(server, `POST ${path}${strict}`, { body: withoutVersion(hostile.text), type: JSON_TYPE })) < 300)
      stored++;
    const type = PATCH_TYPES[i % 2] ?? '';
    await send(server, `PATCH ${path}/x`, { body: hostile.patch, type: { 'content-type': type } });
    await send(server, `PUT ${path}/x`, { body: hostile.text, type: JSON_TYPE });
    await send(server, `DELETE ${path}/x`, { body: i % 5 === 0 ? hostile.patch : '{}', type: JSON_TYPE });
  }
  assert.ok(stored > count / 60, `seed ${seed}: ${stored} of ${count} were taken`);
}
