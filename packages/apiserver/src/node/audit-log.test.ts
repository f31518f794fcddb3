import { VirtualClock } from '@binnacle/base';
import assert from 'node:assert/strict';
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { AuditSinkError } from '../audit/errors.ts';
import type { AuditEvent } from '../ports/audit.ts';
import { AuditLog } from './audit-log.ts';

const folder = makeTestFolder().path;
after(() => rmSync(folder, { recursive: true }));

function event(fill = ''): AuditEvent {
  return { kind: 'Event', stage: 'RequestReceived', auditID: 'a', user: {}, requestURI: fill } as unknown as AuditEvent;
}

test('one line for each event, behind what is there; nobody else may read it', async () => {
  const path = join(folder, 'new', 'audit.log');
  const clock = new VirtualClock();
  for (const times of [1, 2]) {
    const log = new AuditLog({ path }, clock);
    log.write(Array.from({ length: times }, () => event()));
    await log.close();
  }
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as AuditEvent).auditID),
    ['a', 'a', 'a'],
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a file that is full is put aside; of the old ones some are kept, and none too long', async () => {
  const place = mkdtempSync(join(folder, 'rotate-'));
  const path = join(place, 'audit.log');
  writeFileSync(join(place, 'audit-2020-01-01T00-00-00.000.log'), 'too old');
  writeFileSync(join(place, 'audit-notes.log'), 'not ours');
  const clock = new VirtualClock();
  const log = new AuditLog({ path, maxSize: 1, maxBackups: 2, maxAge: 30 }, clock);
  for (let n = 0; n < 5; n++) {
    log.write([event('x'.repeat(700_000))]);
    await clock.advance(1000);
  }
  await log.close();
  assert.deepEqual(readdirSync(place).sort(), [
    'audit-2026-01-01T00-00-03.000.log',
    'audit-2026-01-01T00-00-04.000.log',
    'audit-notes.log',
    'audit.log',
  ]);
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 2);
});

test('what cannot be written fails at the start, and says so later', async () => {
  assert.throws(() => new AuditLog({ path: join(folder, 'none\u0000') }, new VirtualClock()), AuditSinkError);
  const place = mkdtempSync(join(folder, 'gone-'));
  const log = new AuditLog({ path: join(place, 'audit.log'), maxSize: 1 }, new VirtualClock());
  log.write([event('x'.repeat(700_000))]);
  rmSync(place, { recursive: true });
  assert.throws(() => log.write([event('x'.repeat(700_000))]), AuditSinkError);
  await log.close();
});

/** A disk that takes so many bytes from now on, and no more. */
function fillDisk() {
  const writing = fs.writeSync;
  const disk = { left: 0 };
  const mocked = mock.method(fs, 'writeSync', (file: number, text: Uint8Array, at: number) => {
    if (disk.left === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const taken = writing(file, text, at, Math.min(disk.left, text.length - at));
    disk.left -= taken;
    return taken;
  });
  syncBuiltinESMExports();
  const restore = (): void => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  };
  return { disk, restore };
}

test('half a line on a full disk is taken back: what comes when there is room again is a line of its own', async () => {
  const path = join(mkdtempSync(join(folder, 'full-')), 'audit.log');
  const log = new AuditLog({ path }, new VirtualClock());
  log.write([event('/one')]);
  const { disk, restore } = fillDisk();
  disk.left = 20;
  assert.throws(() => log.write([event('/two')]), AuditSinkError);
  disk.left = 1 << 20;
  log.write([event('/three')]);
  restore();
  await log.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as AuditEvent).requestURI),
    ['/one', '/three'],
  );
});

test('an old file that cannot be removed costs no event', async () => {
  const place = mkdtempSync(join(folder, 'stuck-'));
  // Named as a file of ours, and none.
  mkdirSync(join(place, 'audit-2020-01-01T00-00-00.000.log', 'x'), { recursive: true });
  const log = new AuditLog({ path: join(place, 'audit.log'), maxSize: 1, maxBackups: 1 }, new VirtualClock());
  for (const fill of ['a', 'b']) log.write([event(fill.repeat(700_000))]);
  await log.close();
  assert.match(readFileSync(join(place, 'audit.log'), 'utf8'), /"b{100}/);
});

for (const format of ['json', 'legacy'] as const) {
  test(`${format}: whoever looks at it on a terminal is shown what was sent, and nothing steers it`, async () => {
    const path = join(mkdtempSync(join(folder, 'shown-')), 'audit.log');
    const log = new AuditLog({ path, format }, new VirtualClock());
    const steering = String.fromCharCode(10, 13, 27, 0x7f, 0x85, 0x9b, 0x2028, 0x2029);
    log.write([{ ...event(`/x${steering}[2J`), userAgent: `kubectl${steering}` }]);
    await log.close();
    const text = readFileSync(path, 'utf8');
    assert.match(text, /^[\u0020-\u007e]+\n$/);
    assert.match(text, /\/x\\n\\r\\u001b\\u007f\\u0085\\u009b\\u2028\\u2029\[2J/);
  });
}
