import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { visible } from './visible.ts';

for (const [name, text, shown] of [
  ['plain', 'a\n\tb 이름 é 👩‍💻', 'a\n\tb 이름 é 👩‍💻'],
  ['turned', 'a\u202egpj.exe\u202c', String.raw`a\u202egpj.exe\u202c`],
  ['isolated', '\u2066a\u2069\u200f', String.raw`\u2066a\u2069\u200f`],
  ['steering a terminal', '\u001b[2J\u0007\r', String.raw`\u001b[2J\u0007\u000d`],
] as const) {
  test(name, () => equal(visible(text), shown));
}
