import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { readRequest } from '../request.ts';
import { checkRequestSignature } from './check-request.ts';
import { makeRequest } from './make-request.ts';

const subject = { commonName: 'system:node:n', organizations: ['system:nodes'] };

test('a request is read as it was made, and signed by its own key', () => {
  const { request, key } = makeRequest({ ...subject, hostnames: ['n'], ips: ['192.0.2.1'] });
  const read = readRequest(request);
  assert.deepEqual([read.commonName, read.organizations], ['system:node:n', ['system:nodes']]);
  assert.deepEqual(
    read.alternativeNames.map(({ tag, contents }) => [tag, [...contents]]),
    [
      [0x82, [110]],
      [0x87, [192, 0, 2, 1]],
    ],
  );
  assert.equal(checkRequestSignature(read), undefined);
  assert.match(key, /BEGIN PRIVATE KEY/);
});

test('OpenSSL takes it', { skip: spawnSync('openssl', ['version']).status !== 0 && 'no openssl' }, () => {
  const { request } = makeRequest(subject);
  const said = spawnSync('openssl', ['req', '-verify', '-noout', '-subject'], { input: request, encoding: 'utf8' });
  assert.equal(said.status, 0, said.stderr);
  assert.match(said.stdout, /O ?= ?system:nodes, ?CN ?= ?system:node:n/);
});
