import { VirtualClock } from '@binnacle/base';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AuditSinkError } from '../audit/errors.ts';
import type { AuditEvent } from '../ports/audit.ts';
import { AuditLog } from './audit-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'binnacle-audit-'));
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
