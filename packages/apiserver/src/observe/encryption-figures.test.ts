import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { readEncryptionConfig } from '../storage/encryption/config.ts';
import { Encryption } from '../storage/encryption/encryption.ts';
import { KeyServiceAwayError, TransformError } from '../storage/encryption/errors.ts';
import { EncryptionFigures } from './encryption-figures.ts';
import { ReloadFigures } from './reload-figures.ts';

const AT_SECONDS = Date.UTC(2026, 0, 31) / 1000;
const about = () => ({
  clock: new VirtualClock(AT_SECONDS * 1000),
  hash: (text: string) => `sha256:${text.length}`,
  serverId: 'me',
});
const linesOf = (figures: { render(out: string[]): void }, name: string): string[] => {
  const out: string[] = [];
  figures.render(out);
  return out.filter((line) => line.startsWith(name));
};
const TOTAL = 'apiserver_storage_transformation_operations_total';
const row = (type: string, prefix: string, status: string, count: number): string =>
  `${TOTAL}{resource="secrets",transformation_type="${type}",transformer_prefix="${prefix}",status="${status}"} ${count}`;

function encryption(figures: EncryptionFigures, ...providers: readonly object[]): Encryption {
  const resources = [{ resources: ['secrets'], providers }];
  const config = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources };
  return new Encryption(readEncryptionConfig(config, { random: createSeededRandom(1) }), figures);
}
const keys = (...names: readonly string[]): object => ({
  keys: names.map((name) => ({ name, secret: btoa('0123456789abcdef0123456789abcdef') })),
});
const value = new TextEncoder().encode('a value');
const KEY = '/registry/secrets/default/a';

describe('values that rest sealed', () => {
  test('are counted by the provider and by its key', () => {
    const figures = new EncryptionFigures(about());
    const under = encryption(figures, { aesgcm: keys('new', 'old') });
    const sealed = under.toStorage(value, KEY, 'secrets');
    void under.fromStorage(sealed, KEY, 'secrets');
    void under.fromStorage(sealed, KEY, 'secrets');
    assert.deepEqual(linesOf(figures, TOTAL), [
      row('to_storage', 'k8s:enc:aesgcm:v1:', 'OK', 1),
      row('to_storage', 'new:', 'OK', 1),
      row('from_storage', 'k8s:enc:aesgcm:v1:', 'OK', 2),
      row('from_storage', 'new:', 'OK', 2),
    ]);
    const seconds = 'apiserver_storage_transformation_duration_seconds_count';
    assert.deepEqual(linesOf(figures, seconds), [
      `${seconds}{transformation_type="to_storage",transformer_prefix="k8s:enc:aesgcm:v1:"} 1`,
      `${seconds}{transformation_type="to_storage",transformer_prefix="new:"} 1`,
      `${seconds}{transformation_type="from_storage",transformer_prefix="k8s:enc:aesgcm:v1:"} 2`,
      `${seconds}{transformation_type="from_storage",transformer_prefix="new:"} 2`,
    ]);
  });

  test('in the clear, and such as nobody opens', () => {
    const figures = new EncryptionFigures(about());
    const under = encryption(figures, { identity: {} }, { aesgcm: keys('a') });
    void under.fromStorage(under.toStorage(value, KEY, 'secrets'), KEY, 'secrets');
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    assert.throws(() => under.fromStorage(bytes('k8s:enc:other:v1:x'), KEY, 'secrets'));
    assert.throws(() => under.fromStorage(bytes('k8s:enc:aesgcm:v1:a:xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'), KEY, 'secrets'));
    assert.deepEqual(linesOf(figures, TOTAL), [
      row('to_storage', '', 'OK', 1),
      row('from_storage', 'identity', 'OK', 1),
      row('from_storage', 'unknown', 'unknown-non-grpc', 1),
      row('from_storage', 'k8s:enc:aesgcm:v1:', 'unknown-non-grpc', 1),
      row('from_storage', 'a:', 'unknown-non-grpc', 1),
    ]);
  });

  test('with gRPC’s word for what went wrong, however it was wrapped', () => {
    const figures = new EncryptionFigures(about());
    const away = new KeyServiceAwayError('k', Object.assign(new Error('gone'), { code: 14 }));
    const steps = ['k8s:enc:kms:v2:k:'];
    for (const error of [
      away,
      new TransformError('x', away),
      new TransformError('y', Object.assign(new Error(), { code: 'E' })),
    ])
      figures.transformed('from_storage', { resource: 'secrets', steps, seconds: 1, error });
    assert.deepEqual(linesOf(figures, TOTAL), [
      row('from_storage', steps[0] ?? '', 'Unavailable', 2),
      row('from_storage', steps[0] ?? '', 'unknown-non-grpc', 1),
    ]);
  });
});

