import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HopCause, TraceHop, TraceHopList } from '@binnacle/trace';
import { TransportError } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import type { RawReply, Wire } from '@binnacle/machinery';
import { CommandFailedError } from '../errors.ts';
import { followHops, remarks, show } from './trace.ts';
import type { Shown } from './trace.ts';

const FORGOTTEN = { changes: 1, others: 2, deliveries: 3 };

function listOf(causes: readonly HopCause[], next?: string, forgotten = FORGOTTEN): TraceHopList {
  return {
    ...{ apiVersion: 'trace.binnacle.dev/v1', kind: 'HopList' },
    metadata: { resourceVersion: '9', ...(next === undefined ? {} : { continue: next }) },
    ring: {
      ...{ on: true, oldestRevision: '1', currentRevision: '9' },
      forgotten,
    },
    items: causes.map((cause) => ({ cause }) as TraceHop),
  };
}

const ROWS: readonly (readonly [name: string, list: TraceHopList, said: readonly string[]])[] = [
  ['nothing of what is whole', listOf([{ type: 'client' }, { type: 'hop', hop: '1' }]), []],
  ['that a story is longer', listOf([{ type: 'client' }], '4'), ['of a longer story the latest 1 hops are shown']],
  [
    'how much is forgotten',
    listOf([{ type: 'forgotten' }]),
    ['some causes are forgotten: the ring has let go of 1 changes, 2 other requests and 3 deliveries'],
  ],
  [
    'that what is forgotten was never in a ring that has let go of nothing',
    listOf([{ type: 'forgotten' }], undefined, { changes: 0, others: 0, deliveries: 0 }),
    ["some causes are forgotten: they are from before this API server's start, or another one's"],
  ],
  [
    'that it is cut',
    { ...listOf([]), isCut: true },
    ['the story is too long to be told whole: some of it is left out'],
  ],
  ['that something is hidden', listOf([{ type: 'hidden' }]), ['some causes are not for your eyes']],
];

for (const [name, list, said] of ROWS) {
  test(`of what a picture does not show it is said: ${name}`, () => assert.deepEqual(remarks(list), said));
}

const lineOf = (type: string, name: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion: name } } })}\n`;

/** What a server answers, one after the other; where nothing is left it refuses. */
function served(answers: readonly (string | Error)[]) {
  const paths: string[] = [];
  const left = [...answers];
  async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
    const [lines = '', broken] = text.split('!');
    yield new TextEncoder().encode(lines);
    if (broken !== undefined) throw new TransportError('cut', 'it broke');
  }
  const wire = {
    raw({ path }: { readonly path: string }): Promise<RawReply> {
      paths.push(path);
      const answer = left.shift() ?? status.badRequest('enough');
      if (typeof answer !== 'string') return Promise.reject(answer);
      return Promise.resolve({ status: 200, headers: {}, body: bodyOf(answer) });
    },
  } as unknown as Wire;
  return { wire, paths };
}

test('a stream that ends or breaks is gone on with from where it was; what is refused is the end', async () => {
  const told: string[] = [];
  const said: string[] = [];
  const rests: number[] = [];
  const { wire, paths } = served([
    lineOf('ADDED', '1') + lineOf('BOOKMARK', '2'),
    `${lineOf('ADDED', '3')}!`,
    new TransportError('connect', 'nobody there'),
    '',
  ]);
  const follower = {
    told: ({ metadata }: TraceHop) => void told.push(metadata.name),
    remark: (text: string) => void said.push(text),
    rest: (ms: number) => Promise.resolve(void rests.push(ms)),
  };
  await assert.rejects(followHops(wire, '/p?about=x', follower), { code: 'BadRequest' });
  assert.deepEqual(told, ['1', '3']);
  const again = '/p?about=x&watch=true&resourceVersion=2';
  assert.deepEqual(paths, ['/p?about=x&watch=true', again, again, again, again]);
  assert.deepEqual(
    said.map((text) => /it broke|nobody there/.exec(text)?.[0]),
    ['it broke', 'nobody there'],
  );
  assert.deepEqual(rests, [500, 500, 1000, 2000]);
});

test('a stream that the server refuses to go on with is the end, and says why', async () => {
  const refusal = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 403, message: 'no more' } })}\n`;
  const { wire } = served([lineOf('ADDED', '1') + refusal]);
  const follower = { told: () => undefined, remark: () => undefined, rest: () => Promise.resolve() };
  await assert.rejects(followHops(wire, '/p?about=x', follower), { message: 'no more' });
});

test('a server that never was there is not waited for', async () => {
  const { wire } = served([new TransportError('connect', 'nobody there')]);
  const never = (): never => assert.fail();
  const follower = { told: never, remark: never, rest: never };
  await assert.rejects(followHops(wire, '/p?about=x', follower), TransportError);
});

const EMPTY: readonly (readonly [output: Shown['output'], on: boolean, out: RegExp, message: RegExp])[] = [
  [undefined, true, /^$/, /^nothing is known of pod\/nope$/],
  ['html', true, /^$/, /^nothing is known of pod\/nope$/],
  ['mermaid', true, /^$/, /^nothing is known of pod\/nope$/],
  ['json', true, /"items":\[\]/, /^nothing is known of pod\/nope$/],
  [undefined, false, /^$/, /--trace=off/],
];
for (const [output, on, out, message] of EMPTY) {
  test(`a command that has nothing to tell of failed: ${output ?? 'in words'}, the trace ${on ? 'on' : 'off'}`, async () => {
    let written = '';
    const list = listOf([]);
    const { wire } = served([JSON.stringify({ ...list, ring: { ...list.ring, on } })]);
    const sinks = { out: (text: string) => void (written += text), remark: () => undefined };
    const failing = show(wire, '/p?about=x', { words: ['pod/nope'], output, ...sinks });
    await assert.rejects(failing, (error) => error instanceof CommandFailedError && message.test(error.message));
    assert.match(written, out);
  });
}
