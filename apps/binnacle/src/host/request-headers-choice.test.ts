import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeTestCertificate, makeTestFolder } from '@binnacle/base/testing';
import { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { requestHeaderChoice, requestHeaderOptions } from './request-headers-choice.ts';
import type { RequestHeaderFlags } from './request-headers-choice.ts';

function chosen(args: readonly string[]): { settings: ReturnType<typeof requestHeaderChoice>; warnings: string[] } {
  const command = requestHeaderOptions(new Command().exitOverride());
  const warnings: string[] = [];
  const flags = command.parse(args, { from: 'user' }).opts<RequestHeaderFlags>();
  return { settings: requestHeaderChoice(flags, (text) => warnings.push(text)), warnings };
}

test('lists by commas and by repetition; without authorities nobody is believed', (t) => {
  const folder = makeTestFolder().path;
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'ca.pem');
  const { cert } = makeTestCertificate([]);
  writeFileSync(path, cert);
  const lists = ['--requestheader-allowed-names=a,b', '--requestheader-allowed-names=c'];
  assert.equal(chosen(lists).settings, undefined);
  const { settings, warnings } = chosen([
    ...lists,
    `--requestheader-client-ca-file=${path}`,
    '--requestheader-username-headers=x-remote-user',
  ]);
  assert.deepEqual(settings, {
    clientCa: cert,
    allowedNames: ['a', 'b', 'c'],
    usernameHeaders: ['x-remote-user'],
    uidHeaders: [],
    groupHeaders: [],
    extraHeadersPrefix: [],
  });
  assert.deepEqual(warnings, []);
});

test('names that aggregation does not know are warned of; of uids they are refused; empty ones always', () => {
  assert.deepEqual(chosen(['--requestheader-group-headers=X-Team']).warnings, [
    '--requestheader-group-headers is set without specifying the standard X-Remote-Group header - API aggregation will not work',
  ]);
  for (const flag of ['--requestheader-uid-headers=X-Id', '--requestheader-allowed-names=a,,b'])
    assert.throws(() => chosen([flag]), UsageError);
  assert.throws(() => chosen(['--requestheader-client-ca-file=/nowhere']), /cannot read \/nowhere/);
});
