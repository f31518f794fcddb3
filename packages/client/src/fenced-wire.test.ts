import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Fence } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import { status, StatusError } from '@binnacle/machinery';
import type { ApiCall, Wire } from '@binnacle/machinery';
import { createClient } from './client.ts';
import { TransportError } from './errors.ts';
import { createFencedWire } from './fenced-wire.ts';
import type { Term } from './fenced-wire.ts';

const pods = { group: '', resource: 'pods' };
const timeout = new StatusError({ ...status.badRequest('x').status, reason: 'Timeout', code: 504 });

/** A term that is taken anew on demand, over a wire that answers one call after another so; what was sent in which term. */
function setUp(answers: readonly (Error | object)[]) {
  let held: Fence = { namespace: 'kube-system', lease: 'manager', holder: 'me', transitions: 0 };
  const log: string[] = [];
  const takeAnew = (): void => {
    held = { ...held, transitions: held.transitions + 1 };
  };
  const term: Term = {
    fence: () => held,
    outlive: async (old) => {
      log.push(`outlives ${old.transitions}`);
      if (held === old) takeAnew();
    },
  };
  let at = 0;
  const call = async ({ verb, fence }: ApiCall): Promise<unknown> => {
    log.push(`${verb} ${fence?.transitions ?? '-'}`);
    const answer = answers[at++];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = createClient(createFencedWire({ call } as Wire, term)).resource(PODS, 'default');
  return { client, log, takeAnew };
}

const POD = { metadata: { name: 'p' }, spec: { containers: [] } };
const ROWS = [
  ['done: nothing else happens', {}, ['create 0'], undefined],
  [
    'an answer lost: known when it rejects',
    new TransportError('cut', 'x'),
    ['create 0', 'outlives 0'],
    'transport-cut',
  ],
  ['the server does not know either', timeout, ['create 0', 'outlives 0'], 'Timeout'],
  ['never sent', new TransportError('connect', 'x'), ['create 0'], 'transport-connect'],
  ['refused', status.forbidden(pods, 'p', 'x'), ['create 0'], 'Forbidden'],
  ['a conflict in the same term', status.conflict(pods, 'p', 'x'), ['create 0'], 'Conflict'],
] as const;

for (const [name, answer, told, code] of ROWS) {
  test(name, async () => {
    const { client, log } = setUp([answer]);
    const made = client.create(POD);
    if (code === undefined) await made;
    else await assert.rejects(made, (error) => (error as { code?: string }).code === code);
    assert.deepEqual(log, told);
  });
}

test('what was refused because the Lease was taken anew meanwhile is sent again in the new term', async () => {
  const { client, log, takeAnew } = setUp([status.conflict(pods, 'p', 'x'), {}]);
  const made = client.create(POD);
  takeAnew();
  await made;
  assert.deepEqual(log, ['create 0', 'create 1']);
});

test('several calls go in the term as it is, each is known when it is told, and what was refused for a term before goes again', async () => {
  const held: Fence = { namespace: 'kube-system', lease: 'manager', holder: 'me', transitions: 0 };
  let term = 0;
  const log: string[] = [];
  const answers: (string | Error)[][] = [
    ['a', new TransportError('cut', 'x'), status.conflict(pods, 'p', 'x'), 'read', status.forbidden(pods, 'p', 'x')],
    ['again'],
  ];
  const batch: Wire['batch'] = async (calls, settled) => {
    log.push(calls.map(({ verb, fence }) => `${verb} ${fence?.transitions ?? '-'}`).join());
    const now = answers.shift() ?? [];
    // The third is refused because the Lease was taken anew while they were under way.
    term = 1;
    now.forEach((value, at) =>
      settled(at, value instanceof Error ? { status: 'rejected', reason: value } : { status: 'fulfilled', value }),
    );
  };
  const call = async ({ verb, fence }: ApiCall): Promise<unknown> => {
    log.push(`alone ${verb} ${fence?.transitions ?? '-'}`);
    return 'again';
  };
  const fences = [held, { ...held, transitions: 1 }];
  const fenced = createFencedWire({ call, batch } as Wire, {
    fence: () => fences[term] ?? held,
    outlive: async (old) => void log.push(`outlives ${old.transitions}`),
  });
  const told: string[] = [];
  const verbs = ['create', 'create', 'update', 'get', 'delete'] as const;
  await fenced.batch(
    verbs.map((verb) => ({ verb, resource: { ...pods, version: 'v1' } })),
    (at, outcome) =>
      void (told[at] =
        outcome.status === 'fulfilled' ? String(outcome.value) : (outcome.reason as { code: string }).code),
  );
  assert.deepEqual(told, ['a', 'transport-cut', 'again', 'read', 'Forbidden']);
  assert.deepEqual(log, ['create 0,create 0,update 0,get -,delete 0', 'outlives 0', 'alone update 1']);
});

test('reading is of no term', async () => {
  const { client, log } = setUp([{}, {}]);
  await client.get('p');
  await client.list();
  assert.deepEqual(log, ['get -', 'list -']);
});
