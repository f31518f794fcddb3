import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Entry } from '../mvcc/entry.ts';
import { createMailbox, Inbox, Outbox, WAKE } from './mailbox.ts';
import type { Posted } from './mailbox.ts';
import type { ToWorker } from './messages.ts';
import { Packer, unpackChanges } from './packing.ts';

function entry(position: number, bytes: number): Entry {
  const value = new Uint8Array(bytes).fill(position & 0xff);
  return { key: `k${position}`, value, createRevision: 2, modRevision: 2, version: 1, lease: 0, position };
}

/** Both ends in one thread; what is posted waits in a row. */
function ends() {
  const mailbox = createMailbox();
  const posted: Posted[] = [];
  const transferred: number[] = [];
  const outbox = new Outbox(mailbox, (message, transfer = []) => {
    posted.push(message);
    transferred.push(transfer.length);
  });
  const inbox = new Inbox(mailbox, () => posted.shift());
  const packer = new Packer(() => outbox.room());
  const send = (batch: number, bytes = 10): void => {
    packer.addChange({ type: 'put', kv: entry(batch, bytes) });
    outbox.send({ batch, packed: packer.take() });
  };
  const ask = (id: number): void => outbox.send({ id, question: { ask: 'probe' } });
  return { mailbox, posted, transferred, outbox, inbox, packer, send, ask };
}

function nameOf(message: ToWorker | undefined): string {
  if (message === undefined) return '-';
  if ('id' in message) return `ask ${message.id}`;
  const changes = unpackChanges(message.packed);
  for (const { kv } of changes) assert.ok(kv.value.every((byte) => byte === (kv.position & 0xff)));
  return `${message.batch}: ${changes.map(({ kv }) => kv.key).join(' ')}`;
}

function take(inbox: Inbox): string[] {
  const taken: string[] = [];
  for (let next = inbox.next(); next !== undefined; next = inbox.next()) taken.push(nameOf(next));
  return taken;
}

describe('what was sent comes in the order of sending', () => {
  test('batches and questions', () => {
    const { inbox, posted, send, ask } = ends();
    inbox.setInLoop(false);
    send(1);
    ask(1);
    ask(2);
    send(2);
    send(3);
    ask(3);
    assert.equal(posted.length, 3, 'batches are in the slots');
    assert.deepEqual(take(inbox), ['1: k1', 'ask 1', 'ask 2', '2: k2', '3: k3', 'ask 3']);
    assert.equal(inbox.next(), undefined);
  });

  test('a message that came by the event loop waits for the batches before it', () => {
    const { inbox, posted, send, ask } = ends();
    inbox.setInLoop(false);
    send(1);
    ask(1);
    inbox.hold(posted.shift() ?? WAKE);
    send(2);
    assert.deepEqual(take(inbox), ['1: k1', 'ask 1', '2: k2']);
  });

  test('a batch that is sent while a message before it is looked for', () => {
    const { mailbox, posted, outbox, packer, ask } = ends();
    let late = true;
    const inbox = new Inbox(mailbox, () => {
      if (late) {
        late = false;
        packer.addChange({ type: 'put', kv: entry(1, 10) });
        outbox.send({ batch: 1, packed: packer.take() });
        ask(1);
      }
      return posted.shift();
    });
    inbox.setInLoop(false);
    assert.deepEqual(take(inbox), ['1: k1', 'ask 1']);
  });

  test('without a free slot batches go by messages, until one is free again', () => {
    const { inbox, posted, transferred, send, ask } = ends();
    inbox.setInLoop(false);
    for (let batch = 1; batch <= 6; batch++) send(batch);
    assert.deepEqual(transferred, [2, 2], 'four slots, and two by messages that hand their memory over');
    assert.equal(nameOf(inbox.next()), '1: k1');
    send(7);
    assert.equal(posted.length, 3, 'the first one is still read');
    assert.equal(nameOf(inbox.next()), '2: k2');
    send(8);
    assert.equal(posted.length, 3, 'its slot is free');
    ask(1);
    assert.deepEqual(take(inbox), ['3: k3', '4: k4', '5: k5', '6: k6', '7: k7', '8: k8', 'ask 1']);
  });

  test('a batch that outgrows its slot, by bytes or by records', () => {
    const { inbox, transferred, packer, outbox, send } = ends();
    inbox.setInLoop(false);
    send(1, 200_000);
    for (let position = 10; position < 210; position++) packer.addChange({ type: 'put', kv: entry(position, 1) });
    outbox.send({ batch: 2, packed: packer.take() });
    send(3);
    assert.deepEqual(transferred, [2, 2]);
    const taken = take(inbox);
    assert.equal(taken[0], '1: k1');
    assert.match(taken[1] ?? '', /^2: k10 k11 .* k209$/);
    assert.equal(taken[2], '3: k3');
  });

  test('for long: numbers come round, slots are used again, each batch has its own bytes', () => {
    const { inbox, send, ask } = ends();
    inbox.setInLoop(false);
    for (let batch = 1; batch <= 500; batch += 3) {
      send(batch, batch * 10);
      send(batch + 1);
      if (batch % 5 === 0) ask(batch);
      send(batch + 2, 3);
      const asked = batch % 5 === 0 ? [`ask ${batch}`] : [];
      const wanted = [`${batch}: k${batch}`, `${batch + 1}: k${batch + 1}`, ...asked, `${batch + 2}: k${batch + 2}`];
      assert.deepEqual(take(inbox), wanted);
    }
  });
});

test('a thread in its event loop is roused by a message, one that waits for the bell is not', () => {
  const { inbox, posted, send } = ends();
  send(1);
  assert.deepEqual(posted, [WAKE]);
  inbox.hold(WAKE);
  inbox.setInLoop(false);
  assert.deepEqual(take(inbox), ['1: k1']);
  assert.equal(inbox.wait(0), false, 'nothing was sent since');
  send(2);
  assert.deepEqual(posted, []);
  assert.equal(inbox.wait(0), true);
  assert.deepEqual(take(inbox), ['2: k2']);
});

test('who waits for a batch hears of it, of one that came meanwhile at once, and at the end', async () => {
  const { outbox, inbox } = ends();
  const first = outbox.moreDurable(0);
  inbox.tellDurable(3);
  assert.equal(await first, 'ok');
  assert.equal(outbox.durable, 3);
  assert.equal(outbox.moreDurable(0), undefined);
  const last = outbox.moreDurable(3);
  outbox.release();
  assert.equal(await last, 'ok');
  assert.equal(outbox.durable, 3);
});
