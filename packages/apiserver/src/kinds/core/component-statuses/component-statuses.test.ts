import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpConnectError } from '@binnacle/base';
import type { HttpCall, HttpCaller, HttpReply } from '@binnacle/base';
import { encodeBody } from '../../../encode/body.ts';
import { negotiate } from '../../../request/media.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import type { TestServer, TestServerOptions } from '../../../testing/test-server.ts';

const PATH = '/api/v1/componentstatuses';

/** As `kubectl get componentstatuses` shows it. */
async function rowsOf({ answer }: TestServer, path = PATH): Promise<unknown[][]> {
  const { reply } = await answer(`GET ${path}`);
  assert.ok(reply.kind === 'object', reply.kind);
  const rendering = negotiate('application/json;as=Table;v=v1;g=meta.k8s.io', false);
  const { pieces } = await encodeBody(reply, { rendering, includeObject: 'None', now: 0 });
  const text = [...pieces].map((piece) => new TextDecoder().decode(piece)).join('');
  return (JSON.parse(text) as { rows: { cells: unknown[] }[] }).rows.map(({ cells }) => cells);
}

/** Components in processes of their own. */
function elsewhere(reply: (call: HttpCall) => Pick<HttpReply, 'status'> & { readonly text: string }): HttpCaller {
  return {
    async request(call) {
      const { status, text } = reply(call);
      return {
        status,
        headers: {},
        body: (async function* () {
          yield new TextEncoder().encode(text);
        })(),
      };
    },
    upgrade: () => assert.fail('not asked for'),
    close: async () => undefined,
  };
}

const broken = (): never => {
  throw new Error('deployment stands still');
};
const ROWS: readonly [name: string, options: TestServerOptions, rows: readonly (readonly string[])[]][] = [
  [
    'all in this process',
    {
      components: () => [
        { name: 'controller-manager', check: () => undefined },
        { name: 'scheduler', check: () => undefined },
      ],
    },
    [
      ['controller-manager', 'Healthy', 'ok', ''],
      ['scheduler', 'Healthy', 'ok', ''],
      ['etcd-0', 'Healthy', 'ok', ''],
    ],
  ],
  [
    'a controller stands still',
    {
      components: () => [
        { name: 'controller-manager', check: broken },
        { name: 'scheduler', check: () => undefined },
      ],
    },
    [
      ['controller-manager', 'Unhealthy', '', 'deployment stands still'],
      ['scheduler', 'Healthy', 'ok', ''],
      ['etcd-0', 'Healthy', 'ok', ''],
    ],
  ],
  [
    'processes of their own, one of them ill',
    {
      http: elsewhere(({ url, trust }) => {
        assert.equal(trust?.insecure, true);
        return url === 'https://127.0.0.1:10257/healthz' ? { status: 200, text: 'ok' } : { status: 500, text: 'bad' };
      }),
    },
    [
      ['controller-manager', 'Healthy', 'ok', ''],
      ['scheduler', 'Unhealthy', 'HTTP probe failed with statuscode: 500', ''],
      ['etcd-0', 'Healthy', 'ok', ''],
    ],
  ],
  [
    'processes that do not answer',
    {
      http: elsewhere((call) => {
        throw new HttpConnectError(call, { fault: 'dial', why: 'dial tcp 127.0.0.1: connect: connection refused' });
      }),
    },
    [
      [
        'controller-manager',
        'Unhealthy',
        'Get "https://127.0.0.1:10257/healthz": dial tcp 127.0.0.1: connect: connection refused',
        '',
      ],
      [
        'scheduler',
        'Unhealthy',
        'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1: connect: connection refused',
        '',
      ],
      ['etcd-0', 'Healthy', 'ok', ''],
    ],
  ],
];

for (const [name, options, rows] of ROWS) {
  test(`component statuses: ${name}`, async () => assert.deepEqual(await rowsOf(await startTestServer(options)), rows));
}

test('one by its name, those that a selector chooses, none of another name', async () => {
  const server = await startTestServer({ components: () => [{ name: 'scheduler', check: () => undefined }] });
  const names = async (path: string): Promise<unknown[]> => (await rowsOf(server, path)).map(([cell]) => cell);
  assert.deepEqual(await names(`${PATH}/scheduler`), ['scheduler']);
  assert.deepEqual(await names(`${PATH}?fieldSelector=metadata.name%3Detcd-0`), ['etcd-0']);
  assert.deepEqual(await names(`${PATH}?labelSelector=a%3Db`), []);
  const { code, body } = await server.ask(`GET ${PATH}/none`);
  assert.deepEqual([code, body['message']], [404, 'componentstatus "none" not found']);
  assert.equal((await server.ask(`GET ${PATH}?fieldSelector=metadata.generation%3D1`)).code, 400);
});
