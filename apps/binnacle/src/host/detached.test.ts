import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastWords } from './detached.ts';

test('why it ended is the last line of the program itself, whatever its parts logged around it', () => {
  const log = 'I1122 apiserver] "Watching"\nbinnacle: 127.0.0.1:6443 is in use\nE1122 apiserver] "gone"\n';
  assert.equal(lastWords(log), '127.0.0.1:6443 is in use');
  assert.equal(lastWords("error: unknown option '--x'\nsee: binnacle up --help\n"), "unknown option '--x'");
  assert.equal(lastWords(''), undefined);
  assert.equal(lastWords('I1122 binnacle: no\n'), undefined);
});
