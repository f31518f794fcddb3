import { EventEmitter } from 'node:events';
import { silentLogger, VirtualClock } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import { settled } from '../testing/watch-probe.ts';
import type { ReplyWriter } from './reply-writer.ts';
import { RequestFigures } from '../observe/request-figures.ts';
import { UnsentReplies } from '../pipeline/unsent-replies.ts';
import { respond } from './respond.ts';

/** A client that takes nothing, or has gone already. */
function writerThat(gone: boolean): { readonly writer: ReplyWriter; readonly leave: () => void } {
  const events = new EventEmitter();
  const sink = Object.assign(new EventEmitter(), {
    write: () => false,
    end: () => undefined,
    destroy: () => undefined,
  });
  return {
    writer: {
      gone,
      sink: sink as unknown as ReplyWriter['sink'],
      head: () => undefined,
      onGone: (run) => void events.once('close', run),
      flush: () => undefined,
      limitStall: () => undefined,
    },
    leave: () => void events.emit('close'),
  };
}

for (const [name, gone, leaves] of [
  ['has gone before it was open', true, false],
  ['goes away', false, true],
] as const) {
  test(`the seats of a watch are given back when its client ${name}`, async () => {
    const { answer, parts } = await startTestServer();
    const { exchange, reply } = await answer('GET /api/v1/pods?watch=1');
    let settledTimes = 0;
    const { writer, leave } = writerThat(gone);
    const world = {
      clock: new VirtualClock(),
      log: silentLogger,
      unsent: new UnsentReplies(),
      figures: new RequestFigures(),
    };
    respond(world, { exchange, reply, settle: () => void settledTimes++ }, writer);
    if (leaves) leave();
    await settled();
    assert.ok(settledTimes > 0);
    assert.equal(parts.foundation.watchers.count, 0);
  });
}
