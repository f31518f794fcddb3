import assert from 'node:assert/strict';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { makeTestFolder } from '@binnacle/base/testing';
import { RuntimeNotFoundError, RuntimeUnavailableError } from '../errors.ts';
import type { DockerApi } from './api.ts';
import { DockerLogs } from './logs.ts';
import type { ContainerRecord } from './record.ts';

const line = (second: number, text: string): Buffer => Buffer.from(`2026-01-01T00:00:0${second}.000000001Z ${text}\n`);

/** One answer of the engine to a question for a log: what it tells, and whether the connection breaks then. */
interface Answer {
  readonly told: readonly Buffer[];
  readonly breaks?: boolean;
  readonly before?: () => Promise<void>;
}

/** An engine whose container runs until the last answer. */
function engine(answers: Answer[], asked: string[]): DockerApi {
  const api = {
    async open({ path }: { readonly path: string }) {
      asked.push(/since=([\d.]+)/.exec(path)?.[1] ?? 'all');
      const answer = answers.shift();
      if (answer === undefined) throw new RuntimeNotFoundError('container', 'c');
      await answer.before?.();
      async function* body(): AsyncGenerator<Uint8Array> {
        yield* answer?.told ?? [];
        if (answer?.breaks === true) throw new RuntimeUnavailableError('unix:///docker');
      }
      return { body: body() };
    },
    call: async () => ({ State: { Status: answers.length > 0 ? 'running' : 'exited' } }),
  };
  return api as unknown as DockerApi;
}

describe('logs of Docker', { timeout: 20_000 }, () => {
  let folder: string;
  before(() => void (folder = makeTestFolder().path));
  after(() => rm(folder, { recursive: true, force: true }));

  async function follow(name: string, answers: Answer[]): Promise<{ asked: string[]; text: string }> {
    const asked: string[] = [];
    const logs = new DockerLogs({ api: engine(answers, asked), clock: realClock, log: silentLogger });
    const logPath = join(folder, name);
    logs.follow('c', { logPath, tty: true } as ContainerRecord);
    await logs.ended('c');
    return { asked, text: await readFile(logPath, 'utf8') };
  }
  const written = (...lines: readonly (readonly [number, string])[]): string =>
    lines.map(([second, text]) => `2026-01-01T00:00:0${second}.000000001Z stdout F ${text}\n`).join('');

  // An engine that is started anew keeps its containers (live-restore), and ends all that it was asked for.
  for (const breaks of [true, false]) {
    test(`go on where the engine ${breaks ? 'breaks off' : 'ends its answer'} while the container runs`, async () => {
      const { asked, text } = await follow(`log-${String(breaks)}`, [
        { told: [line(1, 'one'), line(2, 'two')], breaks },
        { told: [line(2, 'two'), line(3, 'three')] },
      ]);
      assert.equal(text, written([1, 'one'], [2, 'two'], [3, 'three']));
      assert.deepEqual(asked, ['all', '1767225602.000000001']);
    });
  }

  test('go on in a new file behind what the old one has', async () => {
    const { text } = await follow('rotated', [
      { told: [line(1, 'one')], breaks: true },
      {
        told: [line(1, 'one'), line(2, 'two')],
        breaks: true,
        before: () => rename(join(folder, 'rotated'), join(folder, 'rotated.old')),
      },
      { told: [line(2, 'two'), line(3, 'three')] },
    ]);
    assert.deepEqual(
      [await readFile(join(folder, 'rotated.old'), 'utf8'), text],
      [written([1, 'one'], [2, 'two']), written([3, 'three'])],
    );
  });

  test('of a container that ended before the engine said that it began are waited for', async () => {
    const logPath = join(folder, 'brief');
    const answers: Answer[] = [{ told: [line(1, 'one')] }];
    const logs = new DockerLogs({ api: engine(answers, []), clock: realClock, log: silentLogger });
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const begun = logs.begin('c', { logPath, tty: true } as ContainerRecord, () => answered);
    const text = logs.ended('c').then(() => readFile(logPath, 'utf8'));
    answer();
    await begun;
    assert.equal(await text, written([1, 'one']));
    const refused = logs.begin('d', { logPath, tty: true } as ContainerRecord, async () => {
      throw new RuntimeUnavailableError('unix:///docker');
    });
    const over = logs.ended('d');
    await assert.rejects(refused, { code: 'runtime-unavailable' });
    await over;
  });

  test('of a container that is gone end', async () => {
    const { asked, text } = await follow('gone', []);
    assert.deepEqual([asked, text], [['all'], '']);
  });
});
