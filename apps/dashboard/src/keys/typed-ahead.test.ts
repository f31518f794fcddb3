import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { TypedAhead } from './typed-ahead.ts';
import type { KeyStroke } from './typed-ahead.ts';

/** A field that is there now, and what became of it. */
function field() {
  const now = { text: '', entered: 0 };
  return {
    now,
    edit: (change: (text: string) => string) => void (now.text = change(now.text)),
    enter: () => void now.entered++,
  };
}

const type = (ahead: TypedAhead, ...keys: readonly (string | KeyStroke)[]): readonly unknown[] =>
  keys.map((key) => ahead.take(typeof key === 'string' ? { key } : key));

test('what is typed before the field is there stands in it', () => {
  const ahead = new TypedAhead();
  deepEqual(type(ahead, 'p', 'o', 'x', 'Backspace', 'd', 'Shift', 's'), [
    ...['taken', 'taken', 'taken', 'taken', 'taken', undefined, 'taken'],
  ]);
  const { now, ...sink } = field();
  ahead.attach(sink);
  deepEqual(now, { text: 'pods', entered: 0 });
});

test('so does what is typed beside it, and the end of the line is one', () => {
  const ahead = new TypedAhead();
  type(ahead, 'n', 's', 'Enter');
  const { now, ...sink } = field();
  const detach = ahead.attach(sink);
  deepEqual(now, { text: 'ns', entered: 1 });
  type(ahead, '/', 'Backspace', 'Backspace');
  deepEqual(now, { text: 'n', entered: 1 });
  detach();
  const next = field();
  ahead.attach(next);
  equal(next.now.text, '', 'what was typed for one field is not for the next');
});

test('who leaves before it is there has typed nothing', () => {
  const ahead = new TypedAhead();
  deepEqual(type(ahead, 'a', 'Escape'), ['taken', 'left']);
  const { now, ...sink } = field();
  ahead.attach(sink);
  deepEqual(now, { text: '', entered: 0 });
});

test('shortcuts, keys without a letter and what an input method has in hand are nothing of it', () => {
  const ahead = new TypedAhead();
  const keys: readonly KeyStroke[] = [
    ...[
      { key: 'k', ctrlKey: true },
      { key: 'c', metaKey: true },
      { key: 'x', altKey: true },
    ],
    ...[{ key: 'F5' }, { key: 'Tab' }, { key: 'Dead' }, { key: 'ㅎ', isComposing: true }, { key: 'Process' }],
  ];
  deepEqual(
    type(ahead, ...keys),
    keys.map(() => undefined),
  );
});

test('a key that is held down for ever fills no memory', () => {
  const ahead = new TypedAhead();
  for (let times = 0; times < 10_000; times++) ahead.take({ key: 'a' });
  const { now, ...sink } = field();
  ahead.attach(sink);
  equal(now.text.length, 256);
});
