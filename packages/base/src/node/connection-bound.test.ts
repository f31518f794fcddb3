import { deepEqual, equal } from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { ConnectionBound } from './connection-bound.ts';

/** A connection from a port of its own; its end is told later than it is asked for, as Node does it. */
class Connection extends EventEmitter {
  readonly remoteAddress = '10.0.0.1';
  readonly remotePort: number;
  destroyed = false;

  constructor(remotePort: number) {
    super();
    this.remotePort = remotePort;
  }

  destroy(): this {
    this.destroyed = true;
    return this;
  }
}

function open(bound: ConnectionBound, from: number, to: number): Connection[] {
  return Array.from({ length: to - from }, (_, i) => {
    const connection = new Connection(from + i);
    bound.add(connection as never);
    return connection;
  });
}
const destroyed = (all: readonly Connection[]): number[] =>
  all.filter((one) => one.destroyed).map((one) => one.remotePort);

test('beyond the bound the oldest goes that nobody is known on', () => {
  const bound = new ConnectionBound(3);
  const first = open(bound, 0, 3);
  deepEqual(destroyed(first), []);
  bound.know({ remoteAddress: '10.0.0.1', remotePort: 0 });
  const later = open(bound, 3, 5);
  deepEqual(destroyed([...first, ...later]), [1, 2]);
});

test('where all are known the new one goes', () => {
  const bound = new ConnectionBound(2);
  const known = open(bound, 0, 2);
  for (const one of known) bound.know(one);
  const later = open(bound, 2, 4);
  deepEqual(destroyed([...known, ...later]), [2, 3]);
});

test('one that ends makes room, once, however it ended', () => {
  const bound = new ConnectionBound(2);
  const [one, two] = open(bound, 0, 2);
  const three = open(bound, 2, 3);
  equal(one?.destroyed, true);
  one?.emit('close');
  two?.emit('close');
  const four = open(bound, 3, 4);
  deepEqual(destroyed([...three, ...four]), []);
  deepEqual(destroyed([...three, ...four, ...open(bound, 4, 5)]), [2]);
});

test('a port that is used again is a new connection', () => {
  const bound = new ConnectionBound(2);
  const [old] = open(bound, 7, 8);
  const [next] = open(bound, 7, 8);
  old?.emit('close');
  deepEqual(destroyed([...open(bound, 8, 10), ...(next === undefined ? [] : [next])]), [7]);
});

test('at the end all go, known or not', () => {
  const bound = new ConnectionBound(3);
  const all = open(bound, 0, 3);
  bound.know({ remoteAddress: '10.0.0.1', remotePort: 1 });
  all[0]?.emit('close');
  bound.close();
  deepEqual(destroyed(all), [1, 2]);
});
