import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import test from 'node:test';
import { isVouchedFor, readAuthorities } from './check-client.ts';
import { issueCertificate, makeAuthority } from './issue.ts';

const DAY_MS = 86_400_000;
const now = Date.UTC(2026, 0, 2);
const life = { notBefore: now - DAY_MS, notAfter: now + DAY_MS };
const ours = makeAuthority('ours', life);
// Of the same name with another key: only the signature tells them apart.
const sameName = makeAuthority('ours', life);
const others = makeAuthority('others', life);
const leaf = issueCertificate(ours, { commonName: 'proxy' }, { ...life, client: true });
const serving = issueCertificate(ours, { commonName: 'proxy', ips: ['127.0.0.1'] }, { ...life, client: false });
const expired = makeAuthority('old', { notBefore: now - 2 * DAY_MS, notAfter: now - DAY_MS });
const ofExpired = issueCertificate(expired, { commonName: 'proxy' }, { ...life, client: true });
const grandchild = issueCertificate(leaf, { commonName: 'proxy' }, { ...life, client: true });

const ROWS: readonly [name: string, client: string, authorities: readonly string[], expected: boolean][] = [
  ['signed by an authority', leaf.certificate, [others.certificate, ours.certificate], true],
  ['signed by another authority', leaf.certificate, [others.certificate], false],
  ['signed by one of the same name', leaf.certificate, [sameName.certificate], false],
  ['among the authorities itself', leaf.certificate, [leaf.certificate], true],
  ['no authorities', leaf.certificate, [], false],
  ['for servers only', serving.certificate, [ours.certificate], false],
  ['an authority whose time is over', ofExpired.certificate, [expired.certificate], false],
  ['signed by who is no authority', grandchild.certificate, [leaf.certificate], false],
  ['nobody sent what lies between', grandchild.certificate, [ours.certificate], false],
];

for (const [name, client, authorities, expected] of ROWS) {
  test(name, () => {
    const bundle = readAuthorities(authorities.join('\n'));
    assert.equal(isVouchedFor(new X509Certificate(client), bundle, now), expected);
  });
}

test('not before its time, and not after', () => {
  const bundle = readAuthorities(ours.certificate);
  const client = new X509Certificate(leaf.certificate);
  assert.equal(isVouchedFor(client, bundle, life.notBefore - 1000), false);
  assert.equal(isVouchedFor(client, bundle, life.notAfter + 1000), false);
});

test('a text without certificates has no authorities', () => assert.deepEqual(readAuthorities('no PEM'), []));
