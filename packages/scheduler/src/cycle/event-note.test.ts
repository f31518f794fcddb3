import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventNote } from './event-note.ts';

const bytes = (text: string): number => new TextEncoder().encode(text).length;

const ROWS: readonly { name: string; message: string; note: string }[] = [
  { name: 'nothing', message: '', note: '' },
  { name: 'short', message: '0/3 nodes are available', note: '0/3 nodes are available' },
  { name: 'as long as may be', message: 'x'.repeat(1024), note: 'x'.repeat(1024) },
  { name: 'one byte more', message: 'x'.repeat(1025), note: `${'x'.repeat(1020)} ...` },
  { name: 'as many characters, but of two bytes', message: 'é'.repeat(513), note: `${'é'.repeat(510)} ...` },
  {
    name: 'cut before a character of three bytes',
    message: `${'x'.repeat(1018)}${'한'.repeat(9)}`,
    note: `${'x'.repeat(1018)} ...`,
  },
  { name: 'cut before one of four', message: `x${'😀'.repeat(300)}`, note: `x${'😀'.repeat(254)} ...` },
];

for (const row of ROWS) {
  test(`note of an event: ${row.name}`, () => {
    assert.equal(eventNote(row.message), row.note);
    assert.ok(bytes(row.note) <= 1024);
  });
}
