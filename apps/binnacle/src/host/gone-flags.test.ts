import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseGoneFlags } from './gone-flags.ts';

test('a gone flag is answered with what took its place, in both spellings', () => {
  for (const args of [
    ['kubelet', '--container-runtime=remote'],
    ['kubelet', '--container-runtime', 'remote'],
  ]) {
    assert.throws(() => refuseGoneFlags(args), /^UsageError: --container-runtime: removed in v1\.27: give --runtime/);
  }
});

test('others pass, those that begin alike too, and what follows --', () => {
  refuseGoneFlags(['kubelet', '--container-runtime-endpoint=unix:///x', '--constructor', 'container-runtime']);
  refuseGoneFlags(['kubelet', '--', '--container-runtime']);
});

test('a flag that one command has still is gone for the others alone', () => {
  refuseGoneFlags(['proxy', '--hostname-override=b']);
  assert.throws(() => refuseGoneFlags(['kubelet', '--hostname-override=b']), /give --node-name/);
  for (const command of ['controller-manager', 'scheduler']) {
    refuseGoneFlags([command, '--secure-port=0', '--bind-address', '127.0.0.1']);
  }
  assert.throws(() => refuseGoneFlags(['apiserver', '--secure-port=6443']), /--listen=HOST:PORT/);
});
