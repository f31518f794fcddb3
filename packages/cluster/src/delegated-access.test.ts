import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { DelegatedAccess, isAnonymous } from './delegated-access.ts';

const MASTER = { name: 'root', groups: ['system:masters'] };
const JANE = { name: 'jane', groups: ['system:authenticated'] };

/** Jane may read figures; the token `good` is hers. */
function bench(): { readonly access: DelegatedAccess; readonly asked: object[] } {
  const asked: object[] = [];
  const client = {
    dynamic: ({ resource }: { readonly resource: string }) => ({
      create: async ({ spec }: { readonly spec: { readonly [field: string]: unknown } }) => {
        asked.push(spec);
        if (spec['token'] !== undefined)
          return { status: { authenticated: spec['token'] === 'good', user: { username: 'jane' } } };
        if (spec['user'] === 'trouble') throw new RangeError(resource);
        const { path, verb } = spec['nonResourceAttributes'] as { readonly path: string; readonly verb: string };
        return { status: { allowed: spec['user'] === 'jane' && path === '/metrics' && verb === 'get' } };
      },
    }),
  } as unknown as Client;
  const clock = new VirtualClock();
  return { asked, access: new DelegatedAccess({ client, clock, log: silentLogger, component: 'x' }) };
}

describe('who asks a component', () => {
  const ROWS: readonly (readonly [authorization: string | undefined, name: string | undefined])[] = [
    [undefined, 'system:anonymous'],
    ['', 'system:anonymous'],
    ['Basic eDp5', 'system:anonymous'],
    ['Bearer', 'system:anonymous'],
    ['Bearer good', 'jane'],
    ['bearer  good ', 'jane'],
    ['Bearer bad', undefined],
  ];
  for (const [authorization, name] of ROWS) {
    test(`${authorization}: ${name}`, async () => {
      const user = await bench().access.authenticate(undefined, authorization);
      assert.equal(user?.name, name);
      assert.equal(user !== undefined && isAnonymous(user), name === 'system:anonymous');
    });
  }

  test('whom a certificate names needs no token', async () => {
    const { access, asked } = bench();
    assert.equal(await access.authenticate(JANE, 'Bearer bad'), JANE);
    assert.deepEqual(asked, []);
  });
});

describe('what they may', () => {
  const ROWS = [
    [JANE, 'GET', '/metrics', undefined, 1],
    [JANE, 'POST', '/metrics', 403, 1],
    [JANE, 'GET', '/metrics/slis', 403, 1],
    [JANE, 'GET', '/healthz', undefined, 0],
    [JANE, 'GET', '/healthz/', 403, 1],
    [JANE, 'GET', '/livez', undefined, 0],
    [JANE, 'GET', '/readyz', undefined, 0],
    [MASTER, 'DELETE', '/anything', undefined, 0],
    [{ name: 'trouble', groups: [] }, 'GET', '/metrics', 500, 1],
  ] as const;
  for (const [user, method, path, code, questions] of ROWS) {
    test(`${user.name}, ${method} ${path}: ${code ?? 'may'}`, async () => {
      const { access, asked } = bench();
      const refusal = await access.authorize(user, method, path);
      assert.deepEqual([refusal?.code, asked.length], [code, questions]);
    });
  }

  test('in upstream’s words', async () => {
    assert.deepEqual(await bench().access.authorize(JANE, 'GET', '/configz'), {
      code: 403,
      reason: 'Forbidden',
      message: 'forbidden: User "jane" cannot get path "/configz"',
    });
  });
});