test('keys of a key service: uses, and when; the latest hundred are told apart', () => {
  const figures = new EncryptionFigures(about());
  for (let i = 0; i < 1000; i++) figures.keyUsed('to_storage', 'k', 'x'.repeat(i));
  figures.keyUsed('from_storage', 'k', 'x'.repeat(999));
  figures.keyTold('k', 'told');
  const total = linesOf(figures, 'apiserver_envelope_encryption_key_id_hash_total');
  assert.ok(total.length >= 50 && total.length <= 100, `${total.length}`);
  const labels = 'provider_name="k",key_id_hash="sha256:999",apiserver_id_hash="sha256:2"';
  assert.ok(
    total.includes(`apiserver_envelope_encryption_key_id_hash_total{transformation_type="from_storage",${labels}} 1`),
  );
  assert.deepEqual(linesOf(figures, 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds'), [
    `apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds{provider_name="k",key_id_hash="sha256:4",apiserver_id_hash="sha256:2"} ${AT_SECONDS}`,
  ]);
});

test('a key service: how long it took, what is remembered, and what could not be', () => {
  const figures = new EncryptionFigures(about());
  figures.serviceCalled('k', 'Decrypt', { seconds: 0.3 });
  figures.serviceCalled('k', 'Status', { seconds: 3, error: Object.assign(new Error('late'), { code: 4 }) });
  figures.remembered('k', 2);
  figures.badKeyTold('k', 'too_long');
  figures.notRemembered();
  figures.seedMade(0.0001);
  const envelope = 'apiserver_envelope_encryption';
  const calls = `${envelope}_kms_operations_latency_seconds_count`;
  const method = (name: string): string => `provider_name="k",method_name="/v2.KeyManagementService/${name}"`;
  assert.deepEqual(linesOf(figures, calls), [
    `${calls}{${method('Decrypt')},grpc_status_code="OK"} 1`,
    `${calls}{${method('Status')},grpc_status_code="DeadlineExceeded"} 1`,
  ]);
  assert.deepEqual(linesOf(figures, `${envelope}_dek`), [`${envelope}_dek_source_cache_size{provider_name="k"} 2`]);
  assert.deepEqual(linesOf(figures, `${envelope}_invalid`), [
    `${envelope}_invalid_key_id_from_status_total{provider_name="k",error="too_long"} 1`,
  ]);
  const misses = 'apiserver_storage_envelope_transformation_cache_misses_total';
  assert.deepEqual(linesOf(figures, misses), [`${misses} 1`]);
  const seeds = 'apiserver_storage_data_key_generation_duration_seconds_count';
  assert.deepEqual(linesOf(figures, seeds), [`${seeds} 1`]);
});

test('how configurations were read anew', () => {
  const figures = new ReloadFigures(about());
  figures.of('authentication').applied('text');
  figures.of('authorization').failed();
  figures.of('authorization').succeeded('other');
  const out: string[] = [];
  figures.render(out);
  const of = (name: string, status: string): string =>
    `apiserver_authorization_config_controller_automatic_${name}{status="${status}",apiserver_id_hash="sha256:2"}`;
  assert.deepEqual(
    out.filter((line) => !line.startsWith('#')),
    [
      'apiserver_authentication_config_controller_last_config_info{apiserver_id_hash="sha256:2",hash="sha256:4"} 1',
      `${of('reloads_total', 'failure')} 1`,
      `${of('reloads_total', 'success')} 1`,
      `${of('reload_last_timestamp_seconds', 'failure')} ${AT_SECONDS}`,
      `${of('reload_last_timestamp_seconds', 'success')} ${AT_SECONDS}`,
      'apiserver_authorization_config_controller_last_config_info{apiserver_id_hash="sha256:2",hash="sha256:5"} 1',
    ],
  );
});
