import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { createLogger, VirtualClock } from '@binnacle/base';
import { startTestServer } from './testing/test-server.ts';

test('/version', async () => {
  const { ask } = await startTestServer();
  const { body } = await ask('GET /version');
  assert.deepEqual([body['major'], body['minor'], body['gitVersion']], ['1', '36', 'v1.36.0']);
});

test('discovery and OpenAPI answer 304 to whoever has them', async () => {
  const { answer } = await startTestServer();
  for (const path of ['/api', '/apis', '/apis/apps', '/api/v1', '/openapi/v2', '/openapi/v3']) {
    const { reply } = await answer(`GET ${path}`);
    assert.ok(reply.kind === 'text' && reply.code === 200, path);
    const etag = reply.headers?.['etag'] ?? '';
    assert.notEqual(etag, '');
    const again = await answer(`GET ${path}`, undefined, { 'if-none-match': etag });
    assert.ok(again.reply.kind === 'text' && again.reply.code === 304, path);
  }
});

test('the list of paths names what is served', async () => {
  const { ask } = await startTestServer();
  const paths = (await ask('GET /')).body['paths'] as string[];
  for (const path of ['/api/v1', '/apis/apps/v1', '/healthz', '/metrics', '/version'])
    assert.ok(paths.includes(path), path);
});

test('causes: who made a revision, or 404', async () => {
  const { ask } = await startTestServer();
  const { body } = await ask('POST /api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
  const cause = await ask(`GET /binnacle/v1/causes?revision=${body.metadata.resourceVersion}`);
  assert.deepEqual([cause.code, cause.body['request']], [200, 'POST /api/v1/namespaces/default/secrets']);
  assert.equal((await ask('GET /binnacle/v1/causes?revision=7')).code, 404);
  assert.equal((await ask('GET /binnacle/v1/causes')).code, 400);
});

test('the server about itself, as text and as objects', async () => {
  const { answer } = await startTestServer({ flags: new Map([['v', '2']]) });
  const asked = async (path: string, accept: string): Promise<string> => {
    const { reply } = await answer(`GET ${path}`, undefined, { accept });
    return reply.kind === 'text' ? `${reply.code} ${reply.contentType} ${String(reply.body)}` : `${reply.kind}`;
  };
  assert.match(await asked('/statusz', ''), /^200 text\/plain[^]*\napiserver statusz\n/);
  assert.match(await asked('/flagz', 'application/json, */*'), /^200 text\/plain[^]*\napiserver flagz\n[^]*\nv=2\n$/);
  const form = 'application/yaml;as=Flagz;v=v1beta1;g=config.k8s.io';
  assert.match(
    await asked('/flagz', form),
    /^200 application\/yaml apiVersion: config\.k8s\.io\/v1beta1\nflags:\n {2}v: '2'\n/,
  );
});

describe('the log level', () => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const logAt = (verbosity: number) =>
    createLogger({ component: 'apiserver', verbosity, clock: new VirtualClock(), write });

  test('is changed by PUT, at once and for what is named after it too', async () => {
    const { ask, answer } = await startTestServer({ log: logAt(0) });
    await ask('GET /version');
    assert.deepEqual(lines.splice(0), []);
    const { reply } = await answer('PUT /debug/flags/v', '3');
    assert.ok(reply.kind === 'text');
    assert.deepEqual([reply.code, reply.contentType], [200, 'text/plain']);
    assert.equal(reply.body, 'successfully set klog.logging.verbosity to 3\n');
    await ask('GET /version');
    assert.match(lines.splice(0).join(''), /"HTTP" verb="get" URI="\/version"/);
    assert.equal((await ask('PUT /debug/flags/v', 0)).code, 200, 'in process too');
    lines.splice(0);
    await ask('GET /version');
    assert.deepEqual(lines, []);
  });

  test('is not changed by what is no number, nor by other methods; the page above names it', async () => {
    const log = logAt(1);
    const { answer, ask } = await startTestServer({ log });
    const rows: readonly [line: string, body: unknown, code: number, text: RegExp][] = [
      ['PUT /debug/flags/v', 'x', 400, /^strconv.ParseUint: parsing "x": invalid syntax\n$/],
      ['PUT /debug/flags/v', undefined, 400, /^strconv.ParseUint: parsing "": invalid syntax\n$/],
      ['GET /debug/flags/v', undefined, 406, /^unsupported http method\n$/],
      ['DELETE /debug/flags/v', undefined, 406, /^unsupported http method\n$/],
      ['GET /debug/flags', undefined, 200, /<li>v</],
      ['GET /debug/flags/other', undefined, 200, /<li>v</],
    ];
    for (const [line, body, code, text] of rows) {
      const { reply } = await answer(line, body);
      assert.ok(reply.kind === 'text', line);
      assert.equal(reply.code, code, line);
      assert.match(String(reply.body), text, line);
    }
    assert.equal(log.level?.verbosity, 1);
    assert.ok(!JSON.stringify((await ask('GET /')).body).includes('debug'), 'they are not listed');
    assert.equal((await ask('PUT /version', '4')).code, 405);
  });

  test('is nobody’s to change with --profiling=false, or where it stays as it is', async () => {
    for (const options of [{ log: logAt(1), profiling: false }, {}]) {
      const { ask } = await startTestServer(options);
      assert.equal((await ask('PUT /debug/flags/v', '4')).code, 404);
    }
  });
});

test('component statuses tell of the store, with a warning that they are deprecated', async () => {
  const { ask } = await startTestServer();
  const { body, warnings } = await ask('GET /api/v1/componentstatuses/etcd-0');
  assert.deepEqual(body['conditions'], [{ type: 'Healthy', status: 'True', message: 'ok' }]);
  assert.deepEqual(warnings, ['v1 ComponentStatus is deprecated in v1.19+']);
});

test('a document of OpenAPI v3 is kept for good by its hash, and an old hash leads to the new one', async () => {
  const { ask, answer } = await startTestServer();
  const index = JSON.parse(String((await ask('GET /openapi/v3')).body['text'])) as {
    paths: { [name: string]: { serverRelativeURL: string } };
  };
  const url = index.paths['apis/apps/v1']?.serverRelativeURL ?? '';
  const right = (await answer(`GET ${url}`)).reply;
  assert.ok(right.kind === 'text');
  assert.deepEqual([right.code, right.headers?.['cache-control']], [200, 'public, immutable']);
  assert.match(right.headers?.['expires'] ?? '', /GMT$/);
  const old = (await answer('GET /openapi/v3/apis/apps/v1?hash=0')).reply;
  assert.ok(old.kind === 'text');
  assert.deepEqual([old.code, old.headers?.['location']], [301, url]);
  const plain = (await answer('GET /openapi/v3/apis/apps/v1')).reply;
  assert.ok(plain.kind === 'text');
  assert.deepEqual([plain.code, plain.headers?.['cache-control']], [200, undefined]);
});
