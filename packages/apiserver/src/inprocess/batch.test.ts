/** Several calls that go together in process: each a request of its own, in slices of the turn that callers have. */
import { SharedTurns } from '@binnacle/base';
import type { CallOutcome, KubeObject, WatchEvent } from '@binnacle/machinery';
import { readText, StatusError } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { AuditEvent } from '../ports/audit.ts';
import { readAuditPolicy } from '../audit/policy.ts';
import { startTestServer } from '../testing/test-server.ts';
import { settled } from '../testing/watch-probe.ts';
import { createInProcessWire } from './wire.ts';

const MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const USER = { name: 'tester', groups: ['system:masters'] };
const creating = (name: string) =>
  ({ verb: 'create', resource: MAPS, namespace: 'default', body: { metadata: { name } } }) as const;

/** What became of each: its name, its code, or the name of what was thrown. */
function shown(outcomes: readonly (CallOutcome | undefined)[]): unknown[] {
  return outcomes.map((outcome) => {
    if (outcome === undefined) return 'untold';
    if (outcome.status === 'fulfilled') return (outcome.value as KubeObject).metadata.name;
    const reason = outcome.reason as Error;
    return reason instanceof StatusError ? reason.httpCode : reason.name;
  });
}

test('each of several calls is a request of its own: in audit, in the figures, in the trace and for who watches', async () => {
  const events: AuditEvent[] = [];
  const document = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
  const { server, parts } = await startTestServer({
    audit: {
      policy: readAuditPolicy(document),
      sinks: () => [
        {
          name: 'log',
          strict: false,
          write: (some) => void events.push(...some),
          close: () => Promise.resolve(),
        },
      ],
    },
  });
  const wire = server.clientAs(USER);
  const seen: string[] = [];
  const sink = {
    events: (batch: readonly WatchEvent<KubeObject>[]) =>
      seen.push(...batch.map((e) => `${e.type} ${e.object.metadata.name}`)),
    end: () => undefined,
  };
  const watch = wire.watch({ resource: MAPS, query: { resourceVersion: '100' } }, sink);
  await settled();
  const requests = async (): Promise<number> => {
    const lines = (await readText(wire, '/metrics')).split('\n');
    const labels = ['code="201"', 'resource="configmaps"', 'verb="POST"'];
    const own = lines.filter(
      (line) => line.startsWith('apiserver_request_total{') && labels.every((one) => line.includes(one)),
    );
    return own.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  const before = await requests();
  events.length = 0;
  const outcomes: CallOutcome[] = [];
  const gone = AbortSignal.abort();
  const cause = { id: 'p', component: 'scheduler', request: 'bind' };
  await wire.batch(
    [
      { ...creating('a'), cause },
      creating('a'),
      { ...creating('given-up'), signal: gone },
      creating('-'),
      { verb: 'get', resource: MAPS, namespace: 'default', name: '\ud800' },
      creating('b'),
    ],
    (at, outcome) => {
      assert.equal(outcomes[at], undefined, 'each is told once');
      outcomes[at] = outcome;
    },
  );
  assert.deepEqual(shown(outcomes), ['a', 409, 'AbortedError', 422, 'URIError', 'b']);
  await settled();
  assert.deepEqual(seen, ['ADDED a', 'ADDED b']);
  const created = events.filter(({ stage, verb }) => stage === 'ResponseComplete' && verb === 'create');
  assert.deepEqual(created.map(({ responseStatus }) => responseStatus?.code).toSorted(), [201, 201, 409, 422]);
  assert.equal(new Set(created.map(({ auditID }) => auditID)).size, 4);
  assert.equal((await requests()) - before, 2);
  const made = (outcomes[0] as PromiseFulfilledResult<KubeObject>).value;
  const told = JSON.parse(
    await readText(wire, `/binnacle/v1/causes?revision=${made.metadata.resourceVersion}`),
  ) as object;
  assert.deepEqual({ ...told, id: '' }, { ...told, id: '', component: 'tester', parent: cause });
  assert.ok(parts.foundation.recorder.on);
  watch.stop();
});

test('a batch holds nobody up for longer than any caller may: it goes on in later turns, and others go in between', async () => {
  const { server } = await startTestServer();
  let ms = 0;
  let turnAt = 0;
  const clock = {
    monotonic: () => ms,
    soon(run: () => void) {
      setImmediate(() => {
        turnAt++;
        run();
      });
      return { cancel: () => undefined };
    },
  };
  const ran: { turn: number; path: string }[] = [];
  const answer = (request: Parameters<typeof server.handle>[0]) => {
    // Half of what it takes comes behind its first wait.
    ms += 1;
    queueMicrotask(() => (ms += 1));
    ran.push({ turn: turnAt, path: request.path });
    return server.handle(request);
  };
  const turns = new SharedTurns(clock, 5);
  const wire = createInProcessWire({ pipeline: { answer, now: () => 0 }, turns }, USER);
  const other = createInProcessWire(
    { pipeline: { answer, now: () => 0 }, turns },
    { name: 'quiet', groups: ['system:masters'] },
  );
  const outcomes: CallOutcome[] = [];
  const batch = wire.batch(
    Array.from({ length: 512 }, (_, i) => creating(`m-${i}`)),
    (at, outcome) => (outcomes[at] = outcome),
  );
  await settled();
  await other.call({ verb: 'list', resource: MAPS, namespace: 'quiet' });
  const quiet = ran.findIndex(({ path }) => path.includes('/quiet/'));
  assert.ok(quiet !== -1 && quiet < 64, `the quiet one had its turn behind ${quiet} of 512`);
  await batch;
  assert.deepEqual(
    shown(outcomes),
    Array.from({ length: 512 }, (_, i) => `m-${i}`),
  );
  const perTurn = new Map<number, number>();
  for (const { turn } of ran) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
  // Two milliseconds each: the one that reaches the bound is the last.
  assert.ok(Math.max(...perTurn.values()) <= 4, `${Math.max(...perTurn.values())} in one turn`);
});
