import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { makeTestFolder } from '@binnacle/base/testing';
import { createHostFiles } from '../node/files.ts';
import { createFileSource } from './file-source.ts';

const manifest = (image: string): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: "${image}"}]}}`;

describe('manifests on the disk', () => {
  let folder: string;
  before(() => void (folder = makeTestFolder().path));
  after(() => rm(folder, { recursive: true, force: true }));

  /** Resolves with what is told next. */
  function follow(path: string): { readonly next: () => Promise<string>; readonly stop: () => void } {
    const told: string[] = [];
    let wake = (): void => undefined;
    const tell = (text: string): void => {
      told.push(text);
      wake();
    };
    const source = createFileSource({
      path,
      files: createHostFiles(),
      clock: realClock,
      log: silentLogger,
      checkMs: 50,
    });
    const stop = source.follow('n', {
      upsert: (pod) => tell(`+${pod.spec.containers[0]?.image ?? ''}`),
      remove: (pod) => tell(`-${pod.spec.containers[0]?.image ?? ''}`),
      ready: () => tell('ready'),
    });
    const next = async (): Promise<string> => {
      for (;;) {
        const text = told.shift();
        if (text !== undefined) return text;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    };
    return { next, stop };
  }

  // As editors save: another file takes the name.
  test('a single manifest is followed however often it is replaced', { timeout: 20_000 }, async () => {
    const path = join(folder, 'pod.yaml');
    const save = async (image: string): Promise<void> => {
      await writeFile(`${path}.new`, manifest(image));
      await rename(`${path}.new`, path);
    };
    await save('one');
    const { next, stop } = follow(path);
    assert.deepEqual([await next(), await next()], ['+one', 'ready']);
    for (const [old, image] of [
      ['one', 'two'],
      ['two', 'three'],
      ['three', 'four'],
    ] as const) {
      await save(image);
      assert.deepEqual([await next(), await next()], [`-${old}`, `+${image}`]);
    }
    stop();
  });

  test('a folder that is removed and made again is followed on', { timeout: 20_000 }, async () => {
    const path = join(folder, 'manifests');
    await mkdir(path);
    await writeFile(join(path, 'a.yaml'), manifest('one'));
    const { next, stop } = follow(path);
    assert.deepEqual([await next(), await next()], ['+one', 'ready']);
    await rm(path, { recursive: true });
    assert.equal(await next(), '-one');
    await mkdir(path);
    await writeFile(join(path, 'a.yaml'), manifest('two'));
    assert.equal(await next(), '+two');
    await writeFile(join(path, 'a.yaml'), manifest('three'));
    assert.deepEqual([await next(), await next()], ['-two', '+three']);
    stop();
  });
});
