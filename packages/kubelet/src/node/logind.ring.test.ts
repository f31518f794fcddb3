import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { silentLogger, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { createLogindWatch, shutdownIn } from './logind.ts';

/** As busctl of systemd 252 writes it. */
const line = (member: string, value: unknown): string =>
  `{"type":"signal","endian":"l","flags":1,"version":1,"cookie":2,"timestamp-realtime":1795351646014504,"sender":":1.1","path":"/org/freedesktop/login1","interface":"org.freedesktop.login1.Manager","member":"${member}","payload":{"type":"b","data":[${String(value)}]}}`;

for (const [name, text, wanted] of [
  ['it goes down', line('PrepareForShutdown', true), true],
  ['after all not', line('PrepareForShutdown', false), false],
  ['something else', line('PrepareForSleep', true), undefined],
  ['another value', line('PrepareForShutdown', '"yes"'), undefined],
  ['null', 'null', undefined],
  ['a word for eyes', 'Monitoring bus message stream.', undefined],
] as const) {
  test(`a line of the bus: ${name}`, () => assert.equal(shutdownIn(text), wanted));
}

/** Programs that do as systemd's do, by files: this machine has no login manager. */
const PROGRAMS = {
  busctl: `case "$*" in
*get-property*) echo "{\\"type\\":\\"t\\",\\"data\\":$(cat delay)}";;
*monitor*) exec cat signals;;
esac`,
  systemctl: `sed -n 's/InhibitDelayMaxSec=\\(.*\\)/\\1000000/p' conf/99-kubelet.conf > delay`,
  'systemd-inhibit': `echo "$4 $1" >> locks
while [ "\${1#--}" != "$1" ]; do shift; done
"$@"
echo released >> locks`,
};

let folder: string;
before(async () => {
  folder = makeTestFolder().path;
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, name), `#!/bin/sh\ncd ${folder}\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  writeFileSync(join(folder, 'delay'), '5000000');
  writeFileSync(join(folder, 'locks'), '');
  execFileSync('mkfifo', [join(folder, 'signals')]);
});
after(async () => rm(folder, { recursive: true, force: true }));

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < deadline, what);
    await sleep(realClock, 5);
  }
}

const locks = (): string => readFileSync(join(folder, 'locks'), 'utf8');
const LOCK = '--mode=delay --what=shutdown\n';

test(
  'a shutdown is held up until what has to be done is done; a cancelled one is held up again',
  { timeout: 30_000 },
  async () => {
    const watch = createLogindWatch({
      clock: realClock,
      log: silentLogger,
      environment: { PATH: `${folder}:/usr/bin:/bin` },
      configDirectory: join(folder, 'conf'),
    });
    const abort = new AbortController();
    const told: boolean[] = [];
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const tell = async (isDown: boolean): Promise<void> => {
      told.push(isDown);
      if (isDown) await done;
    };
    const following = watch.follow({ delayMs: 30_000, signal: abort.signal, tell });
    await until('it is held up', () => locks() === LOCK);
    assert.equal(readFileSync(join(folder, 'delay'), 'utf8').trim(), '30000000', 'long enough');
    assert.ok(existsSync(join(folder, 'conf', '99-kubelet.conf')));
    const bus = openSync(join(folder, 'signals'), 'w');
    appendFileSync(bus, `${line('PrepareForShutdown', true)}\n`);
    await until('it is told', () => told.length === 1);
    assert.equal(locks(), LOCK, 'nothing is let go of before');
    finish();
    await until('it is let go of', () => locks() === `${LOCK}released\n`);
    appendFileSync(bus, `${line('PrepareForShutdown', false)}\n`);
    await until('it is held up again', () => locks() === `${LOCK}released\n${LOCK}`);
    await until('it is told', () => told.length === 2);
    assert.deepEqual(told, [true, false]);
    abort.abort();
    await following;
    closeSync(bus);
    await until('nothing holds it up', () => locks().endsWith('released\n'));
  },
);

test('a line without an end ends the watch, which says so', { timeout: 30_000 }, async () => {
  const environment = { PATH: `${folder}:/usr/bin:/bin` };
  const watch = createLogindWatch({ clock: realClock, log: silentLogger, environment });
  const follow = { delayMs: 1000, signal: new AbortController().signal, tell: () => Promise.resolve() };
  const ended = assert.rejects(watch.follow(follow), { code: 'shutdown-watch', message: /has no end/ });
  await until('it is held up', () => locks().endsWith(LOCK));
  const bus = openSync(join(folder, 'signals'), 'w');
  appendFileSync(bus, 'x'.repeat(65 * 1024));
  await ended;
  closeSync(bus);
});

test('where there is no login manager, it says so', async () => {
  const watch = createLogindWatch({ clock: realClock, log: silentLogger, environment: { PATH: '/nonexistent' } });
  const follow = { delayMs: 1000, signal: new AbortController().signal, tell: () => Promise.resolve() };
  await assert.rejects(watch.follow(follow), { code: 'shutdown-watch' });
});
