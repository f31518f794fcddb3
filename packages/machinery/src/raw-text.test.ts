import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readText, replyFailure } from './raw-text.ts';
import { isNotFound, notFound, StatusError } from './status-error.ts';

function answering(status: number, pieces: readonly (string | Uint8Array)[]): Parameters<typeof readText>[0] {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
  }
  return { raw: async () => ({ status, headers: {}, body: body() }) };
}

test('pieces become text, also where a letter is split', async () => {
  const letter = new TextEncoder().encode('ü');
  assert.equal(await readText(answering(200, ['Gr', letter.slice(0, 1), letter.slice(1), 'n']), '/x'), 'Grün');
});

test('a refusal is thrown: a Status as it is, a page by its code', async () => {
  const gone = JSON.stringify(notFound({ group: '', resource: 'pods' }, 'p').status);
  await assert.rejects(readText(answering(404, [gone]), '/x'), isNotFound);
  await assert.rejects(readText(answering(404, ['<html>']), '/x'), isNotFound);
  assert.equal(replyFailure({ status: 503, text: '{not json' }, '/x').status.reason, 'ServiceUnavailable');
});

test('a text without end is refused', async () => {
  const large = Array.from({ length: 65 }, () => new Uint8Array(1 << 20));
  await assert.rejects(
    readText(answering(200, large), '/x'),
    (error) => error instanceof StatusError && error.httpCode === 413,
  );
});
