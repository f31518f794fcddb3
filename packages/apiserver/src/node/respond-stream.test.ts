import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { StreamReply } from '../catalogue/definition.ts';
import { RequestFigures } from '../observe/request-figures.ts';
import { UnsentReplies } from '../pipeline/unsent-replies.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { ReplyWriter } from './reply-writer.ts';
import { respondStream } from './respond-stream.ts';

const writer = (): ReplyWriter => ({
  gone: false,
  sink: new PassThrough().resume(),
  head: () => undefined,
  onGone: () => undefined,
  flush: () => undefined,
  limitStall: () => undefined,
});

const ROWS: readonly [name: string, isEmpty: boolean, events: string[]][] = [
  ['a body that has no bytes is read, which keeps its connection', true, ['read', 'cancelled']],
  ['any other is not begun', false, ['cancelled']],
];

for (const [name, isEmpty, expected] of ROWS) {
  test(`HEAD of what is passed on: ${name}`, async () => {
    const { answer } = await startTestServer();
    const { exchange } = await answer('HEAD /version');
    const events: string[] = [];
    const reply: StreamReply = {
      kind: 'stream',
      code: 200,
      contentType: 'text/plain',
      ...(isEmpty ? { isEmpty } : {}),
      body: {
        async *[Symbol.asyncIterator]() {
          await Promise.resolve();
          events.push('read');
          yield* [];
        },
      },
      cancel: () => void events.push('cancelled'),
    };
    const world = {
      clock: new VirtualClock(),
      log: silentLogger,
      unsent: new UnsentReplies(),
      figures: new RequestFigures(),
    };
    await respondStream(world, { exchange, reply, settle: () => undefined }, { reply, writer: writer() });
    assert.deepEqual(events, expected);
  });
}

test('a stream whose source breaks off is broken off, and counted', async () => {
  const figures = new RequestFigures();
  const world = { clock: new VirtualClock(), log: silentLogger, unsent: new UnsentReplies(), figures };
  const reply: StreamReply = {
    kind: 'stream',
    code: 200,
    contentType: 'text/plain',
    body: {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new RangeError('the kubelet is gone')) }),
    },
    cancel: () => undefined,
  };
  const { answer } = await startTestServer();
  const { exchange } = await answer('GET /api/v1/namespaces/default/pods/p/log');
  await respondStream(world, { exchange, reply, settle: () => undefined }, { reply, writer: writer() });
  const lines: string[] = [];
  figures.render(lines);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('apiserver_request_aborts_total{')),
    [
      'apiserver_request_aborts_total{verb="GET",group="",version="v1",resource="pods",subresource="log",scope="resource"} 1',
    ],
  );
});
