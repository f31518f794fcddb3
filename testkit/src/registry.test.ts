import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { nodeHttp } from '@binnacle/base/node';
import { TestkitError } from './errors.ts';
import { makeFolder } from './folder.ts';
import { serveImages } from './registry.ts';

const folder = makeFolder();
after(() => folder.remove());

const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const MEDIA_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** An archive as `tar` writes it: a head of 512 bytes before each file, which is filled up to the next 512. */
function archive(name: string, files: { readonly [path: string]: string }): string {
  const parts = Object.entries(files).flatMap(([path, text]) => {
    const head = Buffer.alloc(512);
    head.write(path, 0);
    head.write(text.length.toString(8).padStart(11, '0'), 124);
    return [head, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)];
  });
  const path = join(folder.path, name);
  writeFileSync(path, Buffer.concat([...parts, Buffer.alloc(1024)]));
  return path;
}

function image(name: string, layer: string): string {
  const manifest = JSON.stringify({ layers: [{ digest: digest(layer) }] });
  const blob = (text: string): string => `blobs/sha256/${digest(text).slice('sha256:'.length)}`;
  return archive(name, {
    [`./${blob(layer)}`]: layer,
    [blob(manifest)]: manifest,
    'index.json': JSON.stringify({ manifests: [{ mediaType: MEDIA_TYPE, digest: digest(manifest) }] }),
  });
}

async function ask(address: string, path: string, more: { readonly method?: string; readonly auth?: string } = {}) {
  const [host, port] = address.split(':');
  const request = nodeHttp()
    .request({ host, port, path, agent: false, ...more })
    .end();
  const [reply] = (await once(request, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of reply) body += chunk;
  return { code: reply.statusCode, headers: reply.headers, body };
}

const LAYER = 'x'.repeat(1300);
const web = image('web.tar', LAYER);
const other = image('other.tar', 'y');

describe('a registry of a test', () => {
  const manifest = JSON.stringify({ layers: [{ digest: digest(LAYER) }] });
  const rows: [what: string, path: string, code: number, body: string, type: string | undefined][] = [
    ['says that it is one', '/v2/', 200, '{}', undefined],
    ['has a manifest by any tag', '/v2/shop/web/manifests/1.0', 200, manifest, MEDIA_TYPE],
    ['has it by its digest', `/v2/shop/web/manifests/${digest(manifest)}`, 200, manifest, MEDIA_TYPE],
    ['has a layer to its last byte', `/v2/shop/web/blobs/${digest(LAYER)}`, 200, LAYER, 'application/octet-stream'],
    ['has no image of another name', '/v2/shop/cart/manifests/1.0', 404, '', undefined],
    ['has no blob of another digest', `/v2/shop/web/blobs/${digest('z')}`, 404, '', undefined],
    ['has no name of a prototype', '/v2/constructor/manifests/1.0', 404, '', undefined],
    ['has nothing else', '/v1/search', 404, '', undefined],
  ];
  for (const [what, path, code, body, type] of rows) {
    test(what, async () => {
      const registry = await serveImages({ 'shop/web': web, other });
      try {
        const reply = await ask(registry.address, path);
        assert.deepEqual([reply.code, reply.body, reply.headers['content-type']], [code, body, type]);
        assert.deepEqual(registry.asked, [path]);
      } finally {
        await registry.close();
      }
    });
  }

  test('answers who asks whether something is there with its size and digest, and no byte of it', async () => {
    const registry = await serveImages({ 'shop/web': web });
    const reply = await ask(registry.address, '/v2/shop/web/manifests/1.0', { method: 'HEAD' });
    await registry.close();
    const told = [reply.headers['content-length'], reply.headers['docker-content-digest']];
    assert.deepEqual([reply.body, ...told], ['', `${manifest.length}`, digest(manifest)]);
  });

  test('with a user serves nobody else, and says how to log in', async () => {
    const registry = await serveImages({ 'shop/web': web }, 'ann:secret');
    const codes = [];
    for (const more of [{}, { auth: 'ann:guess' }, { auth: 'ann:secret' }]) {
      const { code, headers } = await ask(registry.address, '/v2/shop/web/manifests/1.0', more);
      codes.push([code, headers['www-authenticate']]);
    }
    await registry.close();
    const challenge = 'Basic realm="test"';
    assert.deepEqual(codes, [
      [401, challenge],
      [401, challenge],
      [200, undefined],
    ]);
  });

  test('ends although somebody stays connected', async () => {
    const registry = await serveImages({ 'shop/web': web });
    const [host, port] = registry.address.split(':');
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    // However it is cut off.
    const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
    await Promise.all([registry.close(), closed]);
  });

  test('is not made of an archive without an image', async () => {
    const empty = archive('empty.tar', { 'index.json': '{"manifests": []}' });
    await assert.rejects(serveImages({ empty }), TestkitError);
    await assert.rejects(serveImages({ none: archive('none.tar', { README: 'hello' }) }), TestkitError);
  });
});
