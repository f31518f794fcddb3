import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { VALUES_MAX } from '@binnacle/machinery';
import { YamlThread } from './yaml-thread.ts';

const encoder = new TextEncoder();
const utf8 = new TextDecoder();
const clock = new VirtualClock();
const thread = new YamlThread(clock);
after(() => thread.close());

const toJson = async (text: string, by = thread): Promise<string> => {
  const { json } = await by.toJson(encoder.encode(text));
  return utf8.decode(json);
};

describe('YAML in a thread of its own', () => {
  it('becomes JSON, and JSON becomes YAML, in the order asked for', async () => {
    const answers = await Promise.all([
      toJson('a: 0400'),
      thread.fromJson(encoder.encode('{"b":1}')).then((yaml) => utf8.decode(yaml)),
      toJson('- yes'),
    ]);
    assert.deepEqual(answers, ['{"a":256}', 'b: 1\n', '[true]']);
  });

  it('tells repeated keys', async () => {
    const { problems } = await thread.toJson(encoder.encode('a: 1\na: 2\n'));
    assert.deepEqual(problems, ['line 2: key "a" already set in map']);
  });

  it('says what is wrong with a text', () =>
    assert.rejects(toJson('a: *b'), { code: 'decode', message: "yaml: unknown anchor 'b' referenced" }));

  it('refuses more values than a document may have, and goes on', async () => {
    await assert.rejects(toJson('- a\n'.repeat(VALUES_MAX + 1)), { httpCode: 413 });
    assert.equal(await toJson('1'), '1');
  });

  it('ends when nobody has sent a text for a while, and begins anew', async () => {
    assert.equal(await toJson('1'), '1');
    await clock.advance(10_000);
    assert.equal(await toJson('2'), '2');
  });

  it('gives up a text that takes too long; the next one is converted', async () => {
    const slow = toJson('- a\n'.repeat(700_000));
    const next = toJson('1');
    const refused = assert.rejects(slow, { httpCode: 413, message: /more time or memory than it may$/ });
    await clock.advance(30_000);
    await refused;
    assert.equal(await next, '1');
  });

  it('refuses more than may wait', async () => {
    const texts = Array.from({ length: 40 }, () => toJson('1').catch((error: Error) => error.message));
    const answers = await Promise.all(texts);
    assert.equal(answers.filter((answer) => answer === '1').length, 33);
    assert.equal(answers.filter((answer) => answer === 'too much YAML waits to be converted').length, 7);
  });

  it('refuses when it is closed, also who waits', async () => {
    const closing = new YamlThread(clock);
    const waiting = [toJson('1', closing), toJson('2', closing)].map((text) => assert.rejects(text, { httpCode: 503 }));
    await closing.close();
    await Promise.all(waiting);
    await assert.rejects(toJson('3', closing), { httpCode: 503 });
  });
});
